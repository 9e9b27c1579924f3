"""Drop float rounding from a quotient if floor, ceil and trunc are the same without it.

>>> from shapesmt.prover.algebra.dim import symbol
>>> from shapesmt.prover.algebra.numeric.floats import from_dim, literal
>>> frames = from_dim(symbol("n", 1, 480000), "float32") / literal(5, "float32") + literal(1, "float32")
>>> drop_rounding(frames, 24)
(Dim('n + 5'), 5)
>>> frames.ceil().to_int()  # no n is so large that n / 5, rounded, becomes an integer
Dim('(n + 4)//5 + 1')
"""

from __future__ import annotations

from math import frexp, gcd, inf, isfinite
from typing import Any, NamedTuple

from shapesmt.prover.algebra.dim import Dim
from shapesmt.prover.algebra.formula import equal, select
from shapesmt.prover.algebra.interning import memo
from shapesmt.prover.algebra.numeric.steps import ADD, DIV, SUB


class _Fraction(NamedTuple):
    """The exact value of a tree of operations, without any rounding.

    Attributes:
        top: The numerator.
        bottom: The denominator, positive.
        most: An upper bound of the absolute value.
        sums: The number of sums after the division; None if nothing is rounded.
    """

    top: Dim
    bottom: int
    most: float
    sums: int | None


def drop_rounding(number: Any, mantissa: int) -> tuple[Dim, int] | None:
    """Return a tree's value without rounding, if `floor`, `ceil` and `trunc` of both are the same; else None.

    A fraction that isn't an integer is at least `1 / bottom` away from one. A quotient that is an integer isn't
    rounded, nor is its sum with an integer. A sum is rounded only if it is in a higher binade than its
    summands, so that n sums add up to at most `1/2 + ... + 1/2**n` of the error in the highest binade.
    """
    fraction = _fraction(number, mantissa)
    if fraction is None or fraction.sums is None or fraction.most >= 1 << mantissa:
        return None
    common = gcd(fraction.bottom, *(c for _, c in fraction.top.terms))
    top, bottom = fraction.top // common, fraction.bottom // common
    half = 2.0 ** (frexp(max(fraction.most, 1))[1] - 1 - mantissa)
    return (top, bottom) if half * (2 - 0.5**fraction.sums) * bottom < 1 else None


def nearest_fraction(top: Dim, bottom: int, mantissa: int) -> tuple[Dim, int] | None:
    """Return `top / bottom` rounded to `mantissa` bits, as a fraction; None unless its range is in one binade.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> nearest_fraction(symbol("n", 1 << 24, 1 << 25), 1, 24)
    (Dim('2*((3*n)//4) - 2*(n//4)'), 1)
    """
    if not 0 < top.lo <= top.hi < inf:
        return None
    places = mantissa - int(top.lo // bottom).bit_length()  # bits after the point; if negative, zeros before it
    if top.lo < bottom or top.hi > bottom << (mantissa - places):
        return None
    numerator, denominator = top * (1 << max(places, 0)), bottom << max(-places, 0)
    tie = (numerator // denominator) % 2 - 1 if denominator % 2 == 0 else 0
    nearest = (numerator + denominator // 2 + tie) // denominator
    return nearest * (1 << max(-places, 0)), 1 << max(places, 0)


def _fraction(number: Any, mantissa: int) -> _Fraction | None:
    if number.numerator is not None:
        ends = abs(number.lo), abs(number.hi)
        most = max(ends) if all(map(isfinite, ends)) else (1 << mantissa) / number.denominator
        return _Fraction(number.numerator, number.denominator, most, None)
    if number.op not in (ADD, SUB, DIV):
        return None
    if (number, mantissa) not in _FRACTIONS:
        a, b = (_fraction(part, mantissa) for part in number.args)
        _FRACTIONS[number, mantissa] = None if a is None or b is None else _combine(number.op, a, b)
    return _FRACTIONS[number, mantissa]


_FRACTIONS: dict[tuple[Any, int], _Fraction | None] = memo("fractions", {})


def _combine(op: Any, a: _Fraction, b: _Fraction) -> _Fraction | None:
    return _divide(a, b) if op is DIV else _add(a, b, 1 if op is ADD else -1)


def _divide(a: _Fraction, b: _Fraction) -> _Fraction | None:
    divisor = b.top.constant
    if not divisor or a.sums is not None:
        return None
    top, bottom = a.top * (b.bottom if divisor > 0 else -b.bottom), a.bottom * abs(divisor)
    return _Fraction(top, bottom, a.most * b.bottom / abs(divisor), 0)


def _add(a: _Fraction, b: _Fraction, sign: int) -> _Fraction | None:
    rounded, other = (a, b) if a.sums is not None else (b, a)
    if rounded.sums is None or other.sums is not None or other.bottom != 1:
        return None
    top = a.top * b.bottom + b.top * (sign * a.bottom)
    return _Fraction(top, rounded.bottom, a.most + b.most, rounded.sums + 1)


def half_even(n: Dim, d: int) -> Dim:
    """Return `n / d` rounded to the nearest integer, ties to even."""
    if d == 1:
        return n
    doubled = 2 * n + d
    rounded = doubled // (2 * d)
    tie_to_odd = (equal(doubled % (2 * d), 0), equal(rounded % 2, 1))
    return select(tie_to_odd[0], select(tie_to_odd[1], rounded - 1, rounded), rounded)
