"""Normalization layers, whose parameters have to fit the shape, which stays; activations of several elements."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import apart_from, each_of_first, rows
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import require_not_negative, require_order
from shapesmt.operators.ops.torch.following import along_dim, last_axes, unless_training
from shapesmt.operators.ops.torch.linear.norms import order, require_elements
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import FALSE, ONE, TRUE, ZERO, Dim, any_of, at_least, divides, equal, product

PARAMETERS = ("weight", "bias", "running_mean", "running_var")

PARAMETERS_NOT_EMPTY = laws.SM204.law("the parameters have an element")


def require_per_channel(call: Call, channels: Dim, names: tuple[str, ...] = PARAMETERS) -> None:
    """Require an element per channel in each of the arguments `names`, unless the input is empty.

    Weight and bias are never empty.
    """
    x = call.tensor("input")
    for name in names:
        parameter = call.optional(name)
        if parameter is not None:
            fits = any_of(equal(parameter.numel, channels), equal(x.numel, 0))
            call.ctx.require(fits, laws.PARAMETERS_PER_CHANNEL, parameter.numel, channels)
            if name in ("weight", "bias"):
                call.ctx.require_at_least(parameter.numel, 1, PARAMETERS_NOT_EMPTY)


def statistics(call: Call, *, training: bool) -> Tensor:
    """Return the saved mean (or deviation): one element per channel in training, else none."""
    x = call.tensor("input", least=2)
    return tensor(x.dtype, [x[1] if training else ZERO])


def normalized(call: Call) -> Tensor:
    """Normalize `[n, c, ...]`; PyTorch doesn't check that parameters have an element per channel."""
    x = call.tensor("input", least=2)
    if "with_update" in call.ctx.node.op or ("training" in call and call.flag("training")):
        call.ctx.require_at_least(x.numel, 1, laws.INPUT_NOT_EMPTY)
    for parameter in map(call.optional, PARAMETERS):
        if parameter is not None:
            call.open_if_broken(equal(parameter.numel, x[1]), laws.PARAMETERS_PER_CHANNEL)
    return tensor(x.dtype, x.dims)


STATISTICS_GIVEN = laws.SM405.law("without training, a running mean and variance are given")


@operator("batch_norm.default", follows=unless_training)
def batch_norm(call: Call) -> Tensor:
    """Normalize each channel with the batch's mean and variance or with running ones."""
    given = "running_mean" in call and "running_var" in call
    x = call.tensor("input")
    call.ctx.check(given or call.flag("training"), STATISTICS_GIVEN)
    call.ctx.require_rank(x, 1, least=True)
    if x.rank == 1:  # PyTorch returns an empty input before it looks for channels
        call.ctx.require(equal(x[0], 0), laws.RANK_AT_LEAST.of(least=2, rank=1))
    require_per_channel(call, x[1] if x.rank > 1 else ZERO)
    return tensor(x.dtype, x.dims)


@operator(
    "native_batch_norm.default",
    "_native_batch_norm_legit.default",
    "_native_batch_norm_legit.no_stats",
    follows=unless_training,
)
@operator(
    "_native_batch_norm_legit_no_training.default",
    "_native_batch_norm_legit_functional.default",
    follows=unless_training,
)
@operator("_batch_norm_with_update.default", "_batch_norm_no_update.default", follows=unless_training)
@operator("_batch_norm_with_update_functional.default", follows=unless_training)
def native_batch_norm(call: Call) -> list[Tensor]:
    """Return the normalized input, mean and standard deviation; the last two are empty outside of training.

    Some operators also return a reserve, functional ones the updated running mean and variance.
    """
    op = call.ctx.node.op
    training = "with_update" in op or ("training" in call and call.flag("training"))
    saved = statistics(call, training=training)
    running = [tensor(x.dtype, x.dims) for x in map(call.tensor, PARAMETERS[2:])] if "functional" in op else []
    return [normalized(call), saved, saved, *([tensor("uint8", [ZERO])] if "update" in op else []), *running]


@operator("instance_norm.default", follows=rows())
def instance_norm(call: Call) -> Tensor:
    """Normalize each channel of each sample; the shape is unchanged."""
    x = call.tensor("input", least=2)
    call.ctx.check(call.flag("use_input_stats") or "running_mean" in call, STATISTICS_GIVEN)
    require_per_channel(call, x[1], PARAMETERS[:2])
    if any(name in call for name in PARAMETERS):  # parameters are repeated for each sample
        call.ctx.require_at_least(x[0], 1, laws.BATCH_NOT_EMPTY)
    for running in (p for p in map(call.optional, PARAMETERS[2:]) if p is not None):
        fits = any_of(equal(running.numel, x[1]), FALSE if call.flag("use_input_stats") else equal(x.numel, 0))
        call.ctx.require(fits, laws.PARAMETERS_PER_CHANNEL, running.numel, x[1])
    return tensor(x.dtype, x.dims)


# Layers over the last axes


NORMALIZED_AXES = laws.SM303.law("between 1 and {rank} axes are normalized, not {count}")
PARAMETERS_SHAPED_AS_NORMALIZED = laws.SM108.law("the last axes and the parameters have the sizes that are normalized")


@operator("layer_norm.default", memory="new", follows=apart_from(last_axes))
@operator("rms_norm.default", follows=apart_from(last_axes))
def layer_norm(call: Call) -> Tensor:
    """Normalize the last axes, whose sizes input and parameters have to share."""
    ctx, x = call.ctx, call.tensor("input")
    sizes = call.sizes("normalized_shape")
    ctx.check(0 < len(sizes) <= x.rank, NORMALIZED_AXES.of(count=len(sizes), rank=x.rank))
    for parameter in (x, call.optional("weight"), call.optional("bias") if "rms" not in ctx.node.op else None):
        if parameter is None:
            continue
        ctx.check(parameter is x or parameter.rank == len(sizes), PARAMETERS_SHAPED_AS_NORMALIZED)
        for d, size in zip(parameter.dims[-len(sizes) :], sizes, strict=True):
            if size is not None:
                ctx.require_equal(d, size, PARAMETERS_SHAPED_AS_NORMALIZED)
    return tensor(x.dtype, x.dims)


@operator("native_layer_norm.default", memory="new", follows=apart_from(last_axes))
def native_layer_norm(call: Call) -> list[Tensor]:
    """Return the normalized input, mean and standard deviation; the last two have size 1 along the normalized axes."""
    y, count = layer_norm(call), len(call.sizes("normalized_shape"))
    saved = tensor(y.dtype, [*y.dims[: y.rank - count], *(ONE,) * count])
    return [y, saved, saved]


# Groups of channels


def require_groups(call: Call, channels: Dim, groups: int, positions: Dim) -> None:
    """Require that `groups` divides the channels, and that weight and bias have an element per channel.

    PyTorch 2.14 and later require at least one position per channel, too.
    """
    call.ctx.check(groups > 0, laws.GROUP_POSITIVE)
    call.ctx.require(divides(groups, channels), laws.GROUPS_DIVIDE_CHANNELS, channels, groups)
    for name in ("weight", "bias"):
        call.require_vector(name, channels, laws.PARAMETERS_PER_CHANNEL)
    call.require_if(call.since(214), at_least(positions, 1), laws.IMAGE_NOT_EMPTY)


@operator("group_norm.default", follows=rows())
def group_norm(call: Call) -> Tensor:
    """Normalize groups of channels; the shape is unchanged."""
    x = call.tensor("input", least=2)
    require_groups(call, x[1], call.integer("num_groups"), product(x.dims[2:]))
    return tensor(x.dtype, x.dims)


@operator("native_group_norm.default", follows=rows())
def native_group_norm(call: Call) -> list[Tensor]:
    """Return the normalized input, and mean and standard deviation per sample and group."""
    x, groups = call.tensor("input"), call.integer("group")
    samples, channels, positions = map(call.size, ("N", "C", "HxW"))
    if samples is None or channels is None or positions is None:
        call.open("N, C or HxW")
    require_groups(call, channels, groups, positions)
    call.ctx.require_equal(x.numel, samples * channels * positions, laws.ELEMENT_COUNT_KEPT)
    saved = tensor(x.dtype, [samples, groups])
    return [tensor(x.dtype, x.dims), saved, saved]


# Weights


FIRST_OR_LAST_AXIS = laws.SM502.law("the axis is the first or the last")
WEIGHTS_NOT_EMPTY = laws.SM204.law("the weights aren't empty")
LENGTH_PER_WEIGHT_VECTOR = laws.SM108.law("there is a length for each vector of weights")


@operator("_weight_norm.default", "_weight_norm_interface.default")
def weight_norm(call: Call) -> list[Tensor]:
    """Return weights scaled to the given norms, one norm per index of an axis."""
    v, g, dim = call.tensor("v"), call.tensor("g"), call.integer("dim")
    axis = call.ctx.normal(dim, v.rank)
    outer = axis in (0, v.rank - 1)
    call.ctx.check(outer or call.ctx.outputs == 1, FIRST_OR_LAST_AXIS)
    call.ctx.require_at_least(v[axis], 0 if outer else 1, WEIGHTS_NOT_EMPTY)
    shape = tensor("", [d if i == axis else ONE for i, d in enumerate(v.dims)])
    one_rank = TRUE if g.rank == v.rank else FALSE
    call.open_if_broken(one_rank, laws.TENSORS_ONE_RANK.of(rank=v.rank, other=g.rank))
    for a, b in zip(g.dims, shape.dims, strict=False):
        call.open_if_broken(equal(a, b), LENGTH_PER_WEIGHT_VECTOR)
    return [tensor(v.dtype, v.dims), tensor(g.dtype, g.dims)][: call.ctx.outputs]


@operator("norm_except_dim.default")
def norm_except_dim(call: Call) -> Tensor:
    """Return the norm of each slice along `dim`, or of all elements if `dim` is -1."""
    v, dim = call.tensor("v"), call.integer("dim")
    if dim == -1:
        return tensor(v.dtype, ())
    axis = call.ctx.normal(dim, v.rank)
    call.ctx.require_at_least(v[axis], 1, WEIGHTS_NOT_EMPTY)
    return tensor(v.dtype, [d if i == axis else ONE for i, d in enumerate(v.dims)])


@operator("renorm.default", "renorm_.default")
def renorm(call: Call) -> Tensor:
    """Scale slices along an axis down to a maximum norm."""
    x = call.tensor("self", least=2)
    require_order(call, 0, "p", laws.PARAMETER_POSITIVE.of(name="p"), apart=True)
    require_not_negative(call, "maxnorm")
    others = tuple(axis for axis in range(x.rank) if axis != call.ctx.normal(call.integer("dim"), x.rank))
    require_elements(call, x, others, order(call, "p"))
    return tensor(x.dtype, x.dims)


# Activations that combine several elements or have parameters


@operator(
    "softmax.int",
    "log_softmax.int",
    "_softmax.default",
    "_log_softmax.default",
    "_safe_softmax.default",
    follows=along_dim,
)
@operator("special_softmax.default", "special_log_softmax.default", follows=along_dim)
def softmax(call: Call) -> Tensor:
    """Apply (log-)softmax along an axis; the shape is unchanged."""
    x = call.tensor("self")
    call.axis(x)
    return tensor((call.text("dtype") if "dtype" in call else "") or x.dtype, x.dims)


@operator("_softmax_backward_data.default", "_log_softmax_backward_data.default")
def softmax_backward(call: Call) -> Tensor:
    """Return the gradient of (log-)softmax; gradient and output have the same shape."""
    x = call.tensor("grad_output")
    call.ctx.require_agree(x, call.tensor("output"), law=laws.OPERANDS_SAME_SHAPE)
    call.axis(x)
    return tensor(call.text("input_dtype"), x.dims)


@operator("glu.default", follows=along_dim)
def glu(call: Call) -> Tensor:
    """Multiply the first half of an axis by the sigmoid of the second: `[m, 2*n] -> [m, n]`."""
    x = call.tensor("self", least=1)
    axis = call.ctx.normal(call.integer("dim"), x.rank)
    call.ctx.require(divides(2, x[axis]), laws.AXIS_SPLITS_EVENLY.of(parts=2), x[axis], 2)
    return x.replace(axis, x[axis] // 2)


@operator("prelu.default", "_prelu_kernel.default", follows=each_of_first)
def prelu(call: Call) -> Tensor:
    """Multiply negative elements by a slope: one for all channels, or one per channel."""
    x, slope = call.tensor("self"), call.tensor("weight")
    if "kernel" in call.ctx.node.op:
        return tensor(x.dtype, call.ctx.broadcast(x.dims, slope.dims))
    call.ctx.check(slope.rank <= 1, laws.RANK_AT_MOST_1.of(rank=slope.rank))
    channels = x[1] if x.rank > 1 else ONE
    fits = any_of(equal(slope.numel, 1), equal(slope.numel, channels))
    call.ctx.require(fits, laws.PARAMETERS_PER_CHANNEL, slope.numel, channels)
    return tensor(x.dtype, x.dims)
