"""Windows unfolded to columns, and columns folded to images."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt import laws
from shapesmt.algebra import Dim, equal, product
from shapesmt.ops.shared.require import require_least, sized
from shapesmt.ops.shared.windows import Window, sliding
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.windows.pooling import require_batch_only_empty
from shapesmt.rules import Tensor, tensor


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
    """Return the number of window positions on an image of these sizes, and require at least one."""
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
    sizes = sized(ctx, call.sizes("output_size"))
    ctx.check(len(sizes) == 2, laws.SIZE_HEIGHT_WIDTH)
    kernel = product(axis.kernel for axis in axes)
    ctx.require(equal(x[-2] % kernel, 0), laws.CHANNELS_SPLIT_INTO_WINDOWS, x[-2], kernel)
    ctx.require_equal(x[-1], places(call, axes, sizes), laws.COLUMN_WHERE_WINDOW_STANDS)
    return tensor(x.dtype, [*x.dims[:-2], x[-2] // kernel, *sizes])
