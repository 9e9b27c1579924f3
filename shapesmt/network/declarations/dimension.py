"""`Dimension`: the possible sizes of one axis, or the possible ranks of a tensor, as an interval to compute with.

    3       one size: static                2..    2 or more
    1..8    from 1 to 8, both included      ..8    8 or less, 0 included
    ?       any size, 0 included

-1 or None stands for a missing bound; an upper bound of 2**63 - 1, the largest size, counts as missing too. Bounds in
the wrong order are swapped. Arithmetic returns the smallest interval that contains every result: a missing bound stays
missing, and a bound past 2**63 - 1 is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import index
from types import EllipsisType
from typing import SupportsIndex, TypeAlias

from shapesmt.base.errors import ShapeMismatch, SizeOverflowError, UsageError
from shapesmt.network.declarations.ranges import LARGEST, Range, ends, quote

Pair: TypeAlias = "tuple[SupportsIndex | None, SupportsIndex | None]"
DimensionLike: TypeAlias = "Dimension | SupportsIndex | Pair | str | None"

ACCEPTED = "write 8, 1..8, 2.., ..8 or ?"


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Dimension:
    """The sizes from `min_length` to `max_length`; unbounded if `max_length` is None.

    The arguments are one size, two bounds, a text, or nothing for any size; every method that takes a dimension takes
    these too. A single negative size other than -1 is allowed (see `all_non_negative`), but not in arithmetic.

    >>> Dimension(3), Dimension(1, 8), Dimension("2.."), Dimension()
    (Dimension(3), Dimension(1, 8), Dimension(2, None), Dimension())
    >>> print(Dimension(3), Dimension(1, 8), Dimension(2, -1), Dimension(-1, 8), Dimension(-1))
    3 1..8 2.. ..8 ?
    >>> print(Dimension(1, 8) + 2, 2 * Dimension(1, 8), Dimension(1, 8) - Dimension(2, 3), Dimension(5, 7) / 2)
    3..10 2..16 ..6 3

    Raises:
        UsageError: The text is no dimension, or an interval's bound is negative.
        SizeOverflowError: A bound exceeds 2**63 - 1.
    """

    min_length: int
    max_length: int | None

    def __init__(self, least: DimensionLike = None, most: SupportsIndex | EllipsisType | None = ...) -> None:
        lo, hi = _ends(least if isinstance(most, EllipsisType) else (least, most))
        if hi is not None and hi < lo:
            lo, hi = hi, lo
        if lo < 0 and lo != hi:
            raise UsageError(f"{lo}..{hi} is no dimension: sizes are 0 or more; {ACCEPTED}")
        if max(abs(lo), hi or 0) > LARGEST:
            raise SizeOverflowError(f"{lo if hi is None else hi} exceeds {LARGEST}, the largest size")
        hi = lo if lo == LARGEST else None if hi == LARGEST else hi
        object.__setattr__(self, "min_length", lo)
        object.__setattr__(self, "max_length", hi)

    @classmethod
    def dynamic(cls) -> Dimension:
        """Return the dimension of any size: `?`."""
        return cls()

    @property
    def is_static(self) -> bool:
        """Whether there is only one size."""
        return self.min_length == self.max_length

    @property
    def is_dynamic(self) -> bool:
        """Whether there is more than one size."""
        return not self.is_static

    def all_non_negative(self) -> bool:
        """Whether no size is negative."""
        return self.min_length >= 0

    def same_scheme(self, other: DimensionLike) -> bool:
        """Whether both are dynamic, or both are the same size."""
        other = as_dimension(other)
        return self == other or (self.is_dynamic and other.is_dynamic)

    def compatible(self, other: DimensionLike) -> bool:
        """Whether the two have a size in common.

        >>> Dimension(1, 5).compatible((3, 8)), Dimension(1, 2).compatible((3, 8))
        (True, False)
        """
        other = as_dimension(other)
        return max(self.min_length, other.min_length) <= min(_last(self), _last(other))

    def relaxes(self, other: DimensionLike) -> bool:
        """Whether this interval contains every size of `other`.

        >>> Dimension().relaxes(5), Dimension(1, 5).relaxes((2, 3)), Dimension(1, 5).relaxes((2, 8))
        (True, True, False)
        """
        other = as_dimension(other)
        return self.min_length <= other.min_length and _last(other) <= _last(self)

    def refines(self, other: DimensionLike) -> bool:
        """Whether `other` contains every size of this interval."""
        return as_dimension(other).relaxes(self)

    def merge(self, other: DimensionLike) -> Dimension:
        """Return the sizes that are in both, also written `&`: the largest interval that refines both.

        >>> Dimension(1, 5).merge((3, 8))
        Dimension(3, 5)

        Raises:
            ShapeMismatch: No size is in both.
        """
        other = as_dimension(other)
        if not self.compatible(other):
            raise ShapeMismatch(f"{self} and {other} have no size in common")
        return Dimension(max(self.min_length, other.min_length), min(_last(self), _last(other)))

    def relax(self, other: DimensionLike) -> Dimension:
        """Return the smallest interval that contains both, also written `|`.

        >>> Dimension(2).relax((4, 8))
        Dimension(2, 8)
        """
        other = as_dimension(other)
        return Dimension(min(self.min_length, other.min_length), max(_last(self), _last(other)))

    def broadcast_merge(self, other: DimensionLike) -> Dimension:
        """Return the smallest interval that contains every size that broadcasting the two can give.

        >>> print(Dimension().broadcast_merge(5), Dimension(1, 5).broadcast_merge((3, 8)))
        5 3..8

        Raises:
            ShapeMismatch: No two sizes are equal, and none is 1.
        """
        other = as_dimension(other)
        return self._hull(other, (b for a, b in ((self, other), (other, self)) if a.relaxes(1)))

    def stretch(self, other: DimensionLike) -> Dimension:
        """Return the smallest interval with every size of this one to which some size of `other` can be broadcast.

        >>> Dimension(1, 8).stretch((5, 9)), Dimension(1, 8).stretch((1, 3))
        (Dimension(5, 8), Dimension(1, 8))

        Raises:
            ShapeMismatch: No size of `other` is one of these, or 1.
        """
        other = as_dimension(other)
        return self._hull(other, [self] if other.relaxes(1) else [])

    def broadcast_refine(self, other: DimensionLike) -> Dimension:
        """Return the smallest interval with every size of this one that broadcasts with some size of `other`.

        >>> Dimension().broadcast_refine(5), Dimension(2, 9).broadcast_refine((4, 5))
        (Dimension(1, 5), Dimension(4, 5))

        Raises:
            ShapeMismatch: No size broadcasts.
        """
        other = as_dimension(other)
        return self._hull(other, (a for a, b in ((Dimension(1), self), (self, other)) if b.relaxes(1)))

    def to_range(self) -> Range | None:
        """Return this interval as a `Range`, to declare a symbol with; None if it can be any size."""
        return None if self == Dimension() else Range(self.min_length, self.max_length)

    def __int__(self) -> int:
        if self.max_length != self.min_length:
            raise ValueError(f"dimension {self} isn't one size; see its min_length and max_length")
        return self.min_length

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Dimension):
            return (self.min_length, self.max_length) == (other.min_length, other.max_length)
        return self.is_static and self.min_length == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.min_length if self.is_static else (self.min_length, self.max_length))

    def __str__(self) -> str:
        if self.is_static:
            return str(self.min_length)
        text = f"{self.min_length or ''}..{'' if self.max_length is None else self.max_length}"
        return "?" if text == ".." else text

    def __repr__(self) -> str:
        ends = (
            [] if self == Dimension() else [self.min_length] if self.is_static else [self.min_length, self.max_length]
        )
        return f"Dimension({', '.join(map(str, ends))})"

    def __add__(self, other: DimensionLike) -> Dimension:
        (a, b), (c, d) = self._interval, as_dimension(other)._interval
        return Dimension(a + c, None if b is None or d is None else b + d)

    def __sub__(self, other: DimensionLike) -> Dimension:
        (a, b), (c, d) = self._interval, as_dimension(other)._interval
        return Dimension(0 if d is None else max(a - d, 0), None if b is None else max(b - c, 0))

    def __mul__(self, other: DimensionLike) -> Dimension:
        (a, b), (c, d) = self._interval, as_dimension(other)._interval
        return Dimension(a * c, 0 if 0 in (b, d) else None if b is None or d is None else b * d)

    def __floordiv__(self, other: DimensionLike) -> Dimension:
        (a, b), (c, d) = self._interval, as_dimension(other)._interval
        if d == 0:
            raise ZeroDivisionError(f"{self} // {other}: no size is divided by 0")
        return Dimension(0 if d is None else a // d, None if b is None else b // max(c, 1))

    def __truediv__(self, other: DimensionLike) -> Dimension:
        """Return the quotients of the sizes that are multiples of `other`, a static dimension: `5..7` / 2 is 3.

        Raises:
            ShapeMismatch: No size is a multiple of `other`.
        """
        (a, b), divisor = self._interval, int(as_dimension(other))
        if divisor == 0:
            raise ZeroDivisionError(f"{self} / 0: no size is divided by 0")
        least, most = -(-a // divisor), None if b is None else b // divisor
        if most is not None and most < least:
            raise ShapeMismatch(f"{divisor} divides no size in {self}")
        return Dimension(least, most)

    def __rsub__(self, other: DimensionLike) -> Dimension:
        return as_dimension(other) - self

    def __rfloordiv__(self, other: DimensionLike) -> Dimension:
        return as_dimension(other) // self

    def __rtruediv__(self, other: DimensionLike) -> Dimension:
        return as_dimension(other) / self

    __radd__ = __add__
    __rmul__ = __mul__
    __and__ = __rand__ = merge
    __or__ = __ror__ = relax

    @property
    def _interval(self) -> tuple[int, int | None]:
        """The two bounds; negative sizes, for which arithmetic isn't defined, raise ValueError."""
        if self.min_length < 0:
            raise ValueError(f"a size of {self} takes part in no arithmetic; sizes are 0 or more")
        return self.min_length, self.max_length

    def _hull(self, other: Dimension, cases: Iterable[Dimension]) -> Dimension:
        """Return the smallest interval that contains `cases` and the sizes common to both dimensions."""
        merged = [*cases, *([self & other] if self.compatible(other) else [])]
        if not merged:
            raise ShapeMismatch(f"{self} and {other} are neither equal nor 1")
        return reduce(Dimension.relax, merged)


Rank = Dimension


def as_dimension(spec: DimensionLike) -> Dimension:
    """Return an argument as a `Dimension`: a size, a pair of bounds, a text, None, or a dimension."""
    return spec if isinstance(spec, Dimension) else Dimension(spec)


def _last(d: Dimension) -> int:
    return LARGEST if d.max_length is None else d.max_length


def _ends(spec: object) -> tuple[int, int | None]:
    """Return both bounds of a size, a pair, a text or a dimension, unchecked."""
    if isinstance(spec, Dimension):
        return spec.min_length, spec.max_length
    if spec is None or (isinstance(spec, str) and spec.strip() == "?"):
        return 0, None
    pair: object = spec
    if isinstance(spec, str):
        pair = _parse_bounds(spec)
    elif not isinstance(spec, tuple):
        pair = (spec, spec)
    try:
        lo, hi = (-1 if end is None else index(end) for end in pair if not isinstance(end, bool))  # type: ignore[attr-defined]  # a TypeError if it isn't a pair
    except (TypeError, ValueError):
        raise UsageError(f"{quote(spec)} is no dimension; {ACCEPTED}") from None
    return 0 if lo == -1 else lo, None if hi == -1 else hi


def _parse_bounds(text: str) -> tuple[int | None, int | None]:
    """Return both bounds as the text states them."""
    parts = ends(text)
    if parts is None or parts[2] != 1:
        raise UsageError(f"{quote(text)} is no dimension; {ACCEPTED}")
    return parts[:2]
