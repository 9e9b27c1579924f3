"""A text encoder whose table of positions ends at 512.

Nothing in the file's inputs says so: `seq` is a free dimension, and the positions 0 .. seq - 1 are computed inside.
Position 512 has no row.

    shapesmt check examples/position_table/position_table.onnx --dim batch=1..8 --dim seq=1..1024
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

TEXT = """
<ir_version: 8, opset_import: ["": 18]>
position_table (int64[batch, seq] ids) => (float[batch, seq, 8] embedded)
<int64 zero = {0}, int64 one = {1}>
{
    [words] word = Gather (words_table, ids)
    [shape] shape = Shape (ids)
    [length] length = Gather <axis = 0> (shape, one)
    [count] order = Range (zero, length, one)
    [positions] position = Gather (positions_table, order)
    [add] embedded = Add (word, position)
}
"""
WEIGHTS = {"words_table": (10, 8), "positions_table": (512, 8)}


def model() -> onnx.ModelProto:
    """Word numbers [batch, seq] -> vectors [batch, seq, 8]."""
    built = onnx.parser.parse_model(TEXT)
    for name, shape in WEIGHTS.items():
        values = (np.arange(np.prod(shape)) % 5 - 2) / 8
        built.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32).reshape(shape), name))
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("position_table.onnx"))
