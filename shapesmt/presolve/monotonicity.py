"""Monotonicity: how expressions and conditions change as a symbol grows.

An expression may never fall, or never rise (`monotone`); a condition on one symbol may hold from some value on
(`half_line`). Sums, and divisions by constants, repeat up to a gain: `x//4` gains 7 every 28, and
`x//4 - 7*((x + 24)//28)` repeats every 28. Finitely many values decide a condition on such expressions (`window`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    of_atom,
    product,
    substitute,
    symbol,
    tight,
    total,
)

MAX_PERIOD = 1 << 20


class Growth(NamedTuple):
    """`p(x + period) == p(x) + gain` for every x."""

    period: int
    gain: int


def window(formulas: Iterable[Formula], x: Atom, lo: int) -> int | None:
    """A value after which conditions on a symbol (from `lo` on) only repeat; None where none is known.

    >>> from shapesmt.algebra import divides, equal
    >>> x = symbol("x", 4)
    >>> window([equal(x // 4, 7 * ((x + 24) // 28))], x.as_symbol(), 4)
    31
    >>> window([divides(6, x), divides(4, x)], x.as_symbol(), 4)
    15
    """
    start, period = lo, x.step
    for dim in {d for f in formulas for d in _compared(f)}:
        change = growth(dim)
        if change is None:
            return None
        if not change.gain:
            period = lcm(period, change.period)
            continue
        once = substitute(dim, {x: symbol(x.name, lo, lo + change.period, fold=False)})
        most = max(abs(once.lo), abs(once.hi))
        if most == inf:
            return None
        start = max(start, lo + (int(most) // abs(change.gain) + 1) * change.period)
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
    change = growth(numerator)
    times = divisor // gcd(divisor, change.gain) if change is not None else 1
    return None if change is None else Growth(change.period * times, change.gain * times // divisor)


def _repeated(atom: Atom) -> Growth | None:
    """The growth of an operation that repeats where all its arguments repeat; None where one of them doesn't."""
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
    """Where an expression on one symbol is 0 or more: (1, n) from n on, (-1, n) up to n; None in other cases.

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


def half_line_of(condition: Formula) -> tuple[Atom, int, int] | None:
    """The symbol that a condition bounds from one side, with its `half_line`; None for other conditions.

    >>> from shapesmt.algebra import differs
    >>> half_line_of(differs(symbol("h", 1) // 4, 0))[1:]
    (1, 4)
    """
    dim = condition.dim if condition.op in ("ge", "ne") and len(condition.symbols) == 1 else None
    if dim is not None and condition.op == "ne":  # an expression that is never negative and isn't 0 is 1 or more
        dim = dim - 1 if tight(dim)[0] >= 0 else -dim - 1 if tight(dim)[1] <= 0 else None
    way_and_end = half_line(dim) if dim is not None else None
    return (next(iter(condition.symbols)), *way_and_end) if way_and_end is not None else None


def monotone(dim: Dim, symbol: Atom | None = None) -> int | None:
    """How an expression changes as a symbol grows and the others stay; without a symbol, as all of them grow.

    Returns:
        1 where it never falls, -1 where it never rises, 0 where it doesn't change, None where that isn't known.

    Example:
        >>> h, w = symbol("h", 1), symbol("w", 1)
        >>> monotone(h * w - h, h.as_symbol()), monotone(h // 2 - w, w.as_symbol()), monotone(h // 2 + w)
        (1, -1, 1)
    """
    moving = [(factors, c) for factors, c in dim.products() if any(_moves(a, symbol) for a in factors)]
    if symbol is not None and len(moving) > 1 and all(_is_linear(factors, symbol) for factors, _ in moving):
        lo, hi = tight(total(c * product(of_atom(a) for a in factors if a is not symbol) for factors, c in moving))
        return 1 if lo >= 0 else -1 if hi <= 0 else None
    return _joint(_product_direction(factors, c, symbol) for factors, c in moving)


def _moves(part: Atom | Dim | Formula, symbol: Atom | None) -> bool:
    return bool(part.symbols) if symbol is None else symbol in part.symbols


def _is_linear(factors: list[Atom], symbol: Atom) -> bool:
    """Whether a product is the symbol times factors in which it doesn't occur."""
    return factors.count(symbol) == 1 == sum(symbol in a.symbols for a in factors)


def _joint(directions: Iterable[int | None]) -> int | None:
    """The direction of an expression whose parts have these directions."""
    distinct = set(directions)
    return None if None in distinct or {1, -1} <= distinct else next((d for d in distinct if d), 0)


def _product_direction(factors: list[Atom], coefficient: int, symbol: Atom | None) -> int | None:
    moving = [a for a in factors if _moves(a, symbol)]
    if any(a.lo < 0 for a in factors if a is not moving[0] or len(moving) > 1):
        return None
    direction = _joint(_atom_direction(a, symbol) for a in moving)
    return direction if direction is None or coefficient > 0 else -direction


def _atom_direction(atom: Atom, symbol: Atom | None) -> int | None:
    parts = RISES_WITH.get(atom.op)
    if parts is None or atom.definition is not None:
        return None
    rising, fixed = parts(*atom.args)
    if any(_moves(part, symbol) for part in fixed):
        return None
    return _joint(monotone(part, symbol) for part in rising) if rising else 1


Parts = tuple[Sequence[Dim], Sequence[Dim | Formula]]


def _quotient_parts(numerator: Dim, divisor: Dim) -> Parts:
    return ([numerator], [divisor]) if divisor.lo > 0 else ([], [numerator, divisor])


RISES_WITH: dict[Operation, Callable[..., Parts] | None] = {
    SYMBOL: lambda: ([], []),
    FLOOR_DIVISION: _quotient_parts,
    MIN: lambda *dims: (dims, []),
    MAX: lambda *dims: (dims, []),
    SELECT: lambda condition, *branches: (branches, [condition]),
    PRODUCT: None,
}
"""The arguments with which each operation rises, and those that must not change; None where that isn't known.

An operation without arguments is a symbol, which rises with itself.
"""
