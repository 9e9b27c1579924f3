"""Quantization: floats to numbers of few bits and back, and arithmetic on quantized numbers with their ranges."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import anything
from shapesmt.operators.ops.shared.require import require_least, require_shape
from shapesmt.operators.ops.tensorflow.common import (
    DOMAIN,
    axis_of,
    least,
    numbers,
    one_of,
    require_numbers,
    require_order,
    with_type,
)
from shapesmt.operators.ops.tensorflow.linear import matmul
from shapesmt.operators.ops.tensorflow.shape import reshape
from shapesmt.operators.ops.tensorflow.spatial import convolution, per_axis
from shapesmt.operators.rules import RuleContext, Shape, Tensor, rule
from shapesmt.prover.algebra import ONE, Dim, all_of, as_dim, at_least, total

ONE_RANGE_OR_PER_SLICE = laws.SM109.law("there is one range, or one for each slice")


def ends(ctx: RuleContext) -> Shape:
    """Return the shape of `min_range` and `max_range`: scalars, or one entry per slice: `[c]` for `axis=3`."""
    axis, x = least(ctx, "axis", -1, -1), ctx.input(0)
    sizes, law = ((x[ctx.normal(axis, x.rank)],) if axis != -1 else ()), ONE_RANGE_OR_PER_SLICE
    for index in (1, 2):
        if sizes and not ctx.input(index).rank and not ctx.node.op.startswith("QuantizeAnd"):
            ctx.require_equal(sizes[0], 1, law)
        else:
            require_shape(ctx, index, sizes, law)
    return sizes


RANGE_IS_GIVEN = laws.SM405.law("a range that is given is one")


def _require_range(ctx: RuleContext, *, third: bool) -> None:
    """Require the shapes of a range's bounds, and that a single range is ascending if the node uses it.

    `third`: whether it is version 3 of the operator, the only one with a kernel for a range per slice.
    """
    sizes = ends(ctx)
    if ctx.integer("range_given", int(third)):
        ctx.check(not sizes or third, RANGE_IS_GIVEN)
        if not sizes:
            require_ascending(ctx)


def require_ascending(ctx: RuleContext) -> None:
    """Require that the minimum of each range is at most its maximum, if both are known."""
    for low, high in zip(numbers(ctx, 1), numbers(ctx, 2), strict=False):
        require_order(ctx, low, high, laws.RANGE_ENDS_NO_LOWER)


ONLY_SCALED_ROUNDS_HALF_TO_EVEN = laws.SM502.law("only mode SCALED rounds half to even")
MIN_FIRST_HAS_ONE_RANGE = laws.SM109.law("mode MIN_FIRST has one range")


@rule("QuantizeV2", domain=DOMAIN)
def quantize(ctx: RuleContext) -> list[Tensor]:
    """Quantize floats; also return the ranges, as scalars if there is only one slice."""
    sizes, mode = ends(ctx), one_of(ctx, "mode", "MIN_COMBINED", "MIN_FIRST", "SCALED")
    require_ascending(ctx)
    rounding = one_of(ctx, "round_mode", "HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
    ctx.check(mode == "SCALED" or rounding == "HALF_AWAY_FROM_ZERO", ONLY_SCALED_ROUNDS_HALF_TO_EVEN)
    ctx.check(mode != "MIN_FIRST" or not sizes, MIN_FIRST_HAS_ONE_RANGE)
    rank_known = all(d.constant is not None or d.lo >= 2 for d in sizes)
    end = ctx.tensor([d for d in sizes if d is not ONE] if rank_known else None, "float32")
    return [ctx.tensor(ctx.input(0).dims, ctx.text("T", "")), end, end]


@rule("Dequantize", domain=DOMAIN)
def dequantize(ctx: RuleContext) -> Tensor:
    """Convert quantized numbers to floats; the shape is unchanged."""
    sizes, mode = ends(ctx), one_of(ctx, "mode", "MIN_COMBINED", "MIN_FIRST", "SCALED")
    ctx.check(mode != "MIN_FIRST" or not sizes, MIN_FIRST_HAS_ONE_RANGE)
    return ctx.tensor(ctx.input(0).dims, ctx.text("dtype", "float32"))


@rule(*(f"QuantizeAndDequantize{v}" for v in ("", "V2", "V3", "V4")), domain=DOMAIN)
def quantize_dequantize(ctx: RuleContext) -> Tensor:
    """Quantize and dequantize floats with one range, or (only in version 3) one per slice."""
    x, third = ctx.input(0), ctx.node.op.endswith("V3")
    require_bits(ctx, 3 if third else None)
    if ctx.has(1):
        _require_range(ctx, third=third)
    ctx.require_rank(x, int(third), least=True)
    return ctx.tensor(x.dims)


QUANTIZED_TO_1_BIT_OR_MORE = laws.SM502.law("numbers are quantized to 1 bit or more, and {most} at most")


def require_bits(ctx: RuleContext, index: int | None) -> None:
    """Require at least 1 and at most 62 bits (61 with a sign); the number is an attribute, or the input at `index`."""
    most = 62 - ctx.integer("signed_input", 1)
    if index is not None:
        require_numbers(ctx, index)
    for bits in numbers(ctx, index) if index is not None else [as_dim(ctx.integer("num_bits", 8))]:
        if isinstance(bits, Dim):
            some = all_of(at_least(bits, 1), at_least(most, bits))
            ctx.require(some, QUANTIZED_TO_1_BIT_OR_MORE.of(most=most), bits)


# Operators on quantized numbers, whose ranges are separate inputs and outputs


A_RANGE_NOT_EMPTY = laws.SM204.law("a range isn't empty")


def with_range(ctx: RuleContext, output: Tensor, *ranges: int) -> list[Tensor]:
    """Return the outputs of an operator on quantized numbers: the result, and the bounds of its range as scalars.

    Args:
        ctx: The node's context.
        output: The result.
        ranges: The indices of the scalar inputs that are bounds of ranges, minimum and maximum in turn.
    """
    require_numbers(ctx, *ranges)
    if ctx.node.op in APART:
        for low, high in zip(ranges[::2], ranges[1::2], strict=True):
            for a, b in zip(numbers(ctx, low), numbers(ctx, high), strict=False):
                require_order(ctx, a, b, A_RANGE_NOT_EMPTY, apart=True)
    end = ctx.tensor((), "float32")
    return [output, end, end]


APART = ("QuantizedAdd", "QuantizedMul", "QuantizedMatMul")
KEPT = ("QuantizedRelu", "QuantizedRelu6", "Requantize", "QuantizeDownAndShrinkRange")

RANGE_HAS_0 = laws.SM502.law("the range that is asked for has 0 in it")


@rule(*KEPT, domain=DOMAIN)
def quantized_kept(ctx: RuleContext) -> list[Tensor]:
    """Apply a ReLU, or requantize to fewer bits; the shape is unchanged."""
    x, requested = ctx.input(0), [numbers(ctx, i) for i in range(3, len(ctx.inputs))]
    for low, high in zip(*requested, strict=False) if requested else ():
        require_order(ctx, low, 0, RANGE_HAS_0)
        require_order(ctx, low, high, laws.RANGE_ENDS_NO_LOWER)
    return with_range(ctx, ctx.tensor(x.dims, ctx.text("out_type", "quint8")), *range(1, len(ctx.inputs)))


@rule("RequantizationRange", domain=DOMAIN)
def quantized_range(ctx: RuleContext) -> list[Tensor]:
    """Return the minimum and the maximum of the quantized numbers, as scalars."""
    return with_range(ctx, ctx.tensor(ctx.input(0).dims), 1, 2)[1:]


@rule("QuantizedAdd", "QuantizedMul", domain=DOMAIN)
def quantized_arithmetic(ctx: RuleContext) -> list[Tensor]:
    """Add or multiply operands that broadcast together."""
    shape = ctx.broadcast(ctx.input(0).dims, ctx.input(1).dims)
    return with_range(ctx, ctx.tensor(shape, ctx.text("Toutput", "qint32")), 2, 3, 4, 5)


@rule("QuantizedBiasAdd", domain=DOMAIN)
def quantized_bias(ctx: RuleContext) -> list[Tensor]:
    """Add a bias with one element per channel; the shape is unchanged."""
    x = ctx.input(0, least=2)
    require_shape(ctx, 1, x.dims[-1:], laws.BIAS_PER_CHANNEL)
    return with_range(ctx, ctx.tensor(x.dims, ctx.text("out_type", "")), 2, 3, 4, 5)


@rule("QuantizedMatMul", domain=DOMAIN)
def quantized_product(ctx: RuleContext) -> list[Tensor]:
    """Multiply matrices: `[m, k] x [k, n] -> [m, n]`; attributes transpose either operand."""
    return with_range(ctx, with_type(matmul(ctx), ctx.text("Toutput", "qint32")), 2, 3, 4, 5)


@rule("QuantizedConv2D", domain=DOMAIN)
def quantized_convolution(ctx: RuleContext) -> list[Tensor]:
    """Convolve images `[n, y, x, c]` with filters `[h, w, c, m]`; none is empty, and the strides are equal."""
    require_least(ctx, [*ctx.input(0, rank=4).dims, *ctx.input(1, rank=4).dims], 1, laws.FILTERS_NOT_EMPTY)
    ctx.check(len(set(per_axis(ctx, "strides", 2))) == 1, laws.EQUAL_STRIDES)
    ctx.check(set(per_axis(ctx, "dilations", 2)) == {1}, laws.FILTERS_NOT_DILATED)
    return with_range(ctx, with_type(convolution(ctx), ctx.text("out_type", "qint32")), 2, 3, 4, 5)


@rule("QuantizedReshape", domain=DOMAIN)
def quantized_reshape(ctx: RuleContext) -> list[Tensor]:
    """Reshape; the number of elements stays."""
    return with_range(ctx, reshape(ctx), 2, 3)


@rule("QuantizedConcat", domain=DOMAIN)
def quantized_concat(ctx: RuleContext) -> list[Tensor]:
    """Concatenate along an axis; the tensors must agree on every other axis."""
    count, axis = (len(ctx.inputs) - 1) // 3, axis_of(ctx, 0)
    parts = [ctx.input(1 + i) for i in range(count)]
    ctx.check(count > 1, laws.AT_LEAST_TWO_TENSORS_TO_JOIN)
    if axis is None:
        return with_range(ctx, anything(ctx, parts[0]))
    ctx.check(0 <= axis < parts[0].rank, laws.AXIS_INSIDE_RANK.of(axis=axis, rank=parts[0].rank))
    ctx.require_agree(*parts, but=axis, law=laws.JOINED_MATCH_OFF_AXIS)
    joined = parts[0].replace(axis, total(x[axis] for x in parts))
    return with_range(ctx, joined, *range(count + 1, len(ctx.inputs)))
