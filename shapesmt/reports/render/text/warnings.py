"""Warnings as text, a line or two for each."""

from __future__ import annotations

from collections.abc import Iterator

from shapesmt.base.errors import printable
from shapesmt.reports.answers import ModelWarning, Report, WarningKind
from shapesmt.reports.render.text.sources import quotation
from shapesmt.reports.render.text.words import BLANK, FAINT, STRONG, Line, count, line, name

_MOST_WARNINGS = 3
_STYLE = "bold magenta"


def warning_lines(report: Report, *, everything: bool = False) -> Iterator[Line]:
    """Yield the warnings of a report as a section, after a blank line: the first few, or all with `everything`."""
    if not report.warnings:
        return
    yield BLANK
    shown = report.warnings if everything else report.warnings[:_MOST_WARNINGS]
    for warning in shown:
        yield from _warning(warning)
    if len(shown) < len(report.warnings):
        yield line(0, f"{count(len(report.warnings) - len(shown), 'more warning')}; --all lists them")
    if report.strict:
        yield line(0, f"{count(len(report.warnings), 'warning')}: --strict makes this fail")


def _warning(warning: ModelWarning) -> Iterator[Line]:
    where = f"{name(warning.op_type)}, node {warning.index}" if warning.index >= 0 else ""
    subject = name(warning.node) or warning.kind
    label = (subject, STRONG), f" ({where})" if where else ""
    yield line(0, ("WARNING", _STYLE), "  ", *label, (f"  {warning.code}", FAINT))
    yield line(2, printable(warning.text, 400))
    source = quotation(warning.source, warning.node)
    if source and warning.kind != WarningKind.STATIC:  # the text of that kind names the line
        yield line(2, source)
