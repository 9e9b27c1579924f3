"""Normalizations fused with residuals, biases, embeddings or gates."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.math.reduction import without
from shapesmt.operators.ops.shared.follows import row_wise, rows
from shapesmt.operators.ops.shared.indices import require_places
from shapesmt.operators.ops.shared.require import (
    require_broadcast_to,
    require_same,
    require_shape,
    require_single,
    require_vector,
)
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import ONE, Dim, all_of, any_of, at_least, divides, equal


@contrib("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", follows=row_wise(1))
def skip_normalization(ctx: RuleContext) -> list[Tensor]:
    """Normalize `input[..., H] + skip + bias[H]`; the shape is unchanged, and the skip repeats along the batch."""
    x, skip = ctx.input(0), ctx.input(1)
    ctx.check(x.rank in (2, 3), laws.INPUT_BATCHED_OR_TOKENS.of(rank=x.rank))
    ctx.check(skip.rank in (2, x.rank), laws.SKIP_RANK_OF_INPUT_OR_SAMPLE)
    ctx.require_at_least(x[-1], 1, laws.A_HIDDEN_FEATURE)
    law = laws.SKIP_SHAPED_AS_INPUT_OR_SAMPLE
    require_same(ctx, skip.dims[-2:], x.dims[-2:], law)
    if skip.rank == 3:
        ctx.require(any_of(at_least(skip[0], 1), equal(x.numel, 0)), law, skip[0], x[0])
    parameters = (2, 3) if ctx.node.op == "SkipSimplifiedLayerNormalization" else (2, 3, 4)
    require_vector(ctx, parameters, x[-1], laws.PARAMETERS_PER_HIDDEN_FEATURE)
    statistics = ctx.tensor(without(x.dims, (x.rank - 1,), keep=True), "float32")
    return [ctx.tensor(x.dims), statistics, statistics, ctx.tensor(x.dims)]


WORDS_AND_SEGMENTS_SAME_SHAPE = laws.SM107.law("words and segments have the same shape")
TABLE_WITH_SEGMENTS = laws.SM405.law("a table comes with the segments")
MASK_SHAPED_AS_WORDS = laws.SM107.law("the mask has the shape of the words")
SEGMENT_INPUTS_TOGETHER = laws.SM405.law("segments, their table, its scale and its zero point come together")


@contrib("EmbedLayerNormalization", "QEmbedLayerNormalization", follows=rows(0, 1, 7, 8))
def embedding(ctx: RuleContext) -> list[Tensor]:
    """Add the embeddings of words, positions and segments, then normalize: `[B, S]`, tables `[*, H]` -> `[B, S, H]`."""
    ids, words, quantized = ctx.input(0, rank=2), ctx.input(2, rank=2), ctx.node.op == "QEmbedLayerNormalization"
    require_shape(ctx, 1, ids.dims, WORDS_AND_SEGMENTS_SAME_SHAPE)
    ctx.limit(ctx.has(4) or not ctx.has(1), TABLE_WITH_SEGMENTS)
    _require_tables(ctx, ids, words)
    require_vector(ctx, (5, 6), words[1], laws.PARAMETERS_PER_HIDDEN_FEATURE)
    require_shape(ctx, 7, ids.dims, MASK_SHAPED_AS_WORDS)
    _require_declared(ctx)
    if quantized:
        require_single(ctx, *range(8, 18))
        ctx.limit(len({ctx.has(i) for i in (1, 4, 10, 15)}) == 1, SEGMENT_INPUTS_TOGETHER)
    _require_positions(ctx, ids, explicit=ctx.has(8) and not quantized)
    y = ctx.tensor((*ids.dims, words[1]), ctx.input(8).dtype if quantized else words.dtype)
    return [y, ctx.tensor((ids[0],), "int32"), y]


HIDDEN_SIZE_DECLARED = laws.SM204.law("the file declares a hidden size, which is at least 1")


def _require_declared(ctx: RuleContext) -> None:
    """Limit the node to files that declare the last dimension of inputs 2 to 6 (tables, gamma, beta) as at least 1.

    ONNX Runtime reads an undeclared dimension as 0.
    """
    for width in (ctx.input(i)[-1] for i in range(2, 7) if ctx.has(i) and (i != 4 or ctx.has(1))):
        known = ctx.loading and width.constant is not None and width.constant > 0
        ctx.limit_declared(known, HIDDEN_SIZE_DECLARED)


TABLES_SAME_HIDDEN_SIZE = laws.SM116.law("the tables have the same hidden size")
WORDS_AND_SEGMENTS_IN_TABLES = laws.SM301.law("words and segments are in their tables")


def _require_tables(ctx: RuleContext, ids: Tensor, words: Tensor) -> None:
    """Require that all tables have the same width, and rows for the words `ids` and the segments."""
    for index in (i for i in (2, 3, 4) if ctx.has(i)):
        table, looked_up = ctx.input(index, rank=2), index != 4 or ctx.has(1)
        ctx.require_equal(table[1], words[1], TABLES_SAME_HIDDEN_SIZE)
        some = any_of(equal(ids.numel, 0), at_least(table[0], 1)) if looked_up else True
        ctx.limit(some, laws.SOMETHING_TO_PICK, table[0], 1)
    for listed, at in ((0, 2), (1, 4)):
        if ctx.has(at):
            require_places(ctx, listed, ctx.input(at)[0], WORDS_AND_SEGMENTS_IN_TABLES)


POSITION_PER_WORD = laws.SM116.law("there is one position per word")
POSITIONS_IN_TABLE = laws.SM301.law("every position is in its table")


def _require_positions(ctx: RuleContext, ids: Tensor, *, explicit: bool) -> None:
    """Require enough rows in the position table: as many as words, or with `explicit` for the positions in input 8."""
    if explicit:
        listed, law = ctx.input(8, rank=2), POSITION_PER_WORD
        ctx.require_equal(listed[1], ids[1], law)
        ctx.require(any_of(equal(listed[0], ids[0]), equal(listed[0], 1)), law, listed[0])
        require_places(ctx, 8, ctx.input(3)[0], POSITIONS_IN_TABLE)
    else:
        rows = ctx.input(3)[0]
        ctx.require(any_of(at_least(rows, ids[1]), equal(ids[0], 0)), POSITIONS_IN_TABLE, ids[1])


@contrib("GroupNorm", "SkipGroupNorm", follows=rows(0, 3))
def group_norm(ctx: RuleContext) -> list[Tensor]:
    """Normalize `[N, H, W, C]` (`[N, C, H, W]` with `channels_last=0`) in groups; `groups` divides C.

    A skip is `[N, H, W, C]`, `[N, 1, 1, C]` or `[N, C]`.
    """
    x, groups = ctx.input(0, rank=4), ctx.integer("groups")
    ctx.check(groups > 0, laws.A_GROUP.of(groups=groups))
    channels = x[3] if ctx.flag("channels_last", 1) else x[1]
    ctx.require(divides(groups, channels), laws.GROUPS_DIVIDE_CHANNELS, channels, groups)
    require_vector(ctx, (1, 2, 4), channels, laws.PARAMETERS_PER_CHANNEL)
    if ctx.has(3):
        _require_skip(ctx, x, ctx.input(3), channels)
    return [ctx.tensor(x.dims)] * 2


SKIP_SHAPE = laws.SM107.law("the skip is [N, H, W, C], [N, 1, 1, C] or [N, C]")


def _require_skip(ctx: RuleContext, x: Tensor, skip: Tensor, channels: Dim) -> None:
    law = SKIP_SHAPE
    ctx.check(skip.rank in (2, 4), law)
    if skip.rank == 2:
        require_shape(ctx, 3, (x[0], channels), law)
        return
    one = all_of(*map(equal, skip.dims, (x[0], ONE, ONE, channels)))
    ctx.require(any_of(all_of(*map(equal, skip.dims, x.dims)), one), law, skip[1], x[1])


@contrib("QOrderedLayerNormalization")
def ordered_normalization(ctx: RuleContext) -> Tensor:
    """Normalize along `axis`; scale and bias broadcast to the input's shape."""
    x = ctx.input(0)
    ctx.axis(x.rank, -1)
    require_single(ctx, 1, 4)
    for index in (2, 3):
        if ctx.has(index):
            require_broadcast_to(ctx, ctx.input(index), x.dims, laws.SCALE_AND_BIAS_BROADCAST_TO_INPUT)
    return ctx.tensor(x.dims)


SCALE_HAS_ELEMENT = laws.SM204.law("the scale has an element")
LAST_AXIS_MULTIPLE_OF_SCALE = laws.SM106.law("the last axis is a multiple of the scale")
GATE_SHAPED_AS_INPUT = laws.SM107.law("the gate has the input's shape")


@contrib("GatedRMSNorm", follows=rows(0, 1))
def gated_norm(ctx: RuleContext) -> Tensor:
    """Normalize each C of `[..., H * C]`, and multiply by a gate of the input's shape."""
    size, x = ctx.input(1).numel, ctx.input(0, least=1)
    ctx.require_at_least(size, 1, SCALE_HAS_ELEMENT)
    ctx.require(divides(size, x[-1]), LAST_AXIS_MULTIPLE_OF_SCALE, x[-1], size)
    ctx.require_agree(x, ctx.input(2), law=GATE_SHAPED_AS_INPUT)
    return ctx.tensor(x.dims)


# Branches


BRANCH_COUNT_NOT_NEGATIVE = laws.SM309.law("the number of branches isn't negative: {count}")
BRANCHES_HAVE_FEATURES = laws.SM204.law("the branches have features")
A_BRANCH = laws.SM204.law("there is a branch")
BRANCHES_DIVIDE_LAST_AXIS = laws.SM106.law("the branches divide the last axis")


def branches(ctx: RuleContext, x: Tensor) -> tuple[tuple[Dim, ...], Dim, Dim]:
    """Return the batch axes, the number of branches C and their size H, for `[..., C, H]`.

    With `num_branches`, the input is `[..., C * H]`.
    """
    count = ctx.integer("num_branches", 0)
    ctx.require_rank(x, 1 if count else 2, least=True)
    ctx.check(count >= 0, BRANCH_COUNT_NOT_NEGATIVE.of(count=count))
    ctx.require_at_least(x[-1], 1, BRANCHES_HAVE_FEATURES)
    if not count:
        ctx.require_at_least(x[-2], 1, A_BRANCH)
        return x.dims[:-2], x[-2], x[-1]
    ctx.require(divides(count, x[-1]), BRANCHES_DIVIDE_LAST_AXIS, x[-1], count)
    return x.dims[:-1], ONE * count, x[-1] // count


@contrib("BranchwiseRMSNorm")
def branchwise_norm(ctx: RuleContext) -> Tensor:
    """Normalize each branch of `[..., C, H]`; the scale is `[C * H]`, `[C, H]` or `[H]`."""
    x = ctx.input(0)
    _, count, size = branches(ctx, x)
    if ctx.has(1):
        _require_scale(ctx, ctx.input(1), count, size)
    return ctx.tensor(x.dims)


SCALE_PER_CHANNEL_AND_HEAD_OR_HEAD = laws.SM108.law("the scale is [C * H], [C, H] or [H]")


def _require_scale(ctx: RuleContext, scale: Tensor, count: Dim | int, size: Dim) -> None:
    """Require a scale of `[C * H]`, `[C, H]` or `[H]`; C is `count` and H is `size`."""
    law = SCALE_PER_CHANNEL_AND_HEAD_OR_HEAD
    ctx.check(scale.rank in (1, 2), law)
    if scale.rank == 2:
        require_shape(ctx, 1, (count, size), law)
    else:
        ctx.require(any_of(equal(scale[0], size), equal(scale[0], count * size)), law, scale[0], size)


def _require_mix(ctx: RuleContext, index: int, batch: tuple[Dim, ...], count: Dim, size: Dim, law: laws.Law) -> None:
    """Require gates of `[*batch, C]`, `[*batch, C, 1]` or `[*batch, C, H]` in input `index`; C is `count`, H is `size`.

    With `num_branches`, input 1 may also be `[*batch, C * H]`.
    """
    mix, rank = ctx.input(index), len(batch)
    ctx.check(mix.rank in (rank + 1, rank + 2), law)
    require_same(ctx, mix.dims[:rank], batch, law)
    if mix.rank == rank + 1:
        flat = [equal(mix[-1], count * size)] if index == 1 and ctx.integer("num_branches", 0) else []
        ctx.require(any_of(equal(mix[-1], count), *flat), law, mix[-1], count)
    else:
        ctx.require_equal(mix[-2], count, law)
        ctx.require(any_of(equal(mix[-1], 1), equal(mix[-1], size)), law, mix[-1], size)


GATE_PER_BRANCH_OR_FEATURE = laws.SM108.law("there is a gate per branch, or per feature of each")


@contrib("HyperConnectionPreMix")
def pre_mix(ctx: RuleContext) -> Tensor:
    """Multiply each branch by its gate and sum the branches: `[..., C, H] -> [..., H]`."""
    batch, count, size = branches(ctx, ctx.input(0))
    _require_mix(ctx, 1, batch, count, size, GATE_PER_BRANCH_OR_FEATURE)
    return ctx.tensor((*batch, size))


BLOCK_OUTPUT_SIZED_AS_BRANCH = laws.SM108.law("the block's output has the size of a branch")
MIX_SQUARE_IN_CHANNELS = laws.SM108.law("the mix is [..., C, C]")


@contrib("HyperConnectionPostMix")
def post_mix(ctx: RuleContext) -> Tensor:
    """Mix the branches of `[..., C, H]` by `[..., C, C]`, and add a block's `[..., H]` to each."""
    x = ctx.input(0)
    batch, count, size = branches(ctx, x)
    require_shape(ctx, 1, (*batch, size), BLOCK_OUTPUT_SIZED_AS_BRANCH)
    _require_mix(ctx, 2, batch, count, size, GATE_PER_BRANCH_OR_FEATURE)
    require_shape(ctx, 3, (*batch, count, count), MIX_SQUARE_IN_CHANNELS)
    return ctx.tensor(x.dims)


KEYS_AND_QUERIES_SAME_SHAPE = laws.SM107.law("keys and queries have the same shape")
VALUE_BATCH_LENGTH_SIZE = laws.SM115.law("the value is [B, S, H]")
SCALES_PER_CHANNEL_AND_HEAD = laws.SM108.law("the scales are [C, H]")


@contrib("EngramGate")
def engram_gate(ctx: RuleContext) -> list[Tensor]:
    """Gate a value `[B, S, H]` by keys and queries `[B, S, C, H]`, for each of C connections."""
    key = ctx.input(0, rank=4)
    require_shape(ctx, 1, key.dims, KEYS_AND_QUERIES_SAME_SHAPE)
    require_shape(ctx, 2, (key[0], key[1], key[3]), VALUE_BATCH_LENGTH_SIZE)
    require_shape(ctx, (3, 4, 5), key.dims[2:], SCALES_PER_CHANNEL_AND_HEAD)
    ctx.limit(ctx.has(5) or ctx.outputs < 2, laws.INPUT_GIVEN.of(index=5))
    return [ctx.tensor(key.dims)] * 2
