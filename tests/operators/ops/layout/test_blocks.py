"""Blocks, crops and reversals."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.harness import agree, node
from tests.support.indices import NM, NMK


@pytest.mark.parametrize("block", [0, 1, 2, 3])
@pytest.mark.parametrize("op", ["DepthToSpace", "SpaceToDepth"])
def test_blocks(op, block):
    ranges = {"c": (0, 9), "h": (0, 4), "w": (0, 4)}
    agree(node(op, ["x"], blocksize=block), {"x": [1, "c", "h", "w"]}, ranges, opset=13, known=False)
    agree(node(op, ["x"], blocksize=block), {"x": ["c", "h", "w"]}, ranges, opset=13, known=False)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (0, 0), (2, 0)])
def test_reverse_sequence(axes):
    reverse = node("ReverseSequence", ["x", "l"], time_axis=axes[0], batch_axis=axes[1])
    agree(reverse, {"x": ["n", "m"], "l": ["k"]}, NMK, dtypes={"l": "int64"}, known=False)
    agree(reverse, {"x": ["n", "m", 2]}, {**NM, "a": (-1, 3)}, items={"l": ["a", 1]}, known=False)


@pytest.mark.parametrize("axes", [None, [0, 1], [1, 0], [-1], [2], [1, 1]], ids=str)
def test_center_crop_pad(axes):
    sizes = ["a", 2] if axes is None or len(axes) == 2 else ["a"]
    crop = node("CenterCropPad", ["x", "s"], axes=axes)
    agree(crop, {"x": ["n", "m"]}, {**NM, "a": (0, 4)}, items={"s": sizes}, known=False)


@pytest.mark.parametrize(("size", "least"), [(1, 2**32 - 3), (0, 2**32 - 2), (2**31 - 1, 2**31), (3, 2**33)])
def test_a_crop_that_ends_at_the_greatest_int32_ends_with_the_axis(size, least):
    crop = node("CenterCropPad", ["x", "s"], axes=[1])
    agree(crop, {"x": [0, "n"]}, {"n": (least - 3, least + 3)}, constants={"s": np.array([size])})


@pytest.mark.parametrize("axes", [None, [0, 1], [1]], ids=str)
def test_center_crop_pad_takes_a_single_size_that_is_computed_for_all_axes(axes):
    crop = node("CenterCropPad", ["x", "s"], axes=axes)
    agree(crop, {"x": ["n", "m"]}, {**NM, "a": (0, 4)}, items={"s": ["a"]}, known=False)
    agree(crop, {"x": ["n", "m"], "s": ["k"]}, {**NM, "k": (1, 3)}, dtypes={"s": "int64"}, known=False)


@pytest.mark.parametrize(
    "given",
    [{}, {"strides": [2, 1]}, {"dilations": [1, 2]}, {"strides": [2, 2], "pads": [1, 1, 1, 1], "dilations": [2, 1]}],
    ids=str,
)
def test_col2im(given):
    ranges = {"c": (0, 6), "l": (0, 9), "h": (1, 4), "b": (1, 3)}
    agree(node("Col2Im", ["x", "i", "b"], **given), {"x": [1, "c", "l"]}, ranges, items={"i": ["h", 3], "b": ["b", 2]})
