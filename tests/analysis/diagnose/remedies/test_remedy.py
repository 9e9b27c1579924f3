"""Remedies: the ranges and relations under which a model is proved, and that they do."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Remedy, Report

HEAD = '<ir_version: 8, opset_import: ["":18]> g '
EXAMPLES = Path(__file__).parents[4] / "examples"


def checked(text: str, **options: object) -> Report:
    return shapesmt.check(onnx.parser.parse_model(HEAD + text), **options)  # type: ignore[arg-type]


EITHER_1 = "also runs, broadcast: m == 1 or n == 1"
CHANGE = "change the model if all sizes are meant to run"
POOLS = " ".join(
    f"{y} = MaxPool <kernel_shape = [3, 3], pads = [1, 0, 0, 1], strides = [2, 2]> ({x})"
    for x, y in zip("xabc", "abcd", strict=True)
)
ENLARGED = "<float[4] s = {1, 1, 8, 8}>"


@pytest.mark.parametrize(
    ("text", "options", "remedy"),
    [
        ("(float[n] x, float[m] y) => (z) { z = Add (x, y) }", {}, Remedy({}, ("m == n",), note=EITHER_1)),
        (
            "(float[n, 4] x) => (y) <int64[2] t = {-1, 6}> { y = Reshape (x, t) }",
            {"dims": {"n": "1..100"}},
            Remedy({"n": "3..99:3"}, note=CHANGE),
        ),
        (
            "(float[n, 4] x) => (y) <int64[2] t = {-1, 6}> { y = Reshape (x, t) }",
            {"dims": {"n": "4..100:4"}},
            Remedy({"n": "12..96:12"}, note=CHANGE),
        ),
        (
            "(float[n, 4] x) => (y) <int64[2] t = {-1, 6}> { y = Reshape (x, t) }",
            {"shapes": {"x": "[1..9, 4]"}},
            Remedy({}, ("n % 3 == 0",)),
        ),
        (  # of so many remainders none is tried
            "(float[1, m] x) => (y) <int64[2] t = {-1, 4294967296}> { y = Reshape (x, t) }",
            {"dims": {"m": "7..:9"}},
            Remedy({"m": "17179869184..:38654705664"}, note=CHANGE),
        ),
        (
            "(float[n, m] x) => (y) <int64[2] t = {-1, 7}> { y = Reshape (x, t) }",
            {},
            Remedy({"m": "7..:7"}, note="other sizes run too"),
        ),
        (  # h of 1 to 31 gives one row, w of 672 to 687 gives 42
            f"(float[1, 1, h, w] x, float[42, 2] v) => (z) {{ {POOLS} y = Flatten (d) z = MatMul (y, v) }}",
            {},
            Remedy({"h": "1..31", "w": "672..687"}, note="other sizes run too"),
        ),
        (
            f"(float[1, 1, h, w] x) => (y) {ENLARGED} {{ {POOLS} u = Resize (d, , s) y = Add (u, a) }}",
            {"dims": {"h": "20..100", "w": "16.."}},
            Remedy({"h": "32..96:16", "w": "16..:16"}, note=f"up to 1 more also works; {CHANGE}"),
        ),
        (
            "(float[1, 1, h, w] x, float[1, 1, p, p] t) => (y) { y = Conv <strides = [8, 8]> (x, t) }",
            {"dims": {"h": "64", "p": "7.."}},
            Remedy({"p": "7..64"}, ("w >= p",), note=CHANGE),
        ),
        ("(float[n, 4] x, float[5, 6] w) => (y) { y = MatMul (x, w) }", {}, None),
        ("(float[n, 4] x, float[4, 6] w) => (y) { y = MatMul (x, w) }", {}, None),
    ],
)
def test_remedies(text: str, options: dict[str, object], remedy: Remedy | None) -> None:
    report = checked(text, **options)
    assert report.remedy == remedy
    if remedy is not None:
        given = dict(options.get("dims", {}))  # type: ignore[call-overload]
        cured = checked(text, **{**options, "dims": {**given, **remedy.dims}, "assume": list(remedy.assume)})
        assert cured.verdict is Verdict.PROVED
        assert not {w.code for w in cured.warnings} & {"SM901", "SM910"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.onnx")), ids=lambda p: p.stem)
def test_the_examples_are_proved_with_theirs(path: Path) -> None:
    report = shapesmt.check(path)
    assert (report.remedy is not None) == (report.verdict is Verdict.DEPENDS)
    if report.remedy is not None:
        cured = shapesmt.check(path, dims=report.remedy.dims, assume=report.remedy.assume)
        assert cured.verdict is Verdict.PROVED
        assert not {w.code for w in cured.warnings} & {"SM901", "SM910"}


def test_a_model_with_a_node_that_nothing_is_known_of_has_none() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["":18, "my.own":1]> g (float[n] x, float[m] z) => (y) '
        "{ a = Add (x, z) y = my.own.Odd (a) }"
    )
    report = shapesmt.check(model)
    assert report.verdict is Verdict.DEPENDS
    assert report.remedy is None


def test_numbers_beyond_any_size_are_read_back() -> None:
    least = "(float[n] x, float[m] z) => (y) <int64 o = {0}, int64 i = {1}, int64[1] c = {0}> { s = Shape (x)"
    least += " k = Gather (s, o) r = Range (o, k, i) m = ReduceMax <keepdims = 0> (r) t = Max (m, i)"
    least += " v = Unsqueeze (t, c) f = ConstantOfShape (v) y = Add (x, f) }"  # of nothing, it is the least int64
    report = checked(least, dims={"n": "0..5"})
    assert report.remedy is not None
    again = checked(least, dims={"n": "0..5", **report.remedy.dims}, assume=report.remedy.assume)
    assert again.verdict is Verdict.PROVED


def test_no_size_is_as_large_as_a_remedy_would_ask() -> None:
    beyond = "(float[n] x) => (y) <int64[1] c = {4611686018427387904}>"
    report = checked(beyond + " { s = Shape (x) a = Sub (s, c) b = Sub (a, c) y = ConstantOfShape (b) }")
    assert (report.verdict, report.remedy) == (Verdict.DEPENDS, None)
