"""A classifier that was exported with a batch of one baked into a Reshape.

Its input says `batch`, and the exporter wrote `Reshape(x, [1, 64])`, because that is what `x.reshape(x.size(0), -1)`
was while it watched. Every checker accepts the file; at a batch of two it fails.

    shapesmt check examples/baked_batch/baked_batch.onnx --dim batch=1..32
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

TEXT = """
<ir_version: 8, opset_import: ["": 18]>
baked_batch (float[batch, 3, 8, 8] image) => (float[batch, 5] logits)
<int64[2] flat = {1, 64}>
{
    [stem] features = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (image, kernel)
    [flatten] vector = Reshape (features, flat)
    [head] logits = MatMul (vector, matrix)
}
"""
WEIGHTS = {"kernel": (4, 3, 3, 3), "matrix": (64, 5)}


def model() -> onnx.ModelProto:
    """Image [batch, 3, 8, 8] -> logits [batch, 5]."""
    built = onnx.parser.parse_model(TEXT)
    for name, shape in WEIGHTS.items():
        values = (np.arange(np.prod(shape)) % 5 - 2) / 8
        built.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32).reshape(shape), name))
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("baked_batch.onnx"))
