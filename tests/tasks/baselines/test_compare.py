"""A comparison claims only what was proved of a model, before and now."""

from __future__ import annotations

import pytest

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Counts, Precondition, Report, TensorFacts, Unchecked
from shapesmt.tasks.baselines import Entry, change_of, entry_of

EXACT, ROUGH = Precondition(("n == 1",), exact=True), Precondition(("n == 1",), exact=False)
NEEDED = Precondition(("n == 1",), exact=False, partial=True)
NOWHERE = Precondition(("False",), exact=True)


def report(verdict: Verdict, region: Precondition | None = None, **fields: object) -> Report:
    return Report("m.onnx", verdict, {}, Counts(), precondition=region, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "now", "runs", "state", "reason"),
    [
        (report(Verdict.PROVED), report(Verdict.PROVED), False, None, ""),
        (report(Verdict.DEPENDS, EXACT), report(Verdict.DEPENDS, EXACT), False, None, ""),
        (report(Verdict.UNKNOWN), report(Verdict.UNKNOWN), False, None, ""),
        (report(Verdict.UNKNOWN, NEEDED), report(Verdict.UNKNOWN), False, None, ""),
        (report(Verdict.UNKNOWN, ROUGH), report(Verdict.UNKNOWN, EXACT), False, None, ""),
        (report(Verdict.UNKNOWN), report(Verdict.UNKNOWN, ROUGH), False, "no worse", "it runs if n == 1"),
        (report(Verdict.UNKNOWN, ROUGH), report(Verdict.UNKNOWN), True, "no worse",
         "no input is proved to run, and where it ran before, if n == 1"),
        (report(Verdict.UNKNOWN, ROUGH), report(Verdict.UNKNOWN), False, "worse",
         "it is no longer proved where it ran, if n == 1; no input is proved to run"),
        (report(Verdict.PROVED), report(Verdict.UNKNOWN), True, "worse",
         "UNKNOWN, was PROVED; no input is proved to run"),
        (report(Verdict.UNKNOWN), report(Verdict.DEPENDS, EXACT), False, "worse",
         "DEPENDS, was UNKNOWN; it runs if n == 1"),
        (report(Verdict.DEPENDS, EXACT), report(Verdict.UNKNOWN), False, "worse",
         "it is no longer proved where it ran, if n == 1; no input is proved to run"),
        (report(Verdict.FAILS, NOWHERE), report(Verdict.UNKNOWN), False, "better",
         "UNKNOWN, was FAILS; no input is proved to run"),
        (report(Verdict.DEPENDS, EXACT), report(Verdict.PROVED), False, "better",
         "PROVED, was DEPENDS; it runs for every input"),
        (report(Verdict.PROVED), Unchecked("m.onnx", "it is empty"), True, "worse", "ERROR, was PROVED: it is empty"),
        (Unchecked("m.onnx", "it is empty"), report(Verdict.FAILS), True, "better", "FAILS, was ERROR"),
        (Unchecked("m.onnx", "it is empty"), Unchecked("m.onnx", "it is damaged"), True, None, ""),
    ],
)  # fmt: skip
def test_what_is_said(before, now, runs, state, reason):
    change = change_of(entry_of(before), now, lambda: runs)
    assert (None if change is None else (change.state, *change.reasons)) == (state and (state, reason))


def test_sizes_of_inputs_that_became_numbers():
    before = Entry("PROVED", inputs={"x": TensorFacts("float32", ("n", "3", "m"))})
    now = report(Verdict.PROVED, inputs={"x": TensorFacts("float32", ("1", "4", "k"))})
    change = change_of(before, now, lambda: True)
    assert change is not None
    assert change.reasons == ("input x[0] is 1, was n", "input x[1] is 4, was 3")
