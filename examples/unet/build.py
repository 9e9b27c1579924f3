"""A U-Net that is handed images of odd sizes.

Four times the encoder halves the image, and four times the decoder doubles it and joins it with what the encoder had
at that level. Halving rounds down, so a level of 33 rows comes back with 32: the join fails, though training at
256 x 256 never showed it.

    shapesmt check examples/unet/unet.onnx --dim height=64..512 --dim width=64..512
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

CHANNELS = [3, 4, 6, 8, 10]  # of the image, then of each level
BOTTOM = 12


def model() -> onnx.ModelProto:
    """Image [batch, 3, height, width] -> mask [batch, 1, ?, ?]."""
    weights = [numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "double")]
    graph = helper.make_graph(
        list(_nodes(weights)),
        "unet",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "height", "width"])],
        [helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", 1, None, None])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def _nodes(weights: list[TensorProto]) -> Iterator[NodeProto]:
    def convolve(where: str, x: str, inner: int, outer: int, size: int = 3) -> NodeProto:
        values = np.arange(outer * inner * size * size) % 5 - 2
        weights.append(
            numpy_helper.from_array(
                (values / 8).astype(np.float32).reshape(outer, inner, size, size), f"{where}.weight"
            )
        )
        return helper.make_node(
            "Conv", [x, f"{where}.weight"], [f"{where}.conv"], f"/{where}/Conv", pads=[size // 2] * 4
        )

    x, levels = "image", range(1, len(CHANNELS))
    for level in levels:
        where = f"down{level}"
        yield convolve(where, x, CHANNELS[level - 1], CHANNELS[level])
        yield helper.make_node("Relu", [f"{where}.conv"], [where], f"/{where}/Relu")
        x = f"{where}.half"
        yield helper.make_node("MaxPool", [where], [x], f"/{where}/MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    yield convolve("bottom", x, CHANNELS[-1], BOTTOM)
    x, channels = "bottom.conv", BOTTOM
    for level in reversed(levels):
        where = f"up{level}"
        yield helper.make_node("Resize", [x, "", "double"], [f"{where}.double"], f"/{where}/Resize", mode="nearest")
        yield helper.make_node(
            "Concat", [f"down{level}", f"{where}.double"], [f"{where}.joined"], f"/{where}/Concat", axis=1
        )
        yield convolve(where, f"{where}.joined", CHANNELS[level] + channels, CHANNELS[level])
        yield helper.make_node("Relu", [f"{where}.conv"], [where], f"/{where}/Relu")
        x, channels = where, CHANNELS[level]
    yield convolve("head", x, channels, 1, size=1)
    yield helper.make_node("Sigmoid", ["head.conv"], ["mask"], "/head/Sigmoid")


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("unet.onnx"))
