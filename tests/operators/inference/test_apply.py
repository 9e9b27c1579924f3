"""A node whose law fails is told as failing, whatever its rule makes of sizes that can't be."""

from __future__ import annotations

import onnx.parser
import onnxruntime
import pytest

import shapesmt

SCATTER = "y = ScatterElements<axis = 1>(x, i, u)"


@pytest.mark.parametrize(
    ("graph", "law"),
    [
        ("int64[n, n] x) => (y) <int64[2] s = {2, 5}> { y = Expand(x, s) }", "a size expands from 1 or stays"),
        ("int64[n, 0] x) => (y) <int64[2] s = {2, 5}> { y = Expand(x, s) }", "a size expands from 1 or stays"),
        (f"int64[n, 4] x, int64[n, n] u) => (y) <int64[2, 1] i = {{0, 1}}> {{ {SCATTER} }}", "have one shape"),
        (f"int64[n, 4] x, int64[n, 1] u) => (y) <int64[2, 2] i = {{0, 1, 2, 3}}> {{ {SCATTER} }}", "have one shape"),
    ],
)
def test_elements_that_do_not_fit(graph, law):
    model = f'<ir_version: 8, opset_import: ["": 18]> g ({graph}'.encode()
    report = shapesmt.check(model, dims={"n": 2})
    assert str(report.verdict) == "FAILS"
    assert law in report.findings[0].law


@pytest.mark.parametrize("opset", [9, 13, 18, 19, 21])
def test_a_type_that_only_a_later_version_names_is_left_open_as_the_runtime_does_not_look(opset: int) -> None:
    named = [onnx.TensorProto.FLOAT8E4M3FN, onnx.TensorProto.INT4, onnx.TensorProto.FLOAT, onnx.TensorProto.COMPLEX64]
    verdicts = []
    for number in named:
        text = f'<ir_version: 9, opset_import: ["": {opset}]> g (float[2] x) => (y) {{ y = Cast <to = {number}> (x) }}'
        model = onnx.parser.parse_model(text).SerializeToString()
        verdicts.append(shapesmt.check(model).verdict.name)
        if verdicts[-1] == "FAILS":
            with pytest.raises(Exception, match="ONNXRuntimeError"):
                onnxruntime.InferenceSession(model)
        else:
            onnxruntime.InferenceSession(model)
    assert verdicts == [*("PROVED" if opset >= since else "UNKNOWN" for since in (19, 21)), "PROVED", "FAILS"]


@pytest.mark.parametrize("opset", [15, 17])
def test_a_type_that_an_operator_makes_by_casting_is_left_open(opset: int) -> None:
    calls = ["Bernoulli <dtype = {}> (x)", *["HannWindow <output_datatype = {}> (n)"] * (opset == 17)]
    verdicts = []
    for call in [*calls, "SequenceEmpty <dtype = {}> ()"]:
        for number in (onnx.TensorProto.BFLOAT16, onnx.TensorProto.STRING, onnx.TensorProto.COMPLEX64):
            body = f"{{ n = Constant <value = int64 {{5}}> () y = {call.format(number)} }}"
            text = f'<ir_version: 9, opset_import: ["": {opset}]> g (float[2] x) => (y) {body}'
            model = onnx.parser.parse_model(text).SerializeToString()
            verdicts.append(shapesmt.check(model).verdict.name)
            if verdicts[-1] == "FAILS":
                with pytest.raises(Exception, match="ONNXRuntimeError"):
                    onnxruntime.InferenceSession(model)
            elif not call.startswith("Seq") or number != onnx.TensorProto.COMPLEX64:
                onnxruntime.InferenceSession(model)
    assert verdicts == [*["PROVED", "UNKNOWN", "FAILS"] * len(calls), "UNKNOWN", "PROVED", "PROVED"]
