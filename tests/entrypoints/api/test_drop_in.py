"""The drop-in for ONNX's own shape inference."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.base.errors import ModelError
from tests.entrypoints.api.test_api import HEAD, model


def test_infer_shapes_is_a_drop_in() -> None:
    proto = model(HEAD + "(float[n, 4] x) => (z) { y = Flatten <axis = 0> (x)  z = Relu (y) }")
    inferred = {v.name: v.type.tensor_type for v in shapesmt.infer_shapes(proto).graph.value_info}
    assert inferred["y"].elem_type == onnx.TensorProto.FLOAT
    assert [d.dim_param or d.dim_value for d in inferred["y"].shape.dim] == [1, "4*n"]
    assert isinstance(shapesmt.infer_shapes(proto.SerializeToString()), onnx.ModelProto)


def test_inference_believes_the_file_where_it_knows_nothing() -> None:
    proto = model(
        HEAD + "(float[n, 4] x) => (float[a, b] z) <float[n, 8] y> { y = Odd (x)  z = Concat <axis = 1> (y, x) }"
    )
    made = shapesmt.infer_shapes(proto, strict_mode=True).graph.output[0].type.tensor_type
    assert [d.dim_param or d.dim_value for d in made.shape.dim] == ["n", 12]


def test_strict_inference_refuses_what_cannot_run() -> None:
    proto = model(HEAD + "(float[n, 4] x, float[n, 3] y) => (z) { [add] z = Add (x, y) }")
    assert shapesmt.infer_shapes(proto).graph.output
    for options in ({"strict_mode": True}, {"check_type": True}):
        with pytest.raises(ModelError, match="node 'add' \\(Add\\) can't run") as caught:
            shapesmt.infer_shapes(proto, **options)  # type: ignore[arg-type]
        assert isinstance(caught.value, onnx.shape_inference.InferenceError)
    assert shapesmt.infer_shapes(model(), strict_mode=True)


def test_a_model_that_cannot_be_read_is_an_error_of_either_of_onnx_kinds():
    text = """<ir_version: 8, opset_import: ["": 17, "local": 1]> g (float[N] X) => (float[N] Y) { Y = local.foo (X) }
    <opset_import: ["": 17, "local": 1], domain: "local"> foo (x) => (y) { y = local.foo (x) }"""
    model = onnx.parser.parse_model(text)
    with pytest.raises(onnx.checker.ValidationError, match="'foo' calls itself"):
        shapesmt.infer_shapes(model)
    with pytest.raises(onnx.shape_inference.InferenceError):
        shapesmt.infer_shapes(model)


def test_an_initializer_without_an_element_type_fits_no_operator():
    text = '<ir_version: 8, opset_import: ["": 17]> g () => (y) <int64[1] x = {4}> { y = ConstantOfShape(x) }'
    model = onnx.parser.parse_model(text)
    model.graph.initializer[0].data_type = onnx.TensorProto.UNDEFINED
    with pytest.raises(onnx.shape_inference.InferenceError, match="of type int64, not undefined"):
        shapesmt.infer_shapes(model, strict_mode=True)
    assert not shapesmt.infer_shapes(model).graph.output[0].type.tensor_type.HasField("shape")


def test_ranks_of_keys_and_values_follow_those_of_queries():
    text = """<ir_version: 10, opset_import: ["": 27]> g (float[2, 4, 16, 16] past, float[n] x, int64[r] s) => () {
        q = Reshape(x, s) k = Reshape(x, s) v = Reshape(x, s)
        y, state = LinearAttention <q_num_heads = 4, kv_num_heads = 4, update_rule = "linear"> (q, k, v, past) }"""
    inferred = shapesmt.infer_shapes(onnx.parser.parse_model(text)).graph.value_info
    shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in inferred}
    assert (shapes["y"], shapes["state"]) == ([2, 0, 64], [2, 4, 16, 16])
