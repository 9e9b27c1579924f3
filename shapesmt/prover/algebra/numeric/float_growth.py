"""Growth of floats with the sizes that they are computed of.

Rounding is monotone: a sum, rounded or not, rises with both numbers. So the minimum and the maximum of such trees over
positions are at corners.

    >>> from shapesmt.prover.algebra.dim import Kind, symbol
    >>> from shapesmt.prover.algebra.growth.monotonicity import monotone
    >>> from shapesmt.prover.algebra.numeric.floats import from_dim
    >>> n, i = symbol("n", 1), symbol("@1", 0, kind=Kind.AXIS)
    >>> ratio = from_dim(n, "float32") / from_dim(n // 4 + 1, "float32")
    >>> monotone((from_dim(i, "float32") * ratio).to_int(), i.as_symbol())
    1
"""

from __future__ import annotations

from math import inf

from shapesmt.prover.algebra.growth.monotonicity import RISES_WITH, Parts
from shapesmt.prover.algebra.interning import memo
from shapesmt.prover.algebra.numeric.floats import BEYOND, TO_INT, Float
from shapesmt.prover.algebra.numeric.steps import (
    ADD,
    CAST,
    CEIL,
    DIV,
    FLOOR,
    FRACTION,
    FROM_DIM,
    MUL,
    ROUND,
    SUB,
    TRUNC,
    is_finite,
    leaves,
)

_GROWTH: dict[Float, Parts] = memo("growth of floats", {})


def _parts(number: Float) -> Parts:
    """Return the sizes with which a float rises, and those that must not change for that."""
    if number not in _GROWTH:
        _GROWTH[number] = _parts_of(number) if is_finite(number) else ([], [*leaves(number)])
    return _GROWTH[number]


def _parts_of(number: Float) -> Parts:
    op, args = number.op, number.args
    if op in (FRACTION, FROM_DIM):
        return [args[0]], []
    if op in (CAST, FLOOR, CEIL, TRUNC, ROUND):
        return _parts(args[0])
    if op in (ADD, SUB):
        return _together(_parts(args[0]), _times(args[1], 1 if op is ADD else -1))
    if op is MUL or (op is DIV and args[1].lo > 0):
        a, b = args
        return _together(_times(a, _sign(b)), _times(b, _sign(a) if op is MUL else -_sign(a)))
    return [], [*leaves(number)]


def _times(number: Float, sign: int) -> Parts:
    """Return the growth of a float times a number of this sign; with 0, it isn't known."""
    rising, fixed = _parts(number)
    return ([sign * size for size in rising], fixed) if sign else ([], [*leaves(number)])


def _sign(number: Float) -> int:
    return 1 if number.lo >= 0 else -1 if number.hi <= 0 else 0


def _together(*parts: Parts) -> Parts:
    return [size for rising, _ in parts for size in rising], [size for _, fixed in parts for size in fixed]


def _parts_of_integer(number: Float) -> Parts:
    return _parts(number) if fits_integer(number) else ([], [*leaves(number)])


def fits_integer(number: Float) -> bool:
    """Whether a float fits an integer: otherwise it becomes the smallest one; one without bounds is taken to fit."""
    return (number.lo >= -BEYOND or number.lo == -inf) and (number.hi < BEYOND or number.hi == inf)


RISES_WITH[TO_INT] = _parts_of_integer
