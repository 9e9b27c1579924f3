"""A graph and its inputs: every tensor's shape, what every node needs, and what is remembered on the way."""

from __future__ import annotations

import pytest

from shapesmt.base.deadline import Deadline, limit
from shapesmt.frontends import load
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import Inference, infer, start, walk
from shapesmt.operators.inference.apply import out_of_time
from shapesmt.operators.rules import unranked
from shapesmt.operators.rules.tensors import tensor
from shapesmt.prover.algebra.dim import symbol
from shapesmt.prover.algebra.formula import equal

HEADER = '<ir_version: 10, opset_import: ["": 21, "f": 1]>'
N, M = symbol("n", 1), symbol("m", 1)
VECTORS = {"x": tensor("float32", [N]), "y": tensor("float32", [M])}


def graph(body: str, functions: str = "") -> Graph:
    return load(f"{HEADER} g {body} {functions}".encode())


def inferred(body: str, functions: str = "") -> Inference:
    return infer(graph(body, functions), VECTORS)


def test_each_node_has_its_application_and_each_tensor_its_shape() -> None:
    inference = inferred("(float[n] x, float[m] y) => (c) { a = Concat <axis = 0> (x, y) b = Relu(a) c = Sum(b, b) }")
    assert len(inference.applications) == 3
    assert inference.tensors["c"].dims == (N + M,)
    assert all(not a.requirements or all(r.formula for r in a.requirements) for a in inference.applications)


def test_equal_applications_are_one_object() -> None:
    inference = inferred(
        "(float[n] x, float[m] y) => (d) { a = Relu(x) b = Relu(x) c = Relu(y) d = Concat <axis = 0> (a, b, c) }"
    )
    first, second, third, _ = inference.applications
    assert first is second
    assert first is not third
    again = inferred("(float[n] x, float[m] y) => (a) { a = Relu(x) }")
    assert again.applications[0] is first
    walk.forget_applications()
    assert inferred("(float[n] x, float[m] y) => (a) { a = Relu(x) }").applications[0] is not first


def test_an_omitted_output_is_no_tensor_that_omitted_inputs_read() -> None:
    body = """(float[n,m] x, float[m] y) => (low, wrong) { a, "", b = LayerNormalization (x, y)
        c, "", d = LayerNormalization (x, y) low = Clip (x, "") wrong = Clip (x, b) }"""
    inference = infer(graph(body), {"x": tensor("float32", [N, M]), "y": tensor("float32", [M])})
    omitted, given = inference.applications[-2:]
    assert "" not in inference.tensors
    assert not omitted.broken
    assert given.broken


def test_requirements_are_about_the_inputs_symbols() -> None:
    (application,) = inferred("(float[n] x, float[m] y) => (a) { a = Add(x, y) }").applications
    (requirement,) = application.requirements
    assert requirement.formula.symbols == N.symbols | M.symbols
    assert equal(N, M) in (requirement.formula, *requirement.formula.args)


def test_an_inference_advances_as_far_as_it_is_asked_to() -> None:
    inference = start(graph("(float[n] x, float[m] y) => (c) { a = Relu(x) b = Relu(a) c = Relu(b) }"), VECTORS)
    inference.advance(2)
    assert len(inference.applications) == 2
    assert "b" in inference.tensors
    assert "c" not in inference.tensors
    inference.advance()
    assert inference.tensors["c"].dims == (N,)


def test_a_call_is_its_functions_body() -> None:
    twice = '<domain: "f", opset_import: ["": 21]> Twice (a) => (c) { b = Add(a, a) c = Concat <axis = 0> (b, a) }'
    inference = inferred("(float[n] x, float[m] y) => (z) { z = f.Twice(x) }", twice)
    assert inference.tensors["z"].dims == (2 * N,)
    assert inference.applications[0].called


def test_calls_that_nest_too_deep_are_left_open() -> None:
    head = '<domain: "f", opset_import: ["": 21, "f": 1]>'
    nested = " ".join(f"{head} F{i} (a) => (b) {{ b = f.F{i + 1}(a) }}" for i in range(walk.MAX_CALLS))
    last = f"{head} F{walk.MAX_CALLS} (a) => (b) {{ b = Relu(a) }}"
    body = "(float[n] x, float[m] y) => (z, w) { z = f.F0(x) w = f.F1(x) }"
    deep, shallow = inferred(body, f"{nested} {last}").applications
    assert ["nest no deeper" in u.law for u in deep.unjudged] == [True]
    assert shallow.unjudged == ()


def test_branches_read_what_is_around_them() -> None:
    inference = inferred(
        "(float[n] x, float[m] y) => (z) { c = Constant <value = bool {1}> ()"
        " z = If (c) <then_branch = t () => (a) { a = Add(x, x) }, else_branch = e () => (b) { b = Add(y, y) }> }"
    )
    assert inference.tensors["z"].dims == (N,)
    assert [node.op for node in inference.nested] == ["If"]


def test_an_operator_without_a_rule_is_named() -> None:
    inference = inferred("(float[n] x, float[m] y) => (z) { z = f.Nothing(x) }")
    assert [u.kind for u in inference.applications[0].unjudged] == ["unsupported"]
    assert inference.unranked == ["z"]


def test_no_rule_is_tried_behind_a_node_that_never_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unranked, "over_ranks", None)
    inference = inferred(
        "(float[n] x, float[m] y) => (d, e, s, f) {"
        " a = Transpose <perm = [1, 0]> (x) b = Add(a, y) c = Concat <axis = 0> (b, x)"
        " d = If (t) <then_branch = p () => (g) { g = Neg(c) }, else_branch = q () => (h) { h = Neg(y) }>"
        " t = Constant <value = bool {1}> () e = f.Nothing(b) s = Shape(a) f = Neg(y) }"
    )
    assert [len(a.requirements) for a in inference.applications if a.broken] == [1]
    unjudged = {
        node.outputs[0]: bool(a.unjudged) for node, a in zip(inference.graph.nodes, inference.applications, strict=True)
    }
    assert unjudged == {"a": False, "b": True, "c": True, "d": True, "e": True, "s": False, "f": False, "t": False}
    assert inference.unranked == []
    assert inference.tensors["f"].dims == (M,)


def test_out_of_time_every_tensor_is_unknown() -> None:
    model = graph("(float[n] x, float[m] y) => (b) { a = Mul(x, x) b = Exp(a) }")
    inference = start(model, {"x": tensor("float32", [symbol("late", 1)]), "y": VECTORS["y"]})
    with limit(Deadline(0)):
        inference.advance()
    assert [u.kind for a in inference.applications for u in a.unjudged] == ["timeout"] * 2
    assert inference.tensors["b"].shape is None
    assert [u.kind for u in out_of_time(model.nodes[0]).unjudged] == ["timeout"]


@pytest.mark.parametrize("renamed", [False, True])
def test_a_renamed_inference_gives_every_size_a_variable(renamed: bool) -> None:
    model = graph("(float[n] x, float[m] y) => (b) { a = Relu(x) b = Concat <axis = 0> (a, y) }")

    def rename(name: str, t: object) -> object:
        return tensor("float32", [symbol(f"{name}[0]")])

    inference = infer(model, VECTORS, rename if renamed else None)  # type: ignore[arg-type]  # tensors in and out
    assert (inference.tensors["b"].dims[0] is symbol("b[0]")) == renamed
