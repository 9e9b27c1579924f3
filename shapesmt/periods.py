"""Periods: conditions on one symbol without an upper end, which finitely many values decide.

An expression made of sums and of divisions by constants repeats up to a gain: `x//4` gains 7 every 28, and
`x//4 - 7*((x + 24)//28)` repeats every 28. A comparison with a gain keeps its truth from some value on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd, inf, lcm
from typing import NamedTuple

from shapesmt.dim import _ATOMS, Atom, Dim, symbol
from shapesmt.formula import Formula
from shapesmt.rewrite import replace

MAX_PERIOD = 1 << 20


class Growth(NamedTuple):
    """`p(x + period) == p(x) + gain` for every x."""

    period: int
    gain: int


def window(formulas: Iterable[Formula], x: Atom, lo: int) -> int | None:
    """A value up to which conditions on a symbol from `lo` on show all that they ever do; None where that isn't known.

    >>> from shapesmt.formula import divides, equal
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
        once = replace(dim, {x: symbol(x.name, lo, lo + found.period, fold=False)})
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
    for monomial, coefficient in dim.terms:
        parts = [_atom_growth(_ATOMS[n]) for n in monomial]
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
    if atom.op == "symbol":
        return Growth(1, 1)
    divisor = atom.args[1].constant if atom.op == "floordiv" else None
    if divisor is not None and divisor > 0:
        found = growth(atom.args[0])
        times = divisor // gcd(divisor, found.gain) if found is not None else 1
        return None if found is None else Growth(found.period * times, found.gain * times // divisor)
    if atom.op not in ("floordiv", "min", "max", "product"):
        return None
    parts = [growth(a) for a in atom.args]
    if any(p is None or p.gain for p in parts):
        return None
    return Growth(lcm(*(p.period for p in parts if p is not None)), 0)


def _compared(formula: Formula) -> Iterator[Dim]:
    """The expressions that a condition compares with 0."""
    if formula.dim is not None:
        yield formula.dim
    for part in formula.args:
        yield from _compared(part)
