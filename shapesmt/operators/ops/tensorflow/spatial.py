"""Sliding windows over height and width: convolution, pooling, normalization; channels are last, or second."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import anything, constants_of
from shapesmt.operators.ops.shared.follows import aligned, batched, rows
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_ranks, require_vector
from shapesmt.operators.ops.shared.windows import OR_NONE, Window, sliding
from shapesmt.operators.ops.tensorflow.common import DOMAIN, channel, channels_first, least, open_bias
from shapesmt.operators.rules import Follows, RuleContext, Tensor, rule
from shapesmt.prover.algebra import Dim, all_of, any_of, at_least, divides, equal

PADDINGS = ("SAME", "VALID", "EXPLICIT")
EXPLICIT = ("Conv2D", "_FusedConv2D", "DepthwiseConv2dNative", "Conv2DBackpropInput", "MaxPool")
POOLS = ("AvgPool", "MaxPool", "MaxPoolV2", "MaxPoolWithArgmax")
DEEP = ("MaxPool", "MaxPoolV2")  # pools whose windows may slide along the channels
CHANNELS = {False: -1, True: 1}  # channel axis, by whether channels come before height and width


def positions(ctx: RuleContext, window: Window, size: Dim, *, loose: bool = False) -> Dim:
    """Return the number of positions of `window` along an axis of size `size`.

    If the file states the input's size, TensorFlow refuses a window that doesn't fit. If the size is known only at run
    time, and always for some operators (`loose`), the output is empty if the window is too large by less than a stride.
    A constant may come from the file or from the caller, so such a node is undecided.
    """
    known = not window.same and size.constant is not None and window.kernel.constant is not None
    if known and not loose and window.span(size).lo < 0:
        ctx.leave("unsupported", laws.WINDOW_FITS)
    return window.positions(ctx, size)


def spatial_entries(ctx: RuleContext, values: Sequence[int]) -> tuple[int, ...]:
    """Return the entries for height, width, ... of an attribute that also has entries for batch and channels."""
    return tuple(values[2:] if channels_first(ctx) else values[1:-1])


ATTRIBUTE_1_FOR_BATCH = laws.SM502.law("'{name}' has 1 for the batch")


def entries(ctx: RuleContext, name: str, count: int, index: int = -1) -> tuple[int, ...]:
    """Return attribute `name`, or the constant input `index`: one number per axis; the one for the batch must be 1.

    The axes are batch, channels and `count` spatial ones.
    """
    values = (ctx.constants(index) if index >= 0 else ctx.integers(name, ())) or (1,) * (count + 2)
    ctx.check(len(values) == count + 2, laws.ATTRIBUTE_ENTRIES.of(name=name, count=count + 2))
    ctx.check(values[0] == 1, ATTRIBUTE_1_FOR_BATCH.of(name=name))
    return values


ONE_FOR_CHANNELS = laws.SM202.law("'{name}' has 1 for the channels, not {count}")
ATTRIBUTE_VALUES_POSITIVE = laws.SM204.law("'{name}' are positive")


def per_axis(ctx: RuleContext, name: str, count: int, index: int = -1) -> tuple[int, ...]:
    """Return the entries of attribute `name`, or input `index`, for height, width, ...; all have to be positive.

    The entry for channels must be 1, except in strides of pools.
    """
    values, op = entries(ctx, name, count, index), ctx.node.op
    for_channels = values[CHANNELS[channels_first(ctx)]]
    free = op == "AvgPool" or for_channels >= 1 if name == "strides" and op in POOLS else for_channels == 1
    ctx.check(free, ONE_FOR_CHANNELS.of(name=name, count=for_channels))
    values = spatial_entries(ctx, values)
    ctx.check(min(values) >= 1 or (op, name) == ("Dilation2D", "rates"), ATTRIBUTE_VALUES_POSITIVE.of(name=name))
    return values


EXPLICIT_PADDINGS_FOR_EXPLICIT = laws.SM502.law("'explicit_paddings' is for padding EXPLICIT")
EXPLICIT_PADDINGS_ENTRIES = laws.SM502.law("'explicit_paddings' has {count} entries")
BATCH_AND_CHANNELS_NOT_PADDED = laws.SM203.law("neither batch nor channels are padded")


def explicit_pads(ctx: RuleContext, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the pads before and after each of `count` spatial axes; zeros unless the padding is EXPLICIT."""
    pads, explicit = ctx.integers("explicit_paddings", ()), ctx.text("padding") == "EXPLICIT"
    ctx.check(explicit or not pads, EXPLICIT_PADDINGS_FOR_EXPLICIT)
    pads = pads if explicit else (0,) * (2 * count + 4)
    ctx.check(len(pads) == 2 * count + 4, EXPLICIT_PADDINGS_ENTRIES.of(count=2 * count + 4))
    ctx.check(min(pads) >= 0, laws.PADDING_NOT_NEGATIVE)
    befores, afters = (spatial_entries(ctx, pads[side::2]) for side in (0, 1))
    ctx.check(sum(befores) + sum(afters) == sum(pads), BATCH_AND_CHANNELS_NOT_PADDED)
    return befores, afters


PADDING_IS_NOT = laws.SM502.law("'padding' is not '{padding}'")


def windows(
    ctx: RuleContext, kernel: Sequence[Dim | int], dilations: str = "dilations", strides_input: int = -1
) -> list[Window]:
    """Return the windows that the attributes describe, one per axis of the kernel.

    `dilations` is the attribute with the dilations; `strides_input` is the input with the strides, if it isn't -1.
    """
    count, padding = len(kernel), ctx.text("padding")
    ctx.check(padding in PADDINGS[: 3 if ctx.node.op in EXPLICIT else 2], PADDING_IS_NOT.of(padding=padding))
    pads, strides = explicit_pads(ctx, count), per_axis(ctx, "strides", count, strides_input)
    return sliding(kernel, strides, per_axis(ctx, dilations, count), pads, OR_NONE, same=padding == "SAME")


def sizes(ctx: RuleContext, x: Tensor) -> tuple[Dim, ...]:
    """Return the sizes of the spatial axes of `x`: height, width, ..."""
    return x.dims[2:] if channels_first(ctx) else x.dims[1:-1]


def image(ctx: RuleContext, batch: Dim, channels: Dim | int, spatial_sizes: Sequence[Dim | int]) -> Tensor:
    """Return an output `[batch, *spatial_sizes, channels]`, or with channels second if the input has them there."""
    dims = [batch, channels, *spatial_sizes] if channels_first(ctx) else [batch, *spatial_sizes, channels]
    return ctx.tensor(dims)


# Convolution


def filter_positions(ctx: RuleContext, x: Tensor, w: Tensor, count: int) -> list[Dim]:
    """Return the number of positions of filters `w`, `[*kernel, c, m]`, along each of `count` spatial axes of `x`."""
    require_ranks(ctx, count + 2, x, w)
    if not ctx.node.op.endswith("DepthwiseConv2dNative"):
        require_least(ctx, w.dims if count == 3 else w.dims[:-1], 1, laws.FILTERS_NOT_EMPTY)
    axes = windows(ctx, w.dims[:count])
    return [positions(ctx, a, d) for a, d in zip(axes, sizes(ctx, x), strict=True)]


FILTERS_FOR_EACH_CHANNEL = laws.SM106.law("there are filters for each channel")
ELEMENT_PER_FILTER = laws.SM108.law("there is one element per filter")


def unless_training(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """In inference, each element is scaled on its own; in training, by the statistics of the batch."""
    if ctx.flag("is_training", 1):
        return Follows((), ())
    return Follows((aligned(ctx.input(0)),), tuple(map(aligned, outputs[:1])))


@rule("Conv2D", "Conv3D", "_FusedConv2D", domain=DOMAIN, follows=rows())
def convolution(ctx: RuleContext) -> Tensor:
    """Convolve an image with filters `[*kernel, c, m]`; its channels are split into groups of c.

    A volume (`Conv3D`) has one group.
    """
    x, w, count = ctx.input(0), ctx.input(1), 3 if ctx.node.op == "Conv3D" else 2
    counts = filter_positions(ctx, x, w, count)
    require_groups(ctx, channel(ctx, x), w)
    if count == 3:
        ctx.require_equal(channel(ctx, x), w[-2], FILTERS_FOR_EACH_CHANNEL)
    if ctx.node.op == "_FusedConv2D" and len(ctx.inputs) > 2:
        open_bias(ctx, 2, w[-1], ELEMENT_PER_FILTER)
    return image(ctx, x[0], w[-1], counts)


CHANNELS_MULTIPLE_OF_FILTER_CHANNELS = laws.SM106.law("the channels are a multiple of those of the filters")
GROUPS_DIVIDE_FILTERS = laws.SM106.law("there is a group at least, and the groups divide the filters")


def require_groups(ctx: RuleContext, channels: Dim, w: Tensor) -> None:
    """Require that the channels split into groups of c, for filters `[*kernel, c, m]`, and that the groups divide m."""
    if channels is w[-2]:
        return
    ctx.require(divides(w[-2], channels), CHANNELS_MULTIPLE_OF_FILTER_CHANNELS, channels, w[-2])
    groups = channels // w[-2]
    split = any_of(equal(w[-1], 0), all_of(at_least(groups, 1), divides(groups, w[-1])))
    ctx.require(split, GROUPS_DIVIDE_FILTERS, w[-1], groups)


@rule("DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative", domain=DOMAIN, follows=rows())
def depthwise(ctx: RuleContext) -> Tensor:
    """Convolve each channel: filters `[*kernel, c, m]` compute m output channels from each of c input channels."""
    x, w = ctx.input(0), ctx.input(1)
    counts = filter_positions(ctx, x, w, 2)
    _on_some_processors(ctx, len(set(per_axis(ctx, "strides", 2))) == 1, laws.EQUAL_STRIDES)
    _on_some_processors(ctx, set(per_axis(ctx, "dilations", 2)) == {1}, laws.FILTERS_NOT_DILATED)
    ctx.require_equal(channel(ctx, x), w[2], FILTERS_FOR_EACH_CHANNEL)
    return image(ctx, x[0], w[2] * w[3], counts)


def _on_some_processors(ctx: RuleContext, kept: bool, law: laws.Law) -> None:
    """Leave the node undecided unless `kept`: if `law` is violated, TensorFlow has kernels on some processors only."""
    if not kept:
        ctx.leave("unsupported", law)


REQUESTED_SIZES_FIT_CONVOLUTION = laws.SM201.law("the sizes asked for are those that a convolution makes the input of")


@rule("Conv2DBackpropInput", "Conv3DBackpropInputV2", domain=DOMAIN, follows=batched({2: 0}))
def transposed_convolution(ctx: RuleContext) -> Tensor:
    """Return an image whose sizes are an input; its convolution with these filters has the shape of the third input."""
    w, y, requested = ctx.input(1), ctx.input(2), ctx.sizes(0)
    count = 3 if "3D" in ctx.node.op else 2
    require_ranks(ctx, count + 2, w, y)
    if requested is None or None in requested:
        return ctx.tensor(complete_sizes(ctx, [None] * (count + 2)), y.dtype)
    short = len(requested) == count  # without batch and channels
    ctx.check(short or len(requested) == count + 2, laws.SIZE_COUNT.of(expected=count + 2, count=len(requested)))
    dims = complete_sizes(ctx, requested)
    x = image(ctx, y[0], w[-2], dims) if short else ctx.tensor(dims)
    counts = [*filter_positions(ctx, x, w, count)]
    require_groups(ctx, channel(ctx, x), w)
    forward = image(ctx, x[0], w[-1], counts)
    ctx.require_agree(y, forward, law=REQUESTED_SIZES_FIT_CONVOLUTION)
    return ctx.tensor(x.dims, y.dtype)


# Pooling


@rule("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D", domain=DOMAIN, follows=rows())
def pool(ctx: RuleContext) -> Tensor:
    """Return the maximum or mean of each window."""
    return pool_windows(ctx, ctx.input(0), 3 if "3D" in ctx.node.op else 2)


KSIZE_POSITIVE = laws.SM204.law("'ksize' are positive")
PADS_SMALLER_THAN_WINDOW = laws.SM203.law("pads are smaller than the window")


def pool_windows(ctx: RuleContext, x: Tensor, count: int) -> Tensor:
    """Return one element for each position of the window, over `count` spatial axes or along the channels."""
    ctx.require_rank(x, count + 2)
    inputs = (1, 2) if ctx.node.op == "MaxPoolV2" else (-1, -1)
    kernel, at = entries(ctx, "ksize", count, inputs[0]), CHANNELS[channels_first(ctx)]
    channels = channel(ctx, x)
    sides = spatial_entries(ctx, kernel)
    ctx.check(min(kernel) >= 1, KSIZE_POSITIVE)
    axes = windows(ctx, sides, strides_input=inputs[1])
    counts = [positions(ctx, a, d) for a, d in zip(axes, sizes(ctx, x), strict=True)]
    for width, *pads in zip(sides, *explicit_pads(ctx, count), strict=True):
        ctx.check(max(pads) < width, PADS_SMALLER_THAN_WINDOW)
    if ctx.node.op in DEEP and ctx.text("padding") != "SAME":
        ctx.check(channels.constant != 0, laws.WINDOW_FITS)  # checked only for a size in the file
    if kernel[at] > 1:
        return deep(ctx, x, kernel[at], sides, entries(ctx, "strides", count, inputs[1])[at])
    return image(ctx, x[0], channels, counts)


NO_WINDOWS_ALONG_CHANNELS = laws.SM202.law("{op} has no windows along the channels")
WINDOWS_ALONG_CHANNELS_OR_IMAGE = laws.SM202.law("windows are along the channels, or along height and width")
CHANNEL_WINDOWS_SIDE_BY_SIDE = laws.SM202.law("windows of channels stand side by side")


def deep(ctx: RuleContext, x: Tensor, depth: int, sides: Sequence[int], stride: int) -> Tensor:
    """Pool along the channels: each window of `depth` channels becomes one; it must have size 1 on other axes."""
    ctx.check(ctx.node.op in DEEP, NO_WINDOWS_ALONG_CHANNELS.of(op=ctx.node.op))
    ctx.check(set(sides) == {1}, WINDOWS_ALONG_CHANNELS_OR_IMAGE)
    ctx.check(stride == depth, CHANNEL_WINDOWS_SIDE_BY_SIDE)
    channels = channel(ctx, x)
    ctx.require(divides(depth, channels), laws.CHANNELS_SPLIT_INTO_BLOCKS.of(block=depth), channels, depth)
    return image(ctx, x[0], channels // depth, sizes(ctx, x))


@rule("MaxPoolV2", domain=DOMAIN, follows=rows())
def max_pool_v2(ctx: RuleContext) -> Tensor:
    """Return the maximum of each window, whose sizes and strides are inputs."""
    x, sides = ctx.input(0, rank=4), [constants_of(ctx, i, what) for i, what in ((1, "the window"), (2, "the strides"))]
    require_vector(ctx, (1, 2), 4, laws.NUMBER_PER_AXIS)
    return anything(ctx, x) if None in sides else pool_windows(ctx, x, 2)


@rule("MaxPoolWithArgmax", domain=DOMAIN)
def max_pool_places(ctx: RuleContext) -> list[Tensor]:
    """Return the maximum of each window and its index."""
    maxima = pool_windows(ctx, ctx.input(0), 2)
    require_least(ctx, ctx.input(0).dims, 1, laws.INPUT_NOT_EMPTY)
    return [maxima, ctx.tensor(maxima.dims, ctx.text("Targmax", "int64"))]


FILTER_FOR_EACH_CHANNEL = laws.SM106.law("there is a filter for each channel")


@rule("Dilation2D", domain=DOMAIN, follows=rows())
def dilation(ctx: RuleContext) -> Tensor:
    """Return the maximum over each window of the input plus the filter, channel by channel."""
    x, w = ctx.input(0, rank=4), ctx.input(1, rank=3)
    axes = windows(ctx, w.dims[:2], "rates")
    ctx.require_equal(x[3], w[2], FILTER_FOR_EACH_CHANNEL)
    return image(ctx, x[0], x[3], [positions(ctx, a, d, loose=True) for a, d in zip(axes, x.dims[1:3], strict=True)])


@rule("ExtractImagePatches", domain=DOMAIN, follows=rows())
def patches(ctx: RuleContext) -> Tensor:
    """Return the elements of each window as channels: `[n, h, w, c] -> [n, rows, columns, kh * kw * c]`."""
    x, kernel = ctx.input(0, rank=4), per_axis(ctx, "ksizes", 2)
    axes = windows(ctx, kernel, "rates")
    counts = [positions(ctx, a, d, loose=True) for a, d in zip(axes, x.dims[1:3], strict=True)]
    return image(ctx, x[0], x[3] * kernel[0] * kernel[1], counts)


# Normalization


SCALE_AND_OFFSET_PER_CHANNEL = laws.SM108.law("scale and offset have one element per channel")
MEAN_AND_VARIANCE_PER_CHANNEL = laws.SM108.law("mean and variance have one element per channel")


@rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", domain=DOMAIN, follows=unless_training)
def batch_norm(ctx: RuleContext) -> list[Tensor]:
    """Normalize with one scale, offset, mean and variance per channel; also return the moments."""
    x, training = ctx.input(0), bool(ctx.integer("is_training", 1))
    ctx.require_rank(x, len(ctx.text("data_format", "NHWC")) if ctx.node.op.endswith("V3") else 4)
    channels = channel(ctx, x)
    require_ranks(ctx, 1, ctx.input(3), ctx.input(4))
    require_vector(ctx, (1, 2), channels, SCALE_AND_OFFSET_PER_CHANNEL)
    if not training or ctx.number("exponential_avg_factor", 1.0) != 1:
        require_vector(ctx, (3, 4), channels, MEAN_AND_VARIANCE_PER_CHANNEL)
    moments = ctx.tensor((channels,), ctx.input(1).dtype)
    return [ctx.tensor(x.dims), *[moments] * 4, ctx.tensor((), ctx.input(1).dtype)]


MEAN_VARIANCE_OFFSET_FACTOR_PER_CHANNEL = laws.SM108.law(
    "mean, variance, offset and factor have one element per channel"
)


@rule("BatchNormWithGlobalNormalization", domain=DOMAIN)
def old_batch_norm(ctx: RuleContext) -> Tensor:
    """Normalize with one mean, variance, offset and factor per channel; the shape is unchanged."""
    x = ctx.input(0, rank=4)
    require_vector(ctx, range(1, 5), x[3], MEAN_VARIANCE_OFFSET_FACTOR_PER_CHANNEL)
    return ctx.tensor(x.dims)


@rule("LRN", domain=DOMAIN, follows=rows())
def local_response(ctx: RuleContext) -> Tensor:
    """Normalize each element by its neighbouring channels; the shape is unchanged."""
    least(ctx, "depth_radius", 0, 5)
    return ctx.tensor(ctx.input(0, rank=4).dims)
