"""The answer for several models: the gravest exit status counts."""

from __future__ import annotations

import pytest

from shapesmt.algebra import Verdict
from shapesmt.report.batch import BatchReport, Unchecked, reports_in
from shapesmt.report.report import Counts, Report

PROVED = Report("p", Verdict.PROVED, {}, Counts())


UNKNOWN = Report("u", Verdict.UNKNOWN, {}, Counts())


DEPENDS = Report("d", Verdict.DEPENDS, {}, Counts())


UNREAD = Unchecked("e", "cannot read it")


@pytest.mark.parametrize(
    ("models", "status"),
    [
        ((), 0),
        ((PROVED, PROVED), 0),
        ((PROVED, UNKNOWN), 3),
        ((UNKNOWN, DEPENDS), 1),
        ((UNKNOWN, DEPENDS, UNREAD), 2),
        ((UNREAD, Unchecked("i", "oops", internal=True), DEPENDS), 4),
    ],
)
def test_the_gravest_status_counts(models, status):
    assert BatchReport(models).exit_status == status
    assert reports_in(BatchReport(models)) == tuple(m for m in models if isinstance(m, Report))
    assert reports_in(PROVED) == (PROVED,)
