"""Normalization operators: the shape is unchanged, and the parameters have to fit it."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.math.reduction import without
from shapesmt.operators.ops.shared.follows import aligned, alone, apart_from, rows
from shapesmt.operators.ops.shared.require import (
    open_beside_cpu,
    open_unless,
    require_broadcast_to,
    require_fits,
    require_least,
    require_same,
)
from shapesmt.operators.rules import Follows, Memory, RuleContext, Shape, Tensor, Traits, rule, uniform
from shapesmt.prover.algebra import FALSE, ONE, ZERO, Dim, Formula, any_of, as_dim, divides, equal, product


def require_vectors(ctx: RuleContext, indices: range, size: Dim) -> None:
    """Require that the inputs `indices` are vectors of `size` elements, one per channel."""
    for index in indices:
        parameter = ctx.input(index)
        ctx.require_rank(parameter, 1)
        ctx.require_equal(parameter[0], size, laws.PARAMETERS_PER_CHANNEL)


def softmax_axes(ctx: RuleContext, x: Tensor) -> range:
    """Return the axes over which a softmax is computed: one, before opset 13 all from that one on."""
    first = ctx.axis(x.rank, -1 if ctx.version >= 13 else 1)
    return range(first, first + 1 if ctx.version >= 13 else x.rank)


def mean_axes(ctx: RuleContext, x: Tensor) -> set[int]:
    """Return the axes over which mean and variance are computed."""
    return {axis % x.rank for axis in ctx.integers("axes", (0, 2, 3)) if -x.rank <= axis < x.rank}


def layer_axes(ctx: RuleContext, x: Tensor) -> range:
    """Return the axes that a layer normalizes."""
    return range(ctx.axis(x.rank, -1), x.rank)


def trained(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """In inference, each element is scaled on its own; in training, by the statistics of the batch."""
    if ctx.flag("training_mode") or (ctx.version < 14 and ctx.outputs > 1):
        return Follows(
            (alone(ctx.input(0).rank, (1,)),), tuple(alone(max(t.rank, 2), (1,))[-t.rank :] for t in outputs)
        )
    return Follows((aligned(ctx.input(0)),), tuple(map(aligned, outputs[:1])))


@rule("Softmax", "LogSoftmax", "Hardmax", traits=Traits.NORMALIZED, follows=apart_from(softmax_axes))
def softmax(ctx: RuleContext) -> Tensor:
    """Normalize along `axis`, before opset 13 over all axes from `axis` on; the shape is unchanged."""
    x, axis = ctx.input(0), ctx.integer("axis", -1 if ctx.version >= 13 else 1)
    if ctx.version < 11 and not -x.rank <= axis < x.rank:  # not read for an empty tensor
        ctx.require_equal(x.numel, 0, laws.AXIS_INSIDE_RANK.of(axis=axis, rank=x.rank))
    else:
        ctx.normal(axis, x.rank)
    return ctx.tensor(x.dims)


NORM_1_OR_2 = laws.SM502.law("the norm is 1 or 2, not {norm}")


@rule("LpNormalization", follows=apart_from(lambda ctx, x: {ctx.axis(x.rank, -1)}))
def lp_normalization(ctx: RuleContext) -> Tensor:
    """Divide by the first or second norm along `axis`; the shape is unchanged."""
    x = ctx.input(0)
    ctx.check(ctx.integer("p", 2) in (1, 2), NORM_1_OR_2.of(norm=ctx.integer("p", 2)))
    ctx.axis(x.rank, -1)
    return ctx.tensor(x.dims)


SUMMED_CHANNELS_ODD = laws.SM502.law("the number of channels summed is odd, not {size}")


@rule("LRN", follows=rows())
def local_response(ctx: RuleContext) -> Tensor:
    """Normalize `X[N, C, H, W]` over an odd number of channels; the shape is unchanged."""
    x = ctx.input(0)
    ctx.limit(x.rank == 4, laws.RANK_4.of(rank=x.rank))
    size = ctx.integer("size")
    ctx.check(size > 0 and size % 2 == 1, SUMMED_CHANNELS_ODD.of(size=size))
    require_fits(ctx, (size - 1) * product(x.dims[2:]), "the padding of the channels")
    return ctx.tensor(x.dims)


AN_AXIS_INSIDE_TENSOR = laws.SM302.law("an axis is inside the tensor")


@rule("MeanVarianceNormalization", follows=apart_from(mean_axes))
def mean_variance(ctx: RuleContext) -> Tensor:
    """Normalize over `axes`, at least one of them inside the rank; the shape is unchanged."""
    x, axes = ctx.input(0), ctx.integers("axes", (0, 2, 3))
    ctx.limit(any(-x.rank <= axis < x.rank for axis in axes), AN_AXIS_INSIDE_TENSOR)
    return ctx.tensor(x.dims)


@rule("BatchNormalization", follows=trained)
def batch_normalization(ctx: RuleContext) -> list[Tensor]:
    """Normalize `X[N, C, ...]`; scale, bias, mean and variance have C elements."""
    x = ctx.input(0, least=1)
    per_element = ctx.version < 9 and not ctx.flag("spatial", 1, only_one=True)
    per_channel: Shape = x.dims[1 : None if per_element else 2] or (ONE,)
    _require_statistics(ctx, per_channel)
    _require_outputs(ctx)
    return [ctx.tensor(x.dims), *[ctx.tensor(per_channel, ctx.input(3).dtype)] * 4]


def _require_statistics(ctx: RuleContext, per_channel: Shape) -> None:
    """Require the shape of scale, bias, mean and variance."""
    for parameter in map(ctx.input, (1, 2, 3, 4)):
        ctx.require_rank(parameter, len(per_channel))
        require_same(ctx, parameter.dims, per_channel, laws.PARAMETERS_PER_CHANNEL)


THREE_OUTPUTS_IN_TRAINING = laws.SM405.law("it has at least 3 outputs in training")
STATISTICS_IN_TRAINING = laws.SM405.law("it has one output but in training")


def _require_outputs(ctx: RuleContext) -> None:
    """Require the number of outputs: 1, or 3 in training; before opset 14, 1 or 5."""
    trained = ctx.version >= 14 and ctx.flag("training_mode")
    if trained and not ctx.flag("training_mode", only_one=True):  # set for ONNX's inference, not for the kernel
        open_unless(ctx, laws.ATTRIBUTE_IS_ONE_OF.of(name="training_mode", values="0", last="1"), FALSE)
    counts = (1, 5) if ctx.version < 14 else (3,) if trained else (1,)
    ctx.limit(ctx.outputs in counts, THREE_OUTPUTS_IN_TRAINING if trained else STATISTICS_IN_TRAINING)


def channels(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each channel of each image is normalized on its own."""
    return Follows((alone(ctx.input(0).rank, (0, 1)),), tuple(alone(t.rank, (0, 1)) for t in outputs))


@rule("InstanceNormalization", follows=channels)
def instance_normalization(ctx: RuleContext) -> Tensor:
    """Normalize `X[N, C, D1, ...]`; scale and bias have C elements."""
    x = ctx.input(0, least=3)
    require_vectors(ctx, range(1, 3), x[1])
    return ctx.tensor(x.dims)


@rule("GroupNormalization", since=18, follows=rows())
def group_normalization(ctx: RuleContext) -> Tensor:
    """Normalize `X[N, C, ...]` in groups, which divide C; scale and bias have one element per channel.

    Before opset 21 they have one per group. A single element serves all.
    """
    groups, x = ctx.integer("num_groups"), ctx.input(0, least=2)
    ctx.check(groups > 0, laws.A_GROUP.of(groups=groups))
    empty = equal(x.numel, 0)
    ctx.require(any_of(divides(groups, x[1]), empty), laws.GROUPS_DIVIDE_CHANNELS, x[1], groups)
    _require_parameters(ctx, x[1], groups, empty)
    return ctx.tensor(x.dims) if empty is FALSE else _regroup(ctx, x, groups)


def _regroup(ctx: RuleContext, x: Tensor, groups: int) -> Tensor:
    """Return the output by the operator's definition, whose Reshapes read a size of 0 as "copy the input's size"."""

    def reshaped(t: Tensor, *sizes: Dim | int) -> Tensor:
        return ctx.delegate("Reshape", (t, ctx.integer_list(sizes)), version=13, attributes={})[0]

    flat = reshaped(reshaped(x, x[0], groups, x[1] // groups, *x.dims[2:]), 0, 0, -1)
    if ctx.version >= 21:
        flat = reshaped(reshaped(flat, *x.dims), 0, 0, -1)
    shape = flat.dims
    for size in (ctx.input(i).numel for i in (1, 2)):
        shape = ctx.broadcast(shape, (ONE, size, ONE))
    return reshaped(ctx.tensor(shape), *x.dims)


PARAMETERS_PER_GROUP = laws.SM108.law("the parameters have one element per group")


def _require_parameters(ctx: RuleContext, channels: Dim, groups: int, empty: Formula) -> None:
    """Require that scale and bias have an element per channel, per group before opset 21, or one element."""
    law = laws.PARAMETERS_PER_CHANNEL if ctx.version >= 21 else PARAMETERS_PER_GROUP
    count = channels if ctx.version >= 21 else as_dim(groups)
    for size in (ctx.input(i).numel for i in (1, 2)):
        ctx.require(any_of(equal(size, count), equal(size, 1), empty), law, size, count)


FLOATS = (1, 10, 11, 16)  # float32, float16, float64, bfloat16

STASH_TYPE_FLOAT = laws.SM502.law("attribute 'stash_type' is a float type")


@rule(
    "LayerNormalization",
    "RMSNormalization",
    "SimplifiedLayerNormalization",
    traits=Traits.MIXED,
    follows=apart_from(layer_axes, scaled=True),
)
def layer_normalization(ctx: RuleContext) -> list[Tensor]:
    """Normalize the axes from `axis` on, which aren't empty; scale and bias broadcast to the input's shape."""
    x, scale = ctx.input(0), ctx.input(1)
    axis = ctx.axis(x.rank, -1)
    require_least(ctx, x.dims[axis:], 1, laws.NORMALIZED_HAS_ELEMENT)
    for index in filter(ctx.has, (1, 2)):
        require_broadcast_to(ctx, ctx.input(index), x.dims, laws.SCALE_AND_BIAS_BROADCAST_TO_INPUT)
    ctx.limit(ctx.outputs == 1 or ctx.integer("stash_type", 1) in FLOATS, STASH_TYPE_FLOAT)
    alike, law = not x.dtype or scale.dtype in (x.dtype, ""), laws.SAME_TYPE_AS_INPUT.of(kind="scales")
    simplified = ctx.node.op == "SimplifiedLayerNormalization"
    ctx.limit(alike or simplified, law)
    open_beside_cpu(ctx, law, used=simplified and not alike)
    statistics = ctx.tensor(without(x.dims, tuple(range(axis, x.rank)), keep=True), "float32")
    return [ctx.tensor(x.dims, scale.dtype or x.dtype), statistics, statistics]


INPUT_SCALAR = laws.SM401.law("the {what} is a scalar")


@rule("Dropout", total=True, traits=Traits(memory=Memory.ELEMENTWISE, training=2))
def dropout(ctx: RuleContext) -> list[Tensor]:
    """Drop elements in training; the shape is unchanged, and ratio and mode are scalars."""
    x = ctx.input(0)
    for index, what in ((1, "ratio"), (2, "training mode")):
        if ctx.has(index):
            ctx.check(ctx.input(index).rank == 0, INPUT_SCALAR.of(what=what))
    mask = ctx.tensor(x.dims, "bool" if ctx.version >= 10 else None)
    kept = not ctx.has(2) or uniform(ctx.input(2).value) is ZERO
    return [x if kept else ctx.tensor(x.dims), mask]
