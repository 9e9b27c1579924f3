"""Elementwise operators; TensorFlow divides integers in three ways, and only some operators broadcast."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.math.elementwise import broadcast
from shapesmt.operators.ops.shared.bridge import (
    Row,
    finite,
    number_of,
    rename,
    require_one_type,
    result,
    without_elements,
)
from shapesmt.operators.ops.shared.follows import each, each_of_first
from shapesmt.operators.ops.shared.items import INTEGERS, Function, c_remainder, remainder
from shapesmt.operators.ops.shared.require import require_shape, require_vector
from shapesmt.operators.ops.tensorflow.common import DOMAIN, channel, least, one_of, require_each, with_sizes
from shapesmt.operators.rules import Follows, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import FALSE, TRUE, all_of, any_of, at_least, differs, equal

KEPT = (
    *("BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", "Dawsn"),
    *("Expint", "FresnelCos", "FresnelSin", "Spence"),
    *("BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "Conj", "Digamma", "Erfc", "Erfinv", "Expm1", "Lgamma"),
    *("Log1p", "Ndtri", "Relu6", "Rsqrt", "DecodeBase64", "EncodeBase64", "StaticRegexReplace", "StringStrip"),
)
WORDS = {  # an attribute and its allowed values
    **dict.fromkeys(("StringLower", "StringUpper"), ("encoding", "", "utf-8")),
    "AsString": ("fill", "", " ", "+", "-", "0", "#"),
}
RETYPED = {  # output type: the attribute that names it, or ":" and the type itself
    "Angle": "Tout",
    "ComplexAbs": "Tout",
    "Imag": "Tout",
    "PopulationCount": ":uint8",
    "Real": "Tout",
    "StaticRegexFullMatch": ":bool",
    "StringLength": ":int32",
    "StringToNumber": "out_type",
}


# One operand


def chosen_each(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
    """Each element is chosen at its position; None for a condition per row."""
    return each(ctx, outputs) if len({t.rank for t in ctx.inputs if t is not None}) == 1 else None


@rule(*KEPT, *WORDS, domain=DOMAIN, any_rank=True, total=True, follows=each)
@rule("RandomShuffle", domain=DOMAIN, any_rank=True, total=True, traits=Traits.STATEFUL)
def kept(ctx: RuleContext) -> Tensor:
    """Apply a function to every element, or shuffle the rows; the shape is unchanged."""
    if ctx.node.op in WORDS:
        one_of(ctx, *WORDS[ctx.node.op])
    return ctx.tensor(ctx.input(0).shape, "string" if ctx.node.op == "AsString" else None)


@rule(*RETYPED, domain=DOMAIN, any_rank=True, total=True, follows=each)
def retyped(ctx: RuleContext) -> Tensor:
    """Convert every element to another type; the shape is unchanged."""
    dtype = RETYPED[ctx.node.op]
    return ctx.tensor(ctx.input(0).shape, dtype[1:] if dtype[0] == ":" else ctx.text(dtype, "float32"))


PATTERNS_ONE_TEXT_EACH = laws.SM401.law("patterns are one text each")


@rule("RegexFullMatch", "RegexReplace", domain=DOMAIN)
def matched(ctx: RuleContext) -> Tensor:
    """Match or replace in every text; the pattern and the replacement are one text each."""
    require_shape(ctx, (1, 2), (), PATTERNS_ONE_TEXT_EACH)
    return ctx.tensor(ctx.input(0).shape, "bool" if ctx.node.op == "RegexFullMatch" else "string")


HASHES = ("StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong")

RANDOM_KEY_TWO_NUMBERS = laws.SM502.law("the key is two numbers")


@rule(*HASHES, domain=DOMAIN, any_rank=True, total=True, follows=each)
def hashed(ctx: RuleContext) -> Tensor:
    """Hash every text to a bucket number; there is at least one bucket."""
    least(ctx, "num_buckets", 1)
    if ctx.node.op.endswith("Strong"):
        ctx.check(len(ctx.integers("key")) == 2, RANDOM_KEY_TWO_NUMBERS)
    return ctx.tensor(ctx.input(0).shape, "int64")


@rule("IsFinite", domain=DOMAIN, any_rank=True, total=True, follows=each)
def is_finite(ctx: RuleContext) -> Tensor:
    """Test whether every element is finite."""
    return finite(ctx, ctx.input(0))


@rule("IdentityN", domain=DOMAIN, any_rank=True, total=True)
def identities(ctx: RuleContext) -> list[Tensor]:
    """Return the inputs unchanged."""
    return [ctx.input(i) for i in range(ctx.outputs)]


@rule("Square", domain=DOMAIN, any_rank=True, total=True, follows=each)
def square(ctx: RuleContext) -> Tensor:
    """Return `x * x`."""
    return result(ctx, "Mul", ctx.input(0), ctx.input(0))


@rule("Cast", domain=DOMAIN, any_rank=True, total=True, traits=Traits.CONVERSION)
def cast(ctx: RuleContext) -> Tensor:
    """Convert to another element type; the shape is unchanged."""
    dtype = ctx.text("DstT", "")
    return result(ctx, "Cast", ctx.input(0), to=number_of(dtype)) if dtype else ctx.tensor(ctx.input(0).shape, "")


LAST_AXIS_PARTS_OF_ELEMENT = laws.SM401.law("the last axis holds the parts of one element")


@rule("Bitcast", domain=DOMAIN)
def bitcast(ctx: RuleContext) -> Tensor:
    """Reinterpret the bits: `int32[n]` becomes `int16[n, 2]`, and `int16[n, 2]` becomes `int32[n]`."""
    x, dtype = ctx.input(0), ctx.text("type", "")
    before, after = _width(x.dtype), _width(dtype)
    if after >= before:
        if after > before:
            ctx.require_rank(x, 1, least=True)
            ctx.require_equal(x[-1], after // before, LAST_AXIS_PARTS_OF_ELEMENT)
        return ctx.tensor(x.dims[:-1] if after > before else x.dims, dtype)
    return ctx.tensor([*x.dims, before // after], dtype)


def _width(dtype: str) -> int:
    """Return the bytes of an element."""
    bits = "".join(filter(str.isdigit, dtype))
    return int(bits) // 8 if bits else 1


# Two operands


LOOSE = ("Atan2", "DivNoNan", "Igamma", "IgammaGradA", "Igammac", "MulNoNan", "NextAfter", "Polygamma")


@rule(*LOOSE, "Xdivy", "Xlog1py", "Xlogy", "Zeta", domain=DOMAIN, follows=each)
def arithmetic(ctx: RuleContext) -> Tensor:
    """Compute an elementwise function of operands that broadcast."""
    require_one_type(ctx)
    return broadcast(ctx, None)


@rule("Complex", domain=DOMAIN, follows=each)
def complex_numbers(ctx: RuleContext) -> Tensor:
    """Make complex numbers from real and imaginary parts, which broadcast together."""
    return broadcast(ctx, None, ctx.text("Tout", "complex64"))


DIVISIONS: dict[str, Function] = {
    **dict.fromkeys(("Mod", "TruncateMod"), c_remainder),
    "FloorMod": remainder,
    "FloorDiv": lambda a, b: (a - remainder(a, b)) // b,
    **dict.fromkeys(("Div", "TruncateDiv"), lambda a, b: (a - c_remainder(a, b)) // b),
}


def _of_floats(ctx: RuleContext, x: Tensor, y: Tensor) -> Tensor:
    """Return the quotient of floats or, for operators whose name ends with `Mod`, the remainder."""
    if not ctx.node.op.endswith("Mod"):
        return _divide(ctx, x, y)
    remainders = result(ctx, "Mod", x, y, fmod=1)
    return without_elements(remainders) if ctx.node.op == "FloorMod" else remainders  # its sign differs


@rule(*DIVISIONS, "RealDiv", domain=DOMAIN, any_rank=True, traits=Traits.ELEMENTWISE)
def divide(ctx: RuleContext) -> Tensor:
    """Divide operands that broadcast together; an integer divisor must not be 0."""
    x, y = ctx.input(0), ctx.input(1)
    require_one_type(ctx)
    if x.dtype not in INTEGERS:
        return _of_floats(ctx, x, y)
    output = broadcast(ctx, DIVISIONS.get(ctx.node.op))
    require_each(ctx, y, lambda d: differs(d, 0), laws.NOT_DIVIDED_BY_ZERO, output.numel)
    return output


def _divide(ctx: RuleContext, x: Tensor, y: Tensor) -> Tensor:
    """Return a quotient of floats, rounded down for `FloorDiv`."""
    quotient = result(ctx, "Div", x, y)
    return result(ctx, "Floor", quotient) if ctx.node.op == "FloorDiv" else quotient


INTEGER_EXPONENT_NOT_NEGATIVE = laws.SM309.law("the exponent of an integer isn't negative")


@rule("Pow", domain=DOMAIN, traits=Traits.ELEMENTWISE)
def power(ctx: RuleContext) -> Tensor:
    """Raise to a power; operands broadcast, and integer exponents aren't negative."""
    require_one_type(ctx)
    output = result(ctx, "Pow", ctx.input(0), ctx.input(1))
    if ctx.input(0).dtype in INTEGERS:
        law = INTEGER_EXPONENT_NOT_NEGATIVE
        require_each(ctx, ctx.input(1), lambda d: at_least(d, 0), law, output.numel)
    return output


@rule("Equal", "NotEqual", "ApproximateEqual", domain=DOMAIN, traits=Traits.ELEMENTWISE)
def compare(ctx: RuleContext) -> Tensor:
    """Compare operands that broadcast.

    `ApproximateEqual` needs operands of the same shape; `incompatible_shape_error=0` allows any two shapes.
    """
    x, y, op = ctx.input(0), ctx.input(1), ctx.node.op
    require_one_type(ctx)
    if op == "ApproximateEqual":
        ctx.require_agree(x, y, law=laws.OPERANDS_SAME_SHAPE)
        return ctx.tensor(x.dims, "bool")
    if not ctx.integer("incompatible_shape_error", 1):
        pairs = zip(x.dims[::-1], y.dims[::-1], strict=False)
        if any(any_of(equal(a, b), equal(a, 1), equal(b, 1)) is not TRUE for a, b in pairs):
            return ctx.tensor(None, "bool")  # a single boolean if the shapes don't broadcast
    output = result(ctx, "Equal", x, y)
    return output if op == "Equal" else result(ctx, "Not", output)


@rule("LeftShift", "RightShift", domain=DOMAIN, any_rank=True, follows=each)
def shift(ctx: RuleContext) -> Tensor:
    """Shift the bits of integers; operands broadcast together."""
    return result(ctx, "BitShift", ctx.input(0), ctx.input(1), direction=ctx.node.op.removesuffix("Shift").upper())


@rule("SquaredDifference", domain=DOMAIN, any_rank=True, follows=each)
def squared_difference(ctx: RuleContext) -> Tensor:
    """Return `(x - y)**2`; operands broadcast together."""
    require_one_type(ctx)
    difference = result(ctx, "Sub", ctx.input(0), ctx.input(1))
    return result(ctx, "Mul", difference, difference)


BROADCAST_CASES_AT_MOST_8_AXES = laws.SM303.law("cases that broadcast have 8 axes at most")


@rule("SelectV2", domain=DOMAIN, any_rank=True, traits=Traits.COPIED, follows=each)
def choose(ctx: RuleContext) -> Tensor:
    """Choose elements of two tensors by a condition; all broadcast, to at most 8 axes unless their shapes are equal."""
    output = result(ctx, "Where", *map(ctx.input, range(3)))
    if output.shape is not None and output.rank > 8:
        operands = [x for x in map(ctx.input, range(3)) if x.rank]
        alike = all_of(*(equal(a, b) for x in operands for a, b in zip(x.dims, operands[0].dims, strict=False)))
        ctx.require(FALSE if len({x.rank for x in operands}) > 1 else alike, BROADCAST_CASES_AT_MOST_8_AXES)
    return output


# Several operands


@rule("BiasAdd", "BiasAddV1", domain=DOMAIN, follows=each_of_first)
def bias_add(ctx: RuleContext) -> Tensor:
    """Add a bias with one element per channel; the shape is unchanged."""
    x = ctx.input(0, least=2)
    require_vector(ctx, 1, channel(ctx, x), laws.BIAS_PER_CHANNEL)
    return ctx.tensor(x.dims)


@rule("AddN", "AccumulateNV2", domain=DOMAIN, follows=each)
def add_n(ctx: RuleContext) -> Tensor:
    """Add operands of the same shape."""
    operands = [ctx.input(i) for i in range(len(ctx.inputs))]
    ctx.require_agree(*operands, law=laws.OPERANDS_SAME_SHAPE)
    return operands[0] if len(operands) == 1 else ctx.tensor(operands[0].dims)


CASES_SAME_SHAPE = laws.SM107.law("both cases have the same shape")
CONDITION_PER_ROW = laws.SM108.law("the condition has one element per row")
CONDITION_SHAPED_AS_CASES = laws.SM107.law("the condition has the shape of the cases")


@rule("Select", domain=DOMAIN, traits=Traits.COPIED, follows=chosen_each)
def select(ctx: RuleContext) -> Tensor:
    """Choose elements of two tensors of one shape by a condition of that shape, a single boolean, or one per row."""
    condition, x, y = (ctx.input(i) for i in range(3))
    ctx.require_agree(x, y, law=CASES_SAME_SHAPE)
    if condition.rank == 1 != x.rank:
        ctx.require_rank(x, 1, least=True)
        ctx.require_equal(condition[0], x[0], CONDITION_PER_ROW)
        return ctx.tensor(x.dims, x.dtype)
    sizes = dict(enumerate(x.dims)) if condition.rank else {}
    if sizes:
        ctx.require_agree(condition, x, law=CONDITION_SHAPED_AS_CASES)
    return result(ctx, "Where", with_sizes(condition, sizes), x, with_sizes(y, dict(enumerate(x.dims))))


ENDS_SCALAR_OR_SHAPED_AS_CLIPPED = laws.SM107.law(
    "the ends of the range are scalars, or have the shape of what is clipped"
)


@rule("ClipByValue", domain=DOMAIN, follows=each)
def clip(ctx: RuleContext) -> Tensor:
    """Clip to a range; each bound is a single number or has the input's shape."""
    x = ctx.input(0)
    for end in (ctx.input(1), ctx.input(2)):
        if end.rank:
            ctx.require_agree(end, x, law=ENDS_SCALAR_OR_SHAPED_AS_CLIPPED)
    return ctx.tensor(x.dims)


@rule("StringJoin", domain=DOMAIN)
def join(ctx: RuleContext) -> Tensor:
    """Join texts elementwise; all inputs have the same shape, except for scalars."""
    parts = [x for x in map(ctx.input, range(len(ctx.inputs))) if x.rank]
    if parts:
        ctx.require_agree(*parts, law=laws.JOINED_TEXTS_SAME_SHAPE)
    return ctx.tensor(parts[0].dims if parts else (), "string")


# Quantization


QUANTIZED_TO_2_TO_16_BITS = laws.SM502.law("numbers are quantized to 2 bits or more, and 16 at most")
ONE_RANGE_OR_PER_CHANNEL = laws.SM109.law("there is one range, or one per channel")


@rule(
    "FakeQuantWithMinMaxArgs",
    "FakeQuantWithMinMaxVars",
    "FakeQuantWithMinMaxVarsPerChannel",
    domain=DOMAIN,
    follows=each_of_first,
)
def fake_quantize(ctx: RuleContext) -> Tensor:
    """Quantize and dequantize floats with one range, or one per channel; the shape is unchanged."""
    x, each_channel = ctx.input(0), ctx.node.op.endswith("PerChannel")
    ctx.check(2 <= ctx.integer("num_bits", 8) <= 16, QUANTIZED_TO_2_TO_16_BITS)
    ctx.require_rank(x, int(each_channel), least=True)
    require_shape(ctx, (1, 2), x.dims[-1:] if each_channel else (), ONE_RANGE_OR_PER_CHANNEL)
    return ctx.tensor(x.dims)


# Operators that ONNX has under another name


TABLE = {
    **{name: Row(name) for name in ("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseAnd")},
    **{
        name: Row(name)
        for name in ("BitwiseOr", "BitwiseXor", "Ceil", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Greater")
    },
    **{name: Row(name) for name in ("IsInf", "LeakyRelu", "Less", "Log", "Mul", "Neg", "Reciprocal", "Relu")},
    **{name: Row(name) for name in ("Round", "Selu", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt")},
    **{name: Row(name) for name in ("Sub", "Tan", "Tanh")},
    **{name: Row("Identity") for name in ("CheckNumerics", "GuaranteeConst", "Identity", "PreventGradient")},
    **{name: Row("Identity") for name in ("Snapshot", "StopGradient")},
    "Add": Row("Add"),
    "AddV2": Row("Add"),
    "GreaterEqual": Row("GreaterOrEqual"),
    "Inv": Row("Reciprocal"),
    "Invert": Row("BitwiseNot"),
    "IsNan": Row("IsNaN"),
    "LessEqual": Row("LessOrEqual"),
    "LogSoftmax": Row("LogSoftmax"),
    "LogicalAnd": Row("And"),
    "LogicalNot": Row("Not"),
    "LogicalOr": Row("Or"),
    "Maximum": Row("Max"),
    "Minimum": Row("Min"),
    "Print": Row("Identity", inputs=1),
    "Rint": Row("Round"),
    "Softmax": Row("Softmax"),
}

rename(TABLE, DOMAIN)
