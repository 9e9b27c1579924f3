"""Causes: sizes traced to inputs and constants, through axes and elements; ranks and types."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence

from shapesmt.reports.answers import Cause
from shapesmt.reports.render.text.findings import finding_lines
from tests.analysis.diagnose.test_explanation import explained, only


def test_sizes_from_several_inputs_are_all_traced() -> None:
    found = explained(
        """(float[1, past, 4] old, float[1, seq, 4] new) => (y) {
            [cache] all = Concat <axis = 1> (old, new)
            [twice] y = Concat <axis = 1> (all, all)
        }""",
        "y",
    )
    assert [(c.node, c.expr) for c in found.because] == [
        ("", "past"),
        ("", "seq"),
        ("cache", "seq + past"),
        ("twice", "2*seq + 2*past"),
    ]


def test_sizes_among_elements_are_traced() -> None:
    finding = only(
        """(float[n, 6] x) => (y) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] five = {5}> {
            [shape] s = Shape (x)
            [rows] r = Gather <axis = 0> (s, zero)
            [more] m = Add (r, one)
            [both] t = Concat <axis = 0> (m, five)
            [fold] y = Reshape (x, t)
        }"""
    )
    assert finding.node == "fold"
    assert ("more", None, 0, "n + 1") in [(c.node, c.axis, c.element, c.expr) for c in finding.because]


def test_an_element_is_shown_with_its_index() -> None:
    finding = only(
        """(float[4, 3] x, float[3, columns] w) => (y) <int64[1] one = {1}> {
            [shape] s = Shape (w)
            [grown] t = Add (s, one)
            [repeat] y = Expand (x, t)
        }""",
        dims={"columns": "3..9"},
    )
    text = "\n".join(map(str, finding_lines(finding)))
    assert finding.title == "x[1] is 3, element 1 of t is 4"
    assert "    x[1]           = 3\n    element 1 of t = columns + 1 = 4\n" in text
    assert "    element 1 of t = columns + 1 = 4  grown (Add)\n" in text
    assert finding.clash is not None
    assert finding.clash.right.to_dict() == {"expr": "columns + 1", "value": 4, "tensor": "t", "element": 1}
    assert [(c.tensor, c.axis, c.element) for c in finding.because] == [("w", 1, None), ("t", None, 1)]
    assert finding.because[1].to_dict()["element"] == 1


def test_settings_stand_with_each_cause() -> None:
    finding = only(
        """(float[1, 3, h, w] x) => (z) {
            [first] y = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (x)
            [second] z = MaxPool <kernel_shape = [9, 9]> (y)
        }""",
        dims={"h": "9..40", "w": "40..50"},
    )
    assert [c.attributes for c in finding.because] == ["", "kernel 3, stride 2"]
    sent = pickle.loads(pickle.dumps(finding))
    assert sent == copy.deepcopy(finding) == finding
    assert sent.because[1].to_dict()["attributes"] == "kernel 3, stride 2"


def rows(because: Sequence[Cause]) -> list[tuple[str, str, str]]:
    """The node, the tensor with its axis or element, and the size of each cause."""
    axis = {
        c: f"[{c.axis}]" if c.axis is not None else f"({c.element})" if c.element is not None else "" for c in because
    }
    return [(c.node, c.tensor + axis[c], c.expr) for c in because]


def test_a_number_is_traced_to_the_weight_that_has_it() -> None:
    finding = only(
        """(float[n, 1, 32] x) => (z)
        <float[2, 1, 1] w = {0, 0}, float[1, 3] v = {0, 0, 0}, int64[1] two = {2}> {
            [conv] c = Conv (x, w)
            [relu] r = Relu (c)
            [mean] m = ReduceMean <keepdims = 0> (r, two)
            [fc] z = Gemm <transB = 1> (m, v)
        }"""
    )
    assert rows(finding.because) == [("", "w[0]", "2"), ("conv", "c[1]", "2"), ("mean", "m[1]", "2")]
    assert [c.constant for c in finding.because] == [True, False, False]
    text = "\n".join(map(str, finding_lines(finding)))
    assert "    w[0] = 2  constant\n    c[1] = 2  conv\n    m[1] = 2  mean (ReduceMean, keepdims 0, axes 2)\n" in text


def test_a_number_that_a_node_computes_is_traced_on() -> None:
    finding = only(
        """(float[2, 3, 32, 32] x, float[2, 3, 16, 16] y) => (z) {
            [stem] c = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (x)
            [skip] z = Add (c, y)
        }"""
    )
    assert rows(finding.because) == [("", "x[2]", "32"), ("stem", "c[2]", "15")]


def test_a_size_that_changes_its_axis_has_the_node_that_moves_it() -> None:
    finding = only(
        """(float[n, m, 4] x, float[n, m, 4] y) => (z) {
            [turn] t = Transpose <perm = [1, 0, 2]> (x)
            [exp] e = Exp (t)
            [join] z = Add (e, y)
        }""",
        dims={"n": "2..9", "m": "2..9"},
    )
    assert rows(finding.because) == [("", "x[1]", "m"), ("", "y[0]", "n"), ("turn", "t[0]", "m")]


def test_the_nodes_that_pick_and_order_sizes_are_causes() -> None:
    finding = only(
        """(float[n, m] x, float[n, m, 1] y) => (z) <int64[1] zero = {0}, int64[1] one = {1}> {
            [shape] s = Shape (x)
            [rows] r = Gather (s, zero)
            [columns] c = Gather (s, one)
            [order] t = Concat <axis = 0> (c, r, one)
            [fold] f = Reshape (x, t)
            [join] z = Add (f, y)
        }""",
        dims={"n": "2..9", "m": "2..9"},
    )
    nodes = [c.node for c in finding.because]
    assert nodes == ["", "", "columns", "order"]
    assert rows(finding.because)[-1] == ("order", "t(0)", "m")


def test_a_product_of_two_computed_factors_is_a_cause() -> None:
    finding = only(
        """(float[n, 4, 6] q, float[n, 5, 6] k, float[n, 6, 7] v) => (z) {
            [turn] t = Transpose <perm = [0, 2, 1]> (k)
            [scores] s = MatMul (q, t)
            [sum] z = MatMul (s, v)
        }"""
    )
    assert rows(finding.because) == [("", "k[1]", "5"), ("turn", "t[2]", "5"), ("scores", "s[2]", "5")]


def test_a_rank_is_traced_to_the_nodes_that_make_it_and_might_change_it() -> None:
    finding = only(
        """(float[n, 4, 6] x, float[n, 6] y) => (z) <int64[1] one = {1}> {
            [mean] m = ReduceMean (x, one)
            [exp] e = Exp (m)
            [join] z = Concat <axis = 0> (e, y)
        }"""
    )
    assert rows(finding.because) == [("", "x", "[n, 4, 6]"), ("mean", "m", "[n, 1, 6]")]
    assert {c.about for c in finding.because} == {"rank"}
    assert "    m = [n, 1, 6]  mean (ReduceMean, axes 1)" in map(str, finding_lines(finding))


def test_a_type_is_traced_to_the_node_that_makes_it() -> None:
    finding = only(
        """(float[n] x, float[n] y) => (z) {
            [cast] c = Cast <to = 7> (x)
            [neg] m = Neg (c)
            [join] z = Add (m, y)
        }"""
    )
    assert [(c.node, c.tensor, c.expr, c.about) for c in finding.because] == [("cast", "c", "int64", "type")]


def test_a_constant_that_the_node_itself_reads_is_no_cause() -> None:
    finding = only("(float[n, 4] x) => (z) <float[3, 1] w = {0, 0, 0}> { [fc] z = MatMul (x, w) }")
    assert finding.because == ()


def test_a_tensor_that_is_computed_from_constants_alone_is_a_constant() -> None:
    finding = only(
        """(float[n, 1] x, float[n, 7] y) => (z) <float[6, 1] w = {0, 0, 0, 0, 0, 0}> {
            [shared] s = Identity (w)
            [turn] v = Transpose (s)
            [fc] p = MatMul (x, v)
            [join] z = Add (p, y)
        }"""
    )
    assert [c.constant for c in finding.because] == [True, False, False]
    assert rows(finding.because) == [("", "w[0]", "6"), ("turn", "v[1]", "6"), ("fc", "p[1]", "6")]
