"""OpenVINO's slices, gathers and scatters against its own execution, over all small sizes."""

from __future__ import annotations

import numpy as np
import pytest

import shapesmt

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from openvino import opset5, opset15 as op

from tests.support import openvino as oracle
from tests.support.openvino_values import ints, scalar, zeros

PICKS = {
    "slice": (lambda x: op.slice(x, ints(1, -3), ints(9, 4), ints(1, 2), ints(0, -1)), ["[1..3,1..6]"]),
    "slice_back": (lambda x: op.slice(x, ints(3), ints(-9), ints(-2)), ["[1..6,2]"]),
    "strided": (lambda x: op.strided_slice(x, ints(1, 0), ints(0, 3), ints(1, 2), [0, 1], [1, 0]), ["[1..3,1..5]"]),
    "strided_back": (lambda x: op.strided_slice(x, ints(0), ints(0), ints(-1), [1], [1]), ["[1..3,2]"]),
    "strided_mixed": (
        lambda x: op.strided_slice(
            x,
            ints(0, 0, 0, -1),
            ints(0, 0, 1, 0),
            ints(1, 1, 1, 1),
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [1, 0, 0, 0],
            [0, 0, 0, 1],
            [0, 1, 0, 0],
        ),
        ["[1..2,2,1..3,1..2]"],
    ),
    "strided_one": (
        lambda x: op.strided_slice(x, ints(2), ints(3), ints(1), [0], [0], [], [1]),
        ["[3..4,2]"],
    ),
    "gather": (lambda x: op.gather(x, ints(0, 1), scalar(-1)), ["[1..2,2..3,2]"]),
    "gather_one": (lambda x: op.gather(x, scalar(-1), scalar(0)), ["[1..2,1..3]"]),
    "gather_batch": (
        lambda x, i: op.gather(x, op.convert(i, "i32"), scalar(1), 1),
        ["[2,2,3]", "[2,1..3]"],  # where these batches differ, OpenVINO reads past the end
    ),
    "gather_outside": (lambda x: op.gather(x, ints(0, 4), scalar(0)), ["[1..3,2]"]),
    "gather_elements": (lambda x: op.gather_elements(x, op.constant(np.zeros((2, 3), np.int32)), 1), ["[1..3,2]"]),
    "gather_nd": (lambda x: op.gather_nd(x, op.constant(np.zeros((2, 1), np.int32)), 0), ["[1..3,1..2]"]),
    "gather_nd_other_batch": (
        lambda x, y: op.gather_nd(x, op.convert(y, "i64"), 1),
        ["[0..3,1..2,2]", "[0..3,1]"],
    ),
    "gather_nd_batch": (
        lambda x: op.gather_nd(x, op.constant(np.zeros((2, 3, 1), np.int32)), 2),
        ["[2,3,1..2,1..2]"],
    ),
    "gather_nd_5": (lambda x: opset5.gather_nd(x, op.constant(np.zeros((2, 3, 1), np.int32)), 2), ["[2,3,1..2,1..2]"]),
    "scatter_update": (
        lambda x, u: op.scatter_update(x, ints(0, 1), u, scalar(1)),
        ["[1..2,2..3]", "[1..2,1..2]"],
    ),
    "scatter_elements": (
        lambda x: op.scatter_elements_update(x, op.constant(np.zeros((1, 2), np.int32)), zeros(1, 2), scalar(0)),
        ["[1..3,2..3]"],
    ),
    "scatter_nd": (
        lambda x, u: op.scatter_nd_update(x, op.constant(np.zeros((2, 1), np.int32)), u),
        ["[1..3,1..2]", "[1..3,1..2]"],
    ),
    "top_k": (lambda x: op.topk(x, scalar(2), 1, "max", "value"), ["[1..2,1..4]"]),
    "top_k_all": (lambda x: op.topk(x, scalar(1), -1, "min", "index", index_element_type="i64"), ["[1..2,1..4]"]),
    "unique": (lambda x: op.unique(x), ["[1..2,1..2]"]),
    "unique_axis": (lambda x: op.unique(x, scalar(0)), ["[1..2,1..2]"]),
    "nms": (
        lambda b, s: op.non_max_suppression(b, s, scalar(2), scalar(0.5, np.float32), scalar(0.0, np.float32)),
        ["[1..2,1..3,4]", "[1..2,1..2,1..3]"],
    ),
}


@pytest.mark.parametrize("name", PICKS)
def test_picks(name, agree):
    build, shapes = PICKS[name]
    agree(build, *shapes)


@pytest.mark.parametrize(
    ("sizes", "verdict", "notes"),
    [
        ("[1..4,2]", "PROVED", []),
        ("[1..5,2]", "UNKNOWN", ["the law holds where x_dim0 <= 4"]),
        ("[5,2]", "UNKNOWN", [""]),
    ],
)
def test_nothing_checks_indices(sizes, verdict, notes, tmp_path):
    def picked(x):
        rows = op.gather(op.shape_of(x), scalar(0), scalar(0))
        places = op.range(scalar(0), rows, scalar(1), output_type="i64")
        return op.gather_nd(zeros(4), op.unsqueeze(places, ints(1)))

    report = shapesmt.check(oracle.saved(oracle.made(picked, sizes), tmp_path))
    assert (report.verdict.value, [f.note for f in report.findings]) == (verdict, notes)
