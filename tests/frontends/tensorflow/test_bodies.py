"""TensorFlow's nodes and functions as a graph."""

from __future__ import annotations

import pytest

from shapesmt.frontends import load

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")

from tests.support.graph_text import TWICE, X, call, const, function, graph, node, shape


def test_outputs_are_what_no_node_reads():
    text = graph(
        X,
        node("used", "Relu", "x"),
        node("k", "TopKV2", "used", "two"),
        const("two", "DT_INT32", [], "int_val: 2"),
        node("parts", "Split", "zero", "x", num_split="i: 3"),
        const("zero", "DT_INT32", [], ""),
        const("idle", "DT_INT32", [], ""),
        node("after", "NoOp", "^unread"),
        node("unread", "Relu", "x"),
    )
    found = load(text)
    assert found.outputs == ("k", "k:1", "parts", "parts:1", "parts:2")
    assert "unread" not in [n.name for n in found.nodes]
    assert [n.name for n in found.nodes] == ["used", "k", "parts"]


def test_nodes_may_stand_in_any_order():
    found = load(graph(node("z", "Neg", "y:0", "^x"), node("y", "Relu", "x"), X))
    assert [n.name for n in found.nodes] == ["y", "z"]


def test_variables():
    text = graph(
        X,
        node("w", "VarHandleOp", dtype="type: DT_FLOAT", shape=shape(3, 5)),
        node("read", "ReadVariableOp", "w"),
        node("v", "VariableV2", dtype="type: DT_FLOAT", shape=shape(5)),
        node("open", "VarHandleOp", dtype="type: DT_FLOAT", shape="shape { unknown_rank: true }"),
        node("y", "MatMul", "x", "read"),
        node("z", "BiasAdd", "y", "v"),
        node("t", "ResourceGather", "open", "x"),
    )
    found = load(text)
    assert {name: (t.dtype, t.shape, t.unread) for name, t in found.literals.items()} == {
        "w": ("float32", (3, 5), "it is a variable"),
        "v": ("float32", (5,), "it is a variable"),
    }
    assert [(n.op, n.inputs) for n in found.nodes] == [
        ("VarHandleOp", []),
        ("MatMul", ["x", "w"]),
        ("BiasAdd", ["y", "v"]),
        ("ResourceGather", ["open", "x"]),
    ]


def test_functions_are_written_out():
    nested = function("outer", ["a"], [call("c", "twice", "a"), call("d", "twice", "c:output:0")], {"o": "d:output:0"})
    found = load(graph(X, call("f", "outer", "x"), node("g", "outer", "f"), functions=[TWICE, nested]))
    assert [(n.op, n.name, n.inputs) for n in found.nodes] == [
        ("Relu", "r", ["x"]),
        ("Neg", "n", ["r"]),
        ("Relu", "d/r", ["n"]),
        ("Neg", "d/n", ["d/r"]),
        ("Relu", "g/c/r", ["d/n"]),
        ("Neg", "g/c/n", ["g/c/r"]),
        ("Relu", "g/d/r", ["g/c/n"]),
        ("Neg", "g/d/n", ["g/d/r"]),
    ]
    assert found.outputs == ("g/d/n",)


def test_named_outputs():
    nodes = [
        node("two", "Const", value="tensor { dtype: DT_INT32 tensor_shape { } int_val: 2 }", dtype="type: DT_INT32"),
        node("k", "TopKV2", "a", "two:output:0"),
        node("u", "Unheard", "a"),
        node("j", "Join", "k:indices:0", "u:second:1", "u:first:0"),
    ]
    made = {"o": "k:values:0", "p": "j:z:0", "q": "a"}
    found = load(graph(X, call("f", "top", "x", outputs=3), functions=[function("top", ["a"], nodes, made)]))
    assert found.outputs == ("k", "j", "x")
    assert found.nodes[-1].inputs == ["k:1", "u:1", "u:2"]


def test_attributes_from_the_caller():
    inner = function("typed", ["a"], [node("c", "Cast", "a", DstT='placeholder: "T"')], {"o": "c:y:0"})
    found = load(graph(X, node("f", "typed", "x", T="type: DT_INT32"), functions=[inner]))
    assert found.nodes[0].attributes["DstT"] == "int32"


def test_asserts_are_kept_and_other_effects_are_not():
    nodes = [
        node("ok", "LogicalNot", "a"),
        node("check", "Assert", "ok:y:0", "a"),
        node("write", "AssignVariableOp", "a", "a"),
        node("all", "NoOp", "^check", "^write"),
        node("r", "Relu", "a", "^all"),
    ]
    found = load(graph(X, call("f", "safe", "x"), functions=[function("safe", ["a"], nodes, {"o": "r:y:0"})]))
    assert [(n.op, n.outputs) for n in found.nodes] == [("LogicalNot", ["ok"]), ("Assert", []), ("Relu", ["r"])]
