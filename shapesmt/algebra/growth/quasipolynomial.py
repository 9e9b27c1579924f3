"""Quasi-polynomials: expressions that are a polynomial for each remainder of their symbols by some periods.

Sums and products of symbols are, and their divisions by constants: `(h//4)*(w//28)` is one for each remainder of h by 4
and of w by 28. A minimum, a maximum or a choice is one where its `switches` don't change: the sign of the difference of
two arguments, the truth of a condition. A quotient of two is one where the remainder shows it to be: `(h*w + 3)//h` is
w where h is 4 or more.

    >>> from shapesmt.algebra import symbol
    >>> h, w = symbol("h", 1), symbol("w", 1)
    >>> form = quasipolynomial((h // 4) * (w // 28) + w)
    >>> {s.name: (form.periods[s], form.degrees[s]) for s in form.periods} == {"h": (4, 1), "w": (28, 1)}
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from math import gcd, lcm
from typing import Any, NamedTuple, TypeAlias

from shapesmt.algebra import (
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
)

MAX_DEGREE = 4  # in one symbol


class Ratio(NamedTuple):
    """A quotient of expressions; it is a polynomial where one through its values leaves such remainders everywhere.

    Attributes:
        quotient: The quotient.
        remainder: The numerator without divisor times quotient; 0 or more.
        room: How much more the remainder may be; 0 or more.
    """

    quotient: Dim
    remainder: Dim
    room: Dim


Switch: TypeAlias = "Dim | Formula | Ratio"


class Quasipolynomial(NamedTuple):
    """What is known of an expression.

    Attributes:
        periods: For each symbol a number; where the remainders by these are fixed, the expression is a polynomial.
        degrees: The greatest exponent of each symbol in it.
        switches: What must not change: the sign of an expression (it may be 0 as well), the truth of a condition.
    """

    periods: Mapping[Atom, int]
    degrees: Mapping[Atom, int]
    switches: frozenset[Switch] = frozenset()


_KNOWN: dict[Any, Quasipolynomial | None] = memo("quasi-polynomials", {})


def quasipolynomial(dim: Dim) -> Quasipolynomial | None:
    """Return the periods and degrees of an expression; None if it isn't known to be a quasi-polynomial."""
    return Forms(_KNOWN).dim(dim)


class Forms(Interpretation["Quasipolynomial | None"]):
    """Writes expressions as quasi-polynomials."""

    def _sum(self, dim: Dim) -> Quasipolynomial | None:
        return together(together(map(self.atom, factors), of_product=True) for factors, _ in dim.products())


def together(parts: Iterable[Quasipolynomial | None], *, of_product: bool = False) -> Quasipolynomial | None:
    """Return periods and degrees valid for the sum of the parts (their product if `of_product`)."""
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
    """Return periods and degrees valid for all expressions that a condition compares."""
    if formula not in _KNOWN:
        _KNOWN[formula] = together(map(quasipolynomial, compared(formula)))
    return _KNOWN[formula]


def _of_quotient(at: Forms, atom: Atom) -> Quasipolynomial | None:
    """The remainders of a polynomial's values by n repeat: those of degree d after `n * lcm(1..d)` at the latest."""
    numerator, divisor = atom.args
    form, number = at.dim(numerator), divisor.constant
    if form is None or number is None or number <= 0:
        return _of_ratio(at, atom) if number is None else None
    periods = dict(form.periods)
    for s, degree in form.degrees.items():
        shared = gcd(number, *(c for factors, c in numerator.products() if any(s in a.symbols for a in factors)))
        periods[s] *= number // shared * lcm(*range(1, degree + 1)) if degree else 1
    return form._replace(periods=periods)


def _of_ratio(at: Forms, atom: Atom) -> Quasipolynomial | None:
    """Return the form of a quotient by an expression; for `(h*w)//(2*h)` also of remainders by 2."""
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
    condition, a, b = atom.args
    whole = together([at.dim(a), at.dim(b), of_formula(condition)])
    return whole and whole._replace(switches=whole.switches | {condition})


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


def compared(formula: Formula) -> list[Dim]:
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
    """Return the expressions that an operation is applied to, those in its conditions included."""
    parts = [part for part in (*atom.args, atom.definition) if isinstance(part, (Dim, Formula))]
    return [dim for part in parts for dim in ([part] if isinstance(part, Dim) else compared(part))]
