"""The attention family of ONNX Runtime's own domain against execution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.contrib import BYTES, DOMAIN, run, scalars
from tests.support.dying import deaths
from tests.support.harness import agree, node


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


@pytest.mark.parametrize("past", [False, True])
def test_multi_head_mask_counts_the_past(past):
    shapes: dict[str, Any] = {"q": [1, "s", 4], "k": [1, 2, 4], "v": [1, 2, 4], "m": [1, "k"]}
    shapes |= {"x": [1, 2, "p", 2], "y": [1, 2, "p", 2]} if past else {}
    ranges = {"s": (1, 2), "k": (1, 5)} | ({"p": (0, 2)} if past else {})
    names = ["q", "k", "v", "", "m", *(["", "x", "y"] if past else [])]
    outputs = ["out", *(["pk", "pv"] if past else [])]
    dtypes, heads = {"m": "int32"}, {"num_heads": 2}
    run("MultiHeadAttention", shapes, ranges, dtypes=dtypes, inputs=names, outputs=outputs, attributes=heads)


def test_a_past_needs_a_present():
    for op, given in (
        ("Attention", ["x", "w", "c", "", "p"]),
        ("QAttention", ["x", "w", "c", "sx", "sw", "", "zx", "zw", "p"]),
    ):
        shapes: dict[str, Any] = {"x": ["b", 2, 4], "w": [4, 12], "c": [12], "p": [2, "b", 2, 1, 2]}
        quantized = op == "QAttention"
        found = agree(
            node(op, given, ["out"], DOMAIN, num_heads=2),
            shapes,
            {"b": (1, 2)},
            dtypes={"x": BYTES, "w": BYTES} if quantized else {},
            constants=scalars("sx", "sw") | scalars("zx", "zw", dtype=np.uint8) if quantized else {},
        )
        assert found.backend == "onnxruntime"
        assert (found.ran, found.failed) == (0, 2)


@pytest.mark.parametrize(("queries", "shared"), [(2, 1), (4, 2), (1, 4)])
def test_linear_attention_shares_heads_of_keys(queries, shared):
    shapes = {"q": ["b", 2, "d"], "k": ["b", 2, "e"], "v": ["b", 2, "f"]}
    run(
        "LinearAttention",
        shapes,
        {"b": (0, 1), "d": (0, 8), "e": (0, 8), "f": (0, 4)},
        outputs=["out", "state"],
        attributes={"q_num_heads": queries, "kv_num_heads": shared, "update_rule": "linear"},
    )


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


@pytest.mark.parametrize("tables", [{}, {"c": [2, "r"], "s": [2, "r"]}], ids=["plain", "rotary"])
def test_grouped_sizes(tables):
    """A head's size is a multiple of 8, with rotation of 16; half of the rotated part is a multiple of 8."""
    run(
        "GroupQueryAttention",
        {name: [1, 2, "d"] for name in "qkv"} | {"e": [1]} | tables,
        {"d": (47, 64), "r": (7, 9)} if tables else {"d": (23, 32)},
        dtypes={"e": "int32"},
        constants={"t": np.int32(2)},
        data={"e": lambda _, shape: np.full(shape, 1)},
        inputs=["q", "k", "v", "", "", "e", "t", *tables],
        outputs=["out", "pk", "pv"],
        attributes={"num_heads": 2, "kv_num_heads": 2, "do_rotary": int(bool(tables))},
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


def test_linear_attention():
    shapes = {"q": ["b", "t", "d"], "k": ["b", "t", 2], "v": ["b", 2, "e"], "s": ["b", 1, 2, "f"]}
    run(
        "LinearAttention",
        shapes,
        {"b": (1, 2), "t": (1, 2), "d": (3, 4), "e": (1, 2), "f": (1, 2)},
        outputs=["out", "state"],
        attributes={"q_num_heads": 2, "kv_num_heads": 1, "update_rule": "linear"},
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
        {"b": (1, 2), "s": (0, 1), "p": (0, 1), "t": (0, 2)},
        dtypes={"e": "int32", "t": "int32"},
        items={"t": ["t"]},
        inputs=["q", "k", "v", "x", "y", "e", "t"],
        outputs=["out", "pk", "pv"],
        data={"e": lambda env, shape: np.full(shape, max(env["t"] - 1, 0))},
        attributes={"num_heads": 2, "kv_num_heads": 1},
    )


def test_rotary_empty():
    run(
        "RotaryEmbedding",
        {"x": ["b", "s", 8], "p": ["b", "s"], "c": [3, 2], "d": [3, 2]},
        {"b": (0, 1), "s": (0, 1)},
        dtypes={"p": "int64"},
    )


def test_grouped_without_keys():
    shapes = {"q": ["b", "s", 16], "k": ["b", "l", 8], "v": ["b", "l", 8], "x": ["b", 1, "p", 8], "y": ["b", 1, "p", 8]}
    run(
        "GroupQueryAttention",
        shapes | {"e": ["b"]},
        {"b": (1, 2), "s": (1, 2), "l": (0, 3), "p": (0, 3), "t": (1, 4)},
        dtypes={"e": "int32", "t": "int32"},
        items={"t": ["t"]},
        data={"e": lambda env, shape: np.full(shape, env["t"] - 1)},
        inputs=list("qkvxyet"),
        outputs=["out", "pk", "pv"],
        attributes={"num_heads": 2, "kv_num_heads": 1},
    )


@pytest.mark.parametrize("op", ["MultiHeadAttention", "DecoderMaskedMultiHeadAttention"])
@pytest.mark.parametrize("values", ["b, l, w", "b, 2, l, w"])
def test_heads_without_features(op, values):
    keys = values.replace("w", "h" if values.count(",") == 2 else "e")
    text = f"(float[b, s, h] q, float[{keys}] k, float[{values}] v) => (float[c, d, e] y)"
    ranges = {"b": (0, 1), "s": (0, 1), "l": (0, 1), "h": (0, 2), "e": (0, 1), "w": range(3)}
    if "e" not in keys:
        del ranges["e"]
    assert deaths(f"{text} {{ y = com.microsoft.{op} <num_heads = 2> (q, k, v) }}", ranges)


def test_shared_heads_without_features():
    text = """(float[1, s, h] q, float[1, s, e] k, float[1, s, e] v, int32[1] l) => (float[c, d, e] y)
    <int32 t = {1}> { y = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 1> (q, k, v, , , l, t) }"""
    assert deaths(text, {"s": (0, 1), "h": (0, 16), "e": (0, 8)})
