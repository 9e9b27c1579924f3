"""Resize and Upsample: output sizes from factors, in the runtimes' float32 arithmetic, or as requested."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from shapesmt import laws
from shapesmt.algebra import FALSE, TRUE, Dim, Formula, Kind, all_of, any_of, at_least, const, equal
from shapesmt.algebra.numeric import Float, from_dim, literal
from shapesmt.lazy import np
from shapesmt.rules import Elements, Traits, rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.rules import RuleContext, Tensor


HUGE = 1 << 62  # a factor beyond it may be no int64


class Scaled(NamedTuple):
    """One axis: its new size, and what is to be known of its factor."""

    size: Dim
    positive: Formula = TRUE
    one: Formula = TRUE
    grows: Formula = TRUE


def by_factor(size: Dim, factor: Float) -> Scaled:
    """`floor(size * factor)`, rounded to float32 before it is floored."""
    up, down = (const(HUGE) if HUGE <= f.lo < inf else f.to_int() for f in (factor.ceil(), factor.floor()))
    scaled = (from_dim(size, factor.dtype) * factor).to_int()
    return Scaled(scaled, at_least(up, 1), all_of(equal(up, 1), equal(down, 1)), at_least(down, 1))


def by_size(size: Dim, asked: Dim) -> Scaled:
    """The size asked for, which for an empty axis has to be 0."""
    both = all_of(at_least(size, 1), at_least(asked, 1))
    empty = all_of(equal(size, 0), equal(asked, 0))
    return Scaled(asked, any_of(both, empty), equal(asked, size), at_least(asked, size))


NEAREST = ("", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@rule("Upsample", since=7)
def upsample(ctx: RuleContext) -> Tensor:
    """`floor(size * factor)` on every axis, for factors of at least 1."""
    x = ctx.input(0)
    factors = attribute_factors(ctx) if ctx.version < 9 else input_factors(ctx, 1, x.rank)
    ctx.check(len(factors) == x.rank, laws.FACTOR_PER_AXIS)
    return resized(ctx, x, by_factors(ctx, x, range(x.rank), factors))


@rule("Upsample", since=10)
def upsample_gone(ctx: RuleContext) -> Tensor:
    """Later operator sets have Resize instead."""
    ctx.limit(False, laws.OPERATOR_SET_HAS_UPSAMPLE)
    return upsample(ctx)


@rule("Resize", since=10, traits=Traits.COPIED)
def resize_10(ctx: RuleContext) -> Tensor:
    """`floor(size * factor)` on every axis."""
    x = ctx.input(0)
    return resized(ctx, x, by_factors(ctx, x, range(x.rank), input_factors(ctx, 1, x.rank)))


@rule("Resize", since=11, traits=Traits.COPIED)
def resize(ctx: RuleContext) -> Tensor:
    """`floor(size * factor)` on the axes in `axes`, or the sizes asked for."""
    x = ctx.input(0)
    axes = ctx.normals(ctx.integers("axes"), x.rank) if "axes" in ctx.attributes else tuple(range(x.rank))
    if ctx.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize":
        ctx.require_equal(ctx.input(1).numel, 2 * len(axes), laws.ROI_START_AND_END_PER_AXIS)
    factors, sizes = (ctx.has(i) and ctx.input(i).numel.constant != 0 for i in (2, 3))  # files have [] for none
    ctx.check(factors or sizes, laws.SCALES_OR_SIZES)
    ctx.limit(not (factors and ctx.has(3)), laws.SCALES_OR_SIZES)
    kept = ctx.text("keep_aspect_ratio_policy", "stretch") != "stretch"
    ctx.check(not (factors and kept), laws.ASPECT_RATIO_WITH_SIZES)
    scaled = (
        by_factors(ctx, x, axes, input_factors(ctx, 2, len(axes))) if factors and not sizes else by_sizes(ctx, x, axes)
    )
    changed = dict(zip(axes, scaled, strict=True))
    return resized(ctx, x, [changed.get(axis, Scaled(d)) for axis, d in enumerate(x.dims)])


def by_factors(ctx: RuleContext, x: Tensor, axes: Sequence[int], factors: Sequence[Float | None]) -> list[Scaled]:
    """Those axes multiplied by factors."""
    pairs = zip(axes, factors, strict=True)
    return [unknown(ctx, axis) if factor is None else by_factor(x[axis], factor) for axis, factor in pairs]


def by_sizes(ctx: RuleContext, x: Tensor, axes: Sequence[int]) -> list[Scaled]:
    """The axes with the requested sizes, or with approximations that keep the aspect ratio."""
    asked, policy = asked_sizes(ctx, len(axes)), ctx.text("keep_aspect_ratio_policy", "stretch")
    kept = asked if policy == "stretch" else in_proportion(ctx, [x[a] for a in axes], asked, policy)
    results = []
    for axis, requested, size in zip(axes, asked, kept, strict=True):
        scaled = unknown(ctx, axis) if requested is None else by_size(x[axis], requested)
        if size is not None and size is not requested:
            known = size.constant is not None  # the size asked for may be negative where another axis decides
            scaled = Scaled(size, by_size(x[axis], size).positive if known else scaled.positive)
        results.append(scaled)
    return results


def unknown(ctx: RuleContext, axis: int) -> Scaled:
    """A size that depends on factors or sizes known at run time only."""
    return Scaled(ctx.fresh(f"size{axis}"))


def attribute_factors(ctx: RuleContext) -> list[Float | None]:
    """The factors of Upsample's first version."""
    listed = ctx.attribute("scales")
    numbers = listed if isinstance(listed, tuple) else ()
    return [literal(float(f), "float32") for f in numbers if isinstance(f, (int, float))]


def input_factors(ctx: RuleContext, index: int, count: int) -> list[Float | None]:
    """The factors that an input lists, None where unknown."""
    scales = ctx.input(index)
    ctx.grant(index)
    ctx.require_equal(scales.numel, count, laws.FACTOR_PER_RESIZED_AXIS)
    listed = scales.value.items if isinstance(scales.value, Elements) else ()
    factors = [f if isinstance(f, Float) else None for f in listed]
    return factors if len(factors) == count else [None] * count


def asked_sizes(ctx: RuleContext, count: int) -> list[Dim | None]:
    """The sizes that the last input lists, None where unknown."""
    ctx.require_equal(ctx.input(3).numel, count, laws.SIZE_PER_RESIZED_AXIS)
    listed = list(ctx.items(3) or ())
    return listed if len(listed) == count else [None] * count


def in_proportion(ctx: RuleContext, sizes: Sequence[Dim], asked: Sequence[Dim | None], policy: str) -> list[Dim | None]:
    """The sizes asked for, reduced (`not_larger`) or enlarged until all axes have one factor."""
    if min(ctx.integers("axes", ()), default=0) < 0:  # runtimes leave such axes out of the proportion
        return [None if a is None else ctx.fresh(f"proportion{i}", kind=Kind.LOST) for i, a in enumerate(asked)]
    if asked and all(s.constant for s in sizes) and all(a is not None and a.constant is not None for a in asked):
        requested = np.array([a.constant for a in asked if a is not None], np.float32)
        present = np.array([s.constant for s in sizes], np.float32)
        factor = (requested / present).min() if policy == "not_larger" else (requested / present).max()
        return [const(int(n)) for n in np.floor(factor * present + np.float32(0.5))]
    return [None if a is None else bounded(ctx, i, a, policy) for i, a in enumerate(asked)]


def bounded(ctx: RuleContext, index: int, asked: Dim, policy: str) -> Dim:
    """A size that rounding decides, on its side of the size asked for."""
    size = ctx.fresh(f"proportion{index}", kind=Kind.LOST)
    ctx.facts.append(at_least(asked, size) if policy == "not_larger" else at_least(size, asked))
    return size


def resized(ctx: RuleContext, x: Tensor, axes: Sequence[Scaled]) -> Tensor:
    """The resized tensor; interpolation is implemented for batches and channels kept as they are."""
    grows = ctx.node.op == "Upsample"
    for axis, scaled in enumerate(axes):
        law = laws.FACTORS_AT_LEAST_1 if grows else laws.FACTORS_POSITIVE
        ctx.require(scaled.grows if grows else scaled.positive, law, x[axis], scaled.size)
        if scaled.size.lo < 0:  # it is no int64
            ctx.require_at_least(scaled.size, 0, laws.SIZES_NOT_NEGATIVE)
    mode = ctx.text("mode", "nearest")
    outside = mode == "cubic" or (mode == "linear" and ctx.integer("antialias", 0) != 0)
    ctx.limit(outside or ctx.integer("exclude_outside", 0) == 0, laws.EXCLUDE_OUTSIDE_0)
    if mode == "nearest":
        ctx.limit(ctx.text("nearest_mode", "") in NEAREST, laws.NEAREST_MODE.of(modes=", ".join(NEAREST[1:])))
    ctx.check(mode != "nearest" or not ctx.integer("antialias", 0), laws.ANTIALIAS_WITH_LINEAR_OR_CUBIC)
    if mode != "nearest":
        ctx.require(interpolates(ctx, mode, axes), laws.INTERPOLATION_KEEPS_BATCH_AND_CHANNELS.of(mode=mode))
    return ctx.tensor([scaled.size for scaled in axes])


def interpolates(ctx: RuleContext, mode: str, axes: Sequence[Scaled]) -> Formula:
    """The ranks and the axes that runtimes interpolate along."""
    one = [scaled.one for scaled in axes]
    rank = len(axes)
    if rank == 2 or (rank == 3 and mode == "linear"):
        return TRUE
    if rank == 5 and mode == "linear":
        return all_of(one[0], one[1])
    if rank != 4:
        return FALSE
    last = all_of(one[0], one[3])
    if mode == "cubic" and not ctx.integer("antialias", 0):
        last = all_of(last, axes[1].grows, axes[2].grows)
    return any_of(all_of(one[0], one[1]), last)
