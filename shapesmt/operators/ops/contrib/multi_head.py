"""Attention of `com.microsoft` whose inputs are projected before: queries, keys and values, packed or not.

In the laws B is the batch, S the new tokens, P the past ones and T all of them, N the heads and H a head's size.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.attention import buffer_length, require_attention_bias, require_mask, shares_buffer
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.heads import Heads, head_count, head_size, per_head
from shapesmt.operators.ops.shared.require import open_beside_cpu, require_shape, require_vector
from shapesmt.operators.rules import RuleContext, Tensor, Traits
from shapesmt.prover.algebra import ONE, TRUE, ZERO, Dim, any_of, as_dim, at_least, divides, equal

QUERIES_SHAPE_BY_RANK = laws.SM115.law("queries are [B, S, D] or [B, S, N, 3, H], not of rank {rank}")
ENCODER_KEYS_AND_VALUES_SAME_SHAPE = laws.SM107.law("keys and values of an encoder have one shape")


@contrib("MultiHeadAttention", traits=Traits.MIXED, follows=rows(0, 1, 2, 4, 5, 6, 7))
def multi_head(ctx: RuleContext) -> list[Tensor]:
    """Attend: queries `[B, S, D]`, keys `[B, L, D]`, values `[B, L, Dv]` -> `[B, S, Dv]`.

    Keys and values may be packed `[B, L, N, 2, H]` or be `[B, N, L, H]`; all three may be packed `[B, S, N, 3, H]`.
    """
    query, count = ctx.input(0), head_count(ctx)
    ctx.check(query.rank in (3, 5), QUERIES_SHAPE_BY_RANK.of(rank=query.rank))
    batch, new = query[0], query[1]
    length, hidden, values = _project(ctx, query, count)
    if ctx.has(2) and ctx.input(2).rank == 4:
        ctx.require_equal(values // count, hidden // count, ENCODER_KEYS_AND_VALUES_SAME_SHAPE)
    require_vector(ctx, 3, 2 * hidden + values, laws.BIAS_AS_LONG_AS_QUERIES_KEYS_VALUES)
    old, present = _past(ctx, 6, Heads(batch, as_dim(count), length, hidden // count))
    lengths = [(batch,), (3 * batch + 2,)]
    require_mask(ctx, 4, [*lengths, (batch, old + length), (batch, new, old + length)])
    require_attention_bias(ctx, 5, (batch, count, new, old + length))
    return _results(ctx, (batch, new, values), hidden, present, old + length)


QUERIES_WITH_KEYS_SHAPE = laws.SM115.law("with keys, queries are [B, S, D]")
QUERIES_WITHOUT_KEYS_HOLD_VALUES = laws.SM115.law("without keys, queries are [B, S, N, 3, H] and hold the values")
PACKED_QUERIES_BATCHED = laws.SM115.law("queries are [B, S, N, 3, H]")
KEYS_BESIDE_QUERIES = laws.SM405.law("keys and values come beside the queries")


def _project(ctx: RuleContext, query: Tensor, count: int) -> tuple[Dim, Dim, Dim]:
    """Return the keys' length and the hidden sizes of keys and values, which may be packed with the queries.

    `count` is the number of heads.
    """
    if ctx.has(1):
        ctx.check(query.rank == 3, QUERIES_WITH_KEYS_SHAPE)
        length, values = _keys_and_values(ctx, query, count)
        for rows in (query[1], length if ctx.input(1).rank == 3 else ZERO):
            _require_heads(ctx, query[2], count, query[0] * rows)
        return length, query[2], values
    ctx.check(query.rank == 5 and not ctx.has(2), QUERIES_WITHOUT_KEYS_HOLD_VALUES)
    require_shape(ctx, 0, (*query.dims[:2], count, 3, query[4]), PACKED_QUERIES_BATCHED)
    open_beside_cpu(ctx, KEYS_BESIDE_QUERIES, used=True)
    return query[1], count * query[4], count * query[4]


def _results(
    ctx: RuleContext, output: Sequence[Dim | int], hidden: Dim, present: Dim, total: Dim, scores: str | None = None
) -> list[Tensor]:
    """Return the output `[B, S, Dv]`, the present keys and values, and the scores `[B, N, S, total]`.

    `output` is (B, S, Dv), `present` is the caches' length, and `scores` is the scores' element type.
    """
    count = ctx.integer("num_heads")
    batch, new, values = output
    kept = [ctx.tensor((batch, count, present, size // count)) for size in (hidden, values)]
    return [ctx.tensor(output), *kept, ctx.tensor((batch, count, new, total), scores)]


KEYS_SHAPE_BY_RANK = laws.SM303.law("keys are [B, L, D], [B, N, L, H] or [B, L, N, 2, H], not of rank {rank}")
PACKED_KEYS_HOLD_VALUES = laws.SM115.law("packed keys hold the values")
PACKED_KEYS_AND_VALUES_SHAPE = laws.SM115.law("packed keys and values are [B, L, N, 2, H]")
VALUES_BESIDE_KEYS = laws.SM405.law("values come beside the keys")
KEYS_AND_VALUES_ONE_RANK = laws.SM303.law("keys and values have one rank")
KEYS_BATCH_HEADS_LENGTH_SIZE = laws.SM115.law("keys are [B, N, L, H]")
VALUES_BATCH_HEADS_LENGTH_SIZE = laws.SM115.law("values are [B, N, L, H]")


def _keys_and_values(ctx: RuleContext, query: Tensor, count: int) -> tuple[Dim, Dim]:
    """Return the keys' length and the values' hidden size; `count` is the number of heads."""
    key, batch, hidden = ctx.input(1), query[0], query[2]
    size = hidden // count
    ctx.check(key.rank in (3, 4, 5), KEYS_SHAPE_BY_RANK.of(rank=key.rank))
    if key.rank == 5:
        ctx.check(not ctx.has(2), PACKED_KEYS_HOLD_VALUES)
        require_shape(ctx, 1, (batch, key[1], count, 2, size), PACKED_KEYS_AND_VALUES_SHAPE)
        open_beside_cpu(ctx, VALUES_BESIDE_KEYS, used=True)
        return key[1], hidden
    value = ctx.input(2)
    ctx.check(value.rank == key.rank, KEYS_AND_VALUES_ONE_RANK)
    if key.rank == 4:
        require_shape(ctx, 1, (batch, count, key[2], size), KEYS_BATCH_HEADS_LENGTH_SIZE)
        require_shape(ctx, 2, (batch, count, key[2], value[3]), VALUES_BATCH_HEADS_LENGTH_SIZE)
        return key[2], value[3] * count
    require_shape(ctx, 1, (batch, key[1], hidden), laws.KEYS_BATCH_LENGTH_HIDDEN)
    require_shape(ctx, 2, (batch, key[1], value[2]), laws.VALUES_AS_MANY_AS_KEYS)
    if ctx.node.op != "DecoderMaskedMultiHeadAttention" or ctx.has(5):
        _require_heads(ctx, value[2], count, batch * key[1])
    return key[1], value[2]


def _require_heads(ctx: RuleContext, hidden: Dim, count: int, rows: Dim) -> None:
    """Require that `count` heads divide a hidden size and have features, unless there are no `rows` to split."""
    per_head(ctx, hidden, count, rows=rows)
    ctx.require(any_of(at_least(hidden, 1), equal(rows, 0)), laws.HEADS_HAVE_FEATURES, hidden, 1)


PAST_BATCH_HEADS_LENGTH_SIZE = laws.SM114.law("the past is [B, N, P, H]")


def _past(ctx: RuleContext, keys: int, new: Heads) -> tuple[Dim, Dim]:
    """Return the lengths of past and present; inputs `keys` and `keys + 1` are past keys and values `[B, N, P, H]`."""
    ctx.check(ctx.has(keys) == ctx.has(keys + 1), laws.PAST_KEYS_AND_VALUES_TOGETHER)
    old = new.past(ctx, keys, keys + 1, new.size, (PAST_BATCH_HEADS_LENGTH_SIZE,) * 2)
    return old, old + new.length


@contrib("DecoderMaskedMultiHeadAttention")
def decoder_masked(ctx: RuleContext) -> list[Tensor]:
    """Attend from one new token: queries and keys `[B, 1, D]`, or an encoder's keys and values `[B, N, L, H]`."""
    query, count = ctx.input(0, rank=3), head_count(ctx)
    ctx.require_equal(query[1], 1, laws.ONE_NEW_TOKEN)
    length, hidden, values = _project(ctx, query, count) if ctx.has(1) else _unpack_queries(ctx, query)
    require_vector(ctx, 10, 2 * hidden + values, laws.BIAS_AS_LONG_AS_QUERIES_KEYS_VALUES)
    old, present = _past(ctx, 5, Heads(query[0], as_dim(count), length, hidden // count))
    crossed = ctx.has(1) and ctx.input(1).rank == 4
    single = any_of(equal(length, 1), equal(query[0], 0)) if ctx.has(5) and not crossed else TRUE
    ctx.require(single, laws.ONE_NEW_TOKEN, length, 1)
    ctx.require_equal(values // count, hidden // count, ENCODER_KEYS_AND_VALUES_SAME_SHAPE)
    _require_buffer(ctx)
    shared = shares_buffer(ctx) and ctx.has(5)
    total = buffer_length(ctx, 7, 3, old, length) if shared else length if crossed else present
    require_mask(ctx, 3, [(query[0], total)])
    require_attention_bias(ctx, 4, (query[0], count, 1, total))
    return _results(ctx, (query[0], 1, values), hidden, old if shared else present, total, "float32")


PAST_WITH_SHARED_BUFFER = laws.SM405.law("a shared buffer comes with a past, and with outputs for the caches")


def _require_buffer(ctx: RuleContext) -> None:
    """Require that a past and cache outputs are given together, in one buffer; CPU kernels need separate keys."""
    ctx.limit(shares_buffer(ctx) or not (ctx.has(5) or ctx.outputs > 1), laws.SHARED_BUFFER_WITH_CACHES)
    ctx.limit(not shares_buffer(ctx) or (ctx.has(5) and ctx.outputs > 2), PAST_WITH_SHARED_BUFFER)
    ctx.limit(not shares_buffer(ctx) or ctx.has(7), laws.INPUT_GIVEN.of(index=7))
    open_beside_cpu(ctx, KEYS_BESIDE_QUERIES, used=not ctx.has(1))


PACKED_PROJECTIONS_ONE_SIZE = laws.SM115.law("packed queries, keys and values have one size")


def _unpack_queries(ctx: RuleContext, query: Tensor) -> tuple[Dim, Dim, Dim]:
    """Return what `_project` returns, for queries `[B, 1, 3 * D]` that contain keys and values."""
    ctx.require(divides(3, query[2]), PACKED_PROJECTIONS_ONE_SIZE, query[2], 3)
    head_size(ctx, query[2] // 3)
    return ONE, query[2] // 3, query[2] // 3
