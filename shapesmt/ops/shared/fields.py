"""Elements that move: what operators which only rearrange a tensor do to its known elements.

An operator that lists, shifts, repeats or picks elements says once where each output position reads its input;
listed elements follow by numpy's indexing, and elements that are one formula by replacing their positions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

from shapesmt.algebra import (
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
from shapesmt.algebra.numeric import Float, choice, literal
from shapesmt.lazy import np
from shapesmt.rules import (
    FLOATS,
    MAX_ELEMENTS,
    Elements,
    Item,
    Listed,
    Tensor,
    Value,
    elements,
    field,
    from_array,
    move_positions,
    position,
    positions,
)

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.object_]]"

MAX_CHOICES = 8  # longest list that becomes a chain of choices
MAX_LISTED = 64  # more elements than this stay a formula


def concrete(shape: Sequence[Dim] | None) -> tuple[int, ...] | None:
    """The shape as numbers, where every size is one.

    >>> concrete((as_dim(2), as_dim(3)))
    (2, 3)
    """
    if shape is None:
        return None
    sizes = [d.constant for d in shape]
    return None if any(s is None or s < 0 for s in sizes) else tuple(s for s in sizes if s is not None)


def along(items: Sequence[Item], index: Dim) -> Item:
    """The item at a symbolic index inside the list: an arithmetic progression, or a choice among few.

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
    if len(items) > MAX_CHOICES:
        return None
    result = items[-1]
    for at in range(len(items) - 2, -1, -1):
        result = choice(equal(index, at), items[at], result)
    return result


_FORMULAS: dict[Elements, Item] = memo("formulas of elements", {})


def _formula(value: Elements) -> Item:
    if value not in _FORMULAS:
        _FORMULAS[value] = _picked(value)
    return _FORMULAS[value]


def _picked(value: Elements) -> Item:
    if not value.shape:
        return value.items[0]
    known = [i.constant for i in value.items if isinstance(i, Dim)]
    progression = _progression(known, value.shape) if len(known) == len(value.items) > MAX_CHOICES else None
    if progression is not None:
        return progression
    count, *inner = value.shape
    rows = (elements(inner, value.items[i * prod(inner) : (i + 1) * prod(inner)]) for i in range(count))
    parts = [None if row is None else _formula(row) for row in rows] if inner else value.items
    return along(parts, position(len(value.shape)))


def _progression(known: Sequence[int | None], shape: Sequence[int]) -> Dim | None:
    """The formula of constants that grow by the same number along each axis, as lists of positions do.

    >>> _progression((5, 7, 9, 15, 17, 19), (2, 3))
    Dim('2*`@1` + 10*`@2` + 5')
    """
    if known[0] is None or not all(n is not None and abs(n) < 1 << 31 for n in known):
        return None
    array = np.array(known, dtype=np.int64).reshape(shape)
    result = as_dim(known[0])
    for axis, size in enumerate(shape):
        steps = np.diff(array, axis=axis)
        if size > 1:
            if (steps != steps.flat[0]).any():
                return None
            result = result + int(steps.flat[0]) * position(len(shape) - axis)
    return result


def element_of(x: Tensor) -> Dim | None:
    """The integer element as an expression over the positions, where there is one."""
    element = None if x.dtype in FLOATS else term_of(x)
    return element if isinstance(element, Dim) else None


def term_of(x: Tensor) -> Item:
    """The element, integer or float, as an expression over the positions, where there is one."""
    if isinstance(x.value, Elements):
        return _formula(x.value) if x.value.items else literal(0.0, x.dtype) if x.dtype in FLOATS else ZERO
    return None if x.value is None else x.value.element


def stretched(size: Dim, target: Dim, back: int) -> Dim:
    """The index on an axis that a position of the stretched axis reads: 0 for an axis of size 1."""
    if size is target or size.lo >= 2:
        return position(back)
    return select(equal(size, 1), 0, position(back))


def _few(sizes: Sequence[int]) -> bool:
    """Whether the elements are few enough to list; none are too many where another size is huge, as in [0, 2**62]."""
    return prod(n or 1 for n in sizes) <= MAX_LISTED


def valued(shape: Sequence[Dim], element: Item) -> Value | None:
    """The value of a tensor of this shape with this element: listed where it is small."""
    sizes = concrete(shape)
    if element is None or sizes is None or not _few(sizes):
        return None if element is None else field(element)
    if entries(element):
        return None
    rank, places = len(sizes), itertools.product(*map(range, sizes))
    return elements(sizes, [move_positions(element, lambda axis, at=at: as_dim(at[rank - axis])) for at in places])  # type: ignore[misc]  # the default binds `at`


def viewed(x: Tensor, shape: Sequence[Dim], view: Callable[[Array], Any], moved: Callable[[int], Dim]) -> Value | None:
    """The elements of a rearranged tensor.

    Args:
        x: The tensor that is rearranged.
        shape: The output's shape.
        view: The rearrangement of an array of elements, for a concrete output.
        moved: Each position of the input as an expression over the output's positions.
    """
    sizes = concrete(shape)
    if isinstance(x.value, Elements) and sizes is not None:
        listed = prod(sizes) <= most_listed([x], MAX_ELEMENTS)  # a file may ask for any number
        return from_array(np.asarray(view(x.value.array), dtype=object)) if listed else None
    element = term_of(x)
    return None if element is None else valued(shape, move_positions(element, moved))


def listed(x: Tensor) -> Listed | None:
    """The elements of a tensor; None where it isn't small."""
    if isinstance(x.value, Elements):
        return x.value.listed
    sizes = concrete(x.shape)
    if sizes is None or not _few(sizes):
        return None
    value = valued(x.dims, term_of(x))
    return Listed(sizes, value.items if isinstance(value, Elements) else (None,) * prod(sizes))


def array_of(x: Tensor) -> Array | None:
    """The same as an array."""
    known = listed(x)
    return None if known is None else known.array


def most_listed(operands: Sequence[Tensor], usual: int) -> int:
    """How many elements of the result may be listed: as many as the longest of these operands lists."""
    return max(usual, *(len(t.value.items) for t in operands if isinstance(t.value, Elements)), 0)


def integers_of(x: Tensor) -> tuple[int, ...] | None:
    """The elements, where all are known numbers."""
    items = x.value.items if isinstance(x.value, Elements) else (None,)
    known = tuple(i.constant for i in items if isinstance(i, Dim) and i.constant is not None)
    return known if len(known) == len(items) else None


def numbers(array: np.ndarray[Any, Any]) -> Value | None:
    """The value that an array of known integers is."""
    return elements(array.shape, [as_dim(int(v)) for v in array.ravel().tolist()])


def reshaped(x: Tensor, shape: Sequence[Dim]) -> Value | None:
    """The elements after a reshape that keeps their row-major order."""
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
        moved |= _moved(x.dims, before, shape, after) if used else {}
    alone = {p: ZERO for p in positions(element) if p not in moved}
    return valued(shape, substitute(element, {**moved, **alone}))


def _groups(before: Sequence[Dim], after: Sequence[Dim]) -> list[tuple[list[int], list[int]]]:
    """The axes of both shapes, counted from the end, in groups of which each keeps the number of its elements.

    >>> n, m = (as_dim(size) for size in (2, 3))
    >>> _groups([n, m, as_dim(5)], [as_dim(6), as_dim(5)])
    [([3, 2], [2]), ([1], [1])]
    """
    a, b = _lengthy(before), _lengthy(after)
    cuts = {(i, j) for i in range(len(a)) for j in range(len(b)) if _same_count(before, a, i, after, b, j)}
    result, first, second = [], 0, 0
    for i, j in [*sorted(cuts), (len(a), len(b))]:
        if (i > first and j > second) or i == len(a):
            result.append((a[first:i], b[second:j]))
            first, second = i, j
    return result


def _same_count(before: Sequence[Dim], a: list[int], i: int, after: Sequence[Dim], b: list[int], j: int) -> bool:
    """Whether the axes in front of both places have as many elements, or those behind them."""
    fronts, backs = (a[:i], b[:j]), (a[i:], b[j:])
    return any(product(before[-k] for k in x) is product(after[-k] for k in y) for x, y in (fronts, backs))


def _lengthy(shape: Sequence[Dim]) -> list[int]:
    """The axes that may be longer than 1, counted from the end."""
    return [b for b in range(len(shape), 0, -1) if shape[-b].constant != 1]


def _row_major(shape: Sequence[Dim], axes: Sequence[int]) -> Dim:
    """The place of an element among those of some axes, row after row."""
    place, stride = ZERO, as_dim(1)
    for back in reversed(axes):
        place, stride = place + position(back) * stride, stride * shape[-back]
    return place


def _moved(before: Sequence[Dim], axes: Sequence[int], after: Sequence[Dim], onto: Sequence[int]) -> dict[Atom, Dim]:
    """The positions on some axes in terms of those on others, onto which they are laid out row after row.

    Of a single axis, so are the quotients by the number of elements of each inner axis of the others.
    """
    flat, inner, moved = _row_major(after, onto), as_dim(1), {}
    for back in reversed(axes):
        outer = inner * before[-back]
        moved[atom_of(position(back))] = flat // inner - (ZERO if back == axes[0] else before[-back] * (flat // outer))
        inner = outer
    for k in range(1, len(onto)) if len(axes) == 1 else ():
        quotient = position(axes[0]) // product(after[-b] for b in onto[k:])  # 0 where an axis is empty
        moved |= dict.fromkeys(quotient.atoms(), _row_major(after, onto[:k]))
    return moved


def within(index: Dim, size: Dim) -> Dim:
    """An index that may count from the end, counted from the front.

    >>> within(as_dim(-1), as_dim(5))
    Dim('4')
    """
    return select(at_least(index, 0), index, index + size)
