"""Counts of numbers, and sums of segments of rows."""

from __future__ import annotations

from itertools import pairwise

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import complete_sizes, require_first_axes, require_least
from shapesmt.operators.ops.tensorflow.common import DOMAIN, first, leave_open, require_each
from shapesmt.operators.ops.tensorflow.indexing import require_places
from shapesmt.operators.rules import Field, RuleContext, Tensor, move_positions, position, rule
from shapesmt.prover.algebra import FALSE, ZERO, Dim, all_of, any_of, at_least, entries, equal, less, select


@rule("Bincount", "DenseBincount", domain=DOMAIN)
def bincount(ctx: RuleContext) -> Tensor:
    """Count each number below `size`, or sum its weights; a matrix is counted row by row."""
    x, weights, size = ctx.input(0), ctx.input(2), first(ctx, 1)
    ctx.require_rank(ctx.input(1), 0)
    if ctx.node.op == "DenseBincount":
        ctx.check(x.rank <= 2, laws.RANK_AT_MOST_2.of(rank=x.rank))
    require_least(ctx, [size], 0, laws.SIZE_NOT_NEGATIVE)
    _require_weights(ctx, x, weights)
    rows = x.dims[:1] if x.rank == 2 and ctx.node.op == "DenseBincount" else ()
    return ctx.tensor([*rows, *complete_sizes(ctx, [size])], weights.dtype)


BOUNDARIES_ASCENDING = laws.SM502.law("the boundaries are in ascending order")


@rule("Bucketize", domain=DOMAIN, any_rank=True, total=True)
def bucketize(ctx: RuleContext) -> Tensor:
    """Return the index of each element's bucket; ascending boundaries separate the buckets."""
    boundaries = [b for b in ctx.attribute("boundaries") or () if isinstance(b, float)]  # type: ignore[union-attr]  # a list
    ctx.check(boundaries == sorted(boundaries), BOUNDARIES_ASCENDING)
    return ctx.tensor(ctx.input(0).shape, "int32")


ROWS_OF_VALUES_AS_MANY_AS_SORTED = laws.SM116.law("there are as many rows of values as of sorted ones")


@rule("LowerBound", "UpperBound", domain=DOMAIN)
def bound(ctx: RuleContext) -> Tensor:
    """Return the insertion index of each value of a row in the sorted row of the first input."""
    ordered, values = ctx.input(0, rank=2), ctx.input(1, rank=2)
    ctx.require_equal(ordered[0], values[0], ROWS_OF_VALUES_AS_MANY_AS_SORTED)
    return ctx.tensor(values.dims, ctx.text("out_type", "int32"))


SEGMENT_NUMBER_PER_ROW = laws.SM116.law("there is one segment number per row")


@rule(*(f"Segment{name}" for name in ("Max", "Mean", "Min", "Prod", "Sum")), domain=DOMAIN)
def segments(ctx: RuleContext) -> Tensor:
    """Reduce the rows of each segment to one; the number of segments is the last segment number plus 1."""
    x, ids = ctx.input(0, least=1), ctx.input(1, rank=1)
    ctx.require_equal(ids[0], x[0], SEGMENT_NUMBER_PER_ROW)
    return ctx.tensor([segment_count(ctx, 1), *x.dims[1:]])


SEGMENT_NUMBERS_ASCENDING = laws.SM301.law("segment numbers are in ascending order, from 0 on")


def segment_count(ctx: RuleContext, index: int) -> Dim:
    """Return the number of segments: 1 more than the last of the ascending segment numbers in input `index`."""
    ids = ctx.input(index)
    if isinstance(ids.value, Field) and not entries(ids.value.element):
        ctx.assume_valid(index)
        step = move_positions(ids.value.element, lambda axis: position(axis) + 1) - ids.value.element
        if step.lo < 0 or ids.value.element.lo < 0:
            leave_open(ctx, SEGMENT_NUMBERS_ASCENDING)
        last = move_positions(ids.value.element, lambda _: ids[0] - 1)
        return select(at_least(ids[0], 1), last + 1, 0)
    numbers = ctx.items(index)
    last_one = numbers[-1] if numbers else None
    for before, after in pairwise((ZERO, *(numbers or ()))):
        if before is not None and after is not None:
            ctx.require_at_least(after, before, SEGMENT_NUMBERS_ASCENDING)
    return ctx.fresh("count") if last_one is None else last_one + 1


SEGMENT_NUMBER_PER_INDEX = laws.SM116.law("there is one segment number per index")


@rule(*(f"SparseSegment{name}" for name in ("Mean", "SqrtN", "Sum")), domain=DOMAIN)
def sparse_segments(ctx: RuleContext) -> Tensor:
    """Reduce the rows at the given indices by segments."""
    x, indices, ids = ctx.input(0, least=1), ctx.input(1, rank=1), ctx.input(2, rank=1)
    ctx.require_equal(indices[0], ids[0], SEGMENT_NUMBER_PER_INDEX)
    require_places(ctx, indices, x[0])
    return ctx.tensor([segment_count(ctx, 2), *x.dims[1:]])


@rule(*(f"UnsortedSegment{name}" for name in ("Max", "Min", "Prod", "Sum")), domain=DOMAIN)
def unsorted_segments(ctx: RuleContext) -> Tensor:
    """Reduce elements or slices by segments; an input has the number of segments."""
    x, ids, count = ctx.input(0), ctx.input(1), first(ctx, 2)
    ctx.require_rank(ctx.input(2), 0)
    require_first_axes(ctx, ids, x, laws.SEGMENT_NUMBERS_HAVE_FIRST_AXES_OF_DATA)
    require_least(ctx, [count], 0, laws.SEGMENT_COUNT_NOT_NEGATIVE)
    if count is not None:
        require_each(ctx, ids, lambda d: less(d, count), laws.SEGMENT_NUMBERS_BELOW_COUNT, x.numel)
    return ctx.tensor([*complete_sizes(ctx, [count]), *x.dims[ids.rank :]])


WEIGHT_PER_NUMBER_OR_NONE = laws.SM116.law("there is one weight for each number, or none")


def _require_weights(ctx: RuleContext, x: Tensor, weights: Tensor) -> None:
    """Require weights of the shape of `x` (for Bincount: as many as elements of `x`), or no weights."""
    if weights.rank != 1 or weights[0] is not ZERO:
        same = all_of(*map(equal, weights.dims, x.dims)) if weights.rank == x.rank else FALSE
        if ctx.node.op == "Bincount":
            same = equal(weights.numel, x.numel)
        ctx.require(any_of(equal(weights.numel, 0), same), WEIGHT_PER_NUMBER_OR_NONE)
