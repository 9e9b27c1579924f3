"""Fourier transforms; complex numbers are pairs along a last axis of size 2."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.bridge import anything, constants_of
from shapesmt.operators.ops.shared.require import open_unless
from shapesmt.operators.ops.windows.signal import single
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import Dim, as_dim, equal, maximum

LAST_AXIS_REAL_AND_IMAGINARY = laws.SM207.law("the last axis holds real and imaginary part")
AXIS_TO_TRANSFORM = laws.SM302.law("there is an axis to transform along")
LENGTH_AT_MOST_AXIS = laws.SM301.law("the length is at most the axis's")


@operator("DFT", "IDFT", "RDFT", "IRDFT")
def transform(ctx: RuleContext) -> Tensor:
    """Transform complex numbers; `RDFT` reads real ones and keeps `n // 2 + 1` of the last axis, `IRDFT` inverts it."""
    x, op, axes = ctx.input(0), ctx.node.op, constants_of(ctx, 1, "the axes")
    dims = list(x.dims if op == "RDFT" else x.dims[:-1])
    if op != "RDFT":
        ctx.require_equal(x[-1], 2, LAST_AXIS_REAL_AND_IMAGINARY)
    pairs = [] if op == "IRDFT" else [as_dim(2)]
    if axes is None:
        return ctx.tensor([*anything(ctx, ctx.tensor(dims)).dims, *pairs])
    places = ctx.normals(axes, len(dims))
    ctx.check(bool(places) or op != "RDFT", AXIS_TO_TRANSFORM)
    for axis, length in zip(places, _lengths(ctx, op, dims, places), strict=True):
        if op == "RDFT":
            ctx.require_at_least(dims[axis], length, LENGTH_AT_MOST_AXIS)
        dims[axis] = length
    halved = places[-1:] if op == "RDFT" else ()
    return ctx.tensor([*(d // 2 + 1 if i in halved else d for i, d in enumerate(dims)), *pairs])


def _lengths(ctx: RuleContext, op: str, dims: Sequence[Dim], places: Sequence[int]) -> list[Dim]:
    """Return the length of each transformed axis: the entry in the input of lengths, or the axis' size if that is -1.

    `places` are the axes of a tensor of shape `dims`. For IRDFT, the last one has `2 * (size - 1)` instead of its size.
    """
    lengths = [dims[axis] for axis in places]
    if op == "IRDFT" and lengths:
        lengths[-1] = maximum(2 * (lengths[-1] - 1), 0)
    if not ctx.has(2):
        if op == "IRDFT" and lengths:
            ctx.require_at_least(lengths[-1], 1, laws.LENGTH_POSITIVE)
        return lengths
    for i, size in enumerate(ctx.sizes(2, len(places))):
        if size is not None and (size.constant != -1 or op in ("RDFT", "IRDFT")):
            if size.constant is not None and size.constant < -1:
                open_unless(ctx, laws.LENGTH_POSITIVE)
            else:
                ctx.require_at_least(size, 1, laws.LENGTH_POSITIVE)
        lengths[i] = ctx.fresh(f"length{i}") if size is None else lengths[i] if size.constant == -1 else size
    return lengths


@operator("STFT")
def short_time_transform(ctx: RuleContext) -> Tensor:
    """Transform signals `[..., length]` to `[..., frames, bins, 2]`, or bins before frames."""
    x, window, frame, step = ctx.input(0), ctx.input(1), single(ctx, 2, 1), single(ctx, 3, 1)
    ctx.require_at_least(step, 1, laws.FRAME_STEP_POSITIVE)
    ctx.require_at_least(frame, 1, laws.FRAME_NOT_EMPTY)
    ctx.require_at_least(frame, window[0], laws.WINDOW_NO_LONGER_THAN_FRAME)
    ctx.require_at_least(x[-1], frame, laws.FRAME_FITS_SIGNAL)
    frames, bins = (x[-1] - frame) // step + 1, frame // 2 + 1
    order = (bins, frames) if ctx.integer("transpose_frames", 0) else (frames, bins)
    return ctx.tensor([*x.dims[:-1], *order, 2])


@operator("ISTFT")
def inverse_short_time_transform(ctx: RuleContext) -> Tensor:
    """Transform frames `[..., bins, frames, 2]` to signals `[..., length]`."""
    x, window, frame, step = ctx.input(0), ctx.input(1), single(ctx, 2, 1), single(ctx, 3, 1)
    ctx.require_at_least(step, 1, laws.FRAME_STEP_POSITIVE)
    ctx.require_at_least(frame, 1, laws.FRAME_NOT_EMPTY)
    ctx.require_at_least(frame, window[0], laws.WINDOW_NO_LONGER_THAN_FRAME)
    ctx.require_at_least(x[-1], 2, LAST_AXIS_REAL_AND_IMAGINARY)
    open_unless(ctx, LAST_AXIS_REAL_AND_IMAGINARY, equal(x[-1], 2))
    ctx.require_equal(x[-3], frame // 2 + 1, laws.BINS_AS_MANY_AS_FRAME_HAS)
    around = frame // 2 * 2 if ctx.integer("center", 0) else as_dim(0)
    length = single(ctx, 4) if ctx.has(4) else (x[-2] - 1) * step + frame - around
    return ctx.tensor([*x.dims[:-3], length])
