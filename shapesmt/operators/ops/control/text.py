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


TEXTS_SAMPLE_OR_BATCH_OF_1_BY_RANK = laws.SM303.law("the texts are [C] or [1, C], not of rank {rank}")
TEXTS_SAMPLE_OR_BATCH_OF_1 = laws.SM303.law("the texts are [C] or [1, C]")
A_TEXT = laws.SM204.law("there is at least one text")


@rule("StringNormalizer", since=10)
def string_normalizer(ctx: RuleContext) -> Tensor:
    """Remove stop words from `[C]` or `[1, C]`; an empty result becomes one empty string."""
    x = ctx.input(0)
    ctx.check(x.rank in (1, 2), TEXTS_SAMPLE_OR_BATCH_OF_1_BY_RANK.of(rank=x.rank))
    if x.rank == 2:
        ctx.require_equal(x[0], 1, TEXTS_SAMPLE_OR_BATCH_OF_1)
    ctx.require_at_least(x[-1], 1, A_TEXT)
    kept = ctx.fresh("kept", 1, x[-1]) if ctx.attributes.get("stopwords") else x[-1]
    return ctx.tensor([*x.dims[:-1], kept])


INPUT_SAMPLE_OR_BATCH = laws.SM303.law("the input is [C] or [N, C], not of rank {rank}")
NGRAM_INDEXES_LIST = laws.SM502.law("'ngram_indexes' lists indices")


@rule("TfIdfVectorizer", since=9)
def tf_idf(ctx: RuleContext) -> Tensor:
    """Count n-grams: `X[C]` gives `[max(ngram_indexes) + 1]`, `X[N, C]` gives `[N, max(ngram_indexes) + 1]`."""
    x, indexes = ctx.input(0), ctx.integers("ngram_indexes")
    ctx.check(x.rank in (1, 2), INPUT_SAMPLE_OR_BATCH.of(rank=x.rank))
    if x.rank == 2:
        ctx.require_at_least(x[0], 1, laws.A_ROW)
    _require_n_grams(ctx, len(indexes))
    ctx.check(bool(indexes) and min(indexes) >= 0, NGRAM_INDEXES_LIST)
    return ctx.tensor([*x.dims[:-1], max(indexes) + 1], "float32")


WEIGHTS_ENTRY_PER_N_GRAM = laws.SM502.law("'weights' has an entry per n-gram")
N_GRAMS_AT_LEAST_MIN_GRAM_LENGTH = laws.SM502.law("n-grams have at least 'min_gram_length' elements")
NGRAM_COUNTS_PER_LENGTH = laws.SM502.law("'ngram_counts' has an entry per length of n-grams")


def _require_n_grams(ctx: RuleContext, count: int) -> None:
    """Require that there is an index and a weight for each n-gram, and `min_gram_length <= max_gram_length`."""
    weights = ctx.attributes.get("weights", (0,) * count)
    ctx.limit(isinstance(weights, tuple) and len(weights) == count, WEIGHTS_ENTRY_PER_N_GRAM)
    shortest = ctx.integer("min_gram_length", 1)
    longest = ctx.integer("max_gram_length", shortest)
    ctx.limit(shortest <= longest, N_GRAMS_AT_LEAST_MIN_GRAM_LENGTH)
    _require_pool(ctx)
    ctx.limit(longest <= len(ctx.integers("ngram_counts")), NGRAM_COUNTS_PER_LENGTH)


N_GRAMS_IN_POOL = laws.SM502.law("n-grams have their part of the pool, by length")
N_GRAMS_DIFFER = laws.SM502.law("no n-gram is in the pool twice")


def _require_pool(ctx: RuleContext) -> None:
    """Require that `ngram_counts` has the start of each length's n-grams in the pool, and that these are distinct."""
    pool = next((p for p in map(ctx.attributes.get, ("pool_int64s", "pool_strings")) if isinstance(p, tuple) and p), ())
    ends = (*ctx.integers("ngram_counts"), len(pool))
    parts = [b - a for a, b in pairwise(ends)]
    whole = all(part >= 0 == part % n for n, part in enumerate(parts, 1)) and ends[0] >= 0
    ctx.limit(bool(pool) and whole, N_GRAMS_IN_POOL)
    for n, (start, end) in enumerate(pairwise(ends), 1):
        if ctx.integer("min_gram_length", 1) <= n <= ctx.integer("max_gram_length", 1):
            grams = [pool[at : at + n] for at in range(start, end, n)]
            ctx.limit(len(set(grams)) == len(grams), N_GRAMS_DIFFER)
