"""Division: the normal form of `a // b`. A comment states the identity of each rewrite; cheap ones come first.

Terms that divide exactly are taken out of the floor, nested floors are merged, and a quotient whose bounds admit a
single value becomes that number.

>>> from shapesmt.prover.algebra.dim import symbol
>>> h = symbol("h", 1, 64)
>>> (6 * h + 5) // 3, (h // 2 + 1) // 2, ceil_divide(h, 4)
(Dim('2*h + 1'), Dim('(h + 2)//4'), Dim('(h + 3)//4'))
"""

from __future__ import annotations

from math import gcd, inf

from shapesmt.prover.algebra import intervals
from shapesmt.prover.algebra.dim import (
    ATOMS,
    MAX_PRODUCT,
    ZERO,
    Dim,
    Monomial,
    as_dim,
    const,
    from_terms,
    make_atom,
    of_atom,
)
from shapesmt.prover.algebra.extremes import spread
from shapesmt.prover.algebra.factors import common_factor, divide_terms, without
from shapesmt.prover.algebra.interning import memo
from shapesmt.prover.algebra.operations import FLOOR_DIVISION
from shapesmt.prover.algebra.relaxation import nonnegative, tight

_FLOORS: dict[tuple[Dim, int], Dim] = memo("floors of extremes", {})


@FLOOR_DIVISION.defines
def floor_divide(a: Dim, b: Dim) -> Dim:
    """Return the quotient rounded down; `x // 0` is 0."""
    if b.constant is not None:
        if b.constant == 0:  # x // 0 == 0
            return ZERO
        if b.constant < 0:  # x // -k == -x // k
            a, b = -a, -b
        assert b.constant is not None
        return _divide_by_constant(a, b.constant)
    if a is ZERO:  # 0 // d == 0
        return ZERO
    if b.lo > 0 or b.hi < 0:
        quotient, a = _exact_part(a, b)  # (q*d + x) // d == q + x // d
        if a is ZERO:
            return quotient
        a, b = _cancel(a, b)  # (f*x) // (f*d) == x // d
        if b.constant is not None:
            return quotient + a // b
        if b.lo > 0 and a.lo >= 0 and nonnegative(b - a - 1):  # x // d == 0 if 0 <= x < d
            return quotient
        if b.lo > 0 and a.hi < 0 and nonnegative(b + a):  # x // d == -1 if -d <= x < 0
            return quotient - 1
        return quotient + make_atom(FLOOR_DIVISION, (a, b))
    return make_atom(FLOOR_DIVISION, (a, b))


def ceil_divide(a: Dim | int, b: Dim | int) -> Dim:
    """Return the quotient rounded up, `-(-a // b)`."""
    return -((-as_dim(a)) // b)


def _divide_by_constant(a: Dim, k: int) -> Dim:
    """Return `a // k` for k > 0."""
    if k == 1:  # x // 1 == x
        return a
    if (known := _through_window(a, k)) is not None:
        return known
    whole: dict[Monomial, int] = {}  # (k*q + x) // k == q + x // k
    rest: dict[Monomial, int] = {}
    for monomial, c in a.terms:
        q = c // k if not monomial else (c // k if c > 0 else -(-c // k))
        whole[monomial] = q
        rest[monomial] = c - q * k
    quotient, remainder = from_terms(whole), from_terms(rest)
    if remainder.constant is not None:
        return quotient
    leading = next(c for m, c in remainder.terms if m)
    if leading < 0:  # -x // k == -((x + k - 1) // k)
        return quotient - _quotient_atom(-remainder + (k - 1), k)
    return quotient + _quotient_atom(remainder, k)


def _quotient_atom(a: Dim, k: int) -> Dim:
    """Return `a // k` for terms that don't divide exactly."""
    g = k
    for monomial, c in a.terms:
        if monomial:
            g = gcd(g, c)
    if g > 1:  # (g*x + c) // (g*k) == (x + c//g) // k
        return (from_terms({m: c // g for m, c in a.terms if m}) + a.shift // g) // (k // g)
    for monomial, c in a.terms:
        if c == 1 and len(monomial) == 1:
            atom = ATOMS[monomial[0]]
            if atom.op is FLOOR_DIVISION and atom.args[1].constant is not None:
                inner, m = as_dim(atom.args[0]), int(atom.args[1].constant)
                if m > 0:  # (x + y//m) // k == (m*x + y) // (m*k)
                    return ((a - of_atom(atom)) * m + inner) // (m * k)
    if (known := _FLOORS.get((a, k)) or _by_cases(a, k) or _in_window(a, k)) is not None:
        return known
    lo, hi = tight(a)  # a symbol with one value (lo == hi) keeps its name
    if lo > -inf and hi < inf and lo // k == hi // k and lo < hi:  # x // k == n if n*k <= x < (n + 1)*k
        return const(int(lo // k))
    return make_atom(FLOOR_DIVISION, (a, const(k)), intervals.floor_divide((lo, hi), (k, k)))


def _by_cases(a: Dim, k: int) -> Dim | None:
    """Return `a // k` for an extreme of one expression and numbers, such as `max(x, 7) + 2`; None for others."""
    cases = spread(a)
    if cases is None or sum(x.constant is None for x in cases[1]) != 1:
        return None
    op, parts = cases  # (max(x, 7) + c) // k == max((x + c) // k, (7 + c) // k)
    _FLOORS[a, k] = op.build(*(x // k for x in parts))
    return _FLOORS[a, k]


def _in_window(a: Dim, k: int) -> Dim | None:
    """Return `(n + c) // k` by the quotient that says in which window n is; None if that isn't simpler.

    If `(n + 3) % 32 < 4`, then `(n + 7) // 8 == 4 * ((n + 31) // 32)` and `(n + 5) // 64 == (n + 31) // 64`.
    """
    n = (a - a.shift).as_symbol()
    if n is None or n.window is None:
        return None
    m, shift, width = n.window
    ahead, unit, usual = a.shift - shift, min(k, m), n.window.usual(m)
    if ahead // unit != (ahead + width - 1) // unit:  # n + c is a multiple of m, `ahead` and up to `width - 1` more
        return None
    if m % k == 0 and (k < m or a.shift != usual):
        return (of_atom(n) + usual) // m * (m // k) + ahead // k
    return (of_atom(n) + (usual + ahead // m * m)) // k if k % m == 0 and (a.shift - usual) % m else None


def _through_window(a: Dim, k: int) -> Dim | None:
    """Return `a // k` as a quotient of n if `a` has the quotient that says in which window n is; None if it hasn't.

    If `n % 28 < 4`, then `(7 * (n // 28) + 1) // 2 == (n + 4) // 8`, as `n // 4 == 7 * (n // 28)`.
    """
    terms = [t for t in a.terms if t[0]]
    if len(terms) != 1 or len(terms[0][0]) != 1 or abs(factor := terms[0][1]) == 1 or factor % k == 0:
        return None
    atom = ATOMS[terms[0][0][0]]
    inner, m = atom.args if atom.op is FLOOR_DIVISION else (ZERO, ZERO)
    n = (inner - inner.shift).as_symbol()
    if (
        n is None
        or n.window is None
        or (m.constant, inner.shift) != (n.window.modulus, n.window.usual(n.window.modulus))
    ):
        return None
    unit, left = divmod(n.window.modulus, abs(factor))
    if left or n.window.width > unit:
        return None
    if factor < 0:  # -x // k == -((x + k - 1) // k)
        return -floor_divide(k - 1 - a, const(k))
    return floor_divide(of_atom(n) + (n.window.usual(unit) + a.shift * unit), const(unit * k))


def _exact_part(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Return `(q, r)` with `a == q*b + r`: polynomial division with integer coefficients."""
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


def _cancel(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Divide numerator and denominator by their common factor, which isn't 0, as `b` isn't."""
    number, monomial = common_factor((a, b))
    return divide_terms(a, number, monomial), divide_terms(b, number, monomial)
