"""Scatter and its kin; elements as formulas."""

from __future__ import annotations

import pytest

from tests.support.harness import agree
from tests.support.indices import I64, NMK, node


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


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("axis", [None, 1, 2, 0])
def test_tensor_scatter(axis, mode):
    shapes = {"x": ["b", "m", 3], "u": [2, "k", 3]}
    ranges = {"b": (1, 2), "m": (0, 3), "k": (0, 3), "w": (-1, 3)}
    scatter = node("TensorScatter", ["x", "u", "w"], mode=mode, axis=axis)
    agree(scatter, shapes, ranges, items={"w": ["w", 1]}, opset=24, known=False)
