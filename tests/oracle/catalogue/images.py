"""Windows and samples."""

from __future__ import annotations

import numpy as np

from tests.oracle.recipes import FLAG, any_of, op, text

WINDOW = {
    "strides": any_of(None, None, [2, 1], [2, 2], [1, 3]),
    "pads": any_of(None, None, [1, 1, 1, 1], [0, 1, 1, 0]),
    "dilations": any_of(None, None, None, [2, 1]),
}
AUTO = {
    "auto_pad": any_of("SAME_UPPER", "SAME_LOWER", "VALID"),
    "strides": any_of(None, [2, 1], [3, 2]),
}
POOL = {"kernel_shape": any_of([2, 2], [3, 1], [1, 1])}
ONE, ZERO = np.float32(1), np.uint8(0)
ROIS = np.array([[0, 0, 0, 1, 1]] * 2, np.float32)
SCALES = any_of(*(np.array(s, np.float32) for s in ([1, 1, 2, 2], [1, 1, 0.7, 1.5], [1, 1, 0.5, 3])))

RECIPES = [
    op("Conv", "f n c h w", "f m c 3 2", "?f m", **WINDOW),
    op("Conv", "f n c h w", "f m c 2 2", **AUTO),
    op("Conv", "f n 2*c h w", "f 4 c 2 2", "?f 4", group=2, strides=any_of(None, [2, 2])),
    op("Conv", "f n c l", "f m c 3", strides=any_of(None, [2]), pads=any_of(None, [1, 1]), dilations=any_of(None, [2])),
    op("ConvTranspose", "f n c h w", "f c m 3 2", "?f m", strides=any_of(None, [2, 1]), pads=any_of(None, [1, 0] * 2)),
    op("ConvTranspose", "f n c l", "f c m k", strides=any_of(None, [2], [3]), output_padding=any_of(None, [1])),
    op("ConvTranspose", "f n c l", "f c m k", strides=[2], auto_pad=any_of("SAME_UPPER", "SAME_LOWER", "VALID")),
    op("ConvInteger", "u n c h w", "u m c 2 2"),
    op("QLinearConv", "u n c h w", ONE, ZERO, "u m c 2 2", ONE, ZERO, ONE, ZERO, strides=any_of(None, [2, 2])),
    op("DeformConv", "f 1 c 4 w+1", "f m c 2 2", "f 1 8 3 w", since=22),
    *(op(name, "f n c h w", **POOL, **{**WINDOW, "dilations": None}) for name in ("AveragePool", "LpPool")),
    op("MaxPool", "f n c h w", **POOL, **WINDOW, ceil_mode=FLAG),
    op("MaxPool", "f n c h w", outputs=2, **POOL, **AUTO),
    op("AveragePool", "f n c h w", **POOL, **AUTO, ceil_mode=FLAG, since=19),
    op("AveragePool", "f n c l", kernel_shape=[2], strides=any_of([1], [3]), ceil_mode=1, since=19),
    *(op(name, "f n c *") for name in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")),
    text("p, q = MaxPool<kernel_shape = [2, 2]>(x) y = MaxUnpool<kernel_shape = [2, 2]>(p, q)", x="f n c h w"),
    op("MaxRoiPool", "f n c h w", ROIS, pooled_shape=[2, 1], until=21),
    op("RoiAlign", "f n c h w", "f r 4", "I r", output_height=any_of(None, 2), output_width=3, assumed=True),
    op("Resize", "f n c h w", "", SCALES, mode=any_of(None, "linear")),
    op("Resize", "f n c h w", "", "", "= n c k l", mode=any_of(None, "linear")),
    op("Resize", "f n c h w", "", "", np.array([4, 6]), axes=[2, 3], since=18,
       keep_aspect_ratio_policy=any_of(None, "not_larger", "not_smaller")),
    op("GridSample", "f n c h w", "f n k l 2", since=20),
    op("AffineGrid", "f n 2 3", "= n 3 k l", since=20),
    op("Col2Im", "f n 4*c 6", [3, 4], [2, 2], since=18),
    op("Col2Im", "f n 2*c k", [1, 5], [1, 2], since=18, pads=any_of(None, [0, 1, 0, 0])),
    op("CropAndResize", "f n c h w", "f r 4", "J r", np.array([2, 3], np.int32), domain="com.microsoft", assumed=True),
]  # fmt: skip
