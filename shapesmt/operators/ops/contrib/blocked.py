"""Convolution and pooling over channels in blocks, as ONNX Runtime's optimizer lays them out for one machine."""

from __future__ import annotations

from math import inf

from shapesmt.network import laws
from shapesmt.operators.ops.windows.spatial import global_pool
from shapesmt.operators.rules import RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import Dim, Kind, all_of, any_of, at_least, ceil_divide, divides, less, tight

DOMAIN = "com.microsoft.nchwc"
BLOCK, LARGE_BLOCK = 8, 16  # channels per block, depending on the machine

CHANNELS_IN_WHOLE_BLOCKS = laws.SM106.law("channels come in whole blocks")


def blocked(ctx: RuleContext) -> Tensor:
    """Return the input `[n, channels, height, width]`; require that its channels fill whole blocks."""
    x = ctx.input(0, rank=4)
    if not _is_padded(x[1]):
        ctx.require(divides(BLOCK, x[1]), CHANNELS_IN_WHOLE_BLOCKS, x[1], BLOCK)
    return x


def _is_padded(channels: Dim) -> bool:
    """Whether the number of channels depends on the machine for which the file was written."""
    return any(s.kind is Kind.LOST for s in channels.symbols)


CHANNELS_IN_FOURS = laws.SM106.law("channels come in fours")


@rule("ReorderInput", domain=DOMAIN)
def reorder_input(ctx: RuleContext) -> Tensor:
    """Reorder `[n, c, h, w]`, or `[n, h, w, c]` with `channels_last`, to `[n, c rounded up to whole blocks, h, w]`."""
    n, c, *sizes = ctx.input(0, rank=4).dims
    if ctx.flag("channels_last"):
        c, sizes = sizes[-1], [c, *sizes[:-1]]
    ctx.require(divides(4, c), CHANNELS_IN_FOURS, c, 4)
    least, most = (ceil_divide(c, block) * block for block in (BLOCK, LARGE_BLOCK))
    return ctx.tensor(
        (n, least if least is most else ctx.fresh("channels", int(max(least.lo, 0)), most, Kind.LOST), *sizes)
    )


CHANNELS_ATTRIBUTE_POSITIVE = laws.SM502.law("the attribute channels is positive")


@rule("ReorderOutput", domain=DOMAIN)
def reorder_output(ctx: RuleContext) -> Tensor:
    """Reorder `[n, c in whole blocks, h, w]` to `[n, channels, h, w]`; `channels_last` gives `[n, h, w, channels]`."""
    n, c, *sizes = blocked(ctx).dims
    channels = ctx.integer("channels", 0)
    ctx.check(channels > 0, CHANNELS_ATTRIBUTE_POSITIVE)
    ctx.require_at_least(c, channels, CHANNELS_IN_WHOLE_BLOCKS)
    ctx.require(less(c, channels + LARGE_BLOCK), CHANNELS_IN_WHOLE_BLOCKS, c, channels + LARGE_BLOCK)
    return ctx.tensor((n, *sizes, channels) if ctx.flag("channels_last") else (n, channels, *sizes))


@rule("Conv", domain=DOMAIN, traits=Traits.MIXED)
def blocked_conv(ctx: RuleContext) -> Tensor:
    """Convolve, then add an optional tensor of the output's shape."""
    x, w = ctx.input(0, rank=4), ctx.input(1, rank=4)
    ctx.require(divides(BLOCK, w[0]), CHANNELS_IN_WHOLE_BLOCKS, w[0], BLOCK)
    x = _convolve(ctx, x, w)
    (y,) = ctx.delegate("Conv", (x, *ctx.inputs[1:3]), version=22)
    if ctx.has(3):
        ctx.require_agree(y, ctx.input(3), law=laws.ADDEND_SHAPED_AS_CONVOLUTION)
    return y


def _as_deep(ctx: RuleContext, x: Tensor, channels: Dim) -> Tensor:
    """Return `x` with `channels` on axis 1; require that its own number, which depends on the machine, can be that."""
    lo, hi = tight(x[1])
    law = laws.INPUT_CHANNELS_ARE_GROUP_TIMES_WEIGHTS
    ctx.require(
        all_of(at_least(channels, int(max(lo, 0))), *(at_least(int(hi), channels) for _ in range(hi < inf))),
        law,
        x[1],
        channels,
    )
    return ctx.tensor((x[0], channels, *x.dims[2:]))


@rule("MaxPool", "AveragePool", domain=DOMAIN)
def blocked_pool(ctx: RuleContext) -> Tensor:
    """Pool each channel with a sliding window."""
    return ctx.delegate(ctx.node.op, (blocked(ctx),), version=22)[0]


@rule("GlobalMaxPool", "GlobalAveragePool", domain=DOMAIN)
def blocked_global_pool(ctx: RuleContext) -> Tensor:
    """Reduce height and width to one element."""
    blocked(ctx)
    return global_pool(ctx)


SCALES_ATTRIBUTE_1_1_HEIGHT_WIDTH = laws.SM502.law("the attribute scales is [1, 1, height, width]")


@rule("Upsample", domain=DOMAIN)
def blocked_upsample(ctx: RuleContext) -> Tensor:
    """Multiply height and width by the integers in `scales`."""
    n, c, *sizes = blocked(ctx).dims
    scales = ctx.integers("scales")
    ctx.check(scales[:2] == (1, 1) and len(scales) == 4 and min(scales) > 0, SCALES_ATTRIBUTE_1_1_HEIGHT_WIDTH)
    return ctx.tensor((n, c, *(size * scale for size, scale in zip(sizes, scales[2:], strict=True))))


__all__ = ["blocked"]


def _convolve(ctx: RuleContext, x: Tensor, w: Tensor) -> Tensor:
    """Return the input of a convolution with filters `w`; 16 channels or more must fill whole blocks."""
    if _is_padded(x[1]):
        return _as_deep(ctx, x, w[1] * ctx.integer("group", 1))
    ctx.require(any_of(less(x[1], LARGE_BLOCK), divides(BLOCK, x[1])), CHANNELS_IN_WHOLE_BLOCKS, x[1], BLOCK)
    return x
