"""Windows that slide over height and width, wherever the node says that the channels are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shapesmt.dim import Dim, as_dim, ceil_divide, maximum
from shapesmt.formula import divides
from shapesmt.ops.bridge import anything, known
from shapesmt.ops.fields import wanted
from shapesmt.ops.laws import require_least, require_vector, sized
from shapesmt.ops.registry import rule
from shapesmt.ops.tensorflow.common import DOMAIN, channel, channels_first
from shapesmt.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.context import InferenceContext

FITS = "the window fits the padded input"


class Window(NamedTuple):
    """The window along one axis; how much is padded is worked out with SAME, and there are pads with EXPLICIT."""

    kernel: Dim
    stride: int
    dilation: int
    padding: str
    pads: int

    def positions(self, ctx: InferenceContext, size: Dim, *, loose: bool = False) -> Dim:
        """How many positions it has.

        With sizes known beforehand, TensorFlow refuses a window that doesn't fit; kernels that find out later may make
        an empty output where it is too large by less than a stride, which some operators always do (`loose`).
        """
        if self.padding == "SAME":
            return ceil_divide(size, self.stride)
        span = size + self.pads - (self.kernel - 1) * self.dilation - 1
        ctx.require_at_least(span, 1 - 2 * self.stride if loose else 0, FITS)
        return maximum(span // self.stride + 1, 0)


def spatial(ctx: InferenceContext, values: Sequence[int]) -> tuple[int, ...]:
    """What an attribute lists for height, width, ...; it lists something for batch and channels too."""
    return tuple(values[2:] if channels_first(ctx) else values[1:-1])


def per_axis(ctx: InferenceContext, name: str, count: int, index: int = -1) -> tuple[int, ...]:
    """An attribute with one number per axis, or an input of constants: those of height, width, ..."""
    values = (ctx.constants(index) if index >= 0 else ctx.integers(name, ())) or (1,) * (count + 2)
    ctx.check(len(values) == count + 2, f"'{name}' has {count + 2} entries")
    ctx.check(min(values) >= 1, f"'{name}' are positive")
    return spatial(ctx, values)


def windows(
    ctx: InferenceContext, kernel: Sequence[Dim | int], dilations: str = "dilations", strides_input: int = -1
) -> list[Window]:
    """The windows that the attributes describe, one per axis of the kernel."""
    count, padding = len(kernel), ctx.text("padding")
    explicit = ctx.integers("explicit_paddings", ()) if padding == "EXPLICIT" else (0,) * (2 * count + 4)
    ctx.check(len(explicit) == 2 * count + 4, f"'explicit_paddings' has {2 * count + 4} entries")
    ctx.check(min(explicit) >= 0, "padding isn't negative")
    pads = spatial(ctx, [a + b for a, b in zip(explicit[::2], explicit[1::2], strict=True)])
    strides = per_axis(ctx, "strides", count, strides_input)
    each = zip(map(as_dim, kernel), strides, per_axis(ctx, dilations, count), pads, strict=True)
    return [Window(k, stride, dilation, padding, p) for k, stride, dilation, p in each]


def sizes(ctx: InferenceContext, x: Tensor) -> tuple[Dim, ...]:
    """Height, width, ..."""
    return x.dims[2:] if channels_first(ctx) else x.dims[1:-1]


def image(ctx: InferenceContext, batch: Dim, channels: Dim | int, spatial_sizes: Sequence[Dim | int]) -> Tensor:
    """An output with its channels where the input has them."""
    dims = [batch, channels, *spatial_sizes] if channels_first(ctx) else [batch, *spatial_sizes, channels]
    return ctx.tensor(dims)


# Convolution


def filtered(ctx: InferenceContext, x: Tensor, w: Tensor, count: int) -> list[Dim]:
    """The positions of filters `[*kernel, c, m]` over an image."""
    for operand in (x, w):
        ctx.require_rank(operand, count + 2)
    require_least(ctx, w.dims[:-1], 1, "the filters aren't empty")
    axes = windows(ctx, w.dims[:count])
    return [a.positions(ctx, d) for a, d in zip(axes, sizes(ctx, x), strict=True)]


@rule("Conv2D", "Conv3D", "_FusedConv2D", domain=DOMAIN)
def convolution(ctx: InferenceContext) -> Tensor:
    """Filters `[*kernel, c, m]` slide over an image, whose channels are a multiple of c: each group has its share."""
    x, w, count = ctx.input(0), ctx.input(1), 3 if ctx.node.op == "Conv3D" else 2
    made = filtered(ctx, x, w, count)
    require_groups(ctx, channel(ctx, x), w)
    if ctx.node.op == "_FusedConv2D" and len(ctx.inputs) > 2:
        require_vector(ctx, 2, w[-1], "there is one element per filter")
    return image(ctx, x[0], w[-1], made)


def require_groups(ctx: InferenceContext, channels: Dim, w: Tensor) -> None:
    """State that the channels split into groups, and the filters too."""
    if channels is w[-2]:
        return
    ctx.require(divides(w[-2], channels), "the channels are a multiple of those of the filters", channels, w[-2])
    groups = channels // w[-2]
    ctx.require_at_least(groups, 1, "there is at least one channel")
    ctx.require(divides(groups, w[-1]), "the groups divide the filters", w[-1], groups)


@rule("DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative", domain=DOMAIN)
def depthwise(ctx: InferenceContext) -> Tensor:
    """Filters `[*kernel, c, m]` make m channels of each of c."""
    x, w = ctx.input(0), ctx.input(1)
    made = filtered(ctx, x, w, 2)
    ctx.require_equal(channel(ctx, x), w[2], "there are filters for each channel")
    return image(ctx, x[0], w[2] * w[3], made)


@rule("Conv2DBackpropInput", "Conv3DBackpropInputV2", domain=DOMAIN)
def transposed_convolution(ctx: InferenceContext) -> Tensor:
    """An image of the listed sizes, of which a convolution with these filters makes the one that is given."""
    w, y, listed = ctx.input(1), ctx.input(2), wanted(ctx, 0)
    count = 3 if "3D" in ctx.node.op else 2
    for x in (w, y):
        ctx.require_rank(x, count + 2)
    if listed is None or None in listed:
        return ctx.tensor(sized(ctx, [None] * (count + 2)), y.dtype)
    short = len(listed) == count  # without batch and channels
    ctx.check(short or len(listed) == count + 2, f"there are {count + 2} sizes, not {len(listed)}")
    asked = sized(ctx, listed)
    x = image(ctx, y[0], w[-2], asked) if short else ctx.tensor(asked)
    made = [*filtered(ctx, x, w, count)]
    require_groups(ctx, channel(ctx, x), w)
    forward = image(ctx, x[0], w[-1], made)
    ctx.require_agree(y, forward, law="the sizes asked for are those that a convolution makes the input of")
    return ctx.tensor(x.dims, y.dtype)


# Pooling


@rule("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D", domain=DOMAIN)
def pool(ctx: InferenceContext) -> Tensor:
    """The maximum or mean of each window."""
    return pooled(ctx, ctx.input(0), 3 if "3D" in ctx.node.op else 2)


def pooled(ctx: InferenceContext, x: Tensor, count: int) -> Tensor:
    """The input with height and width as long as the window has positions; or windows of channels become one each."""
    ctx.require_rank(x, count + 2)
    axes = windows(ctx, per_axis(ctx, "ksize", count))
    made = [a.positions(ctx, d) for a, d in zip(axes, sizes(ctx, x), strict=True)]
    depth, channels = (ctx.integers("ksize", ()) or (1, 1))[1 if channels_first(ctx) else -1], channel(ctx, x)
    if ctx.node.op == "MaxPool" and ctx.text("padding") != "SAME":
        ctx.require_at_least(channels, depth, FITS)
    if depth > 1:
        ctx.require(divides(depth, channels), f"the channels split into blocks of {depth}", channels, depth)
    return image(ctx, x[0], channels // depth, made)


@rule("MaxPoolV2", domain=DOMAIN)
def max_pool_v2(ctx: InferenceContext) -> Tensor:
    """The maximum of each window, whose sizes and strides are inputs."""
    x, sides = ctx.input(0, rank=4), [known(ctx, i, what) for i, what in ((1, "the window"), (2, "the strides"))]
    if None in sides:
        return anything(ctx, x)
    axes = windows(ctx, per_axis(ctx, "ksize", 2, 1), strides_input=2)
    made = [a.positions(ctx, d) for a, d in zip(axes, sizes(ctx, x), strict=True)]
    return image(ctx, x[0], channel(ctx, x), made)


@rule("MaxPoolWithArgmax", domain=DOMAIN)
def max_pool_places(ctx: InferenceContext) -> list[Tensor]:
    """The maximum of each window, and where it was."""
    made = pooled(ctx, ctx.input(0), 2)
    return [made, ctx.tensor(made.dims, ctx.text("Targmax", "int64"))]


@rule("Dilation2D", domain=DOMAIN)
def dilation(ctx: InferenceContext) -> Tensor:
    """The maximum of each window and its filter's numbers, channel by channel."""
    x, w = ctx.input(0, rank=4), ctx.input(1, rank=3)
    axes = windows(ctx, w.dims[:2], "rates")
    ctx.require_equal(x[3], w[2], "there is a filter for each channel")
    return image(ctx, x[0], x[3], [a.positions(ctx, d, loose=True) for a, d in zip(axes, x.dims[1:3], strict=True)])


@rule("ExtractImagePatches", domain=DOMAIN)
def patches(ctx: InferenceContext) -> Tensor:
    """Each window's elements as channels."""
    x, kernel = ctx.input(0, rank=4), per_axis(ctx, "ksizes", 2)
    axes = windows(ctx, kernel, "rates")
    made = [a.positions(ctx, d, loose=True) for a, d in zip(axes, x.dims[1:3], strict=True)]
    return image(ctx, x[0], x[3] * kernel[0] * kernel[1], made)


# Normalization


@rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", domain=DOMAIN)
def batch_norm(ctx: InferenceContext) -> list[Tensor]:
    """The shape is kept; scale, offset, mean and variance have one element per channel."""
    x, training = ctx.input(0), bool(ctx.integer("is_training", 1))
    ctx.check(x.rank == 4 or (x.rank == 5 and ctx.node.op.endswith("V3")), f"the rank is 4, not {x.rank}")
    channels = channel(ctx, x)
    require_vector(ctx, (1, 2), channels, "scale and offset have one element per channel")
    if not training or ctx.number("exponential_avg_factor", 1.0) != 1:
        require_vector(ctx, (3, 4), channels, "mean and variance have one element per channel")
    moments = ctx.tensor((channels,), ctx.input(1).dtype)
    return [ctx.tensor(x.dims), *[moments] * 4, ctx.tensor((), ctx.input(1).dtype)]


@rule("BatchNormWithGlobalNormalization", domain=DOMAIN)
def old_batch_norm(ctx: InferenceContext) -> Tensor:
    """The shape is kept; mean, variance, offset and factor have one element per channel."""
    x = ctx.input(0, rank=4)
    require_vector(ctx, range(1, 5), x[3], "mean, variance, offset and factor have one element per channel")
    return ctx.tensor(x.dims)


@rule("LRN", domain=DOMAIN)
def local_response(ctx: InferenceContext) -> Tensor:
    """The shape is kept."""
    return ctx.tensor(ctx.input(0, rank=4).dims)
