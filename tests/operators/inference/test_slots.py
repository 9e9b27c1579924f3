"""Slots: a side of a requirement is named by the axis or the element that the rule takes it from, or not at all."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.analysis.verify import pose
from shapesmt.frontends import load
from shapesmt.operators.inference import Slot, Slots, slots as module, slots_of
from tests.oracle.onnx_calls import Call, k, op, x

HEAD = '<ir_version: 10, opset_import: ["": 18, "local": 1]> g '
X, Y = Slot(0, 0), Slot(1, None, 0)


def taken(model: Call | str) -> list[Slots]:
    """The slots of both sides of each requirement of the last node that has sides."""
    loaded = load((HEAD + model).encode() if isinstance(model, str) else model.proto)
    inference = pose(loaded).inference
    application, node = inference.applications[-1], loaded.nodes[-1]
    sided = [r for r in application.requirements if r.left is not None]
    return [slots_of(r, application, node, loaded, inference.tensors) for r in sided]


@pytest.mark.parametrize(
    ("call", "title"),
    [
        (op("AffineGrid", x(1, 2, 3), k([2, 1, 3, 1])), "element 0 of x1 is 2, x0[0] is 1"),
        (op("AffineGrid", x(1, 2, 3), k([3, 1, 3, 1])), "element 0 of x1 is 3, x0[0] is 1"),
        (op("Expand", x(1, 4), k([3, 2])), "x0[1] is 4, element 1 of x1 is 2"),
        (op("Expand", x(1, 2), k([2, 3])), "x0[1] is 2, element 1 of x1 is 3"),
        (op("Reshape", x(6, 3), k([6, 3, 0])), "element 2 of x1 is 0, against 2"),
        (op("Reshape", x(6, 3), k([6, -2])), "element 1 of x1 is -2, less than -1"),
        (op("Slice", x(2, 4), k([0, 1]), k([2]), k([1])), "x1[0] is 2, not 1"),
        (op("Slice", x(2, 4), k([0]), k([2]), k([1]), k([0])), "element 0 of x4 is 0, against 0"),
        (op("Split", x(6, 2), k([5]), version=18), "element 0 of x1 is 5, x0[0] is 6"),
        (op("Split", x(6, 6), k([3, 2]), outputs=2, version=18), "x0[0] is 6, not 5"),
        (op("Split", x(6, 2), k([8, -2]), outputs=2, version=18), "element 1 of x1 is -2, less than 0"),
        (op("Tile", x(2, 3), k([2, -1])), "element 1 of x1 is -1, less than 0"),
        (op("Resize", x(1, 2, 3, 3), None, None, k([1, 2, -3, 3])), "x0[2] is 3, element 2 of x3 is -3"),
        (op("Resize", x(1, 2, 3, 3), None, None, k([1, 2, 3])), "x3[0] is 3, not 4"),
        (op("Pad", x(4, 4), k([0, 4, 0, 0]), mode="reflect"), "element 1 of x1 is 4, x0[1] is 4"),
        (op("Pad", x(3, 3), k([0, -4, 0, 0])), "-1 is less than 0"),
        (op("Gather", x(2, 4), k([0, -3])), "index -3 is outside an axis of 2"),
        (op("Gather", x(2, 4), k([2, -1])), "index 2 is outside an axis of 2"),
        (op("TopK", x(4, 3), k([4]), outputs=2), "element 0 of x1 is 4, x0[1] is 3"),
        (op("Concat", x(4, 3), x(4, 3), x(3, 3), axis=1), "x0[0] is 4, x2[0] is 3"),
        (op("MatMul", x(4, 3), x(4, 4)), "x0[1] is 3, x1[0] is 4"),
        (op("Conv", x(1, 4, 5, 5), x(4, 4, 3, 3), group=2), "x0[1] is 4, not 8"),
        (op("DepthToSpace", x(4, 6, 2, 2), blocksize=2), "x0[1] is 6, against 4"),
        (op("Squeeze", x(2, 1), k([0])), "x0[0] is 2, not 1"),
    ],
)  # fmt: skip
def test_a_title_names_what_the_rule_compares(call: Call, title: str) -> None:
    assert shapesmt.check(call.proto).findings[0].title == title


@pytest.mark.parametrize(
    ("call", "slots"),
    [
        (op("Reshape", x(6), k([4])), (X, Y)),
        (op("Reshape", x(6, 1), k([4])), (None, None)),  # it compares products
        (op("Reshape", x(6, 3), k([-1, 4])), (None, Slot(1, None, 1))),
        (op("Gather", x(4, 4), k([0, 4])), (Slot(1, None, 1), X)),
        (op("Gather", x(4, 4), k([[0, 0], [0, 5]])), (Slot(1, None, 3), X)),
        (op("ScatterND", x(4, 4), k([[4]]), x(1, 4)), (Y, X)),
        (op("Expand", x(2), x(1, dtype="int64")), (X, Y)),  # an element of an input is a symbol
        (op("OneHot", x(0, dtype="int64"), k(0), k([0.0, 1.0], "float32")), (Y, None)),
    ],
)
def test_the_slots_of_both_sides(call: Call, slots: Slots) -> None:
    assert slots in taken(call)


def test_the_second_of_two_equal_inputs() -> None:
    """MatMul reads the last axis of the first and the first axis of the second, though both are one tensor."""
    assert taken("(float[a, 3] x) => (y) { y = MatMul (x, x) }") == [(Slot(0, 1), Slot(1, 0))]


def test_equal_symbols_are_told_apart() -> None:
    text = "(float[a, b] x, float[b, a] y) => (z) { z = Add (x, y) }"
    assert taken(text) == [(Slot(0, 0), Slot(1, 0)), (Slot(0, 1), Slot(1, 1))]


def test_a_function_takes_its_sides_from_the_callers_inputs() -> None:
    text = """(float[4, 2] x, float[2, 3] y) => (z) { z = local.both (x, y) }
        <domain: "local", opset_import: ["": 18]> both (a, b) => (c) { t = Transpose (a) c = Add (t, b) }"""
    (finding,) = shapesmt.check((HEAD + text).encode()).findings
    assert finding.title == "x[0] is 4, y[1] is 3"


def test_a_long_body_is_not_applied_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    call = op("Expand", x(2), k([3]))
    assert taken(call) == [(X, Y)]
    monkeypatch.setattr(module, "MAX_APPLIED", 0)
    assert taken(call) == [(None, None)]
