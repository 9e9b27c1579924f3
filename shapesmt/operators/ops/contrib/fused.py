"""Operators that ONNX Runtime's optimizer fuses: products, convolutions and activations with additions."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.contrib.common import WINDOW, borrow, channels_first, contrib
from shapesmt.operators.ops.math.linear import matrix_product
from shapesmt.operators.ops.shared.follows import each, product_axes, row_wise, rows
from shapesmt.operators.ops.shared.require import (
    require_broadcast_to,
    require_least,
    require_same,
    require_single,
    require_vector,
)
from shapesmt.operators.ops.windows.spatial import conv
from shapesmt.operators.rules import Follows, RuleContext, Tensor, Traits
from shapesmt.prover.algebra import Dim, any_of, at_least, ceil_divide, divides, equal, total

# Products


BOTH_ONE_RANK_3_OR_MORE = laws.SM303.law("both have one rank, 3 or more")


def transpose_operand(ctx: RuleContext, index: int, side: str) -> Tensor:
    """Return operand `index` transposed as the attributes `transBatch*` and `trans*` say; `side` is "A" or "B".

    For `[a, b, m, k]`, `transBatch` gives `[b, m, a, k]`; `trans` swaps the last two axes after that.
    """
    x = ctx.input(index)
    dims = x.dims
    if ctx.flag(f"transBatch{side}"):
        ctx.check(x.rank > 2 and x.rank == ctx.input(1 - index).rank, BOTH_ONE_RANK_3_OR_MORE)
        dims = (*dims[1:-1], dims[0], dims[-1])
    if ctx.flag(f"trans{side}") and len(dims) > 1:
        dims = (*dims[:-2], dims[-1], dims[-2])
    return ctx.tensor(dims, x.dtype)


def fused_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """As for a product of matrices, of which either may be transposed."""
    plain, turned = product_axes(ctx, outputs), []
    for read, side in zip((letters or () for letters in plain.inputs), "AB", strict=False):
        letters = (*read[:-2], *read[:-3:-1]) if ctx.flag(f"trans{side}") and len(read) > 1 else read
        moved = ctx.flag(f"transBatch{side}") and len(read) > 2
        turned.append((letters[-2], *letters[:-2], letters[-1]) if moved else letters)
    return plain._replace(inputs=tuple(turned))


@contrib(
    "FusedMatMul",
    "TransposeMatMul",
    "FusedMatMulActivation",
    "SparseToDenseMatMul",
    traits=Traits.MIXED,
    follows=fused_axes,
)
def fused_matmul(ctx: RuleContext) -> Tensor:
    """Multiply matrices that may be transposed; the product may be scaled and activated."""
    aside = ctx.flag("transA") or ctx.flag("transBatchA")
    return ctx.tensor(matrix_product(ctx, transpose_operand(ctx, 0, "A"), transpose_operand(ctx, 1, "B"), turned=aside))


borrow("FusedGemm", 13, "Gemm")

EACH_SCALE_ONE_NUMBER = laws.SM109.law("each scale is one number")


@contrib("GemmFloat8")
def gemm_float8(ctx: RuleContext) -> Tensor:
    """Compute `[M, K] x [K, N] + C -> [M, N]` with a scale for each operand and the result."""
    require_single(ctx, 3, 4, 5, law=EACH_SCALE_ONE_NUMBER)
    (y,) = ctx.delegate("Gemm", ctx.inputs[:3], version=13)
    return ctx.tensor(y.dims, DTYPES.get(ctx.integer("dtype", 1), ""))


@contrib("GemmFastGelu", follows=row_wise())
def gemm_gelu(ctx: RuleContext) -> Tensor:
    """Compute `gelu([..., K] x [K, N] + bias[N]) -> [..., N]`."""
    x, w = ctx.input(0), ctx.input(1, rank=2)
    require_vector(ctx, 2, w[1], laws.BIAS_PER_LAST_AXIS_POSITION)
    return ctx.tensor(matrix_product(ctx, x, w))


# Convolutions


@contrib("FusedConv", follows=rows(0, 3))
def fused_conv(ctx: RuleContext) -> Tensor:
    """Convolve, add an optional tensor of the output's shape, then apply an activation."""
    y = conv(ctx)
    if ctx.has(3):
        ctx.require_agree(y, ctx.input(3), law=laws.ADDEND_SHAPED_AS_CONVOLUTION)
    return y


@contrib("NhwcConv", "NhwcFusedConv", follows=rows())
def nhwc_conv(ctx: RuleContext) -> Tensor:
    """Convolve `[n, *sizes, c]` with filters `[m, *kernel, c/group]`, or `[m, c/group, *kernel]` if fused."""
    turned = (0, 1) if ctx.node.op == "NhwcConv" else (0,)
    y = channels_first(ctx, "Conv", ctx.inputs[:3], turned=turned, version=11)
    if ctx.has(3):
        ctx.require_agree(y, ctx.input(3), law=laws.ADDEND_SHAPED_AS_CONVOLUTION)
    return y


@contrib("NhwcMaxPool", follows=rows())
def nhwc_max_pool(ctx: RuleContext) -> Tensor:
    """Return the maximum of each window over `[n, *sizes, c]`."""
    return channels_first(ctx, WINDOW, version=12)


INPUT_AND_MASK_ONE_RANK = laws.SM113.law("input and mask have one rank")
INPUT_AND_MASK_SAME_SPATIAL_SIZES = laws.SM116.law("input and mask have the same spatial sizes")
MASK_NOT_EMPTY = laws.SM113.law("the mask of an input with elements has some")


@contrib("MaxpoolWithMask", follows=rows())
def masked_max_pool(ctx: RuleContext) -> Tensor:
    """Return the maximum of each window over the elements that a mask of the input's rank selects."""
    x, mask = ctx.input(0), ctx.input(1)
    ctx.check(x.rank == mask.rank, INPUT_AND_MASK_ONE_RANK)
    require_same(ctx, x.dims[2:], mask.dims[2:], INPUT_AND_MASK_SAME_SPATIAL_SIZES)
    none = [equal(d, 0) for d in x.dims[:2]]
    for masked in mask.dims[:2]:
        ctx.require(any_of(*none, at_least(masked, 1)), MASK_NOT_EMPTY, masked, 1)
    return ctx.delegate(WINDOW, (x,), version=12)[0]


INPUT_2_GIVEN = laws.SM405.law("input 2 is given")
PAD_COUNT = laws.SM202.law("there are {count} pads")
PADS_NOT_NEGATIVE = laws.SM309.law("pads are not negative")


@contrib("ConvTransposeWithDynamicPads", follows=rows())
def conv_transpose_dynamic(ctx: RuleContext) -> Tensor:
    """Compute a transposed convolution whose pads are an input; if they are unknown, spatial sizes are new symbols."""
    x, w = ctx.input(0), ctx.input(1)
    given = {name: value for name, value in ctx.attributes.items() if value != () or name == "kernel_shape"}
    reads = (x, w, ctx.input(3) if ctx.has(3) else None)
    (y,) = ctx.delegate("ConvTranspose", reads, version=1, attributes=given)
    if not ctx.has(2):
        ctx.reject(INPUT_2_GIVEN)
    rank = x.rank - 2
    ctx.require_equal(ctx.input(2).numel, 2 * rank, PAD_COUNT.of(count=2 * rank))
    pads = ctx.items(2)
    require_least(ctx, pads, 0, PADS_NOT_NEGATIVE)
    sizes = []
    for i, full in enumerate(y.dims[2:]):
        ends = [pads[i], pads[i + rank]] if pads and len(pads) == 2 * rank else []
        sizes.append(_cropped(ctx, i, full, ends))
    return ctx.tensor((*y.dims[:2], *sizes))


def _cropped(ctx: RuleContext, i: int, full: Dim, ends: Sequence[Dim | None]) -> Dim:
    """Return spatial size `i`: `full` without the pads at both ends, or a new symbol; require that it isn't 0."""
    known = [d for d in ends if d is not None]
    size = full - total(known) if len(known) == 2 else ctx.fresh(f"size{i}", 1)
    ctx.require_at_least(size, 1, laws.OUTPUT_NOT_EMPTY)
    return size


# Activations


@contrib("Gelu", "QuickGelu", "SampleOp", any_rank=True, total=True, follows=each)
def activation(ctx: RuleContext) -> Tensor:
    """Apply an elementwise function; the shape is unchanged."""
    return ctx.tensor(ctx.input(0).shape)


SCALE_ONE_NUMBER = laws.SM109.law("the scale is one number")


@contrib("ScaledSiLU", follows=each)
def scaled_activation(ctx: RuleContext) -> Tensor:
    """Apply an activation with a single scale; the shape is unchanged."""
    require_single(ctx, 1, law=SCALE_ONE_NUMBER)
    return ctx.tensor(ctx.input(0).dims)


@contrib("BiasGelu", "FastGelu", follows=each)
def biased_activation(ctx: RuleContext) -> Tensor:
    """Add a bias with one element per position of the last axis, then activate; the shape is unchanged."""
    x = ctx.input(0)
    if ctx.has(1):
        ctx.require_rank(x, 1, least=True)
        require_vector(ctx, 1, x[-1], laws.BIAS_PER_LAST_AXIS_POSITION)
    return ctx.tensor(x.dims)


LAST_AXIS_SPLITS_INTO_HALVES = laws.SM110.law("the last axis splits into halves")


@contrib("BiasSplitGelu", follows=row_wise())
def bias_split_gelu(ctx: RuleContext) -> Tensor:
    """Add a bias and gate one half of the last axis by the other: `[N, S, D] -> [N, S, D/2]`."""
    x = ctx.input(0, rank=3)
    require_vector(ctx, 1, x[2], laws.BIAS_PER_LAST_AXIS_POSITION)
    ctx.require(divides(2, x[2]), LAST_AXIS_SPLITS_INTO_HALVES, x[2], 2)
    return ctx.tensor((x[0], x[1], x[2] // 2))


@contrib("BiasAdd", follows=each)
def bias_add(ctx: RuleContext) -> Tensor:
    """Compute `X[N, S, C] + bias[C] + skip[N, S, C]`."""
    x = ctx.input(0, rank=3)
    require_vector(ctx, 1, x[2], laws.BIAS_PER_LAST_AXIS_POSITION)
    ctx.require_agree(x, ctx.input(2), law=laws.INPUT_AND_SKIP_SAME_SHAPE)
    return ctx.tensor(x.dims)


BIAS_BROADCASTS_TO_INPUT = laws.SM101.law("the bias broadcasts to the input")


@contrib("BiasSoftmax", follows=rows())
def bias_softmax(ctx: RuleContext) -> Tensor:
    """Add a bias that broadcasts to the input, then apply softmax; the shape is unchanged."""
    x, bias = ctx.input(0), ctx.input(1)
    ctx.axis(x.rank, 1)
    require_broadcast_to(ctx, bias, x.dims, BIAS_BROADCASTS_TO_INPUT)
    return ctx.tensor(x.dims)


BIAS_SHAPED_AS_INPUT_OR_LAST_AXIS = laws.SM107.law("the bias has the input's shape, or that of its last axis")
INPUT_AND_RESIDUAL_SAME_SHAPE = laws.SM107.law("input and residual have the same shape")
RATIO_AND_MODE_ONE_NUMBER_EACH = laws.SM401.law("ratio and mode are one number each")


@contrib("BiasDropout", "BitmaskBiasDropout", "BitmaskDropout", traits=Traits.STATEFUL)
def dropout(ctx: RuleContext) -> list[Tensor]:
    """Drop elements; the shape is unchanged. A bitmask has one bit per element, in words of 32."""
    x, biased = ctx.input(0), ctx.node.op != "BitmaskDropout"
    if biased:
        bias = ctx.input(1)
        if bias.rank == x.rank and x.rank != 1:
            ctx.require_agree(x, bias, law=BIAS_SHAPED_AS_INPUT_OR_LAST_AXIS)
        else:
            ctx.require_rank(x, 1, least=True)
            require_vector(ctx, 1, x[-1], laws.BIAS_PER_LAST_AXIS_POSITION)
        if ctx.has(2):
            ctx.require_agree(x, ctx.input(2), law=INPUT_AND_RESIDUAL_SAME_SHAPE)
    for index in (3, 4) if biased else (1, 2):
        require_single(ctx, index, law=RATIO_AND_MODE_ONE_NUMBER_EACH)
    words = ctx.node.op.startswith("Bitmask")
    mask = ctx.tensor((ceil_divide(x.numel, 32),), "uint32") if words else ctx.tensor(x.dims, "bool")
    return [ctx.tensor(x.dims), mask]


TERMS_SAME_SHAPE = laws.SM107.law("both terms have the same shape")
GATE_PER_ROW = laws.SM116.law("there is one gate per row")


@contrib("GatedAdd", follows=rows())
def gated_add(ctx: RuleContext) -> Tensor:
    """Compute `X[..., C] + Y[..., C] * gate[..., 1]`."""
    x, gate = ctx.input(0, least=1), ctx.input(2)
    ctx.require_agree(x, ctx.input(1), law=TERMS_SAME_SHAPE)
    ctx.require_at_least(x[-1], 1, laws.ROW_HAS_ELEMENT)
    ctx.require_agree(x.replace(-1, 1), gate, law=GATE_PER_ROW)
    return ctx.tensor(x.dims)
