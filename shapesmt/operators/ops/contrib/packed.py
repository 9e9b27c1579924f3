"""Products of `com.microsoft` with packed weights, of which a byte may hold several."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.shared.follows import row_wise
from shapesmt.operators.ops.shared.require import require_numel, require_shape, require_single, require_vector
from shapesmt.operators.rules import RuleContext, Tensor, Traits
from shapesmt.prover.algebra import Dim, ceil_divide


def features(ctx: RuleContext, k: Dim | int, n: Dim | int) -> list[Dim | int]:
    """Return the shape `[..., n]` of a product; require that the input is `[..., k]`."""
    a = ctx.input(0, least=1)
    ctx.require_equal(a[-1], k, laws.LAST_AXIS_FITS_WEIGHTS)
    return [*a.dims[:-1], n]


WEIGHTS_N_BLOCKS_BYTES = laws.SM111.law("the weights are [N, blocks, block_size * bits / 8]")


@contrib("MatMulNBits", traits=Traits.MIXED, follows=row_wise())
def packed_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]`; the weights are `[N, blocks, bytes]` with one scale per block of K."""
    k, n, bits = ctx.integer("K"), ctx.integer("N"), ctx.integer("bits", 4)
    size = block_size(ctx)
    blocks = -(-k // size)
    require_shape(ctx, 1, (n, blocks, size * bits // 8), WEIGHTS_N_BLOCKS_BYTES)
    _require_scales(ctx, n, blocks, bits)
    _require_declared_bias(ctx, n)
    return ctx.tensor(features(ctx, k, n))


def _require_declared_bias(ctx: RuleContext, n: int) -> None:
    """Require that the bias, unless omitted, is a vector of `n` numbers, and declared with that length."""
    require_vector(ctx, 5, n, laws.BIAS_PER_COLUMN)
    if ctx.has(5):
        ctx.limit_declared(ctx.input(5)[0].constant == n, laws.BIAS_PER_COLUMN)


SCALE_PER_BLOCK = laws.SM109.law("there is one scale per block")
ZERO_POINT_PER_BLOCK = laws.SM109.law("there is one zero point per block")


def _require_scales(ctx: RuleContext, n: int, blocks: int, bits: int) -> None:
    """Require one scale, and one zero point if given, for each of `blocks` blocks of each of `n` columns.

    A byte of zero points holds several numbers of `bits` bits.
    """
    require_shape(ctx, 2, (n, blocks) if ctx.input(2).rank == 2 else (n * blocks,), SCALE_PER_BLOCK)
    if ctx.has(3):
        packed = n * -(-blocks * bits // 8) if ctx.input(3).dtype == "uint8" else n * blocks
        require_numel(ctx, (3,), packed, ZERO_POINT_PER_BLOCK)


BLOCK_SIZE_POWER_OF_2 = laws.SM111.law("block_size {size} is a power of 2, at least 16")


def block_size(ctx: RuleContext) -> int:
    """Return the number of weights that share a scale, a power of two from 16 on."""
    size = ctx.integer("block_size")
    ctx.check(size >= 16 and size & (size - 1) == 0, BLOCK_SIZE_POWER_OF_2.of(size=size))
    return size


WEIGHTS_2_4_OR_8_BITS = laws.SM502.law("weights have 2, 4 or 8 bits, not {bits}")


def weights_per_byte(ctx: RuleContext, name: str) -> int:
    """Return the number of weights per byte; the attribute `name` is their number of bits (2, 4 or 8)."""
    bits = ctx.integer(name, 4)
    ctx.check(bits in (2, 4, 8), WEIGHTS_2_4_OR_8_BITS.of(bits=bits))
    return 8 // bits


WEIGHTS_TWO_TO_A_BYTE = laws.SM109.law("the weights are two to a byte")


@contrib("MatMulBnb4", follows=row_wise())
def bnb_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]` by weights with two to a byte and one scale per block."""
    k, n, size = ctx.integer("K"), ctx.integer("N"), block_size(ctx)
    ctx.require_at_least(ctx.input(1).numel, -(-k * n // 2), WEIGHTS_TWO_TO_A_BYTE)
    ctx.require_at_least(ctx.input(2).numel, -(-k * n // size), SCALE_PER_BLOCK)
    return ctx.tensor(features(ctx, k, n) if ctx.flag("transB", 1) else features(ctx, n, k))


B_SHAPE_TWO_SIZES = laws.SM401.law("B_shape holds two sizes")
WEIGHTS_OF_PACKED_SIZE = laws.SM109.law("the weights have as many bytes as blocks of 32 of each column take")


@contrib("MatMulFpQ4", follows=row_wise())
def blob_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]`; `B_shape` holds K and N.

    32 weights of a column and a scale take 20 or 21 bytes.
    """
    weights, size = ctx.input(1, rank=1), 20 if ctx.integer("blk_quant_type", 1) == 0 else 21
    ctx.require_equal(ctx.input(2, rank=1).numel, 2, B_SHAPE_TWO_SIZES)
    ctx.require_rank(ctx.input(0), 1, least=True)
    listed = ctx.items(2) or ()
    k, n = listed if len(listed) == 2 else (None, None)
    inner = ctx.input(0)[-1] if k is None else k
    if k is not None and n is not None:
        ctx.require_equal(weights.numel, n * ceil_divide(k, 32) * size, WEIGHTS_OF_PACKED_SIZE)
    return ctx.tensor(features(ctx, inner, ctx.fresh("columns", 1) if n is None else n))


BLOCK_SIZE_POSITIVE = laws.SM111.law("block_size {size} is positive")
SCALES_PER_COLUMN_AND_BLOCK = laws.SM109.law("the scales are [N, blocks of K]")


@contrib("MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight", follows=row_wise())
def block_product(ctx: RuleContext) -> Tensor:
    """Multiply `[..., K] -> [..., N]` by weights `[N, K]` (FP4: two to a byte) with one scale per block of K."""
    b, halves = ctx.input(1, rank=2), ctx.node.op.endswith("Fp4Weight")
    k = b[1] * 2 if halves else b[1]
    size = ctx.integer("block_size", 16 if halves else 128)
    ctx.check(size > 0, BLOCK_SIZE_POSITIVE.of(size=size))
    require_shape(ctx, 2, (b[0], ceil_divide(k, size)), SCALES_PER_COLUMN_AND_BLOCK)
    require_single(ctx, 3, *([4] if halves else []))
    require_vector(ctx, 5 if halves else 4, b[0], laws.BIAS_PER_COLUMN)
    return ctx.tensor(features(ctx, k, b[0]))


NORM_SCALE_HAS_K_ELEMENTS = laws.SM108.law("the norm's scale has K elements")


@contrib("MatMulNBitsMlp")
def packed_mlp(ctx: RuleContext) -> list[Tensor]:
    """Combine two packed products `[..., K] -> [..., N]` of one input; also return the input plus the skip."""
    k, n = ctx.integer("K"), ctx.integer("N")
    if ctx.has(1):
        ctx.require_agree(ctx.input(0), ctx.input(1), law=laws.INPUT_AND_SKIP_SAME_SHAPE)
        ctx.limit(ctx.has(2), laws.INPUT_GIVEN.of(index=2))
    require_vector(ctx, 2, k, NORM_SCALE_HAS_K_ELEMENTS)
    require_vector(ctx, (5, 8), n, laws.BIAS_PER_COLUMN)
    return [ctx.tensor(features(ctx, k, n)), ctx.tensor(ctx.input(0).dims)]


@contrib("MatMulNBitsQkv")
def packed_projections(ctx: RuleContext) -> list[Tensor]:
    """Normalize `[..., K]` and project it by packed weights to queries `[..., Nq]`, keys and values `[..., Nkv]`."""
    k, n, shared = ctx.integer("K"), ctx.integer("Nq"), ctx.integer("Nkv")
    if ctx.has(1):
        ctx.require_agree(ctx.input(0), ctx.input(1), law=laws.INPUT_AND_SKIP_SAME_SHAPE)
    require_vector(ctx, 2, k, NORM_SCALE_HAS_K_ELEMENTS)
    queries = features(ctx, k, n)
    for index, width in ((5, n), (8, shared), (11, shared)):
        require_vector(ctx, index, width, laws.BIAS_PER_COLUMN)
    other = ctx.tensor((*queries[:-1], shared))
    return [ctx.tensor(queries), other, other, ctx.tensor(ctx.input(0).dims)]


PACKED_BYTES_QUANTIZED_ALONG_LAST_AXIS = laws.SM109.law(
    "bytes that hold several numbers are quantized along the last axis"
)
DATA_AND_SCALES_ONE_RANK = laws.SM109.law("data and scales have one rank")
SCALE_PER_QUANTIZED_AXIS_BLOCK = laws.SM109.law("there is one scale per block of the quantized axis")


@contrib("GatherBlockQuantized")
def gather_quantized(ctx: RuleContext) -> Tensor:
    """Gather from a table with one scale per block of `quantize_axis`; a byte may hold several numbers."""
    x, indices, scales = ctx.input(0, least=1), ctx.input(1), ctx.input(2)
    axis, quantized = ctx.axis(x.rank, 0, "gather_axis"), ctx.axis(x.rank, 1, "quantize_axis")
    size = ctx.integer("block_size", 128)
    ctx.check(size > 0, BLOCK_SIZE_POSITIVE.of(size=size))
    per_byte = weights_per_byte(ctx, "bits") if x.dtype == "uint8" else 1
    if per_byte > 1:
        ctx.check(axis != x.rank - 1 == quantized, PACKED_BYTES_QUANTIZED_ALONG_LAST_AXIS)
    whole = [d * per_byte if i == x.rank - 1 else d for i, d in enumerate(x.dims)]
    ctx.check(scales.rank == x.rank, DATA_AND_SCALES_ONE_RANK)
    for i, d in enumerate(whole):
        expected = ceil_divide(d, size) if i == quantized else d
        ctx.require_equal(scales[i], expected, SCALE_PER_QUANTIZED_AXIS_BLOCK)
    return ctx.tensor((*whole[:axis], *indices.dims, *whole[axis + 1 :]), scales.dtype)
