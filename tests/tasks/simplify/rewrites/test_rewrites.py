"""Rewrites among operators of other domains that have ONNX's names, and with numbers whose bits kernels change."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

import shapesmt
from tests.support.each import each
from tests.tasks.simplify.compared import outputs, session

HEAD = '<ir_version: 10, opset_import: ["":18, "my":1]>'
FLATTEN = "Flatten (a) => (z) { b=Neg(a) z=Flatten<axis=1>(b) }"
RESHAPE = "Reshape (a,t) => (z) { b=Neg(a) z=Reshape(b,t) }"
TRANSPOSE = "Transpose <perm>(a) => (z) { b=Neg(a) z=Transpose<perm: ints=@perm>(b) }"
EXPAND = "Expand (a,t) => (z) { b=Neg(a) z=Expand(b,t) }"
SOFTMAX = "Softmax (a) => (z) { o=Constant<value_float=1.0>() z=Div(o,a) }"
NOT_IDENTITY = "Identity (a) => (z) { z=Neg(a) }"


def fed(model: onnx.ModelProto) -> dict[str, Any]:
    feeds = {}
    for info in model.graph.input:
        shape = [d.dim_value or 3 for d in info.type.tensor_type.shape.dim]
        numbers = np.arange(-1, np.prod(shape) - 1, dtype=np.float32).reshape(shape)
        feeds[info.name] = np.where(numbers == 0, np.float32(-0.0), numbers)
    return feeds


@pytest.mark.parametrize(
    ("graph", "function"),
    [
        ("g (float[n,4,2] x) => (z) { a=my.Flatten(x) u=Constant<value_ints=[-1,4,2]>() b=Reshape(a,u) z=Flatten(b) }",
         FLATTEN),
        ("g (float[n,4] x) => (z) { t=Constant<value_ints=[-1,2]>() a=my.Reshape(x,t) u=Constant<value_ints=[-1]>() "
         "z=Reshape(a,u) }", RESHAPE),
        ("g (float[n,4,3] x) => (z) { a=my.Transpose<perm=[1,0,2]>(x) z=Transpose<perm=[2,1,0]>(a) }", TRANSPOSE),
        ("g (float[n,1] x, float[n,4] y) => (z) { s=Shape(y) a=my.Expand(x,s) z=Add(a,y) }", EXPAND),
        ("g (float[n] x) => (z) { s=Shape(x) o=ConstantOfShape<value=float[1]{0.0}>(s) a=Add(x,o) z=my.Softmax(a) }",
         SOFTMAX),
        ("g (float[n] x) => (z) { a=my.Identity(x) z=Exp(a) }", NOT_IDENTITY),
        ("g (float[n] x) => (z) { s=Shape(x) t=my.Identity(s) u=Cast<to=1>(t) z=Mul(u,x) }", NOT_IDENTITY),
    ],
)  # fmt: skip
def test_a_function_with_the_name_of_an_operator_is_none(graph: str, function: str) -> None:
    model = onnx.parser.parse_model(f'{HEAD} {graph} <domain: "my", opset_import: ["":18]> {function}')
    before, after = (outputs(session(m), fed(model)) for m in (model, shapesmt.simplify(model)))
    assert before is not None
    assert after is not None
    assert before[0].tobytes() == after[0].tobytes()


SPECIAL = np.array([-0.0, 0.0, np.nan, -np.nan, np.inf, -np.inf, 1.1, -3.7, 1e-42, 1e38], np.float32)
EXPANDED = "g (float[n] y, float[1] x) => (float[n] z) {{ s=Shape(y) e=Expand(x,s) z={}({}) }}"


@pytest.mark.parametrize("op", ["Pow", "Max", "Min", "Add", "Sub", "Mul", "Div", "Mean", "Sum", "Mod<fmod=1>"])
@pytest.mark.parametrize("order", ["y,e", "e,y"])
@each("scalar", [3.0, 2.0, 1.0, 0.0, -0.0, np.nan, np.inf, 0.5])
def test_no_bit_changes_for_an_operand_that_is_expanded(op: str, scalar: float, order: str) -> None:
    model = onnx.parser.parse_model(f"{HEAD} {EXPANDED.format(op, order)}")
    special = np.abs(SPECIAL) if np.isnan(scalar) else SPECIAL  # of two NaNs either may be given
    y = np.concatenate([special, np.random.default_rng(0).normal(size=200).astype(np.float32)])
    feeds = {"y": y, "x": np.array([scalar], np.float32)}
    before, after = (outputs(session(m), feeds) for m in (model, shapesmt.simplify(model)))
    assert before is not None
    assert after is not None
    assert before[0].tobytes() == after[0].tobytes()


@pytest.mark.parametrize(
    "body",
    [
        "a=Abs(y) w=Where(c,y,a) z=Reciprocal(w)",
        "a=Abs(y) z=Where(c,y,a)",
        "a=Abs(y) w=Where(c,y,a) z=Exp(w)",
        "a=Abs(y) w=Where(c,y,a) z=Abs(w)",
        "o=Constant<value_float=1.0>() z=Pow(y,o)",
        "o=Constant<value_float=1.0>() p=Neg(y) q=Pow(p,o) z=Neg(q)",
        "o=Constant<value_float=1.0>() p=Mul(y,o) z=Neg(p)",
        "o=Constant<value_float=1.0>() p=Div(y,o) z=Neg(p)",
        "o=Constant<value_float=0.0>() p=Sub(y,o) z=Reciprocal(p)",
    ],
)
def test_no_bit_changes_for_zeros_and_numbers_that_are_none(body: str) -> None:
    graph = f"g (float[n] y) => (float[n] z) {{ c=Constant<value=bool[1]{{1}}>() {body} }}"
    model = onnx.parser.parse_model(f"{HEAD} {graph}")
    before, after = (outputs(session(m), {"y": SPECIAL}) for m in (model, shapesmt.simplify(model)))
    assert before is not None
    assert after is not None
    assert before[0].tobytes() == after[0].tobytes()


@pytest.mark.parametrize("op", ["BlackmanWindow", "HannWindow", "HammingWindow"])
@pytest.mark.parametrize(
    "body",
    ["d=Sub(n,n) z=%s(d)", "d=Sub(n,n) e=Identity(d) w=%s<output_datatype=11>(e) z=Neg(w)",
     "d=Sub(n,n) f=Equal(d,i) z=If(f)<then_branch=t()=>(u){ u=%s(d) }, else_branch=e()=>(v){ v=HannWindow(n) }>"],
)  # fmt: skip
def test_a_window_of_size_0_is_loaded(op: str, body: str) -> None:
    graph = f"g (float[a] x) => (z) {{ s=Shape(x) i=Constant<value_int=0>() n=Gather(s,i) {body % op} }}"
    model = onnx.parser.parse_model(f"{HEAD} {graph}")
    made = shapesmt.simplify(model, dims={"a": "1..4"})
    before, after = (outputs(session(m), {"x": np.zeros(3, np.float32)}) for m in (model, made))
    assert before is not None
    assert after is not None
    assert (before[0].shape, before[0].dtype) == (after[0].shape, after[0].dtype) == ((0,), after[0].dtype)
