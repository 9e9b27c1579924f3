"""Order and compare elements: `TopK` and `Unique`."""

from __future__ import annotations

from functools import reduce

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.network.graph import Runtime
from shapesmt.operators.ops.shared.fields import MAX_CHOICES, integers_of, numbers
from shapesmt.operators.ops.shared.follows import apart_from, as_a_whole
from shapesmt.operators.ops.shared.items import LOGIC, PREDICATES, Function, choose_item
from shapesmt.operators.rules import Decided, Elements, Item, RuleContext, Tensor, Traits, Value, from_array, rule
from shapesmt.prover.algebra import ONE, Dim, any_of, as_dim, at_least, at_most, equal, product, total

MAX_COMPARED = 16  # comparisons of symbolic elements


@rule("TopK", traits=Traits.MIXED, follows=apart_from(lambda ctx, x: {ctx.axis(x.rank, -1)}))
def top_k(ctx: RuleContext) -> tuple[Tensor, Tensor]:
    """Return the `k` largest (or smallest) elements along an axis, and their indices; `0 <= k <= size`."""
    x = ctx.input(0)
    axis = ctx.axis(x.rank, -1)
    k = _amount(ctx, x[axis])
    dims = [*x.dims[:axis], k, *x.dims[axis + 1 :]]
    best, places = _best(ctx, x, axis, k)
    return ctx.tensor(dims, value=best), ctx.tensor(dims, "int64", places)


def _amount(ctx: RuleContext, size: Dim) -> Dim:
    """Return `k`, the number of selected elements: an attribute before opset 10, an input since; at most `size`."""
    if ctx.version >= 10:
        items = ctx.sizes(1)
        ctx.check(items is None or len(items) == 1, laws.K_ONE_NUMBER)
        if items is None and ctx.input(1).shape is not None:
            ctx.require_equal(ctx.input(1)[0], 1, laws.K_ONE_NUMBER)
        k = items[0] if items else None
    else:
        ctx.limit(ctx.integer("k") >= 1, laws.NAMED_ATTRIBUTE_POSITIVE.of(name="k"))
        k = as_dim(ctx.integer("k"))
    if k is None:
        return ctx.fresh("k", 0, size, how=Decided((1,), place=0, free=True))
    ctx.require_at_least(k, 0, laws.K_NOT_NEGATIVE)
    ctx.require(at_least(size, k), laws.K_AT_MOST_AXIS, k, size)
    return k


def _best(ctx: RuleContext, x: Tensor, axis: int, k: Dim) -> tuple[Value | None, Value | None]:
    """Return the best `k` elements along `axis` and their indices, None if unknown; equal elements keep their order."""
    items, in_order, largest = integers_of(x), *(ctx.flag(name, 1, only_one=True) for name in ("sorted", "largest"))
    if k.constant is None or not isinstance(x.value, Elements) or not (in_order or k is ONE):
        return None, None
    if items is None:
        return _select_best(x.value, axis, k.constant, LOGIC["Greater" if largest else "Less"])
    array = np.array(items, dtype=object).reshape(x.value.shape)
    if not 0 <= k.constant <= array.shape[axis]:
        return None, None
    order = np.argsort(-array if largest else array, axis=axis, kind="stable").take(range(k.constant), axis)
    return numbers(np.take_along_axis(array, order, axis)), numbers(order)


def _select_best(value: Elements, axis: int, k: int, before: Function) -> tuple[Value | None, Value | None]:
    """Return the best `k` symbolic elements along `axis` and their indices; None, None if that takes many comparisons.

    `before(a, b)` is the condition that `a` is better. Each of `k` passes moves the best remaining one to the front.
    """
    rows = np.moveaxis(value.array, axis, -1)
    if not 0 <= k <= rows.shape[-1] or k * rows.shape[-1] > MAX_COMPARED:
        return None, None
    pairs = [_rank(row, k, before) for row in rows.reshape(-1, rows.shape[-1]).tolist()]
    sides = (np.array([[pair[i] for pair in row] for row in pairs], dtype=object) for i in (0, 1))
    best, places = (np.moveaxis(side.reshape(*rows.shape[:-1], k), -1, axis) for side in sides)
    return from_array(best), from_array(places)


def _rank(row: list[Item], k: int, before: Function) -> list[tuple[Item, Item]]:
    """Return the best `k` items of a row with their indices; all are None if a comparison by `before` isn't known."""
    pairs: list[tuple[Item, Item]] = [(item, as_dim(i)) for i, item in enumerate(row)]
    for front in range(k):
        for i in range(len(row) - 1, front, -1):
            (a, p), (b, q) = pairs[i - 1], pairs[i]
            swap = None if a is None or b is None else before(b, a)
            if swap is None:
                return [(None, None)] * k
            pairs[i - 1], pairs[i] = (
                (choose_item(swap, b, a), choose_item(swap, q, p)),
                (choose_item(swap, a, b), choose_item(swap, p, q)),
            )
    return pairs[:k]


@rule("Unique", since=11, follows=as_a_whole)
def unique(ctx: RuleContext) -> tuple[Tensor, ...]:
    """Return the distinct elements (or slices), the indices of their first occurrences, inverse indices and counts."""
    x = ctx.input(0)
    axis = ctx.axis(x.rank) if "axis" in ctx.attributes else None
    size = x.numel if axis is None else x[axis]
    _require_slices(ctx, x, axis)
    count = _different(x) if axis is None or x.rank == 1 else None
    count = _distinct(ctx, size) if count is None else count
    per = ctx.tensor((count,), "int64")
    return ctx.tensor((count,) if axis is None else x.replace(axis, count).dims), per, ctx.tensor((size,), "int64"), per


def _require_slices(ctx: RuleContext, x: Tensor, axis: int | None) -> None:
    """Require that no slice is without elements unless there is none: ONNX Runtime would end the process."""
    if axis is not None and ctx.runtime is Runtime.ONNX:
        empty = [equal(d, 0) for d in x.dims[: axis + 1]]
        rest = product(x.dims[axis + 1 :])
        ctx.require(any_of(at_least(rest, 1), *empty), laws.ONLY_COMPARED_AXIS_EMPTY, rest, 1)


def _different(x: Tensor) -> Dim | None:
    """Return the number of distinct elements: known numbers, or a few that are equal for some sizes; else None."""
    if not isinstance(x.value, Elements) or None in x.value.items:
        return None
    items = [*dict.fromkeys(x.value.items)]
    if len(items) > MAX_CHOICES:
        return as_dim(len(items)) if all(map(_constant, items)) else None
    first = [[PREDICATES["Not"](LOGIC["Equal"](a, b)) for b in items[:at]] for at, a in enumerate(items)]
    news: list[Dim | None] = [reduce(LOGIC["And"], differences, ONE) for differences in first]
    known = [new for new in news if new is not None]
    return total(known) if len(known) == len(news) else None


def _constant(item: Item) -> bool:
    return item is not None and not item.symbols and (isinstance(item, Dim) or item.numerator is not None)


def _distinct(ctx: RuleContext, size: Dim) -> Dim:
    """Return a symbol for the number of distinct elements or slices among `size`: at least one unless that is 0."""
    ctx.only_sizes(0)
    count = ctx.fresh("count", int(size.lo >= 1), size)
    ctx.facts.append(any_of(at_most(size, 0), at_least(count, 1)))
    return count
