"""Triton is told to batch requests only if samples are proved to stay apart along the first axis of each output."""

from __future__ import annotations

import pytest

import shapesmt

HEAD = '<ir_version: 8, opset_import: ["":18, "own":1]> g (float[n, 8, 4] x) => '
TARGET = "<int64[3] t = {4, -1, 8}> "


@pytest.mark.parametrize(
    ("rest", "unbatched"),
    [
        ("(float[a, b, c] z) { z = Relu (x) }", ()),
        ("(float[a, b, c] z) { z = Transpose <perm = [0, 2, 1]> (x) }", ()),
        ("(float[a, b, c] z) { z = Transpose <perm = [1, 0, 2]> (x) }", ("z",)),  # apart, along axis 1
        (f"(float[a, b, c] z) {TARGET} {{ z = Reshape (x, t) }}", ("z",)),
        ("(float[a, b, c] z, float[a] s) { z = Relu (x) s = ReduceMax <keepdims = 0> (x) }", ("s",)),
        ("(float[a, b, c] z, int64[3] s) { z = Relu (x) s = Shape (x) }", ("s",)),  # shared: it can't be split
    ],
)
def test_only_what_is_proved_is_batched(rest: str, unbatched: tuple[str, ...]) -> None:
    found = shapesmt.profile((HEAD + rest).encode(), "triton", dims={"n": "1..8"})
    assert found.unbatched == unbatched
    batched = 'max_batch_size: 8\ninput [\n  { name: "x" data_type: TYPE_FP32 dims: [ 8, 4 ] }'
    single = 'max_batch_size: 0\ninput [\n  { name: "x" data_type: TYPE_FP32 dims: [ -1, 8, 4 ] }'
    assert (single if unbatched else batched) in found.content
    assert [note for note in found.notes if "max_batch_size is 0 because of" in note] == [*found.notes]
    assert bool(found.notes) == bool(unbatched)
    assert found.to_dict().get("unbatched", []) == [*unbatched]


def test_other_formats_do_not_batch() -> None:
    model = f"{HEAD}(float[a, b, c] z) {TARGET} {{ z = Reshape (x, t) }}".encode()
    assert shapesmt.profile(model, "trtexec", dims={"n": "1..8"}).unbatched == ()
