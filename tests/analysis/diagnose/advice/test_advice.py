"""Advice: each kind of cause has its sentence, in the names of the model."""

from __future__ import annotations

import pytest

from tests.analysis.diagnose.test_explanation import only

REACHING = "this node runs for every input that reaches it"
CONSTANT = "interpolate or compute it for other sizes, or keep the input to sizes that give 9"
NEW_SHAPE = "is a constant: write 0 for a size to keep, -1 for one that varies, or compute it (Shape)"
ADDED = """(float[1, n, 4] x) => (y) <int64[3] s = {1, 9, 4}> {
    [pos] pos = ConstantOfShape (s)
    [add] y = Add (x, pos)
}"""

CASES = {
    "another axis": (
        "(float[n, 4] x, float[n, 3] z) => (y) { [join] y = Concat <axis = 0> (x, z) }",
        {},
        f"with axis 1 instead of 0, {REACHING}",
    ),
    "a flag": (
        """(float[n, 8] x) => (y) <int64[2] s = {3, 8}> {
            w = ConstantOfShape (s)
            [fc] y = Gemm <transB = 0> (x, w)
        }""",
        {},
        f"with transB 1 instead of 0, {REACHING}",
    ),
    "exchanged operands": (
        """(float[n, 8] x) => (y) <int64[2] s = {8, 3}> {
            w = ConstantOfShape (s)
            [fc] y = MatMul (w, x)
        }""",
        {"n": "4.."},
        f"with inputs 0 and 1 exchanged, {REACHING}",
    ),
    "a transposed operand": (
        "(float[2, n, 8] x, float[2, n, 8] z) => (y) { [score] y = MatMul (x, z) }",
        {"n": "9.."},
        f"with the last two axes of x [2, n, 8] exchanged (Transpose), {REACHING}",
    ),
    "two numbers": (
        """(float[n, 6] x) => (y) <int64[2] s = {8, 3}> {
            [w] w = ConstantOfShape (s)
            [a] h = Relu (x)
            [fc] y = MatMul (h, w)
        }""",
        {},
        "both sizes are the same for every input: compare a and w",
    ),
    "a table that is added": (ADDED, {}, f"pos has 9 there whatever the input: {CONSTANT}"),
    "a table that is read": (
        """(float[1, n, 4] x) => (y) <int64[2] sizes = {9, 4}, int64 zero = {0}, int64 one = {1}> {
            table = ConstantOfShape (sizes)
            s = Shape <start = 1, end = 2> (x)
            m = Squeeze (s)
            i = Range (zero, m, one)
            [rows] y = Gather (table, i)
        }""",
        {},
        "table has 9 rows: make it longer, or keep the input to sizes for which it has rows",
    ),
    "a constant shape": (
        "(float[n, 4] x) => (y) <int64[2] to = {2, 8}> { [fold] y = Reshape (x, to) }",
        {},
        f"the new shape 2,8 {NEW_SHAPE}",
    ),
    "a constant shape with -1": (
        "(float[n, 4] x) => (y) <int64[2] to = {-1, 3}> { [fold] y = Reshape (x, to) }",
        {},
        f"the new shape -1,3 {NEW_SHAPE}",
    ),
    "a number that a node makes": (
        """(float[n, 4] x, float[n, 4] z) => (y) <int64[2] to = {-1, 2}> {
            r = Reshape (x, to)
            [turn] t = Transpose <perm = [1, 0]> (r)
            [add] y = Add (t, z)
        }""",
        {"n": "3.."},
        "turn makes 2 there whatever the input: look for a shape written in numbers or another axis",
    ),
    "rounding": (
        """(float[1, 2, h] x) => (y) <float[3] s = {1, 1, 2}> {
            [half] p = MaxPool <kernel_shape = [2], strides = [2]> (x)
            d = Resize (p, , s)
            [skip] y = Concat <axis = 1> (x, d)
        }""",
        {"h": "2.."},
        "both differ by rounding (at half): pad h to a multiple of 2, crop the larger one, or resize to the other's "
        "size",
    ),
    "an offset": (
        """(float[1, 2, h] x) => (y) {
            [valid] c = MaxPool <kernel_shape = [3]> (x)
            [add] y = Add (x, c)
        }""",
        {"h": "4.."},
        "both differ by 2 for every input: compare the kernels, pads and slice ends before x and valid",
    ),
    "a slice that clamps": (
        """(float[n, 3] x) => (y) <int64[1] zero = {0}, int64[1] ten = {10}> {
            [cut] c = Slice (x, zero, ten)
            [add] y = Add (x, c)
        }""",
        {"n": "2.."},
        "cut makes at most 10, however large the input is: raise that limit, or cut the other one too",
    ),
    "a stride": (
        """(float[1, 2, h] x) => (y) <int64[3] s = {2, 2, 1}> {
            w = ConstantOfShape (s)
            [strided] c = Conv <strides = [3]> (x, w)
            [add] y = Add (x, c)
        }""",
        {"h": "10.."},
        "for large inputs both are as 3 to 1 (x to strided): look for another stride, scale or kernel before one of "
        "them",
    ),
    "two axes of an input": (
        """(float[n, m] x) => (y) <int64[1] first = {0}, int64[1] last = {1}> {
            [rows] r = ReduceSum <keepdims = 0> (x, last)
            [columns] c = ReduceSum <keepdims = 0> (x, first)
            [add] y = Add (r, c)
        }""",
        {"n": "2..", "m": "2.."},
        "n and m are of different axes of x: look for a node before this one that takes another axis than meant",
    ),
    "sizes of two inputs": (
        "(float[n] x, float[m] z) => (y) { [add] y = Add (x, z) }",
        {"n": "2..", "m": "2.."},
        'if callers always give such sizes, say so (--assume "m == n"); else a node before isn\'t as meant',
    ),
    "an index that an input limits": (
        """(float[1, n, 4] x, float[m, 4] z) => (y) <int64 zero = {0}, int64 one = {1}> {
            s = Shape <start = 1, end = 2> (x)
            k = Squeeze (s)
            i = Range (zero, k, one)
            [rows] y = Gather (z, i)
        }""",
        {},
        'if callers always give such sizes, say so (--assume "m >= n"); else a node before isn\'t as meant',
    ),
    "a new shape that rounds": (
        """(float[n, 4] x) => (y) <int64[1] two = {2}, int64[1] rest = {-1}> {
            s = Shape <start = 0, end = 1> (x)
            h = Div (s, two)
            to = Concat <axis = 0> (h, rest)
            [fold] y = Reshape (x, to)
        }""",
        {"n": "3.."},
        "both differ by rounding (at Div_1): pad the input to a multiple, crop the larger one, or resize to the "
        "other's size",
    ),
    "a count that data decide": (
        """(float[n] x, float[5] z) => (y) {
            [found] i = NonZero (x)
            r = Squeeze (i)
            f = Cast <to = 1> (r)
            [add] y = Add (f, z)
        }""",
        {"n": "8.."},
        "the data decide how many results found has: take the smaller size (Min), pad to a fixed one, or see to it "
        "where the data come from",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_help_names_the_cause(case: str) -> None:
    graph, dims, told = CASES[case]
    assert only(graph, dims=dims).help == told


def test_a_size_that_was_given_is_no_number_of_the_model() -> None:
    assert only(ADDED, dims={"n": 7}).help.startswith("pos has 9 there whatever the input: interpolate")


def test_windows_and_types_keep_the_help_of_their_law() -> None:
    window = only("(float[1, 2, h] x) => (y) { [pool] y = MaxPool <kernel_shape = [3]> (x) }")
    types = only("(float[n] x, int64[n] z) => (y) { [add] y = Add (x, z) }")
    assert (window.help, types.help) == ("", "")


def test_inputs_of_unknown_rank_have_no_axes() -> None:
    graph = "(float[n] x, float[m] z, float[] u) => (y, v) { [add] y = Add (x, z)\n v = Relu (u) }"
    assert "--assume" in only(graph, dims={"n": "2..", "m": "2.."}).help


def test_no_change_is_said_to_run_that_rests_on_data() -> None:
    graph = "(float[n, 4] x, int64[n, 5] i) => (y) { [pick] y = GatherElements <axis = 0> (x, i) }"
    assert "this node runs" not in only(graph).help


def test_sizes_without_a_quotient_do_not_differ_by_rounding() -> None:
    graph = """(float[n, m] x) => (y) <int64[1] flat = {-1}, int64[4] pads = {0, 0, 0, 1}> {
        a = Reshape (x, flat)
        p = Pad (x, pads)
        b = Reshape (p, flat)
        [add] y = Add (a, b)
    }"""
    assert "look for a node before this one" in only(graph, dims={"n": "2..", "m": "2.."}).help
