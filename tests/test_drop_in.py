"""The drop-in for ONNX's own shape inference."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.errors import ModelError
from tests.test_api import HEAD, model


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
