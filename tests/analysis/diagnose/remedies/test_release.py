"""Releases: without the numbers for which a model fails it runs where the release says, and at the sizes it names."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report

HEAD = '<ir_version: 8, opset_import: ["":18]> g '
HALVED = """(float[1, 1, h, w] x) => (y) <float[4] s = {1, 1, 4, 4}> {
    a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
    b = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (a)
    c = Resize <mode = "nearest"> (b, , s)
    y = Concat <axis = 1> (c, x)
}"""
SUMS = """(float[n, 1] x, float[past, 1] a, float[seq, 1] b) => (y) {
    c = Concat <axis = 0> (a, b)
    y = Concat <axis = 1> (x, c)
}"""


def checked(text: str, **dims: object) -> Report:
    return shapesmt.check(onnx.parser.parse_model(HEAD + text), dims=dims)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "dims", "said", "region", "nearest"),
    [
        (HALVED, {"h": 30}, {"h": 30}, ("h % 4 == 0", "w % 4 == 0"), [{"h": 28, "w": 4}, {"h": 32, "w": 4}]),
        (HALVED, {"h": 30, "w": 8}, {"h": 30}, ("h % 4 == 0",), [{"h": 28}, {"h": 32}]),
        (HALVED, {"h": 30, "w": 9}, {"h": 30, "w": 9}, ("h % 4 == 0", "w % 4 == 0"), [{"h": 28, "w": 8}]),
        (HALVED, {"h": 3, "w": "8..64:8"}, {"h": 3}, ("h % 4 == 0",), [{"h": 4}]),
        (SUMS, {"n": 10, "past": 4, "seq": 7}, {"n": 10}, ("n == 11",), [{"n": 11}]),
    ],
)
def test_what_runs_without_the_numbers(
    text: str, dims: dict[str, object], said: dict[str, int], region: tuple[str, ...], nearest: list[dict[str, int]]
) -> None:
    report = checked(text, **dims)
    assert report.verdict is Verdict.FAILS
    assert report.release is not None
    assert report.release.dims == said
    assert report.release.precondition.text == region
    assert [*report.release.nearest] == nearest
    for at in nearest:
        assert checked(text, **{**dims, **at}).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("text", "dims"),
    [
        ("(float[n, 4] x, float[5, 6] w) => (y) { y = MatMul (x, w) }", {"n": 3}),  # fails whatever n is
        (HALVED, {"h": "30..31"}),  # a range, not a number
        (HALVED, {"h": 32, "w": 32}),
    ],
)
def test_there_is_none_where_the_numbers_are_not_the_reason(text: str, dims: dict[str, object]) -> None:
    assert checked(text, **dims).release is None


def test_it_is_one_line_of_the_text_and_part_of_the_json() -> None:
    report = checked(HALVED, h=30, w=8)
    line = "without --dim h=30 it runs exactly when h % 4 == 0; nearest: h=28 or h=32"
    assert line in report.text().splitlines()
    assert report.to_dict()["release"] == {
        "dims": {"h": 30},
        "precondition": {"text": ["h % 4 == 0"], "exact": True},
        "nearest": [{"h": 28}, {"h": 32}],
    }


def test_a_name_that_is_a_formula_has_no_nearest_size() -> None:
    report = checked("(float[n, m] x, float[k, m] y) => (z) { z = MatMul (x, y) }", n=1, m=3, k=4)
    assert report.release is not None
    model = onnx.parser.parse_model(HEAD + "(float[n, 2] x, float[n, m] y) => (z) { z = MatMul (x, y) }")
    model.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "n+1"
    assert shapesmt.check(model, dims={"n": 1, "n+1": 5}).verdict is Verdict.FAILS


def test_numbers_computed_at_every_position_need_not_be_tried_at_sizes_without_end():
    """The condition is about the greatest of n * m floats, which no one computes for all sizes."""
    text = """(float[n, m] x) => (y) <float[8] w = {0, 1, 2, 3, 4, 5, 6, 7}> {
        c0 = Constant <value_int = 0> ()  c1 = Constant <value_int = 1> ()  half = Constant <value_float = 0.7> ()
        a = Constant <value_ints = [0]> ()  b = Constant <value_ints = [1]> ()
        s = Shape (x)  n = Gather (s, c0)  m = Gather (s, c1)  f = Cast <to = 1> (n)  g = Cast <to = 1> (m)
        i = Range (c0, n, c1)  j = Range (c0, m, c1)  p = Cast <to = 1> (i)  q = Cast <to = 1> (j)
        u = Unsqueeze (p, b)  v = Unsqueeze (q, a)  r = Div (f, g)  t = Mul (v, r)  d = Add (u, t)  e = Add (d, half)
        k = Cast <to = 7> (e)  y = Gather (w, k)
    }"""
    assert checked(text, n=4, m=4).verdict is Verdict.PROVED
    report = checked(text, n=9, m=9)
    assert report.verdict is Verdict.FAILS
    assert str(report)
