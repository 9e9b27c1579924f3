"""Known elements of tensors that an operator only rearranges (transpose, reshape, slice, repeat).

A rule says once which input position each output position reads. Listed elements are rearranged by numpy; if one
formula gives all elements, the positions in it are replaced.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

from shapesmt.base.lazy import np
from shapesmt.operators.rules import (
    FLOATS,
    MAX_ELEMENTS,
    Elements,
    Field,
    Item,
    Listed,
    Tensor,
    Value,
    constants,
    elements,
    field,
    from_array,
    is_irregular,
    move_positions,
    numbers_at,
    position,
    positions,
    progression,
)
from shapesmt.prover.algebra import (
    ZERO,
    Atom,
    Dim,
    as_dim,
    at_least,
    atom_of,
    entries,
    equal,
    memo,
    product,
    select,
    substitute,
)
from shapesmt.prover.algebra.numeric import Float, choice, literal

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.object_]]"

MAX_CHOICES = 8  # longest list that becomes a chain of choices
MAX_TERMS = 32  # of all formulas in such a chain
MAX_LISTED = 64  # more elements than this stay a formula


def concrete(shape: Sequence[Dim] | None) -> tuple[int, ...] | None:
    """Return the shape as integers; None if a size isn't a number.

    >>> concrete((as_dim(2), as_dim(3)))
    (2, 3)
    """
    if shape is None:
        return None
    sizes = [d.constant for d in shape]
    return None if any(s is None or s < 0 for s in sizes) else tuple(s for s in sizes if s is not None)


def along(items: Sequence[Item], index: Dim) -> Item:
    """Return the item at a symbolic index of a list: an arithmetic progression, or a choice among few.

    None if an item is unknown, or if there are too many to choose from.

    >>> along([as_dim(3), as_dim(5), as_dim(7)], position(1))
    Dim('2*`@1` + 3')
    """
    if items and all(isinstance(i, Float) for i in items):
        return _choice(items, index)
    known = [i for i in items if isinstance(i, Dim)]
    if not known or len(known) < len(items):
        return None
    step = known[1] - known[0] if len(known) > 1 else ZERO
    if all(b - a is step for a, b in itertools.pairwise(known)):
        return known[0] + step * index
    return _choice(known, index)


def _choice(items: Sequence[Item], index: Dim) -> Item:
    if len(items) > MAX_CHOICES or sum(len(i.terms) for i in items if isinstance(i, Dim)) > MAX_TERMS:
        return None
    result = items[-1]
    for at in range(len(items) - 2, -1, -1):
        result = choice(equal(index, at), items[at], result)
    return result


_FORMULAS: dict[Elements, Item] = memo("formulas of elements", {})


def _formula(value: Elements) -> Item:
    if value not in _FORMULAS:
        _FORMULAS[value] = _pick(value)
    return _FORMULAS[value]


def _pick(value: Elements) -> Item:
    if not value.shape:
        return value.items[0]
    known = constants(value) if len(value.items) > MAX_CHOICES else None
    formula = None if known is None else known.item(progression(known.numerators))
    if formula is not None or (known is not None and is_irregular(known.numerators, MAX_CHOICES)):
        return formula
    count, *inner = value.shape
    rows = (elements(inner, value.items[i * prod(inner) : (i + 1) * prod(inner)]) for i in range(count))
    parts = [None if row is None else _formula(row) for row in rows] if inner else value.items
    return along(parts, position(len(value.shape)))


def element_of(x: Tensor) -> Dim | None:
    """Return the integer element as an expression over positions; None if there is none."""
    element = None if x.dtype in FLOATS else term_of(x)
    return element if isinstance(element, Dim) else None


def term_of(x: Tensor, *, masks: bool = False) -> Item:
    """Return the element, integer or float, as an expression over positions; None if there is none.

    Long masks have one only if `masks` is true.
    """
    if not isinstance(x.value, Elements):
        return None if x.value is None else x.value.element
    if not x.value.items:
        return literal(0.0, x.dtype) if x.dtype in FLOATS else ZERO
    formula = _formula(x.value)
    return _looked_up(x.value, masks) if formula is None else formula


def _looked_up(value: Elements, masks: bool) -> Item:
    """Return the element of a list of constants by its index; None for short lists, and for masks unless `masks`."""
    if (value, masks) not in _LOOKED_UP:
        known = constants(value) if len(value.items) > MAX_CHOICES else None
        _LOOKED_UP[value, masks] = None if known is None else known.look_up(masks=masks)
    return _LOOKED_UP[value, masks]


_LOOKED_UP: dict[tuple[Elements, bool], Item] = memo("lookups in constants", {})


def broadcast_index(size: Dim, target: Dim, back: int) -> Dim:
    """Return the input index of a position on an axis broadcast from `size` to `target`: 0 if `size` is 1.

    `back` is the axis counted from the end, where 1 is the last one.
    """
    if size is target or size.lo >= 2:
        return position(back)
    return select(equal(size, 1), 0, position(back))


def _few(sizes: Sequence[int]) -> bool:
    """Whether the elements are few enough to list; a 0 counts as 1, so `[0, 2**62]` has too many."""
    return prod(n or 1 for n in sizes) <= MAX_LISTED


def value_of(shape: Sequence[Dim], element: Item) -> Value | None:
    """Return the value of a tensor of shape `shape` whose elements are one expression over positions.

    The elements are listed if the tensor has at most `MAX_LISTED`. None if `element` is None or too long.
    """
    sizes = concrete(shape)
    if element is None or sizes is None or not _few(sizes) or entries(element):
        return None if element is None else field(element)
    rank, places = len(sizes), itertools.product(*map(range, sizes))
    return elements(sizes, [move_positions(element, lambda axis, at=at: as_dim(at[rank - axis])) for at in places])  # type: ignore[misc]  # the default binds `at`


def view_elements(
    x: Tensor, shape: Sequence[Dim], view: Callable[[Array], Any], moved: Callable[[int], Dim]
) -> Value | None:
    """Return the elements of a rearranged tensor.

    Args:
        x: The tensor that is rearranged.
        shape: The output's shape.
        view: The rearrangement of an array of elements, for a concrete output.
        moved: Each position of the input as an expression over the output's positions.
    """
    sizes = concrete(shape)
    if isinstance(x.value, Elements) and sizes is not None and prod(sizes) <= most_listed([x], MAX_ELEMENTS):
        return from_array(np.asarray(view(x.value.array), dtype=object))
    return moved_elements(x, shape, moved)


def moved_elements(x: Tensor, shape: Sequence[Dim], moved: Callable[[int], Dim]) -> Value | None:
    """Return the elements of an output whose element at a position is that of `x` at the `moved` positions."""
    element = term_of(x)
    return None if element is None else value_of(shape, move_positions(element, moved))


def element_list(x: Tensor, most: int = 0) -> Listed | None:
    """Return the elements of a small tensor as a list, with None for each unknown one; None if it isn't small.

    Up to `most` numbers are listed, too.
    """
    if isinstance(x.value, Elements):
        return x.value.listed
    sizes = concrete(x.shape)
    if sizes is None:
        return None
    if not _few(sizes):
        numbers = numbers_at(x.value.element, sizes) if isinstance(x.value, Field) and prod(sizes) <= most else None
        return None if numbers is None else Listed(sizes, tuple(map(as_dim, numbers)))
    value = value_of(x.dims, term_of(x))
    return Listed(sizes, value.items if isinstance(value, Elements) else (None,) * prod(sizes))


def array_of(x: Tensor) -> Array | None:
    """Return the elements of a small tensor as an object array; None if it isn't small."""
    known = element_list(x)
    return None if known is None else known.array


def most_listed(operands: Sequence[Tensor], usual: int) -> int:
    """Return how many elements of a result may be listed: `usual`, or as many as the longest operand lists."""
    return max(usual, *(len(t.value.items) for t in operands if isinstance(t.value, Elements)), 0)


def integers_of(x: Tensor) -> tuple[int, ...] | None:
    """Return the elements of `x` as integers; None unless all are known numbers."""
    items = x.value.items if isinstance(x.value, Elements) else (None,)
    known = tuple(i.constant for i in items if isinstance(i, Dim) and i.constant is not None)
    return known if len(known) == len(items) else None


def numbers(array: np.ndarray[Any, Any]) -> Value | None:
    """Return the value that lists an array of integers."""
    return elements(array.shape, [as_dim(int(v)) for v in array.ravel().tolist()])


def reshape_elements(x: Tensor, shape: Sequence[Dim]) -> Value | None:
    """Return the elements of `x` after a reshape to `shape`, which keeps their row-major order."""
    sizes = concrete(shape)
    if isinstance(x.value, Elements) and sizes is not None:
        kept = prod(sizes) == len(x.value.items) and (_few(sizes) or 0 not in sizes)
        return elements(sizes, x.value.items) if kept else None
    element = term_of(x)
    if element is None:
        return None
    moved: dict[Atom, Dim] = {}
    for before, after in _groups(x.dims, shape):
        used = [b for b in before if position(b).as_symbol() in element.symbols]
        if used and len(before) > 1 and (len(after) > 1 or x.dtype in FLOATS):
            return None  # floats are no indices, and masks of windows would take long to follow
        moved |= _move_positions(x.dims, before, shape, after) if used else {}
    alone = {p: ZERO for p in positions(element) if p not in moved}
    return value_of(shape, substitute(element, {**moved, **alone}))


def _groups(before: Sequence[Dim], after: Sequence[Dim]) -> list[tuple[list[int], list[int]]]:
    """Split the axes of both shapes, counted from the end, into groups that keep their number of elements.

    >>> n, m = (as_dim(size) for size in (2, 3))
    >>> _groups([n, m, as_dim(5)], [as_dim(6), as_dim(5)])
    [([3, 2], [2]), ([1], [1])]
    """
    a, b = _lengthy(before), _lengthy(after)
    cuts = [(i, j) for i in range(1, len(a)) for j in range(1, len(b)) if _same_count(before, a, i, after, b, j)]
    groups, start = [], (0, 0)
    for i, j in cuts:
        if i > start[0] and j > start[1]:
            groups.append((a[start[0] : i], b[start[1] : j]))
            start = i, j
    return [*groups, (a[start[0] :], b[start[1] :])]


def _same_count(before: Sequence[Dim], a: list[int], i: int, after: Sequence[Dim], b: list[int], j: int) -> bool:
    """Whether the axes `a[:i]` of `before` and `b[:j]` of `after` have equally many elements, or the remaining axes."""
    fronts, backs = (a[:i], b[:j]), (a[i:], b[j:])
    return any(product(before[-k] for k in x) is product(after[-k] for k in y) for x, y in (fronts, backs))


def _lengthy(shape: Sequence[Dim]) -> list[int]:
    """Return the axes that may be larger than 1, counted from the end."""
    return [b for b in range(len(shape), 0, -1) if shape[-b].constant != 1]


def _row_major(shape: Sequence[Dim], axes: Sequence[int]) -> Dim:
    """Return the row-major index of an element within `axes` of `shape`, which are counted from the end."""
    place, stride = ZERO, as_dim(1)
    for back in reversed(axes):
        place, stride = place + position(back) * stride, stride * shape[-back]
    return place


def _move_positions(
    before: Sequence[Dim], axes: Sequence[int], after: Sequence[Dim], onto: Sequence[int]
) -> dict[Atom, Dim]:
    """Express the positions on `axes` by those on `onto`; both index the same elements in row-major order.

    >>> before, after = [as_dim(2), as_dim(3)], [as_dim(6)]
    >>> {p.name: str(index) for p, index in _move_positions(before, [2, 1], after, [1]).items()}
    {'@1': '`@1` % 3', '@2': '`@1`//3'}
    """
    place, stride, moved = _row_major(after, onto), as_dim(1), {}
    for back in reversed(axes):
        row = stride * before[-back]
        index = place // stride if back == axes[0] else place // stride - before[-back] * (place // row)
        moved[atom_of(position(back))], stride = index, row
    return moved if len(axes) > 1 else moved | _moved_rows(position(axes[0]), after, onto)


def _moved_rows(place: Dim, shape: Sequence[Dim], axes: Sequence[int]) -> dict[Atom, Dim]:
    """Map `place // (sizes of the inner axes)` to the row-major index of the outer axes, for each split of `axes`.

    `place` is a row-major index over `axes` of `shape`, counted from the end.
    """
    moved: dict[Atom, Dim] = {}
    for k in range(1, len(axes)):
        quotient = place // product(shape[-back] for back in axes[k:])  # 0 where an axis is empty
        moved |= dict.fromkeys(quotient.atoms(), _row_major(shape, axes[:k]))
    return moved


def within(index: Dim, size: Dim) -> Dim:
    """Convert an index that may count from the end to one from the front.

    >>> within(as_dim(-1), as_dim(5))
    Dim('4')
    """
    return select(at_least(index, 0), index, index + size)
