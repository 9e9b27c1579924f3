"""Images resized, or sampled at the points of a grid, and channels exchanged with pixels."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.require import complete_sizes, require_least
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.windows.pooling import spatial
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, any_of, divides, equal, select
from shapesmt.prover.algebra.numeric import from_dim, literal

BICUBIC = 2


@operator("grid_sampler.default", "grid_sampler_2d.default", "grid_sampler_3d.default", follows=rows(0, 1))
@operator("_grid_sampler_2d_cpu_fallback.default", follows=rows(0, 1))
def grid_sampler(call: Call) -> Tensor:
    """Sample an image: `[n, c, *sizes]` and a grid `[n, *points, axes]` -> `[n, c, *points]`.

    Volumes are sampled cubically since PyTorch 2.15.
    """
    ctx, x, grid = call.ctx, call.tensor("input"), call.tensor("grid")
    ranks = {"grid_sampler": (4, 5), "grid_sampler_3d": (5,)}.get(ctx.node.op.split(".")[1], (4,))
    ctx.check(x.rank in ranks and grid.rank == x.rank, laws.SAME_RANK_4_OR_5.of(rank=x.rank, other=grid.rank))
    _require_cubic_images(call, x)
    ctx.require_equal(x[0], grid[0], laws.IMAGE_AND_GRID_SAME_BATCH)
    ctx.require_equal(grid[-1], x.rank - 2, laws.GRID_COORDINATE_PER_AXIS)
    require_least(ctx, x.dims[2:], 1, laws.IMAGE_NOT_EMPTY)
    return tensor(x.dtype, [*x.dims[:2], *grid.dims[1:-1]])


def _require_cubic_images(call: Call, x: Tensor) -> None:
    """Require before PyTorch 2.15 that what is sampled cubically is an image."""
    flat = x.rank == 4 or call.integer("interpolation_mode") != BICUBIC
    call.require_if(call.before(215), TRUE if flat else FALSE, laws.CUBIC_FOR_RANK_4)


@operator("affine_grid_generator.default", follows=rows())
def affine_grid(call: Call) -> Tensor:
    """Return a grid `[n, *sizes, axes]` for matrices `[n, axes, axes + 1]` and an image size `[n, c, *sizes]`."""
    ctx, theta, size = call.ctx, call.tensor("theta"), complete_sizes(call.ctx, call.sizes("size"))
    ctx.check(len(size) in (4, 5), laws.SIZE_4_OR_5_ELEMENTS_COUNTED.of(count=len(size)))
    axes = len(size) - 2
    ctx.require_rank(theta, 3)
    ctx.require_equal(theta[0], size[0], laws.SIZE_AND_THETA_SAME_BATCH)
    rows = any_of(equal(theta[1], axes), *(equal(d, 0) for d in (size[0], *size[2:])))
    ctx.require(rows, laws.THETA_ROW_PER_AXIS, theta[1], axes)
    ctx.require_equal(theta[2], axes + 1, laws.THETA_COLUMN_PER_AXIS_AND_SHIFT)
    return tensor(theta.dtype, [size[0], *size[2:], axes])


@operator("pixel_shuffle.default", follows=rows())
def pixel_shuffle(call: Call) -> Tensor:
    """Move channels to pixels: `[..., c*r*r, h, w] -> [..., c, h*r, w*r]`."""
    ctx, factor, x = call.ctx, call.integer("upscale_factor"), call.tensor("self", least=3)
    ctx.check(factor > 0, laws.FACTORS_POSITIVE)
    law = laws.CHANNELS_SPLIT_INTO_BLOCKS.of(block=factor * factor)
    ctx.require(divides(factor * factor, x[-3]), law, x[-3], factor * factor)
    return tensor(x.dtype, [*x.dims[:-3], x[-3] // (factor * factor), x[-2] * factor, x[-1] * factor])


@operator("pixel_unshuffle.default", follows=rows())
def pixel_unshuffle(call: Call) -> Tensor:
    """Move pixels to channels: `[..., c, h*r, w*r] -> [..., c*r*r, h, w]`; an empty tensor stays as it is."""
    ctx, factor, x = call.ctx, call.integer("downscale_factor"), call.tensor("self", least=3)
    ctx.check(factor > 0, laws.FACTORS_POSITIVE)
    for size in x.dims[-2:]:
        ctx.require(divides(factor, size), laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS.of(block=factor), size, factor)
    sizes = (x[-3] * (factor * factor), x[-2] // factor, x[-1] // factor)
    pairs = zip(x.dims[-3:], sizes, strict=True)
    return tensor(x.dtype, [*x.dims[:-3], *(select(equal(x.numel, 0), d, size) for d, size in pairs)])


@operator("channel_shuffle.default", "native_channel_shuffle.default", follows=rows())
def channel_shuffle(call: Call) -> Tensor:
    """Interleave the channels of `groups` groups, whose number divides the channels; the shape is unchanged."""
    ctx, groups, x = call.ctx, call.integer("groups"), call.tensor("self", least=3)
    ctx.check(groups > 0, laws.GROUP_POSITIVE)
    ctx.require(divides(groups, x[1]), laws.GROUPS_DIVIDE_CHANNELS, x[1], groups)
    return tensor(x.dtype, x.dims)


# Images resized to requested sizes or by factors


def resize(call: Call, x: Tensor, sizes: list[Dim]) -> Tensor:
    """Return `x` resized to `[n, c, *sizes]`; require that only the batch may be empty."""
    ctx, count = call.ctx, spatial(call)
    ctx.check(len(sizes) == count, laws.SIZE_PER_RESIZED_AXIS)
    ctx.require_rank(x, count + 2)
    require_least(ctx, (*x.dims[1:], *sizes), 1, laws.ONLY_BATCH_EMPTY)
    return tensor(x.dtype, [*x.dims[:2], *sizes])


def scale(size: Dim, factor: float) -> Dim:
    """Return `floor(size * factor)`, computed in double precision."""
    return (from_dim(size, "float64") * literal(factor, "float64")).to_int()


NAMES = [
    *("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d"),
    *("upsample_trilinear3d", "upsample_bicubic2d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d"),
    *("_upsample_nearest_exact3d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa"),
]


@operator(*(f"{name}.default" for name in NAMES), follows=rows())
def upsample(call: Call) -> Tensor:
    """Resize an image to the requested sizes."""
    return resize(call, call.tensor("self"), complete_sizes(call.ctx, call.sizes("output_size")))


@operator(*(f"{name}.vec" for name in NAMES), follows=rows())
def upsample_by_factors(call: Call) -> Tensor:
    """Resize an image to the requested sizes, or by a factor per spatial axis."""
    x, factors = call.tensor("input"), call.numbers("scale_factors")
    call.ctx.check(("output_size" in call) != ("scale_factors" in call), laws.SCALES_OR_SIZES)
    if "output_size" in call:
        return resize(call, x, complete_sizes(call.ctx, call.sizes("output_size")))
    call.ctx.require_rank(x, spatial(call) + 2)
    call.ctx.check(len(factors) == spatial(call), laws.FACTOR_PER_RESIZED_AXIS)
    return resize(call, x, [scale(size, factor) for size, factor in zip(x.dims[2:], factors, strict=True)])
