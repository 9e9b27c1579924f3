"""Redundant: limits that other limits imply, and inputs that refute an implication."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import inf

import numpy as np

from shapesmt.base.deadline import look
from shapesmt.prover.algebra import Atom, Dim, Evaluator, Formula, evaluate, from_terms, of_atom, substitute, symbol
from shapesmt.prover.presolve import Domain, Spread, values_of

MOST_SAMPLES = 1 << 16
TRIED = 8  # samples that are evaluated exactly, at most


class Samples:
    """Inputs from all over a domain, evaluated in floats; a result counts only after exact evaluation."""

    def __init__(self, domain: Domain, symbols: Iterable[Atom]) -> None:
        self._symbols, self._facts = domain.about(symbols)
        each = max(2, int(MOST_SAMPLES ** (1 / max(len(self._symbols), 1))))
        axes = [values_of(domain, s, each, Spread.NEARER).astype(np.float64) for s in self._symbols]
        grid = np.meshgrid(*axes, indexing="ij") if len(axes) <= np.log2(MOST_SAMPLES) else []
        self._values = {s: values.ravel() for s, values in zip(self._symbols, grid, strict=False)}
        self._evaluator = Evaluator(self._values)

    def shows(self, kept: Sequence[Formula], broken: Formula) -> bool:
        """Whether some sample satisfies all conditions in `kept` and violates `broken`."""
        if not broken.symbols <= self._values.keys():
            return False
        known = [fact for fact in (*self._facts, *kept) if fact.symbols <= self._values.keys()]
        with np.errstate(all="ignore"):
            holds = [self._evaluator.formula(fact) for fact in known]
            shown = reduce(np.logical_and, holds, ~np.asarray(self._evaluator.formula(broken), dtype=bool))
        places = np.flatnonzero(shown)
        return any(self._exactly(int(i), known, broken) for i in places[:: max(1, len(places) // TRIED)][:TRIED])

    def _exactly(self, place: int, known: Sequence[Formula], broken: Formula) -> bool:
        at = {s: int(values[place]) for s, values in self._values.items()}
        return all(evaluate(fact, at) for fact in known) and not evaluate(broken, at)


def follows(bytes_: Dim, first: Dim, second: Dim, limit: int) -> bool:
    """Whether `bytes_ <= limit` is shown to follow from `first <= limit` and `second <= limit`.

    It is if a sum of multiples of `first` and `second` bounds `bytes_`, and stays within the limit if these do.

    >>> from shapesmt.prover.algebra import symbol
    >>> n, m = symbol("n", 1), symbol("m", 1)
    >>> follows(4 * n + 4 * m + 9, 10 * n + 1, 8 * m, 99), follows(6 * n + 4 * m + 9, 10 * n + 1, 8 * m, 99)
    (True, False)
    """
    mine, one, other = (_shift_to_zero(d) for d in (bytes_, first, second))
    if any(from_terms({monomial: 1}).lo < 0 for monomial in {*mine, *one, *other}):
        return False
    spare, *room = (limit - terms.pop((), 0) for terms in (mine, one, other))
    rows = [(one.get(monomial, 0), other.get(monomial, 0), need) for monomial, need in mine.items()]
    extra = {*one, *other} - mine.keys()
    rows += [(one.get(m, 0), other.get(m, 0), 0) for m in extra]
    return any(x * room[0] + y * room[1] <= spare for x, y in _corners(rows) if _covers(rows, x, y))


def beneath(bytes_: Dim, other: Dim, limit: int) -> bool:
    """Whether it is shown that `bytes_ <= other` whenever `bytes_` exceeds `limit`.

    For example, `2*n + 9` is more than `3*n` only if `n` is at most 8.

    >>> from shapesmt.prover.algebra import symbol
    >>> n = symbol("n", 1)
    >>> beneath(2 * n + 9, 3 * n, 26), beneath(2 * n + 9, 3 * n, 24)
    (True, False)
    """
    ahead = _shift_to_zero(other - bytes_)
    behind = -ahead.pop((), 0)
    if behind <= 0 or any(c < 0 or from_terms({monomial: 1}).lo < 0 for monomial, c in ahead.items()):
        return False
    steps = {s: ahead.get(next(iter(_start(s).terms))[0], 0) for s in bytes_.symbols}
    if not all(steps.values()) or any(s.lo == -inf for s in steps):
        return False
    near = {s: symbol(s.name, s.lo, min(s.hi, s.lo + (behind - 1) // c), fold=False) for s, c in steps.items()}
    return substitute(bytes_, near).hi <= limit


def _covers(rows: Sequence[tuple[int, int, int]], x: Fraction, y: Fraction) -> bool:
    return x >= 0 and y >= 0 and all(a * x + b * y >= need for a, b, need in rows)


def _corners(rows: Sequence[tuple[int, int, int]]) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the crossings of any two of the lines `a*x + b*y == need` and the axes."""
    for (a, b, p), (c, d, q) in combinations([*rows, (1, 0, 0), (0, 1, 0)], 2):
        look()
        if a * d != b * c:
            yield Fraction(p * d - b * q, a * d - b * c), Fraction(a * q - p * c, a * d - b * c)


def _shift_to_zero(dim: Dim) -> dict[tuple[int, ...], int]:
    """Return the terms of a formula over symbols that begin at 0: `n*m` has an `n` if `m` is 1 or more."""
    replacements = {s: _start(s) + int(s.lo) for s in dim.symbols if 0 < s.lo < inf}
    return dict(substitute(dim, replacements).terms)


def _start(s: Atom) -> Dim:
    """Return a symbol for the distance of another one from its minimum."""
    return symbol(s.name, 0, s.hi - s.lo, fold=False) if 0 < s.lo < inf else of_atom(s)
