"""Explanations: which facts a failure or a proof rests on, and how sizes came to be."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Explanation
from shapesmt.reports.answers.finding import Finding

HEAD = '<ir_version: 8, opset_import: ["":18]> g '
TWICE = """(float[batch, 3, height, width] image, float[8, 3, 3, 3] k) => (joined) <float[4] s = {1, 1, 2, 2}> {
    [down] half = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (image, k)
    [up] whole = Resize <mode = "nearest"> (half, , s)
    [join] joined = Concat <axis = 1> (whole, image)
    [after] last = Relu (joined)
}"""


def model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(HEAD + text)


def explained(text: str, target: str | None = None, **options: object) -> Explanation:
    return shapesmt.explain(model(text), target, **options)  # type: ignore[arg-type]


def only(text: str, **options: object) -> Finding:
    (finding,) = shapesmt.check(model(text), **options).findings  # type: ignore[arg-type]
    return finding


def test_one_input_that_fails() -> None:
    found = explained(TWICE, shapes={"image": "1x3x65x64"})
    (finding,) = found.findings
    assert (found.verdict, finding.node) == (Verdict.FAILS, "join")
    assert {(f.kind, f.expr, f.node) for f in found.facts} == {
        ("requirement", "height % 2 == 0", "join"),
        ("range", "height == 65", None),
    }
    assert [(c.node, c.tensor, c.axis, c.expr, c.value, c.op_type, c.attributes, c.shape) for c in finding.because] == [
        ("", "image", 2, "height", 65, "", "", (1, 3, 65, 64)),
        ("down", "half", 2, "(height + 1)//2", 33, "Conv", "pads 1,1, stride 2", (1, 8, 33, 32)),
        ("up", "whole", 2, "2*((height + 1)//2)", 66, "Resize", "scales 1,1,2,2", (1, 8, 66, 64)),
    ]


def test_the_sides_say_where_they_stand_and_what_does_not_matter() -> None:
    finding = only(TWICE)
    assert finding.clash is not None
    left, right = finding.clash.left, finding.clash.right
    assert (left.tensor, left.axis, left.expr, left.value) == ("whole", 2, "2*((height + 1)//2)", 2)
    assert (right.tensor, right.axis, right.expr, right.value) == ("image", 2, "height", 1)
    assert finding.counterexample is not None
    assert finding.counterexample.relevant == ("height",)


@pytest.mark.parametrize(
    ("text", "relevant"),
    [
        ("(float[n, m] x) => (y) <int64[2] t = {-1, 7}> { y = Reshape (x, t) }", ("n", "m")),
        ("(float[n, 7] x, float[m, 7] y) => (z) { z = Add (x, y) }", ("n", "m")),
        ("(float[b, n] x) => (y) <int64[1] k = {3}> { y, i = TopK (x, k) }", ("n",)),
    ],
)
def test_symbols_that_matter(text: str, relevant: tuple[str, ...]) -> None:
    finding = only(text)
    assert finding.counterexample is not None
    assert (finding.counterexample.relevant or tuple(finding.counterexample.symbols)) == relevant


def test_a_size_with_two_values_left_does_not_matter_even_if_both_are_large() -> None:
    found = explained(
        "(float[n, m] x) => (y, z) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] k = {3},"
        " int64[1] end = {9223372036854775807}, int64[2] t = {4, 5}>"
        "{ s = Slice (x, zero, end, one, two) y = Reshape (s, t) z, i = TopK <axis = 0> (x, k) }"
    )
    example = found.findings[1].counterexample
    assert example is not None
    assert example.symbols == {"n": 1, "m": 39}  # or 40
    assert example.relevant == ("n",)


def test_what_runs_for_no_input_because_of_another_node_says_so() -> None:
    found = explained(TWICE, "after", shapes={"image": "1x3x65x64"})
    assert (found.verdict, [f.node for f in found.findings], found.proofs) == (Verdict.FAILS, ["join"], ())
