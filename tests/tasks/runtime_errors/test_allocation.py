"""Messages that memory can't be had: the output that is so large, the inputs at which it is, and those that fit."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.reports.answers import Candidate, ErrorOrigin
from tests.tasks.runtime_errors.printed import HEAD, said

HEADING = "while running {} node. Name:'{}' Status Message: Failed to allocate memory for requested buffer of size {}"
OUTER = "(float[n, 1] x, float[1, m] y) => (z) { [a] t = MatMul (x, y)  [b] z = Relu (t) }"
ATTENTION = """(float[batch, seq, 4] x) => (z) {
    [t] y = Transpose <perm = [0, 2, 1]> (x)  [scores] s = MatMul (x, y)  [soft] z = Softmax (s)
}"""


def origin(text: str, error: str, **options: object) -> ErrorOrigin:
    answer = shapesmt.explain(onnx.parser.parse_model(HEAD + text), error=error, **options)  # type: ignore[arg-type]
    assert isinstance(answer, ErrorOrigin)
    return answer


def only(answer: ErrorOrigin) -> Candidate:
    (candidate,) = answer.candidates
    return candidate


def test_what_the_runtime_asks_for_is_rounded_up_to_256_bytes() -> None:
    model = onnx.parser.parse_model(HEAD + OUTER)
    sizes = {"n": 2**23 + 1, "m": 2**23 + 3}  # 256 TiB
    message = said(model, sizes)
    assert "Failed to allocate" in message
    answer = origin(OUTER, message, dims={"n": f"1..{2**24}", "m": f"1..{2**24}"})
    found = only(answer)
    assert (answer.grade, found.node) == ("exact", "a")
    assert found.allocated is not None
    assert eval(found.allocated.bytes, dict(sizes)) == 4 * sizes["n"] * sizes["m"]
    assert eval(found.region, dict(sizes))
    assert not eval(found.region, {"n": 2**23 + 1, "m": 2**23 + 3 + 64})
    assert not eval(found.region, {"n": 2**23, "m": 2**23 + 3})


def test_the_usual_size_and_the_largest_that_needs_less() -> None:
    found = only(origin(ATTENTION, HEADING.format("Softmax", "soft", 4 * 20000 * 20000)))
    assert found.counterexample is not None
    assert dict(found.counterexample.symbols) == {"batch": 1, "seq": 20000}
    assert found.allocated is not None
    assert (found.allocated.tensor, dict(found.allocated.largest)) == ("z", {"seq": 19999})


def test_only_an_output_of_the_named_node_counts() -> None:
    answer = origin(ATTENTION, HEADING.format("Transpose", "t", 4 * 20001 * 20001 + 1))
    assert (answer.possible, answer.candidates, [a.why for a in answer.against]) == (None, (), ["bytes"])
    assert "a buffer that the kernel needs" in str(answer)
    unnamed = origin(ATTENTION, HEADING.format("MatMul", "", 4 * 64), dims={"batch": 1, "seq": "1..99"})
    assert [c.node for c in unnamed.candidates] == ["scores"]


def test_a_node_of_another_model_is_impossible() -> None:
    answer = origin(ATTENTION, HEADING.format("Softmax", "other", 1600))
    assert (answer.possible, answer.grade) == (False, "impossible")


@pytest.mark.parametrize("size", [0, 10**30, -256])
def test_absurd_sizes(size: int) -> None:
    answer = origin(ATTENTION, HEADING.format("Softmax", "soft", size))
    assert answer.possible in (None, True)


def test_a_size_that_data_decide_is_not_told_exactly() -> None:
    text = "(float[n] x) => (z) { i = NonZero (x)  f = Cast <to = 1> (i)  [a] z = Relu (f) }"
    answer = origin(text, HEADING.format("Relu", "a", 1024))
    assert (answer.possible, answer.grade, [c.region for c in answer.candidates]) == (True, "partial", [""])
