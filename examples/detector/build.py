"""A detector with heads at strides 8, 16 and 32, for images of any size.

Five convolutions halve the image, and each rounds up. On the way back each level is doubled and joined with the level
above it. Images are usually scaled to a multiple of 32; up to 7 rows or columns less run as well.

    shapesmt check examples/detector/detector.onnx --dim batch=1..8 --dim height=32..1280 --dim width=32..1280
    shapesmt bounds examples/detector/detector.onnx boxes --dim batch=1..8 --dim height=32..1280:32 --dim width=640
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

TEXT = """
<ir_version: 8, opset_import: ["": 18]>
detector (float[batch, 3, height, width] image) => (float[batch, anchors, 6] boxes)
<int64[3] flat = {0, 6, -1}, float[4] twice = {1.0, 1.0, 2.0, 2.0}>
{
    [stem] c1 = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (image, w_stem)
    [stride4] c2 = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (c1, w_4)
    [stride8] p3 = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (c2, w_8)
    [stride16] p4 = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (p3, w_16)
    [stride32] p5 = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (p4, w_32)
    [double5] up5 = Resize <mode = "nearest"> (p5, , twice)
    [join4] j4 = Concat <axis = 1> (up5, p4)
    [mix4] n4 = Conv (j4, w_mix)
    [double4] up4 = Resize <mode = "nearest"> (n4, , twice)
    [join3] j3 = Concat <axis = 1> (up4, p3)
    [head3] h3 = Conv (j3, w_head3)
    [head4] h4 = Conv (n4, w_head)
    [head5] h5 = Conv (p5, w_head)
    [flat3] f3 = Reshape (h3, flat)
    [flat4] f4 = Reshape (h4, flat)
    [flat5] f5 = Reshape (h5, flat)
    [all] found = Concat <axis = 2> (f3, f4, f5)
    [order] boxes = Transpose <perm = [0, 2, 1]> (found)
}
"""
WEIGHTS = {
    "w_stem": (4, 3, 3, 3),
    **dict.fromkeys(("w_4", "w_8", "w_16", "w_32"), (4, 4, 3, 3)),
    "w_mix": (4, 8, 1, 1),
    "w_head3": (6, 8, 1, 1),
    "w_head": (6, 4, 1, 1),
}


def model() -> onnx.ModelProto:
    """Image [batch, 3, height, width] -> boxes [batch, anchors, 6]."""
    built = onnx.parser.parse_model(TEXT)
    for name, shape in WEIGHTS.items():
        values = (np.arange(np.prod(shape)) % 5 - 2) / 8
        built.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32).reshape(shape), name))
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("detector.onnx"))
