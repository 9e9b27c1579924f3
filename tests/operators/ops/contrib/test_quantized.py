"""Quantized operators of ONNX Runtime's own domain against execution."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest

import shapesmt
from tests.support.contrib import BYTES, DOMAIN, run, scalars
from tests.support.harness import agree, node


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_quantized_arithmetic(op):
    q = dict.fromkeys(("a", "b"), BYTES)
    constants = scalars("sa", "sb", "sc") | scalars("za", "zb", "zc", dtype=np.uint8)
    ranges = {"n": (0, 2), "m": (0, 2), "k": (0, 2)}
    names = ["a", "sa", "za", "b", "sb", "zb", "sc", "zc"]
    run(op, {"a": ["n", "m"], "b": ["k"]}, ranges, dtypes=q, constants=constants, inputs=names)
    constants["zb"] = np.array([1], np.uint8)
    assert not agree(node(op, names, domain=DOMAIN), {"a": [2], "b": [2]}, dtypes=q, constants=constants).ran


@pytest.mark.parametrize("op", ["QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax"])
def test_quantized_activations(op):
    constants = scalars("sx", "sy") | scalars("zx", "zy", dtype=np.uint8)
    names = ["x", "sx", "zx", "sy", "zy"]
    attributes = [{}] if op != "QLinearSoftmax" else [{"opset": 13, "axis": a} for a in (-3, -2, 0, 1, 2)]
    for extra in attributes:
        model = node(op, names, domain=DOMAIN, **extra)
        agree(model, {"x": ["n", "m"]}, {"n": (1, 2), "m": (1, 2)}, dtypes={"x": BYTES}, constants=constants)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, 0.5])
def test_what_is_normalized_has_a_positive_scale_if_there_is_any(scale):
    constants = {"sx": np.array(scale, np.float32), **scalars("sy"), **scalars("zx", "zy", dtype=np.uint8)}
    model = node("QLinearSoftmax", ["x", "sx", "zx", "sy", "zy"], domain=DOMAIN, opset=13)
    found = agree(model, {"x": ["n", "m"]}, {"n": (0, 2), "m": (0, 2)}, dtypes={"x": BYTES}, constants=constants)
    assert (found.ran, found.failed) == ((9, 0) if scale > 0 else (5, 4))


def test_quantized_where():
    constants = scalars("sx", "sy", "sz") | scalars("zx", "zy", "zz", dtype=np.uint8)
    names = ["c", "x", "sx", "zx", "y", "sy", "zy", "sz", "zz"]
    dtypes = {"c": "bool", "x": BYTES, "y": BYTES}
    ranges = {"n": (1, 2), "m": (1, 2), "k": (1, 2)}
    run(
        "QLinearWhere",
        {"c": ["n", 2], "x": ["m"], "y": ["k", 1]},
        ranges,
        dtypes=dtypes,
        constants=constants,
        inputs=names,
    )


def test_quantized_concat():
    constants = scalars("s", "sx", "sy") | scalars("z", "zx", "zy", dtype=np.uint8)
    names = ["s", "z", "x", "sx", "zx", "y", "sy", "zy"]
    for axis in (0, 1, -1):
        run(
            "QLinearConcat",
            {"x": ["n", "m"], "y": ["k", 2]},
            {"n": (1, 2), "m": (1, 2), "k": (1, 2)},
            dtypes={"x": BYTES, "y": BYTES},
            constants=constants,
            inputs=names,
            attributes={"axis": axis},
        )


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize(
    "pool", [{}, {"kernel_shape": [2, 2]}, {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [0, 0, 1, 1]}], ids=str
)
def test_quantized_pool(last, pool):
    constants = scalars("sx", "sy") | scalars("zx", "zy", dtype=np.uint8)
    shape = ["n", "h", "w", 2] if last else ["n", 2, "h", "w"]
    op = "QLinearAveragePool" if pool else "QLinearGlobalAveragePool"
    least = (2 if last else 1) if pool else 0  # the runtime aborts where a window has no position
    run(
        op,
        {"x": shape if pool else ["c" if size == 2 else size for size in shape]},
        {"n": (1 if pool else 0, 2), "h": (least, 3), "w": (least, 3)} | ({} if pool else {"c": (0, 2)}),
        dtypes={"x": BYTES},
        constants=constants,
        inputs=["x", "sx", "zx", "sy", "zy"],
        attributes={**pool, "channels_last": last},
    )


@pytest.mark.parametrize("last", [0, 1])
def test_quantized_conv(last):
    constants = scalars("sx", "sw", "sy") | scalars("zx", "zw", "zy", dtype=np.uint8)
    shape = ["n", "h", 3, "c"] if last else ["n", "c", "h", 3]
    run(
        "QLinearConv",
        {"x": shape, "w": ["m", 2, 2, 2]},
        {"n": (1, 2), "h": (1, 3), "c": (1, 3), "m": (1, 2)},
        dtypes={"x": BYTES, "w": BYTES},
        constants=constants,
        inputs=["x", "sx", "zx", "w", "sw", "zw", "sy", "zy"],
        attributes={"channels_last": last},
    )


@pytest.mark.parametrize("trans", [(0, 0), (1, 1)], ids=str)
@pytest.mark.parametrize("quantized", [False, True])
def test_quantized_gemm(trans, quantized):
    constants = scalars("sa", "sy") | scalars("za", "zy", dtype=np.uint8)
    dtypes = {"a": BYTES, "b": BYTES, "zb": BYTES, "c": "int32"}
    shapes = {"a": ["m", "k"], "b": [2, "n"], "sb": ["s"], "zb": ["s"], "c": ["n"]}
    names = ["a", "sa", "za", "b", "sb", "zb", "c", *(["sy", "zy"] if quantized else [])]
    ranges, attributes = {"m": (1, 2), "k": (1, 2), "n": (1, 3), "s": (1, 3)}, {"transA": trans[0], "transB": trans[1]}
    given = {"dtypes": dtypes, "constants": constants, "inputs": names, "attributes": attributes}
    run("QGemm", shapes, ranges, **given)
    run(
        "QGemm", shapes | {"zb": ["z"]}, {**dict.fromkeys("mk", (1, 2)), "n": (1, 3), "s": (1, 3), "z": (1, 3)}, **given
    )
    agree(
        node("QGemm", names, domain=DOMAIN, **attributes),
        shapes | {"zb": []},
        ranges,
        dtypes=dtypes,
        constants=constants,
    )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("ranks", [(2, 2), (3, 2), (3, 3)], ids=str)
def test_product_to_float(dynamic, ranks):
    least = 1 if ranks[1] == 3 else 0
    shapes = {"a": [1, "m", "k"][-ranks[0] :], "b": [2, 2, "n"][-ranks[1] :], "s": ["s"], "z": ["s"], "c": ["c"]}
    ranges = {"m": (least, 2), "k": (1, 3), "n": (least, 3), "s": (1, 3), "c": (1, 3)}
    dtypes = {"b": BYTES, "z": BYTES} | ({} if dynamic else {"a": BYTES, "za": BYTES})
    op = "DynamicQuantizeMatMul" if dynamic else "MatMulIntegerToFloat"
    names = ["a", "b", "s", "z", "c"] if dynamic else ["a", "b", "sa", "s", "za", "z", "c"]
    constants = {} if dynamic else scalars("sa") | scalars("za", dtype=np.uint8)
    run(op, shapes, ranges, dtypes=dtypes, constants=constants, inputs=names)


def test_matmul_integer_16():
    run(
        "MatMulInteger16",
        {"a": ["m", "k"], "b": ["l", "n"]},
        dict.fromkeys("mkln", (1, 2)),
        dtypes={"a": "int16", "b": "int16"},
    )


@pytest.mark.parametrize("size", ["3", "c"])
def test_a_hidden_size_and_a_bias_are_numbers_in_the_file(size):
    tables = f"float[9,{size}] w, float[9,{size}] p, float[{size}] g, float[{size}] b"
    embedded = "y, m = com.microsoft.EmbedLayerNormalization(i, , w, p, , g, b)"
    packed = "y = com.microsoft.MatMulNBits <K = 16, N = 3, bits = 4, block_size = 16> (x, q, s, , , b)"
    weights = f"float[n,16] x, uint8[3,1,8] q, float[3] s, float[{size}] b"
    for inputs, body in ((f"int32[n,4] i, {tables}", embedded), (weights, packed)):
        text = f'<ir_version: 10, opset_import: ["": 21, "com.microsoft": 1]> g ({inputs}) => (y) {{ {body} }}'
        model = onnx.parser.parse_model(text).SerializeToString()
        assert str(shapesmt.check(model).verdict) == ("PROVED" if size == "3" else "FAILS")
        if size == "3":
            onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        else:
            with pytest.raises(Exception, match="ShapeInferenceError"):
                onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("k", [16, 40])
def test_packed_weights(bits, k):
    shapes = {"a": ["n", "k"], "b": [3, "b", 16 * bits // 8], "s": ["s"], "z": ["z"], "c": [3]}
    blocks = -(-k // 16)
    ranges = {"n": (1, 2), "k": (k - 1, k), "b": (blocks, blocks + 1), "s": (3 * blocks - 1, 3 * blocks)}
    packed = 3 * -(-blocks * bits // 8)
    ranges |= {"z": (packed, packed + 1)}
    run(
        "MatMulNBits",
        shapes,
        ranges,
        dtypes={"b": BYTES, "z": BYTES},
        inputs=["a", "b", "s", "z", "", "c"],
        attributes={"K": k, "N": 3, "bits": bits, "block_size": 16},
    )


@pytest.mark.parametrize("bits", range(-1, 10))
def test_numbers_of_bits_in_which_weights_are_packed(bits):
    product = node("MatMulNBits", ["a", "b", "s"], ["y"], DOMAIN, K=16, N=3, bits=bits, block_size=16)
    shapes = {"a": ["n", 16], "b": [3, 1, "b"], "s": [3]}
    found = agree(product, shapes, {"n": (1, 2), "b": (1, 17)}, dtypes={"b": BYTES})
    assert found.ran == (2 if bits in (2, 4, 8) else 0)


def test_bnb4():
    run(
        "MatMulBnb4",
        {"a": ["n", "k"], "b": ["b"], "s": ["s"]},
        {"n": (0, 2), "k": (31, 32), "b": (31, 33), "s": (3, 5)},
        dtypes={"b": BYTES},
        attributes={"K": 32, "N": 2, "block_size": 16, "quant_type": 1},
    )


@pytest.mark.parametrize("op", ["QuantizeLinear", "DequantizeLinear"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, 2])
def test_linear(op, axis):
    dtypes = {"z": BYTES} | ({"x": BYTES} if op == "DequantizeLinear" else {})
    for scale, zero in ((["s"], ["s"]), ([], []), (["s"], [1])):
        model = node(op, ["x", "s", "z"], domain=DOMAIN, axis=axis)
        agree(model, {"x": ["n", "m"], "s": scale, "z": zero}, {"n": (1, 2), "m": (1, 3), "s": (1, 3)}, dtypes=dtypes)


def test_gather_quantized():
    for axis, other in ((0, 1), (0, -1)):
        run(
            "GatherBlockQuantized",
            {"x": ["n", "m"], "i": ["i", 2], "s": ["n", "s"]},
            {"n": (1, 2), "m": (8, 17), "i": (0, 2), "s": (1, 3)},
            dtypes={"x": BYTES, "i": "int64"},
            attributes={"gather_axis": axis, "quantize_axis": other, "block_size": 16, "bits": 4},
        )


def test_moe():
    shapes = {"x": ["t", "h"], "r": ["u", 2], "a": [2, "i", 3], "b": [2, 3, "j"], "c": [2, "k"]}
    ranges = {"t": (1, 2), "u": (1, 2), "h": (3, 4), "i": (2, 3), "j": (2, 3), "k": (2, 3)}
    run("MoE", shapes, ranges, inputs=["x", "r", "a", "c", "b"], attributes={"k": 1, "activation_type": "gelu"})


def test_quantized_lstm():
    constants = scalars("z", dtype=np.uint8)
    shapes = {"x": ["s", "b", "i"], "w": [1, 2, 12], "r": [1, "h", 12], "ws": [1], "wz": [1], "rs": ["n"], "rz": [1]}
    del constants
    run(
        "DynamicQuantizeLSTM",
        shapes,
        {"s": (1, 2), "b": (1, 2), "i": (1, 2), "h": (2, 3), "n": (1, 2)},
        dtypes=dict.fromkeys(("w", "r", "wz", "rz"), BYTES),
        attributes={"hidden_size": 3},
        outputs=["y", "h", "c"],
        inputs=["x", "w", "r", "", "", "", "", "", "ws", "wz", "rs", "rz"],
    )


def test_a_quantized_lstm_has_a_hidden_size():
    shapes = {"x": ["s", 1, 2], "w": [1, 2, "h"], "r": [1, 0, "h"], "ws": [1], "wz": [1], "rs": [1], "rz": [1]}
    inputs = ["x", "w", "r", "", "", "", "", "", "ws", "wz", "rs", "rz"]
    lstm = node("DynamicQuantizeLSTM", inputs, ["y"], DOMAIN, hidden_size=0)
    types = dict.fromkeys(("w", "r", "wz", "rz"), BYTES)
    assert not agree(lstm, shapes, {"s": (0, 1), "h": (0, 4)}, dtypes=types).ran


def test_quantized_embedding():
    shapes = {"i": ["b", "s"], "w": [5, 3], "p": ["p", 3], "g": [3], "e": [3]}
    names = ["i", "", "w", "p", "", "g", "e", "", "s", "s", "", "s", "s", "z", "z", "", "z", "z"]
    run(
        "QEmbedLayerNormalization",
        shapes,
        {"b": (1, 2), "s": (1, 3), "p": (1, 3)},
        dtypes={"i": "int32"} | dict.fromkeys("wpge", BYTES),
        outputs=["out", "mask"],
        constants=scalars("s") | scalars("z", dtype=np.uint8),
        inputs=names,
    )


@pytest.mark.parametrize("hidden", [0, 3, "h"])
def test_embedding_needs_a_declared_width(hidden):
    shapes = {"i": ["b", 2], "w": [5, hidden], "p": [4, hidden], "g": [hidden], "e": [hidden]}
    names = ["i", "", "w", "p", "", "g", "e", "", "s", "s", "", "s", "s", "z", "z", "", "z", "z"]
    embedding = node("QEmbedLayerNormalization", names, ["out", "mask"], domain="com.microsoft")
    found = agree(
        embedding,
        shapes,
        {"b": (1, 2)} | ({"h": (3, 3)} if hidden == "h" else {}),
        dtypes={"i": "int32"} | dict.fromkeys("wpge", BYTES),
        constants=scalars("s") | scalars("z", dtype=np.uint8),
    )
    assert found.ran == (2 if hidden == 3 else 0)


@pytest.mark.parametrize("bits", [4, 8])
def test_quantized_moe(bits):
    each = 8 // bits
    shapes = {
        "x": ["t", 16],
        "r": ["t", 2],
        "a": [2, "i", 16 // each],
        "s": [2, "j"],
        "b": [2, 16, 32 // each],
        "u": [2, 16],
    }
    run(
        "QMoE",
        shapes,
        {"t": (1, 2), "i": (31, 32), "j": (31, 32)},
        dtypes={"a": BYTES, "b": BYTES},
        inputs=["x", "r", "a", "s", "", "b", "u"],
        attributes={"k": 1, "activation_type": "gelu", "expert_weight_bits": bits},
    )


def test_moe_empty():
    shapes = {"x": ["t", 3], "r": ["t", 2], "a": [2, 2, 3], "b": [2, 3, 2]}
    run("MoE", shapes, {"t": (0, 2)}, inputs=["x", "r", "a", "", "b"], attributes={"k": 1, "activation_type": "gelu"})


def test_products_empty():
    run(
        "MatMulNBits",
        {"a": ["n", "m", 16], "b": [3, 1, 8], "s": [3]},
        {"n": (0, 2), "m": (0, 2)},
        dtypes={"b": BYTES},
        attributes={"K": 16, "N": 3, "bits": 4, "block_size": 16},
    )
    shapes = {"a": ["m", 2], "b": [2, "n"], "s": [], "z": []}
    run("DynamicQuantizeMatMul", shapes, {"m": (0, 1), "n": (0, 1)}, dtypes={"b": BYTES, "z": BYTES})
    run(
        "FusedGemm",
        {"a": ["m", "k"], "b": ["k", "n"]},
        {"m": (0, 1), "k": (0, 1), "n": (0, 1)},
        attributes={"activation": "Relu"},
    )


def test_where_concat_empty():
    constants = scalars("s", "sx", "sy") | scalars("z", "zx", "zy", dtype=np.uint8)
    names = ["s", "z", "x", "sx", "zx", "y", "sy", "zy"]
    run(
        "QLinearConcat",
        {"x": ["n", "m"], "y": ["k", 2]},
        {"n": (0, 2), "m": (1, 2), "k": (0, 2)},
        dtypes={"x": BYTES, "y": BYTES},
        constants=constants,
        inputs=names,
        attributes={"axis": 0},
    )
    names = ["c", "x", "s", "z", "y", "s", "z", "s", "z"]
    dtypes = {"c": "bool", "x": BYTES, "y": BYTES}
    run(
        "QLinearWhere",
        {"c": ["n", 2], "x": ["m"], "y": ["k", 1]},
        {"n": (0, 2), "m": (0, 2), "k": (0, 2)},
        dtypes=dtypes,
        constants=scalars("s") | scalars("z", dtype=np.uint8),
        inputs=names,
    )


@pytest.mark.parametrize("one", [[], [1]], ids=str)
def test_single_vectors(one):
    s, z = np.ones(one, np.float32), np.ones(one, np.uint8)
    for op, names, extra in (
        ("QLinearSigmoid", "xszsz", {}),
        ("QLinearLeakyRelu", "xszsz", {}),
        ("QLinearSoftmax", "xszsz", {"opset": 13}),
        ("QLinearGlobalAveragePool", "xszsz", {}),
        ("QLinearAveragePool", "xszsz", {"kernel_shape": [1, 1]}),
        ("QLinearConcat", "szxszxsz", {"axis": 0}),
        ("QGemm", "wszwszisz", {}),
        ("MatMulIntegerToFloat", "wwsszz", {}),
        ("QLinearConv", "xszxszsz", {}),
        ("QAttention", "awbssmzz", {"num_heads": 1}),
    ):
        names = [("" if n in "im" else n) for n in names]
        shapes = {"x": [1, 1, 2, 2], "w": [3, 3], "a": [1, 2, 3], "b": [3]}
        shapes = {k: v for k, v in shapes.items() if k in names}
        agree(
            node(op, names, domain=DOMAIN, **extra),
            shapes,
            dtypes=dict.fromkeys("xwa", BYTES),
            constants={"s": s, "z": z},
        )
