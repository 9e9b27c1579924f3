"""Division: the normal form of `a // b`.

Terms that divide exactly are taken out of the floor, nested floors are merged, and a quotient whose bounds admit a
single value becomes that number.

>>> from shapesmt.algebra.dim import symbol
>>> h = symbol("h", 1, 64)
>>> (6 * h + 5) // 3, (h // 2 + 1) // 2, ceil_divide(h, 4)
(Dim('2*h + 1'), Dim('(h + 2)//4'), Dim('(h + 3)//4'))
"""

from __future__ import annotations

from math import gcd, inf

from shapesmt.algebra import intervals
from shapesmt.algebra.dim import ATOMS, MAX_PRODUCT, ZERO, Dim, Monomial, as_dim, const, from_terms, make_atom, of_atom
from shapesmt.algebra.factors import common_factor, divide_terms, without
from shapesmt.algebra.operations import FLOOR_DIVISION
from shapesmt.algebra.relaxation import nonnegative, tight


@FLOOR_DIVISION.defines
def floor_divide(a: Dim, b: Dim) -> Dim:
    """The quotient rounded down, `x // 0` being 0."""
    if b.constant is not None:
        if b.constant == 0:
            return ZERO
        if b.constant < 0:
            a, b = -a, -b
        assert b.constant is not None
        return _divide_by_constant(a, b.constant)
    if a is ZERO:
        return ZERO
    if b.lo > 0 or b.hi < 0:
        quotient, a = _exact_part(a, b)
        if a is ZERO:
            return quotient
        a, b = _cancelled(a, b)
        if b.constant is not None:
            return quotient + a // b
        if b.lo > 0 and a.lo >= 0 and nonnegative(b - a - 1):
            return quotient
        if b.lo > 0 and a.hi < 0 and nonnegative(b + a):
            return quotient - 1
        return quotient + make_atom(FLOOR_DIVISION, (a, b))
    return make_atom(FLOOR_DIVISION, (a, b))


def ceil_divide(a: Dim | int, b: Dim | int) -> Dim:
    """The quotient rounded up."""
    return -((-as_dim(a)) // b)


def _divide_by_constant(a: Dim, k: int) -> Dim:
    if k == 1:
        return a
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, c in a.terms:
        q = c // k if not monomial else (c // k if c > 0 else -(-c // k))
        whole[monomial] = q
        rest[monomial] = c - q * k
    quotient, remainder = from_terms(whole), from_terms(rest)
    if remainder.constant is not None:
        return quotient
    leading = next(c for m, c in remainder.terms if m)
    if leading < 0:  # floor(-x/k) is -ceil(x/k)
        return quotient - _quotient_atom(-remainder + (k - 1), k)
    return quotient + _quotient_atom(remainder, k)


def _quotient_atom(a: Dim, k: int) -> Dim:
    """`a // k` for the terms that don't divide exactly."""
    shift = dict(a.terms).get((), 0)
    g = k
    for monomial, c in a.terms:
        if monomial:
            g = gcd(g, c)
    if g > 1:
        return (from_terms({m: c // g for m, c in a.terms if m}) + shift // g) // (k // g)
    for monomial, c in a.terms:
        if c == 1 and len(monomial) == 1:
            atom = ATOMS[monomial[0]]
            if atom.op is FLOOR_DIVISION and atom.args[1].constant is not None:
                inner, m = as_dim(atom.args[0]), int(atom.args[1].constant)
                if m > 0:  # x + floor(e/m) is floor((m*x + e)/m), and nested floors merge
                    return ((a - of_atom(atom)) * m + inner) // (m * k)
    lo, hi = tight(a)
    if lo > -inf and hi < inf and lo // k == hi // k and lo < hi:  # a symbol with one value keeps its name
        return const(int(lo // k))
    return make_atom(FLOOR_DIVISION, (a, const(k)), intervals.floor_divide((lo, hi), (k, k)))


def _exact_part(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """`(q, r)` with `a == q*b + r`: polynomial division with integer coefficients."""
    quotient: dict[Monomial, int] = {}
    lead, coefficient = max(b.terms, key=lambda t: (len(t[0]), t[0]))
    for _ in range(MAX_PRODUCT):
        step = next(
            (
                (shorter, c // coefficient)
                for monomial, c in sorted(a.terms, key=lambda t: (-len(t[0]), t[0]))
                if c % coefficient == 0 and (shorter := without(monomial, lead)) is not None
            ),
            None,
        )
        if step is None:
            break
        quotient[step[0]] = quotient.get(step[0], 0) + step[1]
        a = a - b * from_terms({step[0]: step[1]})
        if len(b.terms) > 1 and len(a.terms) > MAX_PRODUCT:
            break
    return from_terms(quotient), a


def _cancelled(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Numerator and denominator without their common factor (which isn't 0, as b isn't)."""
    number, monomial = common_factor((a, b))
    return divide_terms(a, number, monomial), divide_terms(b, number, monomial)
