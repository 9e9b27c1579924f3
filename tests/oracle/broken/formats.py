"""Calls that break one law each, of what formats say of all operators: types, numbers of inputs, attributes."""

from __future__ import annotations

from functools import partial

from tests.oracle.onnx_calls import k, op, x
from tests.support import laws

ms = partial(op, domain="com.microsoft", version=1)
ml = partial(op, domain="ai.onnx.ml", version=3)

ROWS = [
    (laws.ATTRIBUTE_GIVEN,
     ms("LinearAttention", x(1, 3, 8), x(1, 3, 8), x(1, 3, 8), x(1, 2, 4, 4), x(1, 3, 2), x(1, 3, 2), outputs=2,
      q_num_heads=2, update_rule="gated_delta")),
    (laws.ATTRIBUTE_IS_ONE_OF,
     ms("LinearAttention", x(1, 3, 8), x(1, 3, 8), x(1, 3, 8), x(1, 2, 4, 4), x(1, 3, 2), x(1, 3, 2), outputs=2,
      kv_num_heads=2, q_num_heads=2, update_rule="sum")),
    (laws.ATTRIBUTE_OF_KIND,
     ml("LabelEncoder", x(2, dtype="int64"), version=4, keys_int64s=[1, 2], values_int64s=[3, 4], default_int64=1.5)),
    (laws.INPUTS_OR_OUTPUTS, ms("PagedAttention", outputs=3, kv_num_heads=2, num_heads=2)),
    (laws.INPUTS_SAME_TYPE,
     ms("LinearAttention", x(1, 3, 8, dtype="float16"), x(1, 3, 8), x(1, 3, 8), x(1, 2, 4, 4), x(1, 3, 2), x(1, 3, 2),
      outputs=2, kv_num_heads=2, q_num_heads=2, update_rule="gated_delta")),
    (laws.INPUT_OF_TYPES,
     ms("NGramHashMapping", x(dtype="int64"), x(3, dtype="int64"), x(4, dtype="int64"), x(2, 2, dtype="int64"), x(4,
      dtype="int64"), x(1, dtype="int64"), x(2, 5, dtype="int64"), outputs=2, max_ngram_size=3, n_head_per_ngram=2,
      pad_id=0)),
    (laws.NAMED_ATTRIBUTE_NOT_NEGATIVE,
     ms("EmbedLayerNormalization", k([[0, 0]], "int32"), k([[0, 0]], "int32"), x(6, 4), x(6, 4), x(2, 4), x(4), x(4),
      None, k([[0, 0]], "int32"), outputs=2, epsilon=-1.0)),
    (laws.NAMED_ATTRIBUTE_POSITIVE,
     ms("BifurcationDetector", x(4, dtype="int64"), x(3, dtype="int64"), k(1), x(4, dtype="int64"), outputs=2,
      max_ngram_size=0)),
    (laws.NAMED_INPUT_GIVEN,
     ms("PagedAttention", x(5, 8, dtype="float16"), x(5, 8, dtype="float16"), x(5, 8, dtype="float16"), None, x(3, 4,
      2, 4, dtype="float16"), x(3, dtype="int32"), x(2, dtype="int32"), x(2, 2, dtype="int32"), x(4, 2,
      dtype="float16"), x(4, 2, dtype="float16"), outputs=3, do_rotary=1, kv_num_heads=2, num_heads=2)),
    (laws.ONE_INPUT_OR_OUTPUT, ms("Inverse")),
    (laws.SEPARATORS_OR_TOKENEXP, ms("Tokenizer", x(1, 1, dtype="object"), mark=0, pad_value="#", mincharnum=1)),
]  # fmt: skip
