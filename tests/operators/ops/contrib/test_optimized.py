"""Files that ONNX Runtime's optimizer wrote, judged as the ones that it was given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import shapesmt
from tests.support.harness import agree, node

LEVELS = {
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
RANGES = {"n": "1..3", "h": "8..70", "w": "8..40", "l": "1..70"}
NCHWC = "com.microsoft.nchwc"


class Network:
    """Nodes that are called one after the other; weights of which only the shape matters."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Any] = {}

    def weights(self, *shape: int, dtype: Any = np.float32) -> str:
        drawn = np.random.default_rng(len(self.constants)).integers(1, 5, shape)
        return self.constant(drawn.astype(dtype))

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def __call__(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        made = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, made, name=f"{op}{len(self.nodes)}", **attributes))
        return made[0] if outputs == 1 else made

    def conv(self, x: str, channels: int, filters: int, kernel: int = 3, stride: int = 1, **attributes: Any) -> str:
        weights = self.weights(filters, channels, kernel, kernel)
        options = {"pads": [kernel // 2] * 4, "strides": [stride] * 2, "kernel_shape": [kernel] * 2, **attributes}
        return self("Conv", x, weights, self.weights(filters), **options)

    def dense(self, x: str, width: int, height: int) -> str:
        return self("Add", self("MatMul", x, self.weights(width, height)), self.weights(height))

    def model(self, inputs: dict[str, tuple[int, list[Any]]], *outputs: str) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "network",
            [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()],
            [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in outputs],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


IMAGES = {"x": (onnx.TensorProto.FLOAT, ["n", 3, "h", "w"])}


def cnn() -> onnx.ModelProto:
    """Residual blocks, depthwise filters, pools, an upsampled branch, a head."""
    b = Network()
    x = b("MaxPool", b("Relu", b.conv("x", 3, 16, stride=2)), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = b("Relu", b("Add", b.conv(x, 16, 16), x))
    x = b("AveragePool", b.conv(x, 16, 32, 1, 2), kernel_shape=[2, 2], strides=[2, 2])
    scales = b.constant(np.array([1, 1, 2, 2], np.float32))
    options = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    x = b("Resize", x, "", scales, mode="nearest", **options)
    deep = b("Clip", b.conv(x, 1, 32, group=32), b.constant(np.float32(0)), b.constant(np.float32(6)))
    x = b.conv(b("Concat", deep, x, axis=1), 64, 24, 1, pads=None, auto_pad="SAME_UPPER")
    x = b("Mul", x, b("Sigmoid", x))
    parts = [b("Flatten", b(f"Global{kind}Pool", x)) for kind in ("Average", "Max")]
    return b.model(IMAGES, b("Gemm", b("Add", *parts), b.weights(24, 10), b.weights(10)), x)


def unet() -> onnx.ModelProto:
    """A skip connection that only even sizes meet."""
    b = Network()
    skip = b("LeakyRelu", b.conv("x", 3, 8))
    x = b("LeakyRelu", b.conv(b("MaxPool", skip, kernel_shape=[2, 2], strides=[2, 2]), 8, 16))
    x = b("ConvTranspose", x, b.weights(16, 8, 2, 2), strides=[2, 2])
    return b.model(IMAGES, b.conv(b("Concat", x, skip, axis=1), 16, 8))


def transformer() -> onnx.ModelProto:
    """Embeddings with learned positions, and a layer of an encoder, written out."""
    b, width, heads = Network(), 32, 4
    length = b("Gather", b("Shape", "ids"), b.constant(np.int64(1)))
    places = b("Range", b.constant(np.int64(0)), length, b.constant(np.int64(1)))
    x = b("Add", b("Gather", b.weights(100, width), "ids"), b("Gather", b.weights(64, width), places))

    def normed(x: str) -> str:
        apart = b("Sub", x, b("ReduceMean", x, axes=[-1]))
        variance = b("ReduceMean", b("Pow", apart, b.constant(np.float32(2))), axes=[-1])
        scaled = b("Div", apart, b("Sqrt", b("Add", variance, b.constant(np.float32(1e-5)))))
        return str(b("Add", b("Mul", scaled, b.weights(width)), b.weights(width)))

    def head(x: str, perm: list[int]) -> str:
        split = b("Reshape", b.dense(x, width, width), b.constant(np.array([0, 0, heads, width // heads])))
        return str(b("Transpose", split, perm=perm))

    x = normed(x)
    q, k, v = (head(x, perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = b("Div", b("MatMul", q, k), b.constant(np.float32(3)))
    mask = b("Unsqueeze", b("Cast", "mask", to=1), b.constant(np.array([1, 2])))
    mixed = b("Transpose", b("MatMul", b("Softmax", b("Add", scores, mask)), v), perm=[0, 2, 1, 3])
    x = normed(b("Add", b.dense(b("Reshape", mixed, b.constant(np.array([0, 0, width]))), width, width), x))
    h = b.dense(x, width, 64)
    h = b("Mul", h, b("Add", b("Erf", b("Div", h, b.constant(np.float32(1.4142135)))), b.constant(np.float32(1))))
    h = b.dense(b("Mul", h, b.constant(np.float32(0.5))), 64, width)
    inputs = {name: (onnx.TensorProto.INT64, ["n", "l"]) for name in ("ids", "mask")}
    return b.model(inputs, normed(b("Add", h, x)))


def quantized() -> onnx.ModelProto:
    """Weights and activations between QuantizeLinear and DequantizeLinear."""
    b = Network()

    def fake(x: str) -> str:
        ends = b.constant(np.float32(0.02)), b.constant(np.uint8(128))
        return str(b("DequantizeLinear", b("QuantizeLinear", x, *ends), *ends))

    def weights(*shape: int, dtype: Any = np.int8) -> str:
        zero = b.constant(np.zeros((), dtype))
        return str(b("DequantizeLinear", b.weights(*shape, dtype=dtype), b.constant(np.float32(0.01)), zero))

    def conv(x: str, channels: int, stride: int) -> str:
        kernel, bias = weights(8, channels, 3, 3), weights(8, dtype=np.int32)
        return str(b("Conv", x, kernel, bias, kernel_shape=[3, 3], pads=[1] * 4, strides=[stride] * 2))

    x = fake(b("Relu", conv(fake("x"), 3, 2)))
    x = fake(b("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]))
    x = fake(b("Concat", fake(b("Add", fake(conv(x, 8, 1)), x)), x, axis=1))
    x = fake(b("AveragePool", x, kernel_shape=[2, 2]))
    x = fake(b("LeakyRelu", fake(b("Mul", x, fake(b("Sigmoid", x))))))
    flat = fake(b("Reshape", fake(b("GlobalAveragePool", x)), b.constant(np.array([0, -1]))))
    y = fake(b("Gemm", fake(b("MatMul", flat, weights(16, 12))), weights(12, 10), weights(10, dtype=np.int32)))
    scales = b.constant(np.array([1, 1, 2, 2], np.float32))
    return b.model(IMAGES, fake(b("Softmax", y)), fake(b("Resize", x, "", scales, mode="nearest")))


def integers() -> onnx.ModelProto:
    """A product of integers that are quantized on the way."""
    b = Network()
    x, scale, zero = b("DynamicQuantizeLinear", "x", outputs=3)
    y = b("MatMulInteger", x, b.weights(16, 8, dtype=np.int8), zero, b.constant(np.int8(0)))
    y = b("Mul", b("Cast", y, to=1), b("Mul", scale, b.constant(np.float32(0.1))))
    return b.model({"x": (onnx.TensorProto.FLOAT, ["n", "l", 16])}, b("Add", y, b.weights(8)))


def products() -> onnx.ModelProto:
    """A scaled, transposed product, an activation, a sum before a softmax."""
    b = Network()
    x = b("Mul", b("MatMul", "x", b.weights(16, 16)), b.constant(np.float32(0.5)))
    y = b("MatMul", b("Transpose", x, perm=[0, 2, 1]), "x")
    kinds = {"x": (onnx.TensorProto.FLOAT, ["n", "l", 16]), "y": (onnx.TensorProto.FLOAT, ["n", 16, 16])}
    return b.model(kinds, b("Softmax", b("Add", b("Tanh", y), "y"), axis=-1))


def judged(model: onnx.ModelProto) -> Any:
    """The verdict, the region and the outputs' sizes."""
    names = {d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim} - {""}
    dims = {name: RANGES[name] for name in names}
    report, bounds = shapesmt.check(model, dims=dims), shapesmt.bounds(model, dims=dims)
    sizes = [[(d.min, d.max, d.expr, d.exact) for d in bounds.tensors[o.name].shape or ()] for o in model.graph.output]
    return report.verdict, report.precondition, sizes


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("network", [cnn, unet, transformer, quantized, integers, products])
def test_an_optimized_file_is_judged_as_the_original(
    network: Callable[[], onnx.ModelProto], level: str, tmp_path: Path
) -> None:
    model, options = network(), onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = LEVELS[level], 4
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    assert judged(onnx.load(options.optimized_model_filepath)) == judged(model)


SIZES = {"n": (0, 2), "h": (0, 5), "w": (3, 4)}


@pytest.mark.parametrize("channels", [32, 20, 8, 6])
def test_channels_in_blocks(channels: int) -> None:
    weights, bias = np.ones((32, 32, 3, 3), np.float32), np.ones(32, np.float32)
    nodes = [
        node("ReorderInput", ["x"], ["a"], NCHWC),
        node("Conv", ["a", "k", "b"], ["c"], NCHWC, pads=[1, 0, 1, 0], strides=[2, 1], activation="Relu"),
        node("ReorderOutput", ["c"], domain=NCHWC, channels=30, channels_last=1),
    ]
    # A machine has blocks of 8 or of 16: filters 32 deep suit inputs of 25 to 32 channels, or of 17 to 32.
    found = agree(
        nodes, {"x": ["n", channels, "h", "w"]}, {**SIZES, "n": (1, 2)}, constants={"k": weights, "b": bias},
        outputs=["out"], may_fail_more=channels == 20,
    )  # fmt: skip
    assert bool(found.ran) == (channels == 32) or channels == 20


@pytest.mark.parametrize("added", [4, 3])
def test_what_is_added_to_a_convolution_in_blocks(added: int) -> None:
    shapes = {"x": ["n", 3, "h", 4], "k": [16, 3, 1, 1], "s": ["n", 16, "h", added]}
    agree(node("Conv", ["x", "k", "", "s"], domain=NCHWC), shapes, {"n": (1, 2), "h": (1, 2)})


@pytest.mark.parametrize("ceil", [0, 1])
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
def test_pools_in_blocks(op: str, ceil: int) -> None:
    pool = node(op, ["x"], domain=NCHWC, kernel_shape=[3, 2], strides=[2, 3], pads=[1, 0, 1, 0], ceil_mode=ceil)
    agree(pool, {"x": ["n", 16, "h", "w"]}, {**SIZES, "n": (1, 2), "h": (1, 6)})


@pytest.mark.parametrize("op", ["GlobalMaxPool", "GlobalAveragePool"])
@pytest.mark.parametrize("channels", [16, 32, 12])
def test_global_pools_in_blocks(op: str, channels: int) -> None:
    agree(node(op, ["x"], domain=NCHWC), {"x": ["n", channels, "h", "w"]}, {"n": (1, 2), "h": (1, 2), "w": (1, 2)})


@pytest.mark.parametrize("scales", [[1, 1, 2, 3], [1, 1, 1, 1], [2, 1, 1, 1], [1, 1, 0, 1], [1, 2]], ids=str)
def test_upsampling_in_blocks(scales: list[int]) -> None:
    upsample = node("Upsample", ["x"], domain=NCHWC, scales=scales)
    agree(upsample, {"x": ["n", 16, "h", "w"]}, SIZES, known=scales[:2] == [1, 1] and 0 not in scales)
