"""Assertions of OpenVINO's own tests of shape propagation: kept as they stand, or refused where OpenVINO refuses a run.

The names are those of the tests in OpenVINO's `src/core/tests/type_prop`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import shapesmt
from shapesmt import GraphBuilder
from shapesmt.entrypoints.builder.builder import Handle

NORMALIZING = {"normalize_variance": "true", "eps": 1e-6, "eps_mode": "inside_sqrt"}
WINDOWS = {"kernel": [2, 3, 4, 5], "strides": [1] * 4, "pads_begin": [0] * 4, "pads_end": [0] * 4}


class Network(GraphBuilder):
    """A graph of OpenVINO's operators."""

    def node(self, op: str, *operands: object, **attributes: object) -> Handle:
        made: Handle = self.op(op, *operands, domain="openvino", **attributes)
        return made

    def sizes(self, shape: str) -> Handle:
        return self.node("ShapeOf", self.input(f"sized{len(self.flow)}", shape))


def concatenated(g: Network) -> Handle:
    target = g.node("Concat", g.sizes("[3,4]"), g.constant([5]), g.sizes("[4,5,9]"), axis=0)
    return g.node("Broadcast", g.input("x", "[1]"), target, mode="numpy")


def converted(g: Network) -> Handle:
    short = g.node("Convert", g.sizes("[3,4]"), destination_type="i8")
    return g.node("Broadcast", g.input("x", "[1]"), g.node("Convert", short, destination_type="i64"), mode="numpy")


def einsum(g: Network) -> Handle:
    operands = [g.input(name, "[...]", dtype="int32") for name in "abc"]
    return g.node("Einsum", *operands, equation="ab,bcd,bc->ca")


def mvn(shape: str) -> Callable[[Network], Handle]:
    return lambda g: g.node("MVN", g.input("x", shape), g.input("axes", "[3]", dtype="int64"), **NORMALIZING)


KEPT = {
    "concat_dynamic_value_and_label_propagation": (concatenated, "[3,4,5,4,5,9]"),
    "convert_dynamic_value_and_label_propagation": (converted, "[3,4]"),
    "einsum_dynamicrank_multimatmul2": (einsum, "[?,?]"),
    "mvn_6": (mvn("[1,2,3,4]"), "[1,2,3,4]"),
    "mvn_6_partial": (mvn("[1,0..,5,6]"), "[1,?,5,6]"),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_asserted_shape_is_inferred(name: str) -> None:
    build, shape = KEPT[name]
    g = Network(runtime="openvino")
    g.output(build(g), "y")
    found = shapesmt.bounds(g.build())
    assert str(found["y"]) == shape
    assert found.tensors["y"].exact


REFUSED = {
    "avg_pool_partial_rank_dynamic_ok": (  # OpenVINO pools tensors of rank 3 to 5
        lambda g: g.node("AvgPool", g.input("x", "[...]"), **WINDOWS, rounding_type="floor"),
        "the rank is 3 or 4 or 5",
    ),
    "gather_v1_float32": (  # "Indices element type must be of an integral number type"
        lambda g: g.node("Gather", g.input("x", "[3,2]"), g.input("i", "[2,2]"), g.constant(0)),
        "the element type is an integer",
    ),
    "prelu": (  # "Attempt to broadcast non-1 dimension"
        lambda g: g.node("PReLU", g.input("x", "[2,4]"), g.input("slope", "[2]")),
        "there is one slope, one for each channel",
    ),
    "reverse_partial_rank_dynamic": (  # no tensor has 90,910 axes
        lambda g: g.node("Reverse", g.input("x", "[...]"), g.constant([0, 2, 1776, 90909]), mode="index"),
        "is inside a tensor of rank",
    ),
    "roll_axis_scalar_test": (  # "'shift' and 'axes' dimensions mismatch"
        lambda g: g.node("Roll", g.input("x", "[3,3,4]"), g.constant(5), g.input("axes", "[3]", dtype="int64")),
        "each axis has a shift",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_network_that_openvino_never_runs_fails(name: str) -> None:
    build, law = REFUSED[name]
    g = Network(runtime="openvino")
    g.output(build(g), "y")
    report = shapesmt.check(g.build())
    assert str(report.verdict) == "FAILS"
    assert law in report.findings[0].law
