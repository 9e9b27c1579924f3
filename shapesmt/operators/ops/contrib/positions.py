"""Rotary embeddings, and biases that depend on the distance of two tokens."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.heads import head_size, per_head, require_strides
from shapesmt.operators.ops.shared.indices import require_places
from shapesmt.operators.ops.shared.require import require_shape, require_single, require_vector
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import Dim, all_of, any_of, at_least, divides, equal

INPUT_HEADS_PACKED_OR_APART = laws.SM303.law("the input is [B, S, N * H] or [B, N, S, H], not of rank {rank}")
POSITIONS_3_BATCH_LENGTH = laws.SM301.law("the positions are [3, B, S]")
POSITIONS_ONE_OR_BATCH_LENGTH = laws.SM301.law("the positions are one number or [B, S]")


@contrib("RotaryEmbedding", "MRotaryEmbedding", follows=rows(0, 1))
def rotary(ctx: RuleContext) -> Tensor:
    """Rotate `[B, S, N * H]` or `[B, N, S, H]`; cosines and sines are `[positions, rotated / 2]`."""
    x, places, table = ctx.input(0), ctx.input(1), ctx.input(2, rank=2)
    ctx.check(x.rank in (3, 4), INPUT_HEADS_PACKED_OR_APART.of(rank=x.rank))
    ctx.require_agree(table, ctx.input(3), law=laws.COSINES_AND_SINES_SAME_SHAPE)
    batch, length = x[0], x[1] if x.rank == 3 else x[2]
    if ctx.node.op == "MRotaryEmbedding":
        require_shape(ctx, 1, (3, batch, length), POSITIONS_3_BATCH_LENGTH)
        _require_sections(ctx, x, table[1])
    elif places.rank == 2:
        require_shape(ctx, 1, (batch, length), POSITIONS_ONE_OR_BATCH_LENGTH)
    else:
        require_single(ctx, 1, law=POSITIONS_ONE_OR_BATCH_LENGTH)
    _require_head(ctx, x, table[1], length)
    return ctx.tensor(x.dims)


NUM_HEADS_WITH_RANK_3 = laws.SM112.law("num_heads comes with an input of rank 3")
THREE_SECTIONS = laws.SM502.law("there are three sections, none of negative size, not {sections}")
SECTIONS_ADD_UP_TO_ROTATED_HALF = laws.SM110.law("the sections add up to the rotated half")


def _require_sections(ctx: RuleContext, x: Tensor, rotated: Dim) -> None:
    """Require three sections (time, height, width) that sum to `rotated`, the rotated half of a head."""
    ctx.check(x.rank == 4 or ctx.integer("num_heads", 0) > 0, NUM_HEADS_WITH_RANK_3)
    sections = ctx.integers("mrope_section")
    ctx.check(len(sections) == 3 and min(sections) >= 0, THREE_SECTIONS.of(sections=list(sections)))
    ctx.require_equal(sum(sections), rotated, SECTIONS_ADD_UP_TO_ROTATED_HALF)


NUM_HEADS_WITH_ROTARY_EMBEDDING_DIM = laws.SM112.law("num_heads comes with rotary_embedding_dim")
TABLES_HALF_AS_WIDE_AS_ROTATED_PART_OR_HEAD = laws.SM112.law(
    "cosines and sines are half as wide as the rotated part, or as a head"
)
ROTATED_PART_EVEN = laws.SM112.law("the rotated part of a head has two halves, its size is not {size}")
TABLES_HALF_AS_WIDE_AS_HEAD = laws.SM112.law("cosines and sines are half as wide as a head")
DOUBLE_TABLE_WIDTH_DIVIDES_HIDDEN_SIZE = laws.SM112.law(
    "the head size, twice the width of the tables, divides the hidden size"
)


def _require_head(ctx: RuleContext, x: Tensor, half: Dim, length: Dim) -> None:
    """Require that tables of width `half` fit a head of `x`; `rotary_embedding_dim` limits the part that is rotated.

    `length` is the number of tokens.
    """
    count, rotated = ctx.integer("num_heads", 0), ctx.integer("rotary_embedding_dim", 0)
    ctx.check(count >= 0, laws.NUM_HEADS_NOT_NEGATIVE)
    ctx.check(rotated >= 0, laws.ROTARY_EMBEDDING_DIM_NOT_NEGATIVE.of(dim=rotated))
    ctx.check(rotated == 0 or count > 0, NUM_HEADS_WITH_ROTARY_EMBEDDING_DIM)
    require_strides(ctx, x, ctx.input(2)[0])
    _require_rows(ctx, length)
    hidden = x[2] if x.rank == 3 else x[1] * x[3]
    if rotated > 0:
        size = per_head(ctx, hidden, count)
        ctx.require_at_least(size, rotated, laws.ROTATED_PART_FITS_HEAD)
        law, sectioned = TABLES_HALF_AS_WIDE_AS_ROTATED_PART_OR_HEAD, ctx.node.op == "MRotaryEmbedding"
        halves = [equal(half, rotated // 2)] if sectioned else [equal(half, rotated // 2), equal(half, size // 2)]
        ctx.require(any_of(*halves), law, half, rotated // 2)
        if sectioned and rotated % 2:
            ctx.require_equal(x.numel, 0, ROTATED_PART_EVEN.of(size=rotated))
    elif x.rank == 4 or count > 0:
        size = x[3] if x.rank == 4 else per_head(ctx, hidden, count)
        fits = any_of(equal(half, size // 2), all_of(equal(size, 0), equal(x[0] * length, 0)))
        ctx.require(fits, TABLES_HALF_AS_WIDE_AS_HEAD, size // 2, half)
    else:
        law, size = DOUBLE_TABLE_WIDTH_DIVIDES_HIDDEN_SIZE, 2 * half
        fits = any_of(all_of(at_least(half, 1), divides(size, hidden)), all_of(equal(half, 0), equal(x.numel, 0)))
        ctx.require(fits, law, hidden, size)


def _require_rows(ctx: RuleContext, length: Dim) -> None:
    """Require a table row for each position: those that input 1 lists, or `length` rows from a first position on."""
    rows, law = ctx.input(2)[0], laws.TABLES_ROW_PER_POSITION
    if not ctx.flag("is_packed_batching", only_one=True):
        ctx.require_at_least(rows, length, law)
    require_places(ctx, 1, rows, law, length if ctx.input(1).rank < 2 else 1)


ANGLES_BATCH_LENGTH_SIZE = laws.SM115.law("the angles are [B, S, H]")
ALL_BATCH_HEADS_LENGTH_SIZE = laws.SM107.law("all are [B, N, S, H]")


@contrib("GemmaRotaryEmbedding")
def gemma_rotary(ctx: RuleContext) -> list[Tensor]:
    """Rotate queries and keys `[B, N, S, H]`, given their rotated halves and angles `[B, S, H]`."""
    query = ctx.input(1, rank=4)
    require_shape(ctx, 0, (query[0], query[2], query[3]), ANGLES_BATCH_LENGTH_SIZE)
    for index in (2, 3, 4):
        ctx.require_rank(ctx.input(index), 4)
        require_shape(ctx, index, (query[0], ctx.input(index)[1], *query.dims[2:]), ALL_BATCH_HEADS_LENGTH_SIZE)
    return [ctx.tensor(query.dims, query.dtype), ctx.tensor(ctx.input(3).dims, query.dtype)]


LENGTHS_POSITIVE = laws.SM204.law("both lengths are positive")


@contrib("RelativePositionBias", any_rank=True)
def relative_bias(ctx: RuleContext) -> Tensor:
    """Look up a bias `[1, N, queries, keys]` in a table `[buckets, N]`; inputs 1 and 2 are the two lengths."""
    table = ctx.input(0)
    if table.shape is not None:
        ctx.require_rank(table, 2)
    sizes = []
    for index, name in ((1, "queries"), (2, "keys")):
        items = ctx.items(index)
        size = items[0] if items and len(items) == 1 else None
        sizes.append(ctx.fresh(name, 1) if size is None else size)
        ctx.require_at_least(sizes[-1], 1, LENGTHS_POSITIVE)
    return ctx.tensor((1, ctx.fresh("heads") if table.shape is None else table[1], *sizes))


QUERIES_BATCHED_OR_TOKENS = laws.SM115.law("queries are [B, S, N * H], or [tokens, N * H] with offsets")
QUERY_BIAS_AS_LONG_AS_QUERIES = laws.SM108.law("the queries' bias is as long as they are wide")
BIAS_1_HEADS_LENGTHS = laws.SM108.law("the bias is [1, N, S, S]")
GATE_WEIGHTS_AS_HIGH_AS_HEAD = laws.SM102.law("the gate's weights are as high as a head is wide")
GATE_WEIGHTS_SPLIT_INTO_HALVES = laws.SM110.law("the gate's weights split into halves")
GATE_BIAS_AS_LONG_AS_WEIGHTS = laws.SM108.law("the gate's bias is as long as its weights are wide")
CONSTANT_PER_HEAD = laws.SM116.law("there is a constant per head")


@contrib("GatedRelativePositionBias", follows=rows())
def gated_bias(ctx: RuleContext) -> Tensor:
    """Apply gates from queries `[B, S, N * H]` or packed `[tokens, N * H]` to `[1, N, S, S]`: biases `[B, N, S, S]`."""
    query, bias, weight, count = ctx.input(0), ctx.input(2, rank=4), ctx.input(3, rank=2), ctx.integer("num_heads")
    ctx.check(query.rank == (2 if ctx.has(6) else 3), QUERIES_BATCHED_OR_TOKENS)
    size = head_size(ctx, query[-1])
    if ctx.has(6):
        ctx.require_rank(ctx.input(6), 2)
    require_vector(ctx, 1, query[-1], QUERY_BIAS_AS_LONG_AS_QUERIES)
    batch, length = ctx.input(6).dims[:2] if ctx.has(6) else query.dims[:2]
    require_shape(ctx, 2, (1, count, length, length), BIAS_1_HEADS_LENGTHS)
    require_shape(ctx, 3, (size, weight[1]), GATE_WEIGHTS_AS_HIGH_AS_HEAD)
    ctx.require(divides(2, weight[1]), GATE_WEIGHTS_SPLIT_INTO_HALVES, weight[1], 2)
    require_vector(ctx, 4, weight[1], GATE_BIAS_AS_LONG_AS_WEIGHTS)
    require_shape(ctx, 5, (1, count, 1, 1), CONSTANT_PER_HEAD)
    return ctx.tensor((batch, count, length, bias[3]))
