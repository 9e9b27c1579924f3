"""Convolution, pooling and interpolation."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import AttributeValue
from shapesmt.operators.ops.openvino.bridge import dtype_of, integers, require_sizes
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.bridge import anything, constants_of, result
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.require import complete_sizes, open_unless, require_least, require_shape
from shapesmt.operators.ops.shared.windows import DOWN, UP, UP_INSIDE, Window, sliding
from shapesmt.operators.ops.windows.resize import by_factor, unscaled
from shapesmt.operators.rules import FLOATS, Elements, RuleContext, Tensor, Traits, tensor
from shapesmt.prover.algebra import ONE, Dim, at_least, divides, equal, maximum
from shapesmt.prover.algebra.numeric import Float

ROUNDING = {"floor": DOWN, "ceil": UP}  # "ceil_torch" is UP_INSIDE


def padding(ctx: RuleContext) -> str:
    """Return the padding mode: explicit, valid, same_upper or same_lower."""
    return ctx.text("auto_pad", "explicit").lower()


def window_attributes(ctx: RuleContext) -> dict[str, AttributeValue]:
    """Return a convolution's window attributes in ONNX's form: `pads_begin` and `pads_end` become `pads`.

    For `same_upper` and `same_lower`, `auto_pad` replaces `pads` and `dilations`.
    """
    attributes: dict[str, AttributeValue] = {"strides": integers(ctx, "strides")}
    if padding(ctx).startswith("same"):
        ctx.check(min(integers(ctx, "dilations"), default=1) >= 1, laws.STRIDES_AND_DILATIONS_POSITIVE)
        return attributes | {"auto_pad": padding(ctx).upper()}
    if padding(ctx) == "explicit":
        attributes["pads"] = integers(ctx, "pads_begin") + integers(ctx, "pads_end")
    return attributes | {"dilations": integers(ctx, "dilations")}


# Convolution


@operator("Convolution", traits=Traits.MIXED, follows=rows())
def convolution(ctx: RuleContext) -> Tensor:
    """Convolve `[n, c, *sizes]` with filters `[m, c, *kernel]`."""
    return result(ctx, "Conv", ctx.input(0), ctx.input(1), **window_attributes(ctx))


@operator("BinaryConvolution", follows=rows())
def binary_convolution(ctx: RuleContext) -> Tensor:
    """Convolve with filters whose elements are single bits."""
    return result(ctx, "Conv", ctx.input(0), tensor(ctx.input(0).dtype, ctx.input(1).dims), **window_attributes(ctx))


FILTER_RANK_INPUT_PLUS_1 = laws.SM401.law(
    "the rank of the filters is that of the input plus 1, not {rank} and {filters}"
)


@operator("GroupConvolution", follows=rows())
def group_convolution(ctx: RuleContext) -> Tensor:
    """Convolve the channels of each group with its own filters `[group, m, c, *kernel]`."""
    x, w = ctx.input(0), ctx.input(1)
    ctx.check(x.rank == w.rank - 1, FILTER_RANK_INPUT_PLUS_1.of(rank=x.rank, filters=w.rank))
    ctx.require_equal(x[1], w[0] * w[2], laws.INPUT_CHANNELS_ARE_GROUP_TIMES_WEIGHTS)
    return result(
        ctx, "Conv", x.replace(1, w[2]), tensor(w.dtype, (w[0] * w[1], *w.dims[2:])), **window_attributes(ctx)
    )


OFFSETS_WHERE_WINDOW_STANDS = laws.SM206.law("there are offsets wherever the window stands")
TWO_OFFSETS_PER_WINDOW_ELEMENT = laws.SM116.law("there are two offsets for each of the window's elements")
MASK_PER_WINDOW_ELEMENT = laws.SM116.law("there is a mask for each of the window's elements")


@operator("DeformableConvolution", follows=rows())
def deformable_convolution(ctx: RuleContext) -> Tensor:
    """Convolve; at each position, every element of the window has two offsets and, optionally, a factor."""
    x, offsets, w = (ctx.input(i) for i in range(3))
    group, deformable = ctx.integer("group", 1), ctx.integer("deformable_group", 1)
    ctx.check(group >= 1 and deformable >= 1, laws.A_GROUP.of(groups=min(group, deformable)))
    ctx.require(divides(deformable, x[1]), laws.GROUPS_DIVIDE_CHANNELS, x[1], deformable)
    output = result(ctx, "Conv", x, w, group=group, **window_attributes(ctx))
    places = (x[0], deformable * w[2] * w[3], *output.dims[2:])
    ctx.require_agree(offsets, output, but=1, law=OFFSETS_WHERE_WINDOW_STANDS)
    ctx.require_equal(offsets[1], 2 * places[1], TWO_OFFSETS_PER_WINDOW_ELEMENT)
    require_shape(ctx, 3, places, MASK_PER_WINDOW_ELEMENT)
    return output


FILTER_SIZE_COUNT = laws.SM110.law("the filters have {axes} sizes, not {count}")
KERNEL_AND_OUTPUT_NOT_EMPTY = laws.SM202.law("the kernel isn't empty, nor is the output")


@operator("ConvolutionBackpropData", "GroupConvolutionBackpropData", follows=rows())
def transposed_convolution(ctx: RuleContext) -> Tensor:
    """Compute a transposed convolution with filters `[c, m, *kernel]` or `[group, c, m, *kernel]`.

    An optional input has the output's spatial sizes.
    """
    x, w = ctx.input(0), ctx.input(1)
    groups = w[0] if ctx.node.op.startswith("Group") else ONE
    inner, outer, *kernel = w.dims[1:] if ctx.node.op.startswith("Group") else w.dims
    ctx.check(x.rank == len(kernel) + 2, FILTER_SIZE_COUNT.of(axes=x.rank - 2, count=len(kernel)))
    ctx.require_equal(x[1], groups * inner, laws.WEIGHTS_HAVE_INPUT_CHANNELS)
    axes = windows(ctx, [d.constant or 1 for d in kernel])
    extra = _output_padding(ctx, len(kernel))
    if ctx.has(2):
        requested = ctx.sizes(2, x.rank - 2)
        require_least(ctx, requested, 0, laws.SIZES_NOT_NEGATIVE)
        return ctx.tensor([x[0], outer * groups, *complete_sizes(ctx, requested)])
    axis_inputs = zip(x.dims[2:], kernel, axes, extra, strict=True)  # an empty axis counts as one of size 1
    sizes = [a._replace(kernel=k).reach(maximum(d, 1)) + more - a.head - a.tail for d, k, a, more in axis_inputs]
    require_least(ctx, [*kernel, *sizes], 1, KERNEL_AND_OUTPUT_NOT_EMPTY)
    return ctx.tensor([x[0], outer * groups, *sizes])


OUTPUT_PADDING_ENTRIES = laws.SM202.law("'output_padding' has {expected} entries, not {count}")


def _output_padding(ctx: RuleContext, count: int) -> tuple[int, ...]:
    """Return `output_padding`, one entry for each of `count` spatial axes; 0 by default."""
    extra = integers(ctx, "output_padding") or (0,) * count
    ctx.check(len(extra) == count, OUTPUT_PADDING_ENTRIES.of(expected=count, count=len(extra)))
    return extra


STRIDES_DILATIONS_PADS_ENTRIES = laws.SM502.law("'strides', 'dilations' and pads have {count} entries")


def windows(ctx: RuleContext, kernel: Sequence[int]) -> list[Window]:
    """Return the window along each axis, of size `kernel`; pads are 0 unless `auto_pad` is explicit."""
    rank, explicit = len(kernel), padding(ctx) == "explicit"
    begin, end = ((integers(ctx, name) if explicit else ()) or (0,) * rank for name in ("pads_begin", "pads_end"))
    strides, dilations = (integers(ctx, name) or (1,) * rank for name in ("strides", "dilations"))
    counts = {len(v) for v in (begin, end, strides, dilations)}
    ctx.check(counts == {rank}, STRIDES_DILATIONS_PADS_ENTRIES.of(count=rank))
    ctx.check(min((*strides, *dilations, *kernel)) >= 1, laws.STRIDES_AND_DILATIONS_POSITIVE)
    rounding = ROUNDING.get(ctx.text("rounding_type", "floor").lower(), UP_INSIDE)
    same = padding(ctx).startswith("same")
    ctx.check(min((*begin, *end)) >= 0, laws.PADDING_NOT_NEGATIVE)
    return sliding(kernel, strides, dilations, (begin, end), rounding, same=same)


# Pooling


A_SAMPLE_AND_CHANNEL = laws.SM204.law("there is a sample and a channel")
PADS_SMALLER_THAN_KERNEL = laws.SM203.law("pads are smaller than the kernel, as none of them counts")


def pooled(ctx: RuleContext, x: Tensor) -> list[Dim]:
    """Return the output's shape: the shape of `x` with each spatial size replaced by the number of window positions."""
    kernel = integers(ctx, "kernel")
    ctx.check(x.rank == len(kernel) + 2 >= 3, laws.RANK_OF_KERNEL_PLUS_2.of(rank=x.rank))
    axes = windows(ctx, kernel)
    require_least(ctx, x.dims[:2], 1, A_SAMPLE_AND_CHANNEL)
    left_out = ctx.node.op == "AvgPool" and bool(ctx.integer("exclude-pad", 0))
    narrow = any(max(a.head, a.tail.lo) >= (a.extent.constant or 0) for a in axes)
    ctx.check(not (left_out and narrow), PADS_SMALLER_THAN_KERNEL)
    return [*x.dims[:2], *(a.positions(ctx, d) for d, a in zip(x.dims[2:], axes, strict=True))]


@operator("AvgPool", "MaxPool", "MaxPool-1", follows=rows())
def pool(ctx: RuleContext) -> list[Tensor]:
    """Return the mean or maximum of each window, and the index of the maximum."""
    dims = pooled(ctx, ctx.input(0))
    if "axis" in ctx.attributes:
        ctx.axis(ctx.input(0).rank)
    return [ctx.tensor(dims), ctx.tensor(dims, dtype_of(ctx, "index_element_type"))]


@operator("AdaptiveAvgPool", "AdaptiveMaxPool", follows=rows())
def adaptive_pool(ctx: RuleContext) -> list[Tensor]:
    """Pool the spatial axes to the sizes that input 1 lists."""
    x = ctx.input(0)
    sizes = ctx.sizes(1, x.rank - 2)
    require_sizes(ctx, sizes)
    dims = [*x.dims[:2], *(maximum(d, 0) for d in complete_sizes(ctx, sizes))]
    return [ctx.tensor(dims), ctx.tensor(dims, dtype_of(ctx, "index_element_type"))]


# Images


FLOAT_SCALES_INTEGER_SIZES = laws.SM501.law("the element type is a float for scales, an integer for sizes")
PADDED_AXES_ALL_OR_SPATIAL = laws.SM502.law("axes that are padded are all or the spatial ones, in order")
SIZE_OR_FACTOR_PER_LISTED_AXIS = laws.SM205.law(
    "there is a size or a factor for each axis that is listed, and others aren't read"
)
SIZES_OR_FACTORS_ARE_LIST = laws.SM205.law("sizes or factors are a list: the rank is 1, not {rank}")


@operator("Interpolate", "Interpolate-4", follows=unscaled)
def interpolate(ctx: RuleContext) -> Tensor:
    """Pad all axes, then resize the listed axes to sizes, or by factors with `shape_calculation_mode="scales"`.

    Version 4 has inputs for both sizes and factors, later versions only for the one in use.
    """
    x, by_scale, both = ctx.input(0), ctx.text("shape_calculation_mode") == "scales", ctx.node.op == "Interpolate-4"
    source, last = (2 if by_scale and both else 1), (3 if both else 2)
    axes = constants_of(ctx, last, "the axes") if ctx.has(last) else tuple(range(x.rank))
    if axes is None:
        return anything(ctx, x)
    kind = ctx.input(source).dtype
    ctx.check(not kind or (kind in FLOATS) == by_scale, FLOAT_SCALES_INTEGER_SIZES)
    targets, dims = _resized(ctx, axes, x.rank), _pad(ctx, x)
    if len(set(axes)) < len(axes):
        open_unless(ctx, laws.AXES_NAMED_ONCE)
        return anything(ctx, x)
    if list(axes) not in (list(range(x.rank)), list(range(2, x.rank))) and dims != list(x.dims):
        open_unless(ctx, PADDED_AXES_ALL_OR_SPATIAL)
        return anything(ctx, x)
    law = SIZE_OR_FACTOR_PER_LISTED_AXIS
    ctx.check(ctx.input(source).rank == 1, SIZES_OR_FACTORS_ARE_LIST.of(rank=ctx.input(source).rank))
    ctx.require_at_least(ctx.input(source)[0], len(axes), law)
    padded = [dims[a] for a in targets]
    sizes = _scale(ctx, source, padded) if by_scale else [*(ctx.sizes(source) or ()), *[None] * len(axes)]
    for axis, size in zip(targets, complete_sizes(ctx, sizes[: len(axes)]), strict=True):
        dims[axis] = maximum(size, 0)
    return ctx.tensor(dims)


AXIS_FROM_FRONT_INSIDE_RANK = laws.SM302.law("axis {axis} is inside a tensor of rank {rank}, counted from the front")


def _resized(ctx: RuleContext, axes: Sequence[int], rank: int) -> Sequence[int]:
    """Return the axes; require that each is inside the rank and counted from the front."""
    for axis in axes:
        ctx.check(0 <= axis < rank, AXIS_FROM_FRONT_INSIDE_RANK.of(axis=axis, rank=rank))
    return axes


def _scale(ctx: RuleContext, index: int, sizes: Sequence[Dim]) -> list[Dim | None]:
    """Multiply sizes by the factors in input `index` and round down; None for each unknown factor."""
    value = ctx.input(index).value
    factors = (*(value.items if isinstance(value, Elements) else ()), *[None] * len(sizes))
    pairs = zip(sizes, factors, strict=False)
    return [by_factor(size, factor).size if isinstance(factor, Float) else None for size, factor in pairs]


@operator("Interpolate-1", follows=unscaled)
def interpolate_1(ctx: RuleContext) -> Tensor:
    """Resize the axes in the attribute `axes` to the sizes that input 1 lists."""
    x, requested = ctx.input(0), ctx.sizes(1)
    axes = _resized(ctx, sorted(set(integers(ctx, "axes"))), x.rank)
    count = ctx.input(1)[0]
    ctx.require(
        at_least(count, 1) if len(axes) == 1 else equal(count, len(axes)), SIZE_OR_FACTOR_PER_LISTED_AXIS, count
    )
    sizes = dict(zip(axes, complete_sizes(ctx, [*(requested or ()), *[None] * len(axes)]), strict=False))
    return ctx.tensor([maximum(sizes.get(axis, d), 0) for axis, d in enumerate(_pad(ctx, x))])


def _pad(ctx: RuleContext, x: Tensor) -> list[Dim]:
    """Return the sizes of `x` with `pads_begin` and `pads_end` added."""
    begin, end = ((*integers(ctx, name), *[0] * x.rank) for name in ("pads_begin", "pads_end"))
    ctx.check(min(begin + end, default=0) >= 0, laws.PADDING_NOT_NEGATIVE)
    return [d + p + q for d, p, q in zip(x.dims, begin, end, strict=False)]
