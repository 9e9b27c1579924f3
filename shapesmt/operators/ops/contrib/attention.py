"""Attention of `com.microsoft`: with projections inside, of projected or packed inputs, and for decoding.

In the laws B is the batch, S the new tokens, P the past ones and T all of them, N the heads and H a head's size.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.shared.follows import batched, rows
from shapesmt.operators.ops.shared.heads import head_count, head_size, per_head
from shapesmt.operators.ops.shared.require import (
    open_beside_cpu,
    require_narrow,
    require_one_or,
    require_shape,
    require_single,
    require_vector,
)
from shapesmt.operators.rules import RuleContext, Tensor, Traits
from shapesmt.prover.algebra import ONE, ZERO, Dim, all_of, any_of, as_dim, at_least, divides, equal


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


PAST_LENGTH_ONE_NUMBER = laws.SM114.law("the past length is one number")
PAST_LENGTH_NOT_NEGATIVE = laws.SM309.law("the past length isn't negative")
PAST_AND_NEW_FIT_BUFFER = laws.SM114.law("past and new tokens fit the buffer")


def buffer_length(ctx: RuleContext, index: int, mask: int, size: Dim, new: Dim) -> Dim:
    """Return the number of past and `new` tokens in a buffer of length `size`; input `index` is the past length.

    If its value is unknown, return the last size of the input at index `mask`, or a new symbol.
    """
    require_single(ctx, index, law=PAST_LENGTH_ONE_NUMBER)
    items = ctx.items(index)
    past = items[0] if items else None
    if past is None:
        return seen_length(ctx, mask, "total")
    ctx.require_at_least(past, 0, PAST_LENGTH_NOT_NEGATIVE)
    ctx.require_at_least(size, past + new, PAST_AND_NEW_FIT_BUFFER)
    return past + new


# Projections inside


WEIGHTS_HOLD_QUERIES_KEYS_VALUES = laws.SM115.law("the weights hold queries, keys and values")
QUERIES_KEYS_VALUES_SIZES = laws.SM115.law("queries, keys and values have sizes, the first two equal")


def hidden_sizes(ctx: RuleContext, width: Dim) -> tuple[Dim, Dim]:
    """Return the hidden sizes of queries and of values, from projection weights with `width` columns.

    Without `qkv_hidden_sizes` each is a third of the width.
    """
    listed, count = ctx.integers("qkv_hidden_sizes", ()), head_count(ctx)
    if not listed:
        ctx.require(divides(3, width), WEIGHTS_HOLD_QUERIES_KEYS_VALUES, width, 3)
        ctx.require_at_least(per_head(ctx, width // 3, count), 1, laws.HEADS_HAVE_FEATURES)
        return width // 3, width // 3
    ctx.check(len(listed) == 3 and listed[0] == listed[1], QUERIES_KEYS_VALUES_SIZES)
    ctx.check(all(size % count == 0 for size in listed), laws.HEADS_DIVIDE_HIDDEN_SIZE)
    ctx.check(min(listed) > 0, laws.HEADS_HAVE_FEATURES)
    ctx.require_equal(width, sum(listed), WEIGHTS_HOLD_QUERIES_KEYS_VALUES)
    return as_dim(listed[0]), as_dim(listed[2])


PAST_KEYS_VALUES_STACKED_SHAPE = laws.SM114.law("the past is [2, B, N, P, H]")


def past_state(ctx: RuleContext, index: int, batch: Dim, count: int, size: Dim, new: Dim) -> tuple[Dim, Dim]:
    """Return the lengths of the past and the present; input `index` is the past `[2, batch, count, P, size]`.

    Without that input the past has length 0. `new` is the number of new tokens.
    """
    if not ctx.has(index):
        return ZERO, new
    past = ctx.input(index)
    ctx.require_rank(past, 5)
    require_shape(ctx, index, (2, batch, count, past[3], size), PAST_KEYS_VALUES_STACKED_SHAPE)
    return past[3], past[3] if shares_buffer(ctx) else past[3] + new


def _width(ctx: RuleContext) -> Dim:
    """Return the number of columns of the weights that project the input; require a row per input feature."""
    x, weights = ctx.input(0, rank=3), ctx.input(1, rank=2)
    ctx.require_equal(weights[0], x[2], laws.WEIGHTS_AS_HIGH_AS_INPUT)
    require_vector(ctx, 2, weights[1], laws.BIAS_AS_LONG_AS_WEIGHTS)
    return weights[1]


NO_ROTATION_INSIDE = laws.SM405.law("attribute 'do_rotary' is not 1")


@contrib(
    "Attention", "DecoderMaskedSelfAttention", traits=Traits.MIXED, follows=batched({0: 0, 3: 0, 4: 1, 5: 0}, (0, 1))
)
def attention(ctx: RuleContext) -> list[Tensor]:
    """Project and attend: `[B, S, D] -> [B, S, values' hidden size]`, with weights `[D, 3 * hidden]`."""
    hidden, values = hidden_sizes(ctx, _width(ctx))
    require_narrow(ctx, "rotary_embedding_dim")
    open_beside_cpu(ctx, NO_ROTATION_INSIDE, used=ctx.flag("do_rotary", only_one=True))
    return attend(ctx, (3, 4, 5, 6), hidden, values)


PAST_QUERIES_AND_VALUES_SAME_HIDDEN_SIZE = laws.SM116.law("with a past, queries and values have the same hidden size")
NO_SHARED_BUFFER = laws.SM405.law("past and present don't share a buffer")
NO_BIAS_WITH_PAST = laws.SM405.law("a bias doesn't come with a past")


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
        ctx.require_equal(hidden, values, PAST_QUERIES_AND_VALUES_SAME_HIDDEN_SIZE)
    _, present = past_state(ctx, past, batch, count, hidden // count, new)
    total = present
    if ctx.has(past) and shares_buffer(ctx):
        open_beside_cpu(ctx, NO_SHARED_BUFFER, used=True)
        total = buffer_length(ctx, past_length, mask, present, new)
    require_masks(ctx, mask, batch, new, total)
    open_beside_cpu(ctx, NO_BIAS_WITH_PAST, used=ctx.has(past) and ctx.has(bias))
    require_attention_bias(ctx, bias, (batch, count, new, total))
    dtype = ctx.input(3).dtype if ctx.node.op == "QAttention" else x.dtype
    return [ctx.tensor(s, dtype) for s in ((batch, new, values), (2, batch, count, present, hidden // count))]


SQUARE_MASK_WITHOUT_UNIDIRECTIONAL = laws.SM405.law("a square mask comes without unidirectional")
NO_MASK_OF_4_AXES = laws.SM405.law("the mask has no 4 axes")


def require_masks(ctx: RuleContext, index: int, batch: Dim, new: Dim, total: Dim) -> None:
    """Require a mask (input `index`) of `[B]`, `[2B]`, `[3B+2]`, `[B, T]`, `[B, S, T]` or `[B, 1, M, M]`.

    B is `batch`, S is `new` and T is `total`; `[B, 1]` and `[1, 1]` are accepted too, and M is at least T.
    """
    if not ctx.has(index):
        return
    mask = ctx.input(index)
    if mask.rank == 4:
        square = all_of(equal(mask[0], batch), equal(mask[1], 1), equal(mask[2], mask[3]), at_least(mask[2], total))
        ctx.check(not ctx.flag("unidirectional", only_one=True), SQUARE_MASK_WITHOUT_UNIDIRECTIONAL)
        ctx.require(square, laws.MASK_FITS_LENGTHS, mask[2], total)
        open_beside_cpu(ctx, NO_MASK_OF_4_AXES, used=True)
        return
    lengths = [(batch,), (2 * batch,), (3 * batch + 2,)]
    require_mask(ctx, index, [*lengths, (batch, total), (batch, ONE), (ONE, ONE), (batch, new, total)])


@contrib("QAttention", follows=batched({0: 0, 5: 0, 8: 1}, (0, 1)))
def quantized_attention(ctx: RuleContext) -> list[Tensor]:
    """Project by quantized weights `[D, 3 * hidden]` and attend: `[B, S, D] -> [B, S, hidden]`."""
    width = _width(ctx)
    ctx.require_at_least(ctx.input(0)[0], 1, laws.BATCH_NOT_EMPTY)
    require_single(ctx, 3, 6)
    for index in (4, 7):
        require_one_or(ctx, index, width, laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN)
    hidden, values = hidden_sizes(ctx, width)
    return attend(ctx, (5, 8, 99, 99), hidden, values)


ONE_SCALE_OR_PER_COLUMN = laws.SM109.law("there is one scale, or one per column")
QUERIES_AND_KEYS_SAME_HIDDEN_SIZE = laws.SM116.law("queries and keys have the same hidden size")


@contrib("QOrderedAttention")
def ordered_attention(ctx: RuleContext) -> Tensor:
    """Project by one matrix each for queries, keys and values, and attend: `[B, S, D] -> [B, S, values' hidden]`."""
    x = ctx.input(0, rank=3)
    widths = []
    for weight, scale, bias in ((5, 8, 11), (6, 9, 12), (7, 10, 13)):
        w = ctx.input(weight)
        ctx.require_rank(w, 2)
        ctx.require_equal(w[0], x[2], laws.WEIGHTS_AS_HIGH_AS_INPUT)
        require_one_or(ctx, scale, w[1], ONE_SCALE_OR_PER_COLUMN)
        require_vector(ctx, bias, w[1], laws.BIAS_AS_LONG_AS_WEIGHTS)
        head_size(ctx, w[1])
        widths.append(w[1])
    ctx.require_equal(widths[0], widths[1], QUERIES_AND_KEYS_SAME_HIDDEN_SIZE)
    require_masks(ctx, 17, x[0], x[1], x[1])
    return ctx.tensor((x[0], x[1], widths[2]))


WINDOW_POSITIVE = laws.SM502.law("the window is positive, not {window}")
SEQUENCE_MULTIPLE_OF_WINDOW = laws.SM110.law("the sequence is a multiple of the two-sided window")
WEIGHTS_D_3D = laws.SM115.law("the weights are [D, 3D]")
MASK_BATCH_LENGTH = laws.SM113.law("the mask is [B, S]")


@contrib("LongformerAttention", "QOrderedLongformerAttention", follows=rows(0, 3, 6))
def longformer(ctx: RuleContext) -> Tensor:
    """Attend within a window: `[B, S, D]` is unchanged, and S is a multiple of twice the window."""
    x, plain = ctx.input(0, rank=3), ctx.node.op == "LongformerAttention"
    head_size(ctx, x[2])
    window = ctx.integer("window")
    ctx.check(window > 0, WINDOW_POSITIVE.of(window=window))
    ctx.require(divides(2 * window, x[1]), SEQUENCE_MULTIPLE_OF_WINDOW, x[1], 2 * window)
    require_shape(ctx, (1, 4) if plain else (2, 8), (x[2], 3 * x[2]), WEIGHTS_D_3D)
    require_vector(ctx, (2, 5) if plain else (4, 10), 3 * x[2], laws.BIAS_AS_LONG_AS_WEIGHTS)
    require_shape(ctx, (3, 6) if plain else (7, 12), x.dims[:2], MASK_BATCH_LENGTH)
    return ctx.tensor(x.dims)


KEYS_HAVE_QUERY_BATCH_AND_HIDDEN_SIZE = laws.SM115.law("keys have the queries' batch and hidden size")
QUERY_WEIGHTS_SQUARE = laws.SM115.law("the queries' weights are [D, D]")
KEY_AND_VALUE_WEIGHTS_D_2D = laws.SM115.law("the weights of keys and values are [D, 2D]")
BIAS_AS_LONG_AS_ALL_WEIGHTS = laws.SM108.law("the bias is as long as all weights are wide")


@contrib("DecoderAttention")
def decoder_attention(ctx: RuleContext) -> list[Tensor]:
    """Attend in `[S, B, D]`, which is unchanged; data decides whether caches are used, so their length is unknown."""
    x, key = ctx.input(0, rank=3), ctx.input(1, rank=3)
    size = head_size(ctx, x[2])
    require_shape(ctx, 1, (key[0], x[1], x[2]), KEYS_HAVE_QUERY_BATCH_AND_HIDDEN_SIZE)
    require_shape(ctx, 2, (x[2], x[2]), QUERY_WEIGHTS_SQUARE)
    require_shape(ctx, 3, (x[2], 2 * x[2]), KEY_AND_VALUE_WEIGHTS_D_2D)
    require_vector(ctx, 4, 3 * x[2], BIAS_AS_LONG_AS_ALL_WEIGHTS)
    cache = ctx.tensor((x[1], ctx.integer("num_heads"), ctx.fresh("length"), size))
    return [ctx.tensor(x.dims), cache, cache]
