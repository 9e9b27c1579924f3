"""Laws of attention: heads, masks, caches, and the shapes of queries, keys and values."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM112 = Code(
    "SM112", "attention heads",
    "The heads divide the hidden size, and those of the keys divide those of the queries.",
    "Compare num_heads, kv_num_heads and the hidden size in the configuration that the model was exported from.",
    '<ir_version: 10, opset_import: ["": 23]>\n'
    "g (float[b, s, d] q, float[b, t, d] k, float[b, t, d] v) => (float[b, s, d] y)\n"
    "{ y = Attention <q_num_heads = 4, kv_num_heads = 4> (q, k, v) }",
    dims={"d": "4..8"},
)  # fmt: skip
ATTRIBUTE_DIVIDES_LAST_SIZE = SM112.law("'{name}' divides the last size")
HEADS_DIVIDE_HIDDEN_SIZE = SM112.law("the heads divide the hidden size")
HEAD_SIZE_MULTIPLE = SM112.law("the size of a head is a multiple of {step}")
HEADS_OF_KEYS_DIVIDE_HEADS_OF_QUERIES = SM112.law("the heads of the keys divide those of the queries")
ROTATED_PART_FITS_HEAD = SM112.law("the rotated part fits a head")
VALUE_HEADS_AS_KEY_HEADS = SM112.law("there are as many heads of values as of keys")
HEADS_OF_QUERIES_KEYS_VALUES = SM112.law("there are heads of queries, keys and values")
SINK_PER_HEAD = SM112.law("there is a sink per head")

SM113 = Code(
    "SM113", "attention mask",
    "The mask has a column for each key, past ones included, and a row for each query or a single one.",
    "State how the lengths hang together (--assume \"total == past + seq\"), or give mask and tokens one name.",
    '<ir_version: 10, opset_import: ["": 23]>\n'
    "g (float[b, h, s, 8] q, float[b, h, t, 8] k, float[b, h, t, 8] v, float[s, m] mask)\n"
    "  => (float[b, h, s, 8] y)\n{ y = Attention (q, k, v, mask) }",
)  # fmt: skip
ATTENTION_BIAS_SHAPE = SM113.law("the attention bias is [B or 1, N or 1, S, T]")
MASK_FITS_LENGTHS = SM113.law("the mask fits batch and sequence lengths")
MASK_ROW_PER_QUERY_COLUMN_PER_KEY = SM113.law(
    "the mask has a row per query and a column per key, for each head and sample or for all"
)

SM114 = Code(
    "SM114", "caches",
    "The cache holds the past and has room for what is added to it.",
    "State the capacity as a relation of the lengths (--assume \"past + seq <= capacity\"), or export with a "
    "longer cache.",
    '<ir_version: 10, opset_import: ["": 24]>\n'
    "g (float[2, 8, c, 4] cache, float[2, 8, s, 4] new) => (float[2, 8, c, 4] updated)\n"
    "{ updated = TensorScatter <axis = 2> (cache, new) }",
    dims={"c": "4..8", "s": "1..8"},
)  # fmt: skip
CACHE_AND_UPDATE_MATCH_OFF_SEQUENCE = SM114.law("cache and update match off the sequence axis")
PAST_KEYS_SHAPE = SM114.law("past keys are [batch, heads, length, size]")
PAST_VALUES_SHAPE = SM114.law("past values are [batch, heads, length, size]")
CACHES_BATCH_HEADS_LENGTH_SIZE = SM114.law("the caches are [B, Nk, P, H]")
CACHES_BATCH_LENGTH_ROTATED = SM114.law("the caches are [batch, length, rotated/2]")
CACHES_GROW_OR_LONG_ENOUGH = SM114.law("the caches grow by what is new, or are long enough")
CACHES_HALF_AS_MANY_COLUMNS_AS_ROTATED = SM114.law("the caches have half as many columns as are rotated")
TOTAL_LENGTH_COUNTS_SOME_NEW_TOKENS = SM114.law("the total length counts the new tokens, and there are some")
TOTAL_LENGTH_ONE_NUMBER = SM114.law("the total length is one number")
UPDATE_NO_LONGER_THAN_CACHE = SM114.law("the update is no longer than the cache")

SM115 = Code(
    "SM115", "attention inputs",
    "Queries, keys and values agree in batch, length and head size, packed or apart.",
    "Look at how the three are projected and reshaped: one of them often has its axes in another order, or a "
    "length of its own.",
    '<ir_version: 10, opset_import: ["": 23]>\n'
    "g (float[b, h, s, 8] q, float[b, h, t, 8] k, float[b, h, u, 8] v) => (float[b, h, s, 8] y)\n"
    "{ y = Attention (q, k, v) }",
)  # fmt: skip
KEY_SIZED_AS_QUERY = SM115.law("a key has the size of a query")
NEW_TOKENS_BEHIND_PAST = SM115.law("behind a past, one sample has several new tokens, or each has one")
VALUE_PER_KEY = SM115.law("each key has a value")
KEYS_AND_VALUES_BATCH_LENGTH_HIDDEN = SM115.law("keys and values are [B, S, Nk * H]")
KEYS_BATCH_LENGTH_HIDDEN = SM115.law("keys are [B, L, D]")
QUERIES_KEYS_VALUES_AS_MANY = SM115.law("queries, keys and values are as many")
ONE_NEW_TOKEN = SM115.law("there is one new token")
VALUES_AS_MANY_AS_KEYS = SM115.law("values are as many as keys")
