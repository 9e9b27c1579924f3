"""Factors: sums, products, the common factor of the terms of expressions, division by it, and the step between values.

>>> from shapesmt.prover.algebra.dim import symbol
>>> n, m = symbol("n", 1), symbol("m", 1)
>>> number, shared = common_factor((6 * n * m, 4 * n))
>>> number, divide_terms(6 * n * m + 4 * n, number, shared)
(2, Dim('3*m + 2'))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd

from shapesmt.prover.algebra.dim import MAX_DEGREE, ZERO, Dim, Monomial, as_dim, from_terms


def total(dims: Iterable[Dim | int]) -> Dim:
    """Return the sum.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> total([symbol("a", 1), 2, symbol("b", 1)])
    Dim('a + b + 2')
    """
    result = ZERO
    for d in dims:
        result = result + d
    return result


def product(dims: Iterable[Dim | int]) -> Dim:
    """Return the product.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> product([symbol("a", 1), 2, symbol("b", 1)])
    Dim('2*a*b')
    """
    number = 1
    monomial: Monomial = ()
    sums: list[Dim] = []
    beyond: list[Dim] = []  # factors above a monomial's MAX_DEGREE
    for d in map(as_dim, dims):
        if len(d.terms) != 1:
            sums.append(d)
        elif len(monomial) + len(d.terms[0][0]) > MAX_DEGREE:
            beyond.append(d)
        else:
            monomial, number = monomial + d.terms[0][0], number * d.terms[0][1]
    result = from_terms({tuple(sorted(monomial)): number})
    for d in [*sums, product(beyond)] if beyond else sums:
        result = result * d
    return result


def without(monomial: Monomial, part: Monomial) -> Monomial | None:
    """Return a monomial divided by another, `x*y*y / y == x*y`; None if that isn't exact."""
    left = list(monomial)
    for n in part:
        if n not in left:
            return None
        left.remove(n)
    return tuple(left)


def common_factor(dims: Sequence[Dim]) -> tuple[int, Monomial]:
    """Return the largest integer and monomial that divide every term: `6*x*y + 4*x == 2*x * (3*y + 2)`."""
    number, shared = 0, None
    for d in dims:
        for monomial, c in d.terms:
            number = gcd(number, c)
            shared = list(monomial) if shared is None else _common_part(shared, monomial)
    return number, tuple(shared or ())


def _common_part(a: list[int], b: Monomial) -> list[int]:
    left, both = list(b), []
    for n in a:
        if n in left:
            left.remove(n)
            both.append(n)
    return both


def divide_terms(dim: Dim, number: int, monomial: Monomial) -> Dim:
    """Return `dim / (number * monomial)`, which has to be exact term by term."""
    return from_terms({without(m, monomial) or (): c // number for m, c in dim.terms})


def step_of(dim: Dim) -> int:
    """Return a number that divides all differences of values of a sum of symbols; 1 for other expressions.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> step_of(2 * symbol("height", 64, 512, step=16) + 1), step_of(symbol("n", 1) * symbol("m", 1))
    (32, 1)
    """
    factors = [(atoms, coefficient) for atoms, coefficient in dim.products() if atoms]
    if not factors or any(len(atoms) > 1 for atoms, _ in factors):
        return 1
    return gcd(*(coefficient * atoms[0].step for atoms, coefficient in factors))
