"""Elementwise operators with numpy's broadcasting; known integers and small floats are computed."""

from __future__ import annotations

import re
from functools import partial
from math import prod

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.shared import items
from shapesmt.operators.ops.shared.fields import broadcast_index, concrete, element_list, most_listed, term_of, value_of
from shapesmt.operators.ops.shared.follows import first_alone
from shapesmt.operators.ops.shared.items import INTEGERS, PARTIAL, Function
from shapesmt.operators.rules import (
    FLOATS,
    MAX_ELEMENTS,
    MAX_FLOATS,
    Decided,
    Elements,
    Field,
    Item,
    RuleContext,
    Shape,
    Tensor,
    Traits,
    Value,
    elements,
    move_positions,
    positions,
    rule,
)
from shapesmt.prover.algebra import Dim, any_of, differs, entries, equal, select

ACTIVATIONS = (
    *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp", "Gelu"),
    *("HardSigmoid", "HardSwish", "LeakyRelu", "Log", "Mish", "Selu", "Shrink", "Sigmoid", "Sin", "Sinh"),
    *("Softplus", "Softsign", "Swish", "Tan", "Tanh", "ThresholdedRelu"),
)


# Elements


def combine(function: Function | None, operands: tuple[Tensor, ...], shape: Shape, dtype: str) -> Value | None:
    """Return the elements of `function` applied to operands broadcast to `shape`; None if they aren't known."""
    if function is None or all(t.value is None for t in operands) or not _alike(function, operands):
        return None
    lenient, sizes = function in PARTIAL, concrete(shape)
    most = most_listed(operands, MAX_ELEMENTS)
    if dtype in FLOATS:
        most = most_listed([t for t in operands if t.dtype in FLOATS], MAX_FLOATS)
    if sizes is not None and prod(sizes) <= most and any(isinstance(t.value, Elements) for t in operands):
        given = [t for t in operands if lenient or t.value is not None]
        lists = [known for t in given if (known := element_list(t, most)) is not None]
        if len(lists) == len(operands):
            columns = [spread for known in lists if (spread := known.spread(sizes)) is not None]
            if len(columns) < len(lists):
                return None
            kept = [row if lenient or None not in row else None for row in zip(*columns, strict=True)]
            return elements(sizes, [None if row is None else items.result(function, row, dtype) for row in kept])
    over = [element_over(t, shape, masks=function is items.choose_item) for t in operands]
    if any(e is None for e in over):
        return None
    return value_of(shape, items.result(function, over, dtype))


def _alike(function: Function, operands: tuple[Tensor, ...]) -> bool:
    """Whether `function` can be computed on the types of the operands with known values.

    Most functions need all floats or all integers, and some only one of these. `Pow` takes any mix.
    """
    if function is items.ARITHMETIC["Pow"]:
        return True
    floats = [t.dtype in FLOATS for t in operands if t.value is not None]
    if function is items.choose_item:
        return operands[0].dtype not in FLOATS and len({t.dtype in FLOATS for t in operands[1:] if t.value}) < 2
    return function not in (items.WHOLE if all(floats) else items.FLOATING) and len(set(floats)) == 1


def element_over(t: Tensor, shape: Shape, *, masks: bool = False) -> Item:
    """Return the tensor's element as an expression over the positions of the shape it is broadcast to."""
    element = term_of(t, masks=masks)
    return (
        None if element is None else move_positions(element, lambda back: broadcast_index(t[-back], shape[-back], back))
    )


def broadcast(ctx: RuleContext, function: Function | None, dtype: str | None = None) -> Tensor:
    """Broadcast all inputs together and apply `function` to their elements (None: the result is unknown)."""
    operands = tuple(ctx.input(i) for i in range(len(ctx.inputs)))
    shape = ctx.broadcast(*(t.dims for t in operands))
    operands = with_numbers(ctx, operands) if function is items.VARIADIC["Max"] else operands
    operands = _with_flag_symbols(ctx, operands) if function is items.ARITHMETIC["Mul"] else operands
    return ctx.tensor(shape, dtype, combine(function, operands, shape, operands[0].dtype if dtype is None else dtype))


def _with_flag_symbols(ctx: RuleContext, operands: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return the factors, with symbols for flags if one is a count of flags, such as positions without padding."""
    if not any(isinstance(t.value, Field) and entries(t.value.element) for t in operands):
        return operands
    from shapesmt.operators.ops.shared.indices import with_flags

    return tuple(with_flags(ctx, i) for i in range(len(operands)))


def with_numbers(ctx: RuleContext, operands: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return the operands of a maximum, with symbols for single unknown integers if another operand is at least 0."""
    if not any(isinstance(least := term_of(t), Dim) and least.lo >= 0 for t in operands):
        return operands
    return tuple(_number(ctx, i, t) for i, t in enumerate(operands))


def _number(ctx: RuleContext, index: int, t: Tensor) -> Tensor:
    sizes, bits = concrete(t.shape), INTEGERS.get(t.dtype, 0)
    if t.value is not None or sizes is None or prod(sizes) != 1 or not bits:
        return t
    least = 0 if t.dtype[0] == "u" else -(1 << bits - 1)
    number = ctx.fresh(f"number{index}", least, how=Decided((index,), place=0, free=True))
    return ctx.tensor(t.dims, t.dtype, elements(sizes, [number]))


# One operand


@rule(*items.UNARY, *ACTIVATIONS, total=True, traits=Traits.ELEMENTWISE)
def unary(ctx: RuleContext) -> Tensor:
    """Compute `Y[i] = f(X[i])`; the shape is unchanged."""
    x = ctx.input(0)
    return ctx.tensor(x.dims, None, combine(items.UNARY.get(ctx.node.op), (x,), x.dims, x.dtype))


@rule("IsInf", "IsNaN", "RegexFullMatch", dtype="bool", total=True, traits=Traits.ELEMENTWISE)
@rule("Not", dtype="bool", total=True, traits=Traits.NEGATION)
def predicate(ctx: RuleContext) -> Tensor:
    """Compute a boolean `Y[i] = f(X[i])`; the shape is unchanged."""
    x = ctx.input(0)
    found = items.PREDICATES.get(ctx.node.op)
    if ctx.node.op == "IsInf":
        found = items.INFINITE[ctx.flag("detect_negative", 1), ctx.flag("detect_positive", 1)]
    return ctx.tensor(x.dims, "bool", combine(found, (x,), x.dims, "bool"))


SATURATE_FOR_8_BITS = laws.SM502.law("attribute 'saturate' is for 8 bits")
ROUND_MODE_FOR_8_BITS = laws.SM502.law("attribute 'round_mode' is for 8 bits")


@rule("Cast", any_rank=True, total=True, traits=Traits.CONVERSION)
@rule("CastLike", any_rank=True, total=True, traits=Traits.CONVERSION, follows=first_alone)
def cast(ctx: RuleContext) -> Tensor:
    """Convert the element type as the runtimes do; the shape is unchanged."""
    x = ctx.input(0)
    dtype = ctx.input(1).dtype if ctx.node.op == "CastLike" else _wanted_dtype(ctx)
    small = dtype.startswith("float8") or not dtype
    ctx.limit(small or ctx.flag("saturate", 1), SATURATE_FOR_8_BITS)
    ctx.limit(small or ctx.node.op != "Cast" or ctx.text("round_mode", "up") == "up", ROUND_MODE_FOR_8_BITS)
    if x.shape is None:
        return ctx.tensor(None, dtype)
    return ctx.tensor(x.dims, dtype, combine(partial(items.cast, dtype=dtype), (x,), x.dims, dtype))


def _wanted_dtype(ctx: RuleContext) -> str:
    to = ctx.attribute("to")
    if isinstance(to, str):  # before opset 6 the type is spelt out
        return {"FLOAT": "float32", "DOUBLE": "float64"}.get(to.upper(), to.lower())
    return DTYPES.get(ctx.integer("to"), "")


ELEMENT_TYPES_SAME_BITS = laws.SM501.law("both element types have as many bits, not {bits}")


@rule("BitCast", any_rank=True, total=True)
def bit_cast(ctx: RuleContext) -> Tensor:
    """Reinterpret the bits as another element type of the same width; the shape is unchanged."""
    kinds = ctx.input(0).dtype, DTYPES.get(ctx.integer("to"), "")
    bits = {re.sub(r"\D*(\d+).*", r"\1", kind).replace("bool", "8") for kind in kinds if kind}
    ctx.limit(len(bits) <= 1, ELEMENT_TYPES_SAME_BITS.of(bits=" and ".join(kinds)))
    return ctx.tensor(ctx.input(0).shape, DTYPES.get(ctx.integer("to"), ""))


RANGE_ENDS_SCALARS = laws.SM401.law("the ends of the range are scalars")


@rule("Clip", traits=Traits.ELEMENTWISE)
def clip(ctx: RuleContext) -> Tensor:
    """Compute `min(max, max(min, X[i]))`; the shape is unchanged, and each bound is one element."""
    x, ends = ctx.input(0), [i for i in (1, 2) if ctx.has(i)]
    for end in map(ctx.input, ends):
        ctx.check(end.rank <= 1, RANGE_ENDS_SCALARS)
        ctx.ensure_equal(end.numel, 1, RANGE_ENDS_SCALARS)
    if ctx.version >= 11 and ctx.has(1):
        (x, *_) = with_numbers(ctx, (x, ctx.input(1)))
    value = x.value if ctx.version >= 11 else None
    for i in ends:
        clipped = ctx.tensor(x.dims, None, value)
        value = combine(items.greatest if i == 1 else items.smallest, (clipped, ctx.input(i)), x.dims, x.dtype)
    return ctx.tensor(x.dims, None, value)


# Several operands


@rule(*(items.ARITHMETIC.keys() - {"Div"}), "StringConcat", since=7, traits=Traits.ELEMENTWISE)
@rule("Div", since=7, traits=Traits.DIVISION)
@rule(*items.VARIADIC, since=8, traits=Traits.ELEMENTWISE)
def arithmetic(ctx: RuleContext) -> Tensor:
    """Compute an elementwise function of operands that broadcast; `Div` requires that integer divisors aren't 0."""
    op = ctx.node.op
    if op == "Div":
        require_nonzero(ctx, ctx.input(1))
    return broadcast(ctx, items.ARITHMETIC.get(op) or items.VARIADIC.get(op))


@rule("PRelu", since=7, traits=Traits.ELEMENTWISE)
def prelu(ctx: RuleContext) -> Tensor:
    """Multiply negative elements by slopes that broadcast; ONNX infers the input's shape, even if slopes enlarge it."""
    y = broadcast(ctx, None)
    return ctx.tensor(ctx.as_loaded(y.dims, ctx.input(0).dims, laws.SIZES_BROADCAST))


FLOAT_REMAINDER_WITH_FMOD = laws.SM501.law("before opset 28, floats have a remainder with fmod=1 only")


@rule("Mod", traits=Traits.DIVISION)
def mod(ctx: RuleContext) -> Tensor:
    """Compute remainders of operands that broadcast; they have the divisor's sign, with `fmod` the dividend's."""
    fmod = ctx.flag("fmod")
    whole = ctx.input(0).dtype not in FLOATS
    ctx.check(fmod or whole or ctx.version >= 28, FLOAT_REMAINDER_WITH_FMOD)
    require_nonzero(ctx, ctx.input(1))
    return broadcast(ctx, items.c_remainder if fmod else items.remainder)


def require_nonzero(ctx: RuleContext, divisor: Tensor) -> None:
    """Require that no known element of an integer divisor is 0; runtimes check this even if the dividend is empty."""
    law = laws.NOT_DIVIDED_BY_ZERO
    if divisor.dtype not in INTEGERS:
        return
    ctx.assume_valid(1, law=law)
    if isinstance(divisor.value, Elements):
        for item in dict.fromkeys(divisor.value.items):
            if isinstance(item, Dim):
                ctx.require(differs(item, 0), law, item, 0)
    elif isinstance(divisor.value, Field) and not positions(divisor.value.element):
        element = divisor.value.element
        ctx.require(any_of(differs(element, 0), equal(divisor.numel, 0)), law, element, 0)
    elif isinstance(divisor.value, Field) and not entries(divisor.value.element):
        from shapesmt.operators.ops.shared.indices import fold_all

        ctx.require_equal(fold_all("sum", select(equal(divisor.value.element, 0), 1, 0), divisor.dims), 0, law)


@rule("BitShift", traits=Traits.ELEMENTWISE)
def bit_shift(ctx: RuleContext) -> Tensor:
    """Shift the bits of the first operand by the second; the operands broadcast."""
    return broadcast(ctx, items.SHIFTS.get((ctx.text("direction"), ctx.input(0).dtype)))


@rule("And", "Equal", "Or", "Xor", since=7, dtype="bool", traits=Traits.ELEMENTWISE)
@rule("Greater", "GreaterOrEqual", "Less", "LessOrEqual", since=7, dtype="bool", traits=Traits.COMPARISON)
def logic(ctx: RuleContext) -> Tensor:
    """Compare or combine operands that broadcast; the result is boolean."""
    return broadcast(ctx, items.LOGIC[ctx.node.op], "bool")


@rule("Where", any_rank=True, traits=Traits.CHOICE)
def where(ctx: RuleContext) -> Tensor:
    """Choose elements of X or Y by a condition; all three broadcast together."""
    dtype = ctx.input(1).dtype
    if any(ctx.input(i).shape is None for i in range(3)):
        return ctx.tensor(None, dtype)
    return broadcast(ctx, items.choose_item, dtype)


@rule("SwiGLU", *items.VARIADIC, traits=Traits.ELEMENTWISE)
def alike(ctx: RuleContext) -> Tensor:
    """Compute an elementwise function of operands that must have the same shape, which is the output's."""
    operands = [ctx.input(i) for i in range(max(len(ctx.inputs), 1))]
    ctx.require_agree(*operands, law=laws.OPERANDS_SAME_SHAPE)
    return ctx.tensor(operands[0].dims)


SECOND_AXES_AMONG_FIRST = laws.SM101.law("the second operand's axes are among the first's")
SECOND_SIZES_EQUAL_FIRST_OR_1 = laws.SM101.law("the second operand's sizes are the first's or 1")


@rule("Add", "Sub", "Mul", "Pow", "PRelu", "Equal", "And", "Or", "Xor", traits=Traits.ELEMENTWISE)
@rule("Div", traits=Traits.DIVISION)
@rule("Greater", "Less", traits=Traits.COMPARISON)
def aligned(ctx: RuleContext) -> Tensor:
    """Compute elementwise as before opset 7: `B` is shaped as `A` or, with `broadcast`, as its axes from `axis` on."""
    a, b, op = ctx.input(0), ctx.input(1), ctx.node.op
    if op != "PRelu" and not ctx.flag("broadcast"):
        ctx.require_agree(a, b, law=laws.OPERANDS_SAME_SHAPE)
    sizes = a.dims[1 if op == "PRelu" else ctx.integer("axis", a.rank - b.rank) :]
    ctx.check(b.numel.constant == 1 or b.rank <= len(sizes), SECOND_AXES_AMONG_FIRST)
    for x, y in zip(sizes, b.dims, strict=False):
        ctx.require(any_of(equal(x, y), equal(y, 1)), SECOND_SIZES_EQUAL_FIRST_OR_1, x, y)
    return ctx.tensor(a.dims, "bool" if op in items.LOGIC else None)
