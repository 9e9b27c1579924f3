"""Quantizing and back, against execution."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.frontends import load
from shapesmt.operators.inference import infer
from shapesmt.operators.rules.tensors import tensor
from tests.support.harness import agree, node
from tests.support.versions import following

SIZES = {"a": (1, 3), "b": (1, 3), "c": (1, 3)}
SCALES = [([], []), (["c"], ["c"]), (["c"], []), ([], ["c"]), (["c"], None), ([1, 1], [1, 1])]


def used(*shapes):
    return {k: v for k, v in SIZES.items() if any(k in shape for shape in shapes)}


@pytest.mark.parametrize("opset", [10, 13, 19, 21])
@pytest.mark.parametrize(("scale", "zero"), SCALES, ids=str)
@pytest.mark.parametrize("shape", [[], ["a"], ["a", "b"]], ids=str)
def test_one_scale_or_one_per_position(opset, scale, zero, shape):
    for axis in (None, 0, -1) if opset >= 13 else (None,):
        shapes = {"x": shape, "s": scale} | ({} if zero is None else {"z": zero})
        quantized = dict.fromkeys(shapes.keys() & {"z"}, "uint8")
        agree(
            node("QuantizeLinear", list(shapes), axis=axis),
            shapes,
            used(*shapes.values()),
            dtypes=quantized,
            opset=opset,
        )
        back = quantized | {"x": "uint8"}
        agree(
            node("DequantizeLinear", list(shapes), axis=axis), shapes, used(*shapes.values()), dtypes=back, opset=opset
        )


@pytest.mark.parametrize("scale", [["a", "b"], ["a", 2], ["c", 1], ["a"], []], ids=str)
@pytest.mark.parametrize("block", [1, 2, 3])
def test_one_scale_per_block(scale, block):
    shapes = {"x": ["a", 3], "s": scale, "z": scale}
    types = {"x": "uint8", "z": "uint8"}
    agree(node("DequantizeLinear", list(shapes), block_size=block), shapes, used(*shapes.values()), dtypes=types)


@pytest.mark.parametrize("op", ["QuantizeLinear", "DequantizeLinear"])
@pytest.mark.parametrize("block", [-1, 1, 2, 3])
@pytest.mark.parametrize("zero", [["b"], ["c"], None], ids=str)
def test_blocks_of_a_vector(zero, block, op):
    shapes = {"x": ["a"], "s": ["b"], **({"z": zero} if zero else {})}
    types = {"x": "uint8" if op == "DequantizeLinear" else "float32", "z": "uint8"}
    agree(node(op, list(shapes), axis=0, block_size=block), shapes, dict.fromkeys("abc", (0, 4)), dtypes=types)


@pytest.mark.parametrize("opset", [19, 21, 23, 24])
@pytest.mark.parametrize("types", [("float32", "float16"), ("float16", "float32")], ids=str)
def test_scales_of_another_float_type(types, opset):
    agree(node("QuantizeLinear", ["x", "s"]), {"x": ["a"], "s": []}, {"a": (0, 2)},
          dtypes=dict(zip("xs", types, strict=True)), opset=opset)  # fmt: skip


@pytest.mark.parametrize("precision", [0, 1, 2, 10, 11, 16])
def test_the_precision_of_the_division(precision):
    agree(node("QuantizeLinear", ["x", "s"], precision=precision), {"x": ["a"], "s": []}, {"a": (0, 2)}, opset=23)
    head = '<ir_version: 10, opset_import: ["": 23]> g (float[n] x, float s) => (y) '
    text = f"{head} {{ y = QuantizeLinear<precision = {precision}>(x, s) }}"
    with following(1, 31):
        assert shapesmt.check(text.encode()).verdict == "PROVED"


def test_dynamic():
    outputs = ["y", "scale", "zero"]
    for shape in ([], ["a"], ["a", "b"]):
        agree(node("DynamicQuantizeLinear", ["x"], outputs), {"x": shape}, used(shape))


def test_unknown_rank_still_has_a_type():
    graph = load(b'<ir_version: 8, opset_import: ["":19]> g (float x, float s) => (q, y) '
                 b"{q = QuantizeLinear(x, s) y = DequantizeLinear(q, s)}")  # fmt: skip
    found = infer(graph, {"x": tensor("float32", None), "s": tensor("float32", ())}).tensors
    assert (found["q"].dtype, found["y"].dtype) == ("uint8", "float32")


def test_scales_of_another_type_are_refused_before_version_1_32():
    text = '<ir_version: 10, opset_import: ["": 23]> g (float[n] x, float16 s) => (y) { y = QuantizeLinear(x, s) }'
    for version, verdict in (((1, 31), "FAILS"), ((1, 32), "PROVED")):
        with following(*version):
            assert shapesmt.check(text.encode()).verdict == verdict
    agree(node("QuantizeLinear", ["x", "s"]), {"x": ["n"], "s": []}, {"n": (0, 2)}, dtypes={"s": "float16"}, opset=23)
