"""Continuous decoding: packed batches, paged caches, states of linear attention, convolutions that remember."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from shapesmt.algebra import Dim, as_dim, divides, equal, maximum
from shapesmt.ops.contrib.attention import HEADS_LAW, heads, hidden_sizes, require_attention_bias
from shapesmt.ops.contrib.common import contrib
from shapesmt.ops.contrib.grouped import cached, grouped_heads, grouped_size, require_tables
from shapesmt.ops.math.attention import Heads, require_gate
from shapesmt.rules import InferenceContext, Tensor, require_shape, require_single, require_vector


@contrib("PagedAttention", "SparsePagedAttention")
def paged(ctx: InferenceContext) -> list[Tensor]:
    """Queries `[tokens, N * H]` make their like; caches `[blocks, block, Nk, H]` keep their shape."""
    query, cache = ctx.input(0, rank=2), ctx.input(3, rank=4)
    plain, latent = ctx.node.op == "PagedAttention", ctx.text("kv_cache_layout", "SEPARATE") == "LATENT"
    (count, shared), table = grouped_heads(ctx), ctx.input(7, rank=2)
    size = query[1] // heads(ctx, query[1]) if latent else grouped_size(ctx)
    width = cache[3] if cache.dtype == "uint8" else size
    require_shape(ctx, (1, 2), (query[0], shared * size), "keys and values are [tokens, Nk * H]")
    require_shape(ctx, (3, 4), (*cache.dims[:2], shared, width), "the caches are [blocks, block, Nk, H]")
    require_vector(ctx, 5, table[0] + 1, "there is a cumulative length per sample, and a first")
    require_vector(ctx, 6, table[0], "there is a past length per sample")
    require_vector(ctx, 10 if plain else 8, query[0], "there is a slot per token")
    require_tables(ctx, (8, 9) if plain else (14, 15), size, None)
    require_vector(ctx, 11 if plain else 16, count, "there is a sink per head")
    require_vector(ctx, (12, 13) if plain else (17, 18), size, "a norm's scale is as long as a head")
    made = count * ((ctx.integer("v_head_size", 0) if latent else 0) or size)
    return [ctx.tensor((query[0], made)), cache, ctx.input(4) if ctx.has(4) else cache]


@contrib("DynamicSparseAttention")
def dynamic_sparse(ctx: InferenceContext) -> list[Tensor]:
    """Queries `[B, S, N * H]` attend to chosen places; caches `[B, Nk, P, H]` grow to the total length given."""
    query, chosen = ctx.input(0, rank=3), ctx.input(7, rank=2)
    (count, shared), size, tokens = grouped_heads(ctx), grouped_size(ctx), query[0] * query[1]
    require_shape(ctx, (1, 2), (query[0], query[1], shared * size), "keys and values are [B, S, Nk * H]")
    length = cached(ctx, query[0], shared, size)
    ctx.require_equal(chosen[0], tokens, "each token has its chosen places")
    require_vector(ctx, 8, tokens, "each token has a number of chosen places")
    require_vector(ctx, 9, query[0], "there is a length per sample")
    require_single(ctx, 10, law="the total length is one number")
    given = (ctx.items(10) or [None])[0]
    require_tables(ctx, (11, 12), size, given)
    total = ctx.fresh("total") if given is None else given
    present = maximum(total, length) if ctx.has(3) else total
    cache = ctx.tensor((query[0], shared, present, size))
    return [ctx.tensor((query[0], query[1], count * size)), cache, cache]


@contrib("LinearAttention")
def linear_attention(ctx: InferenceContext) -> list[Tensor]:
    """Queries `[B, T, N * K]`, keys `[B, T, M * K]` and values `[B, T, M * V]` update a state `[B, M, K, V]`."""
    query, key, value = (ctx.input(i, rank=3) for i in range(3))
    count, shared = heads(ctx, query[2], "q_num_heads"), heads(ctx, value[2], "kv_num_heads")
    ctx.check(count % shared == 0 or shared % count == 0, "one number of heads divides the other")
    for x, axis in product((key, value), (0, 1)):
        ctx.require_equal(x[axis], query[axis], "queries, keys and values have one batch and length")
    size, width = query[2] // count, value[2] // shared
    fits = divides(size, key[2]) if shared > 1 else equal(key[2], size)
    ctx.require(fits, "keys have heads of the queries' size", key[2], size)
    state = in_window(ctx, (query[0], shared, size, width))
    require_shape(ctx, 3, state, "the state is [B, M, K, V]")
    require_gates(ctx, Heads(query[0], as_dim(shared), query[1], size))
    dtype = ctx.input(3).dtype if ctx.has(3) else query.dtype
    return [ctx.tensor((*query.dims[:2], max(count, shared) * width)), ctx.tensor(state, dtype)]


def require_gates(ctx: InferenceContext, gated: Heads) -> None:
    """State what decay and rate are, and that those are given which the rule of the update reads."""
    for index, kind, each in ((4, "gated", gated.number * gated.size), (5, "delta", as_dim(1))):
        wanted = kind in ctx.text("update_rule", "gated_delta")
        ctx.limit(ctx.has(index) or not wanted, f"input {index} is given")
        require_gate(ctx, index, gated, each, "the gates are one per head, or per feature of the keys")


def in_window(ctx: InferenceContext, state: Sequence[Dim | int]) -> Sequence[Dim | int]:
    """A state, or with `state_window` as many of them."""
    window = ctx.integer("state_window", 0)
    return (window, *state) if window > 0 else state


@contrib("LinearAttentionGate")
def linear_gate(ctx: InferenceContext) -> list[Tensor]:
    """`[..., H]` keeps its shape, with a bias and a scale per head."""
    x = ctx.input(0)
    ctx.require_rank(x, 1, least=True)
    ctx.require_at_least(x[-1], 1, "there is a head")
    for index in filter(ctx.has, (1, 2)):
        ctx.require_equal(ctx.input(index).numel, x[-1], "bias and scale have one element per head")
    if ctx.outputs > 1:
        require_shape(ctx, 3, x.dims, "both projections have the same shape")
    return [ctx.tensor(x.dims)] * 2


@contrib("CausalConvWithState")
def causal_conv(ctx: InferenceContext) -> list[Tensor]:
    """`[B, C, ..., L]` keeps its shape; each channel's filter, and a state with what it looks back at."""
    x, w, last = ctx.input(0), ctx.input(1), ctx.integer("channels_last", 0)
    ctx.check(ctx.integer("ndim", 1) in (1, 2, 3), f"there are 1, 2 or 3 spatial axes, not {ctx.integer('ndim', 1)}")
    ctx.require_rank(x, 2 + ctx.integer("ndim", 1))
    ctx.check(w.rank == x.rank, "input and weights have one rank")
    channels = x[-1] if last else x[1]
    ctx.require_equal(w[0], channels, "there is a filter per channel")
    ctx.require_equal(w[1], 1, "a filter is of one channel")
    require_vector(ctx, 2, channels, "the bias has one element per channel")
    remembered = (w[-1] - 1) * ctx.integer("dilation", 1)
    kept = (x[0], remembered, *x.dims[2:]) if last else (x[0], channels, *x.dims[2:-1], remembered)
    state = in_window(ctx, kept)
    require_shape(ctx, 3, state, "the state is what the filter looks back at")
    return [ctx.tensor(x.dims), ctx.tensor(state)]


@contrib("VarlenCausalConvWithState")
def packed_causal_conv(ctx: InferenceContext) -> list[Tensor]:
    """`[tokens, C]` keeps its shape; a filter per channel, and a state `[B, C, what it looks back at]`."""
    x, w, ends = ctx.input(0, rank=2), ctx.input(1, rank=3), ctx.input(2, rank=1)
    require_shape(ctx, 1, (x[1], 1, w[2]), "there is a filter per channel")
    require_vector(ctx, 3, x[1], "the bias has one element per channel")
    batch = ends[0] - 1
    state = (batch, x[1], (w[2] - 1) * ctx.integer("dilation", 1))
    require_shape(ctx, 4, state, "the state is what the filter looks back at")
    require_vector(ctx, 5, batch, "there is a count per sample")
    update = (batch, ctx.integer("state_update_capacity", 0), x[1])
    return [ctx.tensor(x.dims), ctx.tensor(state), ctx.tensor(update)]


@contrib("NGramHashMapping", "VarlenNGramHashMapping")
def ngram_hash(ctx: InferenceContext) -> list[Tensor]:
    """`[B, S]` (or packed `[tokens]`) gains an axis with a hash per head and length of n-gram."""
    packed, longest = ctx.node.op == "VarlenNGramHashMapping", ctx.integer("max_ngram_size")
    ids = ctx.input(0, rank=1 if packed else 2)
    past, batch = (4, ctx.input(3).numel - 1) if packed else (3, ids[0])
    ctx.check(longest >= 2, f"n-grams have at least two elements, not {longest}")
    made = (longest - 1) * ctx.integer("n_head_per_ngram")
    ctx.require_at_least(ctx.input(1, rank=1)[0], longest, "there is a multiplier per place of an n-gram")
    require_vector(ctx, 2, made, "there is a vocabulary per hash")
    ctx.require_at_least(ids[0], batch, "every sample has a token")
    require_shape(ctx, past, (batch, longest - 1), "the past is one element shorter than an n-gram")
    require_vector(ctx, past + 1, made, "there is an offset per hash")
    require_single(ctx, past + 2, law="the end of a sequence is one number")
    require_shape(ctx, past + 3, ids.dims, "ids and segments have the same shape")
    state = ctx.tensor((batch, longest - 1))
    update = ctx.tensor((batch, ctx.integer("state_update_capacity", 0), longest - 1))
    return [ctx.tensor((*ids.dims, made)), state, ctx.tensor(state.dims, "int32"), update]


# Packed batches


@contrib("PackedAttention")
def packed_attention(ctx: InferenceContext) -> Tensor:
    """`[tokens, D] -> [tokens, hidden of values]`, the padding left out."""
    x, weights, offsets, count = ctx.input(0, rank=2), ctx.input(1, rank=2), ctx.input(3), ctx.integer("num_heads")
    ctx.require_equal(weights[0], x[1], "the weights are as high as the input is wide")
    require_vector(ctx, 2, weights[1], "the bias is as long as the weights are wide")
    _, values = hidden_sizes(ctx, weights[1])
    ctx.require_rank(offsets, 2)
    require_vector(ctx, 4, offsets[0] + 1, "there is a cumulative length per sample, and a first")
    require_attention_bias(ctx, 5, (offsets[0], count, offsets[1], offsets[1]))
    return ctx.tensor((x[0], values))


@contrib("PackedMultiHeadAttention")
def packed_multi_head(ctx: InferenceContext) -> Tensor:
    """Queries `[tokens, D]` with keys and values, or all as `[tokens, N, 3, H]`, make `[tokens, Dv]`."""
    query, offsets, count = ctx.input(0, rank=2 if ctx.has(1) else 4), ctx.input(4, rank=2), ctx.integer("num_heads")
    ctx.check(ctx.has(1) == ctx.has(2), "keys and values come together")
    if ctx.has(1):
        hidden, values = query[1], ctx.input(2, rank=2)[1]
        heads(ctx, hidden)
        require_shape(ctx, 1, query.dims, "keys are like queries")
        require_shape(ctx, 2, (query[0], values), "values are as many as queries")
    else:
        require_shape(ctx, 0, (query[0], count, 3, query[3]), "queries are [tokens, N, 3, H]")
        hidden = values = query[3] * count
    heads(ctx, values)
    require_vector(ctx, 3, 2 * hidden + values, "the bias is as long as queries, keys and values")
    require_vector(ctx, 5, offsets[0] + 1, "there is a cumulative length per sample, and a first")
    require_attention_bias(ctx, 6, (offsets[0], count, offsets[1], offsets[1]))
    return ctx.tensor((query[0], values))


@contrib("GatedDeltaNet")
def gated_delta(ctx: InferenceContext) -> list[Tensor]:
    """Queries `[tokens, N, K]`, keys `[tokens, Nk, K]` and values `[tokens, M, V]` update states `[B, M, V, K]`."""
    if not ctx.has(1):
        return _joint_delta(ctx)
    query, key, value = (ctx.input(i, rank=3) for i in range(3))
    for x in (key, value):
        ctx.require_equal(x[0], query[0], "queries, keys and values are as many")
    ctx.require_equal(query[2], key[2], "queries and keys have heads of one size")
    states = ctx.input(6, rank=4)[0] if ctx.has(6) else None
    batch = ctx.input(3).numel - 1 if ctx.has(3) else ctx.fresh("batch", 1) if states is None else states
    shape = (batch, value[1], value[2], query[2])
    require_shape(ctx, 6, shape, "the state is [B, M, V, K]")
    require_shape(ctx, 5, value.dims[:2], "there is an update rate per token and head")
    made = ctx.integer("state_update_capacity", 0) * (value[1] + key[1] * query[2] + value[1] * value[2])
    kept = [ctx.tensor(s, "float32") for s in (shape, (batch, made))]
    return [ctx.tensor((query[0], maximum(query[1], value[1]), value[2])), *kept]


def _joint_delta(ctx: InferenceContext) -> list[Tensor]:
    """The same for queries, keys and values in one tensor, which only the states tell apart."""
    query, state = ctx.input(0), ctx.input(6, rank=4)
    ctx.require_rank(query, 1, least=True)
    made = ctx.tensor((query[0], maximum(state[1], ctx.fresh("heads", 1)), state[2]))
    return [made, ctx.tensor(state.dims, "float32"), ctx.tensor(None, "float32")]


# Selection


@contrib("SparseAttentionIndexer", "PackedSparseAttentionIndexer")
def indexer(ctx: InferenceContext) -> list[Tensor]:
    """For each token of `[B, S, N * H]`, or packed `[tokens, N * H]`, the places it attends to, and updated caches."""
    query, size, packed = ctx.input(0), ctx.input(2).numel, ctx.node.op.startswith("Packed")
    ctx.require_rank(query, 2 if packed else 3)
    ratio, tokens = ctx.integer("compress_ratio"), ctx.text("policy_mode") == "qsa"
    ctx.require(divides(size, query[-1]), HEADS_LAW, query[-1], size)
    require_vector(ctx, 3, size, "both norms' scales are as long as a head")
    require_shape(ctx, 1, (*query.dims[:-1], size if tokens else 2 * size), "there is a key per token")
    ctx.require_agree(ctx.input(4), ctx.input(5), law="cosines and sines have the same shape")
    capacity = ctx.integer("token_budget", 0) + ratio - 1 if tokens else ctx.integer("index_topk", 0)
    chosen = ctx.tensor((*query.dims[:-1], capacity), "int32")
    if not packed:
        return [chosen, *_grown_states(ctx, query, size, tokens=tokens)]
    ctx.require_rank(ctx.input(12), 3)
    kept = [ctx.input(i) if ctx.has(i) else ctx.tensor(None) for i in (12, 13, 14, 15)]
    update = (kept[0].dims[0], ctx.integer("state_update_capacity", 0), size)
    return [chosen, ctx.tensor((query[0],), "int32"), *kept, ctx.tensor(update)]


def _grown_states(ctx: InferenceContext, query: Tensor, size: Dim, *, tokens: bool) -> list[Tensor]:
    """The caches of keys and of what waits to be compressed."""
    past = ctx.input(7, rank=3)
    require_shape(ctx, 7, (query[0], past[1], size), "the past is [B, P, H]")
    length = past[1] if ctx.has(12) else past[1] + (query[1] if tokens else ctx.fresh("compressed", 0, query[1]))
    return [ctx.tensor((query[0], length, size)), ctx.tensor((2, query[0], ctx.fresh("waiting"), 2 * size))]
