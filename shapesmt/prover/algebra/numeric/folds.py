"""Folds: the minimum, the maximum or the sum of an expression over all positions of a tensor, as an expression.

    >>> from shapesmt.prover.algebra.dim import Kind, symbol
    >>> from shapesmt.prover.algebra.evaluation import evaluate
    >>> n, i = symbol("n", 1, 8), symbol("@1", 0, kind=Kind.AXIS)
    >>> greatest = fold("greatest", i * (6 - i), {i.as_symbol(): n - 1})
    >>> [evaluate(greatest, {n.as_symbol(): size}) for size in (1, 3, 8)]
    [0, 8, 9]

The value is computed by evaluating every position, in 64 bits as runtimes do. If there are too many, only an interval
is known: the union of one for each case of a choice. In the case `|j - i| < 8`, for example, `j - i` is in -7..7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise, product
from math import inf, prod
from typing import Any, TypeAlias

from shapesmt.base.deadline import TooLargeError
from shapesmt.base.lazy import np
from shapesmt.prover.algebra.dim import Atom, Dim, Kind, from_terms, make_atom, of_atom, symbol
from shapesmt.prover.algebra.evaluation import Evaluator, fits_int64
from shapesmt.prover.algebra.factors import total
from shapesmt.prover.algebra.formula import Formula, at_least
from shapesmt.prover.algebra.interning import Table, memo
from shapesmt.prover.algebra.intervals import Interval
from shapesmt.prover.algebra.operations import MAX, MIN, SYMBOL, Operation, Values as Point
from shapesmt.prover.algebra.relaxation import tight
from shapesmt.prover.algebra.substitution import substitute

Values: TypeAlias = "np.ndarray[Any, Any]"

MOST_TRIED = 1 << 20  # positions, of all tensors together
MAX_CASES = 12  # maximum nesting of case distinctions
REDUCE = {"least": "minimum", "greatest": "maximum", "sum": "add"}  # the numpy functions


class Fold:
    """The minimum, maximum or sum (`how`) of an expression over positions from 0 to the `lasts`; 0 if none exist."""

    __slots__ = ("__weakref__", "depth", "element", "fits", "how", "lasts", "symbols")

    def __init__(self, how: str, element: Dim, lasts: Mapping[Atom, Dim]) -> None:
        self.how = how
        self.element = element
        self.lasts = lasts
        self.symbols = (element.symbols - lasts.keys()).union(*(last.symbols for last in lasts.values()))
        self.depth = 1 + max(d.depth for d in (element, *lasts.values()))
        tables = prod(_count(s) for s in self.symbols) if element.symbols - lasts.keys() else 1
        tried = tables * prod(max(last.hi + 1, 1) for last in lasts.values())
        self.fits = tried <= MOST_TRIED and all(map(fits_int64, lasts.values()))

    def fits_at(self, evaluator: Point) -> bool:
        """Whether there are few enough positions at these sizes, of all tensors together."""
        counts = [np.maximum(np.asarray(evaluator.dim(last), float) + 1, 0) for last in self.lasts.values()]
        tried = reduce(np.multiply, counts, np.ones(()))
        return float(tried.sum() if self.element.symbols - self.lasts.keys() else tried.max(initial=0)) <= MOST_TRIED

    def value(self, evaluator: Point) -> Any:
        """Return the number (or an array of numbers) at concrete sizes."""
        free = sorted(self.element.symbols - self.lasts.keys(), key=lambda a: a.number)
        values = [evaluator.dim(d) for d in (*self.lasts.values(), *map(of_atom, free))]
        columns = np.broadcast_arrays(*values)
        listed = np.stack([c.ravel() for c in columns], axis=1)
        if listed.dtype == object:
            raise TooLargeError("sizes beyond 64 bits")
        if not len(listed):
            return np.zeros(columns[0].shape, int)
        rows, back = np.unique(listed, axis=0, return_inverse=True)
        if free:
            same = np.unique(rows[:, : len(self.lasts)], axis=0, return_index=True)[1]
            results = np.concatenate([self._fold_rows(part, free) for part in np.split(rows, same[1:])])
        else:
            results = self._all_at_once(rows)
        folded = results[back.ravel()].reshape(columns[0].shape)
        return folded if folded.ndim else int(folded)

    def rebuild(self, args: Sequence[Dim]) -> Dim:
        """Return the same fold of another expression, with other last positions."""
        return fold(self.how, args[0], dict(zip(self.lasts, args[1:], strict=True)))

    @property
    def args(self) -> tuple[Dim, ...]:
        """The element and the last positions."""
        return (self.element, *self.lasts.values())

    def __str__(self) -> str:
        text = str(self.element)
        for p in self.lasts:  # the index along the last axis is i, along the one before it j, ...
            text = text.replace(f"`{p.name}`", chr(ord("i") + int(p.name[1:]) - 1))
        return f"{self.how}({text})"

    def _fold_rows(self, rows: Values, free: Sequence[Atom]) -> Values:
        """Return the fold for each of `rows`, whose last positions are equal, computing in tables of limited size."""
        results, rank = np.zeros(len(rows), dtype=np.int64), len(self.lasts)
        count = prod(max(int(last) + 1, 0) for last in rows[0, :rank]) if len(rows) else 0
        room = max(1, MOST_TRIED // max(count, 1))
        for start in range(0, len(rows) if count else 0, room):
            part = rows[start : start + room]
            columns = part[:, rank:].T.reshape(len(free), len(part), *(1 for _ in self.lasts))
            table = self._table(part[0, :rank], dict(zip(free, columns, strict=True)), len(part))
            results[start : start + room] = getattr(np, REDUCE[self.how]).reduce(table.reshape(-1, count), axis=1)
        return results

    def _all_at_once(self, rows: Values) -> Values:
        """Return the folds for arrays of sizes, looked up in one table for the largest tensor."""
        table = self._table(rows.max(axis=0), {})
        for axis in range(table.ndim):
            table = getattr(np, REDUCE[self.how]).accumulate(table, axis=axis)
        empty = (rows < 0).any(axis=1)
        return np.where(empty, 0, table[tuple(np.maximum(rows, 0).T)]) if table.size else np.zeros(len(rows), int)

    def _table(self, lasts: Values, sizes: Mapping[Atom, Any], *rows: int) -> Values:
        shape = [max(int(last) + 1, 0) for last in lasts]
        if prod(shape) > MOST_TRIED:
            raise TooLargeError("too many positions to try them all")
        rank = len(shape)
        places = [np.arange(n).reshape([-1 if i == k else 1 for i in range(rank)]) for k, n in enumerate(shape)]
        at = dict(zip(self.lasts, places, strict=True))
        return np.broadcast_to(Evaluator({**at, **sizes}).dim(self.element), (*rows, *shape))


def fold(how: str, element: Dim, lasts: Mapping[Atom, Dim]) -> Dim:
    """Return the minimum, maximum or sum of an element over the positions from 0 to the last ones.

    `how` is "least", "greatest" or "sum". The result is 0 if there is no position.
    """
    formula = _closed_sum(element, lasts) if how == "sum" else None
    if formula is not None:
        return formula
    own = {p: symbol(p.name, 0, max(last.hi, 0), kind=p.kind, fold=False) for p, last in lasts.items()}
    capped = substitute(element, own)
    axes = {atom: lasts[p] for p, d in own.items() if (atom := d.as_symbol()) is not None}
    return make_atom(FOLD, (_intern(how, capped, axes),))


def _bounds(folded: Fold) -> Interval:
    """Return bounds of a fold; they include 0, the value without positions."""
    lo, hi = everywhere(folded.element)
    if folded.how != "sum":
        return min(lo, 0), max(hi, 0)
    count = prod(max(last.hi + 1, 0) for last in folded.lasts.values())
    return 0 if lo >= 0 else lo * count, 0 if hi <= 0 else hi * count


FOLD = Operation(
    "fold",
    bounds=_bounds,
    evaluate=lambda at, folded: folded.value(at),
    text=lambda _, folded: (str(folded), True),
    fits=lambda folded: folded.fits,
    fits_at=lambda at, folded: folded.fits or folded.fits_at(at),
    opaque=True,
)
FOLD.defines(lambda rebuilt: rebuilt)  # `Fold.rebuild` folds anew


def too_long(dim: Dim) -> bool:
    """Whether an expression has a fold with too many positions to evaluate at its (bounded) maximum sizes."""
    folds = [a.args[0] for a in dim.atoms() if a.op is FOLD]
    return any(MOST_TRIED < prod(max(last.hi + 1, 0) for last in s.lasts.values()) < inf for s in folds)


def _closed_sum(element: Dim, lasts: Mapping[Atom, Dim]) -> Dim | None:
    """Return the sum as a formula; None if the element isn't a polynomial of degree at most 2 in each position.

    >>> n, i = symbol("n", 1), symbol("@1", 0, kind=Kind.AXIS)
    >>> _closed_sum(2 * i + 3, {i.as_symbol(): n - 1})
    Dim('2*n + n*n')
    """
    if any(a.op is not SYMBOL and not a.symbols.isdisjoint(lasts) for a in element.atoms()):
        return None
    for p, last in lasts.items():
        sixfold = (6 * (last + 1), 3 * last * (last + 1), last * (last + 1) * (2 * last + 1))
        if any(monomial.count(p.number) >= len(sixfold) for monomial, _ in element.terms):
            return None
        parts = [(tuple(n for n in m if n != p.number), c, sixfold[m.count(p.number)]) for m, c in element.terms]
        element = total(from_terms({rest: c}) * power for rest, c, power in parts)
    return element // int(6 ** len(lasts))


_FOLDS: Table[tuple[Any, ...], Fold] = Table("folds", lambda s: (s.how, s.element, *s.lasts.items()))


def _intern(how: str, element: Dim, lasts: Mapping[Atom, Dim]) -> Fold:
    key = (how, element, *lasts.items())
    return _FOLDS.get(key) or _FOLDS.make(key, Fold, how, element, lasts)


def _count(s: Atom) -> float:
    return (s.hi - s.lo) // s.step + 1 if s.hi < inf and s.lo > -inf else inf


def everywhere(element: Dim) -> Interval:
    """Return an interval that contains an expression at all positions.

    >>> from shapesmt.prover.algebra.formula import select
    >>> i = symbol("@1", 0, kind=Kind.AXIS)
    >>> everywhere(select(at_least(7, i), i, 7))
    (0, 7)
    """
    if element not in _EVERYWHERE:
        _EVERYWHERE[element] = _interval(element, MAX_CASES)
    return _EVERYWHERE[element]


_EVERYWHERE: dict[Dim, Interval] = memo("intervals at all positions", {})


def _interval(element: Dim, cases: int) -> Interval:
    """Return an interval of the element: the union over the cases of its choices, nested at most `cases` deep."""
    element = _differences(element)
    for condition in _conditions(element):
        split = _split(condition) if cases else None
        if split is not None:
            p, at = split
            below, above = symbol(p.name, p.lo, at - 1, kind=p.kind), symbol(p.name, at, p.hi, kind=p.kind)
            ends = [_interval(substitute(element, {p: half}), cases - 1) for half in (below, above)]
            return reduce(lambda a, b: (min(a[0], b[0]), max(a[1], b[1])), ends)
    return tight(element)


def _differences(element: Dim) -> Dim:
    """Return the element with one symbol for `p - q` or `p + q`, if it depends on p and q only by that.

    >>> i, j, past = (symbol(name, 0, 7, kind=Kind.AXIS) for name in ("@1", "@2", "past"))
    >>> len(_differences((i - j - past) * (i - j - past)).symbols)
    1
    """
    places = sorted((s for s in element.symbols if s.kind is Kind.AXIS), key=lambda s: s.name)
    for p in places:
        for q, sign in product(sorted(element.symbols - {p}, key=lambda s: s.name), (1, -1)):
            ends = (p.lo - q.hi, p.hi - q.lo) if sign > 0 else (p.lo + q.lo, p.hi + q.hi)
            apart = symbol(f"{p.name}{'+-'[sign > 0]}{q.name}", *ends, kind=Kind.AXIS)
            shifted = substitute(element, {p: sign * of_atom(q) + apart})
            if q not in shifted.symbols:
                return _differences(shifted)
    return element


def _split(condition: Formula) -> tuple[Atom, int] | None:
    """Return the position `i` and the number `k` of a condition `i >= k` (or its negation); else None."""
    if condition.op != "ge" or condition.dim is None or len(condition.dim.symbols) != 1:
        return None
    (p,) = condition.dim.symbols
    slope = dict(condition.dim.terms).get((p.number,), 0)
    rest = (condition.dim - slope * of_atom(p)).constant
    if p.kind is not Kind.AXIS or not slope or rest is None:
        return None
    at = -(rest // slope) if slope > 0 else rest // -slope + 1
    return (p, at) if p.lo < at <= p.hi else None


def _conditions(element: Dim) -> Iterator[Formula]:
    """Yield the comparisons on which choices inside an expression depend."""
    stack: list[Any] = [*element.atoms()]
    seen = set()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Formula) and part.dim is not None:
            yield part
        if isinstance(part, Atom) and part.op in (MIN, MAX):
            yield from (at_least(a, b) for a, b in pairwise(part.args))
        stack += part.atoms() if isinstance(part, Dim) else part.args if hasattr(part, "args") else ()
        stack += part.dim.atoms() if isinstance(part, Formula) and part.dim is not None else ()
