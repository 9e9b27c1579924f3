"""Folding axes and running along them, against execution."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import numpy_helper

import shapesmt
from shapesmt.frontends import load
from shapesmt.operators.inference import infer
from shapesmt.operators.ops.math.reduction import FOLDS
from shapesmt.operators.rules.tensors import tensor
from shapesmt.operators.rules.value import Elements, Field
from shapesmt.prover.algebra.dim import ZERO, symbol
from tests.support.each import each
from tests.support.harness import agree, build, node

REDUCTIONS = [*FOLDS, "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"]
SHAPE = {"x": ["a", "b", 2]}
SIZES = {"a": (0, 2), "b": (0, 2)}
SOME = {"a": (1, 2), "b": (1, 2)}  # onnxruntime gets axes that count from the end wrong where the input is empty
RANGE = node("Range", ["zero", "n", "one"], ["r"])
SIGNED = {"n": (-3, 3), "m": (0, 2)}
CONSTANTS = {"zero": np.int64(0), "one": np.int64(1)}


def items_of(found, name="out"):
    value = found.tensors[name].value
    return [None if i is None else str(i) for i in value.items] if isinstance(value, Elements) else value


@pytest.mark.parametrize("keepdims", [None, 0, 1])
@pytest.mark.parametrize("axes", [None, [0], [1, 2], [2, 2]], ids=str)
@each("op", REDUCTIONS)
def test_axes_as_an_attribute(op, keepdims, axes):
    agree(node(op, ["x"], axes=axes, keepdims=keepdims), SHAPE, SIZES if axes != [2, 2] else SOME, opset=11)


@pytest.mark.parametrize("noop", [None, 1])
@pytest.mark.parametrize("axes", [[], [0], [0, 1, 2], [-1], [-3, 1]], ids=str)
@each("op", REDUCTIONS)
def test_axes_as_an_input(op, noop, axes):
    reduction = node(op, ["x", "axes"], keepdims=0, noop_with_empty_axes=noop)
    ranges = SOME if any(a < 0 for a in axes) else SIZES
    agree(reduction, SHAPE, ranges, constants={"axes": np.array(axes, np.int64)}, opset=18)


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
@pytest.mark.parametrize("axes", [None, [0], [0, 2], [2]], ids=str)
@pytest.mark.parametrize("noop", [0, 1])
def test_booleans_have_an_extreme_if_there_are_some(op, axes, noop):
    constants = {} if axes is None else {"axes": np.array(axes, np.int64)}
    reduction = node(op, ["x", *constants], noop_with_empty_axes=noop)
    found = agree(reduction, {"x": ["a", "b", "c"]}, dict.fromkeys("abc", (0, 2)), constants=constants, opset=20,
                  dtypes={"x": "bool"})  # fmt: skip
    assert bool(found.failed) == (axes is not None or not noop)


@pytest.mark.parametrize("axes", [[3], [-4]], ids=str)
def test_axes_are_inside_the_tensor(axes):
    assert agree(node("ReduceMean", ["x"], axes=axes), SHAPE, SOME, opset=13).failed == 4


def test_axes_that_nobody_knows():
    shapes = {**SHAPE, "axes": [1]}
    data = {"axes": np.array([1])}
    found = agree(node("ReduceSum", ["x", "axes"]), shapes, SIZES, data=data, dtypes={"axes": "int64"})
    assert [d.hi for d in found.tensors["out"].dims] == [2, 2, 2]
    agree(node("ReduceSum", ["x", "axes"], keepdims=0), shapes, SIZES, data=data, dtypes={"axes": "int64"}, known=False)
    assert agree(node("ReduceSum", ["x", "axes"]), {"x": [2], "axes": [1, 1]}, dtypes={"axes": "int64"}).failed


@pytest.mark.parametrize(("keepdims", "shape"), [(0, ()), (1, None)])
def test_unknown_rank(keepdims, shape):
    text = f"y = ReduceSum<keepdims = {keepdims}>(x)"
    graph = load(f'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (y) {{{text}}}'.encode())
    assert infer(graph, {"x": tensor("float32", None)}).tensors["y"].shape == shape


@pytest.mark.parametrize("op", FOLDS)
@pytest.mark.parametrize("axes", [[0], [1], [0, 1], []], ids=str)
def test_integers(op, axes):
    items = {"x": ["n", -2, 3, "m", None, 1]}
    constants = {"axes": np.array(axes, np.int64)}
    agree(
        node(op, ["x", "axes"], keepdims=0),
        {"x": [2, 3]},
        {"n": (-2, 2), "m": (0, 2)},
        items=items,
        constants=constants,
    )


@pytest.mark.parametrize("op", FOLDS)
@pytest.mark.parametrize("numbers", [[2, 3, 5], [0.1, 0.7, 1e10, -0.3], [], [0.3]], ids=str)
def test_floats(op, numbers):
    constants = {"k": np.array(numbers, np.float32)}
    agree([node("Identity", ["k"], ["x"]), node(op, ["x"])], {}, constants=constants)


@pytest.mark.parametrize(
    ("op", "last"), [("ReduceMax", symbol("n", 1, 4) + symbol("m", 1, 3) - 2), ("ReduceMin", ZERO)]
)
def test_extremes_of_large_tensors(op, last):
    chain = [
        RANGE,
        node("Range", ["zero", "m", "one"], ["s"]),
        node("Unsqueeze", ["s", "axis"], ["t"]),
        node("Add", ["r", "t"], ["x"]),
        node(op, ["x"], keepdims=0),
    ]
    items, ranges = {"n": ["n"], "m": ["m"]}, {"n": (1, 4), "m": (1, 3)}
    constants = {**CONSTANTS, "axis": np.array([1])}
    found = agree(chain, {"n": [], "m": []}, ranges, items=items, constants=constants, outputs=["out"])
    assert found.tensors["out"].value.items == (last,)


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMin", "ReduceMax"])
@pytest.mark.parametrize("axes", [[1], [0, 1], [0]], ids=str)
def test_elements_that_are_folded_along_a_short_axis(op, axes):
    chain = [
        RANGE,
        node("Unsqueeze", ["r", "axis"], ["t"]),
        node("Mul", ["pair", "t"], ["a"]),
        node("Unsqueeze", ["a", "axis0"], ["b"]),
        node("Expand", ["b", "shape"], ["x"]),
        node(op, ["x", "axes"], ["out"], keepdims=0),
    ]
    constants = {
        **CONSTANTS,
        "axis": np.array([1]),
        "axis0": np.array([0]),
        "pair": np.array([3, -2]),
        "axes": np.array([*axes, 2]),
    }
    items, ranges = {"n": ["n"], "shape": ["k", 1, 1]}, {"n": (1, 4), "k": (0, 2)}
    found = agree(chain, {"n": []}, ranges, items=items, constants=constants, outputs=["out"])
    assert found.tensors["out"].value is not None


@pytest.mark.parametrize("n", ["1..2147483648", "1..", "2147483648"])
@pytest.mark.parametrize("through", ["Identity", "Mod"])
def test_sums_of_more_elements_than_can_be_tried(n, through):
    nodes = [
        *[node("Shape", ["x"], ["s"]), node("Squeeze", ["s"], ["n"]), node("Range", ["one", "n", "one"], ["r"])],
        node(through, ["r", *["three"][: through == "Mod"]], ["e"]),
        *[node("ReduceSum", ["e"], ["t"]), node("ConstantOfShape", ["t"], ["out"])],
    ]
    model = build(nodes, {"x": ["n"]}, constants={"one": np.int64(1), "three": np.int64(3)}, outputs=["out"])
    (size,) = shapesmt.bounds(model, dims={"n": n}).tensors["out"].shape
    most = {"1..": None}.get(n, 2**30 * (2**31 - 1))
    assert (size.exact, size.max) == (True, most) if through == "Identity" else not size.exact


def test_sums_of_equal_elements():
    twos = node("ConstantOfShape", ["s"], ["t"], value=numpy_helper.from_array(np.array([2])))
    chain = [node("Shape", ["x"], ["s"]), twos, node("ReduceSum", ["t", "axes"], keepdims=0)]
    found = agree(chain, {"x": ["a", "b"]}, SIZES, constants={"axes": np.array([0])}, outputs=["out"])
    assert str(found.tensors["out"].value) == "Field(2*a)"


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_position_of_an_extreme(op, keepdims):
    for axis in (0, 2):
        agree(node(op, ["x"], axis=axis, keepdims=keepdims), SHAPE, SIZES)
    agree(node(op, ["x"], axis=-1, keepdims=keepdims), SHAPE, SOME)
    for last in (0, 1):
        listed = node(op, ["x"], axis=1, keepdims=keepdims, select_last_index=last)
        found = agree(listed, {"x": [2, 3]}, items={"x": [1, 3, 3, 2, 1, 1]}, dtypes={"x": "int32"})
        assert None not in items_of(found)


@pytest.mark.parametrize("op", ["CumSum", "CumProd"])
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_running(op, exclusive, reverse):
    run = node(op, ["x", "axis"], exclusive=exclusive, reverse=reverse)
    for axis in (np.int64(0), np.array([-1])):
        agree(run, SHAPE, SIZES, constants={"axis": axis}, opset=26)
        items, constants = {"x": ["n", 2, 3, 5, None, 1]}, {"axis": axis}
        agree(run, {"x": [2, 3]}, {"n": (-2, 2)}, items=items, constants=constants, opset=26)
    chain = [RANGE, node("Mul", ["r", "zero"], ["z"]), node("Add", ["z", "one"], ["x"]), run]
    found = agree(chain, {"n": []}, {"n": (0, 4)}, items={"n": ["n"]}, constants={**CONSTANTS, "axis": np.int64(0)},
                  outputs=["out"], opset=26)  # fmt: skip
    assert isinstance(found.tensors["out"].value, Field) is (op == "CumSum")


@pytest.mark.parametrize(("one", "axis", "exact"), [(1.0, 1, True), (-3.0, 0, True), (0.5, 1, False)])
def test_running_sums_of_equal_floats(one, axis, exact):
    fill = numpy_helper.from_array(np.array([one], np.float32))
    chain = [
        node("ConstantOfShape", ["e"], ["ones"], value=fill),
        node("CumSum", ["ones", "axis"], ["sums"]),
        node("Cast", ["sums"], ["out"], to=7),
    ]
    found = agree(chain, {"e": [2]}, {"n": (0, 4), "m": (0, 3)}, items={"e": ["n", "m"]},
                  constants={"axis": np.int64(axis)}, outputs=["out"])  # fmt: skip
    assert isinstance(found.tensors["out"].value, Field) is exact


def test_the_axis_to_run_along_is_one_inside_the_tensor():
    ranges = {"a": (1, 2), "k": (0, 2), "n": (-3, 2)}
    data = {"axis": lambda _, shape: np.zeros(shape, np.int64)}
    agree(node("CumSum", ["x", "axis"]), {"x": ["a"], "axis": ["k"]}, {"a": (0, 2), "k": (0, 2)}, data=data,
          dtypes={"axis": "int64"})  # fmt: skip
    agree(
        node("CumSum", ["x", "axis"]), {"x": ["a", 2], "axis": []}, {k: ranges[k] for k in "an"}, items={"axis": ["n"]}
    )


@pytest.mark.parametrize("op", ["CumSum", "CumProd"])
@pytest.mark.parametrize("axis", [-3, -2, 1, 2, 5])
def test_nothing_is_run_along_whichever_axis(op, axis):
    shape, ranges = {"x": ["a", "b"]}, {"a": (0, 2), "b": (0, 1)}
    agree(node(op, ["x", "axis"]), shape, ranges, constants={"axis": np.int64(axis)}, opset=26)
    ranges["k"] = (axis, axis + 1)
    agree(node(op, ["x", "axis"]), {**shape, "axis": []}, ranges, items={"axis": ["k"]}, opset=26)


@pytest.mark.parametrize("opset", [9, 11, 12, 18])
@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMin", "ArgMax"])
def test_axes_of_a_scalar_are_not_read_before_inference_looked_at_them(op, opset):
    inputs, axes = ["x"], {"axis": 1} if op == "ArgMax" else {"axes": [1]}
    if opset == 18 and op != "ArgMax":
        inputs, axes = ["x", "axes"], {}
    found = agree(node(op, inputs, **axes), {"x": []}, constants={"axes": [1]} if not axes else {}, opset=opset)
    assert bool(found.ran) is (opset < (12 if op == "ReduceMin" else 11))


def cast(dtype):
    return node("Cast", ["x64"], ["x"], to={"int64": 7, "int32": 6, "float32": 1, "float64": 11}[dtype])


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_the_position_of_an_extreme_of_sizes(dtype, op, last):
    nodes = [cast(dtype), node(op, ["x"], axis=0, select_last_index=last)]
    found = agree(nodes, {}, SIGNED, items={"x64": ["n", 3, "m", "n + m"]}, outputs=["out"])
    assert None not in found.tensors["out"].value.items
    partly = agree(nodes, {}, SIGNED, items={"x64": ["n", None]}, outputs=["out"])
    assert partly.tensors["out"].value is None
    many = agree(nodes, {}, SIGNED, items={"x64": [*range(20), "n"]}, outputs=["out"])
    assert many.tensors["out"].value is None


@pytest.mark.parametrize("axes", [[0], [1], [0, 1]])
@pytest.mark.parametrize("dtype", ["int64", "int32", "float32", "float64"])
def test_means_of_sizes(dtype, axes):
    nodes = [cast(dtype), node("Reshape", ["x", "shape"], ["table"]), node("ReduceMean", ["table", "axes"])]
    items = {"x64": ["n", 3, "m", -7, "n + m", 10]}
    constants = {"shape": [2, 3], "axes": axes}
    found = agree(nodes, {}, SIGNED, items=items, constants=constants, outputs=["out"])
    assert None not in found.tensors["out"].value.items


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_the_mean_of_operands(count):
    names = [f"x{i}" for i in range(count)]
    nodes = [node("Cast", [f"{name}64"], [name], to=1) for name in names]
    items = {f"{name}64": [f"{i}*n + m"] for i, name in enumerate(names)}
    found = agree([*nodes, node("Mean", names)], {}, {"n": (-5, 30), "m": (0, 3)}, items=items, outputs=["out"])
    assert None not in found.tensors["out"].value.items


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_running_sums_of_floats(exclusive, reverse):
    sums = node("CumSum", ["scaled", "axis"], exclusive=exclusive, reverse=reverse)
    nodes = [cast("float32"), node("Mul", ["x", "k"], ["scaled"]), sums]
    constants = {"k": np.float32(0.7), "axis": np.array(0)}
    found = agree(nodes, {}, SIGNED, items={"x64": ["n", 3, "m", 1000]}, constants=constants, outputs=["out"])
    assert None not in found.tensors["out"].value.items
