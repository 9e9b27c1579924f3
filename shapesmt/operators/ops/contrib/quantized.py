"""Operators on quantized tensors: elementwise, pooling, convolution and products."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.contrib.common import WINDOW, channels_first, contrib, require_scalars
from shapesmt.operators.ops.math.linear import matrix_product, require_per_column
from shapesmt.operators.ops.math.quantization import require_scale
from shapesmt.operators.ops.math.reduction import without
from shapesmt.operators.ops.shared.follows import aligned, each_of_first, product_axes, row_wise, rows
from shapesmt.operators.ops.shared.require import (
    require_broadcast_to,
    require_least,
    require_numel,
    require_one_or,
    require_single,
    require_vector,
)
from shapesmt.operators.ops.windows.detection import known_number
from shapesmt.operators.ops.windows.spatial import qlinear_conv
from shapesmt.operators.rules import Following, Follows, Keeps, RuleContext, Tensor, Traits
from shapesmt.prover.algebra import ONE, TRUE, Dim, all_of, any_of, at_least, differs, equal

# Elementwise


def quantized_each(*operands: int) -> Following:
    """Each output element is computed from the elements of the operands at its position."""

    def follows(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
        read = (aligned(t) if i in operands else () for i, t in enumerate(ctx.inputs))
        return Follows(tuple(read), tuple(map(aligned, outputs)))

    return follows


def quantized_softmax_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """A softmax of the versions before 13 is over all axes from one on."""
    x = ctx.input(0)
    first = ctx.axis(x.rank, -1)
    last = first + 1 if ctx.integer("opset", 0) >= 13 else x.rank
    letters = tuple(None if first <= axis < last else axis for axis in range(x.rank))
    return Follows((letters,), (letters,) * len(outputs))


def quantized_product(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """As for a product of matrices, unless the range of all elements decides the scale."""
    quantized = ctx.input(0).dtype in ("int8", "uint8")
    return product_axes(ctx, outputs) if quantized else Follows((), ())


def quantized_reduced(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The axes in `axes` are reduced, by default all."""
    x = ctx.input(0)
    axes = {axis % x.rank for axis in ctx.integers("axes", range(x.rank))}
    letters = tuple(None if axis in axes else axis for axis in range(x.rank))
    kept = tuple(axis for axis in letters if axis is not None)
    return Follows((letters,), tuple(letters if t.rank == x.rank else kept for t in outputs))


@contrib("QLinearAdd", "QLinearMul", traits=Traits(operands=(0, 3)), follows=quantized_each(0, 3))
def quantized_arithmetic(ctx: RuleContext) -> Tensor:
    """Add or multiply quantized operands that broadcast; scales and zero points are scalars."""
    require_scalars(ctx, 1, 2, 4, 5, 6, 7)
    require_zeros(ctx, 2, 5, 7)
    return ctx.tensor(ctx.broadcast(ctx.input(0).dims, ctx.input(3).dims))


ZERO_POINTS_TOGETHER = laws.SM405.law("zero points are given together")


def require_zeros(ctx: RuleContext, *indices: int) -> None:
    """Require that none of these zero points is omitted, unless the node's inputs end before it."""
    present = [ctx.has(i) for i in indices if i < len(ctx.node.inputs)]
    ctx.limit(all(present), ZERO_POINTS_TOGETHER)


@contrib("MulInteger", dtype="int32")
def multiplied(ctx: RuleContext) -> Tensor:
    """Multiply operands that broadcast; each zero point is one number."""
    require_single(ctx, 1, 3)
    return ctx.tensor(ctx.broadcast(ctx.input(0).dims, ctx.input(2).dims), "int32")


@contrib("QLinearSigmoid", "QLinearLeakyRelu", follows=each_of_first)
def quantized_activation(ctx: RuleContext) -> Tensor:
    """Apply an activation; the shape is unchanged, and scales and zero points are one number each."""
    require_single(ctx, 1, 2, 3, 4)
    return ctx.tensor(ctx.input(0).dims)


@contrib("QOrderedGelu", "QuantizeWithOrder", "DequantizeWithOrder", any_rank=True)
def reordered(ctx: RuleContext) -> Tensor:
    """Change the memory layout of a matrix; the shape is unchanged."""
    dtype = {"DequantizeWithOrder": DTYPES.get(ctx.integer("to", 1), "")}.get(ctx.node.op, "int8")
    return ctx.tensor(ctx.input(0).shape, dtype)


SCALES_AND_ZERO_POINTS_NOT_EMPTY = laws.SM109.law("scales and zero points have one element or more")


def require_first(ctx: RuleContext, *indices: int) -> None:
    """Require that scales and zero points aren't empty; kernels read only their first element."""
    for i in filter(ctx.has, indices):
        ctx.require_at_least(ctx.input(i).numel, 1, SCALES_AND_ZERO_POINTS_NOT_EMPTY)


@contrib("QLinearSoftmax", follows=quantized_softmax_axes)
def quantized_softmax(ctx: RuleContext) -> Tensor:
    """Apply softmax along `axis`; the shape is unchanged, and the input's scale is positive."""
    x, scale = ctx.input(0), known_number(ctx.input(1))
    require_single(ctx, 1)
    ctx.assume_valid(1, law=laws.SCALE_POSITIVE)
    ctx.limit(True if scale is None or scale > 0 else equal(x.numel, 0), laws.SCALE_POSITIVE)
    require_first(ctx, 2, 3, 4)
    ctx.normal((ctx.integer("axis", -1) + 2**31) % 2**32 - 2**31, x.rank)  # the kernel reads 32 bits
    return ctx.tensor(x.dims)


@contrib("QLinearWhere")
def quantized_where(ctx: RuleContext) -> Tensor:
    """Choose each element from one of two tensors by a condition; all three broadcast."""
    require_first(ctx, 2, 3, 5, 6, 7, 8)
    return ctx.tensor(ctx.broadcast(*(ctx.input(i).dims for i in (0, 1, 4))), ctx.input(1).dtype)


@contrib("QuantizeLinear", "DequantizeLinear", any_rank=True, follows=each_of_first)
def linear(ctx: RuleContext) -> Tensor:
    """Quantize or dequantize; scale and zero point are single or, with `axis`, one per index of that axis."""
    require_scale(ctx)
    if ctx.node.op == "DequantizeLinear":
        return ctx.tensor(ctx.input(0).shape, ctx.input(1).dtype)
    return ctx.tensor(ctx.input(0).shape, ctx.input(2).dtype if ctx.has(2) else "uint8")


# Concatenation, reduction and pooling


JOINED_HAVE_SCALE_AND_ZERO_POINT = laws.SM109.law("each joined tensor comes with a scale and a zero point")
SCALES_FLOAT32 = laws.SM501.law("scales are of type float32")
TENSORS_AND_ZERO_POINTS_SAME_TYPE = laws.SM501.law("tensors and zero points have the same element type")


@contrib("QLinearConcat")
def quantized_concat(ctx: RuleContext) -> Tensor:
    """Concatenate tensors, each followed by its scale and zero point; inputs 0 and 1 are the output's."""
    count = len(ctx.inputs) - 2
    ctx.check(count > 0 and count % 3 == 0, JOINED_HAVE_SCALE_AND_ZERO_POINT)
    for i in (0, 1, *(i for i in range(2, count + 2) if i % 3 != 2)):
        ctx.require_at_least(ctx.input(i).numel, 1, SCALES_AND_ZERO_POINTS_NOT_EMPTY)
    kinds = [{ctx.input(i).dtype for i in range(first, count + 2, 3)} for first in (0, 1, 2, 3, 4)]
    ctx.limit(kinds[0] | kinds[3] <= {"float32", ""}, SCALES_FLOAT32)
    ctx.limit(len(kinds[1] | kinds[2] | kinds[4]) == 1, TENSORS_AND_ZERO_POINTS_SAME_TYPE)
    return ctx.delegate("Concat", [ctx.input(i) for i in range(2, count + 2, 3)], version=13)[0]


@contrib("QLinearReduceMean", "ReduceSumInteger", traits=Traits.MIXED, follows=quantized_reduced)
def quantized_reduction(ctx: RuleContext) -> Tensor:
    """Reduce the axes in `axes`, by default all; reduced axes have size 1, or are removed if `keepdims` is 0."""
    x, mean = ctx.input(0), ctx.node.op == "QLinearReduceMean"
    if mean:
        require_scalars(ctx, 1, 2, 3, 4)
    axes = {ctx.normal(a, x.rank) for a in ctx.integers("axes", ())} or range(x.rank)
    dims = without(x.dims, tuple(axes), keep=ctx.flag("keepdims", 1, only_one=True))
    return ctx.tensor(dims, None if mean else x.dtype.replace("int8", "int32"))


@contrib("QLinearAveragePool", "QLinearGlobalAveragePool", follows=rows())
def quantized_pool(ctx: RuleContext) -> Tensor:
    """Average windows, or whole images; channels are axis 1, or the last with `channels_last`."""
    windows = ctx.node.op == "QLinearAveragePool"
    (require_scalars if windows else require_single)(ctx, 1, 2, 3, 4)
    require_zeros(ctx, 2, 4)
    last = ctx.flag("channels_last")
    if not windows:
        x = ctx.input(0, least=3)
        axes = range(1, x.rank - 1) if last else range(2, x.rank)
        require_least(ctx, [x[i] for i in axes], 1, laws.IMAGE_NOT_EMPTY)
        return ctx.tensor([ONE if i in axes else d for i, d in enumerate(x.dims)])
    if not last:
        return ctx.delegate(WINDOW, version=11)[0]
    y = channels_first(ctx, WINDOW, version=11)
    require_least(ctx, y.dims[1:-1], 1, laws.WINDOW_HAS_POSITION)
    return y


@contrib("QLinearConv", traits=Traits(Keeps.MIXED, operands=(0, 3, 8)), follows=rows())
def quantized_conv(ctx: RuleContext) -> Tensor:
    """Convolve quantized numbers; channels are axis 1, or the last with `channels_last`."""
    if ctx.flag("channels_last"):
        return channels_first(ctx, "QLinearConv", version=10)
    return qlinear_conv(ctx)


# Products


@contrib("QGemm", traits=Traits(operands=(0, 3, 6)), follows=row_wise())
def quantized_gemm(ctx: RuleContext) -> Tensor:
    """Compute `[M, K] x [K, N] + C -> [M, N]`; the result is float32 if the output's zero point is omitted."""
    require_single(ctx, 1, 2, 7, 8)
    (y,) = ctx.delegate("Gemm", (ctx.input(0), ctx.input(3)), version=13)
    _require_gemm_scales(ctx, y[1])
    if ctx.has(6):
        require_broadcast_to(ctx, ctx.input(6), y.dims, laws.BIAS_BROADCASTS_TO_PRODUCT)
    return ctx.tensor(y.dims, ctx.input(8).dtype if ctx.has(8) else "float32")


SCALE_AND_ZERO_POINT_SAME_SHAPE = laws.SM109.law("the scale and the zero point have one shape")


def _require_gemm_scales(ctx: RuleContext, columns: Dim) -> None:
    """Require that the weights' scale and zero point have one shape: single, or one per column."""
    for index in (4, 5):
        require_one_or(ctx, index, columns, laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN)
    if ctx.has(5):
        ctx.require_agree(ctx.input(4), ctx.input(5), law=SCALE_AND_ZERO_POINT_SAME_SHAPE)


@contrib("MatMulInteger16", dtype="int32", follows=product_axes)
def product_16(ctx: RuleContext) -> Tensor:
    """Multiply 16-bit integers, `[..., M, K] x [..., K, N]`; the result is uint32 if both are uint16, else int32."""
    a, b = ctx.input(0), ctx.input(1)
    unsigned = a.dtype == b.dtype == "uint16"
    return ctx.tensor(matrix_product(ctx, a, b), "uint32" if unsigned else "int32")


@contrib("MatMulIntegerToFloat", "DynamicQuantizeMatMul", follows=quantized_product)
def product_to_float(ctx: RuleContext) -> Tensor:
    """Multiply by quantized weights; scales and zero points are single, or one per column of `B`.

    Lists of zero points and biases may have any length if there is nothing to compute.
    """
    a, b, dynamic = ctx.input(0), ctx.input(1), ctx.node.op == "DynamicQuantizeMatMul"
    shape = matrix_product(ctx, a, b)
    scale, zero, bias = (2, 3, 4) if dynamic else (3, 5, 6)
    if not dynamic:
        ctx.require_equal(ctx.input(2).numel, 1, laws.SCALES_AND_ZERO_POINTS_ONE_NUMBER_EACH)
        require_single(ctx, 4)
    computed = all_of(*(at_least(size, 1) for size in shape))
    with ctx.where(any_of(computed, differs(b[-1], 1))):  # a column broadcasts to its scales
        require_per_column(ctx, ctx.input(scale), b, any_rank=True)
    if ctx.has(zero):
        with ctx.where(computed if ctx.input(zero).rank <= 1 else TRUE):
            require_per_column(ctx, ctx.input(zero), b)
    with ctx.where(computed):
        require_numel(ctx, (bias,), b[-1], laws.BIAS_PER_COLUMN)
    return ctx.tensor(shape, ctx.input(scale).dtype)


@contrib("QOrderedMatMul")
def ordered_product(ctx: RuleContext) -> Tensor:
    """Multiply `[B, M, K] x [K, N]`; the second matrix is stored transposed if `order_B` is 0 (column order)."""
    a, b = ctx.input(0), ctx.input(2, least=2)
    if ctx.integer("order_B") == 0:
        b = ctx.tensor((*b.dims[:-2], b[-1], b[-2]), b.dtype)
    require_one_or(ctx, 3, b[-1], laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN)
    require_vector(ctx, 5, b[-1], laws.BIAS_PER_COLUMN)
    return ctx.tensor(matrix_product(ctx, a, b))


# Block floating point


@contrib("QuantizeBFP", any_rank=True)
def quantize_bfp(ctx: RuleContext) -> list[Tensor]:
    """Return packed bytes, whose number is unknown, and the shape and the strides of the input."""
    x = ctx.input(0)
    rank = ctx.fresh("rank") if x.shape is None else x.rank
    return [ctx.tensor((ctx.fresh("bytes"),), "uint8"), *[ctx.tensor((rank,), "int64")] * 2]


@contrib("DequantizeBFP", any_rank=True)
def dequantize_bfp(ctx: RuleContext) -> Tensor:
    """Return a tensor whose shape is the elements of input 1."""
    shape, dtype = ctx.items(1), DTYPES.get(ctx.integer("dtype", 1), "")
    ranks = ctx.input(1).shape
    if shape is None and ranks and ranks[0].constant is not None:
        shape = (None,) * ranks[0].constant
    if shape is None:
        return ctx.tensor(None, dtype)
    return ctx.tensor([ctx.fresh(f"size{i}") if d is None else d for i, d in enumerate(shape)], dtype)
