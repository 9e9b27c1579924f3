"""Powers and roots of single numbers, as runtimes compute them."""

from __future__ import annotations

from math import isfinite, isqrt
from typing import TYPE_CHECKING

from shapesmt.base.lazy import np
from shapesmt.prover.algebra.dim import Dim
from shapesmt.prover.algebra.numeric import steps
from shapesmt.prover.algebra.numeric.bits import power
from shapesmt.prover.algebra.numeric.floats import MANTISSA, Float, from_dim, literal

if TYPE_CHECKING:
    from fractions import Fraction

MAX_EXPONENT = 64
ROOT = 0.5


def raise_to(base: Dim | Float, exponent: Dim | Float) -> Dim | Float | None:
    """Return a power: integer exponents, square roots, and constants with an exact result; else None."""
    number, known_base = _constant(exponent), _constant(base)
    if number == ROOT and (known_base is None or isinstance(base, Dim)):
        return root(base)
    whole = _integer(exponent)
    if isinstance(base, Dim):
        return None if whole is None else _whole_power(base, whole)
    if number is None or known_base is None:
        return None if whole is None else _power_of_float(base, whole)
    if not known_base or known_base < 0 or abs(number) > MAX_EXPONENT or number.denominator > 2:
        return _power_of_float(base, whole) if whole is not None else None
    with np.errstate(all="ignore"):
        result = literal(float(np.power(float(known_base), float(number))), base.dtype)
    outcome = _constant(result)
    exact = outcome is not None and outcome**number.denominator == known_base**number.numerator
    return result if exact else root(base) if number == ROOT else None


def _integer(number: Dim | Float) -> Dim | None:
    whole = isinstance(number, Dim) or (number.denominator == 1 and number.numerator is not None)
    return (number if isinstance(number, Dim) else number.numerator) if whole else None


def _whole_power(base: Dim, exponent: Dim) -> Dim | None:
    """Return an integer power, or None if it may round.

    Runtimes multiply squares and cubes, and compute others in float64, which holds integers up to 2**53.
    """
    if exponent.constant in (0, 1, 2, 3):
        return power(base, exponent)
    if not (0 <= exponent.lo <= exponent.hi < MAX_EXPONENT and isfinite(base.hi - base.lo)):
        return None
    number = base.constant or 0
    most = 62 if max(-base.lo, base.hi) <= 2 or (number > 0 and number & (number - 1) == 0) else MANTISSA["float64"]
    fits = max(-base.lo, base.hi) ** int(exponent.hi) <= 1 << most
    return power(base, exponent) if fits else None


def _power_of_float(base: Float, exponent: Dim) -> Dim | Float | None:
    """Return a float's integer power, or None if a step may round; a square is a product."""
    if exponent.constant in (1, 2):
        return base * base if exponent.constant == 2 else base
    whole = None if base.numerator is None or base.denominator > 1 else _whole_power(base.numerator, exponent)
    exact = None if whole is None else from_dim(whole, base.dtype)
    return exact if exact is not None and exact.numerator is not None else None


def root(base: Dim | Float) -> Dim | Float | None:
    """Return the square root of a non-negative whole number, else None.

    `Pow` and `Sqrt` may differ in the last bit, and PyTorch's roots from others. So the result is known only once it is
    rounded to an integer, or if it is a whole number.
    """
    if base.lo < 0 or not (isinstance(base, Dim) or base.whole):
        return None
    if isinstance(base, Dim):
        return from_dim(base, "float64").unary(steps.ROOT).to_int()
    square = None if base.numerator is None else base.numerator.constant
    exact = None if square is None or isqrt(square) ** 2 != square else isqrt(square)
    return base.unary(steps.ROOT) if exact is None else literal(exact, base.dtype)


def _constant(number: Dim | Float) -> Fraction | None:
    top = number if isinstance(number, Dim) else number.numerator
    if top is None or top.constant is None:
        return None
    from fractions import Fraction

    return Fraction(top.constant, number.denominator if isinstance(number, Float) else 1)
