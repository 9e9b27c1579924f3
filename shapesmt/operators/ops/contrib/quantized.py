"""Operators on quantized tensors: elementwise, pooling, convolution and products with packed weights."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.contrib.common import WINDOW, channels_first, contrib, require_scalars
from shapesmt.operators.ops.math.linear import matrix_product, require_per_column
from shapesmt.operators.ops.math.quantization import require_scale
from shapesmt.operators.ops.math.reduction import without
from shapesmt.operators.ops.shared.require import (
    require_broadcast_to,
    require_least,
    require_numel,
    require_one_or,
    require_shape,
    require_single,
    require_vector,
)
from shapesmt.operators.ops.windows.detection import known_number
from shapesmt.operators.ops.windows.spatial import qlinear_conv
from shapesmt.operators.rules import Keeps, RuleContext, Tensor, Traits
from shapesmt.prover.algebra import ONE, TRUE, Dim, all_of, any_of, at_least, ceil_divide, differs, equal

# Elementwise


@contrib("QLinearAdd", "QLinearMul", traits=Traits(operands=(0, 3)))
def quantized_arithmetic(ctx: RuleContext) -> Tensor:
    """Add or multiply quantized operands that broadcast; scales and zero points are scalars."""
    require_scalars(ctx, 1, 2, 4, 5, 6, 7)
    require_zeros(ctx, 2, 5, 7)
    return ctx.tensor(ctx.broadcast(ctx.input(0).dims, ctx.input(3).dims))


def require_zeros(ctx: RuleContext, *indices: int) -> None:
    """Require that none of these zero points is omitted, unless the node's inputs end before it."""
    present = [ctx.has(i) for i in indices if i < len(ctx.node.inputs)]
    ctx.limit(all(present), laws.ZERO_POINTS_TOGETHER)


@contrib("MulInteger", dtype="int32")
def multiplied(ctx: RuleContext) -> Tensor:
    """Multiply operands that broadcast; each zero point is one number."""
    require_single(ctx, 1, 3)
    return ctx.tensor(ctx.broadcast(ctx.input(0).dims, ctx.input(2).dims), "int32")


@contrib("QLinearSigmoid", "QLinearLeakyRelu")
def quantized_activation(ctx: RuleContext) -> Tensor:
    """Apply an activation; the shape is unchanged, and scales and zero points are one number each."""
    require_single(ctx, 1, 2, 3, 4)
    return ctx.tensor(ctx.input(0).dims)


@contrib("QOrderedGelu", "QuantizeWithOrder", "DequantizeWithOrder", any_rank=True)
def reordered(ctx: RuleContext) -> Tensor:
    """Change the memory layout of a matrix; the shape is unchanged."""
    dtype = {"DequantizeWithOrder": DTYPES.get(ctx.integer("to", 1), "")}.get(ctx.node.op, "int8")
    return ctx.tensor(ctx.input(0).shape, dtype)


def require_first(ctx: RuleContext, *indices: int) -> None:
    """Require that scales and zero points aren't empty; kernels read only their first element."""
    for i in filter(ctx.has, indices):
        ctx.require_at_least(ctx.input(i).numel, 1, laws.SCALES_AND_ZERO_POINTS_NOT_EMPTY)


@contrib("QLinearSoftmax")
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


@contrib("QuantizeLinear", "DequantizeLinear", any_rank=True)
def linear(ctx: RuleContext) -> Tensor:
    """Quantize or dequantize; scale and zero point are single or, with `axis`, one per index of that axis."""
    require_scale(ctx)
    if ctx.node.op == "DequantizeLinear":
        return ctx.tensor(ctx.input(0).shape, ctx.input(1).dtype)
    return ctx.tensor(ctx.input(0).shape, ctx.input(2).dtype if ctx.has(2) else "uint8")


# Concatenation, reduction and pooling


@contrib("QLinearConcat")
def quantized_concat(ctx: RuleContext) -> Tensor:
    """Concatenate tensors, each followed by its scale and zero point; inputs 0 and 1 are the output's."""
    count = len(ctx.inputs) - 2
    ctx.check(count > 0 and count % 3 == 0, laws.JOINED_HAVE_SCALE_AND_ZERO_POINT)
    for i in (0, 1, *(i for i in range(2, count + 2) if i % 3 != 2)):
        ctx.require_at_least(ctx.input(i).numel, 1, laws.SCALES_AND_ZERO_POINTS_NOT_EMPTY)
    kinds = [{ctx.input(i).dtype for i in range(first, count + 2, 3)} for first in (0, 1, 2, 3, 4)]
    ctx.limit(kinds[0] | kinds[3] <= {"float32", ""}, laws.SCALES_FLOAT32)
    ctx.limit(len(kinds[1] | kinds[2] | kinds[4]) == 1, laws.TENSORS_AND_ZERO_POINTS_SAME_TYPE)
    return ctx.delegate("Concat", [ctx.input(i) for i in range(2, count + 2, 3)], version=13)[0]


@contrib("QLinearReduceMean", "ReduceSumInteger", traits=Traits.MIXED)
def quantized_reduction(ctx: RuleContext) -> Tensor:
    """Reduce the axes in `axes`, by default all; reduced axes have size 1, or are removed if `keepdims` is 0."""
    x, mean = ctx.input(0), ctx.node.op == "QLinearReduceMean"
    if mean:
        require_scalars(ctx, 1, 2, 3, 4)
    axes = {ctx.normal(a, x.rank) for a in ctx.integers("axes", ())} or range(x.rank)
    dims = without(x.dims, tuple(axes), keep=ctx.flag("keepdims", 1, only_one=True))
    return ctx.tensor(dims, None if mean else x.dtype.replace("int8", "int32"))


@contrib("QLinearAveragePool", "QLinearGlobalAveragePool")
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


@contrib("QLinearConv", traits=Traits(Keeps.MIXED, operands=(0, 3, 8)))
def quantized_conv(ctx: RuleContext) -> Tensor:
    """Convolve quantized numbers; channels are axis 1, or the last with `channels_last`."""
    if ctx.flag("channels_last"):
        return channels_first(ctx, "QLinearConv", version=10)
    return qlinear_conv(ctx)


# Products


@contrib("QGemm", traits=Traits(operands=(0, 3, 6)))
def quantized_gemm(ctx: RuleContext) -> Tensor:
    """Compute `[M, K] x [K, N] + C -> [M, N]`; the result is float32 if the output's zero point is omitted."""
    require_single(ctx, 1, 2, 7, 8)
    (y,) = ctx.delegate("Gemm", (ctx.input(0), ctx.input(3)), version=13)
    _require_gemm_scales(ctx, y[1])
    if ctx.has(6):
        require_broadcast_to(ctx, ctx.input(6), y.dims, laws.BIAS_BROADCASTS_TO_PRODUCT)
    return ctx.tensor(y.dims, ctx.input(8).dtype if ctx.has(8) else "float32")


def _require_gemm_scales(ctx: RuleContext, columns: Dim) -> None:
    """Require that the weights' scale and zero point have one shape: single, or one per column."""
    for index in (4, 5):
        require_one_or(ctx, index, columns, laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN)
    if ctx.has(5):
        ctx.require_agree(ctx.input(4), ctx.input(5), law=laws.SCALE_AND_ZERO_POINT_SAME_SHAPE)


@contrib("MatMulInteger16", dtype="int32")
def product_16(ctx: RuleContext) -> Tensor:
    """Multiply 16-bit integers, `[..., M, K] x [..., K, N]`; the result is uint32 if both are uint16, else int32."""
    a, b = ctx.input(0), ctx.input(1)
    unsigned = a.dtype == b.dtype == "uint16"
    return ctx.tensor(matrix_product(ctx, a, b), "uint32" if unsigned else "int32")


@contrib("MatMulIntegerToFloat", "DynamicQuantizeMatMul")
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


# Products with packed weights


def features(ctx: RuleContext, k: Dim | int, n: Dim | int) -> list[Dim | int]:
    """Return the shape `[..., n]` of a product; require that the input is `[..., k]`."""
    a = ctx.input(0, least=1)
    ctx.require_equal(a[-1], k, laws.LAST_AXIS_FITS_WEIGHTS)
    return [*a.dims[:-1], n]


@contrib("MatMulNBits", traits=Traits.MIXED)
def packed_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]`; the weights are `[N, blocks, bytes]` with one scale per block of K."""
    k, n, bits = ctx.integer("K"), ctx.integer("N"), ctx.integer("bits", 4)
    size = block_size(ctx)
    blocks = -(-k // size)
    require_shape(ctx, 1, (n, blocks, size * bits // 8), laws.WEIGHTS_N_BLOCKS_BYTES)
    _require_scales(ctx, n, blocks, bits)
    _require_declared_bias(ctx, n)
    return ctx.tensor(features(ctx, k, n))


def _require_declared_bias(ctx: RuleContext, n: int) -> None:
    """Require that the bias, unless omitted, is a vector of `n` numbers, and declared with that length."""
    require_vector(ctx, 5, n, laws.BIAS_PER_COLUMN)
    if ctx.has(5):
        ctx.limit_declared(ctx.input(5)[0].constant == n, laws.BIAS_PER_COLUMN)


def _require_scales(ctx: RuleContext, n: int, blocks: int, bits: int) -> None:
    """Require one scale, and one zero point if given, for each of `blocks` blocks of each of `n` columns.

    A byte of zero points holds several numbers of `bits` bits.
    """
    require_shape(ctx, 2, (n, blocks) if ctx.input(2).rank == 2 else (n * blocks,), laws.SCALE_PER_BLOCK)
    if ctx.has(3):
        packed = n * -(-blocks * bits // 8) if ctx.input(3).dtype == "uint8" else n * blocks
        require_numel(ctx, (3,), packed, laws.ZERO_POINT_PER_BLOCK)


def block_size(ctx: RuleContext) -> int:
    """Return the number of weights that share a scale, a power of two from 16 on."""
    size = ctx.integer("block_size")
    ctx.check(size >= 16 and size & (size - 1) == 0, laws.BLOCK_SIZE_POWER_OF_2.of(size=size))
    return size


def weights_per_byte(ctx: RuleContext, name: str) -> int:
    """Return the number of weights per byte; the attribute `name` is their number of bits (2, 4 or 8)."""
    bits = ctx.integer(name, 4)
    ctx.check(bits in (2, 4, 8), laws.WEIGHTS_2_4_OR_8_BITS.of(bits=bits))
    return 8 // bits


@contrib("MatMulBnb4")
def bnb_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]` by weights with two to a byte and one scale per block."""
    k, n, size = ctx.integer("K"), ctx.integer("N"), block_size(ctx)
    ctx.require_at_least(ctx.input(1).numel, -(-k * n // 2), laws.WEIGHTS_TWO_TO_A_BYTE)
    ctx.require_at_least(ctx.input(2).numel, -(-k * n // size), laws.SCALE_PER_BLOCK)
    return ctx.tensor(features(ctx, k, n) if ctx.flag("transB", 1) else features(ctx, n, k))


@contrib("MatMulFpQ4")
def blob_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]`; `B_shape` holds K and N.

    32 weights of a column and a scale take 20 or 21 bytes.
    """
    weights, size = ctx.input(1, rank=1), 20 if ctx.integer("blk_quant_type", 1) == 0 else 21
    ctx.require_equal(ctx.input(2, rank=1).numel, 2, laws.B_SHAPE_TWO_SIZES)
    ctx.require_rank(ctx.input(0), 1, least=True)
    listed = ctx.items(2) or ()
    k, n = listed if len(listed) == 2 else (None, None)
    inner = ctx.input(0)[-1] if k is None else k
    if k is not None and n is not None:
        ctx.require_equal(weights.numel, n * ceil_divide(k, 32) * size, laws.WEIGHTS_OF_PACKED_SIZE)
    return ctx.tensor(features(ctx, inner, ctx.fresh("columns", 1) if n is None else n))


@contrib("MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight")
def block_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]` by weights `[N, K]` (FP4: two to a byte) with one scale per block of K."""
    b, halves = ctx.input(1, rank=2), ctx.node.op.endswith("Fp4Weight")
    k = b[1] * 2 if halves else b[1]
    size = ctx.integer("block_size", 16 if halves else 128)
    ctx.check(size > 0, laws.BLOCK_SIZE_POSITIVE.of(size=size))
    require_shape(ctx, 2, (b[0], ceil_divide(k, size)), laws.SCALES_PER_COLUMN_AND_BLOCK)
    require_single(ctx, 3, *([4] if halves else []))
    require_vector(ctx, 5 if halves else 4, b[0], laws.BIAS_PER_COLUMN)
    return ctx.tensor(features(ctx, k, b[0]))


@contrib("MatMulNBitsMlp")
def packed_mlp(ctx: RuleContext) -> list[Tensor]:
    """Combine two packed products `[..., K] -> [..., N]` of one input; also return the input plus the skip."""
    k, n = ctx.integer("K"), ctx.integer("N")
    if ctx.has(1):
        ctx.require_agree(ctx.input(0), ctx.input(1), law=laws.INPUT_AND_SKIP_SAME_SHAPE)
        ctx.limit(ctx.has(2), laws.INPUT_GIVEN.of(index=2))
    require_vector(ctx, 2, k, laws.NORM_SCALE_HAS_K_ELEMENTS)
    require_vector(ctx, (5, 8), n, laws.BIAS_PER_COLUMN)
    return [ctx.tensor(features(ctx, k, n)), ctx.tensor(ctx.input(0).dims)]


@contrib("MatMulNBitsQkv")
def packed_projections(ctx: RuleContext) -> list[Tensor]:
    """Normalize `[..., K]` and project it by packed weights to queries `[..., Nq]`, keys and values `[..., Nkv]`."""
    k, n, shared = ctx.integer("K"), ctx.integer("Nq"), ctx.integer("Nkv")
    if ctx.has(1):
        ctx.require_agree(ctx.input(0), ctx.input(1), law=laws.INPUT_AND_SKIP_SAME_SHAPE)
    require_vector(ctx, 2, k, laws.NORM_SCALE_HAS_K_ELEMENTS)
    queries = features(ctx, k, n)
    for index, width in ((5, n), (8, shared), (11, shared)):
        require_vector(ctx, index, width, laws.BIAS_PER_COLUMN)
    other = ctx.tensor((*queries[:-1], shared))
    return [ctx.tensor(queries), other, other, ctx.tensor(ctx.input(0).dims)]


@contrib("GatherBlockQuantized")
def gather_quantized(ctx: RuleContext) -> Tensor:
    """Gather from a table with one scale per block of `quantize_axis`; a byte may hold several numbers."""
    x, indices, scales = ctx.input(0, least=1), ctx.input(1), ctx.input(2)
    axis, quantized = ctx.axis(x.rank, 0, "gather_axis"), ctx.axis(x.rank, 1, "quantize_axis")
    size = ctx.integer("block_size", 128)
    ctx.check(size > 0, laws.BLOCK_SIZE_POSITIVE.of(size=size))
    per_byte = weights_per_byte(ctx, "bits") if x.dtype == "uint8" else 1
    if per_byte > 1:
        ctx.check(axis != x.rank - 1 == quantized, laws.PACKED_BYTES_QUANTIZED_ALONG_LAST_AXIS)
    whole = [d * per_byte if i == x.rank - 1 else d for i, d in enumerate(x.dims)]
    ctx.check(scales.rank == x.rank, laws.DATA_AND_SCALES_ONE_RANK)
    for i, d in enumerate(whole):
        expected = ceil_divide(d, size) if i == quantized else d
        ctx.require_equal(scales[i], expected, laws.SCALE_PER_QUANTIZED_AXIS_BLOCK)
    return ctx.tensor((*whole[:axis], *indices.dims, *whole[axis + 1 :]), scales.dtype)


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
