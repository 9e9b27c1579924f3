"""Fused operators, normalizations and the others of ONNX Runtime's own domain against execution."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import shapesmt
from tests.support.contrib import BYTES, DOMAIN, run
from tests.support.harness import agree, build, node


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


def test_nhwc_conv():
    """ONNX Runtime has it on other devices only. Its filters have channels last, as the optimizer writes them."""
    model = """<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
        g (float[n,h,w,3] x, float[16,8,4,3] f) => (float[n,k,l,16] y) {
            y = com.microsoft.NhwcConv<kernel_shape = [8, 4], strides = [8, 4]>(x, f) }"""
    ranges = {"h": "8..64", "w": "4..64"}
    assert shapesmt.check(model.encode(), dims=ranges).verdict.value == "PROVED"
    sizes = [d.expr for d in shapesmt.bounds(model.encode(), dims=ranges).tensors["y"].shape]
    assert sizes == ["n", "h//8", "w//4", "16"]


def test_conv_transpose_dynamic_pads():
    ranges = {"h": (1, 3), "c": (1, 2), "p": (0, 1)}
    shapes = {"x": [1, "c", "h", 3], "w": [1, 2, 2, 2]}
    run("ConvTransposeWithDynamicPads", shapes, ranges, items={"p": ["p", 0, 0, 1]}, attributes={"strides": [2, 2]})


def test_gated_add():
    ranges = {"n": (0, 2), "m": (0, 2), "k": (0, 2), "g": (0, 2)}
    run("GatedAdd", {"x": ["n", "m"], "y": ["n", "k"], "g": ["n", "g"]}, ranges)


@pytest.mark.parametrize("skip", [["b", "s", "h"], [1, "s", "h"], ["s", "h"]], ids=str)
def test_skip_layer_normalization(skip):
    shapes = {"x": [2, "s", 3], "y": skip, "g": ["g"], "e": [3], "b": ["c"]}
    ranges = {"b": (1, 2), "s": (0, 2), "h": (2, 3), "g": (2, 3), "c": (1, 3)}
    run("SkipLayerNormalization", shapes, ranges, outputs=["out", "", "", "sum"])
    names = ["x", "y", "g", "b"]
    del shapes["e"]
    run("SkipSimplifiedLayerNormalization", shapes, ranges, inputs=names, outputs=["out", "", "", "sum"])


@pytest.mark.parametrize("op", ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
def test_a_skip_of_any_batch_is_added(op):
    shapes = {"x": ["n", "s", 4], "y": ["m", "t", 4], "g": [4]}
    run(op, shapes, {"n": (0, 3), "m": (1, 4), "s": (0, 2), "t": (0, 2)})
    run(op, shapes, {"n": (0, 2), "m": (0, 0), "s": (0, 0), "t": (0, 2)})
    run(op, shapes, {"n": (0, 0), "m": (0, 0), "s": (1, 2), "t": (0, 2)})


@pytest.mark.parametrize("op", ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
def test_a_skip_without_samples_is_refused_where_there_are_samples(op):
    model = f"""<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]>
    g (float[n, 1, 4] x, float[m, 1, 4] y, float[4] g) => (z) {{ z = com.microsoft.{op}(x, y, g) }}"""
    report = shapesmt.check(model.encode(), dims={"n": "0..9", "m": "0..9"})
    assert report.precondition.text == ("n == 0 or m >= 1",)


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


@pytest.mark.parametrize("batch", [[], ["n"], ["n", 2]], ids=str)
def test_inverse_of_no_matrices(batch):
    inverse = node("Inverse", ["x"], domain=DOMAIN)
    agree(inverse, {"x": [*batch, "m", "m"]}, {"n": (0, 2), "m": (0, 0)})
    agree(inverse, {"x": [*batch, "m", "k"]}, {"n": (1, 2), "m": (0, 0), "k": (0, 2)})
    agree(inverse, {"x": [*batch, 2, 3]}, {"n": (0, 1)})
    if batch:
        agree(inverse, {"x": [*batch, "m", "k"]}, {"n": (0, 0), "m": (0, 2), "k": (0, 2)})


@pytest.mark.parametrize(("columns", "verdict"), [("0..0", "FAILS"), ("2..2", "PROVED"), ("1..2", "UNKNOWN")])
def test_what_becomes_of_matrices_that_are_not_square_is_not_defined(columns, verdict):
    model = b"""<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]> g (float[2, k, m] x) => (y)
    { y = com.microsoft.Inverse(x) }"""
    assert shapesmt.check(model, dims={"k": "2..2", "m": columns}).verdict.name == verdict


def test_only_declared_numbers_of_rows_and_columns_are_compared():
    inverse = node("Inverse", ["x"], domain=DOMAIN)
    assert agree(inverse, {"x": [0, 2]}).failed
    assert agree(inverse, {"x": ["m", "k"]}, {"m": (0, 0), "k": (2, 2)}).ran
    pinned = build([inverse], {"x": ["m", "k"]})
    verdicts = [shapesmt.check(pinned, dims={"m": m, "k": k}).verdict.name for m, k in ((0, 2), (3, 2), (2, 0))]
    assert verdicts == ["PROVED", "UNKNOWN", "FAILS"]


@pytest.mark.parametrize("size", [-1, 0])
@pytest.mark.parametrize("step", [1, 2])
def test_unfold_to_slices_of_nothing(step, size):
    model = node("UnfoldTensor", ["x"], domain=DOMAIN, dim=0, size=size, step=step)
    agree(model, {"x": ["n", "m"]}, dict.fromkeys("nm", (0, 4)))


@pytest.mark.parametrize("size", [0, 2])
@pytest.mark.parametrize("declared", ["n", "4"])
def test_slices_of_nothing_are_refused_where_the_file_declares_the_axis(size, declared):
    model = f"""<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]> g (float[{declared}, m] x) => (y)
    {{ y = com.microsoft.UnfoldTensor <dim = 0, size = {size}> (x) }}"""
    refused = size == 0 and declared == "4"
    for each in ("4", "2..4"):
        dims = {"n": each} if declared == "n" else {}
        assert shapesmt.check(model.encode(), dims=dims).verdict.name == ("FAILS" if refused else "PROVED")
    found = agree(onnx.parser.parse_model(model), ranges={"m": (1, 2)} | ({"n": (4, 4)} if declared == "n" else {}))
    assert (found.ran, found.failed) == ((0, 2) if refused else (2, 0))


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
        "CropAndResize",
        {"x": ["n", 2, "h", 3], "r": ["r", 4], "b": ["r"]},
        {"n": (0, 2), "h": (0, 2), "r": (0, 2)},
        dtypes={"b": "int32"},
        constants={"s": np.array([2, 2], np.int32)},
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
    run(
        "NGramRepeatBlock",
        {"i": ["n", "s"], "x": ["n", "v"]},
        {"n": (0, 2), "s": (0, 2), "v": (0, 2)},
        dtypes={"i": "int64"},
        attributes={"ngram_size": 1},
    )
    run("DynamicTimeWarping", {"x": ["m", "n"]}, {"m": (1, 3), "n": (1, 3)})
    run(
        "WordConvEmbedding",
        {"x": ["n", "m"], "w": [3, 1, 2, "k"], "b": [3], "c": [5, 2]},
        {"n": (1, 2), "m": (2, 4), "k": (1, 3)},
        dtypes={"x": "int32"},
        attributes={"embedding_size": 3, "conv_window_size": 2, "char_embedding_size": 2},
    )


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("ids", [[0, 1, 0], [2, 1, 2], [1, 1, 0], [0, 2, 1, 0, 2], [-1] * 3, [1, 1, 2, 1, 1]], ids=str)
def test_ids_to_block_are_in_the_vocabulary(size, ids):
    block = node("NGramRepeatBlock", ["i", "x"], domain=DOMAIN, ngram_size=size)
    agree(block, {"x": [2, "v"]}, {"v": (0, 3)}, constants={"i": np.array([ids, [0] * len(ids)])})


@pytest.mark.parametrize(("size", "length", "assumed"), [(1, 4, True), (2, 4, True), (4, 4, True), (5, 4, False)])
def test_ids_that_data_decide_are_assumed_to_be_in_the_vocabulary(size, length, assumed):
    block = node("NGramRepeatBlock", ["i", "x"], domain=DOMAIN, ngram_size=size)
    model = build([block], {"i": ["n", "s"], "x": ["n", "v"]}, {"i": "int64"})
    report = shapesmt.check(model, dims={"n": "0..9", "s": f"0..{length}", "v": "1..9"})
    assert [a.law for a in report.assumed] == ["ids of words to block are in the vocabulary"] * assumed


def test_causal_conv():
    shapes = {"x": ["b", "c", "l"], "w": [2, "i", "k"], "b": ["m"], "s": ["b", 2, "r"]}
    ranges = {"b": (1, 2), "c": (1, 2), "l": (1, 2), "i": (1, 2), "k": (1, 3), "m": (1, 2), "r": (0, 2)}
    run("CausalConvWithState", shapes, ranges, outputs=["out", "state"])
    run(
        "LinearAttentionGate",
        {"x": ["b", "t", "h"], "d": ["d"], "s": ["s"]},
        {"b": (0, 2), "t": (0, 2), "h": (1, 2), "d": (1, 2), "s": (1, 2)},
    )


@pytest.mark.parametrize("layer", [False, True])
def test_attention_lstm(layer):
    shapes = {"x": [1, "b", 2], "w": ["d", 8, "r"], "h": [1, 8, 2]}
    shapes |= {"q": [1, 2, "n"], "k": [1, "m", "n"], "v": [1, 2], "s": [1, "t", "m"]}
    shapes |= {"a": [1, 4, 1]} if layer else {}
    run(
        "AttnLSTM",
        shapes,
        {"b": (1, 2), "d": (1, 2), "r": (3, 4), "n": (1, 2), "m": (1, 2), "t": (0, 1)},
        inputs=[*"xwh", *[""] * 5, *"qkvs", "", *("a" if layer else ())],
        outputs=["out", "hidden", "cell"],
        attributes={"hidden_size": 2},
    )


def test_ngram_hash():
    run(
        "NGramHashMapping",
        {"x": ["b", "s"], "m": ["m"], "v": ["v"]},
        {"b": (0, 2), "s": (0, 2), "m": (2, 4), "v": (3, 5)},
        dtypes=dict.fromkeys("xmv", "int64"),
        outputs=["out", "present"],
        data={"v": lambda _, shape: np.full(shape, 7)},
        attributes={"pad_id": 0, "n_head_per_ngram": 2, "max_ngram_size": 3},
    )


def test_masked_max_pool():
    run(
        "MaxpoolWithMask",
        {"x": ["n", 2, "h", 3], "m": ["b", "c", "k", 3]},
        {"n": (0, 2), "b": (0, 2), "c": (0, 2), "h": (1, 3), "k": (1, 3)},
        dtypes={"m": "int32"},
        attributes={"kernel_shape": [2, 2]},
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


def test_packed_ngram_hash():
    run(
        "VarlenNGramHashMapping",
        {"x": ["t"], "m": ["m"], "v": ["v"], "e": [2], "p": ["b", 2]},
        {"t": (0, 2), "m": (2, 3), "v": (3, 4), "b": (1, 2)},
        dtypes=dict.fromkeys("xmvp", "int64") | {"e": "int32"},
        data={"v": lambda _, shape: np.full(shape, 7), "e": lambda env, _: np.array([0, env["t"]])},
        attributes={"pad_id": 0, "n_head_per_ngram": 2, "max_ngram_size": 3},
        outputs=["out", "present"],
    )


def test_sums_over_several_devices_have_elements_that_are_not_known() -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]> g (float[n,4] x) => (y)
        { s = Shape(x) t = com.microsoft.AllReduce(s) y = Reshape(x, t) }"""
    assert str(shapesmt.check(text.encode()).verdict) == "UNKNOWN"
