"""Quasi-polynomials: expressions that are a polynomial for each remainder of their symbols by some periods.

Sums and products of symbols are quasi-polynomials, and so are their quotients by constants: `(h//4)*(w//28)` is a
polynomial for each remainder of h by 4 and of w by 28. A minimum, a maximum or a choice is a quasi-polynomial as long
as its `switches` don't change: the sign of the difference of two arguments, the truth of a condition. A quotient of two
expressions is one if the remainder proves it: `(h*w + 3)//h` is w if h is 4 or more. A remainder by a constant is a
number for each remainder of its symbols: its degrees are 0.

    >>> from shapesmt.prover.algebra import symbol
    >>> h, w = symbol("h", 1), symbol("w", 1)
    >>> form = quasipolynomial_of((h // 4) * (w // 28) + w)
    >>> {s.name: (form.periods[s], form.degrees[s]) for s in form.periods} == {"h": (4, 1), "w": (28, 1)}
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from math import gcd, lcm
from typing import Any, NamedTuple, TypeAlias

from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SELECT,
    SYMBOL,
    Atom,
    Dim,
    Formula,
    Interpretation,
    Rows,
    memo,
    of_atom,
    operands,
)

MAX_DEGREE = 4  # in one symbol; the form of an expression with a higher degree is None


class Ratio(NamedTuple):
    """A quotient of expressions: it equals a polynomial with which `remainder` and `room` are 0 or more everywhere.

    Attributes:
        quotient: The quotient.
        remainder: The numerator minus divisor times quotient; 0 or more.
        room: The divisor minus 1 minus the remainder; 0 or more.
    """

    quotient: Dim
    remainder: Dim
    room: Dim


Switch: TypeAlias = "Dim | Formula | Ratio"


class Remainder(NamedTuple):
    """A remainder by a number: `dividend - modulus * quotient`."""

    dividend: Dim
    modulus: int
    quotient: Atom


class Quasipolynomial(NamedTuple):
    """The form of an expression: its periods and degrees, valid as long as its switches don't change.

    Attributes:
        periods: A number for each symbol; for fixed remainders by these, the expression is a polynomial.
        degrees: The maximum exponent of each symbol in it.
        switches: Expressions whose sign mustn't change (0 has both signs), conditions whose truth mustn't; quotients.
    """

    periods: Mapping[Atom, int]
    degrees: Mapping[Atom, int]
    switches: frozenset[Switch] = frozenset()


_KNOWN: dict[Any, Quasipolynomial | None] = memo("quasi-polynomials", {})


def quasipolynomial_of(dim: Dim) -> Quasipolynomial | None:
    """Return the periods and degrees of an expression; None if it isn't known to be a quasi-polynomial."""
    return Forms(_KNOWN).dim(dim)


class Forms(Interpretation["Quasipolynomial | None"]):
    """An interpretation that returns the form of each expression; None if it has none."""

    def _sum(self, dim: Dim) -> Quasipolynomial | None:
        if (remainder := remainder_in(dim)) is not None:
            form = self.atom(remainder.quotient)
            return form and form._replace(degrees=dict.fromkeys(form.degrees, 0))
        return together(together(map(self.atom, factors), of_product=True) for factors, _ in dim.products())

    def _condition(self, formula: Formula) -> Quasipolynomial | None:
        return together(map(self.part, formula.parts))


def remainder_in(dim: Dim) -> Remainder | None:
    """Return the remainder if the expression is a multiple of one, plus a number; else None.

    >>> from shapesmt.prover.algebra import symbol
    >>> remainder_in(2 * (symbol("h", 1) % 4) + 3).modulus
    4
    """
    for factors, c in dim.products():
        atom = factors[0] if len(factors) == 1 and factors[0].op is FLOOR_DIVISION else None
        number = None if atom is None else atom.args[1].constant
        if atom is not None and number and c % number == 0:
            remainder = Remainder(atom.args[0], number, atom)
            if (dim + c // number * (remainder.dividend - number * of_atom(atom))).constant is not None:
                return remainder
    return None


def together(parts: Iterable[Quasipolynomial | None], *, of_product: bool = False) -> Quasipolynomial | None:
    """Return periods and degrees valid for the sum of the parts (their product if `of_product`).

    None if a part is None, or if a degree exceeds `MAX_DEGREE`.
    """
    periods: dict[Atom, int] = {}
    degrees: dict[Atom, int] = {}
    switches = set[Switch]()
    for part in parts:
        if part is None:
            return None
        for x, period in part.periods.items():
            periods[x] = lcm(period, periods.get(x, 1))
        for x, degree in part.degrees.items():
            known = degrees.get(x, 0)
            degrees[x] = known + degree if of_product else max(known, degree)
        switches |= part.switches
    if max(degrees.values(), default=0) > MAX_DEGREE:
        return None
    return Quasipolynomial(periods, degrees, frozenset(switches))


def of_formula(formula: Formula) -> Quasipolynomial | None:
    """Return periods and degrees valid for all expressions that a condition compares; None if one has none."""
    return Forms(_KNOWN).formula(formula)


def _of_quotient(at: Forms, atom: Atom) -> Quasipolynomial | None:
    """Return the form of a quotient: remainders by n repeat after at most `n * lcm(1..d)` for degree d.

    They repeat earlier if what changes is a multiple of a divisor of n: a term `c*s` changes by c times the period.
    """
    numerator, divisor = atom.args
    form, number = at.dim(numerator), divisor.constant
    if form is None or number is None or number <= 0:
        return _of_ratio(at, atom) if number is None else None
    periods = dict(form.periods)
    for s, degree in form.degrees.items():
        moving = [([a for a in factors if s in a.symbols], c) for factors, c in numerator.products()]
        shared = gcd(number, *(c * (periods[s] if factors == [s] else 1) for factors, c in moving if factors))
        periods[s] *= number // shared * lcm(*range(1, degree + 1)) if degree else 1
    return form._replace(periods=periods)


def _of_ratio(at: Forms, atom: Atom) -> Quasipolynomial | None:
    """Return the form of a quotient by an expression; that of `(h*w)//(2*h)` has periods of 2."""
    numerator, divisor = atom.args
    shared = gcd(*(c for _, c in divisor.products()))
    whole = together(map(at.dim, (numerator // shared, numerator, divisor)))
    remainder = numerator - divisor * of_atom(atom)
    ratio = Ratio(of_atom(atom), remainder, divisor - 1 - remainder)
    return whole and whole._replace(switches=whole.switches | {ratio})


def _of_extreme(at: Forms, atom: Atom) -> Quasipolynomial | None:
    dims: tuple[Dim, ...] = atom.args
    ahead = [a - b for a, b in combinations(dims, 2)]
    whole = together([*map(at.dim, dims), *map(at.dim, ahead)])
    return whole and whole._replace(switches=whole.switches | {*ahead})


def _of_choice(at: Forms, atom: Atom) -> Quasipolynomial | None:
    whole = together(map(at.part, atom.args))
    return whole and whole._replace(switches=whole.switches | {atom.args[0]})


Forms.rows = Rows(
    "quasi-polynomials",
    {
        SYMBOL: lambda _, atom: Quasipolynomial({atom: 1}, {atom: 1}),
        FLOOR_DIVISION: _of_quotient,
        PRODUCT: lambda at, atom: together(map(at.dim, atom.args), of_product=True),
        MIN: _of_extreme,
        MAX: _of_extreme,
        SELECT: _of_choice,
    },
    opaque=lambda *_: None,
)


def compared_expressions(formula: Formula) -> list[Dim]:
    """Return the expressions that a condition compares with 0, each once."""
    found, seen, ahead = dict[Dim, None](), set[Formula](), [formula]
    while ahead:
        part = ahead.pop()
        if part not in seen:
            seen.add(part)
            found.update({part.dim: None} if part.dim is not None else {})
            ahead += reversed(part.args)
    return [*found]


def arguments(atom: Atom) -> list[Dim]:
    """Return the expressions that an operation is applied to, including those in its conditions."""
    parts = operands(atom)
    return [dim for part in parts for dim in ([part] if isinstance(part, Dim) else compared_expressions(part))]
