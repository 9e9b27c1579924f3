"""Arithmetic of the operators on single elements, as the runtimes do it.

An item is a `Dim` (integers, booleans as 0 and 1), a `Float`, or None if it isn't known. The tables at the end
name the functions by operator; each takes known items, those in `PARTIAL` unknown ones too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, isfinite
from operator import add, mul, neg, sub
from typing import Any, TypeAlias

from shapesmt.operators.rules import FLOATS, INTEGERS as INTEGERS, WIDEST, Item, integer_ends
from shapesmt.prover.algebra import (
    ONE,
    ZERO,
    Dim,
    Formula,
    Kind,
    absolute,
    all_of,
    any_of,
    at_least,
    const,
    differs,
    equal,
    maximum,
    minimum,
    select,
    tight,
    truncated_divide,
)
from shapesmt.prover.algebra.numeric import (
    Float,
    bit_and,
    bit_or,
    bit_xor,
    choice,
    float_absolute,
    float_at_least,
    float_equal,
    float_greatest,
    float_is_infinite,
    float_is_nan,
    float_least,
    float_remainder,
    float_sign,
    from_dim,
    is_rough,
    literal,
    power,
    raise_to,
    settled,
    steps,
)

Function: TypeAlias = Callable[..., Any]  # items -> item

MAX_STEPS = 64  # successive float operations; beyond it an item is unknown
BEYOND = 1 << WIDEST - 1
STEPWISE = ("float32", "float64")  # runtimes round each result; in shorter types some round only later


# Types


def fit_item(item: Item, dtype: str, function: Function | None = None) -> Item:
    """Return the item if its type holds it, or the lowest bits that the type keeps; None if they aren't known.

    A size without an upper bound is taken to fit a type of 32 bits or more.

    >>> from shapesmt.prover.algebra import symbol
    >>> fit_item(symbol("n", 1) * 2, "int32"), fit_item(const(300), "uint8"), fit_item(const(2**31), "int32", add)
    (Dim('2*n'), None, Dim('-2147483648'))
    """
    if isinstance(item, Float):
        followed = _stepwise(item) and item.depth <= MAX_STEPS and (is_rough(item) or not item.blurred)
        return item if item.numerator is not None or followed else None
    bits = INTEGERS.get(dtype)
    if item is None or bits is None:
        return item if dtype in ("bool", "") else None
    least, most = integer_ends(dtype)
    lo, hi = (item.lo, item.hi) if isfinite(item.hi - item.lo) else tight(item)
    endless = inf if bits >= WIDEST // 2 else most
    low, high = lo >= least or (lo == -inf and least < 0), hi <= most or hi == endless
    if low and high and (isfinite(hi - lo) or not any(abs(c) >> bits for _, c in item.terms)):
        return item
    lo, hi = tight(item)
    if least <= lo and hi <= most:
        return item
    return wrap(item, dtype) if function in RING and bits < WIDEST else None


def wrap(item: Dim, dtype: str) -> Dim | None:
    """Return the lowest bits of an integer, as its type keeps them; None if no formula expresses them.

    A size without a declared bound is taken to fit 32 bits: exports that compute sizes in int32 would fail at 2**31.

    >>> from shapesmt.prover.algebra import symbol
    >>> wrap(symbol("n", 1), "uint8"), wrap(symbol("n", 1), "int8"), wrap(symbol("n", 1), "int32")
    (Dim('n % 256'), Dim('(n + 128) % 256 - 128'), Dim('n'))
    >>> wrap(symbol("n", 1, 2**32), "int32")
    Dim('(n + 2147483648) % 4294967296 - 2147483648')
    """
    bits = INTEGERS.get(dtype, WIDEST)
    least, most = integer_ends(dtype)
    lo, hi = (item.lo, item.hi) if least <= item.lo and item.hi <= most else tight(item)
    open_ended = bits >= WIDEST // 2 and inf in (hi, -lo)
    if open_ended or (least <= lo and hi <= most):
        return item
    return (item - least) % (1 << bits) + least if bits < WIDEST or item.constant is not None else None


def _stepwise(item: Float) -> bool:
    return item.dtype in STEPWISE or (item.dtype == "float16" and item.op in (steps.FROM_DIM, steps.CAST))


def result(function: Function, operands: Sequence[Item], dtype: str) -> Item:
    """Return `function` of single elements as runtimes compute it in `dtype`; None if runtimes may differ."""
    rounded = [x for x in operands if isinstance(x, Float) and x.numerator is None and x.dtype not in STEPWISE]
    if rounded and not (isinstance(function, partial) and function.func is cast):
        return None  # only a cast surely gets the rounded operand
    made = fit_item(function(*operands), dtype, function)
    return settled(made, operands) if any(map(is_rough, operands)) else made


def cast(item: Dim | Float, dtype: str) -> Item:
    """Convert the item to another type, rounding towards zero; None if runtimes may differ.

    >>> cast(literal(-1.5, "float32"), "int64"), cast(const(2**32 + 5), "int32")
    (Dim('-1'), Dim('5'))
    """
    if dtype in FLOATS:
        if isinstance(item, Float):
            return item.cast(dtype)
        return from_dim(item, dtype) if dtype != "float16" or max(-item.lo, item.hi) < 1 << 16 else None
    if dtype == "bool":
        number = item if isinstance(item, Dim) else item.numerator
        return number if number is None or (number.lo >= 0 and number.hi <= 1) else truth(differs(number, 0))
    return _truncate(item, dtype) if isinstance(item, Float) else wrap(item, dtype)


def _truncate(item: Float, dtype: str) -> Dim | None:
    """Convert a float to an integer type; types of fewer than 32 bits keep the lowest bits of an int32.

    A float that doesn't fit int32 becomes its minimum, as on most processors.

    >>> [_truncate(literal(number, "float32"), "uint8") for number in (-5.5, 300.0, 3e9)]
    [Dim('251'), Dim('44'), Dim('0')]
    """
    number, bits = item.to_int() if item.op is not steps.LITERAL else const(-BEYOND), INTEGERS.get(dtype, WIDEST)
    if bits == WIDEST:
        return number
    least, most = integer_ends("int32")
    if dtype == "uint32":  # runtimes differ beyond this range
        return wrap(number, dtype) if least <= number.lo and number.hi in (inf, min(number.hi, 2 * most + 1)) else None
    fits = all_of(at_least(number, least), at_least(most, number))
    return wrap(number if number.lo > -inf and number.hi == inf else select(fits, number, least), dtype)


def truth(formula: Formula | None) -> Dim | None:
    """Return a condition as an element of a boolean tensor; None if it isn't known."""
    return None if formula is None else select(formula, 1, 0)


def holds(item: Dim) -> Formula:
    """Return a boolean element as a condition."""
    return differs(item, 0)


# One operand


def _absolute(x: Dim | Float) -> Item:
    return absolute(x) if isinstance(x, Dim) else float_absolute(x)


def _logarithm(x: Dim | Float) -> Item:
    """Return the logarithm of a number or of an expression over positions, else None: its last bit may differ.

    That of 1 is 0 in every runtime.
    """
    if not isinstance(x, Float) or (x.symbols and not any(s.kind is Kind.AXIS for s in x.symbols)):
        return None
    return literal(0.0, x.dtype) if x.lo == x.hi == 1 else x.unary(steps.LOG)


# Two operands


def remainder(a: Any, b: Any) -> Item:
    """Return the remainder with the divisor's sign; None for floats."""
    return None if isinstance(a, Float) else a % b


def c_remainder(a: Any, b: Any) -> Item:
    """Return the remainder with the dividend's sign, as in C."""
    return float_remainder(a, b) if isinstance(a, Float) else a - truncated_divide(a, b) * b


def _pick(of_integers: Function, of_floats: Function) -> Function:
    def picked(*items: Any) -> Any:
        result = items[0]
        for item in items[1:]:
            if isinstance(result, Dim):
                result = of_integers(result, item)
            elif result is not None:
                result = of_floats(result, item)
        return result

    return picked


def _total(first: Any, *rest: Any) -> Any:
    return sum(rest, first)


def _mean(first: Any, *rest: Any) -> Any:
    """Return the sum times one over the number of summands."""
    return _total(first, *rest) * (literal(1, first.dtype) / literal(1 + len(rest), first.dtype))


def _shift(a: Dim, by: Dim, bits: int, left: bool) -> Dim | None:
    """Return the integer with its bits shifted; None unless the distance is within its bits."""
    if not 0 <= by.lo <= by.hi < bits:
        return None
    return a * power(2, by) if left else a // power(2, by)


# Conditions


def _at_least(a: Any, b: Any) -> Formula | None:
    return float_at_least(a, b) if isinstance(a, Float) else at_least(a, b)


def _not(item: Dim | None) -> Dim | None:
    return None if item is None else 1 - item


def _both(a: Dim | None, b: Dim | None) -> Dim | None:
    if a is ZERO or b is ZERO:
        return ZERO
    return None if a is None or b is None else truth(all_of(holds(a), holds(b)))


def _either(a: Dim | None, b: Dim | None) -> Dim | None:
    if a is ONE or b is ONE:
        return ONE
    return None if a is None or b is None else truth(any_of(holds(a), holds(b)))


def choose_item(condition: Dim | None, a: Any, b: Any) -> Any:
    """Return `a` if the condition holds, else `b`; the one not chosen may be unknown (None)."""
    if condition is None or a is b:
        return a if a is b else None
    test = holds(condition)
    if test.op in ("true", "false"):
        return a if test.op == "true" else b
    if a is None or b is None:
        return None
    return choice(test, a, b)


smallest, greatest = _pick(minimum, float_least), _pick(maximum, float_greatest)

UNARY: dict[str, Function] = {
    "Abs": _absolute,
    "BitwiseNot": lambda x: -1 - x,
    "Ceil": lambda x: x if isinstance(x, Dim) else x.ceil(),
    "Floor": lambda x: x if isinstance(x, Dim) else x.floor(),
    "Log": _logarithm,
    "Neg": neg,
    "Reciprocal": lambda x: literal(1, x.dtype) / x if isinstance(x, Float) and (x.lo > 0 or x.hi < 0) else None,
    "Relu": lambda x: maximum(x, 0) if isinstance(x, Dim) else float_greatest(x, literal(0, x.dtype)),
    "Round": lambda x: x if isinstance(x, Dim) else x.round(),
    "Sign": lambda x: select(at_least(x, 1), 1, select(equal(x, 0), 0, -1)) if isinstance(x, Dim) else float_sign(x),
    "Sqrt": lambda x: x.unary(steps.SQRT) if isinstance(x, Float) and x.lo >= 0 else None,
}
PREDICATES: dict[str, Function] = {"IsNaN": lambda x: truth(float_is_nan(x)), "Not": _not}
INFINITE: dict[tuple[bool, bool], Function] = {
    (down, up): partial(lambda x, down, up: truth(float_is_infinite(x, down=down, up=up)), down=down, up=up)
    for down in (False, True)
    for up in (False, True)
}
"""The functions of `IsInf`, by whether negative and positive infinities are detected."""
ARITHMETIC: dict[str, Function] = {
    "Add": add,
    "BitwiseAnd": bit_and,
    "BitwiseOr": bit_or,
    "BitwiseXor": bit_xor,
    "Div": lambda a, b: a / b if isinstance(a, Float) else truncated_divide(a, b),
    "Mul": mul,
    "Pow": raise_to,
    "Sub": sub,
}
VARIADIC: dict[str, Function] = {"Max": greatest, "Mean": _mean, "Min": smallest, "Sum": _total}
LOGIC: dict[str, Function] = {
    "And": _both,
    "Equal": lambda a, b: truth(float_equal(a, b) if isinstance(a, Float) else equal(a, b)),
    "Greater": lambda a, b: _not(truth(_at_least(b, a))),
    "GreaterOrEqual": lambda a, b: truth(_at_least(a, b)),
    "Less": lambda a, b: _not(truth(_at_least(a, b))),
    "LessOrEqual": lambda a, b: truth(_at_least(b, a)),
    "Or": _either,
    "Xor": lambda a, b: truth(differs(a, b)),
}
PARTIAL: frozenset[Function] = frozenset({_both, _either, choose_item})
SHIFTS: dict[tuple[str, str], Function] = {
    (direction, dtype): partial(_shift, bits=bits, left=direction == "LEFT")
    for dtype, bits in INTEGERS.items()
    for direction in ("LEFT", "RIGHT")
}
_LEFT = (shift for (direction, _), shift in SHIFTS.items() if direction == "LEFT")
RING: frozenset[Function | None] = frozenset({add, mul, neg, sub, _total, UNARY["BitwiseNot"], *_LEFT})
"""Functions whose integer results keep their lowest bits if they overflow."""
_BITWISE = [UNARY["BitwiseNot"], *(ARITHMETIC[name] for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"))]
WHOLE: frozenset[Function] = frozenset([_not, _both, _either, LOGIC["Xor"], *SHIFTS.values(), *_BITWISE])
"""Functions of integers only."""
FLOATING: frozenset[Function] = frozenset([PREDICATES["IsNaN"], *INFINITE.values(), VARIADIC["Mean"]])
"""Functions of floats only."""
