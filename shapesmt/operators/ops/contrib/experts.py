"""Mixtures of experts: a router's probabilities, and each expert's two or three layers."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.contrib.packed import weights_per_byte
from shapesmt.operators.ops.shared.require import open_beside_cpu, require_least, require_shape
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import (
    FALSE,
    ONE,
    Dim,
    Formula,
    all_of,
    ceil_divide,
    differs,
    divides,
    equal,
    product,
    select,
)

INPUT_TOKENS_OR_BATCHED = laws.SM303.law(
    "the input is [tokens, hidden] or [batch, sequence, hidden], not of rank {rank}"
)
EXPERT_PROBABILITIES_PER_TOKEN = laws.SM116.law("each token has a probability for each expert")
BIAS_PER_EXPERT_AND_OUTPUT = laws.SM108.law("there is a bias for each expert and output")
WEIGHTS_PREPACKED_OR_NOT = laws.SM502.law("'weights_prepacked' is -1, 0 or 1")


@contrib("MoE", "QMoE")
def mixture(ctx: RuleContext) -> Tensor:
    """Send tokens `[..., hidden]` to experts by the router's probabilities; the shape is unchanged.

    An expert's weights are `[inner, hidden]` in its first layer (twice as high for a fused SwiGLU) and `[hidden,
    inner]` in its last, or all of them transposed.
    """
    x, router, packed = ctx.input(0), ctx.input(1, rank=2), ctx.node.op == "QMoE"
    ctx.check(x.rank in (2, 3), INPUT_TOKENS_OR_BATCHED.of(rank=x.rank))
    ctx.require_equal(router[0], product(x.dims[:-1]), EXPERT_PROBABILITIES_PER_TOKEN)
    weights, biases = ((2, 5, 8), (4, 7, 10)) if packed else ((2, 4, 6), (3, 5, 7))
    per_byte = weights_per_byte(ctx, "expert_weight_bits") if packed else 1
    layers, turned = _layers(ctx, ctx.input(weights[1], rank=3), x[-1], per_byte)
    for weight, bias, (rows, columns) in zip(weights, biases, layers, strict=True):
        shape = (router[1], rows, ceil_divide(columns, per_byte))
        _require_turned(ctx, weight, shape, turned)
        require_shape(ctx, bias, shape[:2], BIAS_PER_EXPERT_AND_OUTPUT)
    ctx.limit(-1 <= ctx.integer("weights_prepacked", -1) <= 1, WEIGHTS_PREPACKED_OR_NOT)
    if packed and ctx.text("quant_type", "int") == "int":
        _require_expert_scales(ctx, router[1], *layers)
    _require_chosen(ctx, router[1])
    return ctx.tensor(x.dims)


AT_LEAST_K_EXPERTS = laws.SM116.law("there are at least k experts")
K_IS_2_WITH_SPARSE_MIXER = laws.SM502.law("attribute 'k' is 2 with 'use_sparse_mixer'")


def _require_chosen(ctx: RuleContext, experts: Dim) -> None:
    """Require at least `k` experts, the number to which each token goes; the sparse mixer needs `k` to be 2."""
    chosen, sparse = ctx.integer("k", 1), ctx.flag("use_sparse_mixer", only_one=True)
    ctx.require_at_least(experts, chosen, AT_LEAST_K_EXPERTS)
    ctx.limit(chosen == 2 or not sparse, K_IS_2_WITH_SPARSE_MIXER)


SWIGLU_INTERLEAVED = laws.SM405.law("attribute 'swiglu_fusion' is 1 where 'swiglu' is computed")
LAYERS_HAVE_FEATURES = laws.SM204.law("the layers of the experts have features")
HIDDEN_FEATURES_FILL_BYTES = laws.SM109.law("the hidden features fill the bytes that hold them")


def _layers(ctx: RuleContext, back: Tensor, hidden: Dim, per_byte: int) -> tuple[list[tuple[Dim, Dim]], Formula]:
    """Return (outputs, inputs) of each layer of an expert, and the condition for transposed weights.

    `back` are the last layer's weights `[experts, hidden, inner]`; `per_byte` is the number of weights in a byte.
    """
    turned = FALSE if ctx.node.op == "QMoE" else all_of(equal(back[2], hidden), differs(back[1], hidden))
    inner = select(turned, back[1], back[2] * per_byte)
    gated = ctx.text("activation_type", "relu") == "swiglu"
    fused = 2 if gated and ctx.integer("swiglu_fusion", 0) else 1
    open_beside_cpu(ctx, SWIGLU_INTERLEAVED, used=gated and ctx.integer("swiglu_fusion", 0) != 1)
    require_least(ctx, (hidden, inner), 1, LAYERS_HAVE_FEATURES)
    ctx.require(divides(per_byte, hidden), HIDDEN_FEATURES_FILL_BYTES, hidden, per_byte)
    return [(inner * fused, hidden), (hidden, inner), (inner, hidden)], turned


WEIGHTS_EXPERTS_OUTPUTS_INPUTS = laws.SM116.law("weights are [experts, outputs, inputs]")


def _require_turned(ctx: RuleContext, index: int, shape: tuple[Dim, Dim, Dim], turned: Formula) -> None:
    """Require that input `index` is `[experts, rows, columns]`, or `[experts, columns, rows]` if `turned` holds.

    `shape` is (experts, rows, columns).
    """
    experts, rows, columns = shape
    law = WEIGHTS_EXPERTS_OUTPUTS_INPUTS
    require_shape(ctx, index, (experts, select(turned, columns, rows), select(turned, rows, columns)), law)


SCALE_PER_EXPERT_ROW_OR_BLOCK = laws.SM109.law("there is a scale per row or block of an expert's weights")


def _require_expert_scales(ctx: RuleContext, experts: Dim, *weights: tuple[Dim, Dim]) -> None:
    """Require a scale per row of each expert's weights, or with `block_size` one per block of a row.

    `weights` has (rows, columns) of each layer.
    """
    block = ctx.integer("block_size", 0)
    for index, (rows, columns) in zip((3, 6, 9), weights, strict=True):
        rowwise = (ONE,) if ctx.has(index) and ctx.input(index).rank == 3 else ()
        blocks = (ceil_divide(columns, block),) if block > 0 else rowwise
        require_shape(ctx, index, (experts, rows, *blocks), SCALE_PER_EXPERT_ROW_OR_BLOCK)
