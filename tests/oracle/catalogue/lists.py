"""Inputs that hold one number, or a list of them, and whose length is a symbol now and then."""

from __future__ import annotations

import numpy as np

from tests.oracle.recipes import any_of, op

ONES = "f 1"

RECIPES = [
    op("TopK", "f n m", "L 1", outputs=2, assumed=True),
    op("Range", "I", "L", "L"),
    op("Pad", "f n m", "I 4", ONES),
    op("Pad", "f n m", "I 2", "", "I 1", since=18),
    op("OneHot", "I n m", "L 1", np.array([0, 1], np.float32)),
    op("Trilu", "f n m", "I 1", since=14),
    op("CumSum", "f n m", any_of("I 1", "J 1")),
    op("Clip", "f n m", ONES, "?f 1"),
    op("Slice", "f n m", "I 1", "L 1", "?I 1"),
    op("Slice", "f n m", "I 2", "L 2", "", "?L 2"),
    op("Slice", "f n m", "I 1", "L 1", "I 1", "L 1"),
    op("Split", "f 2 m", "L 2", outputs=2, assumed=True),
    op("Tile", "f n m", "L 2"),
    op("Expand", "f n m", "L k"),
    op("Reshape", "f n m", "L k", assumed=True),
    op("ConstantOfShape", "L k"),
    op("CenterCropPad", "f n m", "L 2", since=18),
    op("ReduceSum", "f n m", "I 1"),
    op("Unsqueeze", "f n m", "I 1", assumed=True),
    op("ConvInteger", "u n c h w", "u m c 2 2", "u 1", "u"),
    op("QLinearConv", "u n c h w", ONES, "u 1", "u m c 2 2", "f m", "u m", ONES, "u 1"),
    op("MatMulInteger", "u n k", "u k m", "u", any_of("u 1", "u m")),
    op("QLinearMatMul", "u n k", "f", "u", "u k m", ONES, "u 1", ONES, "u 1"),
    op("QuantizeLinear", "f n m", any_of("f n", ONES), axis=0, since=13),
    op("ReverseSequence", "f n m", "L m", assumed=True),
]
