"""Read an image at computed points, or write to it: regions, grids, offsets, indices."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import PICKED, alone, rows
from shapesmt.operators.ops.shared.indices import require_places
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_shape, require_vector
from shapesmt.operators.ops.shared.windows import TOWARDS_ZERO
from shapesmt.operators.ops.windows.spatial import filters, pooling, require_group
from shapesmt.operators.rules import Follows, RuleContext, Tensor, rule
from shapesmt.prover.algebra import Dim, any_of, at_least, divides, equal, product


def regions(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """A region is cut out of the image that its index names."""
    images = (PICKED, *[None] * (ctx.input(0).rank - 1))
    return Follows((images, alone(2), alone(1)), tuple(alone(t.rank) for t in outputs))


@rule("RoiAlign", since=10, follows=regions)
def roi_align(ctx: RuleContext) -> Tensor:
    """Sample regions `[r, 4]` of images `[n, c, h, w]`, `batch_indices[r]`: `[r, c, output_height, output_width]`."""
    x, rois, indices = ctx.input(0, rank=4), ctx.input(1, rank=2), ctx.input(2, rank=1)
    ctx.require_equal(rois[1], 4, laws.REGION_4_COORDINATES)
    ctx.require_equal(rois[0], indices[0], laws.BATCH_INDEX_PER_REGION)
    require_image(ctx, x, rois)
    require_places(ctx, 2, x[0], laws.REGIONS_IN_IMAGE_OF_BATCH)
    size = ctx.integer("output_height", 1), ctx.integer("output_width", 1)
    return ctx.tensor([rois[0], x[1], *size])


POOLED_SHAPE_POSITIVE = laws.SM202.law("'pooled_shape' is a positive height and width")


@rule("MaxRoiPool")
def max_roi_pool(ctx: RuleContext) -> Tensor:
    """Pool regions `[r, 5]` of images `[n, c, h, w]`: `[r, c, *pooled_shape]`."""
    x, rois, size = ctx.input(0, rank=4), ctx.input(1, rank=2), ctx.integers("pooled_shape")
    ctx.require_equal(rois[1], 5, laws.REGION_BATCH_INDEX_AND_COORDINATES)
    require_image(ctx, x, rois)
    ctx.check(len(size) == 2 and min(size) > 0, POOLED_SHAPE_POSITIVE)
    return ctx.tensor([rois[0], x[1], *size])


def require_image(ctx: RuleContext, x: Tensor, rois: Tensor) -> None:
    """Require that there is an image if there are regions."""
    ctx.require(any_of(equal(rois[0], 0), at_least(x[0], 1)), laws.REGIONS_IN_IMAGE_OF_BATCH, x[0], 1)


@rule("GridSample", since=16, follows=rows(0, 1))
def grid_sample(ctx: RuleContext) -> Tensor:
    """Sample images `[n, c, *sizes]` at the points of a grid `[n, *points, len(sizes)]`: `[n, c, *points]`."""
    x, grid = ctx.input(0), ctx.input(1)
    ctx.check(x.rank == grid.rank and x.rank in (4, 5), laws.SAME_RANK_4_OR_5.of(rank=x.rank, other=grid.rank))
    _require_mode(ctx)
    ctx.check(x.rank == 4 or "cubic" not in ctx.text("mode", "linear"), laws.CUBIC_FOR_RANK_4)
    ctx.require_equal(grid[0], x[0], laws.IMAGE_AND_GRID_SAME_BATCH)
    ctx.require_equal(grid[-1], x.rank - 2, laws.GRID_COORDINATE_PER_AXIS)
    require_least(ctx, x.dims[2:], 1, laws.IMAGE_NOT_EMPTY)
    return ctx.tensor([x[0], x[1], *grid.dims[1:-1]])


MODE_ONE_OF_THREE = laws.SM502.law("the mode is {first}, {second} or {third}")


def _require_mode(ctx: RuleContext) -> None:
    """Require that `mode` is one of the interpolations that the opset names."""
    modes = ("nearest", "linear", "cubic") if ctx.version >= 20 else ("nearest", "bilinear", "bicubic")
    law = MODE_ONE_OF_THREE.of(first=modes[0], second=modes[1], third=modes[2])
    ctx.limit(ctx.text("mode", modes[1]) in modes, law)


SIZE_4_OR_5_ELEMENTS = laws.SM206.law("'size' has 4 or 5 elements")


@rule("AffineGrid", since=20, follows=rows())
def affine_grid(ctx: RuleContext) -> Tensor:
    """Make a grid `[n, h, w, 2]` from `theta[n, 2, 3]` and the size `[n, c, h, w]`; or the same in three dimensions."""
    theta, size = ctx.input(0, rank=3), ctx.input(1, rank=1)
    ctx.check(size[0].constant in (None, 4, 5), laws.SIZE_4_OR_5_ELEMENTS_COUNTED.of(count=size[0]))
    if size[0].constant is None:
        ctx.require(any_of(equal(size[0], 4), equal(size[0], 5)), SIZE_4_OR_5_ELEMENTS, size[0], 4)
        return ctx.tensor(None)
    axes = size[0].constant - 2
    ctx.require_equal(theta[1], axes, laws.THETA_ROW_PER_AXIS)
    ctx.require_equal(theta[2], axes + 1, laws.THETA_COLUMN_PER_AXIS_AND_SHIFT)
    items = ctx.items(1) or (None,) * (axes + 2)
    if items[0] is not None:
        ctx.require_equal(items[0], theta[0], laws.SIZE_AND_THETA_SAME_BATCH)
    require_least(ctx, items[2:], 1, laws.GRID_NOT_EMPTY)
    return ctx.tensor([theta[0], *complete_sizes(ctx, items[2:], 1), axes])


INDICES_INSIDE_OUTPUT = laws.SM301.law("indices are inside the output")


@rule("MaxUnpool", since=9)
def max_unpool(ctx: RuleContext) -> Tensor:
    """Write pooled `[n, c, *sizes]` to their indices in `output_shape`, or `(size - 1)*stride + kernel - pads` each."""
    x = ctx.input(0)
    ctx.require_agree(x, ctx.input(1), law=laws.VALUES_AND_INDICES_SAME_SHAPE)
    pairs = zip(x.dims[2:], pooling(ctx, x), strict=True)
    least = [(d - 1) * a.stride + a.kernel - a.head - a.tail for d, a in pairs]
    require_least(ctx, least, 1, laws.OUTPUT_NOT_EMPTY)
    sizes = unpool_sizes(ctx, [x[0], x[1], *least])
    require_places(ctx, 1, product(sizes), INDICES_INSIDE_OUTPUT)
    return ctx.tensor(sizes)


OUTPUT_SHAPE_ELEMENT_PER_AXIS = laws.SM202.law("output_shape has an element per axis")


def unpool_sizes(ctx: RuleContext, inferred: Sequence[Dim]) -> list[Dim]:
    """Return the sizes in `output_shape`, of at least as many elements as `inferred`; if omitted, return `inferred`."""
    if not ctx.has(2):
        return list(inferred)
    require_vector(ctx, 2, len(inferred), OUTPUT_SHAPE_ELEMENT_PER_AXIS)
    items = ctx.items(2) or (None,) * len(inferred)
    for item, size in zip(items[:2], inferred, strict=False):
        if item is not None:
            ctx.require_equal(item, size, laws.OUTPUT_SHAPE_KEEPS_BATCH_AND_CHANNELS)
    known = [d for d in items if d is not None]
    if len(known) == len(inferred):
        ctx.require_at_least(product(known), product(inferred), laws.OUTPUT_SHAPE_HAS_POOLED_ELEMENTS)
    return [*inferred[:2], *complete_sizes(ctx, items[2:])]


OFFSET_GROUP_DIVIDES_CHANNELS = laws.SM106.law("offset_group divides the channels")
IMAGE_HAS_CHANNEL_AND_FILTER = laws.SM106.law("the image has a channel and the convolution a filter")
OFFSETS_SHAPE = laws.SM206.law("offsets are [n, offset_group*kernel*axes, *positions]")
MASK_GROUPS_KERNEL_POSITIONS = laws.SM113.law("the mask is [n, offset_group*kernel, *positions]")


@rule("DeformConv", since=19, follows=rows(0, 2, 4))
def deform_conv(ctx: RuleContext) -> Tensor:
    """Convolve with an offset for each element of the window, at each position."""
    x, w, groups = ctx.input(0, rank=4), ctx.input(1), ctx.integer("offset_group", 1)
    axes = filters(ctx, x, w, TOWARDS_ZERO)
    require_least(ctx, w.dims[2:], 1, laws.KERNEL_NOT_EMPTY)
    require_group(ctx, x, w)
    ctx.require(divides(groups, x[1]), OFFSET_GROUP_DIVIDES_CHANNELS, x[1], groups)
    require_least(ctx, (x[1], w[0]), 1, IMAGE_HAS_CHANNEL_AND_FILTER)
    sizes = [a.positions(ctx, d) for d, a in zip(x.dims[2:], axes, strict=True)]
    for d in x.dims[2:]:
        ctx.require(any_of(at_least(d, 1), *(equal(s, 0) for s in (x[0], *sizes))), laws.IMAGE_NOT_EMPTY, d, 1)
    points = product(a.kernel for a in axes) * groups
    require_shape(ctx, 2, [x[0], points * len(axes), *sizes], OFFSETS_SHAPE)
    require_vector(ctx, 3, w[0], laws.BIAS_PER_FILTER)
    require_shape(ctx, 4, [x[0], points, *sizes], MASK_GROUPS_KERNEL_POSITIONS)
    return ctx.tensor([x[0], w[0], *sizes])


WEIGHTS_CHANNELS_1_KERNEL = laws.SM106.law("weights are [channels, 1, kernel]")
CONVOLUTION_STATE_SHAPE = laws.SM115.law("the state is [n, channels, kernel - 1]")


@rule("CausalConvWithState", since=27, follows=rows(0, 3))
def causal_conv(ctx: RuleContext) -> list[Tensor]:
    """Convolve `[n, c, length]` with weights `[c, 1, k]`, after the `k - 1` elements of the previous state."""
    x, w = ctx.input(0, rank=3), ctx.input(1)
    ctx.require_rank(w, 3)
    require_shape(ctx, 1, [x[1], 1, w[-1]], WEIGHTS_CHANNELS_1_KERNEL)
    ctx.require_at_least(w[2], 1, laws.KERNEL_NOT_EMPTY)
    ctx.require_at_least(x[1], 1, IMAGE_HAS_CHANNEL_AND_FILTER)
    ctx.require_at_least(x[2], 1, laws.SEQUENCE_NOT_EMPTY)
    state = [x[0], x[1], w[2] - 1]
    require_vector(ctx, 2, x[1], laws.BIAS_PER_CHANNEL)
    require_shape(ctx, 3, state, CONVOLUTION_STATE_SHAPE)
    return [ctx.tensor(x.dims), ctx.tensor(state)]
