"""Settled: the outcome of a task with what is wanted beside it, which is all that a process sends to another.

Where only the table and the summary are shown, the report is brief: thousands of whole ones would take longer to send
than to compute.
"""

from __future__ import annotations

import json
from typing import NamedTuple, TypeAlias

from shapesmt.report import Marks, Report, Unchecked

__all__ = ["Outcome", "Settled", "Wish", "line", "settled", "written"]

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
    """An outcome, its line in the file of results if there is one, and the marks of a brief report for the tally."""

    outcome: Outcome
    line: bytes = b""
    marks: Marks | None = None


def settled(outcome: Outcome, wish: Wish) -> Settled:
    """What is wanted of an outcome."""
    if isinstance(outcome, Unchecked):
        record = {"schema": "shapesmt/unchecked/1", **outcome.to_dict(), "asked": wish.asked}
        return Settled(outcome, json.dumps(record).encode() + b"\n" if wish.asked else b"")
    text = line(written(outcome), outcome.model, wish.asked) if wish.asked else b""
    return Settled(outcome.brief, text, Marks.of(outcome)) if wish.brief else Settled(outcome, text)


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
