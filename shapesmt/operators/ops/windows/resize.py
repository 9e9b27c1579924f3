"""Resize and Upsample: output sizes as requested, or from factors by the runtimes' float32 arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import inf
from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.operators.rules import Elements, Follows, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Dim,
    Formula,
    Kind,
    all_of,
    any_of,
    at_least,
    const,
    equal,
    maximum,
    minimum,
)
from shapesmt.prover.algebra.numeric import (
    Float,
    choice,
    float_at_least,
    float_equal,
    float_greatest,
    float_least,
    from_dim,
    literal,
)

HUGE = 1 << 62  # a factor beyond it may exceed int64
ONE = literal(1.0, "float32")
ROUNDED = 1 << 22  # sizes beyond it may be off by one or more after two operations in float32


class Scaled(NamedTuple):
    """One resized axis: its new size, and the conditions that its factor is positive, 1, or at least 1."""

    size: Dim
    positive: Formula = TRUE
    one: Formula = TRUE
    grows: Formula = TRUE


def by_factor(size: Dim, factor: Float) -> Scaled:
    """Return the axis with `floor(size * factor)` elements, rounded to float32 before the floor."""
    up, down = (const(HUGE) if HUGE <= f.lo < inf else f.to_int() for f in (factor.ceil(), factor.floor()))
    scaled = (from_dim(size, factor.dtype) * factor).to_int()
    return Scaled(scaled, at_least(up, 1), all_of(equal(up, 1), equal(down, 1)), at_least(down, 1))


def by_size(size: Dim, asked: Dim) -> Scaled:
    """Return the axis with the requested size `asked`, which has to be 0 if and only if the axis is empty."""
    both = all_of(at_least(size, 1), at_least(asked, 1))
    empty = all_of(equal(size, 0), equal(asked, 0))
    return Scaled(asked, any_of(both, empty), equal(asked, size), at_least(asked, size))


NEAREST = ("", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")

FACTOR_PER_AXIS = laws.SM205.law("there is one factor per axis")


def unscaled(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Axes whose size stays the same at all sizes are followed, unless a region is cut out."""
    x = ctx.input(0)
    cropped = ctx.text("coordinate_transformation_mode", "") == "tf_crop_and_resize"
    same = [d is after and (d.constant or 1) == 1 for d, after in zip(x.dims, outputs[0].dims, strict=True)]
    letters = tuple(i if kept and not cropped else None for i, kept in enumerate(same))
    return Follows((letters,), (letters,) * len(outputs))


@rule("Upsample", since=7, follows=unscaled)
def upsample(ctx: RuleContext) -> Tensor:
    """Multiply every size by its factor, which is at least 1: `floor(size * factor)`."""
    x = ctx.input(0)
    factors = attribute_factors(ctx) if ctx.version < 9 else input_factors(ctx, 1, x.rank)
    ctx.check(len(factors) == x.rank, FACTOR_PER_AXIS)
    return resized(ctx, x, by_factors(ctx, x, range(x.rank), factors))


@rule("Resize", since=10, traits=Traits.COPIED, follows=unscaled)
def resize_10(ctx: RuleContext) -> Tensor:
    """Multiply every size by its factor: `floor(size * factor)`."""
    x = ctx.input(0)
    return resized(ctx, x, by_factors(ctx, x, range(x.rank), input_factors(ctx, 1, x.rank)))


ROI_START_AND_END_PER_AXIS = laws.SM205.law("roi has a start and an end for each axis")
ASPECT_RATIO_WITH_SIZES = laws.SM205.law("an aspect ratio is kept with sizes, not with scales")


@rule("Resize", since=11, traits=Traits.COPIED, follows=unscaled)
def resize(ctx: RuleContext) -> Tensor:
    """Resize the axes in `axes` (default: all) by factors, or to sizes that `keep_aspect_ratio_policy` may change."""
    x = ctx.input(0)
    axes = ctx.normals(ctx.integers("axes", ()), x.rank) or tuple(range(x.rank))
    if ctx.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize":
        ctx.require_equal(ctx.input(1).numel, 2 * len(axes), ROI_START_AND_END_PER_AXIS)
    factors, sizes = (ctx.has(i) and ctx.input(i).numel.constant != 0 for i in (2, 3))  # files have [] for none
    ctx.check(factors or sizes, laws.SCALES_OR_SIZES)
    ctx.limit(not (factors and ctx.has(3)), laws.SCALES_OR_SIZES)
    kept = ctx.text("keep_aspect_ratio_policy", "stretch") != "stretch"
    ctx.check(not (factors and kept), ASPECT_RATIO_WITH_SIZES)
    scaled = (
        by_factors(ctx, x, axes, input_factors(ctx, 2, len(axes))) if factors and not sizes else by_sizes(ctx, x, axes)
    )
    changed = dict(zip(axes, scaled, strict=True))
    return resized(ctx, x, [changed.get(axis, Scaled(d)) for axis, d in enumerate(x.dims)])


def by_factors(ctx: RuleContext, x: Tensor, axes: Sequence[int], factors: Sequence[Float | None]) -> list[Scaled]:
    """Return `axes` of `x`, each multiplied by its factor; None is an unknown factor."""
    pairs = zip(axes, factors, strict=True)
    return [unknown(ctx, axis) if factor is None else by_factor(x[axis], factor) for axis, factor in pairs]


def by_sizes(ctx: RuleContext, x: Tensor, axes: Sequence[int]) -> list[Scaled]:
    """Return `axes` of `x` with the requested sizes, or with approximations that keep the aspect ratio."""
    asked, policy = asked_sizes(ctx, len(axes)), ctx.text("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        return in_proportion(ctx, x, axes, asked, larger=policy == "not_smaller")
    return [unknown(ctx, i) if size is None else by_size(x[i], size) for i, size in zip(axes, asked, strict=True)]


def unknown(ctx: RuleContext, axis: int) -> Scaled:
    """Return the axis with a new symbol as its size, because only run time decides its factor or size."""
    return Scaled(ctx.fresh(f"size{axis}"))


def attribute_factors(ctx: RuleContext) -> list[Float | None]:
    """Return the factors in the attribute `scales`, which the first version of Upsample has."""
    listed = ctx.attribute("scales")
    numbers = listed if isinstance(listed, tuple) else ()
    return [literal(float(f), "float32") for f in numbers if isinstance(f, (int, float))]


def input_factors(ctx: RuleContext, index: int, count: int) -> list[Float | None]:
    """Return the `count` factors that input `index` lists, None where unknown."""
    scales = ctx.input(index)
    ctx.assume_valid(index)
    ctx.require_equal(scales.numel, count, laws.FACTOR_PER_RESIZED_AXIS)
    listed = scales.value.items if isinstance(scales.value, Elements) else ()
    factors = [f if isinstance(f, Float) else None for f in listed]
    return factors if len(factors) == count else [None] * count


NUMBER_OF_SIZES_KNOWN = laws.SM205.law("it is known how many sizes are listed when the model is loaded")


def asked_sizes(ctx: RuleContext, count: int) -> list[Dim | None]:
    """Return the `count` sizes that the last input lists, None where unknown.

    ONNX's inference takes a list for an empty one if its length isn't known, as where that rests on what nodes compute.
    """
    ctx.memoizable = False
    known = ctx.input(3).numel.constant is not None if ctx.loading else ctx.is_length_known(3)
    ctx.limit_declared(known, NUMBER_OF_SIZES_KNOWN)
    ctx.require_equal(ctx.input(3).numel, count, laws.SIZE_PER_RESIZED_AXIS)
    listed = list(ctx.items(3) or ())
    return listed if len(listed) == count else [None] * count


def in_proportion(
    ctx: RuleContext, x: Tensor, axes: Sequence[int], asked: Sequence[Dim | None], *, larger: bool
) -> list[Scaled]:
    """Return `axes` multiplied by one factor: the smallest of `asked / size`, or the largest with `larger`.

    An axis that the attribute `axes` gives as a negative number keeps its size.
    """
    kept = [axis < 0 for axis in ctx.integers("axes", ()) or axes]
    pairs = [(x[i], size) for i, size, keep in zip(axes, asked, kept, strict=True) if not keep]
    if larger:
        some = any_of(*(TRUE if size is None else any_of(equal(d, 0), at_least(size, 1)) for d, size in pairs))
        ctx.require(some if pairs else TRUE, laws.FACTORS_POSITIVE)
    factor = common_factor(pairs, larger=larger)
    return [
        limit_size(
            Scaled(x[i]) if keep else multiply_size(ctx, i, x[i], factor), x[i], size, larger=None if keep else larger
        )
        for i, size, keep in zip(axes, asked, kept, strict=True)
    ]


def common_factor(pairs: Sequence[tuple[Dim, Dim | None]], *, larger: bool) -> Float | None:
    """Return the smallest (`larger`: largest) requested size / size of the pairs in float32; None if one isn't known.

    The factor of an empty axis counts as 1.
    """
    factors = [
        choice(equal(d, 0), ONE, from_dim(maximum(size, 0), "float32") / from_dim(maximum(d, 1), "float32"))
        for d, size in pairs
        if size is not None
    ]
    return reduce(float_greatest if larger else float_least, factors) if len(factors) == len(pairs) > 0 else None


def multiply_size(ctx: RuleContext, axis: int, size: Dim, factor: Float | None) -> Scaled:
    """Return `size * factor`, multiplied in float32 and rounded to the nearest integer, halves up."""
    wide = None if factor is None else (from_dim(size, "float32") * factor).cast("float64")
    if factor is None or wide is None:
        return Scaled(ctx.fresh(f"proportion{axis}", kind=Kind.LOST))
    rounded = (wide + literal(0.5, "float64")).floor().to_int()
    one, grows = float_equal(factor, ONE), float_at_least(factor, ONE)
    assert one is not None  # sizes have a quotient
    assert grows is not None
    return Scaled(rounded, one=one, grows=grows)


def limit_size(axis: Scaled, size: Dim, asked: Dim | None, *, larger: bool | None) -> Scaled:
    """Return the axis with at most (`larger`: at least) `asked` elements; unchanged if `asked` is None.

    If `larger` is None, its size stays, and only the requirement on its factor changes.
    """
    if asked is None:
        return axis
    if larger is False:
        axis = axis._replace(positive=by_size(size, asked).positive)
    else:
        axis = axis._replace(positive=any_of(at_least(size, 1), equal(asked, 0)))
    if larger is None or any(ROUNDED <= d.hi < inf for d in (size, asked)):
        return axis
    return axis._replace(size=maximum(asked, axis.size) if larger else minimum(maximum(asked, 0), axis.size))


FACTORS_AT_LEAST_1 = laws.SM205.law("every factor is at least 1")
EXCLUDE_OUTSIDE_0 = laws.SM502.law("attribute 'exclude_outside' is 0 in this mode")
NEAREST_MODE = laws.SM502.law("'nearest_mode' is {modes}")
ANTIALIAS_WITH_LINEAR_OR_CUBIC = laws.SM205.law("antialias comes with linear or cubic interpolation")


def resized(ctx: RuleContext, x: Tensor, axes: Sequence[Scaled]) -> Tensor:
    """Return `x` with the resized axes; if elements are interpolated, batch and channels have to keep their sizes."""
    grows = ctx.node.op == "Upsample"
    for axis, scaled in enumerate(axes):
        law = FACTORS_AT_LEAST_1 if grows else laws.FACTORS_POSITIVE
        ctx.require(scaled.grows if grows else scaled.positive, law, x[axis], scaled.size)
        if scaled.size.lo < 0:  # it may exceed int64
            ctx.require_at_least(scaled.size, 0, laws.SIZES_NOT_NEGATIVE)
    mode = ctx.text("mode", "nearest")
    outside = mode == "cubic" or (mode == "linear" and ctx.flag("antialias"))
    ctx.limit(outside or not ctx.flag("exclude_outside"), EXCLUDE_OUTSIDE_0)
    if mode == "nearest":
        ctx.limit(ctx.text("nearest_mode", "") in NEAREST, NEAREST_MODE.of(modes=", ".join(NEAREST[1:])))
    ctx.check(mode != "nearest" or not ctx.flag("antialias"), ANTIALIAS_WITH_LINEAR_OR_CUBIC)
    if mode != "nearest":
        ctx.require(interpolates(ctx, mode, axes), laws.INTERPOLATION_KEEPS_BATCH_AND_CHANNELS.of(mode=mode))
    return ctx.tensor([scaled.size for scaled in axes])


def interpolates(ctx: RuleContext, mode: str, axes: Sequence[Scaled]) -> Formula:
    """Return the condition under which runtimes implement the interpolation of these axes."""
    one = [scaled.one for scaled in axes]
    rank = len(axes)
    if rank == 2 or (rank == 3 and mode == "linear"):
        return TRUE
    if rank == 5 and mode == "linear":
        return all_of(one[0], one[1])
    if rank != 4:
        return FALSE
    last = all_of(one[0], one[3])
    if mode == "cubic" and not ctx.flag("antialias"):
        last = all_of(last, axes[1].grows, axes[2].grows)
    return any_of(all_of(one[0], one[1]), last)
