"""Convolution and pooling: windows that slide over the axes after batch and channel."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import Runtime
from shapesmt.operators.ops.shared.follows import alone, rows
from shapesmt.operators.ops.shared.require import (
    open_unless,
    require_fits,
    require_least,
    require_one_or,
    require_same,
    require_single,
    require_vector,
)
from shapesmt.operators.ops.shared.windows import DOWN, TOWARDS_ZERO, UP_BEFORE_END, Rounding, Window, sliding
from shapesmt.operators.rules import Follows, Keeps, Letters, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import ZERO, Dim, any_of, as_dim, at_least, ceil_divide, divides, equal, minimum


def windows(ctx: RuleContext, kernel: Sequence[Dim | int], rounding: Rounding) -> list[Window]:
    """Return the windows that the attributes describe, one per axis of `kernel`; `rounding` is for position counts.

    ONNX's inference refuses negative padding once it knows the sizes of the kernel; kernels take it for a crop.
    """
    rank = len(kernel)
    strides, dilations = per_axis(ctx, "strides", rank), per_axis(ctx, "dilations", rank)
    pads = (0,) * 2 * rank if is_left_out(ctx, "pads", 2 * rank, kernel) else per_axis(ctx, "pads", 2 * rank, 0)
    ctx.check(min((*strides, *dilations), default=1) >= 1, laws.STRIDES_AND_DILATIONS_POSITIVE)
    if "kernel_shape" in ctx.attributes or ctx.runtime is Runtime.STANDARD:
        ctx.check(min(pads, default=0) >= 0, laws.PADDING_NOT_NEGATIVE)
    else:
        ctx.limit_declared(min(pads, default=0) >= 0 or not is_known(ctx, kernel), laws.PADDING_NOT_NEGATIVE)
    axes = sliding(kernel, strides, dilations, (pads[:rank], pads[rank:]), rounding)
    for window in axes:
        require_fits(ctx, window.extent, "the dilated kernel")
    return axes


def per_axis(ctx: RuleContext, name: str, length: int, default: int = 1) -> tuple[int, ...]:
    """Return the `length` numbers in attribute `name`, by default each `default`: one per axis, or two for `pads`."""
    values = ctx.integers(name, (default,) * length)
    ctx.check(len(values) == length, laws.ATTRIBUTE_ENTRIES.of(name=name, count=length))
    return values


def is_left_out(ctx: RuleContext, name: str, length: int, kernel: Sequence[Dim | int]) -> bool:
    """Whether attribute `name` is omitted or an empty list, which ONNX Runtime's convolutions take for omitted.

    ONNX's inference refuses an empty list instead of `length` entries once it knows the sizes of the kernel.
    """
    strict = "kernel_shape" in ctx.attributes or ctx.runtime is Runtime.STANDARD
    if name not in ctx.attributes or ctx.integers(name) or strict:
        return name not in ctx.attributes
    ctx.limit_declared(not is_known(ctx, kernel), laws.ATTRIBUTE_ENTRIES.of(name=name, count=length))
    return True


def is_known(ctx: RuleContext, kernel: Sequence[Dim | int]) -> bool:
    """Whether the sizes of a kernel are numbers, or an attribute."""
    return "kernel_shape" in ctx.attributes or all(as_dim(size).constant is not None for size in kernel)


def same(ctx: RuleContext) -> bool:
    """Whether `auto_pad` is SAME_UPPER or SAME_LOWER: an axis then has `ceil(size / stride)` window positions."""
    return ctx.text("auto_pad", "NOTSET").startswith("SAME")


# Convolution


INPUT_RANK_3_OR_MORE = laws.SM303.law("the input has rank 3 or more, not {rank}")
AUTO_PAD_OR_PADS = laws.SM202.law("a node has auto_pad or pads, not both")
KERNEL_SHAPE_ENTRIES = laws.SM202.law("'kernel_shape' has {count} entries")
WINDOW_HAS_ELEMENT = laws.SM204.law("the window has an element")


def filters(ctx: RuleContext, x: Tensor, w: Tensor, rounding: Rounding = DOWN) -> list[Window]:
    """Return the windows of a convolution with weights `w`; `kernel_shape`, unless omitted, must be that of `w`."""
    ctx.check(x.rank >= 3, INPUT_RANK_3_OR_MORE.of(rank=x.rank))
    for name in ("strides", "dilations"):  # they give the rank if the weights don't
        per_axis(ctx, name, x.rank - 2)
    ctx.check(x.rank == w.rank, laws.INPUT_AND_WEIGHT_SAME_RANK.of(rank=x.rank, other=w.rank))
    padding = "pads" not in ctx.attributes or ctx.text("auto_pad", "NOTSET") == "NOTSET"
    ctx.check(padding, AUTO_PAD_OR_PADS)
    kernel = ctx.integers("kernel_shape", ())
    counted = "kernel_shape" not in ctx.attributes or len(kernel) == w.rank - 2
    ctx.check(counted, KERNEL_SHAPE_ENTRIES.of(count=w.rank - 2))
    ctx.check(min(kernel, default=1) >= 1, laws.KERNEL_NOT_EMPTY)
    require_same(ctx, w.dims[2:], kernel, laws.KERNEL_SHAPE_IS_WEIGHTS)
    ctx.limit_declared(ZERO not in w.dims[2:], WINDOW_HAS_ELEMENT)
    return [a._replace(same=same(ctx)) for a in windows(ctx, w.dims[2:], rounding)]


def convolve(ctx: RuleContext, x: Tensor, w: Tensor, bias: int, dtype: str | None = None) -> Tensor:
    """Convolve `[n, c, *sizes]` with weights `[m, c/group, *kernel]`: `[n, m, *positions of the window]`.

    `bias` is the index of the optional input `[m]`.
    """
    axes = filters(ctx, x, w)
    require_group(ctx, x, w)
    require_vector(ctx, bias, w[0], laws.BIAS_PER_FILTER)
    if same(ctx):
        ctx.limit(all(a.dilation == 1 for a in axes), laws.SAME_PADDING_WITHOUT_DILATION)
        require_least(ctx, x.dims[2:], 1, laws.INPUT_NOT_EMPTY)
    sizes = [a.positions(ctx, size) for size, a in zip(x.dims[2:], axes, strict=True)]
    return ctx.tensor([x[0], w[0], *sizes], dtype)


def require_group(ctx: RuleContext, x: Tensor, w: Tensor) -> None:
    """Require that the input has `group` times as many channels as the weights, and that `group` divides filters."""
    group = ctx.integer("group", 1)
    ctx.check(group != 0, laws.GROUP_POSITIVE)  # below 0, an input without channels runs
    ctx.require_equal(x[1], w[1] * group, laws.INPUT_CHANNELS_ARE_GROUP_TIMES_WEIGHTS)
    ctx.require(divides(group, w[0]), laws.GROUP_DIVIDES_FILTERS, w[0], group)


def beside_sizes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Batch and channels are kept, windows are along the other axes; indices are given."""
    return Follows((alone(ctx.input(0).rank, (0, 1)),), tuple(alone(t.rank, (0, 1)) for t in outputs))


def filtered(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each image and each filter makes a channel of an image."""
    rest: Letters = (None,) * (ctx.input(0).rank - 2)
    bias: Letters = ("filter",)
    return Follows(
        (("image", None, *rest), ("filter", None, *rest), bias), (("image", "filter", *rest),) * len(outputs)
    )


@rule("Conv", traits=Traits.MIXED, follows=filtered)
def conv(ctx: RuleContext) -> Tensor:
    """Convolve the padded input with each filter; undecided if the window has no elements."""
    x, w = ctx.input(0), ctx.input(1)
    y = convolve(ctx, x, w, 2)
    _require_window(ctx, w, (x[0], x[1], w[0]))
    return y


def _require_window(ctx: RuleContext, w: Tensor, sizes: Sequence[Dim]) -> None:
    """Leave the node undecided if the window has no element, unless one of `sizes` is 0: nothing is computed then.

    ONNX Runtime runs some of these convolutions, and never ends others.
    """
    for size in w.dims[2:]:
        open_unless(ctx, WINDOW_HAS_ELEMENT, any_of(at_least(size, 1), *(equal(d, 0) for d in sizes)))


@rule("ConvInteger", since=10, dtype="int32", follows=rows())
def conv_integer(ctx: RuleContext) -> Tensor:
    """Convolve quantized integers to int32; shapes are as for `Conv`."""
    require_single(ctx, 2)
    ctx.require_rank(ctx.input(1), 3, least=True)
    require_one_or(ctx, 3, ctx.input(1)[0], laws.ONE_ZERO_POINT_OR_PER_FILTER)
    return convolve(ctx, ctx.input(0), ctx.input(1), 99, "int32")


ONE_SCALE_AND_ZERO_POINT_OR_PER_FILTER = laws.SM109.law("there is one scale and zero point, or one per filter")


@rule("QLinearConv", since=10, traits=Traits(Keeps.MIXED, operands=(0, 3, 8)), follows=rows())
def qlinear_conv(ctx: RuleContext) -> Tensor:
    """Convolve quantized numbers; the element type is that of the output's zero point."""
    x, w = ctx.input(0), ctx.input(3)
    require_single(ctx, 1, 2, 6, 7)
    ctx.require_rank(w, 3, least=True)
    for index in (4, 5):
        require_one_or(ctx, index, w[0], ONE_SCALE_AND_ZERO_POINT_OR_PER_FILTER)
    return convolve(ctx, x, w, 8, ctx.input(7).dtype)


@rule("ConvTranspose", traits=Traits.MIXED, follows=rows())
def conv_transpose(ctx: RuleContext) -> Tensor:
    """Compute a transposed convolution: `[n, c, *sizes]`, weights `[c, m/group, *kernel]` -> `[n, m, *new sizes]`."""
    x, w, group = ctx.input(0), ctx.input(1), ctx.integer("group", 1)
    axes = filters(ctx, x, w)
    ctx.check(group > 0, laws.GROUP_POSITIVE)
    ctx.require_equal(x[1], w[0], laws.WEIGHTS_HAVE_INPUT_CHANNELS)
    ctx.require(divides(group, x[1]), laws.GROUP_DIVIDES_CHANNELS, x[1], group)
    require_vector(ctx, 2, w[1] * group, laws.BIAS_PER_FILTER)
    rank, kernel = len(axes), w.dims[2:]
    extra = (0,) * rank if is_left_out(ctx, "output_padding", rank, kernel) else per_axis(ctx, "output_padding", rank)
    asked = None if is_left_out(ctx, "output_shape", rank, kernel) else per_axis(ctx, "output_shape", rank)
    nothing = [equal(d, 0) for d in (x[0], x[1], w[1], x[-1])]
    for d in x.dims[2:-1] if len(axes) > 2 else ():  # runtimes abort
        ctx.limit(any_of(at_least(d, 1), *nothing), laws.INPUT_NOT_EMPTY, d, 1)
    sizes = zip(x.dims[2:], axes, extra, asked or [None] * rank, strict=True)
    return ctx.tensor([x[0], w[1] * group, *(spread(ctx, *size) for size in sizes)])


OUTPUT_SHAPE_WITHIN_REACH = laws.SM201.law("output_shape is within reach of the weights")


def spread(ctx: RuleContext, size: Dim, axis: Window, extra: int, asked: int | None) -> Dim:
    """Return the output size along one axis: `asked` unless it is None, else what the weights reach without the pads.

    `extra` is the entry of `output_padding`.
    """
    ctx.require_at_least(axis.kernel, 1, laws.KERNEL_NOT_EMPTY)
    ctx.check(0 <= extra < axis.stride, laws.OUTPUT_PADDING_BELOW_STRIDE)
    ctx.require_at_least(size, 1 if extra else 0, laws.OUTPUT_PADDING_INPUT_NOT_EMPTY)
    full = axis.reach(size)
    if asked is not None:
        ctx.limit(at_least(size, 1), laws.INPUT_NOT_EMPTY, size, 1)
        reach = full + axis.stride - 1
        ctx.limit(at_least(reach, asked), OUTPUT_SHAPE_WITHIN_REACH, reach, asked)
        output = as_dim(asked)
    elif axis.same:
        output = minimum(full + extra, size * axis.stride)
    else:
        output = full + extra - axis.head - axis.tail
    ctx.require_at_least(output, 1, laws.OUTPUT_NOT_EMPTY)
    return output


# Pooling


def window_count(ctx: RuleContext, size: Dim, axis: Window) -> Dim:
    """Return the number of window positions on an axis of `size` elements; `auto_pad` decides the pads."""
    padding: Dim | int = axis.head + axis.tail if ctx.text("auto_pad", "NOTSET") == "NOTSET" else 0
    if same(ctx):
        padding = (ceil_divide(size, axis.stride) - 1) * axis.stride + axis.kernel - size
        if _is_plain(ctx):
            law = laws.NO_STRIDE_SKIPS_END
            ctx.limit(any_of(at_least(padding, 0), equal(ctx.input(0)[0], 0)), law, padding, 0)
    return axis._replace(tail=as_dim(padding - axis.head)).positions(ctx, size)


def _is_plain(ctx: RuleContext) -> bool:
    """Whether runtimes use the kernel that refuses negative padding."""
    if ctx.node.op == "AveragePool":
        return ctx.version < 19 and not (ctx.flag("ceil_mode", only_one=True) and ctx.flag("count_include_pad"))
    dilated = any(d != 1 for d in ctx.integers("dilations", ()))
    return ctx.node.op == "MaxPool" and ctx.outputs == 1 and not dilated


def require_batch_only_empty(ctx: RuleContext, x: Tensor) -> None:
    """Require that samples have elements, unless there are no samples."""
    for d in x.dims[1:]:
        ctx.require(any_of(equal(x[0], 0), at_least(d, 1)), laws.ONLY_BATCH_EMPTY, d, 1)


PADDING_BELOW_KERNEL = laws.SM202.law("padding is less than the kernel")


def pooling(ctx: RuleContext, x: Tensor) -> list[Window]:
    """Return the windows of pooling, one for each spatial axis."""
    kernel = ctx.integers("kernel_shape")
    ctx.check(min(kernel, default=1) >= 1, laws.KERNEL_NOT_EMPTY)
    ctx.check(x.rank == len(kernel) + 2 >= 3, laws.RANK_OF_KERNEL_PLUS_2.of(rank=x.rank))
    ctx.limit(x.rank <= 5, laws.RANK_3_4_OR_5.of(rank=x.rank))
    axes = windows(ctx, kernel, UP_BEFORE_END if ctx.flag("ceil_mode", only_one=True) else TOWARDS_ZERO)
    fits = all(max(a.head, a.tail.lo) < k for a, k in zip(axes, kernel, strict=True))
    ctx.limit(fits, PADDING_BELOW_KERNEL)
    return axes


def pool(ctx: RuleContext) -> Tensor:
    """Return the output of a pool: each spatial size becomes the number of window positions."""
    x = ctx.input(0)
    axes = pooling(ctx, x)
    require_batch_only_empty(ctx, x)
    return ctx.tensor([*x.dims[:2], *(window_count(ctx, d, a) for d, a in zip(x.dims[2:], axes, strict=True))])


@rule("AveragePool", "LpPool", follows=beside_sizes)
def average_pool(ctx: RuleContext) -> Tensor:
    """Return the mean or the Lp norm of each window."""
    return pool(ctx)


@rule("MaxPool", follows=beside_sizes)
def max_pool(ctx: RuleContext) -> list[Tensor]:
    """Return the maximum of each window, and its index."""
    y = pool(ctx)
    return [y, ctx.tensor(y.dims, "int64")]


@rule("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", follows=beside_sizes)
def global_pool(ctx: RuleContext) -> Tensor:
    """Reduce every spatial axis to size 1: `[n, c, h, w] -> [n, c, 1, 1]`."""
    x = ctx.input(0)
    ctx.check(3 <= x.rank <= 5, laws.RANK_3_4_OR_5.of(rank=x.rank))
    require_batch_only_empty(ctx, x)
    return ctx.tensor([*x.dims[:2], *(1 for _ in x.dims[2:])])
