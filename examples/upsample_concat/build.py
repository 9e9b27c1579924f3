"""Two strided convolutions, one upsampling, one join: at which image sizes does it run?

A 3 x 3 convolution with stride 2 and padding 1 makes (n + 1)//2 of n. Two of them, then twice the size again, have to
meet the first one's result: (n + 1)//2 against 2*(((n + 1)//2 + 1)//2). Even sizes aren't enough, and multiples of 4
aren't all: 67 runs, 66 doesn't.

    shapesmt check examples/upsample_concat/upsample_concat.onnx --dim height=1..256 --dim width=1..256
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

TEXT = """
<ir_version: 8, opset_import: ["": 18]>
upsample_concat (float[batch, 3, height, width] image) => (float[batch, 10, rows, columns] features)
<float[4] double = {1.0, 1.0, 2.0, 2.0}>
{
    [half] x = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (image, kernel_1)
    [quarter] y = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (x, kernel_2)
    [upsample] z = Resize <mode = "nearest"> (y, , double)
    [join] features = Concat <axis = 1> (x, z)
}
"""
WEIGHTS = {"kernel_1": (4, 3, 3, 3), "kernel_2": (6, 4, 3, 3)}


def model() -> onnx.ModelProto:
    """Image [batch, 3, height, width] -> features [batch, 10, (height + 1)//2, (width + 1)//2]."""
    built = onnx.parser.parse_model(TEXT)
    for name, shape in WEIGHTS.items():
        values = (np.arange(np.prod(shape)) % 5 - 2) / 8
        built.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32).reshape(shape), name))
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("upsample_concat.onnx"))
