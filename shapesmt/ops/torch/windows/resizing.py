"""Images resized to requested sizes or by factors."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import Dim
from shapesmt.algebra.numeric import from_dim, literal
from shapesmt.ops.shared.require import require_least, sized
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.windows.pooling import spatial
from shapesmt.rules import Tensor, tensor


def resized(call: Call, x: Tensor, sizes: list[Dim]) -> Tensor:
    """Return an image `[n, c, *sizes]`, and require that only the batch is empty."""
    ctx, count = call.ctx, spatial(call)
    ctx.check(len(sizes) == count, laws.SIZE_PER_RESIZED_AXIS)
    ctx.require_rank(x, count + 2)
    require_least(ctx, (*x.dims[1:], *sizes), 1, laws.ONLY_BATCH_EMPTY)
    return tensor(x.dtype, [*x.dims[:2], *sizes])


def scaled(size: Dim, factor: float) -> Dim:
    """Return `floor(size * factor)`, computed in double precision."""
    return (from_dim(size, "float64") * literal(factor, "float64")).to_int()


NAMES = [
    *("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d"),
    *("upsample_trilinear3d", "upsample_bicubic2d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d"),
    *("_upsample_nearest_exact3d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa"),
]


@operator(*(f"{name}.default" for name in NAMES))
def upsample(call: Call) -> Tensor:
    """Resize to the requested sizes."""
    return resized(call, call.tensor("self"), sized(call.ctx, call.sizes("output_size")))


@operator(*(f"{name}.vec" for name in NAMES))
def upsample_by_factors(call: Call) -> Tensor:
    """Resize to the requested sizes, or by a factor per spatial axis."""
    x, factors = call.tensor("input"), call.numbers("scale_factors")
    call.ctx.check(("output_size" in call) != ("scale_factors" in call), laws.SCALES_OR_SIZES)
    if "output_size" in call:
        return resized(call, x, sized(call.ctx, call.sizes("output_size")))
    call.ctx.require_rank(x, spatial(call) + 2)
    call.ctx.check(len(factors) == spatial(call), laws.FACTOR_PER_RESIZED_AXIS)
    return resized(call, x, [scaled(size, factor) for size, factor in zip(x.dims[2:], factors, strict=True)])
