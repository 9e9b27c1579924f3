"""Task: a model with a question about it, answered by a report or by the error that prevented one."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from shapesmt.analysis.verify import Question
from shapesmt.base.errors import InternalError, ShapesmtError, pass_on, printable
from shapesmt.entrypoints.fleet.answers import Answers, Entry, open_answers
from shapesmt.entrypoints.fleet.identity import key
from shapesmt.entrypoints.fleet.settled import (
    Place,
    Settled,
    Source,
    Wish,
    pickle_outcomes,
    restore_report,
    settle,
    text,
)
from shapesmt.frontends import ModelFile, ModelSource, SideRead, content_digest, is_url, model_file, side_reads
from shapesmt.network.declarations import ShapeLike
from shapesmt.prover.algebra import forget_between
from shapesmt.reports.answers import Report, Unchecked
from shapesmt.reports.render import is_refusal, refusal

Arriving: TypeAlias = Generator[tuple[int, Settled], None, None]
"""The index and the outcome of each task, in the order in which they finish."""
LARGEST = 32  # maximum number of tasks in a piece of work
FEW = 20_000  # entries that shared tables may have before they are emptied: some 15 MB
HURRIED = 0.5
"""The part of the timeout after which an answer isn't cached: some of it may be undecided for lack of time."""
_SHARES = 8  # minimum number of pieces per process, so that none waits long for another


class Task(NamedTuple):
    """A model, the question about it, and where the answer is stored.

    Attributes:
        path: The model's path or URL, as the report names it.
        question: The question.
        shapes: Shapes that apply if the model has such an input.
        page: The path of its HTML page; "" for none.
        cache: The folder of cached answers; "" for none.
        place: The path or URL to read the model from; "" for `path`.
        wish: The form in which its outcome is wanted.
        expect: The verdict that is expected; "" if none is.
    """

    path: str
    question: Question
    shapes: Mapping[str, ShapeLike] = {}
    page: str = ""
    cache: str = ""
    place: str = ""
    wish: Wish = Wish()
    expect: str = ""

    @property
    def name(self) -> str:
        """The name of the model in reports: its path on one line, shortened to 1,000 characters."""
        return printable(self.path, 1000)


def done(task: Task, before: Answers) -> Settled:
    """Check one model, or take its cached answer, and return the outcome; an error becomes an `Unchecked`."""
    try:
        return _known_or_checked(task, before)
    except ShapesmtError as error:
        why, internal = str(error), False
    except MemoryError:
        why, internal = "there isn't enough memory", False
    except Exception as error:  # other models are checked nevertheless
        pass_on(error)
        if is_refusal(error):
            why, internal = refusal(error), False
        else:
            why = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
            why, internal = f"internal error: {why}", True
    return settle(Unchecked(task.name, printable(" ".join(why.split()), 1000), internal), task.wish)


def _known_or_checked(task: Task, before: Answers) -> Settled:
    asked, place = task.question.again(), task.place or task.path
    file = asked.read(lambda: model_file(place, weights=asked.replay))
    content = content_digest(file) if task.cache or task.wish.asked else ""
    name = key(content, task.question, task.shapes) if task.cache else b""
    earlier = before.find([name]).get(name) if name and not task.page else None
    found = earlier and _restore(task, earlier, content, file.folder)
    if found:
        return found
    with side_reads() as reads:
        report = _answer(task._replace(question=asked), file)
    one = settle(report, task.wish, Source(content, list(dict.fromkeys(reads))))
    whole = name and report.seconds < HURRIED * task.question.timeout
    return one._replace(entry=Entry(name, text(report, reads)) if whole else None)


def _restore(task: Task, text: bytes, content: str, folder: str | None) -> Settled | None:
    return restore_report(text, Place(task.name, content, folder), strict=task.question.strict, wish=task.wish)


def cached_answers(tasks: Sequence[Task], before: Answers) -> list[Settled | None]:
    """Return each task's cached answer; None if there is none, for URLs, and for tasks that write a page."""
    told = [("", None) if task.page or is_url(task.path) else _content_digest(task) for task in tasks]
    keys = [key(content, task.question, task.shapes) for task, (content, _) in zip(tasks, told, strict=True)]
    texts = before.find(keys)
    return [
        _restore(task, texts[name], content, folder) if name in texts else None
        for task, (content, folder), name in zip(tasks, told, keys, strict=True)
    ]


def is_same(task: Task, content: str, beside: Sequence[SideRead]) -> bool:
    """Whether a model still has the digest `content`, and its external files (`beside`) are unchanged."""
    found, folder = _content_digest(task)
    return found == content != "" and all(read.is_unchanged(folder) for read in beside)


def _content_digest(task: Task) -> tuple[str, str | None]:
    """Return the digest of the model's content, and its folder; "" and None if it can't be read, or only once."""
    asked = task.question.again()
    with suppress(ShapesmtError, OSError, ValueError):
        if is_url(task.path) or not stat.S_ISFIFO(os.stat(task.path).st_mode):  # noqa: PTH116 - `pathlib` is slower
            file = asked.read(lambda: model_file(task.path, weights=asked.replay))
            return content_digest(file), file.folder
    return "", None


def each_done(tasks: Sequence[Task]) -> Iterator[Settled]:
    """Yield the outcome of each task; shared tables that have grown are emptied after every 32 tasks and at the end."""
    with open_answers(tasks[0].cache if tasks else "") as before:
        for number, task in enumerate(tasks, 1):
            yield done(task, before)
            if number % LARGEST == 0 or number == len(tasks):
                forget_between(FEW)


def all_done(tasks: Sequence[Task]) -> bytes:
    """Check tasks, and return their outcomes pickled for the asking process."""
    return pickle_outcomes(list(each_done(tasks)))


def lost_outcome(task: Task, how: str) -> Settled:
    """Return the outcome of a task that ended two processes."""
    return settle(Unchecked(task.name, f"internal error: {how}; out of memory?", internal=True), task.wish)


def split(count: int, processes: int) -> list[range]:
    """Split `count` tasks into pieces of work, as ranges of indices.

    The pieces are small (at most 32 tasks), so that every process has work until the end.

    >>> split(3, 2), len(split(5000, 2))
    ([range(0, 1), range(1, 2), range(2, 3)], 157)
    """
    size = max(1, min(LARGEST, count // (_SHARES * processes)))
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def _answer(task: Task, file: ModelFile) -> Report:
    from shapesmt.entrypoints.api import Opened  # importing it takes longer than reading hundreds of cached answers

    model = ModelSource(file)
    graph = task.question.read(model.graph)
    shapes = {name: shape for name, shape in task.shapes.items() if name in graph.inputs}
    question = replace(task.question, shapes={**(task.question.shapes or {}), **shapes})
    asked = Opened(model, question)
    if not task.page:
        return replace(asked.check(), model=task.name, exporter=graph.exporter)
    data = asked.page_data()
    report = replace(data.report, model=task.name, exporter=graph.exporter)
    from shapesmt.entrypoints.fleet.pages import write_page

    return write_page(task.page, replace(data, report=report), own=True)
