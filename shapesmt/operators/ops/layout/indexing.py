"""Select elements by index or condition: `Gather` and its relatives, `OneHot`, `NonZero`, `Compress`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.network.graph import Runtime
from shapesmt.operators.ops.shared.fields import (
    along,
    concrete,
    element_list,
    element_of,
    integers_of,
    moved_elements,
    numbers,
    value_of,
    within,
)
from shapesmt.operators.ops.shared.follows import PICKED
from shapesmt.operators.ops.shared.indices import columns, count_true, fold_all, require_inside, true_place
from shapesmt.operators.ops.shared.require import element, require_vector
from shapesmt.operators.rules import (
    MAX_ELEMENTS,
    Decided,
    Elements,
    Field,
    Follows,
    Item,
    Keeps,
    RuleContext,
    Shape,
    Tensor,
    Traits,
    Value,
    elements,
    field,
    move_positions,
    position,
    rule,
    uniform,
)
from shapesmt.prover.algebra import (
    FALSE,
    ZERO,
    Atom,
    Dim,
    Kind,
    all_of,
    any_of,
    as_dim,
    at_least,
    differs,
    divides,
    entries,
    entry,
    equal,
    expand_definitions,
    product,
    select,
    total,
    twin,
)
from shapesmt.prover.algebra.numeric import Float

MOST_TRIED = 1 << 20  # elements times values of the sizes on which they depend


def gathered(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The axes of the indices take the place of the axis that they index."""
    x, indices = ctx.input(0), ctx.input(1)
    axis, own, chosen = ctx.axis(x.rank, 0), tuple(range(x.rank)), tuple(("index", i) for i in range(indices.rank))
    before, after = own[:axis], own[axis + 1 :]
    return Follows(((*before, PICKED, *after), chosen), ((*before, *chosen, *after),) * len(outputs))


def gathered_elements(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each index is at the position of the element that it gives, off the axis that it indexes."""
    x = ctx.input(0)
    axis, own = ctx.axis(x.rank, 0), tuple(range(x.rank))
    return Follows((tuple(PICKED if i == axis else i for i in own), own), (own,) * len(outputs))


def gathered_tuples(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
    """The first `batch_dims` axes are shared, an index tuple picks on the following ones, the last are kept."""
    x, indices, batch = ctx.input(0), ctx.input(1), ctx.integer("batch_dims", 0)
    depth = indices[-1].constant
    if depth is None:
        return None
    shared = tuple(range(batch))
    own = (*shared, *[PICKED] * depth, *range(batch + depth, x.rank))
    chosen = (*shared, *(("index", i) for i in range(batch, indices.rank - 1)))
    return Follows((own, (*chosen, None)), ((*chosen, *own[batch + depth :]),) * len(outputs))


def hot_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The axes of the indices are kept, around the new one."""
    indices = tuple(range(ctx.input(0).rank))
    axis = ctx.axis(len(indices) + 1, -1)
    return Follows((indices,), ((*indices[:axis], None, *indices[axis:]),) * len(outputs))


@rule("Gather", traits=Traits.LOOKUP, follows=gathered)
def gather(ctx: RuleContext) -> Tensor:
    """Gather along an axis: `out[..., i, ...] = x[..., indices[i], ...]`."""
    x, indices = ctx.input(0), ctx.input(1)
    axis = ctx.axis(x.rank, 0)
    require_inside(ctx, indices, x[axis])
    dims = (*x.dims[:axis], *indices.dims, *x.dims[axis + 1 :])
    return ctx.tensor(dims, value=_gather_elements(x, indices, axis, dims))


def _gather_elements(x: Tensor, indices: Tensor, axis: int, dims: Shape) -> Value | None:
    known, chosen = element_list(x) if x.value is not None else None, element_list(indices)
    if known is not None and chosen is not None and concrete(dims) is not None:
        if len(chosen.items) > MAX_ELEMENTS or not (chosen.items or known.items):
            return None
        size, below = known.shape[axis], known.shape[axis + 1 :]
        block = size * prod(below)
        blocks = [known.items[i * block : (i + 1) * block] for i in range(prod(known.shape[:axis]))]
        picked = [item for items in blocks for index in chosen.items for item in _row(items, size, prod(below), index)]
        return elements((*known.shape[:axis], *chosen.shape, *below), picked)
    after, place = x.rank - axis - 1, element_of(indices)
    if place is None or x.value is None:
        return None
    at = within(move_positions(place, lambda b: position(b + after)), x[axis])
    back = x.rank - axis

    def moved(b: int) -> Dim:
        return at if b == back else position(b) if b < back else position(b + indices.rank - 1)

    return moved_elements(x, dims, moved)


def _row(items: Sequence[Item], size: int, width: int, index: Item) -> Sequence[Item]:
    """Return row `index` of `size` rows, each `width` items; a symbolic index chooses each item. None: unknown item."""
    if not isinstance(index, Dim) or not size:
        return (None,) * width
    if index.constant is not None:
        start = index.constant % size * width
        return items[start : start + width] if -size <= index.constant < size else (None,) * width
    place = within(index, as_dim(size))
    return [along(items[k::width], place) for k in range(width)]


@rule("GatherElements", since=11, traits=Traits.LOOKUP, follows=gathered_elements)
def gather_elements(ctx: RuleContext) -> Tensor:
    """Gather elements: `out[i, j] = x[indices[i, j], j]` for axis 0; `indices` is no larger than `x` on other axes."""
    x, indices = ctx.input(0), ctx.input(1)
    axis = same_rank(ctx, x, indices)
    require_inside(ctx, indices, x[axis])
    return ctx.tensor(indices.dims, value=picked_elements(x, indices, axis))


def picked_elements(x: Tensor, indices: Tensor, axis: int) -> Value | None:
    """Return the elements of `x` at the indices along `axis`, and at the same place on the other axes."""
    place = element_of(indices)
    if place is None or x.value is None:
        return None
    at, back = within(place, x[axis]), x.rank - axis
    return moved_elements(x, indices.dims, lambda b: at if b == back else position(b))


def same_rank(ctx: RuleContext, x: Tensor, indices: Tensor) -> int:
    """Return the attribute `axis`; require the same rank of data and indices, and indices no larger off the axis."""
    ctx.check(x.rank == indices.rank, laws.DATA_AND_INDICES_ONE_RANK.of(rank=x.rank, other=indices.rank))
    axis = ctx.axis(x.rank, 0)
    for i in range(x.rank):
        if i != axis:
            ctx.require(at_least(x[i], indices[i]), laws.INDICES_NO_LARGER_THAN_DATA, indices[i], x[i])
    return axis


BATCH_DIMS_WITHIN_RANK = laws.SM302.law("the data have {batch} batch axes, and the indices an axis of index tuples")


@rule("GatherND", since=11, traits=Traits.LOOKUP, follows=gathered_tuples)
def gather_nd(ctx: RuleContext) -> Tensor:
    """Gather slices: `out[b, i] = x[b, *indices[b, i]]`; the last axis of `indices` holds index tuples.

    The first `batch_dims` axes are shared.
    """
    x, indices = ctx.input(0), ctx.input(1)
    batch = ctx.integer("batch_dims", 0)
    ctx.check(0 <= batch <= x.rank and indices.rank > 0, BATCH_DIMS_WITHIN_RANK.of(batch=batch))
    depth = _tuple_length(ctx, x, indices, batch)
    _require_tuples(ctx, x, indices, batch, depth or 0)
    if depth is None:
        _require_reached(ctx, x.dims[batch:], indices)
        return ctx.tensor(None)
    picked = columns(indices, depth)
    rest = product(x.dims[batch + depth :])
    for i, column in enumerate(picked):
        require_inside(ctx, column, x[batch + i], equal(rest, 0))  # indices of empty slices aren't read
    dims = (*indices.dims[:-1], *x.dims[batch + depth :])
    alike = x.dims[:batch] == indices.dims[:-1][:batch]
    return ctx.tensor(dims, value=_picked_tuples(x, picked, batch, dims) if alike else None)


def _require_tuples(ctx: RuleContext, x: Tensor, indices: Tensor, batch: int, depth: int) -> None:
    """Require equal batch axes, as ONNX does, or index tuples that split evenly into batches, enough for ONNX Runtime.

    `batch` is the number of batch axes, `depth` the length of an index tuple.
    """
    if not batch:
        return
    tuples, batches = product(indices.dims[:-1]), product(x.dims[:batch])
    alike = all_of(*map(equal, x.dims[:batch], indices.dims)) if batch < indices.rank else FALSE
    if ctx.runtime is Runtime.STANDARD:
        ctx.require(alike, laws.INDEX_TUPLES_SPLIT_INTO_BATCHES, tuples, batches)
        return
    nothing = equal(tuples * product(x.dims[batch + depth :]), 0)
    even = all_of(at_least(batches, 1), divides(batches, tuples))
    ctx.require(any_of(alike, nothing, even), laws.INDEX_TUPLES_SPLIT_INTO_BATCHES, tuples, batches)


def _tuple_length(ctx: RuleContext, x: Tensor, indices: Tensor, batch: int) -> int | None:
    """Return the length of an index tuple after `batch` axes, at most the indexed rank; None if unknown or longer."""
    depth, most = indices[-1].constant, x.rank - batch
    ctx.require_at_least(most, indices[-1], laws.INDEX_TUPLE_WITHIN_INDEXED_RANK)
    return None if depth is None or depth > most else depth


def _require_reached(ctx: RuleContext, indexed: Shape, indices: Tensor) -> None:
    """Require indices inside the `indexed` axes, as far as index tuples of unknown length reach."""
    depth = indices[-1]
    for i, column in enumerate(columns(indices, len(indexed)) if depth.constant is None else ()):
        empty = (all_of(at_least(j, depth), equal(indexed[j], 0)) for j in range(i + 1, len(indexed)))
        require_inside(ctx, column, indexed[i], any_of(at_least(i, depth), *empty))


def _picked_tuples(x: Tensor, picked: Sequence[Tensor], batch: int, dims: Shape) -> Value | None:
    parts = [element_of(column) for column in picked]
    tail = x.rank - batch - len(picked)
    places = [
        within(move_positions(part, lambda b: position(b + tail)), x[batch + i])
        for i, part in enumerate(parts)
        if part is not None
    ]
    if len(places) < len(parts):
        return None

    def moved(b: int) -> Dim:
        axis = x.rank - b
        return position(len(dims) - axis) if axis < batch else places[axis - batch] if b > tail else position(b)

    return moved_elements(x, dims, moved)


VALUES_OFF_AND_ON = laws.SM116.law("values are off and on")


@rule("OneHot", since=9, any_rank=True, traits=Traits(Keeps.COPIED, copied=(2,)), follows=hot_axes)
def one_hot(ctx: RuleContext) -> Tensor:
    """Insert an axis of size `depth`, which holds `on` at each index and `off` elsewhere: `[n] -> [n, depth]`."""
    indices, amount, values = ctx.input(0), ctx.input(1), ctx.input(2)
    ctx.limit(indices.shape is None or indices.rank > 0, laws.RANK_AT_LEAST_1)
    _require_file_indices(ctx)
    if values.shape is not None:
        require_vector(ctx, 2, 2, VALUES_OFF_AND_ON)
    depth = _depth(ctx, amount)
    if indices.shape is None:
        return ctx.tensor(None, values.dtype)
    axis = ctx.axis(indices.rank + 1, -1)
    if depth is not None:
        ctx.require_at_least(depth, 1, laws.DEPTH_AT_LEAST_1)
    size = element(ctx, "depth", 1, 0, 1) if depth is None else depth
    dims = [*indices.dims[:axis], size, *indices.dims[axis:]]
    return ctx.tensor(dims, values.dtype, _hot(indices, values, size, axis, dims))


FILE_INDICES_NOT_NEGATIVE = laws.SM301.law("before opset 11, indices that are a constant of the file are not negative")


def _require_file_indices(ctx: RuleContext) -> None:
    """Require that constant indices aren't negative before opset 11."""
    in_file = ctx.version < 11 and ctx.node.inputs[0] in ctx.literals
    negative = in_file and any(isinstance(i, Dim) and i.hi < 0 for i in ctx.items(0) or ())
    ctx.check(not negative, FILE_INDICES_NOT_NEGATIVE)


DEPTH_ONE_NUMBER = laws.SM401.law("depth is one number")


def _depth(ctx: RuleContext, amount: Tensor) -> Dim | None:
    """Return the depth of `OneHot`, the number of classes in `amount`; None if it isn't known."""
    if amount.shape is not None:
        fits = equal(amount.numel, 1) if amount.rank <= 1 else FALSE
        ctx.limit(fits, DEPTH_ONE_NUMBER, amount.numel, 1)
    return _single(ctx, 1)


def _hot(indices: Tensor, values: Tensor, depth: Dim, axis: int, dims: Sequence[Dim]) -> Value | None:
    place = element_of(indices)
    ends = values.value.items if isinstance(values.value, Elements) else ()
    if place is None or len(ends) != 2 or not all(isinstance(e, Dim) for e in ends):
        return None
    off, on = (e for e in ends if isinstance(e, Dim))
    back = len(dims) - axis
    at = within(move_positions(place, lambda b: position(b if b < back else b + 1)), depth)
    return value_of(dims, select(equal(at, position(back)), on, off))


def _single(ctx: RuleContext, index: int) -> Dim | None:
    """Return the single number in input `index`, truncated to an integer; None if it isn't known."""
    ctx.assume_valid(index)
    value = ctx.input(index).value
    item = value.items[0] if isinstance(value, Elements) and len(value.items) == 1 else None
    return item.to_int() if isinstance(item, Float) else item


@rule("NonZero", since=9, any_rank=True, dtype="int64")
def non_zero(ctx: RuleContext) -> Tensor:
    """List the indices of nonzero elements: `[rank, count]`."""
    x = ctx.input(0)
    if x.shape is None:
        return ctx.tensor((ctx.fresh("rank", 1), ctx.fresh("count")), "int64")
    rank = max(x.rank, 1)
    count = _count_nonzero(ctx, x)
    return ctx.tensor((rank, count), "int64", _places(ctx, x, count))


def _places(ctx: RuleContext, x: Tensor, count: Dim) -> Value | None:
    """Return the indices of the `count` nonzero elements, one row per axis; unknown ones are bounded by the axis."""
    if isinstance(x.value, Elements) and count.constant is not None:
        truths = np.array([i is not None and i is not ZERO for i in x.value.items]).reshape(x.value.shape or 1)
        places = np.array(np.nonzero(truths))
        return numbers(places) if places.shape[1] == count.constant else None
    if (uniform(x.value) or ZERO).lo > 0:
        inner = [product(x.dims[axis + 1 :]) for axis in range(x.rank)]
        every = [position(1) // n % x[axis] if axis else position(1) // n for axis, n in enumerate(inner)]
        row = along(every, position(2)) if every else position(1)
        return None if row is None else value_of((as_dim(max(x.rank, 1)), count), row)
    rows = _rows(ctx, x)
    element = along(rows, position(2)) if rows else None
    return None if element is None else field(element)


def _rows(ctx: RuleContext, x: Tensor) -> list[Dim]:
    """Return, for each axis, a formula for its index of the i-th nonzero element; if unknown, any index of the axis."""
    items = x.value.items if isinstance(x.value, Elements) else ()
    known = [i for i in items if isinstance(i, Dim)]
    if x.value is not None and not 0 < len(known) == len(items):
        return []
    if isinstance(x.value, Elements) and len(known) * prod(s.hi - s.lo + 1 for s in _symbols(known)) <= MOST_TRIED:
        before = [total(select(differs(i, 0), 1, 0) for i in known[:end]) for end in range(len(known))]
        ends = zip(known, before, strict=True)
        hits = [select(all_of(differs(i, 0), equal(count, position(1))), 1, 0) for i, count in ends]
        indices = np.unravel_index(range(len(known)), x.value.shape or (1,))
        return [total(int(at) * hit for at, hit in zip(row, hits, strict=True)) for row in indices]
    places = (true_place(ctx, 0, axis, free=not known) for axis in range(x.rank))
    return [entry(twin(place, Kind.ENTRY), position(1)) for place in places]


def _symbols(items: Sequence[Dim]) -> frozenset[Atom]:
    return frozenset().union(*(i.symbols for i in items))


def _count_nonzero(ctx: RuleContext, x: Tensor) -> Dim:
    ctx.only_sizes(0)
    if isinstance(x.value, Elements):
        ones = [select(differs(i, 0), 1, 0) for i in x.value.items if isinstance(i, Dim)]
        unknown = len(x.value.items) - len(ones)
        return total(ones) + (ctx.fresh("count", 0, unknown, how=Decided((0,))) if unknown else ZERO)
    same = uniform(x.value)
    if same is not None and x.numel.lo >= 0:
        return select(differs(same, 0), x.numel, 0)
    if isinstance(x.value, Field) and not entries(x.value.element):
        return fold_all("sum", select(differs(x.value.element, 0), 1, 0), x.dims)
    return count_true(ctx, 0)


@rule("Compress", since=9)
def compress(ctx: RuleContext) -> Tensor:
    """Select the slices along `axis`, or the elements of the flattened tensor, for which the condition is true."""
    x, condition = ctx.input(0), ctx.input(1)
    axis = ctx.axis(x.rank) if "axis" in ctx.attributes else None
    if ctx.version >= 11:
        ctx.require_rank(x, 1, least=True)
    size = x.numel if axis is None else x[axis]
    ctx.only_sizes(1)
    count = _count_taken(ctx, size, condition)
    return ctx.tensor((count,) if axis is None else x.replace(axis, count).dims)


def _count_taken(ctx: RuleContext, size: Dim, condition: Tensor) -> Dim:
    """Return the number of true flags in `condition` among the first `size`, for which there is an element."""
    flags, length = integers_of(condition), size.constant
    if flags is not None and (length is not None or size.lo >= len(flags)):
        return as_dim(sum(map(bool, flags[:length])))
    if not condition.followed and (
        expand_definitions(condition.numel) is expand_definitions(size) or condition.numel.hi <= size.lo
    ):
        return count_true(ctx, 1)
    count = ctx.fresh("count", 0, size, Kind.LOST if condition.followed else Kind.DATA, how=Decided((1,)))
    ctx.facts.append(at_least(condition.numel, count))
    return count
