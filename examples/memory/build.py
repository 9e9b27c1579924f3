"""Self-attention over a batch of texts: what it holds at most grows with the square of their length.

Of each text and head, the products of all words with all words are held twice while they become weights. So the longest
texts decide how many fit the memory of a device: of eight, those of 996 words are the last that fit 256 MB.

    shapesmt memory examples/memory/attention.onnx --dim batch=1..32 --dim seq=1..1024
    shapesmt memory examples/memory/attention.onnx --dim batch=8 --dim seq=1..1024 --budget 256MB --max seq
    shapesmt memory examples/memory/attention.onnx --dim batch=1..32 --dim seq=1..1024 --mode inplace --html /dev/null
"""

from __future__ import annotations

from pathlib import Path

import onnx

HEADS, WIDTH = 4, 16
TEXT = f"""
<ir_version: 8, opset_import: ["": 18]>
attention (float[batch, seq, {HEADS * WIDTH}] x) => (float[batch, seq, {HEADS * WIDTH}] y)
<int64[4] split = {{0, 0, {HEADS}, {WIDTH}}}, int64[3] joined = {{0, 0, {HEADS * WIDTH}}},
 float root = {{{WIDTH**0.5}}}>
{{
    heads = Reshape (x, split)
    queries = Transpose <perm = [0, 2, 1, 3]> (heads)
    keys = Transpose <perm = [0, 2, 3, 1]> (heads)
    products = MatMul (queries, keys)
    scores = Div (products, root)
    weights = Softmax (scores)
    mixed = MatMul (weights, queries)
    words = Transpose <perm = [0, 2, 1, 3]> (mixed)
    y = Reshape (words, joined)
}}"""

if __name__ == "__main__":
    onnx.save(onnx.parser.parse_model(TEXT), str(Path(__file__).with_name("attention.onnx")))
