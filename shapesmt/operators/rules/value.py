"""The known elements of a tensor: a short list, or one formula over their positions.

`Elements` lists a tensor of known, small shape; each item is a `Dim` (integers, booleans as 0 and 1), a `Float`, or
None if it isn't known. `Field` is for integer tensors that are too large to list: the element at a position is a `Dim`
over `position(1)` (the index along the last axis), `position(2)` (the one before it), ...

    >>> from shapesmt.prover.algebra import symbol
    >>> batch = symbol("batch", 1, 8)
    >>> elements((2,), [batch, 3 * batch])
    Elements((2,), (Dim('batch'), Dim('3*batch')))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from math import inf, prod
from typing import Any, NamedTuple, TypeAlias, TypeVar

from shapesmt.base.lazy import np
from shapesmt.network.graph import Literal
from shapesmt.prover.algebra import (
    ZERO,
    Checked,
    Dim,
    Evaluator,
    Table,
    const,
    entries,
    memo,
    position,
    positions,
    substitute,
    symbol,
    tight,
)
from shapesmt.prover.algebra.numeric import Float, exact_fraction, lookup

Item: TypeAlias = Dim | Float | None
Integers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
INTEGERS = {f"{sign}int{bits}": bits for bits in (2, 4, 8, 16, 32, 64) for sign in ("", "u")}
"""The integer types, with their bits."""
WIDEST = 64  # bits of the integers that hold sizes
MAX_ELEMENTS = 1024  # only constants, and elementwise results from them, are longer
MAX_AXES = 32  # maximum rank of numpy's arrays
MAX_FIELD_TERMS = 24
MAX_FLOAT_DEPTH = 24


class Elements:
    """The items of a tensor of concrete shape, in row-major order, interned."""

    __slots__ = ("__weakref__", "items", "shape")

    shape: tuple[int, ...]
    items: tuple[Item, ...]

    @property
    def array(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """The items as an object array of shape `shape`, for numpy's indexing."""
        return self.listed.array

    @property
    def listed(self) -> Listed:
        """The items as a `Listed`, to be rearranged."""
        return Listed(self.shape, self.items)

    def __repr__(self) -> str:
        return f"Elements({self.shape}, {self.items})"


class Listed(NamedTuple):
    """The items of a tensor of concrete shape; all may be unknown."""

    shape: tuple[int, ...]
    items: tuple[Item, ...]

    def spread(self, shape: tuple[int, ...]) -> tuple[Item, ...] | None:
        """Return the items after broadcasting to this shape; None if the tensor doesn't broadcast to it.

        >>> Listed((2, 1), (ZERO, None)).spread((2, 2))
        (Dim('0'), Dim('0'), None, None)
        """
        own, items = (1,) * (len(shape) - len(self.shape)) + self.shape, self.items
        if len(own) > len(shape) or any(size not in (1, joint) for size, joint in zip(own, shape, strict=True)):
            return None
        if 0 in shape:
            return ()
        for axis in reversed(range(len(shape))):
            if own[axis] != shape[axis]:
                size = prod(shape[axis + 1 :])
                blocks = (items[start : start + size] for start in range(0, len(items), size))
                items = tuple([item for block in blocks for item in block * shape[axis]])
        return items

    def take(self, axis: int, places: Sequence[int]) -> Listed:
        """Return the items at some indices along an axis.

        >>> Listed((2, 2), (ZERO, None, None, ZERO)).take(1, [1])
        Listed(shape=(2, 1), items=(None, Dim('0')))
        """
        size, width = self.shape[axis], prod(self.shape[axis + 1 :])
        rows = [i * size + place for i in range(prod(self.shape[:axis])) for place in places]
        items = [item for row in rows for item in self.items[row * width : (row + 1) * width]]
        return Listed((*self.shape[:axis], len(places), *self.shape[axis + 1 :]), tuple(items))

    @staticmethod
    def concatenate(parts: Sequence[Listed], axis: int) -> Listed | None:
        """Return the items of tensors concatenated along an axis; None if other sizes differ."""
        outer, inner = parts[0].shape[:axis], parts[0].shape[axis + 1 :]
        if any((part.shape[:axis], part.shape[axis + 1 :]) != (outer, inner) for part in parts):
            return None
        lengths = [prod(part.shape[axis:]) for part in parts]
        blocks = [
            part.items[i * length : (i + 1) * length]
            for i in range(prod(outer))
            for part, length in zip(parts, lengths, strict=True)
        ]
        return Listed((*outer, sum(part.shape[axis] for part in parts), *inner), tuple(chain.from_iterable(blocks)))

    @property
    def array(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """The items as an object array of shape `self.shape`, for numpy's indexing."""
        array = np.empty(len(self.items), dtype=object)
        array[:] = self.items
        return array.reshape(self.shape)


class Constants(NamedTuple):
    """The numbers `numerators / denominator`, as an array; `dtype` is their float type, "" for integers."""

    numerators: Integers
    denominator: int
    dtype: str

    def item(self, numerator: Dim | None) -> Item:
        """Return the element with this numerator; None without one."""
        if numerator is None or not self.dtype:
            return numerator
        return exact_fraction(numerator, self.denominator, self.dtype)

    def look_up(self, *, masks: bool = False) -> Item:
        """Return the element at a position, by its row-major index.

        None for masks, which are counted instead, unless `masks` is true.
        """
        if not masks and {int(self.numerators.min()), int(self.numerators.max())} <= {0, 1}:
            return None
        index, stride = ZERO, 1
        for back, size in enumerate(reversed(self.numerators.shape), 1):
            index, stride = index + position(back) * stride, stride * size
        return self.item(lookup(self.numerators, index))


class Field:
    """Integer elements as one expression over their positions, interned."""

    __slots__ = ("__weakref__", "element")

    element: Dim

    def __repr__(self) -> str:
        return f"Field({self.element})"


class Floats:
    """Float elements as one expression over their positions, interned."""

    __slots__ = ("__weakref__", "element")

    element: Float

    def __repr__(self) -> str:
        return f"Floats({self.element})"


Value: TypeAlias = Elements | Field | Floats


def elements(shape: Sequence[int], items: Iterable[Item]) -> Elements | None:
    """Return the value with these items; None if no item is known, or if there are too many.

    An empty axis counts as 1, since rules iterate over the other axes of a tensor without elements.
    """
    key = (tuple(shape), tuple(items))
    value = _ELEMENTS.get(key)
    if value is None:
        if len(key[0]) > MAX_AXES or prod(filter(None, key[0])) > Literal.MOST:
            return None
        if key[1] and not any(i is not None for i in key[1]):
            return None
        value = _ELEMENTS.make(key, _elements, *key)
    return value


_ELEMENTS: Table[tuple[tuple[int, ...], tuple[Item, ...]], Elements] = Table("elements", lambda v: (v.shape, v.items))


def _elements(shape: tuple[int, ...], items: tuple[Item, ...]) -> Elements:
    value = Elements.__new__(Elements)
    value.shape, value.items = shape, items
    assert len(items) == prod(shape), (shape, items)
    return value


def from_array(array: np.ndarray[Any, np.dtype[np.object_]]) -> Elements | None:
    """Return the value that lists the items of an object array; None as for `elements`."""
    return elements(array.shape, array.ravel().tolist())


def field(element: Dim | Float) -> Field | Floats | None:
    """Return the value whose elements are given by this expression over positions.

    None if the expression is too long, or if it is the same unknown element at every position.
    """
    if len(element.terms) > MAX_FIELD_TERMS if isinstance(element, Dim) else element.depth > MAX_FLOAT_DEPTH:
        return None
    if entries(element) and not positions(element):
        return None  # the same unknown element everywhere
    return _FIELDS.get(element) or _FIELDS.make(element, _field, element)


_FIELDS: Table[Dim | Float, Field | Floats] = Table("fields", lambda v: v.element)


def _field(element: Dim | Float) -> Field | Floats:
    kind: Any = Field if isinstance(element, Dim) else Floats
    value: Field | Floats = kind.__new__(kind)
    value.element = element
    return value


def numbers_at(element: Dim, shape: tuple[int, ...]) -> list[int] | None:
    """Return the integers that an expression has at each position; None if it depends on sizes or data.

    >>> numbers_at(position(1) * 10 + position(2), (2, 3))
    [0, 10, 20, 1, 11, 21]
    """
    axes = {a: len(shape) - int(a.name[1:]) for a in positions(element)}
    if len(element.symbols) > len(axes):
        return None
    places = np.indices(shape, sparse=True)
    with suppress(OverflowError):
        numbers: list[int] = (
            np.broadcast_to(Checked({a: places[i] for a, i in axes.items()}).dim(element), shape).ravel().tolist()
        )
        return numbers
    if prod(shape) > MAX_ELEMENTS:
        return None
    return [int(Evaluator({a: at[i] for a, i in axes.items()}).dim(element)) for at in np.ndindex(shape)]


AnyTerm = TypeVar("AnyTerm", bound=Dim | Float)


def move_positions(dim: AnyTerm, moved: Callable[[int], Dim]) -> AnyTerm:
    """Return the expression with each position replaced by an expression.

    >>> from shapesmt.prover.algebra import position
    >>> move_positions(position(1) + 5, lambda axis: position(axis + 1))
    Dim('`@2` + 5')
    """
    return substitute(dim, {atom: moved(int(atom.name[1:])) for atom in positions(dim)})


def integer_ends(dtype: str) -> tuple[int, int]:
    """Return the least and the greatest number of an integer type.

    >>> integer_ends("int8"), integer_ends("uint4")
    ((-128, 127), (0, 15))
    """
    bits = INTEGERS.get(dtype, WIDEST)
    least = 0 if dtype[:1] == "u" else -(1 << bits - 1)
    return least, least + (1 << bits) - 1


def kept(value: Field, dtype: str, dims: Sequence[Dim]) -> Value | None:
    """Return the elements as their type holds them at all positions: the lowest bits; None if no formula has these.

    Elements without a bound, because a size has none, are taken to fit.

    >>> kept(field(position(1) * 25), "int8", [const(8)]), kept(field(position(1) - 5), "int32", [const(8)])
    (Field((25*`@1` + 128) % 256 - 128), Field(`@1` - 5))
    >>> kept(field(position(1) * 255), "int32", [const(9000000)])  # the last one exceeds 2**31
    Field((255*`@1` + 2147483648) % 4294967296 - 2147483648)
    """
    element, bits = value.element, INTEGERS.get(dtype)
    if bits is None:
        return value
    least, most = integer_ends(dtype)
    small = bits == WIDEST and all(abs(c) < 1 << 16 for _, c in element.terms)  # a tensor has no more than 2**47 places
    if least <= element.lo and (element.hi <= most or small):
        return value
    ends = {a: symbol(a.name, 0, max(dims[-int(a.name[1:])].hi - 1, 0), kind=a.kind) for a in positions(element)}
    lo, hi = tight(substitute(element, ends))
    if (lo >= least or lo == -inf) and (hi <= most or hi == inf):
        return value
    return field((element - least) % (1 << bits) + least) if bits < WIDEST else None


def uniform(value: Value | None) -> Dim | None:
    """Return the integer that all elements are equal to; None if they differ or aren't known."""
    if isinstance(value, Field):
        return None if positions(value.element) else value.element
    if not isinstance(value, Elements) or not value.items or any(i is not value.items[0] for i in value.items):
        return None
    return value.items[0] if isinstance(value.items[0], Dim) else None


def extremes(element: Dim, lengths: Callable[[int], Dim]) -> tuple[Dim, Dim] | None:
    """Return the minimum and maximum element, both attained, as expressions without positions.

    `lengths(axis)` is the size of the axis counted from the end. None if the element isn't monotone in each position,
    so that its bounds aren't at the tensor's corners.
    """
    lo = hi = element
    for atom in positions(element):
        slopes = [(factors, c) for factors, c in element.products() if atom in factors]
        if any(a is not atom and atom in a.symbols for a in element.atoms()) or len(slopes) != 1:
            return None
        factors, coefficient = slopes[0]
        others = [a for a in factors if a is not atom]
        if factors.count(atom) != 1 or any(o.lo < 0 for o in others):
            return None
        last = {atom: lengths(int(atom.name[1:])) - 1}
        first = {atom: ZERO}
        lo = substitute(lo, first if coefficient > 0 else last)
        hi = substitute(hi, last if coefficient > 0 else first)
    return lo, hi


def constants(value: Elements) -> Constants | None:
    """Return the items as multiples of a fraction; None unless all are constant and these integers fit.

    Integers are below 2**31 in absolute value. Numerators of floats are below 2**53, so that a float64 holds them.
    """
    if value not in _CONSTANTS:
        _CONSTANTS[value] = _constants(value)
    return _CONSTANTS[value]


def _constants(value: Elements) -> Constants | None:
    parts = {i: _fraction(i) for i in {*value.items}}
    known = {item: part for item, part in parts.items() if part is not None}
    if not known or len(known) < len(parts):
        return None
    denominator = max(d for _, d in known.values())  # all are powers of 2
    numerators = {item: n * (denominator // d) for item, (n, d) in known.items()}
    dtype = next((i.dtype for i in known if isinstance(i, Float)), "")
    most = 1 << (53 if dtype else 31)
    if any(abs(n) >= most for n in numerators.values()):
        return None
    array = np.fromiter(map(numerators.__getitem__, value.items), np.int64, len(value.items))
    return Constants(array.reshape(value.shape), denominator, dtype)


def _fraction(item: Item) -> tuple[int, int] | None:
    """Return a constant as numerator and denominator; None if the item is no constant, or infinite or NaN."""
    numerator = item.numerator if isinstance(item, Float) else item
    if numerator is None or numerator.constant is None:
        return None
    return numerator.constant, item.denominator if isinstance(item, Float) else 1


_CONSTANTS: dict[Elements, Constants | None] = memo("constants as arrays", {})


def progression(array: Integers) -> Dim | None:
    """Return a formula for constants that have a constant step along each axis; None for all others.

    >>> progression(np.array([[5, 7, 9], [15, 17, 19]]))
    Dim('2*`@1` + 10*`@2` + 5')
    """
    result = const(int(array.flat[0]))
    for axis, size in enumerate(array.shape):
        steps = np.diff(array, axis=axis)
        if size > 1:
            if (steps != steps.flat[0]).any():
                return None
            result = result + int(steps.flat[0]) * position(array.ndim - axis)
    return result


def is_irregular(array: Integers, most: int) -> bool:
    """Whether rows have more than `most` constants and the steps in one of them differ, so that it has no formula."""
    steps = np.diff(array, axis=-1)
    return array.shape[-1] > most and bool((steps != steps[..., :1]).any())
