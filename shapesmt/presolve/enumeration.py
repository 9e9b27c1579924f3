"""Enumeration: every admissible assignment of a few symbols as arrays, and the smallest at which a condition holds."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import inf, prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from shapesmt.algebra import (
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
    evaluate,
    lowest,
    substitute,
)
from shapesmt.algebra.growth import Growth, arguments, half_line, monotone, repetition
from shapesmt.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY = 4096  # values; for more than these, bisection is tried before evaluating each

FEWER = 8  # by so much less has to be evaluated for a period to be used

Values: TypeAlias = "NDArray[np.int64]"


def distance(assignment: Assignment) -> tuple[int, int]:
    """How far an assignment is from every symbol at its lower bound."""
    off = [v - lowest(s) for s, v in assignment.items()]
    return sum(o != 0 for o in off), sum(map(abs, off))


class Points:
    """Assignments of some symbols: all that the facts about them admit.

    Args:
        symbols: Those of which the combinations of values are tried.
        axes: Their values.
        facts: Conditions on them.
        determined: Symbols that are expressions over these, with the values that they may have.
    """

    def __init__(
        self,
        symbols: Sequence[Atom],
        axes: Sequence[Values],
        facts: Sequence[Formula],
        determined: Mapping[Atom, tuple[Dim, Values]] | None = None,
    ) -> None:
        rank = len(symbols)
        self.symbols = tuple(symbols)
        self._meanings = {s: meaning for s, (meaning, _) in (determined or {}).items()}
        self._shape = tuple(map(len, axes))
        self._values = {
            s: values.reshape([-1 if i == k else 1 for k in range(rank)])
            for i, (s, values) in enumerate(zip(symbols, axes, strict=True))
        }
        self._evaluator = Evaluator(self._values)
        self.count = prod(self._shape)
        valid = self._evaluator.formula(all_of(*facts))
        for meaning, values in (determined or {}).values():
            valid = valid & np.isin(self._evaluator.dim(meaning), values)
        if facts or not np.all(valid):
            self.keep(valid)

    def keep(self, truth: Any) -> None:
        """Leave out the points at which something isn't true."""
        places = np.nonzero(self._full(truth))
        self._values = {s: np.broadcast_to(values, self._shape)[places] for s, values in self._values.items()}
        self._shape = places[0].shape if self.symbols else (int(bool(truth)),)
        self._evaluator = Evaluator(self._values)
        self.count = prod(self._shape)

    def fits(self, what: Dim | Formula) -> bool:
        """Whether nothing overflows where an expression or a condition is evaluated at the points."""
        at, what = Checked(self._values), substitute(what, self._meanings)
        try:
            at.dim(what) if isinstance(what, Dim) else at.formula(what)
        except OverflowError:
            return False
        return True

    def truth(self, formula: Formula) -> NDArray[np.bool_]:
        """The condition at every point."""
        formula = substitute(formula, self._meanings) if self._meanings else formula
        if len(self.symbols) == 1:
            return truth_over(self.symbols[0], self._values[self.symbols[0]], formula)
        truth: NDArray[np.bool_] = self._full(self._evaluator.formula(formula))
        return truth

    def sides(self, formula: Formula) -> list[NDArray[np.bool_]] | None:
        """The values of each symbol at which a condition holds, if it holds at every combination of them; else None."""
        truth = self.truth(formula)
        return sides(truth) if truth.ndim == len(self.symbols) else None

    def sizes(self, dim: Dim) -> Values:
        """The values of the expression, each at least once."""
        return np.atleast_1d(np.asarray(self._evaluator.dim(substitute(dim, self._meanings))))

    def at(self, chosen: NDArray[np.bool_]) -> dict[Atom, Values]:
        """The symbols' values at the chosen points."""
        return {s: np.broadcast_to(v, self._shape)[chosen] for s, v in self._values.items()}

    def where(self, dim: Dim, size: int) -> Assignment:
        """The smallest point at which the expression has that value."""
        return self.smallest(self._full(self._evaluator.dim(substitute(dim, self._meanings)) == size))

    def smallest(self, chosen: NDArray[np.bool_]) -> Assignment:
        """Of the chosen points the one a person would write: few symbols off their lower bound, then small values."""
        point = self._smallest(chosen)
        at = Evaluator(point)
        return point | {s: int(at.dim(meaning)) for s, meaning in self._meanings.items()}

    def _smallest(self, chosen: NDArray[np.bool_]) -> Assignment:
        near = self._nearest(chosen)
        if near is not None:
            return near
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
        """Whether for some input, and some data, the condition holds on each trip of a loop."""
        runs = [s for s in self.symbols if s.kind is not Kind.TRIP]
        if len(runs) == len(self.symbols) or not runs:
            return bool(truth.any() if runs else truth.all())
        every = self.at(np.ones(truth.shape, dtype=bool))
        rows = np.stack([every[s] for s in runs], axis=1)
        failing = np.unique(rows[~truth.ravel()], axis=0)
        return len(failing) < len(np.unique(rows, axis=0))

    def _nearest(self, chosen: NDArray[np.bool_]) -> Assignment | None:
        """The smallest chosen point of a grid among those with one symbol off its first value, if any."""
        if len(self._shape) != len(self.symbols) or len(self.symbols) < 2:
            return None
        points: list[tuple[int, int, Assignment]] = []
        axes = [self._values[s].ravel() for s in self.symbols]
        for k, s in enumerate(self.symbols):
            line = chosen[tuple(slice(None) if i == k else 0 for i in range(len(axes)))]
            if line.any():
                point = {t: int(values[0]) for t, values in zip(self.symbols, axes, strict=True)}
                point[s] = int(axes[k][int(line.argmax())])
                points.append((point[s] - int(axes[k][0]), -k, point))
        return min(points, key=lambda p: p[:2])[2] if points else None

    def _full(self, result: Any) -> Any:
        return np.broadcast_to(np.asarray(result), self._shape)


def sides(truth: NDArray[np.bool_]) -> list[NDArray[np.bool_]] | None:
    """For each axis of a grid the places where the truth holds, if it holds at every combination of them.

    >>> [side.tolist() for side in sides(np.outer([True, False], [True, True, False]))]
    [[True, False], [True, True, False]]
    >>> sides(np.eye(2, dtype=bool))
    """
    rank, count = truth.ndim, int(np.count_nonzero(truth))
    each = [np.asarray(truth.any(axis=tuple(j for j in range(rank) if j != i))) for i in range(rank)]
    return each if count and count == prod(int(np.count_nonzero(side)) for side in each) else None


def seen_at_an_end(facts: Formula, ends: Mapping[Atom, Interval]) -> bool:
    """Whether a condition is known to hold where all symbols are least, or where all are greatest."""
    if not facts.symbols <= ends.keys() or any(lo > hi for lo, hi in ends.values()):
        return False
    least = {s: lo for s, (lo, _) in ends.items()}
    greatest = {s: hi - (hi - lo) % s.step for s, (lo, hi) in ends.items()}
    finite = [at for at in (least, greatest) if all(-inf < size < inf for size in at.values())]  # nor nan
    return any(Evaluator({s: int(size) for s, size in at.items()}).formula(facts) for at in finite)


def truth_over(symbol: Atom, values: Values, formula: Formula) -> NDArray[np.bool_]:
    """A condition on one symbol at each of its ascending values; by bisection where it grows with the symbol."""
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
        repeats = repetition([formula], symbol, int(values[0]))
        if repeats is not None and (last := repeats.start + repeats.period - int(values[0])) < len(values) // FEWER:
            return _repeated(symbol, values, formula, repeats, last)
    truth: NDArray[np.bool_] = np.broadcast_to(np.asarray(Evaluator({symbol: values}).formula(formula)), values.shape)
    return truth


def _repeated(symbol: Atom, values: Values, formula: Formula, repeats: Growth, last: int) -> NDArray[np.bool_]:
    """A condition at each of many values, of which those behind the first ones only repeat what is true there."""
    first = int(values[0])
    truth = truth_over(symbol, np.arange(first, first + last, dtype=np.int64), formula)
    later = values > first + last - 1
    places = np.where(later, repeats.start + (values - repeats.start) % repeats.period, values) - first
    everywhere: NDArray[np.bool_] = truth[places]
    return everywhere


def _span(symbol: Atom, values: Values, formula: Formula) -> slice | None:
    """Which of the ascending values satisfy a condition that changes its truth once at most; None for others."""
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


def chosen(values: Values, truth: NDArray[np.bool_]) -> Values:
    """The values at which the truth holds; a view where they are neighbours."""
    count, first = int(np.count_nonzero(truth)), int(truth.argmax()) if len(truth) else 0
    if truth[first : first + count].all():
        return values[first : first + count]
    return values[truth]


class Line(NamedTuple):
    """What is known of an expression: `h - 4*(h//8)` is half of h and a rest, whatever multiples its terms are.

    Attributes:
        slopes: So much of each symbol.
        low: The least that the rest can be.
        high: The greatest that it can be.
        most: What the expression doesn't exceed either way.
        terms: What no sum of some of its terms exceeds.
    """

    slopes: Mapping[Atom, float]
    low: float
    high: float
    most: float
    terms: float = 0


def magnitude(dims: Iterable[Dim], sizes: Mapping[Atom, float]) -> float:
    """A number that no part of some expressions exceeds, for symbols that aren't beyond some sizes either way.

    >>> from shapesmt.algebra import symbol
    >>> h, w = symbol("h", 1), symbol("w", 1)
    >>> magnitude([h * w - 3 * (h // 2)], {h.as_symbol(): 10, w.as_symbol(): 100})
    1018.0
    """
    known: dict[Any, Line] = {s: Line({s: 1.0}, 0, 0, size) for s, size in sizes.items()}
    at = Lines(known)
    for dim in dims:
        at.dim(dim)
    return max((line.terms for line in known.values()), default=0)


class Lines(Interpretation[Line]):
    """Bounds expressions by lines; the symbols' sizes are known."""

    def _sum(self, dim: Dim) -> Line:
        slopes, low, high, terms = Counter[Atom](), 0.0, 0.0, 0.0
        for factors, c in dim.products():
            lines = [self.atom(atom) for atom in factors]
            line = lines[0] if len(lines) == 1 else _level(prod(max(line.most, 1.0) for line in lines))
            slopes.update({s: c * slope for s, slope in line.slopes.items()})
            ends = (c * line.low, c * line.high) if factors else (c, c)
            low, high, terms = low + min(ends), high + max(ends), terms + abs(c) * line.most
        most = sum(abs(slope) * self.atom(s).most for s, slope in slopes.items()) + max(abs(low), abs(high))
        return Line(slopes, low, high, min(most, terms), terms)


def _level(most: float) -> Line:
    """Return the line of an expression that doesn't exceed a number either way."""
    return Line({}, -most, most, most)


def _of_quotient(at: Lines, atom: Atom) -> Line:
    (first, _), number = map(at.dim, atom.args), atom.args[1].constant
    if number is None or number <= 0:
        return _level(first.most)
    slopes = {s: slope / number for s, slope in first.slopes.items()}
    return Line(slopes, (first.low + 1) / number - 1, first.high / number, first.most / number + 1)


def _of_any(at: Lines, atom: Atom) -> Line:
    """One of the arguments, or of the branches of a choice."""
    lines = [at.dim(dim) for dim in arguments(atom)][-2 if atom.op is SELECT else 0 :]
    most = max(line.most for line in lines)
    if any(line.slopes != lines[0].slopes for line in lines):
        return _level(most)
    return Line(lines[0].slopes, min(line.low for line in lines), max(line.high for line in lines), most)


Lines.rows = Rows(
    "magnitude",
    {
        SYMBOL: lambda *_: _level(inf),
        FLOOR_DIVISION: _of_quotient,
        PRODUCT: lambda at, atom: _level(prod(max(at.dim(a).most, 1.0) for a in atom.args)),
        MIN: _of_any,
        MAX: _of_any,
        SELECT: _of_any,
    },
    opaque=lambda *_: _level(inf),
)
