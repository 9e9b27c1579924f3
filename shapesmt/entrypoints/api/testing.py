"""Testing: the error for test suites that expect a proved model."""

from __future__ import annotations

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report
from shapesmt.reports.render import lines


def require_proved(report: Report) -> Report:
    """Return the report of a proved model.

    Raises:
        AssertionError: The model isn't proved, or is undecided; the message is the report.
    """
    __tracebackhide__ = True
    if report.verdict is Verdict.PROVED:
        return report
    text = "\n".join(map(str, lines(report)))
    if report.verdict is Verdict.UNKNOWN:
        text = f"undecided, which proves nothing\n{text}"
    raise AssertionError(text)
