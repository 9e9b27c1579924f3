"""Values that facts leave to a symbol: its minimum with the remainders that it may leave, or the divisors of a number.

>>> from shapesmt.prover.algebra import equal, symbol
>>> h = symbol("h", 4)
>>> values_left(h.as_symbol(), 4, [equal((h + 3) // 4, 8 * ((h + 3) // 32))])
Left(low=29, window=Window(modulus=32, shift=3, width=4), exact=True)
>>> a, b = symbol("a", 1), symbol("b", 1)
>>> {s.name: values.tolist() for s, values in divisor_values(equal(a * b + 2 * a, 6)).items()}
{'a': [-6, -3, -2, -1, 1, 2, 3, 6]}
>>> {s.name: values.tolist() for s, values in divisor_values(equal((a // 4) * (5 // (a // 4)), 5)).items()}
{'a': [4, 5, 6, 7, 20, 21, 22, 23]}
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache, reduce
from math import inf, isqrt, lcm
from typing import NamedTuple

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import SAFE, Atom, Dim, Evaluator, Formula, Window, all_of, at_most, equal, memo, of_atom
from shapesmt.prover.algebra.growth import half_line, of_formula
from shapesmt.prover.presolve.cells import Cells, Integers, Truth
from shapesmt.prover.presolve.enumeration import Values
from shapesmt.prover.presolve.grid import admissible_cells, is_even
from shapesmt.prover.presolve.limits import LARGEST_DIVIDED, MAX_PERIOD, MAX_VALUES


class Left(NamedTuple):
    """The values that facts leave to a symbol without a maximum.

    Attributes:
        low: Their minimum.
        window: The window that restricts them most; None if none does.
        exact: Whether every value from `low` on that is inside the window satisfies the facts.
    """

    low: int
    window: Window | None
    exact: bool


_LEFT: dict[Hashable, Left] = memo("values that facts leave", {})


def in_window(s: Atom, window: Window) -> Formula:
    """Return the condition that a symbol is inside a window."""
    remainder = (of_atom(s) + window.shift) % window.modulus
    return equal(remainder, 0) if window.width == 1 else at_most(remainder, window.width - 1)


def values_left(s: Atom, low: int, facts: Iterable[Formula]) -> Left:
    """Return the values from `low` on that those of the facts leave that are about a symbol alone.

    The symbol has no maximum.
    """
    alone = tuple([f for f in facts if f.symbols == {s}])
    if not alone:
        return Left(low, s.window, s.window is None)
    key = s, low, alone
    if key not in _LEFT:
        even = [f for f in alone if is_even(f)]
        found = _values_left(s, low, all_of(*even))
        _LEFT[key] = found._replace(window=found.window or s.window, exact=found.exact and len(even) == len(alone))
    return _LEFT[key]


def _values_left(s: Atom, low: int, fact: Formula) -> Left:
    form, unknown = of_formula(fact), Left(low, None, False)
    period = lcm(s.step, form.periods.get(s, 1)) if form is not None else 1
    if form is None or not 1 < period <= MAX_PERIOD or abs(low) >= SAFE >> 1:
        return unknown
    first = np.arange(low, low + period, s.step, dtype=np.int64)
    endless = np.full((1, len(first)), inf)
    cells = Cells(first[None], np.full((1, 1, len(first)), period), endless, np.ones((1, len(first))))
    admitted = admissible_cells(fact, s, cells, form.degrees.get(s, 0))
    if admitted is None or not admitted.number:
        return unknown
    values = admitted.first[0]
    windows = [_around(np.unique(values % m), m) for m in range(2, period + 1) if period % m == 0]
    best = max(windows, key=lambda w: (w.modulus / w.width, w.modulus))
    window, low = best if best.width < best.modulus else None, int(values.min())
    first = np.arange(low, low + period, s.step, dtype=np.int64)
    inside = (
        np.ones(len(first), dtype=bool) if window is None else (first + window.shift) % window.modulus < window.width
    )
    return Left(low, window, _are_all(first[inside], admitted, period))


def _are_all(first: Integers, admitted: Cells, period: int) -> bool:
    """Whether cells have all values of the endless progressions from `first` on in steps of `period`, and no others."""
    values, length = admitted.first[0], admitted.length[0]
    endless: Truth = length == inf
    start = np.sort(first % period), np.sort(values[endless] % period)
    if len(start[0]) != len(start[1]) or (start[0] != start[1]).any() or not np.isin(values % period, start[0]).all():
        return False
    return bool(length[~endless].sum() * period == values[endless].sum() - first.sum())  # cells share no value


def _around(remainders: Integers, modulus: int) -> Window:
    """Return the smallest window that contains the ascending remainders."""
    gaps = np.diff(remainders, append=remainders[0] + modulus)
    widest = int(gaps.argmax())
    start = int(remainders[(widest + 1) % len(remainders)])
    return Window(modulus, -start % modulus, modulus + 1 - int(gaps[widest]))


def divisor_values(fact: Formula) -> dict[Atom, Values]:
    """Return, for each symbol that a fact makes a factor of a number, the values that the fact allows.

    If the fact is a disjunction, every case has to make the symbol such a factor.
    """

    @cache
    def of(part: Formula) -> dict[Atom, Values]:
        if part.op == "eq" and part.dim is not None:
            return _of_equality(part.dim)
        if part.op not in ("and", "or"):
            return {}
        inner = [of(p) for p in part.args]
        symbols = set.union(*map(set, inner)) if part.op == "and" else set.intersection(*map(set, inner))
        join = np.intersect1d if part.op == "and" else np.union1d
        return {s: reduce(join, (values[s] for values in inner if s in values)) for s in symbols}

    return of(fact)


def _of_equality(dim: Dim) -> dict[Atom, Values]:
    """Return the values of symbols that allow `dim == 0`: a factor of all other terms divides the constant term."""
    terms = [({*factors}, coefficient) for factors, coefficient in dim.products()]
    numbers = [abs(coefficient) for factors, coefficient in terms if not factors]
    if not 0 < sum(numbers) <= LARGEST_DIVIDED or len(terms) < 2 or any(s.universal for s in dim.symbols):
        return {}
    values, kept = _divisors(sum(numbers)), dict[Atom, Values]()
    for factor in set.intersection(*(factors for factors, _ in terms if factors)):
        for s in factor.symbols if len(factor.symbols) == 1 else ():
            own = values if factor is s else _where(factor, s, values)
            if own is not None:
                kept[s] = np.intersect1d(kept.get(s, own), own)
    return kept


def _where(part: Atom, s: Atom, values: Values) -> Values | None:
    """Return the values of `s` at which `part`, an operation on it, has one of `values`; None if they are too many."""
    way, last = half_line(int(values[-1]) - of_atom(part)) or (1, 0)
    if way > 0 or s.lo == -inf or last - s.lo >= MAX_VALUES:
        return None
    sizes = np.arange(int(s.lo), last + 1, s.step, dtype=np.int64)
    return sizes[np.isin(Evaluator({s: sizes}).dim(of_atom(part)), values)]


def _divisors(number: int) -> Values:
    small = np.arange(1, isqrt(number) + 1, dtype=np.int64)
    low = small[number % small == 0]
    positive = np.union1d(low, number // low)
    return np.concatenate([-positive[::-1], positive])
