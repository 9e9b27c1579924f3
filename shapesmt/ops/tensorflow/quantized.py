"""Quantized numbers: floats made of few bits, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.dim import ONE, Dim, as_dim
from shapesmt.formula import all_of, at_least
from shapesmt.ops.laws import require_shape
from shapesmt.ops.registry import rule
from shapesmt.ops.tensorflow.common import DOMAIN, dtype_of, least, numbers, one_of, require_numbers, require_order
from shapesmt.tensor import Tensor

if TYPE_CHECKING:
    from shapesmt.context import InferenceContext
    from shapesmt.tensor import Shape


def ends(ctx: InferenceContext) -> Shape:
    """The shape of the ends of ranges: one number each, or one for each slice of the axis."""
    axis, x = least(ctx, "axis", -1, -1), ctx.input(0)
    sizes, law = ((x[ctx.normal(axis, x.rank)],) if axis != -1 else ()), "there is one range, or one for each slice"
    for index in (1, 2):
        if sizes and not ctx.input(index).rank and not ctx.node.op.startswith("QuantizeAnd"):
            ctx.require_equal(sizes[0], 1, law)
        else:
            require_shape(ctx, index, sizes, law)
    return sizes


def require_ascending(ctx: InferenceContext) -> None:
    """State that ranges, where both ends are known, begin where they end or before."""
    for low, high in zip(numbers(ctx, 1), numbers(ctx, 2), strict=False):
        require_order(ctx, low, high, "a range ends no lower than it begins")


@rule("QuantizeV2", domain=DOMAIN)
def quantize(ctx: InferenceContext) -> list[Tensor]:
    """The shape is kept; the ends of the range come out as well, those of a single slice as numbers."""
    sizes, mode = ends(ctx), one_of(ctx, "mode", "MIN_COMBINED", "MIN_FIRST", "SCALED")
    require_ascending(ctx)
    rounding = one_of(ctx, "round_mode", "HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
    ctx.check(mode == "SCALED" or rounding == "HALF_AWAY_FROM_ZERO", "only mode SCALED rounds half to even")
    ctx.check(mode != "MIN_FIRST" or not sizes, "mode MIN_FIRST has one range")
    rank_known = all(d.constant is not None or d.lo >= 2 for d in sizes)
    end = ctx.tensor([d for d in sizes if d is not ONE] if rank_known else None, "float32")
    return [ctx.tensor(ctx.input(0).dims, dtype_of(ctx, "T", "")), end, end]


@rule("Dequantize", domain=DOMAIN)
def dequantize(ctx: InferenceContext) -> Tensor:
    """The shape is kept."""
    sizes, mode = ends(ctx), one_of(ctx, "mode", "MIN_COMBINED", "MIN_FIRST", "SCALED")
    ctx.check(mode != "MIN_FIRST" or not sizes, "mode MIN_FIRST has one range")
    return ctx.tensor(ctx.input(0).dims, dtype_of(ctx, "dtype", "float32"))


@rule(*(f"QuantizeAndDequantize{v}" for v in ("", "V2", "V3", "V4")), domain=DOMAIN)
def quantize_dequantize(ctx: InferenceContext) -> Tensor:
    """The shape is kept; a range is one, or one for each slice, which only the third version has kernels for."""
    x, third = ctx.input(0), ctx.node.op.endswith("V3")
    require_bits(ctx, 3 if third else None)
    sizes = ends(ctx) if ctx.has(1) else ()
    if ctx.has(1) and ctx.integer("range_given", int(third)):
        ctx.check(not sizes or third, "a range that is given is one")
        if not sizes:
            require_ascending(ctx)
    ctx.require_rank(x, int(third), least=True)
    return ctx.tensor(x.dims)


def require_bits(ctx: InferenceContext, index: int | None) -> None:
    """State that numbers have some bits, of which an attribute or an input says how many."""
    most = 62 - ctx.integer("signed_input", 1)
    if index is not None:
        require_numbers(ctx, index)
    for bits in numbers(ctx, index) if index is not None else [as_dim(ctx.integer("num_bits", 8))]:
        if isinstance(bits, Dim):
            some = all_of(at_least(bits, 1), at_least(most, bits))
            ctx.require(some, f"numbers are quantized to 1 bit or more, and {most} at most", bits)
