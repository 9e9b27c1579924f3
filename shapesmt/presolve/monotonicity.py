"""Growth: how expressions and conditions change as a symbol grows.

An expression may rise or fall throughout (`direction`); a condition on one symbol may hold from some value on
(`half_line`). Sums, and divisions by constants, repeat up to a gain: `x//4` gains 7 every 28, and
`x//4 - 7*((x + 24)//28)` repeats every 28. Conditions on them are decided by finitely many values (`window`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import gcd, inf, lcm
from typing import NamedTuple

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
    Operation,
    substitute,
    symbol,
)

MAX_PERIOD = 1 << 20


class Growth(NamedTuple):
    """`p(x + period) == p(x) + gain` for every x."""

    period: int
    gain: int


def window(formulas: Iterable[Formula], x: Atom, lo: int) -> int | None:
    """A value up to which conditions on a symbol from `lo` on show all that they ever do; None where that isn't known.

    >>> from shapesmt.algebra import divides, equal
    >>> x = symbol("x", 4)
    >>> window([equal(x // 4, 7 * ((x + 24) // 28))], x.as_symbol(), 4)
    31
    >>> window([divides(6, x), divides(4, x)], x.as_symbol(), 4)
    15
    """
    start, period = lo, x.step
    for dim in {d for f in formulas for d in _compared(f)}:
        found = growth(dim)
        if found is None:
            return None
        if not found.gain:
            period = lcm(period, found.period)
            continue
        once = substitute(dim, {x: symbol(x.name, lo, lo + found.period, fold=False)})
        most = max(abs(once.lo), abs(once.hi))
        if most == inf:
            return None
        start = max(start, lo + (int(most) // abs(found.gain) + 1) * found.period)
    return start + period - 1 if period <= MAX_PERIOD else None


def growth(dim: Dim) -> Growth | None:
    """How an expression on one symbol grows; None where it isn't known to grow evenly.

    >>> x = symbol("x")
    >>> growth(x // 4 - 7 * (x // 14)), growth(x * x)
    (Growth(period=28, gain=-7), None)
    """
    period, gain = 1, 0
    for factors, coefficient in dim.products():
        parts = [_atom_growth(a) for a in factors]
        known = [p for p in parts if p is not None]
        if len(known) < len(parts) or (len(known) > 1 and any(p.gain for p in known)):
            return None
        joint = lcm(period, *(p.period for p in known))
        if joint > MAX_PERIOD:
            return None
        gain = gain * (joint // period) + coefficient * sum(p.gain * (joint // p.period) for p in known)
        period = joint
    return Growth(period, gain)


def _atom_growth(atom: Atom) -> Growth | None:
    if atom.definition is not None:
        return growth(atom.definition)
    grows = GROWTH.get(atom.op)
    return grows(atom) if grows is not None else None


def _quotient_growth(atom: Atom) -> Growth | None:
    numerator, divisor = atom.args[0], atom.args[1].constant
    if divisor is None or divisor <= 0:
        return _repeated(atom)
    found = growth(numerator)
    times = divisor // gcd(divisor, found.gain) if found is not None else 1
    return None if found is None else Growth(found.period * times, found.gain * times // divisor)


def _repeated(atom: Atom) -> Growth | None:
    """What repeats wherever all that it is made of repeats."""
    parts = [growth(a) for a in atom.args]
    if any(p is None or p.gain for p in parts):
        return None
    return Growth(lcm(*(p.period for p in parts if p is not None)), 0)


GROWTH: dict[Operation, Callable[[Atom], Growth | None] | None] = {
    SYMBOL: lambda _: Growth(1, 1),
    FLOOR_DIVISION: _quotient_growth,
    PRODUCT: _repeated,
    MIN: _repeated,
    MAX: _repeated,
    SELECT: None,
}
"""How each operation grows; None for one that isn't known to grow evenly."""


def _compared(formula: Formula) -> Iterator[Dim]:
    """The expressions that a condition compares with 0."""
    if formula.dim is not None:
        yield formula.dim
    for part in formula.args:
        yield from _compared(part)


def half_line(dim: Dim) -> tuple[int, int] | None:
    """Where an expression on one symbol is 0 or more: (1, n) from n on, (-1, n) up to n; None if it isn't so simple.

    >>> half_line((symbol("h", 1) - 10) // 5 - 2), half_line(20 - 3 * symbol("h", 1))
    ((1, 20), (-1, 6))
    """
    way, end = 1, 0  # way * (dim - end) >= 0
    while True:
        *_, (factors, factor) = dim.products()
        constant = dim.terms[0][1] if not dim.terms[0][0] else 0
        if len(dim.terms) != 1 + bool(constant) or len(factors) != 1:
            return None
        atom, end = factors[0], end - constant
        if factor < 0:
            way, end = -way, -end
        end = -(-end // abs(factor)) if way > 0 else end // abs(factor)
        if atom.op is SYMBOL and atom.definition is None:
            return way, end
        if atom.definition is not None:
            dim = atom.definition
        elif atom.op is FLOOR_DIVISION and (divisor := atom.args[1].constant or 0) > 0:
            dim, end = atom.args[0], end * divisor + (0 if way > 0 else divisor - 1)
        else:
            return None


def direction(dim: Dim) -> int:
    """1 for an expression that never falls as its symbols grow, -1 for one that never rises, else 0."""
    ways = {
        _product_direction(factors) * (1 if coefficient > 0 else -1)
        for factors, coefficient in dim.products()
        if factors
    }
    return ways.pop() if len(ways) == 1 else 0


def _product_direction(atoms: list[Atom]) -> int:
    if len(atoms) > 1 and any(a.lo < 0 for a in atoms):
        return 0
    ways = {_atom_direction(a) for a in atoms}
    return ways.pop() if len(ways) == 1 and (len(atoms) == 1 or ways == {1}) else 0


def _atom_direction(atom: Atom) -> int:
    way = DIRECTION.get(atom.op)
    return way(atom) if way is not None and atom.definition is None else 0


def _quotient_direction(atom: Atom) -> int:
    return direction(atom.args[0]) if (atom.args[1].constant or 0) > 0 else 0


def _common_direction(atom: Atom) -> int:
    ways = {direction(a) for a in atom.args if a.constant is None}
    return ways.pop() if len(ways) == 1 else 0


DIRECTION: dict[Operation, Callable[[Atom], int] | None] = {
    SYMBOL: lambda _: 1,
    FLOOR_DIVISION: _quotient_direction,
    MIN: _common_direction,
    MAX: _common_direction,
    PRODUCT: None,
    SELECT: None,
}
"""The `direction` of each operation; None for one that may rise and fall."""
