"""Branches and loops of TensorFlow's graphs."""

from __future__ import annotations

import pytest

from shapesmt.frontends import load

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")

from tests.support.graph_text import X, function, graph, node, placeholder


def test_branches():
    sides = [function(name, ["a"], [node("n", op, "a")], {"o": "n:y:0"}) for name, op in (("t", "Relu"), ("e", "Neg"))]
    attributes = {"then_branch": 'func { name: "t" }', "else_branch": 'func { name: "e" }'}
    nodes = [placeholder("c", dtype="DT_BOOL"), X, node("i", "StatelessIf", "c", "x", **attributes)]
    (made,) = load(graph(*nodes, functions=sides)).nodes
    assert (made.op, made.domain, made.inputs, made.outputs) == ("If", "", ["c"], ["i"])
    assert [graph.nodes[0].op for graph in made.attributes.graphs] == ["Neg", "Relu"]
    assert made.attributes.captures == ("x",)
    cases = node("i", "Case", "c", "x", branches='list { func { name: "t" } func { name: "e" } func { name: "t" } }')
    first, second = load(graph(placeholder("c", dtype="DT_INT32"), X, cases, functions=sides)).nodes
    assert (first.op, second.op, second.outputs) == ("Equal", "If", ["i.0"])
    assert [n.op for n in second.attributes["else_branch"].nodes] == ["Equal", "If"]


def test_loops():
    test = function("test", ["i", "a", "w"], [node("less", "Less", "i", "i")], {"o": "less:z:0"})
    step = [node("more", "AddV2", "i", "i"), node("times", "MatMul", "a", "w"), node("same", "Identity", "w")]
    made = {"p": "more:z:0", "q": "times:product:0", "r": "same:output:0"}
    attributes = {"cond": 'func { name: "test" }', "body": 'func { name: "step" }', "T": "list { type: [1, 1, 1] }"}
    loop = node("w", "While", "n", "x", "k", **attributes)
    functions = [test, function("step", ["i", "a", "w"], step, made)]
    nodes = [placeholder("n", dtype="DT_INT32"), X, placeholder("k", 3, 3), loop]
    found = load(graph(*nodes, functions=functions))
    assert [n.op for n in found.nodes] == ["Less", "Loop"]
    assert found.nodes[1].inputs == ["", "less", "n", "x"]
    assert found.nodes[1].outputs == ["w", "w:1"]
    assert found.outputs == ("w", "w:1", "k")
    assert found.nodes[1].attributes.captures == ("k",)
