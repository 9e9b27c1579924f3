"""Operators on text."""

from __future__ import annotations

from itertools import pairwise

from shapesmt.network import laws
from shapesmt.operators.rules import RuleContext, Tensor, rule


@rule("StringSplit", since=20)
def string_split(ctx: RuleContext) -> list[Tensor]:
    """Split texts `X[*sizes]` into parts `[*sizes, most]`, padded with empty strings; also count each text's parts."""
    x, most = ctx.input(0), ctx.attributes.get("maxsplit")
    parts = ctx.fresh("parts", 0, most + 1 if isinstance(most, int) and most >= 0 else None)
    return [ctx.tensor([*x.dims, parts]), ctx.tensor(x.dims, "int64")]


@rule("StringNormalizer", since=10)
def string_normalizer(ctx: RuleContext) -> Tensor:
    """Remove stop words from `[C]` or `[1, C]`; an empty result becomes one empty string."""
    x = ctx.input(0)
    ctx.check(x.rank in (1, 2), laws.TEXTS_SAMPLE_OR_BATCH_OF_1_BY_RANK.of(rank=x.rank))
    if x.rank == 2:
        ctx.require_equal(x[0], 1, laws.TEXTS_SAMPLE_OR_BATCH_OF_1)
    ctx.require_at_least(x[-1], 1, laws.A_TEXT)
    kept = ctx.fresh("kept", 1, x[-1]) if ctx.attributes.get("stopwords") else x[-1]
    return ctx.tensor([*x.dims[:-1], kept])


@rule("TfIdfVectorizer", since=9)
def tf_idf(ctx: RuleContext) -> Tensor:
    """Count n-grams: `X[C]` gives `[max(ngram_indexes) + 1]`, `X[N, C]` gives `[N, max(ngram_indexes) + 1]`."""
    x, indexes = ctx.input(0), ctx.integers("ngram_indexes")
    ctx.check(x.rank in (1, 2), laws.INPUT_SAMPLE_OR_BATCH.of(rank=x.rank))
    if x.rank == 2:
        ctx.require_at_least(x[0], 1, laws.A_ROW)
    _require_n_grams(ctx, len(indexes))
    ctx.check(bool(indexes) and min(indexes) >= 0, laws.NGRAM_INDEXES_LIST)
    return ctx.tensor([*x.dims[:-1], max(indexes) + 1], "float32")


def _require_n_grams(ctx: RuleContext, count: int) -> None:
    """Require that there is an index and a weight for each n-gram, and `min_gram_length <= max_gram_length`."""
    weights = ctx.attributes.get("weights", (0,) * count)
    ctx.limit(isinstance(weights, tuple) and len(weights) == count, laws.WEIGHTS_ENTRY_PER_N_GRAM)
    shortest = ctx.integer("min_gram_length", 1)
    longest = ctx.integer("max_gram_length", shortest)
    ctx.limit(shortest <= longest, laws.N_GRAMS_AT_LEAST_MIN_GRAM_LENGTH)
    _require_pool(ctx)
    ctx.limit(longest <= len(ctx.integers("ngram_counts")), laws.NGRAM_COUNTS_PER_LENGTH)


def _require_pool(ctx: RuleContext) -> None:
    """Require that `ngram_counts` has the start of each length's n-grams in the pool, and that these are distinct."""
    pool = next((p for p in map(ctx.attributes.get, ("pool_int64s", "pool_strings")) if isinstance(p, tuple) and p), ())
    ends = (*ctx.integers("ngram_counts"), len(pool))
    parts = [b - a for a, b in pairwise(ends)]
    whole = all(part >= 0 == part % n for n, part in enumerate(parts, 1)) and ends[0] >= 0
    ctx.limit(bool(pool) and whole, laws.N_GRAMS_IN_POOL)
    for n, (start, end) in enumerate(pairwise(ends), 1):
        if ctx.integer("min_gram_length", 1) <= n <= ctx.integer("max_gram_length", 1):
            grams = [pool[at : at + n] for at in range(start, end, n)]
            ctx.limit(len(set(grams)) == len(grams), laws.N_GRAMS_DIFFER)
