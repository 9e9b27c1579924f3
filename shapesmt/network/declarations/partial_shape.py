"""`PartialShape`: a partly known shape as a value; also `Dimension`, and `Rank`, the same class.

Each dimension is an interval of sizes, and the rank may be one too:

    [1..8,3,?,400]      rank 4; 1 to 8, 3, any size, 400
    []                  a scalar
    [...]               unknown rank
    [... rank 3..5]     3 to 5 dimensions
    [2,1..8,...]        2 or more dimensions, with the first two known

Values are immutable and hashable. `merge` returns the shapes that two have in common, `relax` the smallest partial
shape that contains both, and `a.relaxes(b)` says whether each shape of `b` is one of `a`. Shapes that don't fit raise
`ShapeMismatch`, which names the dimension; converting a dynamic shape raises `ValueError`; a size past 2**63 - 1 raises
`SizeOverflowError`.

    >>> from shapesmt import Dimension, PartialShape
    >>> image = PartialShape("[1..8,3,?,400]")
    >>> image.rank, image.is_static, image[0], image[0].max_length
    (Dimension(4), False, Dimension(1, 8), 8)
    >>> print(image.merge([(4, 16), 3, 224, None]))
    [4..8,3,224,400]
    >>> image.merge("[?,4,?,?]")
    Traceback (most recent call last):
      ...
    shapesmt.base.errors.ShapeMismatch: [1..8,3,?,400] and [?,4,?,?] don't merge: dimension 1 is 3 and 4
    >>> print(PartialShape("[8,1,?]").broadcast_merge("[5,400]"))
    [8,5,400]
    >>> image.to_shape()
    Traceback (most recent call last):
      ...
    ValueError: [1..8,3,?,400] isn't one shape: dimension 0 is 1..8
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import zip_longest
from typing import SupportsIndex, TypeAlias, overload

from shapesmt.base.errors import ShapeMismatch, UsageError
from shapesmt.network.declarations.dimension import Dimension, DimensionLike, as_dimension
from shapesmt.network.declarations.ranges import Range, quote, shape_items

PartialShapeLike: TypeAlias = "PartialShape | str | Iterable[DimensionLike]"

_REST = re.compile(r"\.\.\.(?:\s*rank\s+(.*))?")
_ANY, _ONE = Dimension(), Dimension(1)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PartialShape:
    """A set of shapes: the rank is in `rank`, the first sizes are in `leading`; the argument is a text or dimensions.

    If the rank is one number, `leading` has all dimensions; indexing and iterating return them.

    >>> PartialShape([1, (1, 8), None, Dimension(3)]), PartialShape.dynamic(2), PartialShape.dynamic()
    (PartialShape('[1,1..8,?,3]'), PartialShape('[?,?]'), PartialShape('[...]'))
    >>> [str(d) for d in PartialShape("[1, 2..5, ?]")]
    ['1', '2..5', '?']

    Raises:
        UsageError: The argument is no shape.
    """

    leading: tuple[Dimension, ...]
    rank: Dimension

    def __init__(self, dims: PartialShapeLike = ()) -> None:
        if isinstance(dims, PartialShape):
            leading, rank = dims.leading, dims.rank
        elif isinstance(dims, str):
            leading, rank = _parse_shape(dims)
        else:
            try:
                leading = tuple(map(as_dimension, dims))
            except TypeError:
                raise UsageError(f"{quote(dims)} is no shape; write [1..8,3,?,400] or [...]") from None
            rank = Dimension(len(leading))
        self._set(leading, rank)

    @classmethod
    def dynamic(cls, rank: DimensionLike = None) -> PartialShape:
        """Return any shape of this rank, which may be an interval; without a rank, any shape at all.

        >>> print(PartialShape.dynamic(), PartialShape.dynamic(3), PartialShape.dynamic((3, 5)))
        [...] [?,?,?] [... rank 3..5]
        """
        return _shape((), as_dimension(rank))

    @property
    def is_static(self) -> bool:
        """Whether there is only one shape: the rank and all dimensions are static."""
        return self.rank.is_static and all(d.is_static for d in self.leading)

    @property
    def is_dynamic(self) -> bool:
        """Whether the rank or some dimension is dynamic."""
        return not self.is_static

    def all_non_negative(self) -> bool:
        """Whether no dimension is negative."""
        return all(d.all_non_negative() for d in self.leading)

    def to_shape(self) -> tuple[int, ...]:
        """Return the one shape as a tuple of sizes.

        Raises:
            ValueError: It has more than one.
        """
        for i, d in enumerate(self):
            if d.is_dynamic:
                raise ValueError(f"{self} isn't one shape: dimension {i} is {d}")
        return tuple(map(int, self))

    def to_ranges(self) -> tuple[Range | None, ...] | None:
        """Return the SHAPE to declare an input with: a range, or None for any size, per dimension; None for any rank.

        Raises:
            UsageError: The rank is an interval other than any rank.
        """
        if self.rank.is_dynamic and self != PartialShape.dynamic():
            raise UsageError(f"{self} declares no input: its rank is one number, or unknown as in [...]")
        return tuple(d.to_range() for d in self) if self.rank.is_static else None

    def compatible(self, other: PartialShapeLike) -> bool:
        """Whether the two have a shape in common."""
        other = as_partial_shape(other)
        return self.rank.compatible(other.rank) and all(a.compatible(b) for a, b in self._pairs(other))

    def same_scheme(self, other: PartialShapeLike) -> bool:
        """Whether both ranks are dynamic, or the ranks are equal and each pair of dimensions is of the same scheme."""
        other = as_partial_shape(other)
        if self.rank.is_dynamic or other.rank.is_dynamic:
            return self.rank.is_dynamic and other.rank.is_dynamic
        return self.rank == other.rank and all(a.same_scheme(b) for a, b in self._pairs(other))

    def relaxes(self, other: PartialShapeLike) -> bool:
        """Whether each shape of `other` is one of this partial shape's.

        >>> PartialShape("[1..5,?]").relaxes("[2..3,7]"), PartialShape("[1..5,?]").relaxes("[2..8,7]")
        (True, False)
        """
        other = as_partial_shape(other)
        return self.rank.relaxes(other.rank) and all(a.relaxes(b) for a, b in self._pairs(other))

    def refines(self, other: PartialShapeLike) -> bool:
        """Whether each shape of this partial shape is one of `other`'s."""
        return as_partial_shape(other).relaxes(self)

    def merge(self, other: PartialShapeLike) -> PartialShape:
        """Return the shapes that are in both, also written `&`: the largest partial shape that refines both.

        >>> print(PartialShape("[1,2,?,?]").merge("[1,?,3,?]"), PartialShape("[1..5,...]") & "[3..8,?]")
        [1,2,3,?] [3..5,?]

        Raises:
            ShapeMismatch: No shape is in both; the message has the ranks or the first dimension that don't agree.
        """
        other = as_partial_shape(other)
        if not self.rank.compatible(other.rank):
            raise ShapeMismatch(f"{self} and {other} don't merge: their ranks are {self.rank} and {other.rank}")
        met = _each(Dimension.merge, self._pairs(other), f"{self} and {other} don't merge")
        return _shape(met, self.rank & other.rank)

    def merge_rank(self, rank: DimensionLike) -> PartialShape:
        """Return the shapes of this partial shape whose rank is in `rank`: a number or an interval.

        >>> print(PartialShape.dynamic().merge_rank(2), PartialShape.dynamic((2, 5)).merge_rank((4, 8)))
        [?,?] [... rank 4..5]

        Raises:
            ShapeMismatch: No shape has such a rank.
        """
        return self.merge(PartialShape.dynamic(rank))

    def relax(self, other: PartialShapeLike) -> PartialShape:
        """Return the smallest partial shape that relaxes both, also written `|`.

        >>> print(PartialShape([2, 3]).relax([4, 3]), PartialShape([2, 3]).relax([4]))
        [2..4,3] [2..4,... rank 1..2]
        """
        other = as_partial_shape(other)
        common = zip(self.leading, other.leading, strict=False)
        return _shape(tuple(a | b for a, b in common), self.rank | other.rank)

    def broadcast_merge(self, other: PartialShapeLike, mode: str = "numpy", axis: int = -1) -> PartialShape:
        """Return the smallest partial shape with every result of broadcasting a shape of this one with one of `other`.

        In `mode` "numpy" the last dimensions are aligned, and a 1 on either side is broadcast. In "pdpd" the first
        dimension of `other` is aligned with `axis` of this shape (for -1, the last with the last), and only a 1 of
        `other` is broadcast; if a rank is unknown, the result may be larger than needed. In "none" they are equal.

        >>> print(PartialShape("[2,3..5,?]").broadcast_merge("[4,1..6]"), PartialShape([2, 3]).broadcast_merge("[...]"))
        [2,4,?] [... rank 2..]
        >>> print(PartialShape([2, 3, None, 5]).broadcast_merge("[3,4]", "pdpd", axis=1))
        [2,3,4,5]

        Raises:
            ShapeMismatch: No two of the shapes can be broadcast; the message has the first dimension that can't.
        """
        other = as_partial_shape(other)
        if mode == "none":
            return self & other
        if mode == "pdpd":
            return _pdpd(self, other, axis)
        if mode != "numpy":
            raise UsageError(f"no broadcast mode {quote(mode)}; it is numpy, pdpd or none")
        if self.rank.is_dynamic or other.rank.is_dynamic:
            return _any_ranks(self, other)
        return _shape(_each(Dimension.broadcast_merge, _facing(self, other), _cant(self, other)))

    def broadcast_refine(self, other: PartialShapeLike) -> PartialShape:
        """Return the smallest partial shape with every shape of this one that numpy broadcasts with one of `other`.

        If a rank is unknown, return the shape unchanged.

        >>> print(PartialShape("[?,3]").broadcast_refine([5, 1]))
        [1..5,3]

        Raises:
            ShapeMismatch: No two of the shapes can be broadcast.
        """
        other = as_partial_shape(other)
        if self.rank.is_dynamic or other.rank.is_dynamic:
            self.broadcast_merge(other)  # raises if none does
            return self
        refined = _each(Dimension.broadcast_refine, _facing(self, other), _cant(self, other))
        return _shape(refined[len(refined) - len(self) :])

    def __len__(self) -> int:
        if self.rank.is_dynamic:
            raise ValueError(f"{self} isn't of one rank; see its rank and leading dimensions")
        return len(self.leading)

    def __iter__(self) -> Iterator[Dimension]:
        return iter(self.leading[: len(self)])

    @overload
    def __getitem__(self, at: SupportsIndex) -> Dimension: ...
    @overload
    def __getitem__(self, at: slice) -> PartialShape: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Dimension | PartialShape:
        if isinstance(at, slice):
            return _shape(tuple(self)[at])
        i = at.__index__()
        if self.rank.is_dynamic and 0 <= i < self.rank.min_length:
            return self._at(i)
        if not -len(self) <= i < len(self):
            raise IndexError(f"{self} has no dimension {i}")
        return self.leading[i]

    def __str__(self) -> str:
        known = ",".join(map(str, self.leading))
        if self.rank.is_static:
            return f"[{known}]"
        rest = "..." if self.rank == Dimension(len(self.leading), None) else f"... rank {self.rank}"
        return f"[{known},{rest}]" if known else f"[{rest}]"

    def __repr__(self) -> str:
        return f"PartialShape('{self}')"

    __and__ = __rand__ = merge
    __or__ = __ror__ = relax

    def _at(self, i: int) -> Dimension:
        return self.leading[i] if i < len(self.leading) else _ANY

    def _set(self, leading: Sequence[Dimension], rank: Dimension) -> None:
        """Set the dimensions: as many as the rank if it is static, else without unknown dimensions at the end."""
        if not rank.all_non_negative():
            raise UsageError(f"a rank of {rank} is negative")
        kept = list(leading)
        if rank.is_static:
            kept += [_ANY] * (int(rank) - len(kept))
        while rank.is_dynamic and kept and kept[-1] == _ANY:
            kept.pop()
        object.__setattr__(self, "leading", tuple(kept))
        object.__setattr__(self, "rank", rank)

    def _pairs(self, other: PartialShape) -> Iterator[tuple[Dimension, Dimension]]:
        """Return pairs of dimensions that are known on at least one side."""
        return zip_longest(self.leading, other.leading, fillvalue=_ANY)


def as_partial_shape(spec: PartialShapeLike) -> PartialShape:
    """Return an argument as a `PartialShape`."""
    return spec if isinstance(spec, PartialShape) else PartialShape(spec)


def _shape(leading: Sequence[Dimension], rank: Dimension | None = None) -> PartialShape:
    shape = PartialShape.__new__(PartialShape)
    shape._set(leading, Dimension(len(leading)) if rank is None else rank)  # noqa: SLF001 - this file's own class
    return shape


def _parse_shape(text: str) -> tuple[tuple[Dimension, ...], Dimension]:
    """Return the leading dimensions and the rank that a text states."""
    items = shape_items(text) or []
    rest = _REST.fullmatch(items[-1].strip()) if items else None
    leading = tuple(map(Dimension, items[: len(items) - (rest is not None)]))
    if rest is None:
        return leading, Dimension(len(leading))
    return leading, Dimension(len(leading), None) & (rest[1] or _ANY)


def _each(
    rule: Callable[[Dimension, Dimension], Dimension], pairs: Iterable[tuple[Dimension, Dimension]], cant: str
) -> list[Dimension]:
    """Return `rule(a, b)` for each pair of dimensions; if it refuses a pair, the error is `cant` and that pair."""
    dims: list[Dimension] = []
    try:
        for a, b in pairs:
            dims += [rule(a, b)]
    except ShapeMismatch:
        raise ShapeMismatch(f"{cant}: dimension {len(dims)} is {a} and {b}") from None
    return dims


def _cant(a: PartialShape, b: PartialShape) -> str:
    return f"{a} and {b} don't broadcast"


def _facing(a: PartialShape, b: PartialShape) -> Iterator[tuple[Dimension, Dimension]]:
    """Return pairs of dimensions, aligned at the last one; a shorter shape is filled up with 1."""
    longer = max(len(a), len(b))
    return zip([_ONE] * (longer - len(a)) + [*a], [_ONE] * (longer - len(b)) + [*b], strict=True)


def _pdpd(a: PartialShape, b: PartialShape, axis: int) -> PartialShape:
    """Return the result of broadcasting `b` into `a`, with the dimensions of `b` aligned with those from `axis` on."""
    if not Dimension(b.rank.min_length, None).compatible(a.rank):
        raise ShapeMismatch(f"{_cant(a, b)}: the second has more dimensions")
    if a.rank.is_dynamic or b.rank.is_dynamic:
        return a.merge_rank((b.rank.min_length, None))
    spare = len(a) - len(b)
    before = spare if axis == -1 or not spare else axis
    if not 0 <= before <= spare:
        raise ShapeMismatch(f"{_cant(a, b)}: {len(b)} dimensions don't fit from axis {axis}")
    facing = [_ONE] * before + [*b] + [_ONE] * (spare - before)
    return _shape(_each(Dimension.stretch, zip(a, facing, strict=True), _cant(a, b)))


def _any_ranks(a: PartialShape, b: PartialShape) -> PartialShape:
    """Return the result of broadcasting if a rank is unknown, by trying every pair of ranks up to `enough`.

    Higher ranks add nothing: they are further apart than there are leading dimensions, so the longer side's leading
    dimensions stay as they are, and any size may follow.
    """
    enough = max(a.rank.min_length, b.rank.min_length) + len(a.leading) + len(b.leading)
    merged = []
    for left in _at_each_rank(a, enough):
        for right in _at_each_rank(b, enough):
            with suppress(ShapeMismatch):
                merged.append(left.broadcast_merge(right))
    if not merged:
        raise ShapeMismatch(f"{_cant(a, b)} at any rank")
    least = reduce(PartialShape.relax, merged)
    return _shape(least.leading, Dimension(least.rank.min_length, (a.rank | b.rank).max_length))


def _at_each_rank(shape: PartialShape, enough: int) -> Iterator[PartialShape]:
    """Yield the shape at each of its ranks up to `enough`."""
    most = shape.rank.max_length
    for rank in range(shape.rank.min_length, 1 + (enough if most is None else min(most, enough))):
        yield shape.merge_rank(rank)
