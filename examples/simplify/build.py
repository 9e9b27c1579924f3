"""Self-attention as exporters write it: half of its nodes compute shapes, each from scratch.

A size is read from a tensor (`Shape`, `Gather`), made a vector (`Unsqueeze`), joined with others (`Concat`) and given
to `Reshape`; once for the queries, once for the keys, once for the values, and once more at the end. All of these are
the same two sizes, so each target is a constant: 0 stands for a size that stays, -1 for the one that is left.

    shapesmt simplify examples/simplify/attention.onnx -o /dev/null --dim batch=1..8 --dim seq=1..64 --check-runs 20
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

HEADS, WIDTH = 2, 4
SIZES = """
    {0}_shape = Shape (x)
    {0}_batch = Gather <axis = 0> ({0}_shape, zero)
    {0}_seq = Gather <axis = 0> ({0}_shape, one)
    {0}_rows = Unsqueeze ({0}_batch, first)
    {0}_columns = Unsqueeze ({0}_seq, first)
"""
PART = (
    SIZES
    + """
    {0}_target = Concat <axis = 0> ({0}_rows, {0}_columns, heads, width)
    {0}_flat = MatMul (x, {0}_weights)
    {0}_split = Reshape ({0}_flat, {0}_target)
"""
)
TEXT = f"""
<ir_version: 8, opset_import: ["": 18]>
attention (float[batch, seq, {HEADS * WIDTH}] x) => (float[batch, seq, {HEADS * WIDTH}] y)
<int64 zero = {{0}}, int64 one = {{1}}, int64[1] first = {{0}}, int64[1] heads = {{{HEADS}}},
 int64[1] width = {{{WIDTH}}}, int64[1] both = {{{HEADS * WIDTH}}}>
{{
    {PART.format("query")}{PART.format("key")}{PART.format("value")}
    query = Transpose <perm = [0, 2, 1, 3]> (query_split)
    key = Transpose <perm = [0, 2, 3, 1]> (key_split)
    value = Transpose <perm = [0, 2, 1, 3]> (value_split)
    products = MatMul (query, key)
    size = Shape (query)
    last = Constant <value_ints = [3]> ()
    square = Gather <axis = 0> (size, last)
    squared = Cast <to = 1> (square)
    root = Sqrt (squared)
    scaled = Div (products, root)
    scores = Softmax <axis = -1> (scaled)
    mixed = MatMul (scores, value)
    back = Transpose <perm = [0, 2, 1, 3]> (mixed)
    {SIZES.format("joined")}
    joined_target = Concat <axis = 0> (joined_rows, joined_columns, both)
    y = Reshape (back, joined_target)
}}
"""


def model() -> onnx.ModelProto:
    """Vectors [batch, seq, 8] -> vectors [batch, seq, 8]."""
    built = onnx.parser.parse_model(TEXT)
    for index, part in enumerate(("query", "key", "value")):
        values = ((np.arange((HEADS * WIDTH) ** 2) + index) % 7 - 3) / 8
        weights = values.astype(np.float32).reshape(HEADS * WIDTH, HEADS * WIDTH)
        built.graph.initializer.append(onnx.numpy_helper.from_array(weights, f"{part}_weights"))
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("attention.onnx"))
