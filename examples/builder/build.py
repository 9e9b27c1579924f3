"""A super-resolution network that exists only as Python: no ONNX file, no weights.

The image is halved, filtered, enlarged again and joined with what it was. The sketch is to take any image up to
1080 x 1920; odd ones it doesn't take. What is written is a networkx graph as node-link JSON.

    shapesmt check examples/builder/graph.json
    shapesmt bounds examples/builder/graph.json image sharp --dim image_dim2=64..1080:2 --dim image_dim3=64..1920:2
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import shapesmt
from shapesmt.entrypoints.builder.builder import GraphBuilder, Handle


def model() -> shapesmt.Graph:
    """Image [batch, 3, height, width] -> sharp [batch, 3, 2*height, 2*width]."""
    g = GraphBuilder("sharpen")
    image = g.input("image", [g.dim("batch", "1..16"), 3, "64..1080", "64..1920"])
    with g.scope("encoder"):
        fine = convolve(g, image, 3, 8)
        coarse = g.op("MaxPool", fine, kernel_shape=[2, 2], strides=[2, 2])
    with g.scope("decoder"):
        double = g.op("Resize", convolve(g, coarse, 8, 16), None, [1.0, 1.0, 2.0, 2.0], mode="nearest")
        joined = g.op("Concat", fine, double, axis=1, name="join")
        g.output(g.op("DepthToSpace", convolve(g, joined, 24, 12), blocksize=2), "sharp")
    return g.build()


def convolve(g: GraphBuilder, x: Handle, inner: int, outer: int) -> Handle:
    """A convolution that keeps the size, and its activation."""
    weight = g.constant(np.zeros((outer, inner, 3, 3), np.float32))
    return g.op("Relu", g.op("Conv", x, weight, pads=[1, 1, 1, 1]))


if __name__ == "__main__":
    shapesmt.save_graph(model(), Path(__file__).with_name("graph.json"))
