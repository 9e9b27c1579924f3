"""Attributes, constants and declared shapes of TensorFlow's nodes."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.frontends import load
from shapesmt.network.graph.literal import Declared, Literal

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")

from tests.support.graph_text import ONE, X, const, graph, node, placeholder, shape


def test_shapes_of_inputs():
    unknown = node("b", "Placeholder", dtype="type: DT_INT64", shape="shape { unknown_rank: true }")
    unread, every = placeholder("unread"), node("all", "Unheard", "a", "b", "c", "s")
    bare = node("c", "PlaceholderWithDefault", "k", dtype="type: DT_BOOL")
    found = load(
        graph(placeholder("a", 2, -1), unknown, const("k", "DT_BOOL", [], ""), bare, placeholder("s"), unread, every)
    )
    assert found.inputs == {
        "a": Declared("float32", (2, None)),
        "b": Declared("int64", None),
        "c": Declared("bool", None),
        "s": Declared("float32", ()),
    }
    old = load(graph(placeholder("s"), node("y", "Neg", "s"), versions="versions { producer: 21 }"))
    assert old.inputs["s"].shape is None


def test_the_usual_names_of_dimensions():
    report = shapesmt.check(ONE, dims={"x_dim0": "2..3"})
    assert {n: (r.min, r.max) for n, r in report.symbols.items()} == {"x_dim0": (2, 3)}
    shaped = shapesmt.check(ONE, shapes={"x": "[1..8,3]"})
    assert [(r.min, r.max) for r in shaped.symbols.values()] == [(1, 8)]


def test_attributes():
    values = {
        "a": "i: 3", "b": "b: true", "c": 's: "SAME"', "d": "type: DT_INT32", "e": "f: 0.5", "g": shape(2, -1),
        "h": "list { i: 1 i: 2 }", "j": "list { }", "k": "list { shape { dim { size: -1 } } }",
        "l": 'func { name: "f" }',
        "m": "tensor { dtype: DT_INT32 tensor_shape { } int_val: 7 }", "n": "shape { unknown_rank: true }",
        "o": "list { type: DT_FLOAT type: DT_VARIANT }", "p": 'placeholder: "T"', "_q": "i: 1",
    }  # fmt: skip
    (read,) = load(graph(X, node("y", "Unheard", "x", **values))).nodes
    assert dict(read.attributes) == {
        "a": 3, "b": 1, "c": "SAME", "d": "int32", "e": 0.5, "g": Declared("", (2, None)), "h": (1, 2), "j": (),
        "k": (Declared("", (None,)),), "m": Literal("int32", (), (7,)), "n": Declared("", None), "o": ("float32", ""),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "dims", "content", "expected"),
    [
        ("DT_INT32", [2], "int_val: 4 int_val: 5", ("int32", (4, 5))),
        ("DT_INT32", [3], "int_val: 4", ("int32", (4, 4, 4))),
        ("DT_INT32", [2], "", ("int32", (0, 0))),
        ("DT_INT64", [], 'tensor_content: "\\376\\377\\377\\377\\377\\377\\377\\377"', ("int64", (-2,))),
        ("DT_FLOAT", [1], "float_val: 0.5", ("float32", (0.5,))),
        ("DT_DOUBLE", [1], "double_val: inf", ("float64", (float("inf"),))),
        ("DT_HALF", [1], "half_val: 15360", ("float16", (1.0,))),
        ("DT_HALF", [1], 'tensor_content: "\\000\\074"', ("float16", (1.0,))),
        ("DT_BFLOAT16", [1], "half_val: 16320", ("bfloat16", (1.5,))),
        ("DT_UINT8", [1], 'tensor_content: "\\377"', ("uint8", (255,))),
        ("DT_BOOL", [1], "bool_val: true", ("bool", (True,))),
        ("DT_STRING", [2], 'string_val: "a\\377"', ("string", ("a\ufffd", "a\ufffd"))),
        ("DT_FLOAT", [0, 3], "", ("float32", ())),
        ("DT_FLOAT", [64, 64], "", ("float32", None)),
        ("DT_RESOURCE", [], "", ("", None)),
    ],
)
def test_constants(dtype, dims, content, expected):
    found = load(graph(const("k", dtype, dims, content), node("y", "Relu", "k"))).literals["k"]
    assert (found.dtype, found.values) == expected
    assert found.shape == tuple(dims)


def test_what_the_file_claims_of_a_tensor_is_compared():
    claimed = graph(X, node("y", "Relu", "x", _output_shapes=f"list {{ {shape(-1, 4)} }}"))
    assert load(claimed).declared == {"y": Declared("", (None, 4))}
    assert [w.kind for w in shapesmt.check(claimed).warnings] == ["declaration"]
    assert not shapesmt.check(claimed, declared="ignore").warnings
