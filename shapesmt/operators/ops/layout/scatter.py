"""Write elements by index: `ScatterND`, `ScatterElements`, `TensorScatter`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.operators.ops.layout.indexing import same_rank
from shapesmt.operators.ops.shared.fields import Array, array_of, element_of, integers_of, term_of, value_of
from shapesmt.operators.ops.shared.follows import PICKED, named_axes, rows
from shapesmt.operators.ops.shared.indices import columns, require_inside, spans
from shapesmt.operators.rules import (
    Elements,
    Follows,
    Item,
    Keeps,
    Memory,
    RuleContext,
    Tensor,
    Traits,
    Value,
    from_array,
    move_positions,
    position,
    positions,
    rule,
)
from shapesmt.prover.algebra import ONE, ZERO, Dim, at_least, entries, equal, implies, less, maximum, minimum
from shapesmt.prover.algebra.numeric import choice


def scattered_elements(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Elements that stay are at their own position; updates and indices move along the axis."""
    rank = ctx.input(0).rank
    axis, own = ctx.axis(rank, 0), tuple(range(rank))
    moved = tuple(PICKED if i == axis else i for i in own)
    return Follows((own, moved, moved), (own,) * len(outputs))


def scattered_tuples(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
    """Elements that stay are at their own position; the axes that index tuples don't name are those of the updates."""
    x, indices = ctx.input(0), ctx.input(1)
    depth, own = indices[-1].constant, tuple(range(x.rank))
    if depth is None:
        return None
    moved = named_axes(indices, own[:depth])
    return Follows((own, (*moved, PICKED), (*moved, *own[depth:])), (own,) * len(outputs))


@rule("Scatter", "ScatterElements", since=9, traits=Traits.SCATTERED, follows=scattered_elements)
def scatter_elements(ctx: RuleContext) -> Tensor:
    """Write elements: `out[indices[i, j], j] = updates[i, j]` for axis 0; off the axis, `indices` is no larger."""
    x, indices, updates = ctx.input(0), ctx.input(1), ctx.input(2)
    axis = same_rank(ctx, x, indices)
    ctx.require_agree(indices, updates, law=laws.UPDATES_SHAPED_AS_INDICES)
    require_inside(ctx, indices, x[axis])
    return ctx.tensor(x.dims, value=_written_elements(ctx, axis))


def _written_elements(ctx: RuleContext, axis: int) -> Value | None:
    x, updates, constants = ctx.input(0), array_of(ctx.input(2)), integers_of(ctx.input(1))
    if not isinstance(x.value, Elements) or constants is None or updates is None or len(constants) != updates.size:
        return None
    indices = np.array(constants, dtype=object).reshape(updates.shape)
    return _write_updates(
        ctx, x.value.array, [(*at[:axis], indices[at], *at[axis + 1 :]) for at in np.ndindex(updates.shape)], updates
    )


@rule(
    "ScatterND",
    since=11,
    traits=Traits(Keeps.COPIED, Memory.OVER_FIRST, indices=(1,), tuples=True, copied=(0, 2)),
    follows=scattered_tuples,
)
def scatter_nd(ctx: RuleContext) -> Tensor:
    """Write slices: `out[*indices[i]] = updates[i]`; the last axis of `indices` holds index tuples."""
    x, indices, updates = ctx.input(0), ctx.input(1), ctx.input(2)
    depth = _depth(ctx, x, indices, updates)
    target = ctx.tensor((*indices.dims[:-1], *x.dims[depth:]))
    ctx.require_agree(updates, target, law=laws.UPDATES_SHAPED_AS_INDEXED_DATA)
    tuples = columns(indices, depth)
    for column, size in zip(tuples, x.dims[:depth], strict=False):
        require_inside(ctx, column, size)
    return ctx.tensor(x.dims, value=_written_tuples(ctx) or _written_part(ctx, tuples))


def _written_part(ctx: RuleContext, tuples: list[Tensor]) -> Value | None:
    """Return the elements after a write to one block, such as `x[1:, 1:] = y`; None for other writes.

    `tuples` holds the written indices of each indexed axis.
    """
    x, old, new = ctx.input(0), term_of(ctx.input(0)), term_of(ctx.input(2))
    if old is None or new is None or ctx.text("reduction", "none") != "none":
        return None
    part = _part(x, ctx.input(1), tuples)
    if part is None:
        return None
    inner = x.rank - len(tuples)
    places = [position(x.rank - axis) for axis in range(len(tuples))]
    moved = {along.back + inner: place - along.start for place, along in zip(places, part, strict=True)}
    result: Item = move_positions(new, lambda back: position(back) if back <= inner else moved.get(back, ZERO))
    for place, along, size in zip(places, part, x.dims[: len(tuples)], strict=True):
        end = along.start + along.length
        if along.length is ONE:
            result = choice(equal(place, along.start), result, old) if size is not ONE else result
            continue
        before = choice(less(place, end), result, old) if end is not size else result
        result = choice(at_least(place, along.start), before, old)
    return value_of(x.dims, result)


class _Along(NamedTuple):
    """The written range of an axis: `length` elements from `start` on, counted by axis `back` of the index tuples."""

    start: Dim
    length: Dim
    back: int


def _part(x: Tensor, indices: Tensor, tuples: list[Tensor]) -> list[_Along] | None:
    """Return the block that index tuples address, each element once; None if they don't address a block."""
    counted = {b: d for b, d in enumerate(reversed(indices.dims[:-1]), 1) if d is not ONE}
    part = []
    for column, size in zip(tuples, x.dims, strict=False):
        element = element_of(column)
        if element is None or entries(element):
            return None
        back = next((b for b in counted if position(b).as_symbol() in element.symbols), 0)
        start = element - position(back) if back else element
        if positions(start) or start.lo < 0 <= start.hi:
            return None
        part.append(_Along(start + size if start.hi < 0 else start, counted.pop(back, ONE), back))
    return part if not counted and len(part) == len(tuples) else None


def _written_tuples(ctx: RuleContext) -> Value | None:
    x, indices, updates, constants = ctx.input(0), ctx.input(1), array_of(ctx.input(2)), integers_of(ctx.input(1))
    if (
        not isinstance(x.value, Elements)
        or constants is None
        or updates is None
        or not isinstance(indices.value, Elements)
    ):
        return None
    *many, depth = indices.value.shape
    if depth > x.rank or updates.shape != (*many, *x.value.shape[depth:]):
        return None
    tuples, lead = np.array(constants, dtype=object).reshape(indices.value.shape), len(many)
    return _write_updates(
        ctx, x.value.array, [(*tuples[at[:lead]], *at[lead:]) for at in np.ndindex(updates.shape)], updates
    )


def _write_updates(ctx: RuleContext, array: Array, places: list[tuple[int, ...]], updates: Array) -> Value | None:
    """Return the array after writing an update at each index of `places`, in order; None if an index is outside."""
    reduction = ctx.text("reduction", "none")
    for place, update in zip(places, updates.ravel().tolist(), strict=True):
        if any(not -n <= i < n for i, n in zip(place, array.shape, strict=True)):
            return None
        array[place] = _reduce(reduction, array[place], update)
    return from_array(array)


def _reduce(reduction: str, old: Item, new: Item) -> Item:
    if reduction == "none":
        return new
    if not isinstance(old, Dim) or not isinstance(new, Dim):
        return None
    if reduction in ("add", "mul"):
        return old + new if reduction == "add" else old * new
    return minimum(old, new) if reduction == "min" else maximum(old, new) if reduction == "max" else None


SEQUENCE_AXIS_NOT_BATCH = laws.SM302.law("the sequence axis is not the batch axis")


@rule("TensorScatter", since=24, traits=Traits.COPIED, follows=rows(0, 1, 2))
def tensor_scatter(ctx: RuleContext) -> Tensor:
    """Write new steps into a cache: `out[b, ..., write_indices[b] + i, ...] = update[b, ..., i, ...]`."""
    cache, update = ctx.input(0), ctx.input(1)
    axis = ctx.axis(cache.rank, -2)
    ctx.check(axis != 0, SEQUENCE_AXIS_NOT_BATCH)
    ctx.require_agree(cache, update, but=axis, law=laws.CACHE_AND_UPDATE_MATCH_OFF_SEQUENCE)
    ctx.require_at_least(cache[axis], update[axis], laws.UPDATE_NO_LONGER_THAN_CACHE)
    if ctx.has(2) and ctx.input(2).shape is not None:
        require_starts(ctx, cache[axis], update[axis])
    return ctx.tensor(cache.dims)


def require_starts(ctx: RuleContext, room: Dim, length: Dim) -> None:
    """Require that each update of `length` steps ends inside the cache of `room` steps, unless it is circular."""
    starts = ctx.input(2, rank=1)
    ctx.require_equal(starts[0], ctx.input(0)[0], laws.WRITE_INDEX_PER_BATCH_ELEMENT)
    circular = ctx.text("mode", "linear") == "circular"
    for condition, least, greatest in spans(ctx, starts, laws.WRITE_INDICES_NOT_NEGATIVE, 2):
        ctx.require(implies(condition, at_least(least, 0)), laws.WRITE_INDICES_NOT_NEGATIVE, least, 0)
        if not circular:
            end = greatest + length
            ctx.require(implies(condition, at_least(room, end)), laws.WRITES_END_INSIDE_CACHE, end, room)


DATA_AND_INDICES_NOT_SCALAR = laws.SM303.law("data and indices are no scalars")
INDEX_TUPLE_AXES_LEFT_BY_UPDATES = laws.SM306.law(
    "an index tuple names 0 to {rank} axes, not the {depth} that updates leave"
)
INDEX_TUPLE_AXES_OF_UPDATES = laws.SM306.law("an index tuple names the axes that updates leave out")


def _depth(ctx: RuleContext, x: Tensor, indices: Tensor, updates: Tensor) -> int:
    """Return the length of index tuples: the number of data axes that the updates' slices don't have."""
    ctx.check(x.rank >= 1 and indices.rank >= 1, DATA_AND_INDICES_NOT_SCALAR)
    depth = indices.rank - 1 + x.rank - updates.rank
    ctx.check(0 <= depth <= x.rank, INDEX_TUPLE_AXES_LEFT_BY_UPDATES.of(rank=x.rank, depth=depth))
    ctx.require_equal(indices[-1], depth, INDEX_TUPLE_AXES_OF_UPDATES)
    return depth
