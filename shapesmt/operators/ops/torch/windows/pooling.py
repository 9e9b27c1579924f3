"""Pooling: the maximum or the average of each window, with or without a batch; adaptive windows fit the output size."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.require import complete_sizes, require_least
from shapesmt.operators.ops.shared.windows import DOWN, UP_INSIDE, Window, sliding
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.layout import as_image
from shapesmt.operators.ops.torch.windows.convolution import per_axis
from shapesmt.operators.rules import Shape, Tensor, tensor
from shapesmt.prover.algebra import FALSE, ONE, TRUE, Dim, all_of, equal, negate, product

AXES = {"1d": 1, "2d": 2, "3d": 3}


def spatial(call: Call) -> int:
    """Return the number of spatial axes, by the operator's name."""
    return next(count for text, count in AXES.items() if text in call.ctx.node.op)


RANK_WITH_OR_WITHOUT_BATCH = laws.SM303.law(
    "there are channels and {axes} more axes, with or without a batch: the rank is not {rank}"
)


def require_batch_only_empty(call: Call, x: Tensor, rank: int) -> None:
    """Require `rank` or `rank + 1` axes; only the batch may be empty."""
    call.ctx.check(x.rank in (rank, rank + 1), RANK_WITH_OR_WITHOUT_BATCH.of(axes=rank - 1, rank=x.rank))
    require_least(call.ctx, x.dims[-rank:], 1, laws.ONLY_BATCH_EMPTY)


PADDING_HALF_OF_KERNEL = laws.SM202.law("padding is half of the kernel at most")
WINDOW_FITS_UNPADDED = laws.SM201.law("the window fits the input, without padding")


def pool_shape(call: Call, x: Tensor, dtype: str) -> Tensor:
    """Return the input's shape with each spatial size replaced by the number of window positions."""
    ctx, count = call.ctx, spatial(call)
    require_batch_only_empty(call, x, count + 1)
    kernel, padding = (per_axis(call, name, count) for name in ("kernel_size", "padding"))
    stride = per_axis(call, "stride", count) if call.integers("stride") else kernel
    dilation = per_axis(call, "dilation", count) if "dilation" in call else (1,) * count
    ctx.check(min(kernel) > 0, laws.KERNEL_NOT_EMPTY)
    ctx.check(min((*stride, *dilation)) > 0, laws.STRIDES_AND_DILATIONS_POSITIVE)
    ctx.check(min(padding) >= 0, laws.PADDING_NOT_NEGATIVE)
    ctx.check("divisor_override" not in call or call.integer("divisor_override") != 0, laws.DIVISOR_NOT_0)
    fits = all(2 * p <= k for p, k in zip(padding, kernel, strict=True))
    ctx.check(fits, PADDING_HALF_OF_KERNEL)
    for size, k in zip(x.dims[-count:], kernel, strict=True):
        if "avg_pool3d" in ctx.node.op:  # it doesn't count the padding
            ctx.require_at_least(size, k, WINDOW_FITS_UNPADDED)
    axes = sliding(kernel, stride, dilation, (padding, padding), UP_INSIDE if call.flag("ceil_mode") else DOWN)
    sizes = [axis.places(size) for size, axis in zip(x.dims[-count:], axes, strict=True)]
    require_least(ctx, sizes, 1, laws.WINDOW_HAS_POSITION)
    output = tensor(dtype, (*x.dims[:-count], *sizes))
    if count != 2 or x.rank != 4:
        return output
    return as_image(output, [x], every=True, grows=any(axis.places(ONE).hi > 1 for axis in axes))


@operator("max_pool1d.default", "max_pool2d.default", "max_pool3d.default", follows=rows())
@operator("avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default", follows=rows())
def pool(call: Call) -> Tensor:
    """Return the maximum or the average of each window."""
    x = call.tensor("self")
    return pool_shape(call, x, x.dtype)


@operator(
    "max_pool1d_with_indices.default",
    "max_pool2d_with_indices.default",
    "max_pool3d_with_indices.default",
    follows=rows(),
)
def max_pool_with_indices(call: Call) -> list[Tensor]:
    """Return the maximum of each window and its index."""
    x = call.tensor("self")
    return [pool_shape(call, x, x.dtype), pool_shape(call, x, "int64")]


SAMPLE_PER_CHANNEL_AND_AXIS = laws.SM116.law("there is a random sample for each channel and axis")


@operator("fractional_max_pool2d.default", "fractional_max_pool3d.default")
def fractional_max_pool(call: Call) -> list[Tensor]:
    """Pool windows at random positions to the requested sizes; samples `[n, c, axes]` decide the positions."""
    x, samples, count = call.tensor("self"), call.tensor("random_samples"), spatial(call)
    require_batch_only_empty(call, x, count + 1)
    kernel, sizes = per_axis(call, "kernel_size", count), per_axis(call, "output_size", count)
    for size, k, asked in zip(x.dims[-count:], kernel, sizes, strict=True):
        call.ctx.require_at_least(size, k + asked - (count == 2), laws.WINDOW_FITS)
    call.ctx.require_rank(samples, 3)
    call.ctx.require_at_least(samples[0], x[0] if x.rank > count + 1 else 1, SAMPLE_PER_CHANNEL_AND_AXIS)
    call.ctx.require_equal(samples[1], x.dims[-count - 1], SAMPLE_PER_CHANNEL_AND_AXIS)
    call.ctx.require_equal(samples[2], count, SAMPLE_PER_CHANNEL_AND_AXIS)
    shape: list[Dim | int] = [*x.dims[:-count], *sizes]
    return [tensor(x.dtype, shape), tensor("int64", shape)]


@operator("max_unpool2d.default", "max_unpool3d.default")
def max_unpool(call: Call) -> Tensor:
    """Write each element back at its index, in an image of the requested sizes."""
    x, indices, count = call.tensor("self"), call.tensor("indices"), spatial(call)
    require_batch_only_empty(call, x, count + 1)
    call.ctx.require_agree(x, indices, law=laws.VALUES_AND_INDICES_SAME_SHAPE)
    sizes = complete_sizes(call.ctx, call.sizes("output_size"))
    call.ctx.check(len(sizes) == count, laws.ATTRIBUTE_ENTRIES.of(name="output_size", count=count))
    call.ctx.assume_valid(call.place("indices"))
    return tensor(x.dtype, [*x.dims[:-count], *sizes])


# Adaptive pooling, which fits the windows to the output size


def adapted(call: Call, x: Tensor, *, mean: bool = False) -> Shape:
    """Return the input's shape with the requested spatial sizes; with `mean`, a single window may be empty."""
    count, sizes = spatial(call), complete_sizes(call.ctx, call.sizes("output_size"))
    sole = all_of(*(equal(size, 1) for size in sizes)) if mean else FALSE
    if sole is not TRUE:
        call.ctx.check(x.rank in (count + 1, count + 2), RANK_WITH_OR_WITHOUT_BATCH.of(axes=count, rank=x.rank))
        only_spatial = "avg" in call.ctx.node.op and count < 3  # the others count the first axis as a batch
        with call.ctx.where(negate(sole)):
            require_least(call.ctx, x.dims[-count:] if only_spatial else x.dims[1:], 1, laws.ONLY_BATCH_EMPTY)
    call.ctx.check(len(sizes) == count, laws.ATTRIBUTE_ENTRIES.of(name="output_size", count=count))
    require_least(call.ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    return (*x.dims[:-count], *sizes)


@operator("adaptive_avg_pool1d.default", "adaptive_avg_pool2d.default", "adaptive_avg_pool3d.default", follows=rows())
@operator("_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default", follows=rows())
def adaptive_avg_pool(call: Call) -> Tensor:
    """Return the average of each window; unless the operator's name begins with "_", a single window may be empty."""
    x = call.tensor("self")
    return tensor(x.dtype, adapted(call, x, mean="aten._" not in call.ctx.node.op))


@operator("adaptive_max_pool1d.default", "adaptive_max_pool2d.default", "adaptive_max_pool3d.default", follows=rows())
def adaptive_max_pool(call: Call) -> list[Tensor]:
    """Return the maximum of each window and its index."""
    x = call.tensor("self")
    shape = adapted(call, x)
    return [tensor(x.dtype, shape), tensor("int64", shape)]


# Windows unfolded to columns, and columns folded to images


def windows(call: Call) -> list[Window]:
    """Return the window along height and along width."""
    ctx = call.ctx
    kernel, dilation, padding, stride = map(call.integers, ("kernel_size", "dilation", "padding", "stride"))
    for name in ("kernel_size", "dilation", "padding", "stride"):
        ctx.check(len(call.integers(name)) == 2, laws.ATTRIBUTE_ENTRIES.of(name=name, count=2))
    ctx.check(min(kernel) > 0, laws.KERNEL_NOT_EMPTY)
    ctx.check(min((*stride, *dilation)) > 0, laws.STRIDES_AND_DILATIONS_POSITIVE)
    ctx.check(min(padding) >= 0, laws.PADDING_NOT_NEGATIVE)
    return sliding(kernel, stride, dilation, (padding, padding))


def places(call: Call, axes: list[Window], sizes: Sequence[Dim]) -> Dim:
    """Return the number of window positions on an image of sizes `sizes`; require at least one."""
    counts = [axis.places(size) for size, axis in zip(sizes, axes, strict=True)]
    require_least(call.ctx, counts, 1, laws.WINDOW_HAS_POSITION)
    return product(counts)


@operator("im2col.default")
def im2col(call: Call) -> Tensor:
    """Unfold windows: `[n, c, h, w] -> [n, c*kernel, positions]`."""
    x, axes = call.tensor("self"), windows(call)
    require_batch_only_empty(call, x, 3)
    count = places(call, axes, x.dims[-2:])
    return tensor(x.dtype, [*x.dims[:-3], x[-3] * product(axis.kernel for axis in axes), count])


@operator("col2im.default")
def col2im(call: Call) -> Tensor:
    """Fold windows: `[n, c*kernel, positions] -> [n, c, h, w]`."""
    ctx, x, axes = call.ctx, call.tensor("self"), windows(call)
    require_batch_only_empty(call, x, 2)
    sizes = complete_sizes(ctx, call.sizes("output_size"))
    ctx.check(len(sizes) == 2, laws.SIZE_HEIGHT_WIDTH)
    kernel = product(axis.kernel for axis in axes)
    ctx.require(equal(x[-2] % kernel, 0), laws.CHANNELS_SPLIT_INTO_WINDOWS, x[-2], kernel)
    ctx.require_equal(x[-1], places(call, axes, sizes), laws.COLUMN_WHERE_WINDOW_STANDS)
    return tensor(x.dtype, [*x.dims[:-2], x[-2] // kernel, *sizes])
