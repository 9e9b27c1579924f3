"""Grouped attention with a cache: several query heads share one head of keys and values.

In the laws B is the batch, S the new tokens, P the past ones and T all of them, N the heads of queries, Nk those of
keys and values, and H a head's size.
"""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.contrib.attention import require_attention_bias, seen_length
from shapesmt.operators.ops.contrib.common import contrib
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.heads import per_head
from shapesmt.operators.ops.shared.indices import require_places, spans
from shapesmt.operators.ops.shared.require import open_beside_cpu, require_shape, require_single, require_vector
from shapesmt.operators.rules import RuleContext, Tensor, Traits
from shapesmt.prover.algebra import FALSE, ZERO, Dim, all_of, any_of, at_least, divides, equal, maximum, negate

KEY_HEADS_DIVIDE_QUERY_HEADS = laws.SM112.law("the {keys} heads of keys divide the {queries} of queries")


def grouped_heads(ctx: RuleContext) -> tuple[int, int]:
    """Return the number of query heads, and the number of key and value heads, which divides it."""
    count, shared = ctx.integer("num_heads"), ctx.integer("kv_num_heads")
    ctx.check(count > 0 and shared > 0, laws.HEADS_OF_QUERIES_KEYS_VALUES)
    ctx.check(count % shared == 0, KEY_HEADS_DIVIDE_QUERY_HEADS.of(keys=shared, queries=count))
    return count, shared


def grouped_size(ctx: RuleContext) -> Dim:
    """Return a head's size H: queries are `[..., N * H]`, or `[..., (N + 2 * Nk) * H]` with packed keys and values."""
    query, (count, shared) = ctx.input(0), grouped_heads(ctx)
    together = count if ctx.has(1) else count + 2 * shared
    size = per_head(ctx, query[-1], together)
    ctx.check(ctx.has(1) == ctx.has(2), laws.KEYS_AND_VALUES_TOGETHER)
    return size


KEY_PER_QUERY_OR_NONE = laws.SM115.law("there is a key per query, or none")
NO_NORM_INSIDE = laws.SM405.law("queries and keys aren't normalized inside")


@contrib("GroupQueryAttention", traits=Traits.MIXED, follows=rows(0, 1, 2, 3, 4, 5, 9, 10))
def grouped(ctx: RuleContext) -> list[Tensor]:
    """Attend from queries `[B, S, N * H]`; keys and values `[B, S, Nk * H]` extend the caches `[B, Nk, P, H]`.

    With keys of length 0, the caches are unchanged.
    """
    (batch, new), (count, shared), size = batch_of(ctx), grouped_heads(ctx), grouped_size(ctx)
    past = cache_length(ctx, batch, shared, size)
    added = ctx.input(1, rank=3)[1] if past is not ZERO and ctx.has(1) else new
    ctx.require(any_of(equal(added, new), equal(added, 0)), KEY_PER_QUERY_OR_NONE, added, new)
    ctx.require_at_least(size, 1, laws.HEADS_HAVE_FEATURES)
    require_shape(ctx, (1, 2), (batch, added, shared * size), laws.KEYS_AND_VALUES_BATCH_LENGTH_HIDDEN)
    lengths = ctx.input(5).numel
    each = equal(lengths, batch) if ctx.input(5).rank else FALSE
    ctx.require(each, laws.LENGTH_PER_SAMPLE, lengths, batch)
    _require_kept(ctx)
    known, present = grow_caches(ctx, past, added, new)
    require_tables(ctx, (7, 8), size, known)
    _require_eights(ctx, size, 7)
    total = seen_length(ctx, 10, "total") if known is None else known
    require_attention_bias(ctx, 10, (batch, count, new, total))
    require_vector(ctx, 11, count, laws.SINK_PER_HEAD)
    require_vector(ctx, (14, 15), size, laws.NORM_SCALE_PER_HEAD_ELEMENT)
    open_beside_cpu(ctx, NO_NORM_INSIDE, used=ctx.has(14) or ctx.has(15))
    cache = ctx.tensor((batch, shared, present, size), ctx.input(3).dtype if ctx.has(3) else None)
    return [ctx.tensor((batch, new, count * size)), cache, cache, ctx.tensor((batch, count, new, total))]


SLIDING_CACHE_WITH_WINDOW = laws.SM405.law("a sliding cache comes with a window and a past")
KV_CACHE_BIT_WIDTH_0 = laws.SM502.law("attribute 'kv_cache_bit_width' is 0")
OUTPUT_3_WITH_QK_OUTPUT = laws.SM405.law("output 3 comes with 'qk_output'")


def _require_kept(ctx: RuleContext) -> None:
    """Require attributes that fit together: a window for sliding caches, a bit width for quantized ones only.

    Scores (`qk_output`) need an output.
    """
    kept = {ctx.text(f"{each}_quant_type", "NONE").upper() for each in "kv"} == {"NONE"}
    window = ctx.integer("local_window_size", -1) > 0 and ctx.has(3)
    ctx.limit(window or not ctx.flag("sliding_window_cache", only_one=True), SLIDING_CACHE_WITH_WINDOW)
    ctx.limit(not kept or ctx.integer("kv_cache_bit_width", 0) == 0, KV_CACHE_BIT_WIDTH_0)
    ctx.limit(ctx.integer("qk_output", 0) == 0 or ctx.outputs > 3, OUTPUT_3_WITH_QK_OUTPUT)


def batch_of(ctx: RuleContext) -> tuple[Dim, Dim]:
    """Return (batch, new tokens) of queries `[B, S, hidden]`."""
    ctx.require_rank(ctx.input(0), 3)
    return ctx.input(0)[0], ctx.input(0)[1]


LAST_KEYS_BEHIND_QUERIES = laws.SM301.law("behind a past, the keys of a sample are as many as its queries")
LAST_KEY_IN_CACHES = laws.SM301.law("the last key of a sample is in the caches")


def grow_caches(ctx: RuleContext, cached: Dim, added: Dim, new: Dim) -> tuple[Dim | None, Dim]:
    """Return the total length in input 6 (None if unknown), and the new length of the caches.

    `cached` is the length of the past caches, `added` the number of new keys, and `new` the number of queries. Caches
    grow by the new keys unless they have room for them.
    """
    batch = ctx.input(0)[0]
    ctx.require_at_least(batch, 1, laws.BATCH_NOT_EMPTY)
    require_single(ctx, 6, law=laws.TOTAL_LENGTH_ONE_NUMBER)
    total = (ctx.items(6) or [None])[0]
    if total is None:
        return None, added if cached is ZERO else cached + added * ctx.fresh("grown", 0, 1)
    law = laws.CACHES_GROW_OR_LONG_ENOUGH
    ctx.require(any_of(equal(total, cached + added), at_least(cached, total)), law, total, cached + added)
    ctx.require_at_least(total, maximum(new, 1), laws.TOTAL_LENGTH_COUNTS_SOME_NEW_TOKENS)
    samples = any_of(equal(total, new), equal(new, 1), all_of(at_least(new, 2), equal(batch, 1)))
    ctx.require(samples, laws.NEW_TOKENS_BEHIND_PAST, new, 1)
    present = maximum(total, cached)
    law = LAST_KEYS_BEHIND_QUERIES
    for condition, last, _ in spans(ctx, ctx.input(5), law, 5):
        ctx.require(any_of(negate(condition), equal(total, new), at_least(last, new - 1)), law, last, new - 1)
    require_places(ctx, 5, present, LAST_KEY_IN_CACHES)
    return total, present


LAYOUTS_DIVIDE_HEADS = laws.SM112.law("the layouts divide the heads")
CACHES_HOLD_TOTAL_LENGTH = laws.SM114.law("the caches have room for the total length")
TOTAL_LENGTH_COUNTS_NEW_TOKENS = laws.SM114.law("the total length counts the new tokens")


@contrib("SparseAttention")
def sparse(ctx: RuleContext) -> list[Tensor]:
    """Attend from queries `[B, S, N * H]`; caches `[B, Nk, M, H]` have room for the total length in an input.

    The node runs only if the caller binds past and present to the same memory, so it is undecided.
    """
    (batch, new), (count, shared), size = batch_of(ctx), grouped_heads(ctx), grouped_size(ctx)
    require_shape(ctx, (1, 2), (batch, new, shared * size), laws.KEYS_AND_VALUES_BATCH_LENGTH_HIDDEN)
    past, rows = cache_length(ctx, batch, shared, size), ctx.input(5, rank=2)
    ctx.require(all_of(at_least(rows[0], 1), divides(rows[0], count)), LAYOUTS_DIVIDE_HEADS, rows[0], count)
    require_single(ctx, 7, law=laws.TOTAL_LENGTH_ONE_NUMBER)
    require_vector(ctx, 8, batch, laws.LENGTH_PER_SAMPLE)
    total = (ctx.items(7) or [None])[0]
    require_tables(ctx, (9, 10), size, total)
    _require_eights(ctx, size, 9)
    ctx.require_at_least(past, past if total is None else total, CACHES_HOLD_TOTAL_LENGTH)
    ctx.require_at_least(new if total is None else total, new, TOTAL_LENGTH_COUNTS_NEW_TOKENS)
    ctx.leave("elements", f"{laws.SHARED_BUFFER_WITH_CACHES}, which only the caller decides")
    cache = ctx.tensor((batch, shared, past, size))
    return [ctx.tensor((batch, new, count * size)), cache, cache]


def cache_length(ctx: RuleContext, batch: Dim, shared: int, size: Dim) -> Dim:
    """Return the length P of the caches `[batch, shared, P, size]` at inputs 3 and 4; 0 if they are omitted."""
    ctx.check(ctx.has(3) == ctx.has(4), laws.PAST_KEYS_AND_VALUES_TOGETHER)
    if not ctx.has(3):
        return ZERO
    past = ctx.input(3, rank=4)
    width = past[3] if past.dtype == "uint8" else size
    require_shape(ctx, (3, 4), (batch, shared, past[2], width), laws.CACHES_BATCH_HEADS_LENGTH_SIZE)
    return past[2]


TABLE_WIDTH_MULTIPLE_OF_8 = laws.SM112.law("the tables' width is a multiple of 8")


def _require_eights(ctx: RuleContext, size: Dim, cosines: int) -> None:
    """Require multiples of 8 for head sizes (16 with tables) and table widths, as the kernels need.

    `cosines` is the index of the first table.
    """
    step = 16 if ctx.has(cosines) else 8
    ctx.require(divides(step, size), laws.HEAD_SIZE_MULTIPLE.of(step=step), size, step)
    if ctx.has(cosines):
        ctx.require(divides(8, ctx.input(cosines)[1]), TABLE_WIDTH_MULTIPLE_OF_8, ctx.input(cosines)[1], 8)


COSINES_AND_SINES_TOGETHER = laws.SM405.law("cosines and sines come together")
DO_ROTARY_WITH_COSINES_AND_SINES = laws.SM405.law("do_rotary comes with cosines and sines")


def require_tables(ctx: RuleContext, indices: tuple[int, int], size: Dim, total: Dim | None) -> None:
    """Require that tables of cosines and sines `[positions, R/2]` have the same shape and fit heads of size `size`.

    `indices` are the inputs with the tables; if `total` isn't None, they need a row for each of `total` positions.
    """
    cosines, sines = indices
    ctx.check(ctx.has(cosines) == ctx.has(sines), COSINES_AND_SINES_TOGETHER)
    ctx.check(ctx.has(cosines) or not ctx.flag("do_rotary", only_one=True), DO_ROTARY_WITH_COSINES_AND_SINES)
    if ctx.has(cosines):
        table = ctx.input(cosines)
        ctx.require_rank(table, 2)
        ctx.require_agree(table, ctx.input(sines), law=laws.COSINES_AND_SINES_SAME_SHAPE)
        ctx.require_at_least(size, 2 * table[1], laws.ROTATED_PART_FITS_HEAD)
        if total is not None:
            ctx.require_at_least(table[0], total, laws.TABLES_ROW_PER_POSITION)
