"""Scatter and its kin; elements as formulas."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import shapesmt
from shapesmt.operators.rules.value import Field
from tests.support.harness import agree
from tests.support.indices import I64, NMK, C, count, node


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_and_scatter_elements(axis):
    gather, scatter = node("GatherElements", ["x", "i"], axis=axis), node("ScatterElements", ["x", "i", "u"], axis=axis)
    agree(gather, {"x": ["n", "m"], "i": ["k", 2]}, NMK, dtypes=I64, may_fail_more=True)
    agree(gather, {"x": ["n", "m"], "i": [2, 2]}, NMK, items={"i": ["k", "n - 1", 0, -1]})
    agree(gather, {"x": [2, 3], "i": [2, 2]}, NMK, items={"i": ["k", 1, 0, -1], "x": ["n", "m", 1, 2, 3, "k"]})
    agree(scatter, {"x": ["n", "m"], "i": ["k", 2], "u": ["k", "m"]}, NMK, dtypes=I64, may_fail_more=True)
    agree(scatter, {"x": ["n", "m"], "i": [2, 2], "u": [2, 2]}, NMK, items={"i": ["k", "n - 1", 0, -1]})


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter_into_known_elements(reduction):
    x = ["n", "m", 1, 2, 3, "k"]
    one, many = (node(op, ["x", "i", "u"], reduction=reduction) for op in ("ScatterElements", "ScatterND"))
    agree(one, {"x": [2, 3], "i": [2, 2], "u": [2, 2]}, NMK, items={"i": [0, 1, 1, -1], "x": x, "u": [7, 8, "n", "m"]})
    agree(many, {"x": [2, 3], "i": [2, 2], "u": [2]}, NMK, items={"i": [1, 0, 1, -3], "x": x, "u": ["n", 5]})
    agree(many, {"x": [2, 3], "i": [2, 1], "u": [2, 3]}, NMK, items={"i": [1, 0], "x": x, "u": ["n", 5, 1, 2, 3, None]})


@pytest.mark.parametrize(
    ("indices", "updates"),
    [
        (["k", 1], ["k", "m"]),
        (["k", 1], ["k", 2]),
        ([2, "k"], [2, "m"]),
        ([2, "k"], [2]),
        (["k", 0], ["k", 2, "m"]),
        (["k", 2], []),
    ],
    ids=str,
)
def test_scatter_nd(indices, updates):
    shapes = {"x": [2, "m"], "i": indices, "u": updates}
    agree(node("ScatterND", ["x", "i", "u"]), shapes, {"m": (1, 3), "k": (0, 3)}, dtypes=I64, known=False)


@pytest.mark.parametrize("call", ["ScatterND (x, i, u)", "GatherND (x, i)"])
def test_index_tuples_of_billions_of_numbers_are_too_long(call):
    inputs = f"float[3, 0] x, int64[0, {1 << 40}] i, float[0, 4] u"
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18]> g ({inputs}) => (y) {{ y = {call} }}')
    (finding,) = shapesmt.check(model).findings
    assert (finding.verdict.name, finding.code) == ("FAILS", "SM306")


@pytest.mark.parametrize("indices", [[1, 2], [1, 0], [0, 2]], ids=str)
def test_index_tuples_are_as_long_as_the_updates_say(indices):
    shapes, tuples = {"x": ["n"], "i": indices, "u": [1]}, [0] * (indices[0] * indices[1])
    agree(node("ScatterND", ["x", "i", "u"]), shapes, {"n": (1, 3)}, items={"i": tuples})
    agree(
        node("ScatterND", ["x", "i", "u"]),
        shapes | {"x": [2]},
        {"n": (1, 3)},
        items={"i": tuples, "x": ["n", 1], "u": [5]},
    )


GRID = [
    count("n", "rows"),
    count("m", "columns"),
    node("Unsqueeze", ["rows", "ax1"], ["rows1"]),
    node("Unsqueeze", ["columns", "ax-1"], ["columns1"]),
    node("Unsqueeze", ["columns", "ax0"], ["columns0"]),
    node("Sub", ["columns0", "rows1"], ["x"]),
    node("Shape", ["x"], ["size"]),
]
PARTS = {
    "a row": [node("Identity", ["ax-1"], ["i"]), node("Mul", ["columns", "two"], ["u"])],
    "a row as a table": [node("Identity", ["ax-1"], ["i"]), node("Mul", ["columns0", "two"], ["u"])],
    "rows from k": [
        node("Add", ["rows1", "k"], ["i"]),
        node("Add", ["x", "ten"], ["u"]),
    ],
    "a column": [
        node("Expand", ["ax1", "n1"], ["ones"]),
        node("Concat", ["rows1", "ones"], ["i"], axis=-1),
        node("Add", ["rows", "ten"], ["u"]),
    ],
    "a column that is the last": [
        node("Expand", ["ax-1", "n1"], ["ones"]),
        node("Concat", ["rows1", "ones"], ["i"], axis=-1),
        node("Add", ["rows", "ten"], ["u"]),
    ],
    "one element": [node("Concat", ["ax0", "ax1"], ["i"], axis=0), node("Identity", ["ten"], ["u"])],
    "all but a row and a column": [
        node("Sub", ["n", "one"], ["fewer"]),
        node("Sub", ["m", "one"], ["less"]),
        count("fewer", "below"),
        count("less", "right"),
        node("Add", ["below", "one"], ["below1"]),
        node("Add", ["right", "one"], ["right1"]),
        node("Unsqueeze", ["below1", "ax1-1"], ["below2"]),
        node("Unsqueeze", ["right1", "ax0-1"], ["right2"]),
        node("Add", ["below2", "right2"], ["both"]),
        node("Shape", ["both"], ["wide"]),
        node("Expand", ["below2", "wide"], ["below3"]),
        node("Expand", ["right2", "wide"], ["right3"]),
        node("Concat", ["below3", "right3"], ["i"], axis=-1),
        node("Squeeze", ["both", "ax-1"], ["u"]),
    ],
    "the diagonal": [
        node("Concat", ["rows1", "rows1"], ["i"], axis=-1),
        node("Add", ["rows", "ten"], ["u"]),
    ],
    "twice the same": [
        node("Sub", ["rows1", "rows1"], ["i"]),
        node("Add", ["x", "x"], ["u"]),
    ],
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_written_to(part):
    nodes = [*GRID, *PARTS[part], node("ScatterND", ["x", "i", "u"])]
    read = {name for made in nodes for name in made.input}
    items = {name: [name] for name in "nmk" if name in read} | ({"n1": ["n", 1]} if "n1" in read else {})
    found = agree(
        nodes,
        {name: [] for name in items if name != "n1"},
        {"n": (1, 4), "m": (0, 4)} | ({"k": (-2, 2)} if "k" in items else {}),
        items=items,
        constants={**C, "ten": np.array(10), "ax1-1": np.array([1, 2]), "ax0-1": np.array([0, 2])},
        outputs=["out"],
    )
    assert isinstance(found.tensors["out"].value, Field) == (part in KNOWN)


UNKNOWN = ("rows from k", "the diagonal", "twice the same")
KNOWN = [name for name in PARTS if name not in UNKNOWN]


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("axis", [None, 1, 2, 0])
def test_tensor_scatter(axis, mode):
    shapes = {"x": ["b", "m", 3], "u": [2, "k", 3]}
    ranges = {"b": (1, 2), "m": (0, 3), "k": (0, 3), "w": (-1, 3)}
    scatter = node("TensorScatter", ["x", "u", "w"], mode=mode, axis=axis)
    agree(scatter, shapes, ranges, items={"w": ["w", 1]}, opset=24, known=False)
