"""Settled: the outcome of a task with what is wanted beside it, which is all that a process sends to another.

Where only the table and the summary are shown, the report is brief: thousands of whole ones would take longer to send
than to compute. An answer that is kept has three lines of JSON, of which only those are read that are asked for: what
its check has read of files beside the model, with what the tally and the verdict need; the brief report; the whole one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from shapesmt.algebra import Verdict
from shapesmt.fleet.answers import Entry
from shapesmt.frontends import SideRead
from shapesmt.report import Marks, Report, Unchecked, unread

__all__ = ["Outcome", "Settled", "Wish", "kept", "line", "settled", "text", "written"]

Outcome: TypeAlias = Report | Unchecked
_NAMELESS = b'"model": ""'


class Wish(NamedTuple):
    """What is wanted of an outcome.

    Attributes:
        brief: Whether the report is without its findings.
        asked: The digest of the question, for a line of the file of results; "" for none.
    """

    brief: bool = False
    asked: str = ""


class Settled(NamedTuple):
    """An outcome.

    Attributes:
        outcome: The outcome.
        line: Its line in the file of results, if there is one.
        marks: The marks of a brief report for the tally.
        entry: What is to be kept of it.
    """

    outcome: Outcome
    line: bytes = b""
    marks: Marks | None = None
    entry: Entry | None = None


def settled(outcome: Outcome, wish: Wish) -> Settled:
    """What is wanted of an outcome."""
    if isinstance(outcome, Unchecked):
        record = {"schema": "shapesmt/unchecked/1", **outcome.to_dict(), "asked": wish.asked}
        return Settled(outcome, json.dumps(record).encode() + b"\n" if wish.asked else b"")
    text = line(written(outcome), outcome.model, wish.asked) if wish.asked else b""
    return Settled(outcome.brief, text, Marks.of(outcome)) if wish.brief else Settled(outcome, text)


def text(report: Report, reads: Sequence[SideRead]) -> bytes:
    """A report as it is kept, with what was read of files beside the model for it."""
    head = [
        list(dict.fromkeys(reads)), Marks.of(report).to_dict(), report.verdict.value, report.seconds, report.exporter,
    ]  # fmt: skip
    return b"\n".join([json.dumps(head).encode(), json.dumps(report.brief.to_dict()).encode(), written(report)])


def kept(text: bytes, beside: str | None, model: str, *, strict: bool, wish: Wish) -> Settled | None:
    """What is wanted of a kept report, under the name of a model; None where files beside the model have changed."""
    try:
        head, brief, whole = text.split(b"\n")
        reads, marks, verdict, seconds, exporter = json.loads(head)
        if not all(SideRead(*read).unchanged(beside) for read in reads):
            return None
        report = unread(
            Report, lambda: Report.from_dict(json.loads(brief if wish.brief else whole)),
            model=model, verdict=Verdict(verdict), seconds=seconds, exporter=exporter, strict=strict,
        )  # fmt: skip
        found = line(whole, model, wish.asked) if wish.asked else b""
        return Settled(report, found, Marks.from_dict(marks) if wish.brief else None)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None  # it isn't ours


def written(report: Report) -> bytes:
    """The JSON of a report, without the model's name."""
    return json.dumps({**report.to_dict(), "model": ""}).encode()


def line(report: bytes, model: str, asked: str) -> bytes:
    r"""The line of a report, whose JSON comes from `written`.

    >>> line(b'{"schema": "shapesmt/check/1", "model": "", "verdict": "PROVED"}', "m.onnx", "4f")
    b'{"schema": "shapesmt/check/1", "model": "m.onnx", "verdict": "PROVED", "asked": "4f"}\n'
    """
    start, _, rest = report.partition(_NAMELESS)
    return b'%b"model": %b%b, "asked": "%b"}\n' % (start, json.dumps(model).encode(), rest[:-1], asked.encode())
