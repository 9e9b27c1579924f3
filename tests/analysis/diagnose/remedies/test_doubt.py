"""Doubt: remedies that work around an error of the model are marked, those that correct ranges aren't."""

from __future__ import annotations

import onnx
import pytest

import shapesmt

LIKELY = "the model is more likely wrong than the ranges"
FLATTENED = "(float[b, n, 4] x, float[8, 2] w) => (z) <int64[2] t = {0, -1}> { y = Reshape (x, t) z = MatMul (y, w) }"
TURNED = "(float[b, n, 4] x) => (z) { y = Transpose <perm = [1, 0, 2]> (x) z = Sub (x, y) }"
TABLE = (
    "(float[1, n, 4] x, float[512, 4] t, int64[n] i) => (z) { l = Shape <start = 1, end = 2> (x) o = Squeeze (l)"
    + (" a = Constant <value_int = 0> () c = Constant <value_int = 1> () r = Range (a, o, c) z = Gather (t, r) }")
)


SPREAD = """(float[b, n, 4] x) => (y) <int64[2] size = {12, 4}, int64[2] rest = {-1, 4}> {
    c = ConstantOfShape (size) l = Shape <end = 1> (x) t = Concat <axis = 0> (l, rest) a = Reshape (c, t)
    y = Sub (x, a) }"""
ROLLED = """(float[n] x, float[12, 4] t) => (z) <int64 zero = {0}, int64 one = {1}, int64 three = {3}> {
    s = Shape (x) n = Squeeze (s) r = Range (zero, n, one) d = Sub (r, three) m = Mod (d, n) z = Gather (t, m) }"""


@pytest.mark.parametrize(
    ("text", "dims", "doubt"),
    [
        (FLATTENED, {"b": "1..8", "n": "1..64"}, f"1 of 64 sizes runs: {LIKELY}"),
        (FLATTENED, {"n": "2"}, None),
        (FLATTENED, {}, f"this leaves one value of n: {LIKELY}"),
        (FLATTENED, {"n": "1..3"}, f"1 of 3 sizes runs: {LIKELY}"),
        (TURNED, {"b": "2..8", "n": "2..8"}, f"7 of 49 sizes run: {LIKELY}"),
        (TURNED, {"b": "2..", "n": "2.."}, f"sizes of one input have to satisfy b == n: {LIKELY}"),
        ("(float[b] x, float[n] y) => (z) { z = Sub (x, y) }", {"b": "2..99", "n": "2..99"}, ""),
        (SPREAD, {"b": "1..4", "n": "12"}, f"this leaves one value of b: {LIKELY}"),  # 4 run, 3 with a part of c
        (TABLE, {"n": "1..4096"}, f"512 of 4,096 sizes run: {LIKELY}"),
        (TABLE, {"n": "1..2048"}, ""),
        (TABLE, {}, ""),
        (ROLLED, {}, ""),  # it isn't known for which sizes it runs, so that the remedy is one of them
        ("(float[n, 4] x) => (y) <int64[2] t = {-1, 128}> { y = Reshape (x, t) }", {"n": "1..1024"}, ""),
    ],
)
def test_doubt(text: str, dims: dict[str, str], doubt: str | None) -> None:
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["":18]> g ' + text)
    report = shapesmt.check(model, dims=dims)
    assert (report.remedy.doubt if report.remedy else None) == doubt
    assert (f"\n{LIKELY}" in str(report).replace(": the model", ":\nthe model")) == bool(doubt)
    if report.remedy and not doubt and dims and report.remedy.dims:
        assert report.remedy.note.endswith("change the model if all sizes are meant to run")


def test_one_value_is_left_and_others_are_said_to_run_only_by_broadcasting() -> None:
    text = '<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[3] a) => (y) { y = Add (x, a) }'
    remedy = shapesmt.check(onnx.parser.parse_model(text)).remedy
    assert remedy is not None
    assert (remedy.dims, remedy.note) == ({"n": "3"}, "also runs, broadcast: n == 1")
    assert remedy.doubt == f"this leaves one value of n: {LIKELY}"
