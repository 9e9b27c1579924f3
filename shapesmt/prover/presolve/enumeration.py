"""Enumeration: every admissible assignment of a few symbols as arrays, and the smallest at which a condition holds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce
from math import inf, prod
from typing import TYPE_CHECKING, Any, TypeAlias

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SELECT,
    SYMBOL,
    Assignment,
    Atom,
    Checked,
    Dim,
    Evaluator,
    Formula,
    Interpretation,
    Interval,
    Kind,
    Rows,
    all_of,
    entries_of,
    evaluate,
    lowest,
    memo,
)
from shapesmt.prover.algebra.growth import half_line, monotone
from shapesmt.prover.presolve.limits import MANY

if TYPE_CHECKING:
    from numpy.typing import NDArray

Values: TypeAlias = "NDArray[np.int64]"


def distance(assignment: Assignment) -> tuple[int, int]:
    """Return how many symbols differ from their lower bounds (see `lowest`), and by how much in total."""
    off = [v - lowest(s) for s, v in assignment.items()]
    return sum(o != 0 for o in off), sum(map(abs, off))


class Points:
    """All combinations of some symbols' values that satisfy the facts, as arrays.

    Args:
        symbols: The symbols to assign.
        axes: One array of values for each symbol; all combinations are tried.
        facts: Conditions that an assignment must satisfy.

    Attributes:
        count: The number of assignments.
    """

    def __init__(self, symbols: Sequence[Atom], axes: Sequence[Values], facts: Sequence[Formula]) -> None:
        rank = len(symbols)
        self.symbols = tuple(symbols)
        self._shape = tuple(map(len, axes))
        self._values = {
            s: values.reshape([-1 if i == k else 1 for k in range(rank)])
            for i, (s, values) in enumerate(zip(symbols, axes, strict=True))
        }
        self._evaluator = Evaluator(self._values)
        self.count = prod(self._shape)
        if facts:
            self.keep(self._evaluator.formula(all_of(*facts)))

    def keep(self, truth: Any) -> None:
        """Drop the points at which the mask `truth` is False."""
        places = np.nonzero(self._full(truth))
        self._values = {s: np.broadcast_to(values, self._shape)[places] for s, values in self._values.items()}
        self._shape = places[0].shape if self.symbols else (int(bool(truth)),)
        self._evaluator = Evaluator(self._values)
        self.count = prod(self._shape)

    def fits(self, what: Dim | Formula) -> bool:
        """Whether an expression or a condition can be evaluated at the points without overflow.

        Unlike `fits_int64`, this uses the actual values. Nested quotients need it, such as those of windows that are
        put back into an image: each level multiplies the bounds that follow from ranges.
        """
        at = Checked(self._values)
        try:
            at.part(what)
        except OverflowError:
            return False
        return True

    def truth(self, formula: Formula) -> NDArray[np.bool_]:
        """Return whether the condition holds at each point, as a mask."""
        if len(self.symbols) == 1:
            return truth_over(self.symbols[0], self._values[self.symbols[0]], formula)
        truth: NDArray[np.bool_] = self._full(self._evaluator.formula(formula))
        return truth

    def sides(self, formula: Formula) -> list[NDArray[np.bool_]] | None:
        """Return a mask of each symbol's values, if the condition holds at exactly their combinations; else None."""
        truth = self.truth(formula)
        return sides(truth) if truth.ndim == len(self.symbols) else None

    def sizes(self, dim: Dim) -> Values:
        """Return the values of the expression at the points, each value at least once."""
        return np.atleast_1d(np.asarray(self._evaluator.dim(dim)))

    def outcomes(self, parts: Sequence[Dim | Formula]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct combinations of values that expressions and conditions take, as columns.

        The second result has, for each point in the order of the values that `at` returns, the index of its column.
        """
        rows = np.array([self._full(self._evaluator.part(part)).ravel() for part in parts], dtype=np.int64)
        distinct, column = np.unique(rows, axis=1, return_inverse=True)
        return distinct, column.reshape(self._shape)

    def at(self, chosen: NDArray[np.bool_]) -> dict[Atom, Values]:
        """Return the values of each symbol at the points that the mask `chosen` selects."""
        return {s: np.broadcast_to(v, self._shape)[chosen] for s, v in self._values.items()}

    def where(self, dim: Dim, size: int) -> Assignment:
        """Return the smallest point (see `smallest`) at which the expression has the value `size`."""
        return self.smallest(self._full(self._evaluator.dim(dim) == size))

    def smallest(self, chosen: NDArray[np.bool_]) -> Assignment:
        """Return the point, among those that a mask selects, with the fewest symbols off their lower bounds.

        Ties are broken by the sum of the distances from these bounds, then by the values in the order of the symbols.
        """
        values = self.at(chosen)
        if not values:
            return {}
        rows = np.stack([values[s] for s in self.symbols])
        if len(rows) > 1:
            off = rows - np.array([[lowest(s)] for s in self.symbols])
            for weight in (np.sign, np.abs):
                scores = np.abs(weight(off)).sum(axis=0)
                best = scores == scores.min()
                rows, off = rows[:, best], off[:, best]
            rows = rows[:, [int(np.lexsort(rows[::-1])[0])]]
        return {s: int(v) for s, v in zip(self.symbols, rows[:, 0], strict=True)}

    def some_run(self, truth: NDArray[np.bool_]) -> bool:
        """Whether a condition holds in every iteration of a loop for some input and some data; `truth` is its mask."""
        runs = [s for s in self.symbols if s.kind is not Kind.ITERATION]
        if len(runs) == len(self.symbols) or not runs:
            return bool(truth.any() if runs else truth.all())
        every = self.at(np.ones(truth.shape, dtype=bool))
        rows = np.stack([every[s] for s in runs], axis=1)
        failing = np.unique(rows[~truth.ravel()], axis=0)
        return len(failing) < len(np.unique(rows, axis=0))

    def _full(self, result: Any) -> Any:
        return np.broadcast_to(np.asarray(result), self._shape)


def sides(truth: NDArray[np.bool_]) -> list[NDArray[np.bool_]] | None:
    """Return a mask for each axis of a grid, if the truth holds at exactly the combinations of the masks; else None.

    >>> [side.tolist() for side in sides(np.outer([True, False], [True, True, False]))]
    [[True, False], [True, True, False]]
    >>> sides(np.eye(2, dtype=bool))
    """
    rank, count = truth.ndim, int(np.count_nonzero(truth))
    each = [np.asarray(truth.any(axis=tuple(j for j in range(rank) if j != i))) for i in range(rank)]
    return each if count and count == prod(int(np.count_nonzero(side)) for side in each) else None


def seen_at_an_end(facts: Formula, ends: Mapping[Atom, Interval]) -> bool:
    """Whether `facts` hold with all symbols at their minimum, or with all at their maximum; `ends` has both.

    Infinite bounds can't be tried: the result is False if both tries have one.
    """
    if not facts.symbols <= ends.keys() or any(lo > hi for lo, hi in ends.values()):
        return False
    least = {s: lo for s, (lo, _) in ends.items()}
    greatest = {s: hi - (hi - lo) % s.step for s, (lo, hi) in ends.items()}
    finite = [at for at in (least, greatest) if all(-inf < size < inf for size in at.values())]  # nor nan
    return any(Evaluator({s: int(size) for s, size in at.items()}).formula(facts) for at in finite)


def truth_over(symbol: Atom, values: Values, formula: Formula) -> NDArray[np.bool_]:
    """Return whether a condition on one symbol holds at each of its ascending values, as a mask.

    For more than `MANY` values it bisects if the truth changes only once.
    """
    if len(values) > MANY:
        span = _span(symbol, values, formula)
        if span is not None:
            inside = np.zeros(len(values), dtype=np.bool_)
            inside[span] = True
            return inside
        if formula.op in ("and", "or"):
            join = np.logical_and if formula.op == "and" else np.logical_or
            joined: NDArray[np.bool_] = reduce(join, [truth_over(symbol, values, part) for part in formula.args])
            return joined
    truth: NDArray[np.bool_] = np.broadcast_to(np.asarray(Evaluator({symbol: values}).formula(formula)), values.shape)
    return truth


def _span(symbol: Atom, values: Values, formula: Formula) -> slice | None:
    """Return the slice of ascending values at which a condition holds; None if its truth may change more than once."""
    if formula.op != "ge" or formula.dim is None:
        return None
    way_and_end = half_line(formula.dim)
    way = way_and_end[0] if way_and_end is not None else monotone(formula.dim) or 0
    if way_and_end is not None:
        end = min(max(way_and_end[1], int(values[0]) - 1), int(values[-1]) + 1)
        at = int(values.searchsorted(end, "left" if way > 0 else "right"))
    elif way:
        at = bisect_left(values, True, key=lambda v: bool(evaluate(formula, {symbol: int(v)})) is (way > 0))
    else:
        return None
    return slice(at, None) if way > 0 else slice(at)


def rows_where(values: Values, truth: NDArray[np.bool_]) -> Values:
    """Return `values[truth]` for a mask `truth`; a view if the selected values are contiguous."""
    count, first = int(np.count_nonzero(truth)), int(truth.argmax()) if len(truth) else 0
    if truth[first : first + count].all():
        return values[first : first + count]
    return values[truth]


_MAGNITUDES: dict[Hashable, dict[Any, tuple[float, float]]] = memo("magnitudes", {}, entries_of)


def magnitude(dims: Iterable[Dim], sizes: Mapping[Atom, float]) -> float:
    """Return an upper bound for the absolute value of every part of `dims`, if no symbol exceeds its entry in `sizes`.

    >>> from shapesmt.prover.algebra import symbol
    >>> h, w = symbol("h", 1), symbol("w", 1)
    >>> magnitude([h * w - 3 * (h // 2)], {h.as_symbol(): 10, w.as_symbol(): 100})
    1018.0
    """
    at = Magnitudes(_MAGNITUDES.setdefault(frozenset(sizes.items()), {s: (n, n) for s, n in sizes.items()}))
    return max((at.dim(dim)[1] for dim in dims), default=0)


class Magnitudes(Interpretation[tuple[float, float]]):
    """Computes, from bounds of the symbols, bounds of the absolute values of an expression and of all its parts."""

    def _sum(self, dim: Dim) -> tuple[float, float]:
        most = part = 0.0
        for factors, c in dim.products():
            each = [*map(self.atom, factors)]
            most += abs(c) * prod(max(m, 1.0) for m, _ in each)
            part = max([part, most, *(p for _, p in each)])
        return most, part

    def _condition(self, formula: Formula) -> tuple[float, float]:
        each, part = self.bounds(formula.parts)
        return max(each), part

    def bounds(self, parts: Iterable[Dim | Formula]) -> tuple[list[float], float]:
        """Return a bound of each part (of a condition: of what it compares), and one of everything inside them."""
        each = [*map(self.part, parts)]
        return [most for most, _ in each], max(part for _, part in each)


def _of_quotient(at: Magnitudes, atom: Atom) -> tuple[float, float]:
    (first, _), part = at.bounds(atom.args)
    return first / max(abs(atom.args[1].constant or 1), 1) + 1, part


def _of_product(at: Magnitudes, atom: Atom) -> tuple[float, float]:
    each, part = at.bounds(atom.args)
    most = prod(max(m, 1.0) for m in each)
    return most, max(part, most)


def _of_any(at: Magnitudes, atom: Atom) -> tuple[float, float]:
    each, part = at.bounds(atom.args)
    return max(each[1 if atom.op is SELECT else 0 :]), part


Magnitudes.rows = Rows(
    "magnitude",
    {
        SYMBOL: lambda *_: (inf, inf),
        FLOOR_DIVISION: _of_quotient,
        PRODUCT: _of_product,
        MIN: _of_any,
        MAX: _of_any,
        SELECT: _of_any,
    },
    opaque=lambda *_: (inf, inf),
)
