"""Operands: what a failing node reads, as it was before the node's own condition."""

from __future__ import annotations

import dataclasses

from shapesmt.reports.answers import Operand
from shapesmt.reports.render.text.findings import operands
from shapesmt.reports.render.text.stories import MOST_LINES, height
from shapesmt.reports.render.text.text import lines
from tests.analysis.diagnose.test_explanation import explained, only
from tests.support.reports import CONCAT, UNET

RANKS = """(float[n, 4] x, float[n, 4] y) => (z) <int64[1] first = {0}> {
    [up] more = Unsqueeze (y, first)
    [join] z = Concat <axis = 0> (x, x, more)
}"""


def test_operands_have_whole_shapes_producers_and_elements() -> None:
    finding = only("(float[batch, 8, 4] x) => (y) <int64[2] to = {1, 32}> { [fold] y = Reshape (x, to) }")
    read, target = finding.operands
    assert (read.tensor, read.shape, read.node, read.constant) == ("x", ("batch", "8", "4"), "", False)  # not [1, 8, 4]
    assert (target.input, target.elements, target.constant, target.dtype) == (1, ("1", "32"), True, "int64")


def test_a_mixture_of_ranks_names_the_odd_input() -> None:
    finding = only(RANKS)
    assert finding.title == "required: the tensors have one rank; input 2 has rank 3, the others 2"
    assert [(o.tensor, o.node, o.op_type) for o in finding.operands][2] == ("more", "up", "Unsqueeze")
    assert "    2  more  [1, n, 4]  Unsqueeze up" in [str(row) for row in operands(finding)]


def test_the_shapes_of_a_node_that_depends_are_those_before_its_condition() -> None:
    (finding,) = explained("(float[a, 4] x, float[b, 4] y) => (z) { [sum] z = Add (x, y) }", "sum").findings
    assert [o.shape for o in finding.operands] == [("a", "4"), ("b", "4")]


def test_long_formulas_are_those_for_inputs_that_reach_the_node() -> None:
    """The window needs 4 elements, so no size is 0 after it, for which Reshape would copy the 1."""
    text = """(float[3, 1, n] x, float[1, 1, 4] w, float[3, m] y) => (z) <int64[1] three = {3}> {
        c = Conv <strides = [4]> (x, w)
        size = Shape <start = 2> (c)
        target = Concat <axis = 0> (three, size)
        r = Reshape (c, target)
        [join] z = Add (r, y)
    }"""
    (finding,) = explained(text, "join").findings
    assert [o.shape for o in finding.operands] == [("3", "n//4"), ("3", "m")]


def test_types_are_shown_where_a_law_is_about_them() -> None:
    finding = only("(float[n] x, int64[n] y) => (z) { [sum] z = Add (x, y) }")
    assert [str(row) for row in operands(finding)][1:] == [
        "    0  x  float32 [n]  input",
        "    1  y  int64 [n]    input",
    ]


def test_lines_about_operands_are_narrow_and_take_only_room_that_is_left() -> None:
    long = "/model/" + "very_long_name/" * 12
    many = tuple(
        Operand(
            i,
            f"{long}{i}_output_0",
            "float32",
            ("batch", "(height + 31)//32*((width + 31)//32)") * 4,
            f"{long}{i}n",
            "Op",
        )
        for i in range(40)
    )
    finding = dataclasses.replace(CONCAT, operands=many, attributes="axis 1")
    rows = [str(row) for row in operands(finding)]
    assert max(map(len, rows)) <= 100
    assert rows[-1].strip() == "... 34 more inputs"
    for number in (1, 4, 50):
        report = dataclasses.replace(UNET, findings=(finding,) * number)
        shown = list(lines(report))
        assert height(shown) <= MOST_LINES
        without = dataclasses.replace(UNET, findings=(dataclasses.replace(finding, operands=()),) * number)
        assert {str(row) for row in lines(without)} <= {str(row) for row in shown}  # nothing gives way to operands
