"""Envelopes: two straight lines that bound a result of float arithmetic, so that integers can bound it.

`floor(0.7 * h)` in float32 isn't `7*h//10`, but rounding changes a value at most by a known fraction of it.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.prover.algebra.numeric import from_dim, literal
    >>> h = symbol("h", 1)
    >>> between = envelope((from_dim(h, "float32") * literal(0.7, "float32")).floor())
    >>> between.base, [f"{float(slope):.3f}h + {float(offset):.3f}" for slope, offset in between.lines]
    (Dim('h'), ['0.700h + -1.000', '0.700h + 0.000'])

With the lines, a solver can decide conditions that don't depend on the last bit, over ranges too long for a table.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from shapesmt.prover.algebra import Dim
from shapesmt.prover.algebra.numeric import MANTISSA, Float, steps

Line: TypeAlias = tuple[Fraction, Fraction]  # slope and offset

TINY = Fraction(1, 1 << 24)  # bounds the rounding error of tiny values, which isn't relative
NONE, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)
ROUNDINGS = {
    steps.FLOOR: (-ONE, NONE),
    steps.TRUNC: (-ONE, NONE),
    steps.CEIL: (NONE, ONE),
    steps.ROUND: (-HALF, HALF),
}


class Envelope(NamedTuple):
    """Two lines `slope * base + offset` that bound a value: `lines[0]` from below, `lines[1]` from above."""

    base: Dim
    lines: tuple[Line, Line]

    def map_lines(self, below: Callable[[Line], Line], above: Callable[[Line], Line]) -> Envelope:
        """Return an envelope of the same base with each line mapped by its function."""
        return Envelope(self.base, (below(self.lines[0]), above(self.lines[1])))


def envelope(number: Float) -> Envelope | None:
    """Return the lines around a value that is never negative; None if it may be, or if an operation isn't supported."""
    if number.numerator is not None:
        exact = (Fraction(1, number.denominator), Fraction(0))
        return Envelope(number.numerator, (exact, exact)) if number.numerator.lo >= 0 else None
    if number.op is steps.FROM_DIM:
        exact = (Fraction(1), Fraction(0))
        return (
            _widen_by_rounding(Envelope(number.args[0], (exact, exact)), number.dtype)
            if number.args[0].lo >= 0
            else None
        )
    inner = envelope(number.args[0]) if isinstance(number.args[0], Float) else None
    if inner is None:
        return None
    if number.op in ROUNDINGS:
        if number.args[0].op in ROUNDINGS:
            return inner
        down, up = ROUNDINGS[number.op]
        return inner.map_lines(lambda line: (line[0], line[1] + down), lambda line: (line[0], line[1] + up))
    if number.op is steps.CAST:
        return _widen_by_rounding(inner, number.dtype)
    factor = _constant(number.args[1]) if number.op in (steps.MUL, steps.DIV) else None
    if factor is None or factor <= 0:
        return None
    by = factor if number.op is steps.MUL else 1 / factor
    return _widen_by_rounding(inner.map_lines(*[lambda line: (line[0] * by, line[1] * by)] * 2), number.dtype)


def _constant(number: Float) -> Fraction | None:
    if number.numerator is None or number.numerator.constant is None:
        return None
    return Fraction(number.numerator.constant, number.denominator)


def _widen_by_rounding(exact: Envelope, dtype: str) -> Envelope:
    """Return the lines widened by the largest error of rounding to `dtype`."""
    part = Fraction(1, 1 << MANTISSA[dtype])
    return exact.map_lines(
        lambda line: (line[0] * (1 - part), line[1] * (1 - part) - TINY),
        lambda line: (line[0] * (1 + part), line[1] * (1 + part) + TINY),
    )
