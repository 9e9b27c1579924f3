"""Growth: expressions on one symbol that, from some value on, gain the same from each period to the next.

Sums do, divisions by constants, minima, maxima and choices: `x//4` gains 7 every 28, `x//4 - 7*((x + 24)//28)` repeats
every 28, and `max(x - 9, 0)` gains 1 from 9 on. So finitely many values decide a condition on them (`window`).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, inf, lcm
from typing import Any, NamedTuple

from shapesmt.algebra import (
    FLOOR_DIVISION,
    MAX,
    MIN,
    PRODUCT,
    SELECT,
    SYMBOL,
    Atom,
    Dim,
    Evaluator,
    Formula,
    Interpretation,
    Rows,
    atom_of,
    entries_of,
    evaluate,
    fits_int64,
    memo,
    of_atom,
    substitute,
    symbol,
    tight,
)
from shapesmt.lazy import np

MAX_PERIOD = 1 << 20
MAX_SHORTENED = 1 << 14


class Growth(NamedTuple):
    """`p(x + period) == p(x) + gain` for every x from `start` on."""

    period: int
    gain: int
    start: int

    def over(self, period: int) -> int:
        """The gain over a multiple of the period."""
        return self.gain * (period // self.period)


_KNOWN: dict[int, dict[Any, Growth | None]] = memo("growths", {}, entries_of)


def window(formulas: Iterable[Formula], x: Atom, lo: int) -> int | None:
    """A value after which conditions on a symbol (from `lo` on) only repeat; None where none is known.

    >>> from shapesmt.algebra import divides, equal
    >>> x = symbol("x", 4)
    >>> window([equal(x // 4, 7 * ((x + 24) // 28))], x.as_symbol(), 4)
    31
    >>> window([divides(6, x), divides(4, x)], x.as_symbol(), 4)
    15
    """
    repeats = repetition(formulas, x, lo)
    return None if repeats is None else repeats.start + repeats.period - 1


def repetition(formulas: Iterable[Formula], x: Atom, lo: int) -> Growth | None:
    """The period with which conditions on a symbol repeat together, and from where on; None where none is known."""
    whole: Growth | None = Growth(x.step, 0, lo)
    for condition in formulas:
        repeats = _repeats(condition, lo)
        whole = joint(whole, repeats) if repeats is not None else None
    return whole


def growth(dim: Dim, lo: int) -> Growth | None:
    """How an expression on one symbol grows from `lo` on; None where it isn't known to grow evenly.

    >>> x = symbol("x")
    >>> growth(x // 4 - 7 * (x // 14), 0), growth(x * x, 0)
    (Growth(period=28, gain=-7, start=0), None)
    """
    return None if len(dim.symbols) > 1 else Growing(lo).dim(dim)


class Growing(Interpretation["Growth | None"]):
    """Computes how expressions on one symbol grow from `lo` on."""

    every = True

    def __init__(self, lo: int) -> None:
        super().__init__(_KNOWN.setdefault(lo, {}))
        self.lo = lo

    def _sum(self, dim: Dim) -> Growth | None:
        whole = Growth(1, 0, self.lo)
        for factors, coefficient in dim.products():
            part = self._product(factors)
            both = None if part is None else joint(part, whole)
            if both is None:
                return None
            whole = both._replace(gain=whole.over(both.period) + coefficient * both.gain)
        return whole

    def _product(self, factors: Iterable[Atom]) -> Growth | None:
        """Return the growth of a product in which one factor grows at most; None if several do."""
        number, start, moving = 1, self.lo, []
        for a in factors:
            change = self.atom(a)
            if change is None:
                return None
            start = max(start, change.start)
            if change.gain or change.period > 1:
                moving.append(change)
            else:
                number *= evaluate(of_atom(a), dict.fromkeys(a.symbols, change.start))
        if not number:
            return Growth(1, 0, start)
        if len(moving) > 1 and any(c.gain for c in moving):
            return None
        period = lcm(*(c.period for c in moving))
        return Growth(period, number * sum(c.over(period) for c in moving), start)


def _of_quotient(at: Growing, atom: Atom) -> Growth | None:
    numerator, divisor = atom.args[0], atom.args[1].constant
    if divisor is None or divisor <= 0:
        return _of_repeated(at, atom) or _of_vanishing(at, numerator, atom.args[1])
    change = at.dim(numerator)
    times = divisor // gcd(divisor, change.gain) if change is not None else 1
    return None if change is None else Growth(change.period * times, change.gain * times // divisor, change.start)


def _of_repeated(at: Growing, atom: Atom) -> Growth | None:
    """Return the period of an operation whose arguments all repeat; None if one of them doesn't."""
    parts = [at.dim(a) for a in atom.args]
    known = [p for p in parts if p is not None and not p.gain]
    if len(known) < len(parts):
        return None
    return Growth(lcm(*(p.period for p in known)), 0, max(p.start for p in known))


def _of_vanishing(at: Growing, numerator: Dim, divisor: Dim) -> Growth | None:
    """Return the growth of `n // x` for a number n: it is 0, or -1, from where x is greater than n."""
    change = at.dim(divisor)
    if numerator.constant is None or change is None or change.gain <= 0:
        return None
    settled = _settled(divisor - abs(numerator.constant), change)
    return None if settled is None else Growth(1, 0, settled)


def _of_extreme(at: Growing, atom: Atom) -> Growth | None:
    """Of two expressions the one that grows faster is the maximum from some value on; else they differ periodically."""
    a, *rest = atom.args
    b = rest[0] if len(rest) == 1 else atom.op.build(*rest)
    ahead = at.dim(a - b)
    if ahead is None:
        return None
    if not ahead.gain:
        return joint(at.dim(b), ahead)
    settled = _settled(a - b, ahead)
    faster = a if (ahead.gain > 0) == (atom.op is MAX) else b
    return None if settled is None else joint(at.dim(faster), Growth(1, 0, settled))


def _of_choice(at: Growing, atom: Atom) -> Growth | None:
    """A choice by a condition that is the same from some value on, or between expressions that gain the same."""
    condition, a, b = atom.args
    repeats = _repeats(condition, at.lo)
    if repeats is None:
        return None
    if repeats.period == 1:
        chosen = evaluate(condition, dict.fromkeys(condition.symbols, repeats.start))
        return joint(at.dim(a if chosen else b), repeats)
    one, other = (joint(at.dim(d), repeats) for d in (a, b))
    if one is None or other is None:
        return None
    both = joint(one, other._replace(gain=0))
    return both if both is not None and both.gain == other.over(both.period) else None


def joint(change: Growth | None, repeats: Growth) -> Growth | None:
    """A growth over a period in which something else repeats too, from where both do."""
    if change is None or (period := lcm(change.period, repeats.period)) > MAX_PERIOD:
        return None
    return Growth(period, change.over(period), max(change.start, repeats.start))


def shortest(dim: Dim, change: Growth, lo: int) -> Growth:
    """The same growth with the least start and the least period, by the values that it repeats.

    >>> x = symbol("x")
    >>> shortest(x // 4, Growth(8, 2, 20), 0)
    Growth(period=4, gain=1, start=0)
    """
    period, count = change.period, change.start + 2 * change.period - lo
    if count > MAX_SHORTENED or len(dim.symbols) != 1:
        return change
    (x,) = dim.symbols
    once = symbol(x.name, lo, lo + count - 1, fold=False)
    values = substitute(dim, {x: once})
    if not fits_int64(values):
        return change
    sizes = np.broadcast_to(Evaluator({atom_of(once): np.arange(lo, lo + count)}).dim(values), count)
    uneven = np.flatnonzero(sizes[period:] - sizes[:-period] != change.gain)
    start = lo + (int(uneven[-1]) + 1 if len(uneven) else 0)
    cycle = sizes[start - lo :]
    for part in range(1, period):
        if period % part == 0 and change.gain * part % period == 0:
            steps = cycle[part : part + period] - cycle[:period]
            if (steps == change.gain * part // period).all():
                return Growth(part, change.gain * part // period, start)
    return change._replace(start=start)


def _settled(dim: Dim, change: Growth) -> int | None:
    """A value from which an expression that gains has the sign of its gain, and isn't 0."""
    (x,) = dim.symbols
    once = substitute(dim, {x: symbol(x.name, change.start, change.start + change.period, fold=False)})
    most = max(map(abs, tight(once)))
    return None if most == inf else change.start + (int(most) // abs(change.gain) + 1) * change.period


def _repeats(condition: Formula, lo: int) -> Growth | None:
    """The period of a condition, and from where on; None where none is known."""
    period, start = 1, lo
    for dim in compared(condition):
        change = growth(dim, lo)
        if change is None:
            return None
        settled = _settled(dim, change) if change.gain else change.start
        if settled is None:
            return None
        period, start = lcm(period, 1 if change.gain else change.period), max(start, settled)
    return Growth(period, 0, start) if period <= MAX_PERIOD else None


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
    """The expressions that an operation is applied to, those in its conditions included."""
    parts = [part for part in (*atom.args, atom.definition) if isinstance(part, (Dim, Formula))]
    return [dim for part in parts for dim in ([part] if isinstance(part, Dim) else compared(part))]


Growing.rows = Rows(
    "growth",
    {
        SYMBOL: lambda at, _: Growth(1, 1, at.lo),
        FLOOR_DIVISION: _of_quotient,
        PRODUCT: _of_repeated,
        MIN: _of_extreme,
        MAX: _of_extreme,
        SELECT: _of_choice,
    },
    opaque=lambda *_: None,
)
