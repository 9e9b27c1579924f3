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
TABLES_HALF_AS_WIDE_AS_HEAD = SM112.law("cosines and sines are half as wide as a head")
TABLES_HALF_AS_WIDE_AS_ROTATED_PART_OR_HEAD = SM112.law(
    "cosines and sines are half as wide as the rotated part, or as a head"
)
KEY_HEADS_SIZED_AS_QUERY_HEADS = SM112.law("keys have heads of the queries' size")
KEY_HEADS_DIVIDE_SHARED_HEADS = SM112.law("the heads of keys divide 'kv_num_heads'")
NUM_HEADS_WITH_RANK_3 = SM112.law("num_heads comes with an input of rank 3")
HEAD_ATTRIBUTE_WITH_RANK_3 = SM112.law("attribute '{name}' comes with queries, keys and values of rank 3")
NUM_HEADS_WITH_ROTARY_EMBEDDING_DIM = SM112.law("num_heads comes with rotary_embedding_dim")
HEAD_COUNTS_DIVIDE = SM112.law("one number of heads divides the other")
QUERY_AND_KEY_HEADS_ONE_SIZE = SM112.law("queries and keys have heads of one size")
QUERY_AND_KEY_SAME_HEAD_SIZE = SM112.law("queries and keys have the same head size")
KEY_HEADS_DIVIDE_QUERY_HEADS = SM112.law("the {keys} heads of keys divide the {queries} of queries")
DOUBLE_TABLE_WIDTH_DIVIDES_HIDDEN_SIZE = SM112.law(
    "the head size, twice the width of the tables, divides the hidden size"
)
HEADS_DIVIDE_HIDDEN_SIZE = SM112.law("the heads divide the hidden size")
HEAD_SIZE_MULTIPLE = SM112.law("the size of a head is a multiple of {step}")
HEADS_OF_KEYS_DIVIDE_HEADS_OF_QUERIES = SM112.law("the heads of the keys divide those of the queries")
TABLE_WIDTH_MULTIPLE_OF_8 = SM112.law("the tables' width is a multiple of 8")
POLICY_SELECTS_WHOLE_BLOCKS = SM112.law("the policy selects places in whole blocks, at least one and fewer than 2**31")
LAYOUTS_DIVIDE_HEADS = SM112.law("the layouts divide the heads")
ROTATED_PART_EVEN = SM112.law("the rotated part of a head has two halves, its size is not {size}")
ROTATED_PART_FITS_HEAD = SM112.law("the rotated part fits a head")
VALUE_HEADS_AS_KEY_HEADS = SM112.law("there are as many heads of values as of keys")
HEADS_OF_QUERIES_KEYS_VALUES = SM112.law("there are heads of queries, keys and values")
A_HEAD = SM112.law("there is a head")
SINK_PER_HEAD = SM112.law("there is a sink per head")

SM113 = Code(
    "SM113", "attention mask",
    "The mask has a column for each key, past ones included, and a row for each query or a single one.",
    "State how the lengths hang together (--assume \"total == past + seq\"), or give mask and tokens one name.",
    '<ir_version: 10, opset_import: ["": 23]>\n'
    "g (float[b, h, s, 8] q, float[b, h, t, 8] k, float[b, h, t, 8] v, float[s, m] mask)\n"
    "  => (float[b, h, s, 8] y)\n{ y = Attention (q, k, v, mask) }",
)  # fmt: skip
INPUT_AND_MASK_ONE_RANK = SM113.law("input and mask have one rank")
ATTENTION_BIAS_SHAPE = SM113.law("the attention bias is [B or 1, N or 1, S, T]")
ATTENTION_MASK_SHAPED_AS_PROMPTS = SM113.law("the attention mask has the prompts' shape")
MASK_FITS_LENGTHS = SM113.law("the mask fits batch and sequence lengths")
MASK_ROW_PER_QUERY_COLUMN_PER_KEY = SM113.law(
    "the mask has a row per query and a column per key, for each head and sample or for all"
)
MASK_AT_LEAST_2_AXES_OR_NONE = SM113.law("the mask has at least 2 axes, or none")
MASK_BATCH_LENGTH = SM113.law("the mask is [B, S]")
MASK_GROUPS_KERNEL_POSITIONS = SM113.law("the mask is [n, offset_group*kernel, *positions]")
MASK_NOT_EMPTY = SM113.law("the mask of an input with elements has some")

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
PAST_AND_NEW_FIT_BUFFER = SM114.law("past and new tokens fit the buffer")
PAST_KEYS_SHAPE = SM114.law("past keys are [batch, heads, length, size]")
PAST_VALUES_SHAPE = SM114.law("past values are [batch, heads, length, size]")
CACHES_BATCH_HEADS_LENGTH_SIZE = SM114.law("the caches are [B, Nk, P, H]")
CACHES_BATCH_LENGTH_ROTATED = SM114.law("the caches are [batch, length, rotated/2]")
CACHES_BLOCKS_SHAPE = SM114.law("the caches are [blocks, block, Nk, H]")
CACHES_GROW_OR_LONG_ENOUGH = SM114.law("the caches grow by what is new, or are long enough")
CACHES_HALF_AS_MANY_COLUMNS_AS_ROTATED = SM114.law("the caches have half as many columns as are rotated")
CACHES_HOLD_TOTAL_LENGTH = SM114.law("the caches have room for the total length")
PAST_KEYS_VALUES_STACKED_SHAPE = SM114.law("the past is [2, B, N, P, H]")
PAST_BATCH_HEADS_LENGTH_SIZE = SM114.law("the past is [B, N, P, H]")
PAST_BATCH_LENGTH_SIZE = SM114.law("the past is [B, P, H]")
PAST_TENSORS_OR_LENGTHS = SM114.law("the past is given as keys and values or as lengths, not both")
PAST_SHORTER_THAN_N_GRAM = SM114.law("the past is one element shorter than an n-gram")
PAST_LENGTH_ONE_NUMBER = SM114.law("the past length is one number")
TOTAL_LENGTH_COUNTS_NEW_TOKENS = SM114.law("the total length counts the new tokens")
TOTAL_LENGTH_COUNTS_SOME_NEW_TOKENS = SM114.law("the total length counts the new tokens, and there are some")
TOTAL_LENGTH_ONE_NUMBER = SM114.law("the total length is one number")
UPDATE_NO_LONGER_THAN_CACHE = SM114.law("the update is no longer than the cache")
PAST_LENGTH_PER_SAMPLE = SM114.law("there is a past length per sample")
ROOM_BEHIND_PROMPT = SM114.law("there is room behind the prompt")

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
KEY_PER_QUERY = SM115.law("each query has a key")
KEYS_AND_VALUES_BATCH_LENGTH_HIDDEN = SM115.law("keys and values are [B, S, Nk * H]")
KEYS_AND_VALUES_TOKENS_HIDDEN = SM115.law("keys and values are [tokens, Nk * H]")
KEYS_AS_MANY_AS_VALUES = SM115.law("keys and values are as many")
KEYS_BATCH_LENGTH_HIDDEN = SM115.law("keys are [B, L, D]")
KEYS_BATCH_HEADS_LENGTH_SIZE = SM115.law("keys are [B, N, L, H]")
KEYS_LIKE_QUERIES = SM115.law("keys are like queries")
KEYS_HAVE_QUERY_BATCH_AND_HIDDEN_SIZE = SM115.law("keys have the queries' batch and hidden size")
PACKED_KEYS_AND_VALUES_SHAPE = SM115.law("packed keys and values are [B, L, N, 2, H]")
PACKED_KEYS_HOLD_VALUES = SM115.law("packed keys hold the values")
PACKED_PROJECTIONS_ONE_SIZE = SM115.law("packed queries, keys and values have one size")
QUERIES_SHAPE_BY_RANK = SM115.law("queries are [B, S, D] or [B, S, N, 3, H], not of rank {rank}")
QUERIES_BATCHED_OR_TOKENS = SM115.law("queries are [B, S, N * H], or [tokens, N * H] with offsets")
PACKED_QUERIES_BATCHED = SM115.law("queries are [B, S, N, 3, H]")
PACKED_QUERIES_TOKENS = SM115.law("queries are [tokens, N, 3, H]")
QUERIES_KEYS_VALUES_AS_MANY = SM115.law("queries, keys and values are as many")
QUERIES_KEYS_VALUES_SIZES = SM115.law("queries, keys and values have sizes, the first two equal")
ANGLES_BATCH_LENGTH_SIZE = SM115.law("the angles are [B, S, H]")
DECAY_SHAPE = SM115.law("the decay is [batch, length, heads] or [batch, length, heads*size]")
GATES_PER_HEAD_OR_KEY_FEATURE = SM115.law("the gates are one per head, or per feature of the keys")
QUERY_WEIGHTS_SQUARE = SM115.law("the queries' weights are [D, D]")
RATE_SHAPE = SM115.law("the rate is [batch, length, heads] or [batch, length, 1]")
STATE_BATCH_HEADS_KEY_VALUE = SM115.law("the state is [B, M, K, V]")
STATE_BATCH_HEADS_VALUE_KEY = SM115.law("the state is [B, M, V, K]")
STATE_SHAPE = SM115.law("the state is [batch, heads, key size, value size]")
CONVOLUTION_STATE_SHAPE = SM115.law("the state is [n, channels, kernel - 1]")
UPDATE_RULE_HAS = SM115.law("the update rule '{rule}' has a {input}")
UPDATE_RULE_HAS_NO = SM115.law("the update rule '{rule}' has no {input}")
VALUE_BATCH_LENGTH_SIZE = SM115.law("the value is [B, S, H]")
WEIGHTS_D_3D = SM115.law("the weights are [D, 3D]")
WEIGHTS_HOLD_QUERIES_KEYS_VALUES = SM115.law("the weights hold queries, keys and values")
KEY_AND_VALUE_WEIGHTS_D_2D = SM115.law("the weights of keys and values are [D, 2D]")
KEY_PER_QUERY_OR_NONE = SM115.law("there is a key per query, or none")
UPDATE_RATE_PER_TOKEN_AND_HEAD = SM115.law("there is an update rate per token and head")
ONE_NEW_TOKEN = SM115.law("there is one new token")
VALUES_BATCH_HEADS_LENGTH_SIZE = SM115.law("values are [B, N, L, H]")
VALUES_AS_MANY_AS_KEYS = SM115.law("values are as many as keys")
VALUES_AS_MANY_AS_QUERIES = SM115.law("values are as many as queries")
QUERIES_WITH_KEYS_SHAPE = SM115.law("with keys, queries are [B, S, D]")
QUERIES_WITHOUT_KEYS_HOLD_VALUES = SM115.law("without keys, queries are [B, S, N, 3, H] and hold the values")
KEYS_END_SHAPED_AS_TABLE = SM115.law("keys end with the shape of the table's")
