"""Operators that read an image at computed places, or write one there: regions, grids, offsets, indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.dim import Dim, product
from shapesmt.formula import all_of, any_of, at_least, divides, equal, less
from shapesmt.ops.registry import rule
from shapesmt.ops.spatial import FITS, filters, positions, windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.context import InferenceContext
    from shapesmt.tensor import Tensor


IN_BATCH = "regions lie in an image of the batch"


@rule("RoiAlign", since=10)
def roi_align(ctx: InferenceContext) -> Tensor:
    """Regions `[r, 4]` of images `[n, c, h, w]`, `batch_indices[r]`: `[r, c, output_height, output_width]`."""
    x, rois, indices = ctx.input(0), ctx.input(1), ctx.input(2)
    ctx.require_rank(x, 4)
    ctx.require_rank(rois, 2)
    ctx.require_rank(indices, 1)
    ctx.require_equal(rois[1], 4, "a region has 4 coordinates")
    ctx.require_equal(rois[0], indices[0], "each region has one batch index")
    require_image(ctx, x, rois)
    for item in ctx.items(2) or ():
        if item is not None:
            ctx.require(all_of(at_least(item, 0), less(item, x[0])), IN_BATCH, item, x[0])
    size = ctx.integer("output_height", 1), ctx.integer("output_width", 1)
    return ctx.tensor([rois[0], x[1], *size])


@rule("MaxRoiPool")
def max_roi_pool(ctx: InferenceContext) -> Tensor:
    """Regions `[r, 5]` of images `[n, c, h, w]`: `[r, c, *pooled_shape]`."""
    x, rois, size = ctx.input(0), ctx.input(1), ctx.integers("pooled_shape")
    ctx.require_rank(x, 4)
    ctx.require_rank(rois, 2)
    ctx.require_equal(rois[1], 5, "a region has a batch index and 4 coordinates")
    require_image(ctx, x, rois)
    ctx.check(len(size) == 2 and min(size) > 0, "'pooled_shape' is a positive height and width")
    return ctx.tensor([rois[0], x[1], *size])


def require_image(ctx: InferenceContext, x: Tensor, rois: Tensor) -> None:
    """Without images there are no regions."""
    ctx.require(any_of(equal(rois[0], 0), at_least(x[0], 1)), IN_BATCH, x[0], 1)


@rule("GridSample", since=16)
def grid_sample(ctx: InferenceContext) -> Tensor:
    """Images `[n, c, *sizes]` read at the points of a grid `[n, *places, len(sizes)]`: `[n, c, *places]`."""
    x, grid = ctx.input(0), ctx.input(1)
    ctx.check(
        x.rank == grid.rank and x.rank in (4, 5), f"both have the same rank, 4 or 5, not {x.rank} and {grid.rank}"
    )
    ctx.check(x.rank == 4 or "cubic" not in ctx.text("mode", "linear"), "cubic sampling is for rank 4")
    ctx.require_equal(grid[0], x[0], "image and grid have the same batch")
    ctx.require_equal(grid[-1], x.rank - 2, "a point of the grid has one coordinate per spatial axis")
    for size in x.dims[2:]:
        ctx.require_at_least(size, 1, "the image isn't empty")
    return ctx.tensor([x[0], x[1], *grid.dims[1:-1]])


@rule("AffineGrid", since=20)
def affine_grid(ctx: InferenceContext) -> Tensor:
    """`theta[n, 2, 3]` and the size `[n, c, h, w]` make `[n, h, w, 2]`; the same with one more axis."""
    theta, size = ctx.input(0), ctx.input(1)
    ctx.require_rank(theta, 3)
    ctx.require_rank(size, 1)
    ctx.check(size[0].constant in (None, 4, 5), f"'size' has 4 or 5 elements, not {size[0]}")
    if size[0].constant is None:
        ctx.require(any_of(equal(size[0], 4), equal(size[0], 5)), "'size' has 4 or 5 elements", size[0], 4)
        return ctx.tensor(None)
    axes = size[0].constant - 2
    ctx.require_equal(theta[1], axes, "theta has a row per spatial axis")
    ctx.require_equal(theta[2], axes + 1, "theta has a column per spatial axis and one for the shift")
    items = ctx.items(1) or (None,) * (axes + 2)
    if items[0] is not None:
        ctx.require_equal(items[0], theta[0], "size and theta have the same batch")
    for item in items[2:]:
        if item is not None:
            ctx.require_at_least(item, 1, "the grid isn't empty")
    spatial = [ctx.fresh(f"size{i}", 1) if d is None else d for i, d in enumerate(items[2:])]
    return ctx.tensor([theta[0], *spatial, axes])


@rule("MaxUnpool", since=9)
def max_unpool(ctx: InferenceContext) -> Tensor:
    """Pooled `[n, c, *sizes]` put back where they were: `(size - 1)*stride + kernel - pads`, or `output_shape`."""
    x, kernel = ctx.input(0), ctx.integers("kernel_shape")
    ctx.require_agree(x, ctx.input(1), law="values and indices have the same shape")
    ctx.check(x.rank == len(kernel) + 2 >= 3, f"the rank is that of the kernel plus 2, not {x.rank}")
    axes = windows(ctx, kernel)
    least = [(d - 1) * a.stride + a.kernel - a.head - a.tail for d, a in zip(x.dims[2:], axes, strict=True)]
    ctx.check(
        all(max(a.head, a.tail) < k for a, k in zip(axes, kernel, strict=True)), "padding is less than the kernel"
    )
    for size in least:
        ctx.require_at_least(size, 1, "the output isn't empty")
    inferred = [x[0], x[1], *least]
    if not ctx.has(2):
        return ctx.tensor(inferred)
    asked = ctx.input(2)
    ctx.require_rank(asked, 1)
    ctx.require_equal(asked[0], x.rank, "output_shape has an element per axis")
    items = ctx.items(2) or (None,) * x.rank
    for item, size in zip(items[:2], inferred, strict=False):
        if item is not None:
            ctx.require_equal(item, size, "output_shape keeps the batch and the channels")
    known = [d for d in items if d is not None]
    if len(known) == x.rank:
        law = "output_shape has as many elements as the pooling needs"
        ctx.require_at_least(product(known), product(inferred), law)
    free = [ctx.fresh(f"size{i}") if d is None else d for i, d in enumerate(items[2:])]
    return ctx.tensor([x[0], x[1], *free])


@rule("DeformConv", since=19)
def deform_conv(ctx: InferenceContext) -> Tensor:
    """A convolution whose window has an offset for each of its elements, at each position."""
    x, w, offset = ctx.input(0), ctx.input(1), ctx.input(2)
    axes, group, groups = filters(ctx, x, w), ctx.integer("group", 1), ctx.integer("offset_group", 1)
    ctx.require_equal(x[1], w[1] * group, "the input has group times the channels of the weights")
    ctx.require(divides(group, w[0]), "group divides the number of filters", w[0], group)
    ctx.require(divides(groups, x[1]), "offset_group divides the channels", x[1], groups)
    sizes = []
    for d, a in zip(x.dims[2:], axes, strict=True):
        ctx.require_at_least(a.span(d), 1 - 2 * a.stride, FITS)
        sizes.append(positions(a.span(d), a))
    for d in x.dims[2:]:
        ctx.require(any_of(at_least(d, 1), *(equal(s, 0) for s in (x[0], *sizes))), "the image isn't empty", d, 1)
    points = product(a.kernel for a in axes) * groups
    expect(ctx, offset, [x[0], points * len(axes), *sizes], "offsets are [n, offset_group*kernel*axes, *positions]")
    if ctx.has(3):
        expect(ctx, ctx.input(3), [w[0]], "the bias has one element per filter")
    if ctx.has(4):
        expect(ctx, ctx.input(4), [x[0], points, *sizes], "the mask is [n, offset_group*kernel, *positions]")
    return ctx.tensor([x[0], w[0], *sizes])


@rule("CausalConvWithState", since=27)
def causal_conv(ctx: InferenceContext) -> list[Tensor]:
    """`[n, c, length]` under weights `[c, 1, k]`, after the `k - 1` elements of the state before."""
    x, w, activation = ctx.input(0), ctx.input(1), ctx.text("activation", "none")
    ctx.check(activation in ("none", "silu", "swish"), f"the activation is none, silu or swish, not '{activation}'")
    ctx.require_rank(x, 3)
    expect(ctx, w, [x[1], 1, w[-1]], "weights are [channels, 1, kernel]")
    ctx.require_at_least(w[2], 1, "the kernel isn't empty")
    state = [x[0], x[1], w[2] - 1]
    if ctx.has(2):
        expect(ctx, ctx.input(2), [x[1]], "the bias has one element per channel")
    if ctx.has(3):
        expect(ctx, ctx.input(3), state, "the state is [n, channels, kernel - 1]")
    return [ctx.tensor(x.dims), ctx.tensor(state)]


def expect(ctx: InferenceContext, t: Tensor, shape: Sequence[Dim | int], law: str) -> None:
    """A tensor's shape."""
    ctx.check(t.rank == len(shape), law)
    for size, wanted in zip(t.dims, shape, strict=True):
        ctx.require_equal(size, wanted, law)
