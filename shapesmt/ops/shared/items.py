"""Single elements: the arithmetic of the operators on items, as the runtimes do it.

An item is a `Dim` (integers, booleans as 0 and 1), a `Float`, or None where it isn't known. The tables at the end
name the functions by operator; each takes known items, those in `PARTIAL` unknown ones too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, isfinite
from operator import add, mul, neg, sub
from typing import TYPE_CHECKING, Any, TypeAlias

from shapesmt.algebra import (
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
    product,
    select,
    tight,
    truncated_divide,
)
from shapesmt.algebra.numeric import (
    Float,
    choice,
    float_absolute,
    float_at_least,
    float_equal,
    float_greatest,
    float_least,
    float_sign,
    from_dim,
    literal,
    steps,
)
from shapesmt.lazy import np
from shapesmt.rules import FLOATS, Item, positions

if TYPE_CHECKING:
    from fractions import Fraction

Function: TypeAlias = Callable[..., Any]  # of items to an item

INTEGERS = {f"{sign}int{bits}": bits for bits in (2, 4, 8, 16, 32, 64) for sign in ("", "u")}
MAX_EXPONENT = 64
MAX_STEPS = 64  # of floats, one after the other; the result of more isn't followed
WIDEST = 64  # bits of the integers that sizes are kept in
STEPWISE = ("float32", "float64")  # runtimes round each result; of shorter types only some, after a few operations


# Types


def known(item: Item, dtype: str, function: Function | None = None) -> Item:
    """What the type keeps of the outcome of a function; None where that isn't known.

    An end that is open counts as one that fits: a size is never too large for the type that arithmetic keeps it in.

    >>> from shapesmt.algebra import symbol
    >>> known(symbol("n", 1) * 2, "int32"), known(const(300), "uint8"), known(const(2**31), "int32", add)
    (Dim('2*n'), None, Dim('-2147483648'))
    """
    if isinstance(item, Float):
        followed = _stepwise(item) and item.depth <= MAX_STEPS and not item.blurred
        return item if item.numerator is not None or followed else None
    bits = INTEGERS.get(dtype)
    if item is None or bits is None:
        return item if dtype in ("bool", "") else None
    least, most = _ends(dtype, bits)
    lo, hi = (item.lo, item.hi) if isfinite(item.hi - item.lo) else tight(item)
    low, high = lo >= least or (lo == -inf and least < 0), hi <= most or hi == inf
    if low and high and (isfinite(hi - lo) or not any(abs(c) >> bits for _, c in item.terms)):
        return item
    lo, hi = tight(item)
    if least <= lo and hi <= most:
        return item
    return wrapped(item, dtype) if function in RING and bits == WIDEST // 2 else None


def wrapped(item: Dim, dtype: str) -> Dim | None:
    """The integer that is left of the item in its type: of more bits, the lowest; None where no formula can say it.

    A size without a declared end fits 32 bits: every export that computes sizes in int32 would fail at 2**31 otherwise.

    >>> from shapesmt.algebra import symbol
    >>> wrapped(symbol("n", 1), "uint8"), wrapped(symbol("n", 1), "int8"), wrapped(symbol("n", 1), "int32")
    (Dim('n % 256'), Dim('(n + 128) % 256 - 128'), Dim('n'))
    >>> wrapped(symbol("n", 1, 2**32), "int32")
    Dim('(n + 2147483648) % 4294967296 - 2147483648')
    """
    bits = INTEGERS.get(dtype, WIDEST)
    least, most = _ends(dtype, bits)
    lo, hi = (item.lo, item.hi) if least <= item.lo and item.hi <= most else tight(item)
    open_ended = (bits >= WIDEST // 2 and inf in (hi, -lo)) or (hi == inf and bool(positions(item)))
    if open_ended or (least <= lo and hi <= most):
        return item
    return (item - least) % (1 << bits) + least if bits < WIDEST or item.constant is not None else None


def _ends(dtype: str, bits: int) -> tuple[int, int]:
    least = 0 if dtype[:1] == "u" else -(1 << bits - 1)
    return least, least + (1 << bits) - 1


def _stepwise(item: Float) -> bool:
    return item.dtype in STEPWISE or (item.dtype == "float16" and item.op in (steps.FROM_DIM, steps.CAST))


def result(function: Function, operands: Sequence[Item], dtype: str) -> Item:
    """What a runtime makes of the operands."""
    rounded = [x for x in operands if isinstance(x, Float) and x.numerator is None and x.dtype not in STEPWISE]
    if rounded and not (isinstance(function, partial) and function.func is cast):
        return None  # only a cast is sure to see what an operand is after rounding
    return known(function(*operands), dtype, function)


def cast(item: Dim | Float, dtype: str) -> Item:
    """The item in another type, towards zero; None where the runtimes may differ.

    >>> cast(literal(-1.5, "float32"), "int64"), cast(const(2**32 + 5), "int32")
    (Dim('-1'), Dim('5'))
    """
    if dtype in FLOATS:
        if isinstance(item, Float):
            return item.cast(dtype)
        return from_dim(item, dtype) if dtype != "float16" or max(-item.lo, item.hi) < 1 << 16 else None
    if dtype == "bool":
        number = item if isinstance(item, Dim) else item.numerator
        return None if number is None else truth(differs(number, 0))
    if isinstance(item, Float):
        return item.to_int() if item.op is not steps.LITERAL else None
    return wrapped(item, dtype)


def truth(formula: Formula | None) -> Dim | None:
    """A condition as the element of a boolean tensor."""
    return None if formula is None else select(formula, 1, 0)


def holds(item: Dim) -> Formula:
    """A boolean element as a condition."""
    return differs(item, 0)


# One operand


def _absolute(x: Dim | Float) -> Item:
    return absolute(x) if isinstance(x, Dim) else float_absolute(x)


def _sign(x: Dim | Float) -> Item:
    return select(at_least(x, 1), 1, select(equal(x, 0), 0, -1)) if isinstance(x, Dim) else float_sign(x)


def _relu(x: Dim | Float) -> Item:
    return maximum(x, 0) if isinstance(x, Dim) else float_greatest(x, literal(0, x.dtype))


def _logarithm(x: Dim | Float) -> Item:
    """Of elements that are many only: runtimes differ in its last bit, which may decide a size."""
    return x.unary(steps.LOG) if isinstance(x, Float) and any(s.kind is Kind.AXIS for s in x.symbols) else None


def _finite(x: Float) -> Dim | None:
    return ZERO if isfinite(x.lo) and isfinite(x.hi) else None


# Two operands


def _divide(a: Any, b: Any) -> Item:
    return a / b if isinstance(a, Float) else truncated_divide(a, b)


def remainder(a: Any, b: Any) -> Item:
    """The remainder with the divisor's sign."""
    return None if isinstance(a, Float) else a % b


def c_remainder(a: Any, b: Any) -> Item:
    """The remainder with the dividend's sign, as in C."""
    return None if isinstance(a, Float) else a - truncated_divide(a, b) * b


def _power(base: Dim | Float, exponent: Dim | Float) -> Item:
    """Small whole exponents, roots, powers of two, and whatever of constants comes out exactly."""
    number = _constant(exponent)
    if number is None:
        return _power_of_two(base, exponent)
    known_base = _constant(base)
    if number == 0.5 and known_base is None:
        return _root(base)
    if isinstance(base, Dim):
        small = number in (0, 1, 2, 3) or (0 <= number <= MAX_EXPONENT and -2 <= base.lo <= base.hi <= 2)
        return product([base] * int(number)) if small and number.denominator == 1 else None
    if number in (1, 2):
        return base * base if number == 2 else base
    if number == 3 and known_base is None:
        cube = base * base * base
        return cube if cube.numerator is not None else None
    if not known_base or known_base < 0 or abs(number) > MAX_EXPONENT or number.denominator > 2:
        return None
    with np.errstate(all="ignore"):
        result = literal(float(np.power(float(known_base), float(number))), base.dtype)
    power = _constant(result)
    exact = power is not None and power**number.denominator == known_base**number.numerator
    return result if exact else None


def _root(base: Dim | Float) -> Item:
    """Of whole numbers only: `Pow` may differ from `Sqrt` in the last bit, which nothing but rounding removes."""
    if base.lo < 0 or not (isinstance(base, Dim) or base.whole):
        return None
    return base.unary(steps.ROOT) if isinstance(base, Float) else from_dim(base, "float64").unary(steps.ROOT).to_int()


def _power_of_two(base: Dim | Float, exponent: Dim | Float) -> Item:
    """Where it fits 64 bits."""
    if not isinstance(base, Dim) or not isinstance(exponent, Dim) or base.constant != 2:
        return None
    fits = 0 <= exponent.lo <= exponent.hi < MAX_EXPONENT - 1
    return from_dim(exponent, "float64").unary(steps.EXP2).to_int() if fits else None


def _constant(number: Dim | Float) -> Fraction | None:
    top = number if isinstance(number, Dim) else number.numerator
    if top is None or top.constant is None:
        return None
    from fractions import Fraction

    return Fraction(top.constant, number.denominator if isinstance(number, Float) else 1)


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


def _whole(operation: Callable[[int, int], int]) -> Function:
    def applied(a: Dim, b: Dim) -> Dim | None:
        return None if a.constant is None or b.constant is None else const(operation(a.constant, b.constant))

    return applied


def shift_left(a: Dim, by: Dim) -> Dim | None:
    """The item with its bits shifted to the left; what then doesn't fit isn't known."""
    return None if by.constant is None or not 0 <= by.constant < MAX_EXPONENT else a * (1 << by.constant)


def shift_right(a: Dim, by: Dim) -> Dim | None:
    """The item with its bits shifted to the right."""
    return None if by.constant is None or not 0 <= by.constant < MAX_EXPONENT else a // (1 << by.constant)


# Conditions


def _at_least(a: Any, b: Any) -> Formula | None:
    return float_at_least(a, b) if isinstance(a, Float) else at_least(a, b)


def _equal(a: Any, b: Any) -> Dim | None:
    return truth(float_equal(a, b) if isinstance(a, Float) else equal(a, b))


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


def chosen(condition: Dim | None, a: Any, b: Any) -> Any:
    """The first where the condition holds, else the second; either may be unknown where it isn't chosen."""
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
    "Relu": _relu,
    "Round": lambda x: x if isinstance(x, Dim) else x.round(),
    "Sign": _sign,
    "Sqrt": lambda x: x.unary(steps.SQRT) if isinstance(x, Float) and x.lo >= 0 else None,
}
PREDICATES: dict[str, Function] = {"IsInf": _finite, "IsNaN": _finite, "Not": _not}
ARITHMETIC: dict[str, Function] = {
    "Add": add,
    "BitwiseAnd": _whole(lambda a, b: a & b),
    "BitwiseOr": _whole(lambda a, b: a | b),
    "BitwiseXor": _whole(lambda a, b: a ^ b),
    "Div": _divide,
    "Mul": mul,
    "Pow": _power,
    "Sub": sub,
}
VARIADIC: dict[str, Function] = {"Max": greatest, "Min": smallest, "Sum": _total}
LOGIC: dict[str, Function] = {
    "And": _both,
    "Equal": _equal,
    "Greater": lambda a, b: _not(truth(_at_least(b, a))),
    "GreaterOrEqual": lambda a, b: truth(_at_least(a, b)),
    "Less": lambda a, b: _not(truth(_at_least(a, b))),
    "LessOrEqual": lambda a, b: truth(_at_least(b, a)),
    "Or": _either,
    "Xor": lambda a, b: truth(differs(a, b)),
}
PARTIAL: frozenset[Function] = frozenset({_both, _either, chosen})
RING: frozenset[Function | None] = frozenset({add, mul, neg, sub, _total})
"""Those of which integers keep the lowest bits where an outcome has more."""
_BITWISE = [UNARY["BitwiseNot"], *(ARITHMETIC[name] for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"))]
WHOLE: frozenset[Function] = frozenset([_not, _both, _either, LOGIC["Xor"], shift_left, shift_right, *_BITWISE])
"""Those of integers alone."""
