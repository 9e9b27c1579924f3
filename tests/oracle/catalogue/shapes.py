"""Shapes taken apart and put together."""

from __future__ import annotations

import numpy as np

from tests.oracle.recipes import AXIS, FLAG, any_of, op

MOVED = "fib"
PERMUTATIONS = any_of(None, [1, 0], [0, 2, 1], [2, 0, 1], [0, 2, 3, 1])

RECIPES = [
    op("Shape", "f *"),
    op("Shape", "f *", start=any_of(None, 0, 1, -1), end=any_of(None, 1, -1, 2), since=15),
    op("Size", "f *"),
    op("Transpose", "T *", kinds=MOVED, perm=PERMUTATIONS),
    op("Flatten", "f *", axis=any_of(None, 0, 1, 2, -1, 3)),
    op("Reshape", "T n m", "= n*m", kinds=MOVED),
    op("Reshape", "T n m", "= m -1", kinds=MOVED),
    op("Reshape", "f n m k", "= 0 -1"),
    op("Reshape", "f n m k", "= n m*k"),
    op("Reshape", "f n 6 k", "= n 2 3 -1", allowzero=any_of(None, 1), since=14),
    op("Reshape", "f n m", "= k -1"),
    op("Expand", "T *", "= n m", kinds=MOVED),
    op("Expand", "f n 1", "= n m"),
    op("Tile", "f n m", "= 2 k"),
    op("Tile", "f *", "= 2"),
    op("Squeeze", "f * 1", [-1]),
    op("Squeeze", "f n 1 m"),
    op("Squeeze", "f n m", "?= 0"),
    op("Unsqueeze", "T *", [0], kinds=MOVED),
    op("Unsqueeze", "f n m", any_of([1], [-1], [0, 2])),
    op("Unsqueeze", "f n *", [1, 2]),
    op("Concat", "f n *", "f m *", axis=any_of(0, 0, 0, 1, -1)),
    op("Concat", "f n m", "f n k", "?f n m", axis=any_of(1, -1, -1, 0)),
    op("Concat", "f * m", "f * m", axis=any_of(-1, 0, 1)),
    op("Concat", "i n", "i m", axis=0),
    op("Split", "f n m", outputs=2, num_outputs=2, axis=any_of(None, 1), since=18),
    op("Split", "f n+2 m", "= n 2", outputs=2),
    op("Split", "f * m+k", "= m k", outputs=2, axis=-1),
    op("Split", "f n m", outputs=2, axis=any_of(0, 1, -2), until=17),
    op("Slice", "f * m", "= 1", "= m", "= -1"),
    op("Slice", "f n m", "= 0 1", "= k m", "= 0 1", "?= 1 2"),
    op("Slice", "f n *", "= -1", [-(2**62)], "= 0", "= -1"),
    op("Pad", "f n m", "= 0 k 1 0", "?f", mode=any_of(None, "constant", "edge", "reflect")),
    op("Pad", "f n *", "= 1 -1", "", [0], since=18),
    op("Pad", "f n c h w", [0, 0, 1, 1, 0, 0, 1, 0], mode=any_of(None, "reflect", "edge", "wrap"), since=19),
    op("CenterCropPad", "f n m k", "= 2 n", axes=any_of([0, 1], [-1, 0], [1]), since=18),
    op("DepthToSpace", "f n 4*c h w", blocksize=2, mode=any_of(None, "CRD")),
    op("SpaceToDepth", "f n c 2*h 2*w", blocksize=any_of(2, 2, 3)),
    op("ConstantOfShape", "= n m"),
    op("ConstantOfShape", "= n 2 k"),
    op("Range", ". 0", ". n", any_of(np.int64(1), np.int64(2))),
    op("Range", ". n", ". k", ". -1"),
    op("Range", ". 1", ". n", ". 2"),
    op("Constant", value_ints=any_of([1, 2], [3])),
    op("Upsample", "f n c h w", np.array([1, 1, 2, 2], np.float32), since=9, until=9),
    op("ReverseSequence", "f n b", "L b", assumed=True),
    op("RandomNormal", shape=any_of([2, 3], [1])),
    op("RandomUniform", shape=[2, 3]),
    op("Optional", "f n m", since=18),
    op("OptionalHasElement", "f n m", since=18),
    op("OptionalGetElement", "f n m", since=18),
    op("ReduceSum", "f *", [-1], keepdims=FLAG),
    op("ReduceSum", "f n m", "?= 1 0", keepdims=FLAG, noop_with_empty_axes=FLAG),
    *(
        op(name, "f *", axes=any_of(None, [0], [-1], [0, 1]), keepdims=FLAG, until=17)
        for name in ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean")
    ),
    *(
        op(name, "f *", axes, keepdims=FLAG, noop_with_empty_axes=FLAG, since=18)
        for name in (
            *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean"),
            *("ReduceMin", "ReduceProd", "ReduceSumSquare"),
        )
        for axes in ([0], "?= -1")
    ),
    *(op(name, "T *", axis=AXIS, keepdims=FLAG, kinds="fi") for name in ("ArgMax", "ArgMin")),
    op("CumSum", "f *", np.int64(0), exclusive=FLAG, reverse=FLAG),
    op("CumSum", "f n m", ". -1"),
]
