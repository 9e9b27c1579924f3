"""ONNX's own tests of shape inference that shapesmt doesn't pass: ONNX Runtime decides each against what they expect.

The tests themselves don't come with ONNX's package; each row restates what one is about.
"""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest

import shapesmt

LARGE = 2**24 + 1  # the first integer that isn't a float32
POOLED = 'auto_pad = "{0}", kernel_shape = [2, 2], strides = [2, 2], dilations = [2, 3]'


def float32(*shape):
    return np.zeros(shape, "float32")


def int64(*numbers):
    return np.array(numbers, "int64")


ROWS = {
    # name: opset, the graph, what is fed, what ONNX expects of y
    "resize_keep_aspect_ratio_precision": (
        18,
        f"(uint8[{LARGE}] x) => (y) <int64[1] n = {{{2 * LARGE}}}> "
        '{ y = Resize <keep_aspect_ratio_policy = "not_larger"> (x, , , n) }',
        {"x": np.zeros(LARGE, "uint8")},
        [2 * LARGE],
    ),
    "resize_scale_precision_large_dim": (
        13,
        f"(uint8[{LARGE}] x) => (y) <float[1] s = {{1}}> {{ y = Resize (x, , s) }}",
        {"x": np.zeros(LARGE, "uint8")},
        [LARGE],
    ),
    "slice_with_input_shape_steps": (
        17,
        "(float[5, 6, 7] x, int64[3] axes) => (y) <int64[3] b = {1, 0, 0}, int64[3] e = {2, 6, 6}, "
        "int64[3] s = {1, 4, 3}> { y = Slice (x, b, e, axes, s) }",
        {"x": float32(5, 6, 7), "axes": int64(2, 1, 0)},
        [1, 2, 2],
    ),
    "slice_with_input_shape_axes": (
        17,
        "(float[3, 6, 2] x, int64[2] steps) => (y) <int64[2] b = {1, 0}, int64[2] e = {2, 2}, "
        "int64[2] a = {0, 2}> { y = Slice (x, b, e, a, steps) }",
        {"x": float32(3, 6, 2), "steps": int64(1, 2)},
        [1, 6, 2],
    ),
    **{
        f"{op.lower()}_with_{pad.lower()}_padding_and_stride_and_dilation": (
            19,
            f"(float[5, 3, 9, 9] x) => (y) {{ y = {op} <{POOLED.format(pad)}> (x) }}",
            {"x": float32(5, 3, 9, 9)},
            [5, 3, 5, 5],
        )
        for op, pad in (("MaxPool", "SAME_UPPER"), ("MaxPool", "SAME_LOWER"), ("AveragePool", "SAME_UPPER"))
    },
    "nonzero_scalar": (17, "(float x) => (y) { y = NonZero (x) }", {"x": np.array(1, "float32")}, [0, None]),
    "stft_reals": (
        17,
        "(float[2, 10, 1] x) => (y) <int64 step = {2}, int64 length = {5}> { y = STFT (x, step, , length) }",
        {"x": float32(2, 10, 1)},
        [2, 3, 5, 2],
    ),
    "infer_with_initializer_without_input_below_ir4": (
        17,
        "(float[8, 7] x, float[?, ?] w) => (y) <float[8, 7] w> { y = Add (x, w) }",
        {"x": float32(8, 7), "w": float32(8, 7)},
        [None, None],
    ),
    "inference_with_conflow": (
        18,
        '(float[3] x) => (y) { y = local.f <dim = 0> (x) } <domain: "local", opset_import: ["": 18]> '
        "f <dim> (u) => (v) { v = ReduceMin <keepdims: int = @keepdim> (u) }",
        {"x": float32(3)},
        None,
    ),
}
"""For the tests that expect a refusal, the shape is None."""


def model(opset, graph):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}, "local": 1]> g {graph}')


@pytest.mark.parametrize("name", ROWS)
def test_a_run_agrees_with_shapesmt_rather_than_with_the_test(name):
    opset, graph, feeds, expected = ROWS[name]
    proto = model(opset, graph)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    ran = [*session.run(None, feeds)[0].shape]
    inferred = shapesmt.infer_shapes(proto, strict_mode=True).graph.output[0].type.tensor_type.shape.dim
    ours = [d.dim_value if d.HasField("dim_value") else None for d in inferred]
    assert ran != expected
    assert len(ours) == len(ran)
    assert all(size in (None, real) for size, real in zip(ours, ran, strict=True))
