"""Operators whose schema somebody registered in Python, with a function that infers what they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import onnx
import pytest
from onnx.defs import OpSchema

import shapesmt
from shapesmt.base.errors import UsageError

Infer = Callable[[Any], None]


@pytest.fixture
def register() -> Iterator[Callable[[Infer], None]]:
    def registered(infer: Infer) -> None:
        schema = OpSchema(
            "Pick", "com.example", 1,
            inputs=[OpSchema.FormalParameter("x", "T"), OpSchema.FormalParameter("i", "tensor(int64)")],
            outputs=[OpSchema.FormalParameter("y", "T")],
            type_constraints=[("T", ["tensor(float)"], "")],
            attributes=[OpSchema.Attribute("keep", OpSchema.AttrType.INT, required=False)],
        )  # fmt: skip
        schema.set_type_and_shape_inference_function(infer)
        onnx.defs.register_schema(schema)

    yield registered
    if onnx.defs.has("Pick", "com.example"):
        onnx.defs.deregister_schema("Pick", 1, "com.example")


def model(node: str = "com.example.Pick (x, i)") -> bytes:
    return f"""<ir_version: 8, opset_import: ["": 18, "com.example": 1]>
        g (float[n, 2*n, 3] x, float[n, 3] w) => (float[a, b] z)
        <int64[2] i = {{1, 4}}> {{ y = {node} z = Add (y, w) }}""".replace("2*n", "m").encode()


def rows(ctx: Any) -> None:
    """`[n, m, 3]` becomes `[n, last element of i - 1]`."""
    said, taken = ctx.get_input_type(0), onnx.numpy_helper.to_array(ctx.get_input_data(1))
    del said.tensor_type.shape.dim[1:]
    said.tensor_type.shape.dim.add().dim_value = int(taken[-1]) - 1
    ctx.set_output_type(0, said)


def test_its_sizes_and_elements_go_in_and_come_back(register):
    register(rows)
    report = shapesmt.check(model())
    (found,) = report.findings
    assert (report.verdict.value, found.kind, found.node) == ("UNKNOWN", "unsupported", "Pick_0")
    assert "says what it makes" in found.note
    assert [str(d.expr) for d in shapesmt.bounds(model()).tensors["z"].shape] == ["n", "3"]
    (_, pick) = shapesmt.supported_ops(model()).operators
    assert (pick.since, pick.inferred) == (None, True)


def test_a_size_that_the_function_makes_up_is_unknown(register):
    def anything(ctx: Any) -> None:
        said = ctx.get_input_type(0)
        del said.tensor_type.shape.dim[2:]
        said.tensor_type.shape.dim[1].dim_param = "some"
        ctx.set_output_type(0, said)

    register(anything)
    assert {f.verdict.value for f in shapesmt.check(model()).findings} == {"UNKNOWN"}


def test_what_the_function_refuses_is_a_finding(register):
    def refuse(ctx: Any) -> None:
        raise onnx.shape_inference.InferenceError("x is too long")

    register(refuse)
    assert ("FAILS", "x is too long") in [(f.verdict.value, f.law) for f in shapesmt.check(model()).findings]
    with pytest.raises(onnx.shape_inference.InferenceError, match="x is too long"):
        shapesmt.infer_shapes(onnx.parser.parse_model(model().decode()), strict_mode=True)


def test_a_function_that_breaks_is_named(register):
    def broken(ctx: Any) -> None:
        raise KeyError("oops")

    register(broken)
    with pytest.raises(UsageError, match=r"registered for Pick broke at node 'Pick_0': KeyError: 'oops'$"):
        shapesmt.check(model())


def test_a_schema_counts_from_when_it_is_registered(register):
    assert shapesmt.bounds(model()).tensors["y"].shape is None
    register(rows)
    assert shapesmt.bounds(model()).tensors["y"].shape is not None
