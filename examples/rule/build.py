"""A speech model with an operator of its own: `Fold` puts 4 samples into one frame.

`Fold` has no rule in shapesmt, so nothing can be proved, until `shapes.py` supplies one.

    shapesmt ops examples/rule/fold.onnx
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

TEXT = """
<ir_version: 8, opset_import: ["": 18, "com.example": 1]>
fold (float[batch, samples] sound) => (float[batch, frames, 8] features)
{
    [fold] framed = com.example.Fold <times = 4> (sound)
    [project] features = MatMul (framed, matrix)
}
"""


def model() -> onnx.ModelProto:
    """Sound [batch, samples] -> features [batch, frames, 8]."""
    built = onnx.parser.parse_model(TEXT)
    values = (np.arange(32) % 5 - 2) / 8
    built.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32).reshape(4, 8), "matrix"))
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("fold.onnx"))
