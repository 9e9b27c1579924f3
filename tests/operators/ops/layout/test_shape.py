"""Constant, Shape, Reshape and its relatives, Expand, Tile, ConstantOfShape, Range, EyeLike, Trilu."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import shapesmt
from shapesmt.operators.ops.layout.reshape import divide_products
from shapesmt.operators.ops.shared.fields import along, element_of, numbers, within
from shapesmt.operators.rules import position, tensor
from shapesmt.prover.algebra import Verdict, as_dim, equal, select
from shapesmt.prover.algebra.dim import symbol
from tests.support.harness import agree, node

NM = {"n": (0, 3), "m": (0, 3)}
NMK = {**NM, "k": (0, 3)}
SCALARS = {"a": [], "b": [], "c": []}


def value(array):
    return numpy_helper.from_array(np.asarray(array))


def expression(tensor):
    return [str(d) for d in tensor.dims]


@pytest.mark.parametrize("allowzero", [None, 1])
@pytest.mark.parametrize(
    "sizes",
    [
        ["n", "m*k"], ["n", -1], [-1, "n"], ["n", "m", -1], ["m", "k", -1], [0, -1], [-1, 0], [0, 0, 0], [],
        [-1, -1], [-2, 3], ["n - 2", -1], ["n - 1", "m"], ["n - 1", "m - 1"], ["n - 1", "m - 1", "k - 1"],
        ["n*m", "k"], [2, -1], [1, 2, 3, 0], ["n", "m", -1, 1], ["n + 1", "m*k"], ["n//2", -1],
        ["n//2 + 1", "m", "k"], ["m - 1"],
    ],
    ids=str,
)  # fmt: skip
def test_reshape(sizes, allowzero):
    agree(
        node("Reshape", ["x", "s"], allowzero=allowzero),
        {"x": ["n", "m", "k"]},
        NMK,
        items={"s": sizes},
        known=all(s not in (-2,) for s in sizes) and sizes != [-1, -1],
    )


@pytest.mark.parametrize("made", ["initializer", "constant", "computed"])
@pytest.mark.parametrize("sizes", [[0, -1, 0], [0, -1], [0, -1, 2]], ids=str)
def test_an_allowed_zero_beside_what_remains_runs_where_it_is_computed(sizes, made):
    nodes, constants = [node("Reshape", ["x", "s"], allowzero=1)], {}
    if made == "constant":
        nodes.insert(0, node("Constant", [], ["s"], value=value(np.array(sizes))))
    else:
        constants["s" if made == "initializer" else "t"] = np.array(sizes)
        nodes = [node("Identity", ["t"], ["s"])] * (made == "computed") + nodes
    agree(nodes, {"x": ["n", "m"]}, NM, constants=constants, outputs=["out"], known=made == "computed")


@pytest.mark.parametrize("allowzero", [None, 1])
@pytest.mark.parametrize("wanted", ["h -1", "-1 h", "h -1 h", "h -1 0", "h 0", "h", "h h", "h -1 2", "h 2 h"])
def test_a_computed_size_of_zero_copies(wanted, allowzero):
    nodes = [
        node("Shape", ["x"], ["shape"], start=0, end=1),
        node("Div", ["shape", "2"], ["h"]),
        node("Concat", wanted.split(), ["s"], axis=0),
        node("Reshape", ["x", "s"], allowzero=allowzero),
    ]
    constants = {name: [int(name)] for name in ("-1", "0", "2")}
    agree(nodes, {"x": ["n", "m"]}, NM, constants=constants, outputs=["out"])


def test_a_size_of_zero_that_copies_is_no_accident():
    nodes = [
        node("Shape", ["x"], ["s"], start=1),
        node("Concat", ["s", "s"], ["t"], axis=0),
        node("Reshape", ["x", "t"]),
    ]
    found = agree(nodes, {"x": [3, "n//2"]}, {"n": (0, 5)}, outputs=["out"])
    assert found.ran == 2


@pytest.mark.parametrize(
    "sizes", [[None], [None, "m"], [None, 2], [None, None, 2], [-1, None], [None, "n - 1", 2]], ids=str
)
def test_reshape_to_sizes_partly_unknown(sizes):
    agree(node("Reshape", ["x", "s"]), {"x": ["n", "m", "k"]}, NMK, items={"s": sizes}, may_fail_more=True)


def test_reshape_to_unknown_sizes_keeps_what_the_number_of_elements_says():
    found = agree(
        node("Reshape", ["x", "s"]), {"x": ["n", 6]}, {"n": (1, 3)}, items={"s": [None, 3]}, may_fail_more=True
    )
    assert expression(found.tensors["out"]) == ["2*n", "3"]


def test_reshape_cancels_common_factors():
    found = agree(
        node("Reshape", ["x", "s"]), {"x": ["n*m", 12]}, {"n": (1, 3), "m": (1, 3)}, items={"s": ["n", "m", 4, -1]}
    )
    assert expression(found.tensors["out"]) == ["n", "m", "4", "3"]
    assert not [r for a in found.inference.applications for r in a.requirements if str(r.formula) != "True"]


def test_a_quotient_may_assume_a_divisor_that_is_not_zero():
    batch, seq = symbol("batch", 0, 8), symbol("seq", 0, 9)
    assert [str(part) for part in divide_products([batch, seq, symbol("c", 0)], [seq, batch])] == ["c", "True"]


def test_reshape_by_attribute():
    agree(node("Reshape", ["x"], shape=[2, -1]), {"x": ["n", "m"]}, NM, opset=4, backend="onnxruntime")


@pytest.mark.parametrize("axes", [[0], [1], [-1], [0, 2], [0, 0], [3], [0, -3]], ids=str)
@pytest.mark.parametrize("op", ["Squeeze", "Unsqueeze"])
def test_squeeze_and_unsqueeze(op, axes):
    shapes = {"x": ["n", "m", "k"]}
    agree(node(op, ["x", "a"]), shapes, NMK, constants={"a": axes}, known=False)
    agree(node(op, ["x"], axes=axes), shapes, NMK, opset=11, known=False)


def test_squeeze_without_axes():
    assert expression(agree(node("Squeeze", ["x"]), {"x": [1, 3, 1, 2]}, {}).tensors["out"]) == ["3", "2"]
    assert agree(node("Squeeze", ["x"]), {"x": ["n", 1]}, NM, known=False).tensors["out"].shape is None


@pytest.mark.parametrize("axis", range(-4, 5))
def test_flatten(axis):
    agree(node("Flatten", ["x"], axis=axis), {"x": ["n", "m", "k"]}, NMK, known=False)


@pytest.mark.parametrize(
    "sizes",
    [["n"], ["m", "n"], [1, "m"], ["n - 1", "m"], ["m", "n", "k"], [None, "m"], ["n", None], [None], ["m", None, 3]],
    ids=str,
)
@pytest.mark.parametrize("shape", [["n", "m"], [1, "m"], ["n", 1], [3], []], ids=str)
def test_expand(shape, sizes):
    agree(node("Expand", ["x", "s"]), {"x": shape}, NMK, items={"s": sizes}, may_fail_more=None in sizes)


@pytest.mark.parametrize("repeats", [["n", "m"], ["n - 1", 2], [1, 1], ["n"], [None, 1]], ids=str)
def test_tile(repeats):
    agree(node("Tile", ["x", "r"]), {"x": ["n", "m"]}, NM, items={"r": repeats}, known=False)


@pytest.mark.parametrize("dtype", ["float32", "int8", "int64"])
@pytest.mark.parametrize(
    ("shape", "repeats"), [([0, 1], [5, "k"]), ([2, 1, 0], [1, "k//2", 1]), ([0, 1, 2], [1, "k", 4])]
)
def test_a_tiled_tensor_takes_4_gib_at_most_counted_axis_by_axis(dtype, shape, repeats):
    most = 2**32 // np.dtype(dtype).itemsize
    tiled = {"items": {"r": repeats}, "dtypes": {"x": dtype}}
    found = agree(node("Tile", ["x", "r"]), {"x": shape}, {"k": (most, most + 2)}, **tiled)
    assert found.ran
    assert found.failed


@pytest.mark.parametrize("fill", [None, [3], [True], [2.5]], ids=str)
@pytest.mark.parametrize("sizes", [["n", 2, "m"], ["n - 1"], [], [2, 3]], ids=str)
def test_constant_of_shape(sizes, fill):
    attribute = None if fill is None else value(np.array(fill, np.float32 if fill == [2.5] else None))
    agree(node("ConstantOfShape", ["s"], value=attribute), {}, NM, items={"s": sizes})


@pytest.mark.parametrize(
    ("start", "end"), [(0, None), (1, None), (-1, None), (1, 2), (-2, -1), (2, 1), (-9, 9), (5, 9), (0, -4)]
)
def test_shape(start, end):
    agree(node("Shape", ["x"], start=start, end=end), {"x": ["n", "m", "k"]}, NMK)


def test_size_is_the_product():
    agree(node("Size", ["x"]), {"x": ["n", "m", "k"]}, NMK)


@pytest.mark.parametrize("perm", [None, [0, 1, 2], [2, 0, 1], [1, 0, 2], [0, 0, 1], [0, 1]], ids=str)
def test_transpose(perm):
    agree(node("Transpose", ["x"], perm=perm), {"x": ["n", "m", "k"]}, NMK, known=False)


@pytest.mark.parametrize(
    "items", [("n", "m", "k"), ("n", "m", 1), ("n", "m", -3), (0, "n", 1), (0, 2000, 1), (5, 0, -2), (5, 0, 2)]
)
def test_range_of_integers(items):
    ranges = {"n": (-4, 6), "m": (-4, 6), "k": (-3, 3)}
    agree(node("Range", ["a", "b", "c"]), SCALARS, ranges, items={x: [i] for x, i in zip("abc", items, strict=True)})


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("delta", [0.1, 0.25, 0.7, -0.3, 1 / 3])
def test_range_of_floats_counts_as_runtimes_do(delta, dtype):
    to = onnx.TensorProto.FLOAT if dtype == "float32" else onnx.TensorProto.DOUBLE
    constants = {"z": np.array(0.2, dtype), "d": np.array(delta, dtype)}
    nodes = [node("Cast", ["a"], ["limit"], to=to), node("Range", ["z", "limit", "d"])]
    agree(nodes, {"a": []}, {"n": (-5, 40)}, items={"a": ["n"]}, constants=constants, outputs=["out"])


@pytest.mark.parametrize("k", [-2, 0, 1, 5])
@pytest.mark.parametrize("shape", [["n", "m"], [3, 4], ["n"]], ids=str)
def test_eye_like(shape, k):
    agree(node("EyeLike", ["x"], k=k, dtype=onnx.TensorProto.INT64), {"x": shape}, NM, known=False)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("sizes", [["n", "m"], [3, 4]], ids=str)
def test_trilu_of_known_elements(sizes, upper):
    nodes = [node("ConstantOfShape", ["s"], ["c"], value=value([4])), node("Trilu", ["c", "k"], upper=upper)]
    agree(nodes, {"k": []}, {**NM, "k": (-2, 2)}, items={"s": sizes, "k": ["k"]})


@pytest.mark.parametrize(
    "given",
    [
        {"value_int": 3}, {"value_ints": [1, 2]}, {"value_float": 1.5}, {"value_floats": [1.5, 2.0]},
        {"value_string": "a"}, {"value_strings": ["a", "b"]}, {"value": value([1, 2])},
    ],
    ids=lambda given: next(iter(given)),
)  # fmt: skip
def test_constant(given):
    agree(node("Constant", [], **given), {}, {})


def test_a_symbolic_index_into_a_list_is_a_choice():
    i, a, b = symbol("i", 0, 2), symbol("a"), symbol("b")
    assert str(along([a, b, a], i)) == "(a if i == 0 else (b if i == 1 else a))"
    assert str(along([a, a + b, a + 2 * b], i)) == "a + b*i"
    assert str(within(i - 1, a)) == "(i - 1 if i >= 1 else a + i - 1)"


@pytest.mark.parametrize("steps", [(1,), (-3, 5), (0, 7), (4, 0, 2)])
def test_constants_that_grow_evenly_along_each_axis_are_one_formula(steps):
    shape, rank = (9, 12, 10)[: len(steps)], len(steps)
    even = 6 + sum(step * at for step, at in zip(steps, np.indices(shape), strict=True))
    uneven = even.copy()
    uneven.flat[-1] += 1

    def element(array):
        return element_of(tensor("int64", [as_dim(size) for size in shape], numbers(array)))

    assert element(even) is sum((step * position(rank - axis) for axis, step in enumerate(steps)), as_dim(6))
    assert (element(uneven).lo, element(uneven).hi) == (uneven.min(), uneven.max())


@pytest.mark.parametrize("empty", ["ConstantOfShape(z)", "Shape<start=1>(x)", "Range(o, o, i)"])
def test_nothing_reshaped_beside_a_huge_size(empty):
    text = f"""<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (y) {{
        z = Constant<value_ints=[0]>() o = Constant<value_int=0>() i = Constant<value_int=1>()
        e = {empty} t = Constant<value_ints=[0,4611686018427387904]>() y = Reshape(e, t) }}"""
    report = shapesmt.check(onnx.parser.parse_model(text))
    assert report.verdict is Verdict.PROVED


def test_an_element_that_is_chosen_from_long_formulas_is_not_known():
    """Each product of conditions doubles what a comparison with it has to tell apart."""
    flags = [select(equal(symbol(f"x[{i}]"), 1), 1, 0) for i in range(8)]
    sums = [sum((flag * flags[i] for flag in flags[: i + 1]), as_dim(0)) for i in range(8)]
    assert along(flags[:4], position(1)) is not None
    assert along(sums, position(1)) is None
