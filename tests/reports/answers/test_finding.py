"""Verdicts: their order, and their exit statuses."""

from __future__ import annotations

import pytest

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Counts,
    Explanation,
    Report,
)


@pytest.mark.parametrize(("verdict", "status"), [("PROVED", 0), ("DEPENDS", 1), ("FAILS", 1), ("UNKNOWN", 3)])
def test_exit_status_of_a_verdict(verdict, status):
    assert Report("m", Verdict(verdict), {}, Counts()).exit_status == status
    assert Explanation("m", None, Verdict(verdict), {}).exit_status == status


def test_the_worst_verdict_is_the_models():
    ordered = [Verdict.PROVED, Verdict.UNKNOWN, Verdict.DEPENDS, Verdict.FAILS]
    for i in range(4):
        assert Verdict.worst(ordered[: i + 1]) is ordered[i]
        assert Verdict.worst(ordered[i::-1]) is ordered[i]
    assert Verdict.worst([]) is Verdict.PROVED
    assert f"{Verdict.FAILS}" == "FAILS"
