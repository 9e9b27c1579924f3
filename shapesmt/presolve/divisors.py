"""Divisors: the values that symbols can have as factors of a number, such as `a` where `a * b == 1536`.

>>> from shapesmt.algebra import equal, symbol
>>> a, b = symbol("a", 1), symbol("b", 1)
>>> {s.name: values.tolist() for s, values in divisors(equal(a * b + 2 * a, 6)).items()}
{'a': [-6, -3, -2, -1, 1, 2, 3, 6]}
"""

from __future__ import annotations

from functools import reduce
from math import isqrt

import numpy as np

from shapesmt.algebra import SYMBOL, Atom, Dim, Formula
from shapesmt.presolve.enumeration import Values

LARGEST = 1 << 40  # of the numbers whose divisors are listed


def divisors(fact: Formula) -> dict[Atom, Values]:
    """What a fact leaves of the values of symbols, where it makes them factors of a number in each of its cases."""
    if fact.op == "eq" and fact.dim is not None:
        return _of_equality(fact.dim)
    if fact.op not in ("and", "or"):
        return {}
    parts = [divisors(part) for part in fact.args]
    symbols = set.union(*map(set, parts)) if fact.op == "and" else set.intersection(*map(set, parts))
    join = np.intersect1d if fact.op == "and" else np.union1d
    return {s: reduce(join, (part[s] for part in parts if s in part)) for s in symbols}


def _of_equality(dim: Dim) -> dict[Atom, Values]:
    """Where an expression is 0: a symbol in all its terms but the number divides the number."""
    terms = [({*factors}, coefficient) for factors, coefficient in dim.products()]
    numbers = [abs(coefficient) for factors, coefficient in terms if not factors]
    if not 0 < sum(numbers) <= LARGEST or len(terms) < 2 or any(s.universal for s in dim.symbols):
        return {}
    shared = set.intersection(*(factors for factors, _ in terms if factors))
    values = _divisors(sum(numbers))
    return {s: values for s in shared if s.op is SYMBOL and s.definition is None}


def _divisors(number: int) -> Values:
    small = np.arange(1, isqrt(number) + 1, dtype=np.int64)
    low = small[number % small == 0]
    positive = np.union1d(low, number // low)
    return np.concatenate([-positive[::-1], positive])
