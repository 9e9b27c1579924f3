"""Bitwise operations on integers, in two's complement of any length, and powers of integers.

>>> from shapesmt.prover.algebra.dim import symbol
>>> first, second = symbol("first", 0, 100), symbol("second", 0, 9)
>>> bit_and(first, 7), bit_or(first, 8), bit_xor(first, second), power(3, second)
(Dim('first % 8'), Dim('first % 8 + 16*(first//16) + 8'), Dim('(first ^ second)'), Dim('3**second'))
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from operator import and_, or_, xor
from typing import Any

from shapesmt.base.lazy import np
from shapesmt.prover.algebra.dim import ZERO, Dim, as_dim, const, make_atom
from shapesmt.prover.algebra.factors import product
from shapesmt.prover.algebra.intervals import Interval
from shapesmt.prover.algebra.operations import Operation, Text, Values


def _reach(*dims: Dim) -> int | float:
    """Return a power of two with all values in `-result..result - 1`; infinity if one is unbounded."""
    ends = [end for d in dims for end in (d.lo, d.hi)]
    return 1 << max(max(int(end), ~int(end)).bit_length() for end in ends) if all(map(_finite, ends)) else inf


def _finite(end: float) -> bool:
    return -inf < end < inf


def _bounds_of_and(a: Dim, b: Dim) -> Interval:
    positive = [d.hi for d in (a, b) if d.lo >= 0]
    return (0, min(positive)) if positive else (-_reach(a, b), max(a.hi, b.hi))


def _bounds_of_either(a: Dim, b: Dim) -> Interval:
    reach = _reach(a, b)
    return 0 if min(a.lo, b.lo) >= 0 else -reach, reach - 1


def _operation(name: str, sign: str, apply: Callable[[Any, Any], Any], bounds: Callable[..., Interval]) -> Operation:
    def text(_: object, a: Dim, b: Dim) -> Text:
        return f"({a} {sign} {b})", True

    return Operation(name, bounds=bounds, evaluate=lambda at, a, b: apply(at.dim(a), at.dim(b)), text=text, opaque=True)


BIT_AND = _operation("bit_and", "&", and_, _bounds_of_and)
BIT_OR = _operation("bit_or", "|", or_, _bounds_of_either)
BIT_XOR = _operation("bit_xor", "^", xor, _bounds_of_either)


@BIT_AND.defines
def bit_and(a: Dim | int, b: Dim | int) -> Dim:
    """Return `a & b`: the bits that are set in both."""
    a, b = sorted(map(as_dim, (a, b)), key=lambda d: (d.constant is not None, d.terms))
    common = _common(a, b)
    return make_atom(BIT_AND, (a, b)) if common is None else common


@BIT_OR.defines
def bit_or(a: Dim | int, b: Dim | int) -> Dim:
    """Return `a | b`: the bits that are set in one or both."""
    a, b = sorted(map(as_dim, (a, b)), key=lambda d: (d.constant is not None, d.terms))
    common = _common(a, b)
    return make_atom(BIT_OR, (a, b)) if common is None else a + b - common


@BIT_XOR.defines
def bit_xor(a: Dim | int, b: Dim | int) -> Dim:
    """Return `a ^ b`: the bits that are set in exactly one."""
    a, b = sorted(map(as_dim, (a, b)), key=lambda d: (d.constant is not None, d.terms))
    common = _common(a, b)
    return make_atom(BIT_XOR, (a, b)) if common is None else a + b - 2 * common


def _common(a: Dim, b: Dim) -> Dim | None:
    """Return the bits set in both as a formula, if the set bits of `b` are one, or all from or up to one; else None."""
    mask = b.constant
    if mask is None:
        return a if a is b else None
    if a.constant is not None:
        return const(a.constant & mask)
    lowest = mask & -mask
    if mask in (0, lowest):
        return a // mask % 2 * mask if mask else ZERO
    if mask == -lowest:
        return a - a % lowest
    return a % (mask + 1) if mask & (mask + 1) == 0 else None


def _power(at: Values, base: Dim, exponent: Dim) -> Any:
    b, e = at.dim(base), at.dim(exponent)
    if not at.arrays:
        return b**e if e >= 0 else 0
    return np.where(np.asarray(e) < 0, 0, np.power(b, np.maximum(e, 0)))


def _bounds_of_power(base: Dim, exponent: Dim) -> Interval:
    if not all(map(_finite, (base.lo, base.hi, exponent.hi))) or exponent.hi > 64:
        return 0 if base.lo >= 0 else -inf, inf
    most = int(max(-base.lo, base.hi, 1)) ** max(int(exponent.hi), 0)
    least = int(base.lo) ** int(exponent.lo) if base.lo >= 0 <= exponent.lo else 0
    return least if base.lo >= 0 else -most, most


def _operand(dim: Dim) -> str:
    return str(dim) if dim.as_symbol() is not None or (dim.constant or 0) > 0 else f"({dim})"


POWER = Operation(
    "power",
    bounds=_bounds_of_power,
    evaluate=_power,
    text=lambda _, base, exponent: (f"{_operand(base)}**{_operand(exponent)}", True),
    opaque=True,
)
"""The power of an integer; 0 for a negative exponent."""


@POWER.defines
def power(base: Dim | int, exponent: Dim | int) -> Dim:
    """Return `base ** exponent`; 0 for a negative exponent."""
    base, exponent = as_dim(base), as_dim(exponent)
    number = exponent.constant
    if number is not None and (number <= 3 or base.constant is not None):
        return product([base] * number) if number >= 0 else ZERO
    return make_atom(POWER, (base, exponent))
