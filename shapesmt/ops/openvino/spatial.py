"""Windows that slide, and images that are resized or cut out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.dim import as_dim, ceil_divide, minimum
from shapesmt.ops.bridge import anything, result
from shapesmt.ops.fields import counted
from shapesmt.ops.laws import require_least, require_vector, sized
from shapesmt.ops.openvino.bridge import DOMAIN, dtype_of, integers, known
from shapesmt.ops.registry import rule
from shapesmt.ops.resize import by_factor
from shapesmt.ops.spatial import FITS, Axis
from shapesmt.real import Real
from shapesmt.tensor import Tensor, tensor
from shapesmt.value import Elements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.context import InferenceContext
    from shapesmt.dim import Dim
    from shapesmt.graph import AttributeValue


def padding(ctx: InferenceContext) -> str:
    """How the input is padded: explicit, valid, same_upper or same_lower."""
    return ctx.text("auto_pad", "explicit").lower()


def windowed(ctx: InferenceContext) -> dict[str, AttributeValue]:
    """The attributes of a window as ONNX has them."""
    found: dict[str, AttributeValue] = {"strides": integers(ctx, "strides")}
    if padding(ctx).startswith("same"):
        return found | {"auto_pad": padding(ctx).upper()}
    if padding(ctx) == "explicit":
        found["pads"] = integers(ctx, "pads_begin") + integers(ctx, "pads_end")
    return found | {"dilations": integers(ctx, "dilations")}


# Convolution


@rule("Convolution", domain=DOMAIN)
def convolution(ctx: InferenceContext) -> Tensor:
    """Filters `[m, c, *kernel]` slide over `[n, c, *sizes]`."""
    return result(ctx, "Conv", ctx.input(0), ctx.input(1), **windowed(ctx))


def grouped(ctx: InferenceContext) -> tuple[Tensor, int]:
    """Filters `[group, m, c, *kernel]` as ONNX has them, and how many groups there are."""
    w = ctx.input(1)
    ctx.require_rank(w, 4, least=True)
    group = w[0].constant
    ctx.check(bool(group), "the groups are one number")
    return tensor(w.dtype, (w[0] * w[1], *w.dims[2:])), group or 1


@rule("GroupConvolution", domain=DOMAIN)
def group_convolution(ctx: InferenceContext) -> Tensor:
    """Filters `[group, m, c, *kernel]`, each group on its share of the channels."""
    filters, group = grouped(ctx)
    return result(ctx, "Conv", ctx.input(0), filters, group=group, **windowed(ctx))


@rule("ConvolutionBackpropData", "GroupConvolutionBackpropData", domain=DOMAIN)
def transposed_convolution(ctx: InferenceContext) -> Tensor:
    """Every element spreads filters `[c, m, *kernel]`, or `[group, c, m, *kernel]`; sizes may be asked for."""
    x = ctx.input(0)
    w, group = grouped(ctx) if ctx.node.op.startswith("Group") else (ctx.input(1), 1)
    law = f"input and weight tensor have the same rank, at least 3, not {x.rank} and {w.rank}"
    ctx.check(x.rank == w.rank >= 3, law)
    ctx.require_equal(x[1], w[0], "the weights have the input's channels")
    if ctx.has(2):
        return ctx.tensor([x[0], w[1] * group, *sized(ctx, counted(ctx, 2, x.rank - 2, "sizes"))])
    extra = integers(ctx, "output_padding") or (0,) * (x.rank - 2)
    axes = sliding(ctx, [d.constant or 1 for d in w.dims[2:]])
    sizes = [
        (d - 1) * a.stride + (k - 1) * a.dilation + 1 + more - a.head - a.tail
        for d, k, a, more in zip(x.dims[2:], w.dims[2:], axes, extra, strict=True)
    ]
    require_least(ctx, sizes, 1, "the output isn't empty")
    return ctx.tensor([x[0], w[1] * group, *sizes])


def sliding(ctx: InferenceContext, kernel: Sequence[int]) -> list[Axis]:
    """The window along each axis; pads that are worked out from the sizes, or not at all, count as none."""
    rank, explicit = len(kernel), padding(ctx) == "explicit"
    begin, end = ((integers(ctx, name) if explicit else ()) or (0,) * rank for name in ("pads_begin", "pads_end"))
    strides, dilations = (integers(ctx, name) or (1,) * rank for name in ("strides", "dilations"))
    counts = {len(v) for v in (begin, end, strides, dilations)}
    ctx.check(counts == {rank}, f"'strides', 'dilations' and pads have {rank} entries")
    ctx.check(min((*strides, *dilations, *kernel)) >= 1, "strides and dilations are positive")
    return list(map(Axis, map(as_dim, kernel), strides, dilations, begin, end))


# Pooling


def pooled(ctx: InferenceContext, x: Tensor) -> list[Dim]:
    """The input's sizes with every spatial one as long as the window has positions."""
    kernel = integers(ctx, "kernel")
    ctx.check(x.rank == len(kernel) + 2 >= 3, f"the rank is that of the kernel plus 2, not {x.rank}")
    axes = sliding(ctx, kernel)
    return [*x.dims[:2], *(positions(ctx, d, axis) for d, axis in zip(x.dims[2:], axes, strict=True))]


def positions(ctx: InferenceContext, size: Dim, axis: Axis) -> Dim:
    """How many positions a window has; the last may stick out with `ceil`, and with `ceil_torch` starts inside."""
    if padding(ctx).startswith("same"):
        return ceil_divide(size, axis.stride)
    span, rounding = axis.span(size), ctx.text("rounding_type", "floor").lower()
    ctx.require_at_least(span, 0, FITS)
    if rounding == "floor":
        return span // axis.stride + 1
    count = ceil_divide(span, axis.stride) + 1
    return count if rounding == "ceil" else minimum(count, (size + axis.head - 1) // axis.stride + 1)


@rule("AvgPool", "MaxPool", domain=DOMAIN)
def pool(ctx: InferenceContext) -> list[Tensor]:
    """The mean or maximum of each window, and where the maximum was."""
    dims = pooled(ctx, ctx.input(0))
    return [ctx.tensor(dims), ctx.tensor(dims, dtype_of(ctx, "index_element_type"))]


@rule("AdaptiveAvgPool", "AdaptiveMaxPool", domain=DOMAIN)
def adaptive_pool(ctx: InferenceContext) -> list[Tensor]:
    """The spatial axes get the sizes that are listed."""
    x = ctx.input(0)
    ctx.require_rank(x, 3, least=True)
    sizes = counted(ctx, 1, x.rank - 2, "sizes")
    require_least(ctx, sizes, 1, "the output isn't empty")
    dims = [*x.dims[:2], *sized(ctx, sizes, 1)]
    return [ctx.tensor(dims), ctx.tensor(dims, dtype_of(ctx, "index_element_type"))]


# Images


@rule("Interpolate", "Interpolate-4", domain=DOMAIN)
def interpolate(ctx: InferenceContext) -> Tensor:
    """The listed axes get the listed sizes, or are padded and multiplied by the listed factors.

    Version 4 has both lists, later ones that which the node goes by.
    """
    x, by_scale, both = ctx.input(0), ctx.text("shape_calculation_mode") == "scales", ctx.node.op == "Interpolate-4"
    source, last = (2 if by_scale and both else 1), (3 if both else 2)
    axes = known(ctx, last, "the axes") if ctx.has(last) else tuple(range(x.rank))
    if axes is None:
        return anything(ctx, x)
    targets, dims = ctx.normals(axes, x.rank), _padded(ctx, x)
    sizes = _scaled(ctx, source, [dims[a] for a in targets]) if by_scale else counted(ctx, source, len(axes), "sizes")
    for axis, size in zip(targets, sized(ctx, sizes), strict=True):
        dims[axis] = size
    return ctx.tensor(dims)


def _scaled(ctx: InferenceContext, index: int, sizes: Sequence[Dim]) -> list[Dim | None]:
    """Sizes times the factors that an input lists."""
    value = ctx.input(index).value
    factors = value.items if isinstance(value, Elements) else (None,) * len(sizes)
    ctx.check(len(factors) == len(sizes), "there is one factor per resized axis")
    pairs = zip(sizes, factors, strict=True)
    return [by_factor(size, factor).size if isinstance(factor, Real) else None for size, factor in pairs]


@rule("Interpolate-1", domain=DOMAIN)
def interpolate_1(ctx: InferenceContext) -> Tensor:
    """The axes of the attribute get the listed sizes."""
    x = ctx.input(0)
    axes = ctx.normals(integers(ctx, "axes"), x.rank)
    sizes = dict(zip(axes, sized(ctx, counted(ctx, 1, len(axes), "sizes")), strict=True))
    return ctx.tensor([sizes.get(axis, d) for axis, d in enumerate(x.dims)])


def _padded(ctx: InferenceContext, x: Tensor) -> list[Dim]:
    """The sizes with the pads that the node names added."""
    begin, end = ((*integers(ctx, name), *[0] * x.rank) for name in ("pads_begin", "pads_end"))
    return [d + p + q for d, p, q in zip(x.dims, begin, end, strict=False)]


@rule("ROIPooling", domain=DOMAIN)
def roi_pooling(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]` and regions `[r, 5]` make `[r, c, *output]`."""
    x, regions = ctx.input(0, rank=4), ctx.input(1, rank=2)
    ctx.require_equal(regions[1], 5, "a region has an image's index and 4 coordinates")
    size = integers(ctx, "output_size") or (ctx.integer("pooled_h"), ctx.integer("pooled_w"))
    return ctx.tensor([regions[0], x[1], *size])


@rule("ROIAlign", domain=DOMAIN)
def roi_align(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]`, regions `[r, 4]` and the image of each make `[r, c, height, width]`."""
    x, regions = ctx.input(0, rank=4), ctx.input(1, rank=2)
    ctx.require_equal(regions[1], 4, "a region has 4 coordinates")
    require_vector(ctx, 2, regions[0], "each region has one batch index")
    return ctx.tensor([regions[0], x[1], ctx.integer("pooled_h"), ctx.integer("pooled_w")])
