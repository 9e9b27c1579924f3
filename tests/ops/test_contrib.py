"""ONNX Runtime's own operators against execution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.harness import agree, node

DOMAIN = "com.microsoft"
BYTES = "uint8"


def run(op: str, shapes: dict[str, Any], ranges: dict[str, tuple[int, int]], **options: Any) -> None:
    """The operator on inputs in the order of `shapes`, `items`, `constants` (or of `inputs`) agrees with execution."""
    attributes = options.pop("attributes", {})
    given = [*shapes, *options.get("items", ()), *options.get("constants", ())]
    names = options.pop("inputs", None) or given
    outputs = options.pop("outputs", ["out"])
    found = agree(node(op, names, outputs, DOMAIN, **attributes), shapes, ranges, **options)
    assert found.backend == "onnxruntime", found.backend
    assert found.ran, "nothing ran"


def scalars(*names: str, dtype: Any = np.float32) -> dict[str, Any]:
    return {name: np.array(1, dtype) for name in names}


# Fused


@pytest.mark.parametrize("op", ["Gelu", "QuickGelu", "SampleOp", "ScaledSiLU"])
def test_activations(op):
    run(op, {"x": ["n", 2, "m"]}, {"n": (0, 2), "m": (0, 2)})


def test_murmur():
    run("MurmurHash3", {"x": ["n", "m"]}, {"n": (0, 2), "m": (0, 2)}, dtypes={"x": "int32"})
    run("MurmurHash3", {"x": ["n"]}, {"n": (0, 2)}, dtypes={"x": "int64"}, attributes={"positive": 0})


@pytest.mark.parametrize("op", ["BiasGelu", "FastGelu"])
@pytest.mark.parametrize("bias", [["k"], [1, "k"], []], ids=str)
def test_biased(op, bias):
    ranges = {"n": (0, 2), "m": (0, 2), "k": (0, 2)}
    node_ran = agree(node(op, ["x", "b"], domain=DOMAIN), {"x": ["n", 2, "m"], "b": bias}, ranges)
    assert bool(node_ran.ran) == (len(bias) == 1)


@pytest.mark.parametrize("trans", [(a, b) for a in (0, 1) for b in (0, 1)], ids=str)
@pytest.mark.parametrize("batch", [(a, b) for a in (0, 1) for b in (0, 1)], ids=str)
@pytest.mark.parametrize("ranks", [(3, 3), (4, 3), (3, 2), (2, 2)], ids=str)
def test_fused_matmul(trans, batch, ranks):
    sizes = {"x": [1, "a", "b", "c"][-ranks[0] :], "y": ["d", "c", "e"][-ranks[1] :]}
    attributes = {"transA": trans[0], "transB": trans[1], "transBatchA": batch[0], "transBatchB": batch[1]}
    agree(node("FusedMatMul", ["x", "y"], domain=DOMAIN, **attributes), sizes, dict.fromkeys("abcde", (1, 2)))


@pytest.mark.parametrize("ranks", [(1, 1), (1, 2), (2, 1), (3, 2), (2, 3)], ids=str)
@pytest.mark.parametrize("trans", [(0, 0), (1, 0), (0, 1)], ids=str)
def test_transpose_matmul(ranks, trans):
    sizes = {"x": ["a", "b", "c"][-ranks[0] :], "y": ["d", "c", "e"][-ranks[1] :]}
    model = node("TransposeMatMul", ["x", "y"], domain=DOMAIN, transA=trans[0], transB=trans[1])
    agree(model, sizes, dict.fromkeys("abcde", (0, 2)))


def test_gemm():
    ranges = {"m": (1, 2), "k": (1, 2), "l": (1, 2), "n": (1, 2), "c": (1, 3)}
    run("FusedGemm", {"a": ["m", "k"], "b": ["l", "n"], "c": ["c"]}, ranges, attributes={"activation": "Relu"})


@pytest.mark.parametrize("z", [False, True])
def test_fused_conv(z):
    shapes = {"x": ["n", "c", "h", 4], "w": [2, 1, 2, 2], "b": ["m"]}
    shapes |= {"z": ["n", 2, "o", 3]} if z else {}
    ranges = {"n": (1, 2), "c": (1, 2), "h": (1, 4), "m": (1, 2)} | ({"o": (1, 3)} if z else {})
    run("FusedConv", shapes, ranges, attributes={"activation": "Relu"})


def test_nhwc_max_pool():
    ranges = {"n": (0, 2), "h": (1, 4), "w": (1, 4), "c": (1, 2)}
    for attributes in ({}, {"strides": [2, 2], "pads": [1, 1, 0, 0]}, {"auto_pad": "SAME_UPPER"}, {"ceil_mode": 1}):
        run(
            "NhwcMaxPool",
            {"x": ["n", "h", "w", "c"]},
            ranges,
            dtypes={"x": BYTES},
            attributes={"kernel_shape": [2, 2], **attributes},
        )


def test_conv_transpose_dynamic_pads():
    ranges = {"h": (1, 3), "c": (1, 2), "p": (0, 1)}
    shapes = {"x": [1, "c", "h", 3], "w": [1, 2, 2, 2]}
    run("ConvTransposeWithDynamicPads", shapes, ranges, items={"p": ["p", 0, 0, 1]}, attributes={"strides": [2, 2]})


def test_gated_add():
    ranges = {"n": (0, 2), "m": (0, 2), "k": (0, 2), "g": (0, 2)}
    run("GatedAdd", {"x": ["n", "m"], "y": ["n", "k"], "g": ["n", "g"]}, ranges)


# Quantized


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
    least = 2 if last and pool else 1  # the runtime aborts where a window has no position
    run(
        op,
        {"x": shape},
        {"n": (1, 2), "h": (least, 3), "w": (least, 3)},
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
    run(
        "QGemm",
        shapes,
        {"m": (1, 2), "k": (1, 2), "n": (1, 3), "s": (1, 3)},
        dtypes=dtypes,
        constants=constants,
        inputs=names,
        attributes={"transA": trans[0], "transB": trans[1]},
    )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("ranks", [(2, 2), (3, 2), (3, 3)], ids=str)
def test_product_to_float(dynamic, ranks):
    shapes = {"a": [1, "m", "k"][-ranks[0] :], "b": [2, 2, "n"][-ranks[1] :], "s": ["s"], "z": ["s"], "c": ["c"]}
    ranges = {"m": (1, 2), "k": (1, 3), "n": (1, 3), "s": (1, 3), "c": (1, 3)}
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


# Normalization


@pytest.mark.parametrize("skip", [["b", "s", "h"], [1, "s", "h"], ["s", "h"]], ids=str)
def test_skip_layer_normalization(skip):
    shapes = {"x": [2, "s", 3], "y": skip, "g": ["g"], "e": [3], "b": ["c"]}
    ranges = {"b": (1, 2), "s": (0, 2), "h": (2, 3), "g": (2, 3), "c": (1, 3)}
    run("SkipLayerNormalization", shapes, ranges, outputs=["out", "", "", "sum"])
    names = ["x", "y", "g", "b"]
    del shapes["e"]
    run("SkipSimplifiedLayerNormalization", shapes, ranges, inputs=names, outputs=["out", "", "", "sum"])


def test_simplified_layer_normalization():
    model = node("SimplifiedLayerNormalization", ["x", "g"])
    agree(model, {"x": ["n", "m"], "g": ["k"]}, {"n": (0, 2), "m": (1, 3), "k": (1, 3)})


def test_embedding():
    shapes = {"i": ["b", "s"], "j": ["b", "s"], "w": [5, 3], "p": ["p", 3], "q": [2, 3], "g": [3], "e": [3]}
    ranges = {"b": (0, 2), "s": (0, 3), "p": (1, 3)}
    dtypes = {"i": "int32", "j": "int32"}
    run("EmbedLayerNormalization", shapes, ranges, dtypes=dtypes, outputs=["out", "mask", "sum"])
    shapes |= {"m": ["m", "s"], "o": ["o", "t"]}
    ranges |= {"b": (1, 2), "m": (1, 2), "o": (1, 3), "t": (1, 3)}
    run(
        "EmbedLayerNormalization", shapes, ranges, dtypes=dtypes | {"m": "int32", "o": "int32"}, outputs=["out", "mask"]
    )


def test_gated_norm():
    run(
        "GatedRMSNorm",
        {"x": ["n", "m"], "s": ["s"], "g": ["n", "k"]},
        {"n": (0, 2), "m": (0, 4), "s": (0, 3), "k": (0, 4)},
    )


@pytest.mark.parametrize("branches", [None, 2])
def test_branches(branches):
    x = ["n", "m"] if branches else ["n", "c", "m"]
    ranges = {"n": (0, 2), "c": (1, 2), "m": (1, 4), "k": (1, 4), "l": (1, 4)}
    attributes = {"num_branches": branches}
    for scale in (["k"], ["k", "l"]):
        run("BranchwiseRMSNorm", {"x": x, "s": scale}, ranges, attributes=attributes)
    for mix in (["n", "k"], ["n", "k", "l"]):
        run("HyperConnectionPreMix", {"x": x, "p": mix}, ranges, attributes=attributes)
        run("HyperConnectionPostMix", {"x": x, "b": ["n", 2], "p": mix}, ranges, attributes=attributes)
    run(
        "HyperConnectionPostMix",
        {"x": x, "b": ["n", 2], "p": ["n", 2], "s": ["n", "k", "l"]},
        ranges,
        attributes=attributes,
    )


def test_engram_gate():
    shapes = {"k": ["b", "s", "c", "h"], "q": ["b", 2, "c", "h"], "v": ["b", "s", 2], "x": [2, "h"], "y": ["c", 2]}
    run("EngramGate", shapes, {"b": (0, 2), "s": (1, 2), "c": (1, 2), "h": (1, 2)})


# Attention


@pytest.mark.parametrize("mask", [None, ["k"], ["b", "k"], ["k", 1], ["b", "s", "k"]], ids=str)
@pytest.mark.parametrize("past", [False, True])
def test_attention(mask, past):
    shapes: dict[str, Any] = {"x": ["b", "s", 4], "w": ["w", "v"], "c": ["v"]}
    ranges = {"b": (1, 2), "s": (1, 2), "w": (3, 4), "v": (11, 13)}
    names = ["x", "w", "c", "m" if mask else "", "p" if past else ""]
    if mask:
        shapes["m"], ranges["k"] = mask, (1, 8 if len(mask) == 1 else 4)
    if past:
        shapes["p"], ranges["p"], ranges["h"] = [2, "b", 2, "p", "h"], (0, 2), (1, 2)
    outputs = ["out", "present"] if past else ["out"]
    run("Attention", shapes, ranges, dtypes={"m": "int32"}, inputs=names, outputs=outputs, attributes={"num_heads": 2})


def test_attention_sizes():
    shapes = {"x": ["b", "s", 3], "w": [3, "w"], "c": ["w"], "a": ["i", "j", "s", "t"]}
    ranges = {"b": (1, 2), "s": (1, 2), "w": (7, 9), "i": (1, 3), "j": (1, 3), "t": (1, 2)}
    run(
        "Attention",
        shapes,
        ranges,
        inputs=["x", "w", "c", "", "", "a"],
        attributes={"num_heads": 2, "qkv_hidden_sizes": [2, 2, 4]},
    )


@pytest.mark.parametrize("past", [False, True])
def test_quantized_attention(past):
    constants = scalars("sx", "sw") | scalars("zx", "zw", dtype=np.uint8)
    shapes = {"x": ["b", "s", 4], "w": ["w", "v"], "c": ["v"]}
    ranges = {"b": (1, 2), "s": (1, 2), "w": (3, 4), "v": (11, 13)}
    names = ["x", "w", "c", "sx", "sw", "", "zx", "zw"] + (["p"] if past else [])
    if past:
        shapes["p"], ranges["p"] = [2, "b", 2, "p", 2], (0, 2)
    run(
        "QAttention",
        shapes,
        ranges,
        dtypes={"x": BYTES, "w": BYTES},
        constants=constants,
        inputs=names,
        outputs=["out", "present"] if past else ["out"],
        attributes={"num_heads": 2},
    )


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, ["k"], ["b", "k"], ["b", "s", "k"]], ids=str)
def test_multi_head(mask, bias):
    shapes: dict[str, Any] = {"q": ["b", "s", "d"], "k": ["c", "l", 4], "v": ["b", "l", "e"]}
    ranges = {"b": (1, 2), "s": (1, 2), "d": (3, 4), "c": (1, 2), "l": (1, 3), "e": (3, 4)}
    names = ["q", "k", "v", "a" if bias else "", "m" if mask else ""]
    if bias:
        shapes["a"], ranges["a"] = ["a"], (11, 12)
    if mask:
        shapes["m"], ranges["k"] = mask, (1, 4 if len(mask) > 1 else 8)
    run("MultiHeadAttention", shapes, ranges, dtypes={"m": "int32"}, inputs=names, attributes={"num_heads": 2})


def test_multi_head_past():
    shapes = {"q": [1, "s", 4], "k": [1, "l", 4], "v": [1, "l", "e"], "x": [1, 2, "p", 2], "y": ["c", 2, "r", "h"]}
    ranges = {"s": (1, 2), "l": (1, 2), "e": (2, 4), "p": (0, 2), "r": (0, 2), "h": (1, 2), "c": (1, 2)}
    names = ["q", "k", "v", "", "", "", "x", "y"]
    outputs = ["out", "pk", "pv"]
    run("MultiHeadAttention", shapes, ranges, inputs=names, outputs=outputs, attributes={"num_heads": 2})
    shapes = {"q": ["b", "s", 4], "k": ["b", "n", "l", "h"], "v": ["b", 2, "l", 2]}
    ranges = {"b": (1, 2), "s": (1, 2), "n": (1, 2), "l": (1, 2), "h": (1, 2)}
    run("MultiHeadAttention", shapes, ranges, attributes={"num_heads": 2})


@pytest.mark.parametrize("cross", [False, True])
def test_decoder_masked(cross):
    shapes: dict[str, Any] = {"q": ["b", "s", 4]}
    ranges = {"b": (1, 2), "s": (1, 2), "l": (1, 2)}
    if cross:
        shapes |= {"k": ["b", 2, "l", 2], "v": ["b", 2, 2, 2]}
        run("DecoderMaskedMultiHeadAttention", shapes, ranges, attributes={"num_heads": 2})
    else:
        shapes |= {"k": ["b", "l", 4], "v": ["b", 1, 4], "x": ["b", 2, "p", 2], "y": ["b", 2, "p", 2]}
        names = ["q", "k", "v", "", "", "x", "y", "o"]
        outputs = ["out", "pk", "pv"]
        run(
            "DecoderMaskedMultiHeadAttention",
            shapes,
            ranges | {"p": (0, 2), "o": (0, 3)},
            inputs=names,
            outputs=outputs,
            items={"o": ["o"]},
            dtypes={"o": "int32"},
            attributes={"num_heads": 2, "past_present_share_buffer": 1},
        )


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("past", [False, True])
def test_grouped(packed, past):
    shapes: dict[str, Any] = {"q": ["b", "s", 32 if packed else 16]}
    if not packed:
        shapes |= {"k": ["b", "l", 8], "v": ["b", "s", "d"]}
    if past:
        shapes |= {"x": ["b", 1, "p", 8], "y": ["b", "n", "p", 8]}
    ranges = {"b": (1, 2), "s": (1, 2), "l": (1, 2), "d": (8, 9), "p": (0, 3), "n": (1, 2), "t": (1, 4)}
    ranges = {k: v for k, v in ranges.items() if k == "t" or any(k in s for s in shapes.values())}
    names = ["q", *(["", ""] if packed else ["k", "v"]), *(["x", "y"] if past else ["", ""]), "e", "t"]
    run(
        "GroupQueryAttention",
        shapes | {"e": ["b"]},
        ranges,
        dtypes={"e": "int32", "t": "int32"},
        items={"t": ["t"]},
        data={"e": lambda env, shape: np.full(shape, env["t"] - 1)},
        inputs=names,
        outputs=["out", "pk", "pv"],
        attributes={"num_heads": 2, "kv_num_heads": 1},
    )


def test_grouped_rotary():
    shapes = {
        "q": [1, "s", 32],
        "k": [1, "s", 16],
        "v": [1, "s", 16],
        "x": [1, 1, "p", 16],
        "y": [1, 1, "p", 16],
        "e": [1],
    }
    shapes |= {"c": ["m", "r"], "d": ["m", 8]}
    names = ["q", "k", "v", "x", "y", "e", "t", "c", "d"]
    run(
        "GroupQueryAttention",
        shapes,
        {"s": (1, 2), "p": (0, 1), "t": (1, 3), "m": (1, 3), "r": (7, 9)},
        dtypes={"e": "int32", "t": "int32"},
        items={"t": ["t"]},
        inputs=names,
        outputs=["out", "pk", "pv"],
        data={"e": lambda env, shape: np.full(shape, env["t"] - 1)},
        attributes={"num_heads": 2, "kv_num_heads": 1, "do_rotary": 1},
    )


@pytest.mark.parametrize("heads", [{}, {"num_heads": 2}, {"num_heads": 2, "rotary_embedding_dim": 2}], ids=str)
@pytest.mark.parametrize("rank", [3, 4])
def test_rotary(heads, rank):
    x = ["b", "s", 8] if rank == 3 else ["b", 2, "s", 4]
    ranges = {"b": (1, 2), "s": (1, 2), "p": (1, 2), "m": (1, 3), "r": (1, 4)}
    for places in (["b", "p"], ["p"]):
        run(
            "RotaryEmbedding",
            {"x": x, "p": places, "c": ["m", "r"], "d": ["m", "r"]},
            ranges,
            dtypes={"p": "int64"},
            attributes=heads,
        )


# Other


def test_standard():
    run(
        "Inverse",
        {"x": ["n", "m", "m"]},
        {"n": (1, 2), "m": (1, 3)},
        data={"x": lambda env, shape: np.broadcast_to(np.eye(env["m"]), shape)},
    )
    run("CDist", {"a": ["m", "k"], "b": ["n", "l"]}, dict.fromkeys("mknl", (1, 2)), attributes={"metric": "euclidean"})
    run("ExpandDims", {"x": ["n", 2]}, {"n": (0, 2)}, constants={"a": np.int32(1)})
    run("ExpandDims", {"x": ["n", 2]}, {"n": (0, 2)}, constants={"a": np.int32(-1)})
    run("Trilu", {"x": ["n", "m"]}, {"n": (0, 2), "m": (0, 2)}, constants={"k": np.int64(1)})
    run("Pad", {"x": ["n", 2]}, {"n": (1, 3), "p": (-2, 2)}, items={"p": ["p", 0, 0, 1]})
    run("GatherND", {"x": ["n", 2, "m"]}, {"n": (1, 2), "m": (1, 2)}, constants={"i": np.array([[0, 0], [1, 1]])})
    run("Unique", {"x": ["n"]}, {"n": (0, 3)}, outputs=["y", "i", "c"])
    run(
        "GridSample",
        {"x": ["n", 2, "h", 3], "g": ["m", 2, 2, "k"]},
        {"n": (1, 2), "m": (1, 2), "h": (1, 2), "k": (1, 3)},
    )


def test_range():
    run("Range", {}, {"a": (-1, 2), "b": (-1, 4)}, items={"a": ["a"], "b": ["b"]})
    run("Range", {}, {"a": (-1, 2), "b": (-1, 4), "d": (-2, 2)}, items={"a": ["a"], "b": ["b"], "d": ["d"]})


@pytest.mark.parametrize("dim", [-2, -1, 0, 1, 2, -3])
def test_unfold(dim):
    model = node("UnfoldTensor", ["x"], domain=DOMAIN, dim=dim, size=2, step=2)
    agree(model, {"x": ["n", "m"]}, {"n": (0, 5), "m": (0, 5)})


def test_images_and_words():
    run(
        "CropAndResize",
        {"x": [2, "c", "h", 3], "r": ["r", "k"], "b": ["b"]},
        {"c": (1, 2), "h": (1, 2), "r": (1, 2), "k": (3, 4), "b": (1, 2), "s": (0, 2)},
        dtypes={"b": "int32", "s": "int32"},
        items={"s": ["s", 2]},
    )
    run(
        "Tokenizer",
        {"x": ["n", "m"]},
        {"n": (1, 2), "m": (1, 2)},
        dtypes={"x": "string"},
        attributes={"mark": 0, "pad_value": "#", "mincharnum": 1, "separators": [" "]},
    )
    run(
        "NGramRepeatBlock",
        {"i": ["n", "s"], "x": ["m", 3]},
        {"n": (1, 2), "s": (1, 3), "m": (1, 2)},
        dtypes={"i": "int64"},
        attributes={"ngram_size": 2},
    )
    run("DynamicTimeWarping", {"x": ["m", "n"]}, {"m": (1, 3), "n": (1, 3)})
    run(
        "WordConvEmbedding",
        {"x": ["n", "m"], "w": [3, 1, 2, "k"], "b": [3], "c": [5, 2]},
        {"n": (1, 2), "m": (2, 4), "k": (1, 3)},
        dtypes={"x": "int32"},
        attributes={"embedding_size": 3, "conv_window_size": 2, "char_embedding_size": 2},
    )


# Decoding


def test_linear_attention():
    shapes = {"q": ["b", "t", "d"], "k": ["b", "t", 2], "v": ["b", 2, "e"], "s": ["b", 1, 2, "f"]}
    run(
        "LinearAttention",
        shapes,
        {"b": (1, 2), "t": (1, 2), "d": (3, 4), "e": (1, 2), "f": (1, 2)},
        outputs=["out", "state"],
        attributes={"q_num_heads": 2, "kv_num_heads": 1, "update_rule": "linear"},
    )


def test_causal_conv():
    shapes = {"x": ["b", "c", "l"], "w": [2, "i", "k"], "b": ["m"], "s": ["b", 2, "r"]}
    ranges = {"b": (1, 2), "c": (1, 2), "l": (1, 2), "i": (1, 2), "k": (1, 3), "m": (1, 2), "r": (0, 2)}
    run("CausalConvWithState", shapes, ranges, outputs=["out", "state"])
    run(
        "LinearAttentionGate",
        {"x": ["b", "t", "h"], "d": ["d"], "s": ["s"]},
        {"b": (0, 2), "t": (0, 2), "h": (1, 2), "d": (1, 2), "s": (1, 2)},
    )


def test_ngram_hash():
    run(
        "NGramHashMapping",
        {"x": ["b", "s"], "m": ["m"], "v": ["v"]},
        {"b": (0, 2), "s": (0, 2), "m": (2, 4), "v": (3, 5)},
        dtypes=dict.fromkeys("xmv", "int64"),
        outputs=["out", "present"],
        data={"v": lambda env, shape: np.full(shape, 7)},
        attributes={"pad_id": 0, "n_head_per_ngram": 2, "max_ngram_size": 3},
    )


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


def test_masked_max_pool():
    run(
        "MaxpoolWithMask",
        {"x": ["n", 2, "h", 3], "m": ["n", 2, "k", 3]},
        {"n": (1, 2), "h": (1, 3), "k": (1, 3)},
        dtypes={"m": "int32"},
        attributes={"kernel_shape": [2, 2]},
    )


def test_mrotary():
    shapes = {"x": ["b", "s", "d"], "p": ["i", "b", "s"], "c": ["m", "r"], "e": ["m", "r"]}
    run(
        "MRotaryEmbedding",
        shapes,
        {"b": (1, 2), "s": (1, 2), "d": (7, 8), "i": (2, 3), "m": (1, 3), "r": (2, 4)},
        dtypes={"p": "int64"},
        attributes={"mrope_section": [1, 1, 0], "num_heads": 2},
    )


def test_quantized_embedding():
    shapes = {"i": ["b", "s"], "w": [5, 3], "p": ["p", 3], "g": [3], "e": [3]}
    names = ["i", "", "w", "p", "", "g", "e", "", *"s s".split(), "", *"s s z z".split(), "", *"z z".split()]
    run(
        "QEmbedLayerNormalization",
        shapes,
        {"b": (1, 2), "s": (1, 3), "p": (1, 3)},
        dtypes={"i": "int32"} | dict.fromkeys("wpge", BYTES),
        outputs=["out", "mask"],
        constants=scalars("s") | scalars("z", dtype=np.uint8),
        inputs=names,
    )


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


def test_attention_empty():
    shapes = {"x": ["b", "s", 4], "w": [4, 12], "c": [12]}
    run("Attention", shapes, {"b": (0, 1), "s": (0, 1)}, attributes={"num_heads": 2})


def test_multi_head_empty():
    shapes = {"q": ["b", "s", 4], "k": ["b", "l", 4], "v": ["b", "l", 4]}
    run("MultiHeadAttention", shapes, {"b": (0, 1), "s": (0, 1), "l": (0, 1)}, attributes={"num_heads": 2})


def test_grouped_empty():
    shapes = {
        "q": ["b", "s", 16],
        "k": ["b", "s", 8],
        "v": ["b", "s", 8],
        "x": ["b", 1, "p", 8],
        "y": ["b", 1, "p", 8],
        "e": ["b"],
    }
    run(
        "GroupQueryAttention",
        shapes,
        {"b": (0, 1), "s": (0, 1), "p": (0, 1), "t": (0, 2)},
        dtypes={"e": "int32", "t": "int32"},
        items={"t": ["t"]},
        inputs=["q", "k", "v", "x", "y", "e", "t"],
        outputs=["out", "pk", "pv"],
        data={"e": lambda env, shape: np.full(shape, max(env["t"] - 1, 0))},
        attributes={"num_heads": 2, "kv_num_heads": 1},
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


def test_rotary_empty():
    run(
        "RotaryEmbedding",
        {"x": ["b", "s", 8], "p": ["b", "s"], "c": [3, 2], "d": [3, 2]},
        {"b": (0, 1), "s": (0, 1)},
        dtypes={"p": "int64"},
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


def test_bifurcation():
    run(
        "BifurcationDetector",
        {"s": ["s"], "c": ["c"]},
        {"s": (0, 3), "c": (0, 3)},
        dtypes=dict.fromkeys("sc", "int64"),
        constants={"i": np.int64(0)},
        outputs=["tokens", "index"],
    )
    run(
        "BifurcationDetector",
        {"s": ["s"], "c": ["c"], "p": ["p"]},
        {"s": (0, 3), "c": (0, 3), "p": (0, 4), "i": (0, 3)},
        dtypes=dict.fromkeys("scpi", "int64"),
        items={"i": ["i"]},
        inputs=list("scip"),
        outputs=["tokens", "index"],
    )
