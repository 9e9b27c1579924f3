"""One attention layer of a decoder that keeps its keys and values: `past` tokens are cached, `seq` are new.

The mask is an input of its own, with a length of its own, `total`. That it must be `past + seq` is written nowhere in
the file. Left free it breaks the addition of the mask; once it is assumed, everything else follows.

    shapesmt check examples/kv_cache/kv_cache.onnx --dim past=1..2048 --dim seq=1..64 --dim total=2..4096
    shapesmt check examples/kv_cache/kv_cache.onnx --assume "total == past + seq"
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

TEXT = """
<ir_version: 8, opset_import: ["": 18]>
kv_cache (float[batch, seq, 8] hidden, float[batch, 2, past, 4] past_keys, float[batch, 2, past, 4] past_values,
          float[batch, total] mask)
      => (float[batch, seq, 8] out, float[batch, 2, all, 4] keys, float[batch, 2, all, 4] values)
<int64[4] heads = {0, 0, 2, 4}, int64[3] flat = {0, 0, 8}, int64[2] middle = {1, 2}>
{
    [query] q = MatMul (hidden, to_query)
    [query_heads] q_heads = Reshape (q, heads)
    [query_order] queries = Transpose <perm = [0, 2, 1, 3]> (q_heads)
    [key] k = MatMul (hidden, to_key)
    [key_heads] k_heads = Reshape (k, heads)
    [key_order] new_keys = Transpose <perm = [0, 2, 1, 3]> (k_heads)
    [value] v = MatMul (hidden, to_value)
    [value_heads] v_heads = Reshape (v, heads)
    [value_order] new_values = Transpose <perm = [0, 2, 1, 3]> (v_heads)
    [cache_keys] keys = Concat <axis = 2> (past_keys, new_keys)
    [cache_values] values = Concat <axis = 2> (past_values, new_values)
    [keys_over] turned = Transpose <perm = [0, 1, 3, 2]> (keys)
    [scores] scores = MatMul (queries, turned)
    [widen] wide = Unsqueeze (mask, middle)
    [add_mask] masked = Add (scores, wide)
    [softmax] weights = Softmax <axis = -1> (masked)
    [attend] attended = MatMul (weights, values)
    [heads_back] back = Transpose <perm = [0, 2, 1, 3]> (attended)
    [flatten] joined = Reshape (back, flat)
    [project] out = MatMul (joined, project)
}
"""
WEIGHTS = dict.fromkeys(("to_query", "to_key", "to_value", "project"), (8, 8))


def model() -> onnx.ModelProto:
    """Hidden [batch, seq, 8], cache [batch, 2, past, 4] twice, mask [batch, total] -> out, and the cache grown."""
    built = onnx.parser.parse_model(TEXT)
    for name, shape in WEIGHTS.items():
        values = (np.arange(np.prod(shape)) % 5 - 2) / 8
        built.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32).reshape(shape), name))
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("kv_cache.onnx"))
