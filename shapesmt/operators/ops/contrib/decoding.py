"""Continuous decoding: packed batches, paged caches, states of linear attention, convolutions with a state."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.attention import hidden_sizes, require_attention_bias
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.contrib.grouped import cache_length, grouped_heads, grouped_size, require_tables
from shapesmt.operators.ops.math.attention import require_gate
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.heads import Heads, head_count, head_size, per_head
from shapesmt.operators.ops.shared.require import (
    open_beside_cpu,
    require_least,
    require_shape,
    require_single,
    require_vector,
)
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import Dim, as_dim, divides, maximum

KEYS_AND_VALUES_TOKENS_HIDDEN = laws.SM115.law("keys and values are [tokens, Nk * H]")
CACHES_BLOCKS_SHAPE = laws.SM114.law("the caches are [blocks, block, Nk, H]")
CUMULATIVE_LENGTH_PER_SAMPLE = laws.SM116.law("there is a cumulative length per sample, and a first")
PAST_LENGTH_PER_SAMPLE = laws.SM114.law("there is a past length per sample")
SLOT_PER_TOKEN = laws.SM116.law("there is a slot per token")


@contrib("PagedAttention", "SparsePagedAttention")
def paged(ctx: RuleContext) -> list[Tensor]:
    """Attend from queries `[tokens, N * H]` to paged caches `[blocks, block, Nk, H]`; all shapes are unchanged."""
    query, cache = ctx.input(0, rank=2), ctx.input(3, rank=4)
    plain, latent = ctx.node.op == "PagedAttention", ctx.text("kv_cache_layout", "SEPARATE") == "LATENT"
    (count, shared), table = grouped_heads(ctx), ctx.input(7, rank=2)
    size = head_size(ctx, query[1]) if latent else grouped_size(ctx)
    width = cache[3] if cache.dtype == "uint8" else size
    require_shape(ctx, (1, 2), (query[0], shared * size), KEYS_AND_VALUES_TOKENS_HIDDEN)
    require_shape(ctx, (3, 4), (*cache.dims[:2], shared, width), CACHES_BLOCKS_SHAPE)
    require_vector(ctx, 5, table[0] + 1, CUMULATIVE_LENGTH_PER_SAMPLE)
    require_vector(ctx, 6, table[0], PAST_LENGTH_PER_SAMPLE)
    require_vector(ctx, 10 if plain else 8, query[0], SLOT_PER_TOKEN)
    require_tables(ctx, (8, 9) if plain else (14, 15), size, None)
    require_vector(ctx, 11 if plain else 16, count, laws.SINK_PER_HEAD)
    require_vector(ctx, (12, 13) if plain else (17, 18), size, laws.NORM_SCALE_PER_HEAD_ELEMENT)
    hidden = count * ((ctx.integer("v_head_size", 0) if latent else 0) or size)
    return [ctx.tensor((query[0], hidden)), cache, ctx.input(4) if ctx.has(4) else cache]


CHOSEN_PLACES_PER_TOKEN = laws.SM116.law("each token has its chosen places")
CHOSEN_PLACE_COUNT_PER_TOKEN = laws.SM116.law("each token has a number of chosen places")


@contrib("DynamicSparseAttention")
def dynamic_sparse(ctx: RuleContext) -> list[Tensor]:
    """Attend from queries `[B, S, N * H]` to chosen positions; caches `[B, Nk, P, H]` grow to a requested length."""
    query, chosen = ctx.input(0, rank=3), ctx.input(7, rank=2)
    (count, shared), size, tokens = grouped_heads(ctx), grouped_size(ctx), query[0] * query[1]
    require_shape(ctx, (1, 2), (query[0], query[1], shared * size), laws.KEYS_AND_VALUES_BATCH_LENGTH_HIDDEN)
    length = cache_length(ctx, query[0], shared, size)
    ctx.require_equal(chosen[0], tokens, CHOSEN_PLACES_PER_TOKEN)
    require_vector(ctx, 8, tokens, CHOSEN_PLACE_COUNT_PER_TOKEN)
    require_vector(ctx, 9, query[0], laws.LENGTH_PER_SAMPLE)
    require_single(ctx, 10, law=laws.TOTAL_LENGTH_ONE_NUMBER)
    known = (ctx.items(10) or [None])[0]
    require_tables(ctx, (11, 12), size, known)
    total = ctx.fresh("total") if known is None else known
    present = maximum(total, length) if ctx.has(3) else total
    cache = ctx.tensor((query[0], shared, present, size))
    return [ctx.tensor((query[0], query[1], count * size)), cache, cache]


HEAD_COUNTS_DIVIDE = laws.SM112.law("one number of heads divides the other")
QUERIES_KEYS_VALUES_ONE_BATCH_AND_LENGTH = laws.SM116.law("queries, keys and values have one batch and length")
KEY_HEADS_SIZED_AS_QUERY_HEADS = laws.SM112.law("keys have heads of the queries' size")
KEY_HEADS_DIVIDE_SHARED_HEADS = laws.SM112.law("the heads of keys divide 'kv_num_heads'")
STATE_BATCH_HEADS_KEY_VALUE = laws.SM115.law("the state is [B, M, K, V]")


@contrib("LinearAttention", follows=rows(0, 1, 2, 3, 4, 5))
def linear_attention(ctx: RuleContext) -> list[Tensor]:
    """Update a state `[B, M, K, V]` by queries `[B, T, N * K]`, keys `[B, T, M * K]` and values `[B, T, M * V]`."""
    query, key, value = (ctx.input(i, rank=3) for i in range(3))
    count, shared = head_count(ctx, "q_num_heads"), head_count(ctx, "kv_num_heads")
    size, width = per_head(ctx, query[2], count), per_head(ctx, value[2], shared)
    ctx.check(count % shared == 0 or shared % count == 0, HEAD_COUNTS_DIVIDE)
    for x, axis in product((key, value), (0, 1)):
        ctx.require_equal(x[axis], query[axis], QUERIES_KEYS_VALUES_ONE_BATCH_AND_LENGTH)
    require_least(ctx, (query[2], key[2], value[2]), 1, laws.HEADS_HAVE_FEATURES)
    ctx.require(divides(size, key[2]), KEY_HEADS_SIZED_AS_QUERY_HEADS, key[2], size)
    ctx.require(divides(key[2] // size, shared), KEY_HEADS_DIVIDE_SHARED_HEADS, key[2] // size, shared)
    state = in_window(ctx, (query[0], shared, size, width))
    require_shape(ctx, 3, state, STATE_BATCH_HEADS_KEY_VALUE)
    require_gates(ctx, Heads(query[0], as_dim(shared), query[1], size))
    dtype = ctx.input(3).dtype if ctx.has(3) else query.dtype
    return [ctx.tensor((*query.dims[:2], max(count, shared) * width)), ctx.tensor(state, dtype)]


GATES_PER_HEAD_OR_KEY_FEATURE = laws.SM115.law("the gates are one per head, or per feature of the keys")


def require_gates(ctx: RuleContext, gated: Heads) -> None:
    """Require decay and rate gates of the right shapes, and those that `update_rule` needs.

    `gated` has the number, length and size of the heads to which the gates apply.
    """
    for index, kind, each in ((4, "gated", gated.number * gated.size), (5, "delta", as_dim(1))):
        needed = kind in ctx.text("update_rule", "gated_delta")
        ctx.limit(ctx.has(index) or not needed, laws.INPUT_GIVEN.of(index=index))
        require_gate(ctx, index, gated, each, GATES_PER_HEAD_OR_KEY_FEATURE)


NO_STATE_WINDOW = laws.SM405.law("attribute 'state_window' is 0")


def in_window(ctx: RuleContext, state: Sequence[Dim | int]) -> Sequence[Dim | int]:
    """Return the shape `state`, or `[state_window, *state]` if that attribute is set."""
    window = ctx.integer("state_window", 0)
    open_beside_cpu(ctx, NO_STATE_WINDOW, used=window > 0)
    return (window, *state) if window > 0 else state


A_HEAD = laws.SM112.law("there is a head")
BIAS_AND_SCALE_PER_HEAD = laws.SM108.law("bias and scale have one element per head")
PROJECTIONS_SAME_SHAPE = laws.SM107.law("both projections have the same shape")


@contrib("LinearAttentionGate")
def linear_gate(ctx: RuleContext) -> list[Tensor]:
    """Apply a gate to `[..., H]` with one bias and one scale per head; the shape is unchanged."""
    x = ctx.input(0, least=1)
    ctx.require_at_least(x[-1], 1, A_HEAD)
    for index in filter(ctx.has, (1, 2)):
        ctx.require_equal(ctx.input(index).numel, x[-1], BIAS_AND_SCALE_PER_HEAD)
    if ctx.outputs > 1:
        require_shape(ctx, 3, x.dims, PROJECTIONS_SAME_SHAPE)
    return [ctx.tensor(x.dims)] * 2


ONE_TO_THREE_SPATIAL_AXES = laws.SM303.law("there are 1, 2 or 3 spatial axes, not {count}")
INPUT_AND_WEIGHTS_ONE_RANK = laws.SM303.law("input and weights have one rank")
FILTER_PER_CHANNEL = laws.SM106.law("there is a filter per channel")
FILTER_OF_ONE_CHANNEL = laws.SM106.law("a filter is of one channel")
STATE_IS_FILTER_PAST = laws.SM201.law("the state is what the filter looks back at")


@contrib("CausalConvWithState", follows=rows(0, 3))
def causal_conv(ctx: RuleContext) -> list[Tensor]:
    """Convolve `[B, C, ..., L]` with one filter per channel; the shape is unchanged.

    The state has the elements before the first, as many as the filter reaches back.
    """
    x, w, last = ctx.input(0), ctx.input(1), ctx.flag("channels_last")
    ctx.check(ctx.integer("ndim", 1) in (1, 2, 3), ONE_TO_THREE_SPATIAL_AXES.of(count=ctx.integer("ndim", 1)))
    ctx.require_rank(x, 2 + ctx.integer("ndim", 1))
    ctx.check(w.rank == x.rank, INPUT_AND_WEIGHTS_ONE_RANK)
    channels = x[-1] if last else x[1]
    ctx.require_equal(w[0], channels, FILTER_PER_CHANNEL)
    ctx.require_equal(w[1], 1, FILTER_OF_ONE_CHANNEL)
    require_vector(ctx, 2, channels, laws.BIAS_PER_CHANNEL)
    ctx.require_at_least(w[-1], 1, laws.KERNEL_NOT_EMPTY)
    remembered = (w[-1] - 1) * ctx.integer("dilation", 1)
    kept = (x[0], remembered, *x.dims[2:]) if last else (x[0], channels, *x.dims[2:-1], remembered)
    state = in_window(ctx, kept)
    require_shape(ctx, 3, state, STATE_IS_FILTER_PAST)
    return [ctx.tensor(x.dims), ctx.tensor(state)]


COUNT_PER_SAMPLE = laws.SM116.law("there is a count per sample")


@contrib("VarlenCausalConvWithState")
def packed_causal_conv(ctx: RuleContext) -> list[Tensor]:
    """Convolve packed `[tokens, C]` with one filter per channel; the state is `[B, C, dilation * (k - 1)]`."""
    x, w, ends = ctx.input(0, rank=2), ctx.input(1, rank=3), ctx.input(2, rank=1)
    require_shape(ctx, 1, (x[1], 1, w[2]), FILTER_PER_CHANNEL)
    require_vector(ctx, 3, x[1], laws.BIAS_PER_CHANNEL)
    batch = ends[0] - 1
    state = (batch, x[1], (w[2] - 1) * ctx.integer("dilation", 1))
    require_shape(ctx, 4, state, STATE_IS_FILTER_PAST)
    require_vector(ctx, 5, batch, COUNT_PER_SAMPLE)
    return [ctx.tensor(d) for d in (x.dims, state, (batch, ctx.integer("state_update_capacity", 0), x[1]))]


N_GRAMS_AT_LEAST_TWO = laws.SM502.law("n-grams have at least two elements, not {longest}")
MULTIPLIER_PER_N_GRAM_PLACE = laws.SM116.law("there is a multiplier per place of an n-gram")
VOCABULARY_PER_HASH = laws.SM116.law("there is a vocabulary per hash")
TOKEN_PER_SAMPLE = laws.SM204.law("every sample has a token")
PAST_SHORTER_THAN_N_GRAM = laws.SM114.law("the past is one element shorter than an n-gram")
OFFSET_PER_HASH = laws.SM116.law("there is an offset per hash")
SEQUENCE_END_ONE_NUMBER = laws.SM401.law("the end of a sequence is one number")
IDS_AND_SEGMENTS_SAME_SHAPE = laws.SM107.law("ids and segments have the same shape")
VOCABULARIES_NOT_EMPTY = laws.SM204.law("no vocabulary is empty")
OFFSETS_NOT_NEGATIVE = laws.SM309.law("offsets are not negative")


@contrib("NGramHashMapping", "VarlenNGramHashMapping")
def ngram_hash(ctx: RuleContext) -> list[Tensor]:
    """Hash n-grams of `[B, S]`, or packed `[tokens]`: a new last axis has a hash per head and n-gram length."""
    packed, longest = ctx.node.op == "VarlenNGramHashMapping", ctx.integer("max_ngram_size")
    ids = ctx.input(0, rank=1 if packed else 2)
    past, batch = (4, ctx.input(3).numel - 1) if packed else (3, ids[0])
    ctx.check(longest >= 2, N_GRAMS_AT_LEAST_TWO.of(longest=longest))
    hashes = (longest - 1) * ctx.integer("n_head_per_ngram")
    ctx.require_at_least(ctx.input(1, rank=1)[0], longest, MULTIPLIER_PER_N_GRAM_PLACE)
    require_vector(ctx, 2, hashes, VOCABULARY_PER_HASH)
    ctx.require_at_least(ids[0], batch, TOKEN_PER_SAMPLE)
    require_shape(ctx, past, (batch, longest - 1), PAST_SHORTER_THAN_N_GRAM)
    require_vector(ctx, past + 1, hashes, OFFSET_PER_HASH)
    require_single(ctx, past + 2, law=SEQUENCE_END_ONE_NUMBER)
    require_shape(ctx, past + 3, ids.dims, IDS_AND_SEGMENTS_SAME_SHAPE)
    require_least(ctx, ctx.items(2), 1, VOCABULARIES_NOT_EMPTY)
    if packed:
        _require_requests(ctx, ids[0])
    else:
        require_least(ctx, ctx.items(4), 0, OFFSETS_NOT_NEGATIVE)
    state = ctx.tensor((batch, longest - 1))
    update = ctx.tensor((batch, ctx.integer("state_update_capacity", 0), longest - 1))
    return [ctx.tensor((*ids.dims, hashes)), state, ctx.tensor(state.dims, "int32"), update]


COUNTS_WITH_CAPTURED_STATES = laws.SM405.law("counts of captured states come with room for these")
CUMULATIVE_LENGTHS_GROW_TO_TOKENS = laws.SM301.law("cumulative lengths begin at 0, grow, and end with the tokens")


def _require_requests(ctx: RuleContext, tokens: Dim) -> None:
    """Require that cumulative lengths grow from 0 to `tokens`, and that captured states come with counts."""
    ctx.require_rank(ctx.input(3), 1)
    captured = ctx.integer("state_update_capacity", 0) > 0
    ctx.limit(ctx.has(9) == captured, COUNTS_WITH_CAPTURED_STATES)
    ends, law = ctx.items(3) or (), CUMULATIVE_LENGTHS_GROW_TO_TOKENS
    for place, (before, end) in enumerate(zip((None, *ends), ends, strict=False)):
        if end is not None and place == 0:
            ctx.require_equal(end, 0, law)
        elif end is not None and before is not None:
            ctx.require_at_least(end, before + 1, law)
    if ends and ends[-1] is not None:
        ctx.require_equal(ends[-1], tokens, law)


# Packed batches


@contrib("PackedAttention")
def packed_attention(ctx: RuleContext) -> Tensor:
    """Attend in packed sequences: `[tokens, D] -> [tokens, values' hidden size]`."""
    x, weights, offsets, count = ctx.input(0, rank=2), ctx.input(1, rank=2), ctx.input(3), ctx.integer("num_heads")
    ctx.require_equal(weights[0], x[1], laws.WEIGHTS_AS_HIGH_AS_INPUT)
    require_vector(ctx, 2, weights[1], laws.BIAS_AS_LONG_AS_WEIGHTS)
    _, values = hidden_sizes(ctx, weights[1])
    ctx.require_rank(offsets, 2)
    require_vector(ctx, 4, offsets[0] + 1, CUMULATIVE_LENGTH_PER_SAMPLE)
    require_attention_bias(ctx, 5, (offsets[0], count, offsets[1], offsets[1]))
    return ctx.tensor((x[0], values))


KEYS_LIKE_QUERIES = laws.SM115.law("keys are like queries")
VALUES_AS_MANY_AS_QUERIES = laws.SM115.law("values are as many as queries")
PACKED_QUERIES_TOKENS = laws.SM115.law("queries are [tokens, N, 3, H]")


@contrib("PackedMultiHeadAttention")
def packed_multi_head(ctx: RuleContext) -> Tensor:
    """Attend from queries `[tokens, D]`, or with keys and values packed `[tokens, N, 3, H]`: `[tokens, Dv]`."""
    query, offsets, count = ctx.input(0, rank=2 if ctx.has(1) else 4), ctx.input(4, rank=2), ctx.integer("num_heads")
    ctx.check(ctx.has(1) == ctx.has(2), laws.KEYS_AND_VALUES_TOGETHER)
    if ctx.has(1):
        hidden, values = query[1], ctx.input(2, rank=2)[1]
        head_size(ctx, hidden)
        require_shape(ctx, 1, query.dims, KEYS_LIKE_QUERIES)
        require_shape(ctx, 2, (query[0], values), VALUES_AS_MANY_AS_QUERIES)
    else:
        require_shape(ctx, 0, (query[0], count, 3, query[3]), PACKED_QUERIES_TOKENS)
        hidden = values = query[3] * count
    head_size(ctx, values)
    require_vector(ctx, 3, 2 * hidden + values, laws.BIAS_AS_LONG_AS_QUERIES_KEYS_VALUES)
    require_vector(ctx, 5, offsets[0] + 1, CUMULATIVE_LENGTH_PER_SAMPLE)
    require_attention_bias(ctx, 6, (offsets[0], count, offsets[1], offsets[1]))
    return ctx.tensor((query[0], values))


QUERY_AND_KEY_HEADS_ONE_SIZE = laws.SM112.law("queries and keys have heads of one size")
STATE_BATCH_HEADS_VALUE_KEY = laws.SM115.law("the state is [B, M, V, K]")
UPDATE_RATE_PER_TOKEN_AND_HEAD = laws.SM115.law("there is an update rate per token and head")


@contrib("GatedDeltaNet")
def gated_delta(ctx: RuleContext) -> list[Tensor]:
    """Update states `[B, M, V, K]` by queries `[tokens, N, K]`, keys `[tokens, Nk, K]` and values `[tokens, M, V]`.

    Undecided: the kernel has laws of gates, heads and activations that aren't followed.
    """
    ctx.leave("elements", "the gates, heads and activations fit, which isn't followed")
    if not ctx.has(1):
        return _joint_delta(ctx)
    query, key, value = (ctx.input(i, rank=3) for i in range(3))
    for x in (key, value):
        ctx.require_equal(x[0], query[0], laws.QUERIES_KEYS_VALUES_AS_MANY)
    ctx.require_equal(query[2], key[2], QUERY_AND_KEY_HEADS_ONE_SIZE)
    states = ctx.input(6, rank=4)[0] if ctx.has(6) else None
    batch = ctx.input(3).numel - 1 if ctx.has(3) else ctx.fresh("batch", 1) if states is None else states
    shape = (batch, value[1], value[2], query[2])
    require_shape(ctx, 6, shape, STATE_BATCH_HEADS_VALUE_KEY)
    require_shape(ctx, 5, value.dims[:2], UPDATE_RATE_PER_TOKEN_AND_HEAD)
    update = ctx.integer("state_update_capacity", 0) * (value[1] + key[1] * query[2] + value[1] * value[2])
    kept = [ctx.tensor(s, "float32") for s in (shape, (batch, update))]
    return [ctx.tensor((query[0], maximum(query[1], value[1]), value[2])), *kept]


def _joint_delta(ctx: RuleContext) -> list[Tensor]:
    """Return `gated_delta`'s outputs for queries, keys and values in one tensor; the state's shape splits them."""
    query, state = ctx.input(0, least=1), ctx.input(6, rank=4)
    output = ctx.tensor((query[0], maximum(state[1], ctx.fresh("heads", 1)), state[2]))
    return [output, ctx.tensor(state.dims, "float32"), ctx.tensor(None, "float32")]


# Selection


NORM_SCALES_PER_HEAD_ELEMENT = laws.SM108.law("both norms' scales are as long as a head")
KEY_PER_TOKEN = laws.SM116.law("there is a key per token")


@contrib("SparseAttentionIndexer", "PackedSparseAttentionIndexer")
def indexer(ctx: RuleContext) -> list[Tensor]:
    """Select positions to attend to, per token of `[B, S, N * H]` or packed `[tokens, N * H]`, and update caches."""
    query, size, packed = ctx.input(0), ctx.input(2).numel, ctx.node.op.startswith("Packed")
    ctx.require_rank(query, 2 if packed else 3)
    ratio, tokens = ctx.integer("compress_ratio"), ctx.text("policy_mode") == "qsa"
    _require_policy(ctx, tokens=tokens, packed=packed)
    per_head(ctx, query[-1], size)
    require_vector(ctx, 3, size, NORM_SCALES_PER_HEAD_ELEMENT)
    require_shape(ctx, 1, (*query.dims[:-1], size if tokens else 2 * size), KEY_PER_TOKEN)
    ctx.require_agree(ctx.input(4), ctx.input(5), law=laws.COSINES_AND_SINES_SAME_SHAPE)
    capacity = ctx.integer("token_budget", 0) + ratio - 1 if tokens else ctx.integer("index_topk", 0)
    chosen = ctx.tensor((*query.dims[:-1], capacity), "int32")
    if not packed:
        return [chosen, *_grown_states(ctx, query, size, tokens=tokens)]
    kept = [ctx.input(12, rank=3), *(ctx.input(i) if ctx.has(i) else ctx.tensor(None) for i in (13, 14, 15))]
    update = (kept[0].dims[0], ctx.integer("state_update_capacity", 0), size)
    return [chosen, ctx.tensor((query[0],), "int32"), *kept, ctx.tensor(update)]


PARTS_OF_POLICY = laws.SM405.law("inputs, outputs and attributes are those of policy '{mode}'")
POLICY_SELECTS_WHOLE_BLOCKS = laws.SM112.law(
    "the policy selects places in whole blocks, at least one and fewer than 2**31"
)


def _require_policy(ctx: RuleContext, *, tokens: bool, packed: bool) -> None:
    """Require the inputs and attributes of the node's policy, none of the other's, and that it selects something.

    `tokens` says whether it selects tokens or blocks, `packed` whether sequences are packed.
    """
    of_blocks = {8, 9, 10, 11, 14 if packed else 13}
    foreign = of_blocks if tokens else {16, 17} if packed else {6}
    needed, attributes = (set(), {"index_topk", "head_weight_scale"}) if tokens else (of_blocks, {"token_budget"})
    fits = not any(map(ctx.has, foreign)) and all(map(ctx.has, needed)) and attributes.isdisjoint(ctx.attributes)
    place = 4 if packed else 2
    fits &= any(ctx.node.outputs[place : place + 1]) != tokens
    ctx.limit(fits, PARTS_OF_POLICY.of(mode=ctx.text("policy_mode")))
    budget, ratio = ctx.integer("token_budget", 0), ctx.integer("compress_ratio")
    most = budget + ratio - 1 if tokens else ctx.integer("index_topk", 0)
    whole = not tokens or (0 < ratio <= budget and budget % ratio == 0)
    ctx.limit(whole and 0 < most < 2**31, POLICY_SELECTS_WHOLE_BLOCKS)


PAST_BATCH_LENGTH_SIZE = laws.SM114.law("the past is [B, P, H]")


def _grown_states(ctx: RuleContext, query: Tensor, size: Dim, *, tokens: bool) -> list[Tensor]:
    """Return the cache of keys `[B, length, size]` and the tokens that wait to be compressed.

    Without input 12, the cache grows: with `tokens` by each new token, otherwise by compressed blocks.
    """
    past = ctx.input(7, rank=3)
    require_shape(ctx, 7, (query[0], past[1], size), PAST_BATCH_LENGTH_SIZE)
    length = past[1] if ctx.has(12) else past[1] + (query[1] if tokens else ctx.fresh("compressed", 0, query[1]))
    return [ctx.tensor((query[0], length, size)), ctx.tensor((2, query[0], ctx.fresh("waiting"), 2 * size))]
