"""Elementwise operators of two operands, which broadcast together; in place the second broadcasts to the first."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

from shapesmt.network import laws
from shapesmt.operators.ops.math.elementwise import combine, require_nonzero
from shapesmt.operators.ops.shared import items
from shapesmt.operators.ops.shared.follows import each
from shapesmt.operators.ops.shared.items import INTEGERS, Function
from shapesmt.operators.ops.shared.require import require_broadcast_to
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import (
    FLOAT,
    as_float,
    cast,
    kind,
    operand,
    promoted_type,
    require_not_negative,
)
from shapesmt.operators.ops.torch.elementwise.single import base, first, in_place, store_in_place, truncate
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Field, Item, Tensor, tensor
from shapesmt.prover.algebra import Dim, Evaluator, as_dim, entries
from shapesmt.prover.algebra.numeric import Float, from_dim, is_rough


def _floor_divide(a: Any, b: Any) -> Item:
    """Divide, and round the exact quotient down; None for floats that have been rounded, and by those from 0 down."""
    if isinstance(a, Dim):
        whole: Item = (a - items.remainder(a, b)) // b  # type: ignore[operator]  # integers leave an integer
        return whole
    top, bottom = _fraction(a), _fraction(b)
    if top is None or bottom is None or b.lo <= 0:
        return None
    return from_dim(top[0] * bottom[1] // (bottom[0] * top[1]), a.dtype)


def _fraction(x: Float) -> tuple[Dim, int] | None:
    """Return numerator and denominator of a float that is exact or constant; else None."""
    if x.numerator is not None:
        return x.numerator, x.denominator
    number = inf if x.symbols or is_rough(x) else float(x.value(Evaluator({})))
    top, bottom = number.as_integer_ratio() if isfinite(number) else (0, 0)
    return (as_dim(top), bottom) if bottom else None


ARITHMETIC: dict[str, Function | None] = {
    "add": items.ARITHMETIC["Add"],
    "_add_relu": None,
    **dict.fromkeys(("sub", "subtract"), items.ARITHMETIC["Sub"]),
    **dict.fromkeys(("mul", "multiply"), items.ARITHMETIC["Mul"]),
    "rsub": lambda a, b: b - a,
    "pow": items.ARITHMETIC["Pow"],
    **dict.fromkeys(("maximum", "fmax", "max"), items.greatest),
    **dict.fromkeys(("minimum", "fmin", "min"), items.smallest),
    "bitwise_and": items.ARITHMETIC["BitwiseAnd"],
    "bitwise_or": items.ARITHMETIC["BitwiseOr"],
    "bitwise_xor": items.ARITHMETIC["BitwiseXor"],
    **dict.fromkeys(("__and__", "__iand__"), items.ARITHMETIC["BitwiseAnd"]),
    **dict.fromkeys(("__or__", "__ior__"), items.ARITHMETIC["BitwiseOr"]),
    **dict.fromkeys(("__xor__", "__ixor__"), items.ARITHMETIC["BitwiseXor"]),
    **dict.fromkeys(("bitwise_left_shift", "__lshift__", "__ilshift__"), items.SHIFTS["LEFT", "int64"]),
    **dict.fromkeys(("bitwise_right_shift", "__rshift__", "__irshift__"), items.SHIFTS["RIGHT", "int64"]),
    **dict.fromkeys(("gcd", "hypot", "lcm", "nextafter")),
}
OF_BOOLEANS: dict[str, Function] = {
    **dict.fromkeys(("bitwise_and", "__and__", "__iand__"), items.LOGIC["And"]),
    **dict.fromkeys(("mul", "multiply", "minimum", "fmin", "min"), items.LOGIC["And"]),
    **dict.fromkeys(("bitwise_or", "__or__", "__ior__"), items.LOGIC["Or"]),
    **dict.fromkeys(("add", "maximum", "fmax", "max"), items.LOGIC["Or"]),
    **dict.fromkeys(("bitwise_xor", "__xor__", "__ixor__"), items.LOGIC["Xor"]),
}
"""The functions that operators of `ARITHMETIC` apply to booleans; of others, the result is unknown."""
SUBTRACTIONS = ("sub", "subtract", "rsub")
BITWISE = ("bitwise_", "__", "gcd", "lcm")
"""The beginnings of names of operators that have kernels for integers and booleans alone."""
DIVISIONS: dict[str, Function | None] = {
    "floor_divide": _floor_divide,
    "remainder": items.remainder,
    "fmod": items.c_remainder,
}
ROUNDED: dict[str, Function] = {
    "floor": _floor_divide,
    "trunc": lambda a, b: truncate(items.ARITHMETIC["Div"](a, b)),
    "": items.ARITHMETIC["Div"],
}
"""The functions by which `div` divides, by rounding mode."""
FLOATING: dict[str, Function | None] = {
    **dict.fromkeys(("arctan2", "atan2", "copysign", "igamma", "igammac", "ldexp", "logaddexp", "logaddexp2")),
    **dict.fromkeys(("special_gammainc", "special_gammaincc", "special_xlog1py", "special_xlogy", "special_zeta")),
    **dict.fromkeys(f"special_{p}_polynomial_{k}" for p in ("chebyshev", "shifted_chebyshev") for k in "tuvw"),
    **dict.fromkeys(("special_hermite_polynomial_h", "special_hermite_polynomial_he", "xlogy")),
    **dict.fromkeys(("special_laguerre_polynomial_l", "special_legendre_polynomial_p")),
}
COMPARISONS: dict[str, Function | None] = {
    **dict.fromkeys(("eq", "isclose"), items.LOGIC["Equal"]),
    **dict.fromkeys(("ne", "not_equal"), lambda a, b: items.PREDICATES["Not"](items.LOGIC["Equal"](a, b))),
    **dict.fromkeys(("lt", "less"), items.LOGIC["Less"]),
    **dict.fromkeys(("le", "less_equal"), items.LOGIC["LessOrEqual"]),
    **dict.fromkeys(("gt", "greater"), items.LOGIC["Greater"]),
    **dict.fromkeys(("ge", "greater_equal"), items.LOGIC["GreaterOrEqual"]),
}
LOGIC: dict[str, Function | None] = {
    "logical_and": items.LOGIC["And"],
    "logical_or": items.LOGIC["Or"],
    "logical_xor": items.LOGIC["Xor"],
}
PAIRED = [op for op in overloads("max", "min") if op.endswith(".other")]


def pair(call: Call) -> tuple[tuple[str, str], tuple[Tensor, Tensor]]:
    """Return the names of the two operands, and the operands."""
    names = [name for name in call.names if call.type_of(name) in ("Tensor", "Scalar")][:2]
    return (names[0], names[1]), (operand(call, names[0]), operand(call, names[1]))


OTHERS_BROADCAST_TO_CHANGED = laws.SM101.law("operands broadcast to the tensor that is changed in place")


def together(call: Call, operands: Sequence[Tensor], dtype: str, function: Function | None = None) -> Tensor:
    """Return `function` of operands that broadcast together; in place, the first one keeps its type and shape.

    Then the others broadcast to it. If `function` is None, the result's elements are unknown.
    """
    ctx, own = call.ctx, operands[0]
    if not in_place(call):
        shape = ctx.broadcast(*(x.dims for x in operands))
        return tensor(dtype, shape, combine(function, tuple(operands), shape, dtype) if dtype else None)
    for x in operands[1:]:
        require_broadcast_to(ctx, x, own.dims, OTHERS_BROADCAST_TO_CHANGED)
    value = combine(function, tuple(operands), own.dims, dtype) if dtype else None
    return store_in_place(call, first(call), tensor(dtype, own.dims, value))


@operator(
    *overloads(*(name for name in ARITHMETIC if name not in ("max", "min"))), *PAIRED, memory="dense", follows=each
)
def arithmetic(call: Call) -> Tensor:
    """Compute an elementwise function of operands that broadcast; the result has their common type."""
    names, operands = pair(call)
    dtype = promoted_type(call, names, operands)
    _require_types(call, operands, dtype)
    return together(call, [cast(x, dtype) for x in operands], dtype, _arithmetic_function(call, dtype))


def _require_types(call: Call, operands: Sequence[Tensor], dtype: str) -> None:
    """Require that a subtraction has no boolean operand; leave a bitwise operator of floats (`dtype`) undecided."""
    if base(call) in SUBTRACTIONS:
        call.ctx.check(
            all(x.dtype != "bool" for x in operands), laws.ELEMENT_TYPE.of(expected="a number", dtype="bool")
        )
    if base(call).startswith(BITWISE) and dtype and kind(dtype) >= FLOAT:
        call.ctx.leave("unsupported", "PyTorch has a kernel for these element types")


def _arithmetic_function(call: Call, dtype: str) -> Function | None:
    """Return the function of elements of type `dtype`; None if it isn't known, as with a factor `alpha`."""
    weighted = "alpha" in call and call.number("alpha") != 1
    known = OF_BOOLEANS.get(base(call)) if dtype == "bool" else ARITHMETIC[base(call)]
    return None if weighted else known


@operator(*overloads(*DIVISIONS, "__ifloordiv__"), memory="dense", follows=each)
def divide(call: Call) -> Tensor:
    """Divide operands that broadcast, and round down or take the remainder; an integer divisor must not be 0."""
    names, operands = pair(call)
    dtype = promoted_type(call, names, operands)
    top, bottom = [cast(x, dtype) for x in operands]
    if dtype in INTEGERS:
        require_nonzero(call.ctx, bottom)
    return together(call, [top, bottom], dtype, DIVISIONS.get(base(call)))


@operator(*overloads("div", "divide", "true_divide"), memory="dense", follows=each)
def quotient(call: Call) -> Tensor:
    """Divide operands that broadcast; the result is float unless it is rounded."""
    names, operands = pair(call)
    dtype, rounding = promoted_type(call, names, operands), call.text("rounding_mode")
    dtype = dtype if rounding else as_float(dtype)
    top, bottom = [cast(x, dtype) for x in operands]
    if dtype in INTEGERS:
        require_nonzero(call.ctx, bottom)
    return together(call, [top, bottom], dtype, ROUNDED.get(rounding or ""))


@operator(*overloads(*FLOATING), memory="dense", follows=each)
def floating(call: Call) -> Tensor:
    """Compute an elementwise function of operands that broadcast; the result is float."""
    names, operands = pair(call)
    dtype, name = as_float(promoted_type(call, names, operands)), base(call)
    narrow = dtype in ("float16", "bfloat16") and ("polynomial" in name or name == "special_zeta")
    if narrow or (name == "ldexp" and kind(operands[0].dtype) == FLOAT and operands[1].dtype == "bool"):
        call.ctx.leave("unsupported", "PyTorch has a kernel for these element types")
    return together(call, operands, dtype)


@operator(*overloads("heaviside"), memory="dense", follows=each)
def heaviside(call: Call) -> Tensor:
    """Return 0 for negative and 1 for positive elements, and the second operand where the first one is 0."""
    _, (x, y) = pair(call)
    call.ctx.check(x.dtype == y.dtype, laws.OPERANDS_ONE_TYPE)
    return together(call, (x, y), x.dtype)


@operator(*overloads("float_power"), memory="dense", follows=each)
def float_power(call: Call) -> Tensor:
    """Raise to a power; operands broadcast, and the result is float64 or complex128."""
    names, operands = pair(call)
    dtype = "complex128" if kind(promoted_type(call, names, operands)) > FLOAT else "float64"
    law = laws.CHANGED_HOLDS_RESULTS.of(dtype=operands[0].dtype, result=dtype)
    call.ctx.check(not in_place(call) or operands[0].dtype in (dtype, ""), law)
    return together(call, operands, dtype)


@operator(*(op for op in overloads(*COMPARISONS) if not op.endswith("_list")), memory="dense", follows=each)
def compare(call: Call) -> Tensor:
    """Compare operands that broadcast; the result is boolean."""
    names, operands = pair(call)
    dtype, close = promoted_type(call, names, operands), base(call) == "isclose"
    call.ctx.check(not close or operands[0].dtype == operands[1].dtype, laws.OPERANDS_ONE_TYPE)
    require_not_negative(call, "rtol", "atol")
    unknown = any(isinstance(x.value, Field) and entries(x.value.element) for x in operands)
    function = None if close or unknown else COMPARISONS[base(call)]
    return together(call, [cast(x, dtype) for x in operands], "bool", function)


@operator(*overloads(*LOGIC), memory="dense", follows=each)
def logic(call: Call) -> Tensor:
    """Combine truth values of operands that broadcast; the result is boolean."""
    _, operands = pair(call)
    function = LOGIC[base(call)] if all(x.dtype == "bool" for x in operands) else None
    return together(call, operands, "bool", function)


@operator("complex.default", "polar.default", memory="dense", follows=each)
def complex_of(call: Call) -> Tensor:
    """Make complex numbers from two real tensors, which broadcast."""
    (_, (x, y)) = pair(call)
    call.ctx.check(x.dtype == y.dtype, laws.OPERANDS_ONE_TYPE)
    return together(call, (x, y), {"float64": "complex128", "float16": "complex32"}.get(x.dtype, "complex64"))
