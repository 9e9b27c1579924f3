"""Attention of `com.microsoft`: with projections inside, of projected or packed inputs, and for decoding.

In the laws B is the batch, S the new tokens, P the past ones and T all of them, N the heads and H a head's size.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.shared.heads import Heads, head_count, head_size, per_head
from shapesmt.operators.ops.shared.require import (
    open_beside_cpu,
    require_narrow,
    require_one_or,
    require_shape,
    require_single,
    require_vector,
)
from shapesmt.operators.rules import RuleContext, Tensor, Traits
from shapesmt.prover.algebra import ONE, TRUE, ZERO, Dim, all_of, any_of, as_dim, at_least, divides, equal


def require_attention_bias(ctx: RuleContext, index: int, shape: Sequence[Dim | int]) -> None:
    """Require that input `index`, an optional bias added to the scores, has this shape; its first two axes may be 1."""
    if ctx.has(index):
        bias = ctx.input(index)
        ctx.require_rank(bias, 4)
        for i, (size, expected) in enumerate(zip(bias.dims, shape, strict=True)):
            fits = equal(size, expected) if i > 1 else any_of(equal(size, expected), equal(size, 1))
            ctx.require(fits, laws.ATTENTION_BIAS_SHAPE, size, expected)


def require_mask(ctx: RuleContext, index: int, shapes: Sequence[Sequence[Dim | int]]) -> None:
    """Require that input `index`, an optional mask, has one of these shapes."""
    if ctx.has(index):
        mask = ctx.input(index)
        fitting = [all_of(*map(equal, mask.dims, s)) for s in shapes if len(s) == mask.rank]
        ctx.check(bool(fitting), laws.MASK_FITS_LENGTHS)
        expected = next(s for s in shapes if len(s) == mask.rank)
        ctx.require(any_of(*fitting), laws.MASK_FITS_LENGTHS, mask[-1], expected[-1])


def shares_buffer(ctx: RuleContext) -> bool:
    """Whether past and present caches are one buffer of the maximum length."""
    return ctx.flag("past_present_share_buffer")


def seen_length(ctx: RuleContext, index: int, name: str) -> Dim:
    """Return the last size of input `index`, a mask or bias; without one, or for a vector, a new symbol `name`."""
    shape = ctx.input(index).shape if ctx.has(index) else None
    return shape[-1] if shape and len(shape) > 1 else ctx.fresh(name)


def buffer_length(ctx: RuleContext, index: int, mask: int, size: Dim, new: Dim) -> Dim:
    """Return the number of past and `new` tokens in a buffer of length `size`; input `index` is the past length.

    If its value is unknown, return the last size of the input at index `mask`, or a new symbol.
    """
    require_single(ctx, index, law=laws.PAST_LENGTH_ONE_NUMBER)
    items = ctx.items(index)
    past = items[0] if items else None
    if past is None:
        return seen_length(ctx, mask, "total")
    ctx.require_at_least(past, 0, laws.PAST_LENGTH_NOT_NEGATIVE)
    ctx.require_at_least(size, past + new, laws.PAST_AND_NEW_FIT_BUFFER)
    return past + new


# Projections inside


def hidden_sizes(ctx: RuleContext, width: Dim) -> tuple[Dim, Dim]:
    """Return the hidden sizes of queries and of values, from projection weights with `width` columns.

    Without `qkv_hidden_sizes` each is a third of the width.
    """
    listed, count = ctx.integers("qkv_hidden_sizes", ()), head_count(ctx)
    if not listed:
        ctx.require(divides(3, width), laws.WEIGHTS_HOLD_QUERIES_KEYS_VALUES, width, 3)
        ctx.require_at_least(per_head(ctx, width // 3, count), 1, laws.HEADS_HAVE_FEATURES)
        return width // 3, width // 3
    ctx.check(len(listed) == 3 and listed[0] == listed[1], laws.QUERIES_KEYS_VALUES_SIZES)
    ctx.check(all(size % count == 0 for size in listed), laws.HEADS_DIVIDE_HIDDEN_SIZE)
    ctx.check(min(listed) > 0, laws.HEADS_HAVE_FEATURES)
    ctx.require_equal(width, sum(listed), laws.WEIGHTS_HOLD_QUERIES_KEYS_VALUES)
    return as_dim(listed[0]), as_dim(listed[2])


def past_state(ctx: RuleContext, index: int, batch: Dim, count: int, size: Dim, new: Dim) -> tuple[Dim, Dim]:
    """Return the lengths of the past and the present; input `index` is the past `[2, batch, count, P, size]`.

    Without that input the past has length 0. `new` is the number of new tokens.
    """
    if not ctx.has(index):
        return ZERO, new
    past = ctx.input(index)
    ctx.require_rank(past, 5)
    require_shape(ctx, index, (2, batch, count, past[3], size), laws.PAST_KEYS_VALUES_STACKED_SHAPE)
    return past[3], past[3] if shares_buffer(ctx) else past[3] + new


def _width(ctx: RuleContext) -> Dim:
    """Return the number of columns of the weights that project the input; require a row per input feature."""
    x, weights = ctx.input(0, rank=3), ctx.input(1, rank=2)
    ctx.require_equal(weights[0], x[2], laws.WEIGHTS_AS_HIGH_AS_INPUT)
    require_vector(ctx, 2, weights[1], laws.BIAS_AS_LONG_AS_WEIGHTS)
    return weights[1]


@contrib("Attention", "DecoderMaskedSelfAttention", traits=Traits.MIXED)
def attention(ctx: RuleContext) -> list[Tensor]:
    """Project and attend: `[B, S, D] -> [B, S, values' hidden size]`, with weights `[D, 3 * hidden]`."""
    hidden, values = hidden_sizes(ctx, _width(ctx))
    require_narrow(ctx, "rotary_embedding_dim")
    open_beside_cpu(ctx, laws.NO_ROTATION_INSIDE, used=ctx.flag("do_rotary", only_one=True))
    return attend(ctx, (3, 4, 5, 6), hidden, values)


def attend(ctx: RuleContext, indices: tuple[int, int, int, int], hidden: Dim, values: Dim) -> list[Tensor]:
    """Return the output and the present of attention that projects its input to sizes `hidden` and `values`.

    `indices` are those of the mask, the past, the bias and the past length among the inputs.
    """
    x, count = ctx.input(0), ctx.integer("num_heads")
    mask, past, bias, past_length = indices
    batch, new = x[0], x[1]
    if ctx.node.op == "DecoderMaskedSelfAttention":
        ctx.require_equal(new, 1, laws.ONE_NEW_TOKEN)
    if ctx.has(past):
        ctx.limit(ctx.makes(1), laws.PRESENT_WITH_PAST)
        ctx.require_equal(hidden, values, laws.PAST_QUERIES_AND_VALUES_SAME_HIDDEN_SIZE)
    _, present = past_state(ctx, past, batch, count, hidden // count, new)
    total = present
    if ctx.has(past) and shares_buffer(ctx):
        open_beside_cpu(ctx, laws.NO_SHARED_BUFFER, used=True)
        total = buffer_length(ctx, past_length, mask, present, new)
    require_masks(ctx, mask, batch, new, total)
    open_beside_cpu(ctx, laws.NO_BIAS_WITH_PAST, used=ctx.has(past) and ctx.has(bias))
    require_attention_bias(ctx, bias, (batch, count, new, total))
    dtype = ctx.input(3).dtype if ctx.node.op == "QAttention" else x.dtype
    return [ctx.tensor(s, dtype) for s in ((batch, new, values), (2, batch, count, present, hidden // count))]


def require_masks(ctx: RuleContext, index: int, batch: Dim, new: Dim, total: Dim) -> None:
    """Require a mask (input `index`) of `[B]`, `[2B]`, `[3B+2]`, `[B, T]`, `[B, S, T]` or `[B, 1, M, M]`.

    B is `batch`, S is `new` and T is `total`; `[B, 1]` and `[1, 1]` are accepted too, and M is at least T.
    """
    if not ctx.has(index):
        return
    mask = ctx.input(index)
    if mask.rank == 4:
        square = all_of(equal(mask[0], batch), equal(mask[1], 1), equal(mask[2], mask[3]), at_least(mask[2], total))
        ctx.check(not ctx.flag("unidirectional", only_one=True), laws.SQUARE_MASK_WITHOUT_UNIDIRECTIONAL)
        ctx.require(square, laws.MASK_FITS_LENGTHS, mask[2], total)
        open_beside_cpu(ctx, laws.NO_MASK_OF_4_AXES, used=True)
        return
    lengths = [(batch,), (2 * batch,), (3 * batch + 2,)]
    require_mask(ctx, index, [*lengths, (batch, total), (batch, ONE), (ONE, ONE), (batch, new, total)])


@contrib("QAttention")
def quantized_attention(ctx: RuleContext) -> list[Tensor]:
    """Project by quantized weights `[D, 3 * hidden]` and attend: `[B, S, D] -> [B, S, hidden]`."""
    width = _width(ctx)
    ctx.require_at_least(ctx.input(0)[0], 1, laws.BATCH_NOT_EMPTY)
    require_single(ctx, 3, 6)
    for index in (4, 7):
        require_one_or(ctx, index, width, laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN)
    hidden, values = hidden_sizes(ctx, width)
    return attend(ctx, (5, 8, 99, 99), hidden, values)


@contrib("QOrderedAttention")
def ordered_attention(ctx: RuleContext) -> Tensor:
    """Project by one matrix each for queries, keys and values, and attend: `[B, S, D] -> [B, S, values' hidden]`."""
    x = ctx.input(0, rank=3)
    widths = []
    for weight, scale, bias in ((5, 8, 11), (6, 9, 12), (7, 10, 13)):
        w = ctx.input(weight)
        ctx.require_rank(w, 2)
        ctx.require_equal(w[0], x[2], laws.WEIGHTS_AS_HIGH_AS_INPUT)
        require_one_or(ctx, scale, w[1], laws.ONE_SCALE_OR_PER_COLUMN)
        require_vector(ctx, bias, w[1], laws.BIAS_AS_LONG_AS_WEIGHTS)
        head_size(ctx, w[1])
        widths.append(w[1])
    ctx.require_equal(widths[0], widths[1], laws.QUERIES_AND_KEYS_SAME_HIDDEN_SIZE)
    require_masks(ctx, 17, x[0], x[1], x[1])
    return ctx.tensor((x[0], x[1], widths[2]))


@contrib("LongformerAttention", "QOrderedLongformerAttention")
def longformer(ctx: RuleContext) -> Tensor:
    """Attend within a window: `[B, S, D]` is unchanged, and S is a multiple of twice the window."""
    x, plain = ctx.input(0, rank=3), ctx.node.op == "LongformerAttention"
    head_size(ctx, x[2])
    window = ctx.integer("window")
    ctx.check(window > 0, laws.WINDOW_POSITIVE.of(window=window))
    ctx.require(divides(2 * window, x[1]), laws.SEQUENCE_MULTIPLE_OF_WINDOW, x[1], 2 * window)
    require_shape(ctx, (1, 4) if plain else (2, 8), (x[2], 3 * x[2]), laws.WEIGHTS_D_3D)
    require_vector(ctx, (2, 5) if plain else (4, 10), 3 * x[2], laws.BIAS_AS_LONG_AS_WEIGHTS)
    require_shape(ctx, (3, 6) if plain else (7, 12), x.dims[:2], laws.MASK_BATCH_LENGTH)
    return ctx.tensor(x.dims)


@contrib("DecoderAttention")
def decoder_attention(ctx: RuleContext) -> list[Tensor]:
    """Attend in `[S, B, D]`, which is unchanged; data decides whether caches are used, so their length is unknown."""
    x, key = ctx.input(0, rank=3), ctx.input(1, rank=3)
    size = head_size(ctx, x[2])
    require_shape(ctx, 1, (key[0], x[1], x[2]), laws.KEYS_HAVE_QUERY_BATCH_AND_HIDDEN_SIZE)
    require_shape(ctx, 2, (x[2], x[2]), laws.QUERY_WEIGHTS_SQUARE)
    require_shape(ctx, 3, (x[2], 2 * x[2]), laws.KEY_AND_VALUE_WEIGHTS_D_2D)
    require_vector(ctx, 4, 3 * x[2], laws.BIAS_AS_LONG_AS_ALL_WEIGHTS)
    cache = ctx.tensor((x[1], ctx.integer("num_heads"), ctx.fresh("length"), size))
    return [ctx.tensor(x.dims), cache, cache]


# Projected inputs


@contrib("MultiHeadAttention", traits=Traits.MIXED)
def multi_head(ctx: RuleContext) -> list[Tensor]:
    """Attend: queries `[B, S, D]`, keys `[B, L, D]`, values `[B, L, Dv]` -> `[B, S, Dv]`.

    Keys and values may be packed `[B, L, N, 2, H]` or be `[B, N, L, H]`; all three may be packed `[B, S, N, 3, H]`.
    """
    query, count = ctx.input(0), head_count(ctx)
    ctx.check(query.rank in (3, 5), laws.QUERIES_SHAPE_BY_RANK.of(rank=query.rank))
    batch, new = query[0], query[1]
    length, hidden, values = _project(ctx, query, count)
    if ctx.has(2) and ctx.input(2).rank == 4:
        ctx.require_equal(values // count, hidden // count, laws.ENCODER_KEYS_AND_VALUES_SAME_SHAPE)
    require_vector(ctx, 3, 2 * hidden + values, laws.BIAS_AS_LONG_AS_QUERIES_KEYS_VALUES)
    old, present = _past(ctx, 6, Heads(batch, as_dim(count), length, hidden // count))
    lengths = [(batch,), (3 * batch + 2,)]
    require_mask(ctx, 4, [*lengths, (batch, old + length), (batch, new, old + length)])
    require_attention_bias(ctx, 5, (batch, count, new, old + length))
    return _results(ctx, (batch, new, values), hidden, present, old + length)


def _project(ctx: RuleContext, query: Tensor, count: int) -> tuple[Dim, Dim, Dim]:
    """Return the keys' length and the hidden sizes of keys and values, which may be packed with the queries.

    `count` is the number of heads.
    """
    if ctx.has(1):
        ctx.check(query.rank == 3, laws.QUERIES_WITH_KEYS_SHAPE)
        length, values = _keys_and_values(ctx, query, count)
        for rows in (query[1], length if ctx.input(1).rank == 3 else ZERO):
            _require_heads(ctx, query[2], count, query[0] * rows)
        return length, query[2], values
    ctx.check(query.rank == 5 and not ctx.has(2), laws.QUERIES_WITHOUT_KEYS_HOLD_VALUES)
    require_shape(ctx, 0, (*query.dims[:2], count, 3, query[4]), laws.PACKED_QUERIES_BATCHED)
    open_beside_cpu(ctx, laws.KEYS_BESIDE_QUERIES, used=True)
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


def _keys_and_values(ctx: RuleContext, query: Tensor, count: int) -> tuple[Dim, Dim]:
    """Return the keys' length and the values' hidden size; `count` is the number of heads."""
    key, batch, hidden = ctx.input(1), query[0], query[2]
    size = hidden // count
    ctx.check(key.rank in (3, 4, 5), laws.KEYS_SHAPE_BY_RANK.of(rank=key.rank))
    if key.rank == 5:
        ctx.check(not ctx.has(2), laws.PACKED_KEYS_HOLD_VALUES)
        require_shape(ctx, 1, (batch, key[1], count, 2, size), laws.PACKED_KEYS_AND_VALUES_SHAPE)
        open_beside_cpu(ctx, laws.VALUES_BESIDE_KEYS, used=True)
        return key[1], hidden
    value = ctx.input(2)
    ctx.check(value.rank == key.rank, laws.KEYS_AND_VALUES_ONE_RANK)
    if key.rank == 4:
        require_shape(ctx, 1, (batch, count, key[2], size), laws.KEYS_BATCH_HEADS_LENGTH_SIZE)
        require_shape(ctx, 2, (batch, count, key[2], value[3]), laws.VALUES_BATCH_HEADS_LENGTH_SIZE)
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


def _past(ctx: RuleContext, keys: int, new: Heads) -> tuple[Dim, Dim]:
    """Return the lengths of past and present; inputs `keys` and `keys + 1` are past keys and values `[B, N, P, H]`."""
    ctx.check(ctx.has(keys) == ctx.has(keys + 1), laws.PAST_KEYS_AND_VALUES_TOGETHER)
    old = new.past(ctx, keys, keys + 1, new.size, (laws.PAST_BATCH_HEADS_LENGTH_SIZE,) * 2)
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
    ctx.require_equal(values // count, hidden // count, laws.ENCODER_KEYS_AND_VALUES_SAME_SHAPE)
    _require_buffer(ctx)
    shared = shares_buffer(ctx) and ctx.has(5)
    total = buffer_length(ctx, 7, 3, old, length) if shared else length if crossed else present
    require_mask(ctx, 3, [(query[0], total)])
    require_attention_bias(ctx, 4, (query[0], count, 1, total))
    return _results(ctx, (query[0], 1, values), hidden, old if shared else present, total, "float32")


def _require_buffer(ctx: RuleContext) -> None:
    """Require that a past and cache outputs are given together, in one buffer; CPU kernels need separate keys."""
    ctx.limit(shares_buffer(ctx) or not (ctx.has(5) or ctx.outputs > 1), laws.SHARED_BUFFER_WITH_CACHES)
    ctx.limit(not shares_buffer(ctx) or (ctx.has(5) and ctx.outputs > 2), laws.PAST_WITH_SHARED_BUFFER)
    ctx.limit(not shares_buffer(ctx) or ctx.has(7), laws.INPUT_GIVEN.of(index=7))
    open_beside_cpu(ctx, laws.KEYS_BESIDE_QUERIES, used=not ctx.has(1))


def _unpack_queries(ctx: RuleContext, query: Tensor) -> tuple[Dim, Dim, Dim]:
    """Return what `_project` returns, for queries `[B, 1, 3 * D]` that contain keys and values."""
    ctx.require(divides(3, query[2]), laws.PACKED_PROJECTIONS_ONE_SIZE, query[2], 3)
    head_size(ctx, query[2] // 3)
    return ONE, query[2] // 3, query[2] // 3
