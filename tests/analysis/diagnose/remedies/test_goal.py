"""Goals: remedies leave out the inputs that warnings are about, if there are others."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Report

HEAD = '<ir_version: 8, opset_import: ["":18]> g '
TABLE = """(float[1, 4, n] x) => (y) <int64[3] s = {1, 4, 100}, float zero = {0}> {
    p = MaxPool <kernel_shape = [3], pads = [1, 1], strides = [2]> (x) t = Expand (zero, s) y = Add (p, t) }"""
MASK = """(float[seq, 1] q, float[past, 1] p, float[total] m) => (y) {
    k = Concat <axis = 0> (p, q) t = Transpose (k) y = Add (t, m) }"""
CAPPED = """(float[n] x) => (y) <int64[1] zero = {0}, int64[1] last = {8}, float[8] t = {1, 2, 3, 4, 5, 6, 7, 8}> {
    s = Shape (x) e = Min (s, last) r = Slice (t, zero, e) y = Add (x, r) }"""
EITHER = """(float[n, 4] x, float[m, 4] y, bool[1] c) => (z) {
    z = If (c) <then_branch = t () => (p) { p = Add (x, y) }, else_branch = e () => (q) { q = Sub (x, y) }> }"""
POOLED = """(float[1, 1, n] x) => (y) {
    p = MaxPool <kernel_shape = [4], strides = [4], ceil_mode = 1> (x) y = Add (x, p) }"""
EXPANDED = "(float[b, 1, s] m) => (y) <int64[3] t = {2, 8, 40}> { y = Expand (m, t) }"
MASKS = """(float[s] x, float[p] a, float[q] c) => (y) { t = Mul (x, a) y = Mul (t, c) }"""
TWO_TABLES = "(float[n] x, float[3] a, float[5] b) => (y, z) { y = Add (x, a) z = Mul (x, b) }"


def checked(text: str, **options: object) -> Report:
    return shapesmt.check(onnx.parser.parse_model(HEAD + text), **options)  # type: ignore[arg-type]  # any option


@pytest.mark.parametrize(
    ("text", "options", "remedy", "besides"),
    [
        (TABLE, {}, ({"n": "199..200"}, ()), "n <= 2"),
        (TABLE, {"dims": {"n": "1..1000"}}, ({"n": "199..200"}, ()), "n <= 2"),
        (MASK, {}, ({}, ("total == seq + past",)), "total == 1"),
        (MASK, {"dims": {"seq": "1..8", "past": "0..8"}}, ({}, ("total == seq + past",)), "total == 1"),
        (CAPPED, {}, ({"n": "1..8"}, ()), None),
        (EITHER, {}, ({}, ("m == n",)), "m == 1 or n == 1"),
        (POOLED, {"dims": {"n": "1..99"}}, ({"n": "1"}, ()), "2 <= n <= 4"),
        (POOLED, {"dims": {"n": "2..99"}}, ({"n": "2..4"}, ()), None),  # every input that runs is broadcast
        (EXPANDED, {}, ({"b": "2", "s": "40"}, ()), None),  # the numbers are those of the example
        (MASKS, {}, ({}, ("p == s", "q == s")), None),
        (TWO_TABLES, {}, ({"n": "1"}, ()), None),
    ],
)
def test_nothing_is_broadcast_that_was_to_be_equal(
    text: str, options: dict[str, dict[str, str]], remedy: tuple[dict[str, str], tuple[str, ...]], besides: str | None
) -> None:
    found = checked(text, **options).remedy
    assert found is not None
    assert (found.dims, found.assume) == remedy
    assert besides is None or f"also runs, broadcast: {besides}" in found.note
    assert besides is not None or "broadcast" not in found.note
    cured = checked(text, dims={**options.get("dims", {}), **found.dims}, assume=found.assume)
    assert cured.verdict is Verdict.PROVED
    assert "SM901" not in {w.code for w in cured.warnings}


def test_equal_conditions_of_models_that_broadcast_elsewhere_have_remedies_of_their_own() -> None:
    plain = "(float[n] x, float[m] y) => (z, w) <int64[2] s = {-1, 2}> { w = Reshape (x, s) z = Identity (y) }"
    joined = plain.replace("z = Identity (y)", "u = Max (x, y) z = Neg (u)")
    assert checked(plain, dims={"m": "1"}).remedy == checked(joined, dims={"m": "1"}).remedy
    first, second = (checked(text, dims={"m": "1..9"}).remedy for text in (plain, joined))
    assert first is not None
    assert second is not None
    assert first.assume == ()
    assert second.assume == ("m == n",)
