"""Task: a model with the question about it, and how it is settled: by a report, or the error that prevented one."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from shapesmt.algebra import forget_between
from shapesmt.api import checked, page_data
from shapesmt.errors import InternalError, ShapesmtError, printable
from shapesmt.examine import Question
from shapesmt.fleet.cache import Entry
from shapesmt.fleet.pages import write_page
from shapesmt.fleet.settled import Settled, Wish, settled
from shapesmt.frontends import ModelFile, is_url, load, model_file, opened, side_reads
from shapesmt.language import ShapeLike
from shapesmt.report import Report, Unchecked

__all__ = ["LARGEST", "Arriving", "Task", "all_done", "done", "known", "lost", "split"]

Arriving: TypeAlias = Generator[tuple[int, Settled], None, None]
"""The index of each task and what came of it, in the order in which they are finished."""
LARGEST = 32  # models that a process takes at once
FEW = 20_000  # entries of tables that are left to the next models: some 15 MB
_SHARES = 8  # pieces of work for each process, at least: so that none waits long for another


class Task(NamedTuple):
    """A model, the question about it, and where its answer goes beside.

    Attributes:
        path: The model's path or URL, as the report names it.
        question: The question.
        shapes: Shapes that are used if the model has such an input.
        page: The path of its page, "" for none.
        cache: The folder of answers, "" for none.
        place: Where the model is read, where that isn't its path.
        wish: What is wanted of its outcome.
    """

    path: str
    question: Question
    shapes: Mapping[str, ShapeLike] = {}
    page: str = ""
    cache: str = ""
    place: str = ""
    wish: Wish = Wish()

    @property
    def name(self) -> str:
        """What the report calls the model."""
        return printable(self.path, 1000)


def done(task: Task) -> Settled:
    """What comes of `check` for one model under its path."""
    try:
        file = model_file(task.place or task.path, weights=task.question.replay)
        if not task.cache:
            return settled(_answer(task, file), task.wish)
        entry = Entry(file, task.cache, task.question, task.shapes)
        kept = None if task.page else entry.kept(task.name, task.wish)
        if kept is None:
            with side_reads() as reads:
                report = _answer(task, file)
            entry.keep(report, reads)
            kept = settled(report, task.wish)
        return kept
    except ShapesmtError as error:
        text, internal = str(error), False
    except MemoryError:
        text, internal = "there isn't enough memory", False
    except Exception as error:  # one model's failure mustn't end the others'
        text = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
        text, internal = f"internal error: {text}", True
    return settled(Unchecked(task.name, printable(" ".join(text.split()), 1000), internal), task.wish)


def known(task: Task) -> Settled | None:
    """The answer that is kept of a model on this machine, without a page to write."""
    if is_url(task.path) or task.page:
        return None
    try:
        file = model_file(task.path, weights=False)
        return Entry(file, task.cache, task.question, task.shapes).kept(task.name, task.wish)
    except ShapesmtError:
        return None


def all_done(tasks: Sequence[Task]) -> list[Settled]:
    """What comes of each task; what they leave behind is dropped now and then."""
    answers = [done(task) for task in tasks]
    forget_between(FEW)
    return answers


def lost(task: Task, how: str) -> Settled:
    """What comes of a task at which a process ended, twice."""
    return settled(Unchecked(task.name, f"internal error: {how}; out of memory?", internal=True), task.wish)


def split(count: int, processes: int) -> list[range]:
    """The indices of that many tasks in pieces of work: small ones, so that every process has some until the end.

    >>> split(3, 2), len(split(5000, 2))
    ([range(0, 1), range(1, 2), range(2, 3)], 157)
    """
    size = max(1, min(LARGEST, count // (_SHARES * processes)))
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def _answer(task: Task, file: ModelFile) -> Report:
    model = opened(file)
    graph = load(model)
    shapes = {name: shape for name, shape in task.shapes.items() if name in graph.inputs}
    question = replace(task.question, shapes={**(task.question.shapes or {}), **shapes})
    asked = model if question.replay else graph
    if not task.page:
        return replace(checked(asked, question), model=task.name, exporter=graph.exporter)
    data = page_data(asked, question)
    report = replace(data.report, model=task.name, exporter=graph.exporter)
    return write_page(task.page, replace(data, report=report))
