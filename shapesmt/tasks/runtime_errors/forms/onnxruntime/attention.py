"""Forms about attention: queries, keys, values, masks, caches and rotated positions."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.tasks.runtime_errors.forms.form import Stop, in_order
from shapesmt.tasks.runtime_errors.forms.onnxruntime.says import says

__all__ = ["FORMS"]

_MASK = laws.MASK_ROW_PER_QUERY_COLUMN_PER_KEY
ATTENTION = in_order(
    says(r"inconsistent batch_size \(between Q and K\)", laws.QUERIES_KEYS_VALUES_SAME_BATCH, where="i0a0 != i1a0"),
    says(r"inconsistent batch_size \(between Q and V\)", laws.QUERIES_KEYS_VALUES_SAME_BATCH, where="i0a0 != i2a0"),
    says(r"inconsistent batch_size \(between Q and past_key\)", laws.PAST_KEYS_SHAPE, where="i0a0 != i4a0"),
    says(r"inconsistent batch_size \(between Q and past_value\)", laws.PAST_VALUES_SHAPE, where="i0a0 != i5a0"),
    says(r"inconsistent past_sequence_length \(between past_key and past_value\)", laws.PAST_VALUES_SHAPE,
         where="i4a2 != i5a2"),
    says(r"Batch size must be greater than 0", laws.QUERIES_KEYS_VALUES_NOT_EMPTY, where="i0a0 == 0"),
    (
        says(r"kv_num_heads different from V\.shape\[1\]", laws.VALUE_HEADS_AS_KEY_HEADS),
        says(r"inconsistent q_hidden_size, it should be a multiple of q_num_heads", laws.ATTRIBUTE_DIVIDES_LAST_SIZE,
             where="i0a2 % attr_q_num_heads != 0"),
    ),
    (
        says(r"inconsistent head_size(?! \(between Q and K\))", laws.KEY_SIZED_AS_QUERY),
        says(r"inconsistent head_size \(between Q and K\): K\.shape\[2\]=<i1a2> expected kv_num_heads \* head_size = "
             r"<attr_kv_num_heads> \* <head>", laws.KEY_SIZED_AS_QUERY, laws.ATTRIBUTE_DIVIDES_LAST_SIZE,
             where="i1a2 * attr_q_num_heads != i0a2 * attr_kv_num_heads", head="i0a2 // attr_q_num_heads"),
    ),
    (
        says(r"inconsistent kv_sequence_length(?! \(between K and V\))", laws.VALUE_PER_KEY),
        says(r"inconsistent kv_sequence_length \(between K and V\): K\.shape\[1\]=<i1a1> V\.shape\[1\]=<i2a1>",
             laws.VALUE_PER_KEY),
    ),
    says(r"inconsistent q_sequence_length \(between attn_mask and Q\)", _MASK, where="i3z2 != i0z2"),
    says(r"Q sequence length must be greater than 0", laws.QUERIES_KEYS_VALUES_NOT_EMPTY, where="i0z2 == 0"),
    says(r"KV sequence length must be greater than 0", laws.QUERIES_KEYS_VALUES_NOT_EMPTY, where="i1z2 == 0"),
    says(r"inconsistent total_sequence_length \(between attn_mask and past_key and past_value\)", _MASK,
         where="i3z1 != i1z2 + i4a2_or_0"),
    says(r"attn_mask must be broadcastable to .{0,200} not compatible with batch_size", _MASK,
         where="i3z4 != 1 and i3z4 != i0a0"),
)  # fmt: skip
_KEYS_VALUES = laws.KEYS_AND_VALUES_BATCH_LENGTH_HIDDEN
_CACHES = laws.CACHES_BATCH_HEADS_LENGTH_SIZE
GROUPED = in_order(
    says(r"head_size must be a multiple of 8\. Got head_size % 8 == <rest>", laws.HEAD_SIZE_MULTIPLE,
         rest="i0a2 // attr_num_heads % 8"),
    says(r"Input 'query' and 'key' shall have same dim 0 \(batch size\)", _KEYS_VALUES, where="i0a0 != i1a0"),
    says(r"kv_hidden_size must be a multiple of kv_num_heads\. Got kv_hidden_size % kv_num_heads == <rest>",
         _KEYS_VALUES, where="i1a2 % attr_kv_num_heads != 0", rest="i1a2 % attr_kv_num_heads"),
    says(r"kv_hidden_size / kv_num_heads must be equal to head_size\. Got kv_hidden_size / kv_num_heads == <head>",
         _KEYS_VALUES, where="i1a2 // attr_kv_num_heads != i0a2 // attr_num_heads", head="i1a2 // attr_kv_num_heads"),
    says(r"Input 'query' and 'value' shall have same dim 0 \(batch size\)", _KEYS_VALUES, where="i0a0 != i2a0"),
    says(r"Input 'key' and 'value' shall have same dim 1 \(sequence length\)", _KEYS_VALUES, where="i1a1 != i2a1"),
    says(r"Input 'value' is expected to have same hidden size as key", _KEYS_VALUES, where="i1a2 != i2a2"),
    says(r"Input 'past_key' dimension 0 should be batch_size, got <i3a0>", _CACHES, where="i3a0 != i0a0"),
    says(r"Input 'past_value' dimension 0 should be batch_size, got <i4a0>", _CACHES, where="i4a0 != i0a0"),
    says(r"seqlens_k must have batch_size \(<b>\) elements, got <a>", laws.LENGTH_PER_SAMPLE, stop=Stop.FIRST),
    says(r"total_sequence_length must be at least kv_sequence_length for a non-sliding cache\. Got <a> and <b>",
         laws.TOTAL_LENGTH_COUNTS_SOME_NEW_TOKENS, stop=Stop.FIRST),
    says(r"Got total_sequence_length=<a>, past_sequence_length=<past>, kv_sequence_length=<new>",
         laws.CACHES_GROW_OR_LONG_ENOUGH, past="i3a2_or_0", new="i0a1"),
    says(r"batch_size must be 1 when sequence_length > 1 and past context is given", laws.NEW_TOKENS_BEHIND_PAST,
         where="i0a0 != 1 and i0a1 > 1"),
    says(r"sequence_length shall be 1 when it is not prompt", laws.NEW_TOKENS_BEHIND_PAST, where="i0a1 != 1"),
)  # fmt: skip
_BIAS = laws.ATTENTION_BIAS_SHAPE
MANY_HEADED = in_order(
    says(r"Input 'query', 'key' and 'value' shall have same dim 0 \(batch_size\)", laws.KEYS_BATCH_LENGTH_HIDDEN,
         laws.VALUES_AS_MANY_AS_KEYS, where="i0a0 != i1a0 or i0a0 != i2a0"),
    says(r"Input 'query' and 'key' shall have same dim 2 \(hidden_size\)", laws.KEYS_BATCH_LENGTH_HIDDEN,
         where="i0a2 != i1a2"),
    says(r"Input 'key' and 'value' shall have same dim 1 \(kv_sequence_length\)", laws.VALUES_AS_MANY_AS_KEYS,
         where="i1a1 != i2a1"),
    says(r"Input 'bias' length is expected to be 2 \* hidden_size \+ hidden_size_v, got <r3>",
         laws.BIAS_AS_LONG_AS_QUERIES_KEYS_VALUES),
    says(r"Input 'key_padding_mask' shape is not expected", laws.MASK_FITS_LENGTHS),
    says(r"Input 'attention_bias' dimension 0 should be .{0,60}, got <i5a0>", _BIAS,
         where="i5a0 != i0a0 and i5a0 != 1"),
    says(r"Input 'attention_bias' dimension 1 should be .{0,60}, got <i5a1>", _BIAS,
         where="i5a1 != attr_num_heads and i5a1 != 1"),
    says(r"Input 'attention_bias' dimension 2 should be .{0,60}, got <i5a2>", _BIAS, where="i5a2 != i0a1"),
    says(r"Input 'attention_bias' dimension 3 should be .{0,60}, got <i5a3>", _BIAS),
)  # fmt: skip
_ROTATED = laws.CACHES_BATCH_LENGTH_ROTATED
ROTARY = in_order(
    says(r"Inputs 'cos_cache' and 'sin_cache' are expected to have the same shape(?! as)", laws.CACHES_SAME_SHAPE),
    (
        says(r"are expected to have the same shape as input 'x', got <i1a0> and <i1a1>", _ROTATED, certain=False),
        says(r"Input 'cos_cache' dimension \d should be same as head_size / 2 or rotary_embedding_dim / 2, got <i1z1>",
             _ROTATED, laws.CACHES_HALF_AS_MANY_COLUMNS_AS_ROTATED, certain=False),
        says(r"Input 'position_ids' dimension 0 should be of size batch_size, got <i3a0>", laws.POSITIONS_BATCH_LENGTH,
             where="i3a0 != i0a0"),
        says(r"Input 'position_ids' dimension 1 should be of size sequence_length, got <i3a1>",
             laws.POSITIONS_BATCH_LENGTH, where="i3a0 == i0a0"),
    ),
    says(r"Updating cos_cache and sin_cache in RotaryEmbedding is not currently supported",
         laws.CACHES_ROW_PER_POSITION),
)  # fmt: skip
HEADED = (
    says(r"q_num_heads must be a multiple of kv_num_heads\. This is required",
         laws.HEADS_OF_KEYS_DIVIDE_HEADS_OF_QUERIES),
    says(r"(?:KV|Q) number of heads must be greater than 0", laws.AT_LEAST_ONE_HEAD, laws.QUERIES_KEYS_VALUES_NOT_EMPTY,
         certain=False),
    says(r"not compatible with q_num_heads", _MASK, certain=False),
    says(r"nonpad_kv_seqlen\[<_>\] = <_> is out of range \[0, <_>\]", laws.NONPAD_KV_SEQLEN_COUNTS_KEYS),
    says(r"position_ids value <_> at index <_> is out of range \[0, <_>\)", laws.POSITIONS_IN_CACHES),
    says(r"rotary_embedding_dim must be less than or equal to head_size", laws.ROTATED_PART_FITS_HEAD, certain=False),
)  # fmt: skip
FORMS = (*ATTENTION, *GROUPED, *MANY_HEADED, *ROTARY, *HEADED)
