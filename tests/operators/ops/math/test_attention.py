"""Attention and rotary embeddings against execution."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from tests.support.harness import agree, node
from tests.support.versions import NEW

PAST = ["q", "k", "v", "", "pk", "pv"]


@pytest.mark.parametrize("opset", [23, 24, 25])
def test_attention_by_heads(opset):
    shapes = {"q": ["b", "h", "s", "d"], "k": ["b2", "g", "t", 2], "v": [1, "g", "t2", 3]}
    ranges = {"b": (1, 2), "b2": (1, 2), "h": (1, 4), "g": (1, 2), "s": (1, 2), "t": (1, 2), "t2": (1, 2), "d": (2, 3)}
    found = agree(node("Attention", ["q", "k", "v"]), shapes, ranges, opset=opset)
    assert found.ran
    assert found.failed


@pytest.mark.parametrize("opset", [23, 24, 25])
def test_attention_packed(opset):
    shapes = {"q": [2, "s", "w"], "k": [2, "t", "x"], "v": [2, "t", "y"]}
    ranges = {"s": (1, 2), "t": (1, 3), "w": (4, 8), "x": (4, 6), "y": (2, 5)}
    attention = node("Attention", ["q", "k", "v"], q_num_heads=4, kv_num_heads=2)
    assert agree(attention, shapes, ranges, opset=opset).ran


@pytest.mark.parametrize("opset", [23, 24, 25])
def test_attention_with_a_past(opset):
    shapes = {"q": [1, 2, "s", 2], "k": [1, 2, "t", 2], "v": [1, 2, "t", 3], "pk": [1, "g", "p", 2]}
    shapes |= {"pv": [1, 2, "r", "e"]}
    ranges = {"s": (1, 2), "t": (1, 2), "p": (0, 2), "r": (0, 2), "e": (3, 4), "g": (2, 3)}
    outputs = ["y", "nk", "nv"]
    assert agree(node("Attention", PAST, outputs), shapes, ranges, opset=opset).ran


@pytest.mark.skipif(not NEW, reason="ONNX Runtime has a kernel of opset 25 before 1.32")
@pytest.mark.parametrize("settings", [{}, {"is_causal": 1, "qk_matmul_output_mode": 1}, {"scale": -0.5}], ids=len)
def test_attention_without_a_kernel_broadcasts_and_may_be_empty(settings):
    shapes = {"q": [2, 2, "s", "d"], "k": [2, "g", "t", "e"], "v": [2, "g", "u", 2]}
    ranges = {"s": (0, 1), "d": (0, 2), "e": (0, 2), "g": (1, 2), "t": (0, 2), "u": (1, 2)}
    attention = node("Attention", ["q", "k", "v"], ["y", "nk", "nv", "scores"], **settings)
    found = agree(attention, shapes, ranges, opset=25)
    assert found.ran
    assert found.failed


@pytest.mark.skipif(not NEW, reason="ONNX Runtime has a kernel of opset 25 before 1.32")
@pytest.mark.parametrize(
    ("outputs", "attributes", "rank"),
    [
        (["y", "nk"], {}, 4),
        (["y"], {"q_num_heads": 1, "kv_num_heads": 1}, 4),
        (["y"], {"q_num_heads": 1}, 3),
        (["y"], {"q_num_heads": 1, "kv_num_heads": 0}, 3),
        (["y"], {"left_window_size": -2}, 4),
    ],
)
def test_a_definition_has_the_laws_of_its_inference(outputs, attributes, rank):
    shapes = {name: ["b", 1, 2, 2][4 - rank :] for name in "qkv"}
    found = agree(
        node("Attention", ["q", "k", "v"], outputs, **attributes),
        shapes,
        {"b": (1, 2)} if rank == 4 else {},
        opset=25,
        known=False,
    )
    assert not found.ran


@pytest.mark.parametrize("opset", [23, 24, 25])
@pytest.mark.parametrize("mask", [["a", "c"], [1, "a", "c"], ["e", "f", "a", "c"]], ids=len)
def test_attention_masks(mask, opset):
    shapes = {"q": [2, 3, "s", 2], "k": [2, 3, "t", 2], "v": [2, 3, "t", 2], "m": mask}
    ranges = {"s": (1, 3), "t": (1, 3), "a": (1, 3), "c": (1, 4)}
    ranges |= {"e": (1, 2), "f": (1, 3)} if len(mask) == 4 else {}
    assert agree(node("Attention", ["q", "k", "v", "m"]), shapes, ranges, opset=opset).ran


@pytest.mark.parametrize("opset", [24, 25])
@pytest.mark.parametrize("outputs", [["y"], ["y", "", "", "s"], ["y", "nk", "nv"]], ids=len)
def test_lengths_of_keys_beside_outputs_for_a_cache(outputs, opset):
    shapes = {"q": ["b", 1, 2, 2], "k": ["b", 1, 3, 2], "v": ["b", 1, 3, 2], "n": ["b"]}
    attention = node("Attention", ["q", "k", "v", "", "", "", "n"], outputs)
    known = [name for name in outputs if name]
    data = {"n": lambda _, shape: np.ones(shape)}
    agree(attention, shapes, {"b": (1, 2)}, opset=opset, outputs=known, dtypes={"n": "int64"}, data=data)


@pytest.mark.parametrize(("rank", "turned"), [(4, None), (4, 2), (3, None), (3, 2)])
@pytest.mark.parametrize("placed", [True, False])
def test_rotary_embedding(rank, turned, placed):
    x = ["b", 2, "s", "d"] if rank == 4 else ["b", "s", "2*d"]
    shapes = {"x": x, "c": ["r", "w"] if placed else ["b", "r", "w"]}
    shapes |= {"n": ["r2", "w"] if placed else ["b", "r2", "w"]}
    ranges = {"b": (1, 2), "s": (1, 2), "d": (2, 6), "w": (1, 3), "r": (1, 2), "r2": (1, 2)}
    inputs, data, dtypes = ["x", "c", "n"], {}, {}
    if placed:
        inputs, shapes["p"] = [*inputs, "p"], ["b2", "s"]
        ranges["b2"], dtypes["p"] = (1, 2), "int64"
        data["p"] = lambda _, shape: np.zeros(shape)
    heads = {} if rank == 4 else {"num_heads": 2}
    rotary = node("RotaryEmbedding", inputs, rotary_embedding_dim=turned, **heads)
    assert agree(rotary, shapes, ranges, opset=23, data=data, dtypes=dtypes).ran


@pytest.mark.parametrize("cache", [[], ["w"], [1, "w"]], ids=str)
@pytest.mark.parametrize("inputs", ["xcc", "xccp"])
def test_rotary_embedding_with_caches_of_a_low_rank(cache, inputs):
    shapes = {"x": [1, 1, "s", 4], "c": cache, "p": [1, "s"]}
    rotary = node("RotaryEmbedding", [*inputs])
    given = {"data": {"p": lambda _, shape: np.zeros(shape)}, "dtypes": {"p": "int64"}} if "p" in inputs else {}
    agree(rotary, {name: shapes[name] for name in inputs}, {"s": (1, 2), "w": (1, 2)}, opset=23, **given)


def test_linear_attention():
    shapes = {"q": ["b", "s", "4*d"], "k": ["b", "s", "2*d"], "v": ["b", "s", "y"]}
    ranges = {"b": (1, 2), "s": (1, 2), "d": (1, 2), "y": (2, 4)}
    linear = {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": "linear"}
    assert agree(node("LinearAttention", ["q", "k", "v"], ["o", "n"], **linear), shapes, ranges, opset=27).ran


def test_linear_attention_with_gates():
    shapes = {"q": [1, "s", 8], "k": [1, "s", 4], "v": [1, "s", 6], "p": [1, 2, "d", "e"]}
    shapes |= {"g": [1, "s", "x"], "r": [1, "s", "y"]}
    ranges = {"s": (1, 2), "d": (2, 3), "e": (2, 3), "x": (1, 4), "y": (1, 3)}
    gated = {"q_num_heads": 4, "kv_num_heads": 2}
    assert agree(node("LinearAttention", [*"qkvpgr"], ["o", "n"], **gated), shapes, ranges, opset=27).ran


def test_flex_attention():
    text = """<ir_version: 10, opset_import: ["": 25, "ai.onnx.preview": 1]>
    g (float[b,h,s,d] q, float[b,g,t,2] k, float[b,g,t,3] v) => (float[?,?,?,?] y) {
      y = ai.onnx.preview.FlexAttention<score_mod = m (float[a,c,e,f] i) => (float[a2,c2,e2,f2] o)
          { o = Neg(i) }>(q, k, v) }"""
    ranges = {"b": (1, 2), "h": (1, 4), "g": (1, 2), "s": (1, 2), "t": (1, 2), "d": (2, 3)}
    found = agree(onnx.parser.parse_model(text), ranges=ranges)
    assert found.ran


@pytest.mark.parametrize("opset", [23, 24, 25])
@pytest.mark.parametrize("outputs", [["o"], ["o", "k1"], ["o", "", "", "s"], ["o", "k1", "v1"]])
def test_what_is_made_with_a_past(opset, outputs):
    shapes = {"q": [1, 1, "s", 2], "k": [1, 1, 2, 2], "v": [1, 1, 2, 2], "k0": [1, 1, "p", 2], "v0": [1, 1, "p", 2]}
    model = node("Attention", ["q", "k", "v", "", "k0", "v0"], outputs)
    found = agree(model, shapes, {"s": (1, 2), "p": (1, 2)}, opset=opset)
    assert bool(found.ran) is (len(outputs) == 3 or (NEW and opset == 25 and len(outputs) != 2))
