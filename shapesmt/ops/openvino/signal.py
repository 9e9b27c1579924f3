"""Fourier transforms: complex numbers are the pairs along a last axis of size 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.algebra import as_dim, maximum
from shapesmt.ops.openvino.bridge import known, unchecked
from shapesmt.ops.openvino.signatures import operator
from shapesmt.ops.shared.bridge import anything
from shapesmt.ops.shared.fields import counted
from shapesmt.ops.windows.signal import scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.algebra import Dim
    from shapesmt.rules import InferenceContext, Tensor

PAIRS = "the last axis holds real and imaginary part"


@operator("DFT", "IDFT", "RDFT", "IRDFT")
def transform(ctx: InferenceContext) -> Tensor:
    """Pairs to pairs; `RDFT` makes them of real numbers, of the last axis only half, and `IRDFT` undoes it."""
    x, op, axes = ctx.input(0), ctx.node.op, known(ctx, 1, "the axes")
    dims = list(x.dims if op == "RDFT" else x.dims[:-1])
    if op != "RDFT":
        ctx.require_equal(x[-1], 2, PAIRS)
    pairs = [] if op == "IRDFT" else [as_dim(2)]
    if axes is None:
        return ctx.tensor([*anything(ctx, ctx.tensor(dims)).dims, *pairs])
    places = ctx.normals(axes, len(dims))
    ctx.check(bool(places) or op != "RDFT", "there is an axis to transform along")
    for axis, length in zip(places, _lengths(ctx, op, dims, places), strict=True):
        dims[axis] = length
    if op == "RDFT":
        dims[places[-1]] = dims[places[-1]] // 2 + 1
    return ctx.tensor([*dims, *pairs])


def _lengths(ctx: InferenceContext, op: str, dims: Sequence[Dim], places: Sequence[int]) -> list[Dim]:
    """How long each transformed axis is: as the input says, -1 for as long as it is."""
    found = [dims[axis] for axis in places]
    if op == "IRDFT" and found:
        found[-1] = maximum(2 * (found[-1] - 1), 0)
    if not ctx.has(2):
        return found
    asked = counted(ctx, 2, len(places), "sizes")
    for i, size in enumerate(asked):
        if size is not None and (size.constant != -1 or op in ("RDFT", "IRDFT")):
            if size.constant is not None and size.constant < -1:
                unchecked(ctx, "the length is positive")
            else:
                ctx.require_at_least(size, 1, "the length is positive")
        found[i] = ctx.fresh(f"length{i}") if size is None else found[i] if size.constant == -1 else size
    return found


@operator("STFT")
def short_time_transform(ctx: InferenceContext) -> Tensor:
    """Signals `[..., length]` to `[..., frames, bins, 2]`, or bins before frames."""
    x, window, frame, step = ctx.input(0), ctx.input(1), scalar(ctx, 2, 1), scalar(ctx, 3, 1)
    ctx.require_at_least(step, 1, "the frame step is positive")
    ctx.require_at_least(frame, 1, "a frame isn't empty")
    ctx.require_at_least(frame, window[0], "the window is no longer than a frame")
    ctx.require_at_least(x[-1], frame, "a frame fits the signal")
    frames, bins = (x[-1] - frame) // step + 1, frame // 2 + 1
    order = (bins, frames) if ctx.integer("transpose_frames", 0) else (frames, bins)
    return ctx.tensor([*x.dims[:-1], *order, 2])


@operator("ISTFT")
def inverse_short_time_transform(ctx: InferenceContext) -> Tensor:
    """Frames `[..., bins, frames, 2]` to signals `[..., length]`."""
    x, window, frame, step = ctx.input(0), ctx.input(1), scalar(ctx, 2, 1), scalar(ctx, 3, 1)
    ctx.require_at_least(step, 1, "the frame step is positive")
    ctx.require_at_least(frame, 1, "a frame isn't empty")
    ctx.require_at_least(frame, window[0], "the window is no longer than a frame")
    ctx.require_equal(x[-1], 2, PAIRS)
    ctx.require_equal(x[-3], frame // 2 + 1, "there are as many bins as a frame has")
    around = frame // 2 * 2 if ctx.integer("center", 0) else as_dim(0)
    length = scalar(ctx, 4) if ctx.has(4) else (x[-2] - 1) * step + frame - around
    return ctx.tensor([*x.dims[:-3], length])
