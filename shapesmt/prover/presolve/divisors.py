"""Divisors: the values of symbols in factors of a number, such as `a` in `a * b == 1536`.

>>> from shapesmt.prover.algebra import equal, symbol
>>> a, b = symbol("a", 1), symbol("b", 1)
>>> {s.name: values.tolist() for s, values in divisor_values(equal(a * b + 2 * a, 6)).items()}
{'a': [-6, -3, -2, -1, 1, 2, 3, 6]}
>>> {s.name: values.tolist() for s, values in divisor_values(equal((a // 4) * (5 // (a // 4)), 5)).items()}
{'a': [4, 5, 6, 7, 20, 21, 22, 23]}
"""

from __future__ import annotations

from functools import cache, reduce
from math import inf, isqrt

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import Atom, Dim, Evaluator, Formula, of_atom
from shapesmt.prover.algebra.growth import half_line
from shapesmt.prover.presolve.enumeration import Values
from shapesmt.prover.presolve.limits import LARGEST_DIVIDED, MAX_VALUES


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
