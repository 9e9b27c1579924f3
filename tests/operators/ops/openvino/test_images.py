"""OpenVINO's operators on images against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from openvino import opset1, opset10, opset15 as op

from tests.support.openvino_values import floats, ints

IMAGES = {
    "adaptive_avg_pool": (lambda x: op.adaptive_avg_pool(x, ints(2, 3)), ["[1,1..2,1..3,2..4]"]),
    "adaptive_max_pool": (lambda x: op.adaptive_max_pool(x, ints(2, 3), "i32"), ["[1,1..2,2..3,3..4]"]),
    "interpolate_sizes": (
        lambda x: op.interpolate(x, ints(5, 6), "nearest", "sizes", axes=ints(2, 3)),
        ["[1,1..2,1..3,2..4]"],
    ),
    "interpolate_scales": (
        lambda x: op.interpolate(x, floats(1.5, 0.7), "nearest", "scales", axes=ints(2, 3)),
        ["[1,1..2,1..7,2..9]"],
    ),
    "interpolate_1": (
        lambda x: opset1.interpolate(x, ints(5, 6), {"axes": [2, 3], "mode": "nearest"}),
        ["[1,1..2,1..3,2..4]"],
    ),
    "interpolate_4_sizes": (
        lambda x: opset10.interpolate(x, ints(5, 6), floats(2, 2), "nearest", "sizes", axes=ints(2, 3)),
        ["[1,1..2,1..3,2..4]"],
    ),
    "interpolate_4_scales": (
        lambda x: opset10.interpolate(
            x, ints(5, 6), floats(1.5, 0.7), "nearest", "scales", axes=ints(2, 3),
            pads_begin=[0, 0, 1, 0], pads_end=[0, 0, 0, 1],
        ),
        ["[1,1..2,1..7,2..9]"],
    ),
    "roi_pooling": (lambda x, r: op.roi_pooling(x, r, [2, 3], 1.0, "max"), ["[1,1..2,4,4]", "[1..3,4..5]"]),
    "roi_align": (
        lambda x, r: op.roi_align(x, r, ints(0, 0), 2, 3, 2, 1.0, "avg"),
        ["[1,1..2,4,4]", "[1..3,3..4]"],
    ),
    "grid_sample": (
        lambda x, g: op.grid_sample(x, g, {}),
        ["[1..2,1..2,4,4]", "[1..2,1..2,3,2]"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IMAGES)
def test_images(name, agree):
    build, shapes = IMAGES[name]
    agree(build, *shapes)
