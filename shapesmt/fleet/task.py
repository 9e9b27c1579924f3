"""Task: a model with the question about it; its outcome is a report, or the error that prevented one."""

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
from shapesmt.frontends import ModelFile, is_url, load, model_file, opened
from shapesmt.language import ShapeLike
from shapesmt.report import Report, Unchecked

__all__ = ["LARGEST", "Arriving", "Outcome", "Task", "known", "lost", "outcome", "outcomes", "split"]

Outcome: TypeAlias = Report | Unchecked
Arriving: TypeAlias = Generator[tuple[int, Outcome], None, None]
"""The index and the outcome of each task, in the order in which they are finished."""
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
    """

    path: str
    question: Question
    shapes: Mapping[str, ShapeLike] = {}
    page: str = ""
    cache: str = ""
    place: str = ""

    @property
    def name(self) -> str:
        """What the report calls the model."""
        return printable(self.path, 1000)


def outcome(task: Task) -> Outcome:
    """The report of `check` for one model under its path, or the error that prevented it."""
    path = task.name
    try:
        file = model_file(task.place or task.path, weights=task.question.replay)
        if task.cache:
            entry = Entry(file, task.cache, task.question, task.shapes)
            return replace(entry.answer(path, lambda: _answer(task, file), fresh=bool(task.page)), model=path)
        return replace(_answer(task, file), model=path)
    except ShapesmtError as error:
        return Unchecked(path, printable(" ".join(str(error).split()), 1000))
    except MemoryError:
        return Unchecked(path, "there isn't enough memory")
    except Exception as error:  # one model's failure mustn't end the others'
        text = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
        return Unchecked(path, printable(f"internal error: {' '.join(text.split())}", 1000), internal=True)


def known(task: Task) -> Report | None:
    """The answer that is kept of a model on this machine, without a page to write."""
    if is_url(task.path) or task.page:
        return None
    try:
        return Entry(model_file(task.path, weights=False), task.cache, task.question, task.shapes).kept(task.name)
    except ShapesmtError:
        return None


def outcomes(tasks: Sequence[Task]) -> list[Outcome]:
    """The outcome of each task; what they leave behind is dropped now and then."""
    answers = [outcome(task) for task in tasks]
    forget_between(FEW)
    return answers


def lost(task: Task, how: str) -> Unchecked:
    """The outcome of a task at which a process ended, twice."""
    return Unchecked(task.name, f"internal error: {how}; out of memory?", internal=True)


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
        return replace(checked(asked, question), exporter=graph.exporter)
    data = page_data(asked, question)
    report = replace(data.report, model=task.name, exporter=graph.exporter)
    return write_page(task.page, replace(data, report=report))
