"""Attention where several heads of queries share one of keys and values, with a cache for these.

In the laws B is the batch, S the new tokens, P the past ones and T all of them, N the heads of queries, Nk those of
keys and values, and H a head's size.
"""

from __future__ import annotations

from shapesmt.algebra import ZERO, Dim, all_of, any_of, at_least, divides, equal, maximum
from shapesmt.ops.contrib.attention import HEADS_LAW, require_attention_bias, seen_length
from shapesmt.ops.contrib.common import contrib
from shapesmt.ops.shared.indices import require_places
from shapesmt.rules import InferenceContext, Tensor, require_shape, require_single, require_vector


def grouped_heads(ctx: InferenceContext) -> tuple[int, int]:
    """The number of heads of queries, and of keys and values, which divides the former."""
    count, shared = ctx.integer("num_heads"), ctx.integer("kv_num_heads")
    ctx.check(count > 0 and shared > 0, "there are heads of queries, keys and values")
    ctx.check(count % shared == 0, f"the {shared} heads of keys divide the {count} of queries")
    return count, shared


def grouped_size(ctx: InferenceContext) -> Dim:
    """A head's size, from queries `[..., N * H]` with keys and values `[..., Nk * H]`, or from all packed in one."""
    query, (count, shared) = ctx.input(0), grouped_heads(ctx)
    together = count if ctx.has(1) else count + 2 * shared
    ctx.require(divides(together, query[-1]), HEADS_LAW, query[-1], together)
    ctx.check(ctx.has(1) == ctx.has(2), "keys and values come together")
    return query[-1] // together


@contrib("GroupQueryAttention")
def grouped(ctx: InferenceContext) -> list[Tensor]:
    """Queries `[B, S, N * H]` make their like, and caches `[B, Nk, P, H]` grow by the keys `[B, S, Nk * H]`.

    With no keys at all (their length is 0), the caches serve as they are.
    """
    (batch, new), (count, shared), size = batch_of(ctx), grouped_heads(ctx), grouped_size(ctx)
    past = cached(ctx, batch, shared, size)
    added = ctx.input(1, rank=3)[1] if past is not ZERO and ctx.has(1) else new
    ctx.require(any_of(equal(added, new), equal(added, 0)), "there is a key per query, or none", added, new)
    require_shape(ctx, (1, 2), (batch, added, shared * size), "keys and values are [B, S, Nk * H]")
    ctx.require_equal(ctx.input(5).numel, batch, "there is a length per sample")
    _require_kept(ctx)
    given, present = grown(ctx, past, added, new)
    require_tables(ctx, (7, 8), size, given)
    total = seen_length(ctx, 10, "total") if given is None else given
    require_attention_bias(ctx, 10, (batch, count, new, total))
    require_vector(ctx, 11, count, "there is a sink per head")
    require_vector(ctx, (14, 15), size, "a norm's scale is as long as a head")
    cache = ctx.tensor((batch, shared, present, size), ctx.input(3).dtype if ctx.has(3) else None)
    return [ctx.tensor((batch, new, count * size)), cache, cache, ctx.tensor((batch, count, new, total))]


def _require_kept(ctx: InferenceContext) -> None:
    """State that the cache has a width only if it is quantized, and that scores have an output if they are kept."""
    kept = {ctx.text(f"{each}_quant_type", "NONE").upper() for each in "kv"} == {"NONE"}
    ctx.limit(not kept or ctx.integer("kv_cache_bit_width", 0) == 0, "attribute 'kv_cache_bit_width' is 0")
    ctx.limit(ctx.integer("qk_output", 0) == 0 or ctx.outputs > 3, "output 3 comes with 'qk_output'")


def batch_of(ctx: InferenceContext) -> tuple[Dim, Dim]:
    """The batch and the new tokens of queries `[B, S, hidden]`."""
    ctx.require_rank(ctx.input(0), 3)
    return ctx.input(0)[0], ctx.input(0)[1]


def grown(ctx: InferenceContext, cached: Dim, added: Dim, new: Dim) -> tuple[Dim | None, Dim]:
    """The total length that input 6 gives and that of the caches: grown by what is added, or long enough before."""
    batch = ctx.input(0)[0]
    ctx.require_at_least(batch, 1, "the batch isn't empty")
    require_single(ctx, 6, law="the total length is one number")
    total = (ctx.items(6) or [None])[0]
    if total is None:
        return None, added if cached is ZERO else cached + added * ctx.fresh("grown", 0, 1)
    law = "the caches grow by what is new, or are long enough"
    ctx.require(any_of(equal(total, cached + added), at_least(cached, total)), law, total, cached + added)
    ctx.require_at_least(total, maximum(new, 1), "the total length counts the new tokens, and there are some")
    samples = any_of(equal(total, new), equal(new, 1), all_of(at_least(new, 2), equal(batch, 1)))
    ctx.require(samples, "behind a past, one sample has several new tokens, or each has one", new, 1)
    present = maximum(total, cached)
    require_places(ctx, 5, present, "the last key of a sample is in the caches")
    return total, present


@contrib("SparseAttention")
def sparse(ctx: InferenceContext) -> list[Tensor]:
    """Queries `[B, S, N * H]` make their like; caches `[B, Nk, M, H]` have room for the total length given."""
    (batch, new), (count, shared), size = batch_of(ctx), grouped_heads(ctx), grouped_size(ctx)
    require_shape(ctx, (1, 2), (batch, new, shared * size), "keys and values are [B, S, Nk * H]")
    past, rows = cached(ctx, batch, shared, size), ctx.input(5, rank=2)
    ctx.require(all_of(at_least(rows[0], 1), divides(rows[0], count)), "the layouts divide the heads", rows[0], count)
    require_single(ctx, 7, law="the total length is one number")
    require_vector(ctx, 8, batch, "there is a length per sample")
    total = (ctx.items(7) or [None])[0]
    require_tables(ctx, (9, 10), size, total)
    if total is not None:
        ctx.require_at_least(past, total, "the caches have room for the total length")
        ctx.require_at_least(total, new, "the total length counts the new tokens")
    cache = ctx.tensor((batch, shared, past, size))
    return [ctx.tensor((batch, new, count * size)), cache, cache]


def cached(ctx: InferenceContext, batch: Dim, shared: int, size: Dim) -> Dim:
    """The length of the caches at inputs 3 and 4."""
    ctx.check(ctx.has(3) == ctx.has(4), "past keys and values come together")
    if not ctx.has(3):
        return ZERO
    past = ctx.input(3, rank=4)
    width = past[3] if past.dtype == "uint8" else size
    require_shape(ctx, (3, 4), (batch, shared, past[2], width), "the caches are [B, Nk, P, H]")
    return past[2]


def require_tables(ctx: InferenceContext, indices: tuple[int, int], size: Dim, total: Dim | None) -> None:
    """State that tables of cosines and sines `[positions, R/2]` are alike, and fit a head and the positions used."""
    cosines, sines = indices
    ctx.check(ctx.has(cosines) == ctx.has(sines), "cosines and sines come together")
    ctx.check(ctx.has(cosines) or ctx.integer("do_rotary", 0) != 1, "do_rotary comes with cosines and sines")
    if ctx.has(cosines):
        table = ctx.input(cosines)
        ctx.require_rank(table, 2)
        ctx.require_agree(table, ctx.input(sines), law="cosines and sines have the same shape")
        ctx.require_at_least(size, 2 * table[1], "the rotated part fits a head")
        if total is not None:
            ctx.require_at_least(table[0], total, "the tables have a row per position")
