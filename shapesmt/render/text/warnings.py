"""Warnings in words: what runs and still deserves a look, a line or two for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.errors import printable
from shapesmt.render.text.words import BLANK, FAINT, STRONG, Line, count, line, name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapesmt.report import Caution, Report

__all__ = ["warnings"]

_MOST_WARNINGS = 12
_STYLE = "bold magenta"


def warnings(report: Report) -> Iterator[Line]:
    """The warnings of a report as a section of its own, after a blank line."""
    if not report.warnings:
        return
    yield BLANK
    for caution in report.warnings[:_MOST_WARNINGS]:
        yield from _warning(caution)
    hidden = len(report.warnings) - _MOST_WARNINGS
    if hidden > 0:
        yield line(0, f"{count(hidden, 'more warning')}; --format json lists all")
    if report.strict:
        yield line(0, f"{count(len(report.warnings), 'warning')}: --strict makes this fail")


def _warning(caution: Caution) -> Iterator[Line]:
    where = f"{name(caution.op_type)}, node {caution.index}" if caution.index >= 0 else ""
    subject = name(caution.node) or caution.kind
    label = (subject, STRONG), f" ({where})" if where else ""
    yield line(0, ("WARNING", _STYLE), "  ", *label, (f"  {caution.code}", FAINT))
    yield line(2, printable(caution.text, 400))
