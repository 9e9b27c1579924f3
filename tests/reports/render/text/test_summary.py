"""The summary of several models: a row for each, and the totals."""

from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import BatchReport, Counts, Precondition, Report, Unchecked
from shapesmt.reports.render.text.summary import summary_lines

PROVED = Report("a.onnx", Verdict.PROVED, {}, Counts(3, proved=3))
DEPENDS = Report("longer.onnx", Verdict.DEPENDS, {}, Counts(3, 2, 1), precondition=Precondition(("n == 1",), True))
UNSURE = Report("c.onnx", Verdict.DEPENDS, {}, Counts(3, 2, 1), precondition=Precondition(("n == 1",), False))


def test_a_row_for_each_model_and_the_totals():
    rows = [
        str(row) for row in summary_lines(BatchReport((PROVED, DEPENDS, UNSURE, Unchecked("d", "it is damaged")), 1.5))
    ]
    assert rows == [
        "verdict  model        proved",
        "PROVED   a.onnx       3 of 3",
        "DEPENDS  longer.onnx  2 of 3, runs exactly when n == 1",
        "DEPENDS  c.onnx       2 of 3",
        "ERROR    d            it is damaged",
        "",
        "4 models: 1 proved, 2 depending on the input, 1 not checked in 1.50 s, reading included",
    ]


def test_alternatives_stand_in_parentheses_among_others():
    assert Precondition(("a == 1 or b == 1",), True).whole == "a == 1 or b == 1"
    assert Precondition(("a == 1 or b == 1", "c == 2"), True).whole == "(a == 1 or b == 1) and c == 2"
