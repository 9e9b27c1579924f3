"""Cases of floats: choices, extremes, magnitudes and comparisons of `Float`s.

Exact fractions stay exact; of others a step of the tree is made, which is decided when sizes are known.

    >>> from shapesmt.algebra.dim import symbol
    >>> from shapesmt.algebra.numeric.floats import literal
    >>> n = from_dim(symbol("n", 1, 100), "float32")
    >>> str(extreme("min", n.unary("log"), literal(2.0, "float32")))
    'min(log(n), 2)'
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from shapesmt.algebra.dim import Dim, as_dim
from shapesmt.algebra.extremes import maximum, minimum
from shapesmt.algebra.formula import FALSE, TRUE, Formula, at_least, equal, select
from shapesmt.algebra.numeric.floats import (
    APPLY,
    ENDS,
    MANTISSA,
    NUMPY,
    REBUILT,
    Float,
    exact_fraction,
    from_dim,
    step,
)


def choice(condition: Formula, a: Any, b: Any) -> Any:
    """One of two items of the same kind."""
    return choose(condition, a, b) if isinstance(a, Float) else select(condition, a, b)


def choose(condition: Formula, a: Float, b: Float) -> Float:
    """`a` where the condition holds, else `b`."""
    if a is b or condition is TRUE:
        return a
    if condition is FALSE:
        return b
    if a.numerator is None or b.numerator is None:
        return step("choose", (condition, a, b), a.dtype)
    top = select(condition, a.numerator * b.denominator, b.numerator * a.denominator)
    return exact_fraction(top, a.denominator * b.denominator, a.dtype)


def extreme(op: str, a: Float, b: Float) -> Float | None:
    """The smaller ("min") or greater ("max") of the two; None where one may not be a number."""
    if a.numerator is None or b.numerator is None:
        return step(op, (a, b), a.dtype) if _numbers(a, b) else None
    pick = minimum if op == "min" else maximum
    top = pick(a.numerator * b.denominator, b.numerator * a.denominator)
    return exact_fraction(top, a.denominator * b.denominator, a.dtype)


def float_absolute(x: Float) -> Float | None:
    """`|x|`; None where it may not be a number."""
    if x.numerator is not None:
        return exact_fraction(maximum(x.numerator, -x.numerator, 0), x.denominator, x.dtype)
    if x.lo >= 0:
        return x
    return step("abs", (x,), x.dtype) if _numbers(x) else None


def float_sign(x: Float) -> Float | None:
    """1, 0 or -1; None where it may not be a number."""
    if x.numerator is None:
        return step("sign", (x,), x.dtype) if _numbers(x) else None
    return from_dim(select(at_least(x.numerator, 1), 1, select(equal(x.numerator, 0), 0, -1)), x.dtype)


def compare(a: Float, b: Float, op: str) -> Formula | None:
    """`a == b` ("equal") or `a >= b` ("at_least"); None where one may not be a number, or runtimes may differ."""
    if a.numerator is not None and b.numerator is not None:
        p, q = a.numerator * b.denominator, b.numerator * a.denominator
        return equal(p, q) if op == "equal" else at_least(p, q)
    x, y = _near(a), _near(b)
    if x is not None and y is not None and (a.op == "from_dim") != (b.op == "from_dim"):
        return equal(x, y) if op == "equal" else at_least(x, y)
    if not _numbers(a, b) or a.op == "root" or b.op == "root":
        return None
    if a.lo > b.hi or (op == "at_least" and a.lo == b.hi):
        return FALSE if op == "equal" else TRUE
    if a.hi < b.lo:
        return FALSE
    return at_least(step(op, (a, b), a.dtype).to_int(), 1)


def _near(x: Float) -> Dim | None:
    """The integer that it is the nearest float to, or the small number that it is: rounding keeps their order."""
    if x.op == "from_dim":
        return as_dim(x.args[0])
    number = x.numerator.constant if x.numerator is not None and x.denominator == 1 else None
    return x.numerator if number is not None and abs(number) < 1 << MANTISSA.get(x.dtype, 1) - 1 else None


def _numbers(*numbers: Float) -> bool:
    """Whether none can be NaN: what can be has no bounds."""
    bounded = (r.op == "from_dim" or r.numerator is not None or r.lo > -inf or r.hi < inf for r in numbers)
    return all(bounded) and all(r.dtype in NUMPY for r in numbers)


APPLY.update({
    "choose": np.where, "min": np.minimum, "max": np.maximum, "abs": np.abs, "sign": np.sign,
    "equal": lambda a, b: np.asarray(a == b), "at_least": lambda a, b: np.asarray(a >= b),
})  # fmt: skip
ENDS.update(
    choose=lambda _, a, b: (min(a.lo, b.lo), max(a.hi, b.hi)),
    abs=lambda x: (max(0.0, x.lo, -x.hi), max(-x.lo, x.hi)),
    equal=lambda *_: (0.0, 1.0),
    at_least=lambda *_: (0.0, 1.0),
)
REBUILT.update(
    {
        "choose": choose,
        "min": lambda a, b: extreme("min", a, b),
        "max": lambda a, b: extreme("max", a, b),
        "abs": float_absolute,
        "sign": float_sign,
    }
)
