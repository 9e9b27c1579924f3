"""Reading images at regions, grids and offsets, and unpooling: rules against execution."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.harness import agree, node

ZEROS = {"r": lambda _, shape: np.zeros(shape), "i": lambda _, shape: np.zeros(shape)}


@pytest.mark.parametrize("opset", [10, 16])
def test_roi_align(opset):
    shapes = {"x": ["n", 2, "h", 3], "r": ["k", "c"], "b": ["m"]}
    ranges = {"n": (0, 2), "h": (0, 2), "k": (0, 2), "c": (3, 5), "m": (0, 2)}
    pool = node("RoiAlign", ["x", "r", "b"], output_height=3)
    agree(pool, shapes, ranges, dtypes={"b": "int64"}, opset=opset, data={"r": ZEROS["r"]})


def test_roi_align_knows_batch_indices():
    regions = {"r": np.zeros([2, 4], np.float32)}
    found = agree(
        node("RoiAlign", ["x", "r", "b"]), {"x": ["n", 1, 2, 2]}, {"n": (0, 3)}, items={"b": [0, 1]}, constants=regions
    )
    assert (found.ran, found.failed) == (2, 2)


def test_max_roi_pool():
    shapes, ranges = {"x": ["n", 2, 3, 3], "r": ["k", "c"]}, {"n": (0, 2), "k": (0, 2), "c": (4, 6)}
    agree(node("MaxRoiPool", ["x", "r"], pooled_shape=[2, 3]), shapes, ranges, data={"r": ZEROS["r"]})


@pytest.mark.parametrize(("mode", "opset"), [("bilinear", 16), ("linear", 20), ("cubic", 20)])
def test_grid_sample(mode, opset):
    flat = {"x": ["n", "c", "h", 2], "g": ["m", 2, "p", "k"]}
    ranges = {"n": (0, 2), "c": (0, 1), "h": (0, 2), "m": (0, 2), "p": (0, 1), "k": (1, 3)}
    agree(node("GridSample", ["x", "g"], mode=mode), flat, ranges, opset=opset)
    deep = {"x": ["n", 1, 2, "h", 2], "g": ["n", 1, "p", 2, 3]}
    agree(node("GridSample", ["x", "g"], mode=mode), deep, {k: ranges[k] for k in "nhp"}, opset=opset)


@pytest.mark.parametrize("spatial", [["h", "w"], ["h", "w", 2]], ids=len)
def test_affine_grid(spatial):
    shapes, axes = {"t": ["m", "r", "c"]}, len(spatial)
    ranges = {"n": (0, 2), "h": (-1, 2), "w": (1, 2), "m": (0, 2), "r": (axes - 1, axes), "c": (axes, axes + 2)}
    agree(node("AffineGrid", ["t", "s"]), shapes, ranges, items={"s": ["n", 3, *spatial]})


@pytest.mark.parametrize(
    "attributes", [{}, {"strides": [2]}, {"strides": [3], "pads": [1, 0]}, {"pads": [2, 0]}], ids=str
)
def test_max_unpool(attributes):
    shapes, ranges = {"x": ["n", 1, "h"], "i": ["n", 1, "k"]}, {"n": (0, 2), "h": (0, 3), "k": (0, 3)}
    unpool = {"kernel_shape": [2], **attributes}
    agree(node("MaxUnpool", ["x", "i"], **unpool), shapes, ranges, dtypes={"i": "int64"}, opset=11)
    ranges = {"n": (0, 2), "h": (0, 3), "b": (0, 2), "s": (0, 9)}
    shapes = {"x": ["n", 1, "h"], "i": ["n", 1, "h"]}
    given = node("MaxUnpool", ["x", "i", "o"], **unpool)
    agree(given, shapes, ranges, dtypes={"i": "int64"}, items={"o": ["b", 1, "s"]}, opset=11)


@pytest.mark.parametrize(
    "attributes",
    [{}, {"strides": [2, 1]}, {"strides": [3, 1], "pads": [1, 0, 1, 0]}, {"offset_group": 2}, {"group": 2}],
    ids=str,
)
def test_deform_conv(attributes):
    points = 6 * attributes.get("offset_group", 1)
    shapes = {"x": ["n", 2, "h", 3], "w": [2, "c", 3, 2], "o": ["n", "p", "k", 2], "b": [2], "m": ["n", points, "k", 2]}
    ranges = {"n": (0, 1), "h": (0, 6), "c": (1, 2), "p": (2 * points - 1, 2 * points), "k": (0, 4)}
    found = agree(node("DeformConv", ["x", "w", "o", "b", "m"], **attributes), shapes, ranges, opset=22)
    assert found.ran


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_axes_of_deform_conv(axes):
    shapes = {"x": ["n", 1, *[3] * axes], "w": [1, 1, *[2] * axes], "o": ["n", axes * 2**axes, *[2] * axes]}
    agree(node("DeformConv", list(shapes)), shapes, {"n": (0, 2)}, opset=22)


def test_the_kernel_of_a_deformed_convolution_has_an_element():
    shapes = {"x": ["n", 1, 3, 3], "w": [1, 1, "k", 1], "offset": ["n", "q", "h", 3]}
    agree(node("DeformConv", [*shapes]), shapes, {"n": (0, 1), "k": (0, 1), "q": (0, 2), "h": (3, 4)}, opset=19)


def test_causal_conv_with_state():
    shapes = {"x": ["n", "c", "l"], "w": ["c", 1, "k"], "b": ["c"], "s": ["n", "c", "k - 1"]}
    ranges = {"n": (0, 2), "c": (1, 2), "l": (1, 3), "k": (0, 3)}
    agree(node("CausalConvWithState", ["x", "w", "b", "s"], ["y", "t"]), shapes, ranges, opset=27)
