"""Each rewrite on the smallest model that it applies to, and on one that looks like it but has to stay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.oracle.runner import assignments
from tests.tasks.simplify.compared import differences, simplify


class Row(NamedTuple):
    """A model's inputs and nodes, and the operators that are left of it."""

    name: str
    inputs: str
    body: str
    left: str
    dims: dict[str, tuple[int, int]]
    opset: int = 18


N = {"n": (1, 4)}
NM = {"n": (1, 4), "m": (1, 4)}
ROWS = [
    Row("identity", "float[n] x", "a = Identity(x) y = Exp(a)", "Exp", N),
    Row("identity of an output", "float[n] x", "a = Exp(x) y = Identity(a)", "Exp", N),
    Row("identity of an input", "float[n] x", "y = Identity(x)", "Identity", N),
    Row("cast", "float[n] x", "a = Cast<to=1>(x) y = Exp(a)", "Exp", N),
    Row("cast that changes", "float[n] x", "a = Cast<to=10>(x) y = Exp(a)", "Cast Exp", N),
    Row("flatten of a matrix", "float[n,3] x", "a = Flatten<axis=1>(x) y = Exp(a)", "Exp", N),
    Row("transpose", "float[n,3] x", "a = Transpose<perm=[0,1]>(x) y = Exp(a)", "Exp", N),
    Row("transpose that moves", "float[n,n] x", "a = Transpose<perm=[1,0]>(x) y = Exp(a)", "Transpose Exp", N),
    Row("transposed twice", "float[n,m,2] x",
        "a = Transpose<perm=[1,2,0]>(x) y = Transpose<perm=[0,2,1]>(a)", "Transpose", NM),
    Row("transposed back", "float[n,m] x", "a = Transpose<perm=[1,0]>(x) b = Transpose<perm=[1,0]>(a) y = Exp(b)",
        "Exp", NM),
    Row("slice of everything", "float[n,3] x",
        "s = Constant<value_ints=[0]>() e = Constant<value_ints=[3]>() k = Constant<value_ints=[1]>() "
        "a = Slice(x, s, e, k) y = Exp(a)", "Exp", N),
    Row("slice backwards", "float[n,3] x",
        "s = Constant<value_ints=[-1]>() e = Constant<value_ints=[-9]>() k = Constant<value_ints=[1]>() "
        "t = Constant<value_ints=[-1]>() a = Slice(x, s, e, k, t) y = Exp(a)", "Slice Exp", N),
    Row("slice to a size", "float[n,m] x, float[n] z",
        "s = Constant<value_ints=[1]>() e = Shape(z) k = Constant<value_ints=[0]>() y = Slice(x, s, e, k)", "Slice",
        NM),
    Row("no padding", "float[n,3] x", "p = Constant<value_ints=[0,0,0,0]>() a = Pad(x, p) y = Exp(a)", "Exp", N),
    Row("padding on one side, cropped on the other", "float[n,3] x",
        "p = Constant<value_ints=[0,1,0,-1]>() a = Pad(x, p) y = Exp(a)", "Pad Exp", N),
    Row("concat of one", "float[n] x", "a = Concat<axis=0>(x) y = Exp(a)", "Exp", N),
    Row("expand to the same", "float[n,3] x", "s = Shape(x) a = Expand(x, s) y = Exp(a)", "Exp", N),
    Row("expand to what is at hand", "float[n,1] x",
        "s = Shape(x) one = Constant<value_ints=[3]>() i = Constant<value_ints=[0]>() d = Gather<axis=0>(s, i) "
        "t = Concat<axis=0>(d, one) y = Expand(x, t)", "Expand", N),
    Row("expand before a broadcast", "float[1,3] x, float[n,3] z", "s = Shape(z) a = Expand(x, s) y = Add(z, a)",
        "Add", N),
    Row("expand that broadcasts more", "float[1,3] x, float[1,3] z, float[n,3] w",
        "s = Shape(w) a = Expand(x, s) y = Add(z, a)", "Shape Expand Add", N),
    Row("tile by one", "float[n,3] x", "r = Constant<value_ints=[1,1]>() a = Tile(x, r) y = Exp(a)", "Exp", N),
    Row("times one", "float[n] x", "c = Constant<value_float=1.0>() a = Mul(c, x) y = Exp(a)", "Exp", N),
    Row("plus zero, which changes -0.0", "float[n] x", "c = Constant<value_float=0.0>() a = Add(x, c) y = Exp(a)",
        "Add Exp", N),
    Row("plus zero before Softmax", "float[n] x",
        "c = Constant<value_float=0.0>() a = Add(c, x) y = Softmax(a)", "Softmax", N),
    Row("plus zeros that stretch, before Softmax", "float[n] x",
        "c = Constant<value_floats=[0.0,0.0]>() a = Add(c, x) y = Softmax(a)", "Add Softmax", {"n": (1, 1)}),
    Row("one that stretches", "float[n] x", "c = Constant<value_floats=[1.0,1.0]>() a = Mul(x, c) y = Exp(a)",
        "Mul Exp", {"n": (1, 1)}),
    Row("where", "float[n] x, float[n] z",
        "s = Shape(x) i = Constant<value_int=0>() d = Gather<axis=0>(s, i) c = GreaterOrEqual(d, i) "
        "a = Where(c, x, z) y = Exp(a)", "Exp", N),
    Row("sizes that are constant", "float[n,3] x",
        "s = Shape(x) i = Constant<value_ints=[1]>() y = Gather<axis=0>(s, i)", "", N),
    Row("a number that wraps", "float[n,3] x",
        "s = Shape(x) i = Constant<value_ints=[1]>() d = Gather<axis=0>(s, i) "
        "c = Constant<value_ints=[4611686018427387904]>() p = Mul(d, c) e = Cast<to=1>(p) y = Exp(e)",
        "Mul Cast Exp", N),
    Row("a target of the input's sizes", "float[n,m,6] x",
        "s = Shape(x) i = Constant<value_ints=[0,1]>() d = Gather<axis=0>(s, i) c = Constant<value_ints=[2,3]>() "
        "t = Concat<axis=0>(d, c) y = Reshape(x, t)", "Reshape", NM),
    Row("a target with a product", "float[n,m,6] x",
        "s = Shape(x) i = Constant<value_int=0>() j = Constant<value_int=1>() a = Gather<axis=0>(s, i) "
        "b = Gather<axis=0>(s, j) p = Mul(a, b) z = Constant<value_ints=[0]>() u = Unsqueeze(p, z) "
        "c = Constant<value_ints=[6]>() t = Concat<axis=0>(u, c) y = Reshape(x, t)", "Reshape", NM),
    Row("a target for empty tensors", "float[n,m,6] x",
        "s = Shape(x) i = Constant<value_int=0>() j = Constant<value_int=1>() a = Gather<axis=0>(s, i) "
        "b = Gather<axis=0>(s, j) p = Mul(a, b) z = Constant<value_ints=[0]>() u = Unsqueeze(p, z) "
        "c = Constant<value_ints=[6]>() t = Concat<axis=0>(u, c) y = Reshape<allowzero=1>(x, t)", "Reshape",
        {"n": (0, 2), "m": (0, 2)}),
    Row("a target whose other size may be 0", "float[n,m,k] x",
        "s = Shape(x) i = Constant<value_int=0>() j = Constant<value_int=1>() a = Gather<axis=0>(s, i) "
        "b = Gather<axis=0>(s, j) p = Mul(a, b) z = Constant<value_ints=[0]>() u = Unsqueeze(p, z) "
        "l = Constant<value_ints=[2]>() c = Gather<axis=0>(s, l) t = Concat<axis=0>(u, c) "
        "y = Reshape<allowzero=1>(x, t)", "Shape Gather Gather Mul Unsqueeze Gather Concat Reshape",
        {"n": (0, 2), "m": (0, 2), "k": (0, 2)}),
    Row("views of views", "float[n,m,6] x",
        "c = Constant<value_ints=[0,0,2,3]>() a = Reshape(x, c) y = Flatten<axis=3>(a)", "Reshape", NM),
    Row("two equal targets", "float[n,m] x, float[n,m] z",
        "s = Shape(x) t = Shape(z) a = ConstantOfShape(s) b = ConstantOfShape(t) y = Add(a, b)",
        "Shape ConstantOfShape Add", NM),
    Row("the same twice", "float[n] x", "a = Exp(x) b = Exp(x) y = Add(a, b)", "Exp Add", N),
    Row("the same by chance", "float[n] x",
        "a = RandomNormalLike<seed=1.0>(x) b = RandomNormalLike<seed=1.0>(x) y = Sub(a, b)",
        "RandomNormalLike RandomNormalLike Sub", N),
    Row("sizes in a row", "float[n,m,5] x",
        "s = Shape(x) i = Constant<value_int=0>() j = Constant<value_int=1>() a = Gather<axis=0>(s, i) "
        "b = Gather<axis=0>(s, j) z = Constant<value_ints=[0]>() u = Unsqueeze(a, z) v = Unsqueeze(b, z) "
        "t = Concat<axis=0>(u, v) y = ConstantOfShape(t)", "Shape ConstantOfShape", NM),
    Row("sizes in a row, before Shape had ends", "float[n,m,5] x",
        "s = Shape(x) i = Constant<value_int=0>() j = Constant<value_int=1>() a = Gather<axis=0>(s, i) "
        "b = Gather<axis=0>(s, j) z = Constant<value_ints=[0]>() u = Unsqueeze(a, z) v = Unsqueeze(b, z) "
        "t = Concat<axis=0>(u, v) y = ConstantOfShape(t)", "Shape Gather ConstantOfShape", NM, 13),
    Row("gather of everything", "float[n,m] x",
        "s = Shape(x) z = Constant<value_int=0>() o = Constant<value_int=1>() n = Gather<axis=0>(s, z) "
        "r = Range(z, n, o) a = Gather<axis=0>(x, r) y = Exp(a)", "Exp", NM),
    Row("gather of half", "float[n,m] x",
        "s = Shape(x) z = Constant<value_int=0>() o = Constant<value_int=2>() n = Gather<axis=0>(s, z) "
        "r = Range(z, n, o) y = Gather<axis=0>(x, r)", "Shape Gather Range Gather", NM),
    Row("a mask by index tuples", "float[n,m] x",
        "s = Shape(x) z = Constant<value_int=0>() o = Constant<value_int=1>() n = Gather<axis=0>(s, z) "
        "m = Gather<axis=0>(s, o) a = Range(z, n, o) b = Range(z, m, o) k = Constant<value_ints=[1]>() "
        "l = Constant<value_ints=[2]>() p = Unsqueeze(a, k) q = Expand(p, s) f = Constant<value_ints=[0]>() "
        "t = Unsqueeze(b, f) u = Expand(t, s) v = Unsqueeze(q, l) w = Unsqueeze(u, l) i = Concat<axis=2>(v, w) "
        "g = GatherND(x, i) y = Exp(g)", "Exp", NM),
    Row("the transpose by index tuples", "float[n,n] x",
        "s = Shape(x) z = Constant<value_int=0>() o = Constant<value_int=1>() n = Gather<axis=0>(s, z) "
        "a = Range(z, n, o) k = Constant<value_ints=[1]>() f = Constant<value_ints=[0]>() "
        "l = Constant<value_ints=[2]>() p = Unsqueeze(a, k) q = Expand(p, s) t = Unsqueeze(a, f) u = Expand(t, s) "
        "v = Unsqueeze(q, l) w = Unsqueeze(u, l) i = Concat<axis=2>(w, v) y = GatherND(x, i)",
        "Shape Gather Range Unsqueeze Expand Unsqueeze Expand Unsqueeze Unsqueeze Concat GatherND", N),
    Row("a branch that every run takes", "float[n,3] x",
        "s = Shape(x) z = Constant<value_ints=[1]>() d = Gather<axis=0>(s, z) t = Constant<value_ints=[3]>() "
        "e = Equal(d, t) c = Squeeze(e) a = If(c) <then_branch = p () => (float[q,r] u) { "
        "k = Constant<value_float=2.0>() v = Mul(x, k) u = Exp(v) }, "
        "else_branch = o () => (float[q2,r2] w) { w = Abs(x) }> y = Log(a)", "Mul Exp Log", N),
    Row("a branch that some runs take", "float[n] x",
        "s = Shape(x) t = Constant<value_ints=[2]>() e = Greater(s, t) c = Squeeze(e) "
        "y = If(c) <then_branch = p () => (float[q] u) { v = Identity(x) u = Exp(v) }, "
        "else_branch = o () => (float[q2] w) { w = Abs(x) }>", "Shape Greater Squeeze If", N),
    Row("unused", "float[n] x", "a = Exp(x) b = Log(a) y = Abs(x)", "Abs", N),
]  # fmt: skip


def model(row: Row) -> onnx.ModelProto:
    """The model of a row; its output y is declared by ONNX's own inference."""
    kind = "int64" if row.left in ("", "Shape") else "float"
    text = f'<ir_version: 8, opset_import: ["":{row.opset}]> g ({row.inputs}) => ({kind}[] y) {{ {row.body} }}'
    made = onnx.parser.parse_model(text)
    made.graph.output[0].type.tensor_type.ClearField("shape")
    return made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rewrite(row: Row) -> None:
    original = model(row)
    dims = {name: f"{lo}..{hi}" for name, (lo, hi) in row.dims.items()}
    copy, rewrites, _, after = simplify(original, dims)
    left = [node.op_type for node in copy.graph.node if node.op_type != "Constant"]
    inner = [node for node in copy.graph.node for a in node.attribute for node in a.g.node]
    assert (" ".join(left), after) == (row.left, len(left) + len(inner))
    assert all(r.rule and r.node and r.reason for r in rewrites)
    sizes = {name: range(lo, hi + 1) for name, (lo, hi) in row.dims.items()}
    assert [*differences(original, copy, assignments(sizes))] == []


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8])
@pytest.mark.parametrize("size", [3, 2000, 600 * 600])
def test_constants_are_the_same_only_if_their_elements_are(dtype: type, size: int) -> None:
    nodes = [
        helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.full(size, number, dtype), name))
        for name, number in (("a", 1), ("b", 2))
    ]
    nodes += [helper.make_node("Cast", [name], [f"{name}1"], to=TensorProto.DOUBLE) for name in "ab"]
    nodes += [helper.make_node("Sub", ["a1", "b1"], ["d"]), helper.make_node("Mul", ["d", "x"], ["y"])]
    infos = [helper.make_tensor_value_info("x", TensorProto.DOUBLE, ["n"]), onnx.ValueInfoProto(name="y")]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:])
    original = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    copy = simplify(original, {"n": 1})[0]
    assert [*differences(original, copy, [{"n": 1}])] == []


def test_targets_that_are_attributes_stay() -> None:
    nodes = [
        helper.make_node("Reshape", ["x"], ["a"], shape=[-1, 3]),
        helper.make_node("Reshape", ["a"], ["y"], shape=[-1, 2]),
    ]
    infos = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 6]), onnx.ValueInfoProto(name="y")]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:])
    original = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 4)], ir_version=3)
    copy = simplify(original, {"n": "1..3"})[0]
    assert [*differences(original, copy, [{"n": n} for n in (1, 2, 3)])] == []
