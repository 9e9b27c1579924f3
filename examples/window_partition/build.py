"""Windows of 7 x 7 pixels, as window attention cuts them, with and without padding.

`tiles.onnx` reshapes [batch, height, width, 8] to [batch, height//7, 7, width//7, 7, 8], which keeps the number of
elements only where 7 divides both. `padded.onnx` first pads to the next multiple of 7, computed inside the graph from
the shape, and runs at every size.

    shapesmt check examples/window_partition/tiles.onnx --dim height=7..224 --dim width=7..224
    shapesmt check examples/window_partition/padded.onnx --dim height=1..224 --dim width=1..224
"""

from __future__ import annotations

from pathlib import Path

import onnx

HEAD = """
<ir_version: 8, opset_import: ["": 18]>
%s (float[batch, height, width, 8] features) => (float[windows, 7, 7, 8] tiles)
<int64[1] window = {7}, int64[1] first = {0}, int64[1] rest = {-1}, int64[1] channels = {8},
 int64[1] y = {1}, int64[1] x = {2}, int64[5] before = {0, 0, 0, 0, 0}, int64[4] merged = {-1, 7, 7, 8}>
"""
PAD = """
    [shape] shape = Shape (features)
    [height] rows = Gather <axis = 0> (shape, y)
    [width] columns = Gather <axis = 0> (shape, x)
    [minus_height] minus_rows = Neg (rows)
    [minus_width] minus_columns = Neg (columns)
    [below] below = Mod (minus_rows, window)
    [right] right = Mod (minus_columns, window)
    [pads] pads = Concat <axis = 0> (before, below, right, first)
    [pad] image = Pad (features, pads)
"""
CUT = """
    [sizes] sizes = Shape (image)
    [batch] images = Gather <axis = 0> (sizes, first)
    [rows] image_rows = Gather <axis = 0> (sizes, y)
    [columns] image_columns = Gather <axis = 0> (sizes, x)
    [down] down = Div (image_rows, window)
    [across] across = Div (image_columns, window)
    [target] target = Concat <axis = 0> (images, down, window, across, window, channels)
    [cut] grid = Reshape (image, target)
    [order] ordered = Transpose <perm = [0, 1, 3, 2, 4, 5]> (grid)
    [merge] tiles = Reshape (ordered, merged)
"""


def model(padded: bool = False) -> onnx.ModelProto:
    """Features [batch, height, width, 8] -> windows [windows, 7, 7, 8]."""
    name = "padded" if padded else "tiles"
    image = PAD if padded else "[image] image = Identity (features)"
    return onnx.parser.parse_model(f"{HEAD % name}{{{image}{CUT}}}")


if __name__ == "__main__":
    for padded, name in ((False, "tiles.onnx"), (True, "padded.onnx")):
        onnx.save(model(padded), Path(__file__).with_name(name))
