"""Growth of floats with the sizes that they are computed of, and integers that are never above them.

Rounding is monotone: a sum, rounded or not, rises with both numbers. So the minimum and the maximum of such trees over
positions are at corners.

    >>> from shapesmt.prover.algebra.dim import Kind, symbol
    >>> from shapesmt.prover.algebra.growth.monotonicity import monotone
    >>> from shapesmt.prover.algebra.numeric.floats import from_dim
    >>> n, i = symbol("n", 1), symbol("@1", 0, kind=Kind.AXIS)
    >>> ratio = from_dim(n, "float32") / from_dim(n // 4 + 1, "float32")
    >>> monotone((from_dim(i, "float32") * ratio).to_int(), i.as_symbol())
    1
    >>> weaker(at_least(110, (from_dim(n, "float32") + ratio).to_int()))
    [Formula('n <= 110')]
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from shapesmt.prover.algebra.dim import Dim, of_atom
from shapesmt.prover.algebra.formula import Formula, at_least
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
    return _parts(number) if _fits(number) else ([], [*leaves(number)])


def _fits(number: Float) -> bool:
    """Whether a float fits an integer: otherwise it becomes the smallest one; one without bounds is taken to fit."""
    return (number.lo >= -BEYOND or number.lo == -inf) and (number.hi < BEYOND or number.hi == inf)


RISES_WITH[TO_INT] = _parts_of_integer


def weaker(condition: Formula) -> list[Formula]:
    """Return conditions without floats that follow from an upper bound of a float; [] for other conditions."""
    products = [*condition.dim.products()] if condition.op == "ge" and condition.dim is not None else []
    floats = [(factors[0], c) for factors, c in products if len(factors) == 1 and factors[0].op is TO_INT]
    if len(floats) != 1 or floats[0][1] >= 0 or condition.dim is None:
        return []
    ((atom, c),) = floats
    rest = condition.dim - c * of_atom(atom)
    return [at_least(rest + c * least, 0) for least in _below(atom.args[0])] if _fits(atom.args[0]) else []


def _below(number: Float) -> Iterable[Dim]:
    """Yield integers of which a float is never less."""
    op, args = number.op, number.args
    if op is FRACTION:
        yield args[0] // args[1]
    elif op is FROM_DIM and args[0].lo >= 0 and is_finite(number):
        yield args[0] // 2  # whatever is rounded
    elif op in (FLOOR, CEIL, TRUNC, ROUND):
        yield from _below(args[0])
    elif op is ADD:
        for a, b in (args, args[::-1]):
            yield from _below(a) if b.lo >= 0 else ()
    elif op is SUB and args[1].hi <= 0:
        yield from _below(args[0])
    elif op is MUL and all(a.lo >= 0 for a in args):
        for a, b in (args, args[::-1]):
            yield from _below(a) if b.lo >= 1 else ()
