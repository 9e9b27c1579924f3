"""Elementwise operators: attributes choose how operands broadcast, and integer division rounds down."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.math.elementwise import broadcast, require_nonzero
from shapesmt.operators.ops.openvino.bridge import dtype_of, without_broadcast
from shapesmt.operators.ops.openvino.signatures import DOMAIN, operator
from shapesmt.operators.ops.shared.bridge import Row, finite, number_of, rename, result, without_elements
from shapesmt.operators.ops.shared.follows import each, first_alone, rows
from shapesmt.operators.ops.shared.items import remainder
from shapesmt.operators.ops.shared.require import require_broadcast_to
from shapesmt.operators.rules import FLOATS, Elements, RuleContext, Tensor, Traits, tensor
from shapesmt.prover.algebra import ONE
from shapesmt.prover.algebra.numeric import MANTISSA

BINARY = {
    **{name: name for name in ("Add", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Greater", "Less")},
    "BitwiseLeftShift": "BitShift",
    "BitwiseRightShift": "BitShift",
    "FloorMod": "Mod",
    "GreaterEqual": "GreaterOrEqual",
    "LessEqual": "LessOrEqual",
    "LogicalAnd": "And",
    "LogicalOr": "Or",
    "LogicalXor": "Xor",
    "Maximum": "Max",
    "Minimum": "Min",
    "Mod": "Mod",
    "Multiply": "Mul",
    "Power": "Pow",
    "Subtract": "Sub",
}


COMPARED = {"Equal", "LogicalAnd", "LogicalOr", "LogicalXor"}
ORDERS = {"Greater", "GreaterEqual", "Less", "LessEqual"}


def operands(ctx: RuleContext) -> list[Tensor]:
    """Return both operands, prepared as `auto_broadcast` says.

    Modes `none` and `explicit` require the same shape; mode `pdpd` aligns the second operand with an axis of the first.
    """
    x, y = ctx.input(0), ctx.input(1)
    if x.shape is None or y.shape is None:
        return [x, y]
    if without_broadcast(ctx):
        ctx.require_agree(x, y, law=laws.OPERANDS_SAME_SHAPE)
    if ctx.text("auto_broadcast", "numpy") == "pdpd":
        y = _align_axes(ctx, x, y)
    return [x, y]


def _align_axes(ctx: RuleContext, x: Tensor, y: Tensor) -> Tensor:
    """Append axes of size 1 to `y`: `[c]` at axis 1 of an `x` of shape `[n, c, h, w]` becomes `[c, 1, 1]`."""
    axis = ctx.integer("auto_broadcast.auto_broadcast_axis", 0)
    first = x.rank - y.rank if axis == -1 else axis
    behind = x.rank - first - y.rank
    ctx.check(first >= 0 and behind >= 0, laws.AXIS_INSIDE_RANK.of(axis=axis, rank=x.rank))
    y = tensor(y.dtype, (*y.dims, *[ONE] * behind))
    require_broadcast_to(ctx, y, x.dims, laws.SIZES_BROADCAST)
    return y


@operator(*(BINARY.keys() - COMPARED - ORDERS), any_rank=True, traits=Traits.ELEMENTWISE)
@operator(*COMPARED, any_rank=True, dtype="bool", traits=Traits.ELEMENTWISE)
@operator(*ORDERS, any_rank=True, dtype="bool", traits=Traits.COMPARISON)
def binary(ctx: RuleContext) -> Tensor:
    """Apply a binary operator; `auto_broadcast` says how the operands broadcast."""
    return as_computed(ctx, _result(ctx, ctx.node.op))


def as_computed(ctx: RuleContext, t: Tensor) -> Tensor:
    """Return the tensor, with unknown elements if OpenVINO may compute them differently.

    These are changed 8-bit integers, which OpenVINO doesn't wrap, powers that float32 rounds, and remainders of floats.
    """
    op, items, before = ctx.node.op, t.value.items if isinstance(t.value, Elements) else (), ctx.input(0).value
    changed = not isinstance(before, Elements) or items != before.items
    saturated = t.dtype in ("int8", "uint8") and not op.startswith("Bitwise") and changed
    large = op == "Power" and any(i is not None and max(-i.lo, i.hi) > 1 << MANTISSA["float32"] for i in items)
    remainder_of_floats = op == "FloorMod" and t.dtype in FLOATS  # the sign is the divisor's
    return without_elements(t) if saturated or large or remainder_of_floats else t


def _result(ctx: RuleContext, op: str) -> Tensor:
    if "Shift" in op:
        return result(ctx, "BitShift", *operands(ctx), direction="LEFT" if "Left" in op else "RIGHT")
    if op in ("Mod", "FloorMod"):
        return result(ctx, "Mod", *operands(ctx), fmod=int(op == "Mod" or ctx.input(0).dtype in FLOATS))
    return result(ctx, BINARY[op], *operands(ctx))


@operator("Divide", any_rank=True, follows=each)
def divide(ctx: RuleContext) -> Tensor:
    """Divide operands that broadcast; a quotient of integers is rounded down unless `m_pythondiv` is false."""
    x, y = operands(ctx)
    whole = x.dtype not in FLOATS and bool(ctx.integer("m_pythondiv", 1))
    if not whole or x.shape is None or y.shape is None:
        return result(ctx, "Div", x, y)
    require_nonzero(ctx, y)
    return broadcast(ctx, lambda a, b: (a - remainder(a, b)) // b if b is not None else None)


@operator("NotEqual", any_rank=True, dtype="bool", follows=each)
def not_equal(ctx: RuleContext) -> Tensor:
    """Compare operands that broadcast: `not x == y`."""
    return result(ctx, "Not", result(ctx, "Equal", *operands(ctx)))


@operator("IsFinite", any_rank=True, total=True, follows=each)
def is_finite(ctx: RuleContext) -> Tensor:
    """Test whether each element is finite; the shape is unchanged."""
    return finite(ctx, ctx.input(0))


@operator("LogicalNot", any_rank=True, total=True, traits=Traits.NEGATION)
def logical_not(ctx: RuleContext) -> Tensor:
    """Negate each element; the shape and the element type, which need not be bool, are unchanged."""
    return result(ctx, "Not", ctx.input(0)) if ctx.input(0).dtype in ("bool", "") else ctx.tensor(ctx.input(0).shape)


@operator("SquaredDifference", any_rank=True, follows=each)
def squared_difference(ctx: RuleContext) -> Tensor:
    """Compute `(x - y)**2` of operands that broadcast."""
    difference = result(ctx, "Sub", *operands(ctx))
    return result(ctx, "Mul", difference, difference)


@operator("Select", any_rank=True, traits=Traits.COPIED, follows=each)
def select(ctx: RuleContext) -> Tensor:
    """Choose each element from one of two tensors by a condition.

    All three broadcast, or have the same shape if `auto_broadcast` is none.
    """
    chosen = [ctx.input(i) for i in range(3)]
    if without_broadcast(ctx) and all(x.shape is not None for x in chosen):
        ctx.require_agree(*chosen, law=laws.OPERANDS_SAME_SHAPE)
    return result(ctx, "Where", *chosen)


@operator("Convert", any_rank=True, total=True, traits=Traits.CONVERSION)
def convert(ctx: RuleContext) -> Tensor:
    """Convert the element type; the shape is unchanged."""
    return as_computed(ctx, result(ctx, "Cast", ctx.input(0), to=number_of(dtype_of(ctx, "destination_type", ""))))


@operator("ConvertLike", any_rank=True, total=True, follows=first_alone)
def convert_like(ctx: RuleContext) -> Tensor:
    """Convert to the element type of the other input; the shape is unchanged."""
    return as_computed(ctx, result(ctx, "CastLike", ctx.input(0), ctx.input(1)))


@operator("Negative", any_rank=True, total=True, traits=Traits.ELEMENTWISE)
def negative(ctx: RuleContext) -> Tensor:
    """Negate each element; the shape is unchanged."""
    return as_computed(ctx, result(ctx, "Neg", ctx.input(0)))


@operator("ErfInv", "Result", any_rank=True, total=True, follows=each)
@operator("GRN", "MVN-2", any_rank=True, total=True, follows=rows())
def kept(ctx: RuleContext) -> Tensor:
    """Return a tensor of the input's shape and type."""
    return ctx.tensor(ctx.input(0).shape)


# Operators that equal an ONNX operator of another name


TABLE = {
    **{name: Row(name) for name in ("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Cos")},
    **{name: Row(name) for name in ("Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "Log", "Mish", "Sigmoid", "Sign")},
    **{name: Row(name) for name in ("Sin", "Sinh", "Sqrt", "Tan", "Tanh", "IsNaN")},
    "Ceiling": Row("Ceil"),
    "HSigmoid": Row("HardSigmoid"),
    "HSwish": Row("HardSwish"),
    "HardSigmoid": Row("HardSigmoid", inputs=1),
    "Identity": Row("Identity"),
    "IsInf": Row("IsInf", {name: name for name in ("detect_negative", "detect_positive")}),
    "ReLU": Row("Relu"),
    "Relu": Row("Relu"),
    "Round": Row("Round"),
    "Selu": Row("Selu", inputs=1),
    "SoftPlus": Row("Softplus"),
    "SoftSign": Row("Softsign"),
    "Swish": Row("Swish", inputs=1),
    "Concat": Row("Concat", {"axis": "axis"}),
    "GridSample": Row("GridSample"),
}

rename(TABLE, DOMAIN, operator)
