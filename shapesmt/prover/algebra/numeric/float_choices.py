"""Choices, extremes, absolute values and comparisons of `Float`s.

The result for exact fractions is exact. For other floats it is a tree of operations, evaluated once sizes are known.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> from shapesmt.prover.algebra.numeric.floats import literal
    >>> from shapesmt.prover.algebra.numeric.steps import LOG
    >>> n = from_dim(symbol("n", 1, 100), "float32")
    >>> str(float_least(n.unary(LOG), literal(2.0, "float32")))
    'min(log(n), 2)'
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from shapesmt.prover.algebra.dim import Dim, as_dim
from shapesmt.prover.algebra.extremes import maximum, minimum
from shapesmt.prover.algebra.formula import (
    FALSE,
    TRUE,
    Formula,
    any_of,
    at_least,
    equal,
    negate,
    select,
    truncated_divide,
)
from shapesmt.prover.algebra.numeric.floats import MANTISSA, Float, exact_fraction, from_dim, is_number, literal, step
from shapesmt.prover.algebra.numeric.steps import (
    ABS,
    AT_LEAST,
    CHOOSE,
    DIV,
    EQUAL,
    FROM_DIM,
    GREATEST,
    LEAST,
    NUMPY,
    REMAINDER,
    ROOT,
    SIGN,
    Step,
    is_finite,
)


def choice(condition: Formula, a: Any, b: Any) -> Any:
    """Return `a` if the condition holds, else `b`; None if one is None (unknown), or only one of them is a float."""
    if a is None or b is None or isinstance(a, Float) is not isinstance(b, Float):
        return None
    return choose(condition, a, b) if isinstance(a, Float) else select(condition, a, b)


@CHOOSE.defines
def choose(condition: Formula, a: Float, b: Float) -> Float:
    """Return `a` if the condition holds, else `b`."""
    if a is b or condition is TRUE:
        return a
    if condition is FALSE:
        return b
    if a.numerator is None or b.numerator is None:
        return step(CHOOSE, (condition, a, b), a.dtype)
    top = select(condition, a.numerator * b.denominator, b.numerator * a.denominator)
    return exact_fraction(top, a.denominator * b.denominator, a.dtype)


@LEAST.defines
def float_least(a: Float, b: Float) -> Float | None:
    """Return the smaller of the two; None if one may be NaN."""
    return _extreme(LEAST, minimum, a, b)


@GREATEST.defines
def float_greatest(a: Float, b: Float) -> Float | None:
    """Return the greater of the two; None if one may be NaN."""
    return _extreme(GREATEST, maximum, a, b)


def _extreme(op: Step, pick: Callable[..., Dim], a: Float, b: Float) -> Float | None:
    if a.numerator is None or b.numerator is None:
        return step(op, (a, b), a.dtype) if _numbers(a, b) else None
    top = pick(a.numerator * b.denominator, b.numerator * a.denominator)
    return exact_fraction(top, a.denominator * b.denominator, a.dtype)


@ABS.defines
def float_absolute(x: Float) -> Float | None:
    """Return `|x|`; None if it may be NaN."""
    if x.numerator is not None:
        return exact_fraction(maximum(x.numerator, -x.numerator, 0), x.denominator, x.dtype)
    if x.lo >= 0:
        return x
    return step(ABS, (x,), x.dtype) if _numbers(x) else None


@SIGN.defines
def float_sign(x: Float) -> Float | None:
    """Return the sign: 1, 0 or -1; None if `x` may be NaN."""
    if x.numerator is None:
        return step(SIGN, (x,), x.dtype) if _numbers(x) else None
    return from_dim(select(at_least(x.numerator, 1), 1, select(equal(x.numerator, 0), 0, -1)), x.dtype)


@REMAINDER.defines
def float_remainder(a: Float, b: Float) -> Float:
    """Return the remainder with the dividend's sign, as in C."""
    if a.numerator is None or b.numerator is None or b.lo <= 0 <= b.hi:
        return step(REMAINDER, (a, b), a.dtype)
    x, y = a.numerator * b.denominator, b.numerator * a.denominator
    return exact_fraction(x - truncated_divide(x, y) * y, a.denominator * b.denominator, a.dtype)


def float_is_nan(x: Float) -> Formula:
    """Return the condition that `x` is NaN."""
    return FALSE if _numbers(x) else negate(at_least(step(EQUAL, (x, x), x.dtype).to_int(), 1))


def float_is_infinite(x: Float, *, down: bool, up: bool) -> Formula:
    """Return the condition that `x` is infinite: -inf counts if `down` is set, +inf if `up` is set."""
    ends = [end for end, wanted in ((-inf, down), (inf, up)) if wanted and x.numerator is None and x.lo <= end <= x.hi]
    infinite = (step(EQUAL, (x, literal(end, x.dtype)), x.dtype).to_int() for end in ends)
    return any_of(*(at_least(found, 1) for found in infinite))


def float_equal(a: Float, b: Float) -> Formula | None:
    """Return `a == b`; None if one may be NaN, or runtimes may differ."""
    return _compare(EQUAL, equal, a, b)


def float_at_least(a: Float, b: Float) -> Formula | None:
    """Return `a >= b`; None if one may be NaN, or runtimes may differ."""
    return _compare(AT_LEAST, at_least, a, b)


def _compare(op: Step, exact: Callable[[Dim, Dim], Formula], a: Float, b: Float) -> Formula | None:
    if a.numerator is not None and b.numerator is not None:
        return exact(a.numerator * b.denominator, b.numerator * a.denominator)
    for one, ratio in ((b, a), (a, b)) if a.dtype in NUMPY else ():
        if is_number(one, 1) and ratio.op is DIV and ratio.args[1].lo > 0 and all(map(is_finite, ratio.args)):
            top, bottom = ratio.args  # a quotient of different floats is never rounded to 1
            return _compare(op, exact, top, bottom) if ratio is a else _compare(op, exact, bottom, top)
    x, y = _near(a), _near(b)
    if x is not None and y is not None and (a.op is FROM_DIM) != (b.op is FROM_DIM):
        return exact(x, y)
    if not _numbers(a, b) or a.op is ROOT or b.op is ROOT:
        return None
    if a.lo > b.hi or (op is AT_LEAST and a.lo == b.hi):
        return FALSE if op is EQUAL else TRUE
    if a.hi < b.lo:
        return FALSE
    return at_least(step(op, (a, b), a.dtype).to_int(), 1)


def _near(x: Float) -> Dim | None:
    """Return the integer that a float is rounded from, or its exact small value, for comparisons; else None."""
    if x.op is FROM_DIM:
        return as_dim(x.args[0])
    number = x.numerator.constant if x.numerator is not None and x.denominator == 1 else None
    return x.numerator if number is not None and abs(number) < 1 << MANTISSA.get(x.dtype, 1) - 1 else None


def _numbers(*numbers: Float) -> bool:
    """Whether none can be NaN (a float that may be NaN is unbounded), and numpy has the types of all."""
    bounded = (r.op is FROM_DIM or r.numerator is not None or r.lo > -inf or r.hi < inf for r in numbers)
    return all(bounded) and all(r.dtype in NUMPY for r in numbers)
