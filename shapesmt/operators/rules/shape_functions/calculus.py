"""Calculus: TensorFlow's shape-function operations on sizes and shapes, as methods of the context.

A shape is a `Tensor` whose elements are ignored, a dimension a `Dim`. An unknown size is a symbol: it is equal to
itself, and a fresh one to no other. A condition that can't hold ends the rule; one that may fail is a requirement.

    >>> from shapesmt.operators.rules import InferenceContext
    >>> ctx = InferenceContext.of("Join", ["[2,?]", "[?,3]", "[...]"])
    >>> x, y, z = ctx.inputs
    >>> print(ctx.debug_string(ctx.merge(x, y)), ctx.debug_string(ctx.with_rank(z, 2)))
    [2,3] [?,?]
    >>> ctx.with_rank(x, 3)
    Traceback (most recent call last):
      ...
    shapesmt.base.errors.ShapeMismatch: Shape must be rank 3 but is rank 2
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING, NoReturn, TypeVar

from shapesmt.network import laws
from shapesmt.network.graph import Node
from shapesmt.operators.rules.tensors import MAX_RANK, Tensor, UnknownRankError, tensor
from shapesmt.prover.algebra import (
    FALSE,
    ZERO,
    Atom,
    Dim,
    Formula,
    as_dim,
    at_least,
    at_most,
    divides,
    equal,
    maximum,
    minimum,
    of_atom,
    product,
)

UNKNOWN_DIM = -1
UNKNOWN_RANK = -1
LARGEST = (1 << 63) - 1

Handle = TypeVar("Handle", Dim, Tensor)
Size = Dim | int | None

DIMENSION_IS = laws.SM199.law("Dimension must be {size} but is {dim}")
DIMENSION_NOT_NEGATIVE = laws.SM199.law("Negative dimension size caused by subtracting {right} from {left}")
DIVISOR_POSITIVE = laws.SM199.law("Divisor must be positive but is {divisor}")
DIMENSION_EVENLY_DIVISIBLE = laws.SM199.law("Dimension size must be evenly divisible by {divisor} but is {dim}")
DIMENSION_IN_64_BITS = laws.SM404.law("Dimension size overflow from {operation} {left} and {right}")
DIMENSION_INDEX_IN_RANGE = laws.SM199.law("Out of range dim index {index} for shape with {rank} dimensions")
UNKNOWN_SHAPE_RANK = laws.SM199.law("Shape must be rank {expected}")
SHAPE_RANK = laws.SM199.law("Shape must be rank {expected} but is rank {rank}")
UNKNOWN_SHAPE_RANK_AT_LEAST = laws.SM199.law("Shape must be at least rank {least}")
SHAPE_RANK_AT_LEAST = laws.SM199.law("Shape must be at least rank {least} but is rank {rank}")
UNKNOWN_SHAPE_RANK_AT_MOST = laws.SM199.law("Shape must be at most rank {most}")
SHAPE_RANK_AT_MOST = laws.SM199.law("Shape must be at most rank {most} but is rank {rank}")
DIMENSIONS_EQUAL = laws.SM199.law("Dimensions must be equal, but are {left} and {right}")
SHAPES_EQUAL_RANK = laws.SM199.law("Shapes must be equal rank, but are {left} and {right}")
SHAPES_EQUAL = laws.SM199.law(
    "Dimension {axis} in both shapes must be equal, but are {left} and {right}. Shapes are {first} and {second}."
)
UNKNOWN_SHAPES_EQUAL_RANK = laws.SM199.law("Shapes must be equal rank")
SUBSHAPE_IN_BOUNDS = laws.SM199.law("Subshape {end} out of bounds: {index}, for shape with rank {rank}")
SUBSHAPE_START_BEFORE_END = laws.SM199.law("Subshape must have computed start <= end, but is {start} and {end}")
REPLACED_INDEX_IN_RANGE = laws.SM199.law("Out of range dim_index {index} for shape with {rank} dimensions")


class Calculus:
    """The methods of a context for arithmetic with dimensions and shapes."""

    node: Node
    inputs: tuple[Tensor | None, ...]
    alone: bool
    fresh_symbols: list[Dim]

    if TYPE_CHECKING:
        # fmt: off
        def fresh(self, name: str, lo: int = 0, hi: Dim | int | None = None) -> Dim: ...  # noqa: D102 - the context's
        def require(self, formula: Formula, law: laws.Law | str, left: Size = None, right: Size = None) -> None: ...  # noqa: D102
        def check(self, truth: bool, law: laws.Law | str) -> None: ...  # noqa: D102
        def reject(self, law: laws.Law | str) -> NoReturn: ...  # noqa: D102
        # fmt: on

    # Dimensions

    def make_dim(self, size: Size) -> Dim:
        """Return the dimension of size `size`; for None and -1, a new unknown dimension."""
        return self.unknown_dim() if size is None or (isinstance(size, int) and size == UNKNOWN_DIM) else as_dim(size)

    def unknown_dim(self) -> Dim:
        """Return a new unknown dimension."""
        return self.fresh(f"dim{len(self.fresh_symbols)}")

    def value(self, d: Dim) -> int | None:
        """Return the size as a number; None if unknown."""
        return d.constant

    def value_known(self, d: Dim) -> bool:
        """Whether the size is a known number."""
        return d.constant is not None

    def with_value(self, d: Dim, size: int) -> Dim:
        """Return the dimension `size`; require that `d` equals it."""
        self._hold(equal(d, size), DIMENSION_IS.of(size=size, dim=d), d, size)
        return as_dim(size)

    def add(self, a: Dim, b: Dim | int) -> Dim:
        """Return the sum; require that it fits 64 bits."""
        return self._fitting(a + b, "adding", a, b)

    def subtract(self, a: Dim, b: Dim | int) -> Dim:
        """Return the difference; require that it isn't negative."""
        difference = a - b
        self._hold(at_least(difference, 0), DIMENSION_NOT_NEGATIVE.of(left=a, right=b), a, b)
        return difference

    def multiply(self, a: Dim, b: Dim | int) -> Dim:
        """Return the product; require that it fits 64 bits."""
        return self._fitting(a * b, "multiplying", a, b)

    def divide(self, a: Dim, b: Dim | int, *, evenly_divisible: bool = True) -> Dim:
        """Return the quotient, rounded down; `evenly_divisible` requires that the divisor divides the dimension."""
        self._hold(at_least(b, 1), DIVISOR_POSITIVE.of(divisor=b), as_dim(b), 1)
        if evenly_divisible:
            self._hold(divides(b, a), DIMENSION_EVENLY_DIVISIBLE.of(divisor=b, dim=a), a, b)
        return a // b

    def min(self, a: Dim, b: Dim | int) -> Dim:
        """Return the smaller dimension."""
        return minimum(a, b)

    def max(self, a: Dim, b: Dim | int) -> Dim:
        """Return the larger dimension."""
        return maximum(a, b)

    def _fitting(self, d: Dim, operation: str, a: Dim, b: Dim | int) -> Dim:
        self.check(d.lo <= LARGEST, DIMENSION_IN_64_BITS.of(operation=operation, left=a, right=b))
        return d

    # Shapes

    def make_shape(self, dims: Iterable[Size]) -> Tensor:
        """Return the shape with these dimensions; None and -1 are unknown."""
        return tensor("", [self.make_dim(d) for d in dims])

    def unknown_shape(self, lo: int = 0, hi: int = MAX_RANK) -> Tensor:
        """Return a new shape of unknown rank."""
        return tensor("", None, ndim=self.fresh(f"rank{len(self.fresh_symbols)}", lo, hi))

    def unknown_shape_of_rank(self, rank: int) -> Tensor:
        """Return a shape of rank `rank` (-1: unknown) with unknown dimensions."""
        return self.unknown_shape() if rank == UNKNOWN_RANK else self.make_shape([None] * rank)

    def scalar(self) -> Tensor:
        """Return the shape `[]`."""
        return self.make_shape([])

    def vector(self, size: Size) -> Tensor:
        """Return the shape `[size]`."""
        return self.make_shape([size])

    def matrix(self, rows: Size, columns: Size) -> Tensor:
        """Return the shape `[rows, columns]`."""
        return self.make_shape([rows, columns])

    def rank(self, s: Tensor) -> int | None:
        """Return the number of dimensions; None if unknown."""
        return None if s.shape is None else s.rank

    def rank_known(self, s: Tensor) -> bool:
        """Whether the number of dimensions is known."""
        return s.shape is not None

    def dim(self, s: Tensor, index: int) -> Dim:
        """Return dimension `index` of `s`, from the end if negative; a new unknown one if the rank is unknown."""
        if self._lacks_rank(s):
            return self.unknown_dim()
        self.check(-s.rank <= index < s.rank, DIMENSION_INDEX_IN_RANGE.of(index=index, rank=s.rank))
        return s[index]

    def fully_defined(self, s: Tensor) -> bool:
        """Whether every dimension is a known number."""
        return s.shape is not None and all(d.constant is not None for d in s.shape)

    def num_elements(self, s: Tensor) -> Dim:
        """Return the product of the dimensions; an unknown dimension if the rank is unknown."""
        return self.unknown_dim() if self._lacks_rank(s) else product(s.dims)

    def debug_string(self, what: Tensor | Dim) -> str:
        """Return a text for a shape or dimension: `[1,?,3]`, `?`."""
        if isinstance(what, Dim):
            return "?" if what.constant is None else str(what.constant)
        return "?" if what.shape is None else f"[{','.join(map(self.debug_string, what.shape))}]"

    # Ranks

    def with_rank(self, s: Tensor, rank: int) -> Tensor:
        """Return the shape `s`; require rank `rank`."""
        if s.shape is None:
            if self._is_input(s):
                raise UnknownRankError(s, rank)
            self._hold(equal(s.ndim or rank, rank), UNKNOWN_SHAPE_RANK.of(expected=rank), s.ndim, rank)
            return self.unknown_shape_of_rank(rank)
        self.check(s.rank == rank, SHAPE_RANK.of(expected=rank, rank=s.rank))
        return s

    def with_rank_at_least(self, s: Tensor, rank: int) -> Tensor:
        """Return the shape `s`; require at least rank `rank`."""
        if self._lacks_rank(s):
            self._hold(at_least(s.ndim or rank, rank), UNKNOWN_SHAPE_RANK_AT_LEAST.of(least=rank), s.ndim, rank)
            return self.unknown_shape(lo=rank)
        self.check(s.rank >= rank, SHAPE_RANK_AT_LEAST.of(least=rank, rank=s.rank))
        return s

    def with_rank_at_most(self, s: Tensor, rank: int) -> Tensor:
        """Return the shape `s`; require at most rank `rank`."""
        if self._lacks_rank(s):
            self._hold(at_most(s.ndim or rank, rank), UNKNOWN_SHAPE_RANK_AT_MOST.of(most=rank), s.ndim, rank)
            return self.unknown_shape(hi=rank)
        self.check(s.rank <= rank, SHAPE_RANK_AT_MOST.of(most=rank, rank=s.rank))
        return s

    # Merging and relaxing

    def merge(self, a: Handle, b: Handle) -> Handle:
        """Require that two dimensions, or two shapes, are equal, and return the more specific of each pair."""
        if isinstance(a, Dim):
            return self._merge_dims(a, b, DIMENSIONS_EQUAL.of(left=a, right=b))
        return self._merge_shapes(a, b)

    def _merge_dims(self, a: Dim, b: Dim, law: laws.Law | str) -> Dim:
        if a is b:
            return a
        self._hold(equal(a, b), law, a, b)
        return b if b.constant is not None or (b.lo, -b.hi) > (a.lo, -a.hi) else a

    def _merge_shapes(self, a: Tensor, b: Tensor) -> Tensor:
        if a is b:
            return a
        if a.shape is None or b.shape is None:
            return self._merge_unknown(a, b)
        self.check(a.rank == b.rank, SHAPES_EQUAL_RANK.of(left=a.rank, right=b.rank))
        first, second = self.debug_string(a), self.debug_string(b)
        merged = []
        for axis, (x, y) in enumerate(zip(a.dims, b.dims, strict=True)):
            law = SHAPES_EQUAL.of(axis=axis, left=x, right=y, first=first, second=second)
            merged.append(self._merge_dims(x, y, law))
        return tensor(a.dtype, merged)

    def _merge_unknown(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the shape whose rank is known; require the same rank of the other."""
        known, other = (b, a) if a.shape is None else (a, b)
        if known.shape is not None and self._is_input(other):
            raise UnknownRankError(other, known.rank)
        if known.ndim is not None and other.ndim is not None:
            self._hold(equal(known.ndim, other.ndim), UNKNOWN_SHAPES_EQUAL_RANK, known.ndim, other.ndim)
        return known if known.shape is not None else a

    def merge_prefix(self, s: Tensor, prefix: Tensor) -> tuple[Tensor, Tensor]:
        """Return `s` and `prefix` with their common dimensions merged: `[2, ?]` and `[?]` -> `[2, ?]` and `[2]`."""
        if self._lacks_rank(s) or self._lacks_rank(prefix):
            return s, prefix
        self.with_rank_at_least(s, prefix.rank)
        pairs = zip(s.dims, prefix.dims, strict=False)
        merged = [self._merge_dims(x, y, DIMENSIONS_EQUAL.of(left=x, right=y)) for x, y in pairs]
        return tensor(s.dtype, [*merged, *s.dims[prefix.rank :]]), tensor(prefix.dtype, merged)

    def relax(self, a: Handle, b: Handle) -> Handle:
        """Return a dimension or shape that admits both, with new unknown dimensions where they differ."""
        if a is b:
            return a
        if isinstance(a, Dim):
            lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
            return self.fresh(f"dim{len(self.fresh_symbols)}", max(int(lo), 0), None if hi == inf else int(hi))
        if a.shape is None or b.shape is None or a.rank != b.rank:
            return self.unknown_shape()
        return tensor(a.dtype, [self.relax(x, y) for x, y in zip(a.dims, b.dims, strict=True)])

    # Parts

    def subshape(self, s: Tensor, start: int = 0, end: int | None = None, stride: int = 1) -> Tensor:
        """Return `s[start:end:stride]`; ends beyond the rank are clamped."""
        if start == 0 and stride == 1 and (end is None or (s.shape is not None and end >= s.rank)):
            return s
        if self._lacks_rank(s):
            return self.unknown_shape()
        rank = s.rank
        first, last = (i if i is None or i >= 0 else i + rank for i in (start, end))
        assert first is not None
        for name, position, index in (("start", start, first), ("end", end, last)):
            law = SUBSHAPE_IN_BOUNDS.of(end=name, index=position, rank=rank)
            self.check(index is None or index >= 0, law)
        if stride < 0:
            return tensor(s.dtype, s.dims[min(first, rank - 1) : last : stride])
        first, stop = min(first, rank), rank if last is None else min(last, rank)
        self.check(first <= stop, SUBSHAPE_START_BEFORE_END.of(start=first, end=stop))
        return tensor(s.dtype, s.dims[first:stop:stride])

    def concatenate(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the dimensions of `a`, then those of `b`."""
        if self._lacks_rank(a) or self._lacks_rank(b):
            known = a.ndim is not None and b.ndim is not None
            return tensor(a.dtype, None, ndim=(a.ndim or ZERO) + (b.ndim or ZERO)) if known else self.unknown_shape()
        return tensor(a.dtype, [*a.dims, *b.dims])

    def replace_dim(self, s: Tensor, index: int, size: Size) -> Tensor:
        """Return the shape `s` with the dimension at `index` replaced."""
        if self._lacks_rank(s):
            return self.unknown_shape()
        self.check(-s.rank <= index < s.rank, REPLACED_INDEX_IN_RANGE.of(index=index, rank=s.rank))
        return s.replace(index, self.make_dim(size))

    # Requirements

    def _hold(self, formula: Formula, law: laws.Law | str, left: Size = None, right: Size = None) -> None:
        """State a requirement; end the rule if it can't hold."""
        if formula is FALSE:
            self.reject(law)
        self.require(formula, law, left, right)

    def _is_input(self, s: Tensor) -> bool:
        """Whether a shape is one of the node's inputs, for which the caller can try every rank."""
        return not self.alone and any(s is t for t in self.inputs)

    def _lacks_rank(self, s: Tensor) -> bool:
        """Whether the rank isn't known; for an input, the rule is instead run at every rank."""
        if s.shape is None and self._is_input(s):
            raise UnknownRankError(s)
        return s.shape is None


def fixed_symbol(formula: Formula) -> dict[Atom, Dim]:
    """Return the symbol that an equality fixes to a number: `n - 3 == 0` gives {n: 3}; {} if there is none."""
    difference = formula.dim if formula.op == "eq" else None
    atom = next(iter(difference.symbols), None) if difference is not None and len(difference.symbols) == 1 else None
    if difference is None or atom is None:
        return {}
    number = of_atom(atom) - difference, of_atom(atom) + difference
    return next(({atom: d} for d in number if d.constant is not None), {})


__all__ = ["UNKNOWN_DIM", "UNKNOWN_RANK", "Calculus", "Size", "fixed_symbol"]
