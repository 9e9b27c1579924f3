"""Normalization and quantization: the shape is unchanged, and the parameters have to fit it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.bridge import normalize_axes, without_broadcast
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.bridge import constants_of, result
from shapesmt.operators.ops.shared.follows import aligned, apart_from, each, listed_axes, rows
from shapesmt.operators.ops.shared.require import open_unless, require_broadcast_to, require_vector
from shapesmt.operators.rules import Follows, RuleContext, Shape, Tensor, Traits
from shapesmt.prover.algebra import FALSE, all_of, any_of, equal

MIN_AT_MOST_MAX = laws.SM401.law("min is at most max, not {least} and {most}")


def inferred(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each element is scaled on its own; the first version has the data as input 2."""
    place = 2 if ctx.node.op.endswith("-1") else 0
    read = (aligned(t) if i == place else () for i, t in enumerate(ctx.inputs))
    return Follows(tuple(read), tuple(map(aligned, outputs)))


@operator("Clamp", any_rank=True, total=True, follows=each)
def clamp(ctx: RuleContext) -> Tensor:
    """Clamp each element; `min` is at most `max`."""
    least, most = ctx.number("min"), ctx.number("max")
    ctx.check(least <= most, MIN_AT_MOST_MAX.of(least=least, most=most))
    return ctx.tensor(ctx.input(0).shape)


AXIS_COUNTED_FROM_FRONT = laws.SM302.law("axis {axis} is counted from the front")


@operator(
    "SoftMax",
    "SoftMax-1",
    "Softmax",
    "LogSoftmax",
    traits=Traits.NORMALIZED,
    follows=apart_from(lambda ctx, x: {ctx.axis(x.rank, 1)}),
)
def softmax(ctx: RuleContext) -> Tensor:
    """Normalize along an axis, which is not negative in version 1."""
    x, axis = ctx.input(0), ctx.integer("axis", 1)
    ctx.check(axis >= 0 or ctx.node.op != "SoftMax-1", AXIS_COUNTED_FROM_FRONT.of(axis=axis))
    normalize_axes(ctx, [axis], x.rank)
    return ctx.tensor(x.dims)


SUMMED_CHANNELS_NOT_NEGATIVE = laws.SM502.law("the number of channels summed is at least 0, not {size}")
AXES_CHANNELS_OR_ALL = laws.SM302.law("the axes are the channels or all sizes, not {axes}")


@operator("LRN", follows=apart_from(partial(listed_axes, index=1)))
def local_response(ctx: RuleContext) -> Tensor:
    """Normalize by local sums over the channels, all spatial axes, or both; the shape is unchanged."""
    x, axes, size = ctx.input(0), constants_of(ctx, 1, "the axes"), ctx.integer("size")
    ctx.check(size >= 0, SUMMED_CHANNELS_NOT_NEGATIVE.of(size=size))
    spatial = set(range(2, x.rank))
    possible = axes is None or set(axes) in ({1}, spatial, {1} | spatial)
    ctx.check(possible, AXES_CHANNELS_OR_ALL.of(axes=list(axes or ())))
    return ctx.tensor(x.dims)


@operator("MVN", "NormalizeL2", follows=apart_from(partial(listed_axes, index=1)))
def over_axes(ctx: RuleContext) -> Tensor:
    """Normalize over the axes that input 1 lists; the shape is unchanged."""
    x, axes = ctx.input(0), ctx.items(1) or ()
    rank = max(x.rank, ctx.node.op == "NormalizeL2")
    rank = max(x.rank, ctx.node.op == "NormalizeL2")
    for axis in axes:
        ctx.require_within(0 if axis is None else axis, rank, laws.FOLDED_AXES_IN_TENSOR)
    ctx.check(ctx.node.op != "MVN" or len(axes) <= x.rank, laws.AXES_AT_MOST_RANK.of(rank=x.rank, count=len(axes)))
    return ctx.tensor(x.dims)


SLOPE_BROADCASTS_TO_INPUT = laws.SM101.law("there is one slope, one for each channel, or what broadcasts to the input")


@operator("PReLU", "PRelu", traits=Traits.ELEMENTWISE)
def prelu(ctx: RuleContext) -> Tensor:
    """Multiply negative elements by a slope: one for all, one per channel, or a tensor that broadcasts to the input."""
    x, slope = ctx.input(0), ctx.input(1)
    if slope.rank > 1:
        pairs = zip(slope.dims[::-1], x.dims[::-1], strict=False)
        broadcasts = all_of(*(any_of(equal(s, 1), equal(s, d)) for s, d in pairs)) if slope.rank <= x.rank else FALSE
        open_unless(ctx, SLOPE_BROADCASTS_TO_INPUT, broadcasts)
    elif slope.rank == 0 or x.rank < 2:
        require_broadcast_to(ctx, slope, x.dims, SLOPE_BROADCASTS_TO_INPUT)
    else:
        s = slope[0]
        ctx.require(any_of(equal(s, 1), equal(s, x[1]), equal(s, x[-1])), SLOPE_BROADCASTS_TO_INPUT, s, x[1])
    return ctx.tensor(x.dims)


RANGES_BROADCAST_TO_INPUT = laws.SM101.law("the ranges broadcast to the input")


@operator("FakeQuantize", follows=each)
def fake_quantize(ctx: RuleContext) -> Tensor:
    """Quantize and dequantize; the four limits broadcast to the input, or have its shape without `auto_broadcast`."""
    operands = [ctx.input(i) for i in range(5)]
    if without_broadcast(ctx):
        ctx.require_agree(*operands, law=laws.OPERANDS_SAME_SHAPE)
    together = ctx.broadcast(*(x.dims for x in operands))
    if len(together) > operands[0].rank or _differ(together, operands[0].dims):
        open_unless(ctx, RANGES_BROADCAST_TO_INPUT)
        return ctx.tensor(None)
    return ctx.tensor(operands[0].dims)


def _differ(x: Shape, y: Shape) -> bool:
    """Whether two shapes have different constant sizes on an axis."""
    return any(equal(d, e) is FALSE for d, e in zip(x, y, strict=False) if d.constant and e.constant)


SCALE_BROADCASTS_TO_INPUT = laws.SM101.law("the scale broadcasts to the input")
SCALE_AND_SHIFT_SAME_SHAPE = laws.SM107.law("scale and shift have the same shape")
DESTINATION_F8 = laws.SM501.law("the destination is of type f8e4m3 or f8e5m2, not {kind}")


@operator("FakeConvert", follows=each)
def fake_convert(ctx: RuleContext) -> Tensor:
    """Round to an 8-bit float and back; the scale broadcasts to the input, and the shift has the scale's shape."""
    x, scale = ctx.input(0), ctx.input(1)
    require_broadcast_to(ctx, scale, x.dims, SCALE_BROADCASTS_TO_INPUT)
    if ctx.has(2):
        ctx.require_agree(scale, ctx.input(2), law=SCALE_AND_SHIFT_SAME_SHAPE)
    kind = ctx.text("destination_type", "f8e4m3").lower()
    ctx.check(kind in ("f8e4m3", "f8e5m2"), DESTINATION_F8.of(kind=kind))
    return ctx.tensor(x.dims)


EPSILON_AT_LEAST_0 = laws.SM502.law("epsilon is at least 0")


@operator("BatchNormInference", "BatchNormInference-1", follows=inferred)
def batch_normalization(ctx: RuleContext) -> Tensor:
    """Normalize `X[N, C, ...]`; scale, bias, mean and variance have C elements."""
    order = (2, 0, 1, 3, 4) if ctx.node.op == "BatchNormInference-1" else range(5)
    ctx.check(ctx.number("epsilon", 0) >= 0, EPSILON_AT_LEAST_0)
    return result(ctx, "BatchNormalization", *(ctx.input(i) for i in order))


@operator("GroupNormalization", follows=rows())
def group_normalization(ctx: RuleContext) -> Tensor:
    """Normalize `X[N, C, ...]` in groups, which divide C; scale and bias have C elements."""
    groups = ctx.integer("num_groups")
    require_vector(ctx, (1, 2), ctx.input(0)[1], laws.PARAMETERS_PER_CHANNEL)
    return result(ctx, "GroupNormalization", *(ctx.input(i) for i in range(3)), num_groups=groups)
