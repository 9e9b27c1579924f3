"""What a node contributes to the solver's system: its verdicts are those of the pipeline, and a solver agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

import shapesmt
from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.diagnose.certificate import node_constraints, node_system
from shapesmt.analysis.verify import Question
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Condition, NodeConstraints, Variable
from tests.oracle.solvers import cvc5_verdict, z3_verdict

EXAMPLES = Path(__file__).parents[3] / "examples"
JOIN = b"""<ir_version: 8, opset_import: ["":18]> g (float[n, 3, h] x) => (y) {
    [half] a = MaxPool <kernel_shape = [2], strides = [2]> (x)
    [parts] b = Concat <axis = 2> (a, a)
    [join] y = Add (b, x)
}"""
MODELS = {
    "unet/unet": {"height": "64..512", "width": "64..512:16"},
    "kv_cache/kv_cache": {"past": "1..64"},
    "baked_batch/baked_batch": {"batch": "1..32"},
    "window_partition/tiles": {"height": "1..224"},
    "position_table/position_table": {"seq": "1..1024"},
    "upsample_concat/upsample_concat": {},
}


def examined(model: object, dims: dict[str, str] | None = None) -> Analysis:
    return analyse(model, Question(dims))  # type: ignore[arg-type]


def constraints(model: bytes, node: str, **dims: str) -> NodeConstraints:
    found = shapesmt.explain(model, node, dims=dims, constraints=True).constraints
    assert found is not None
    return found


def test_variables_bounds_and_requirements() -> None:
    found = constraints(JOIN, "join", h="2..64:2")
    assert (found.node, found.op_type, found.index) == ("join", "Add", 2)
    assert found.symbols == (Variable("n", 1, None), Variable("h", 2, 64, 2))
    assert found.reads == (
        Variable("b[0]", 1, None, expr="n"),
        Variable("b[2]", 2, 64, expr="2*(h//2)"),
    )
    law = "broadcast sizes are equal or 1"
    assert {c.law for c in found.requires} == {law}
    assert [(c.verdict, c.by) for c in found.requires] == [
        (Verdict.PROVED, "normal form"),
        (Verdict.PROVED, "enumeration"),
    ]
    assert found.requires[-1].expr in ("h == `b[2]`", "`b[2]` == h")
    assert [v.name for v in found.defines] == ["y[0]", "y[2]"]
    assert found.smt2.startswith("; node join\n(define-fun |join: broadcast sizes are equal or 1 #1| () Bool ")


def test_each_requirement_has_its_own_verdict_and_certificate() -> None:
    found = constraints(JOIN, "join", h="2..64")
    assert [(c.verdict, c.by) for c in found.requires] == [
        (Verdict.PROVED, "normal form"),
        (Verdict.DEPENDS, "enumeration"),
    ]


def test_a_tensor_stands_for_the_node_that_computes_it() -> None:
    assert constraints(JOIN, "b") == constraints(JOIN, "parts")
    assert shapesmt.encode(JOIN, "b") == shapesmt.encode(JOIN, "parts")
    for target in ("x", None):
        with pytest.raises(shapesmt.UsageError, match="constraints are those of one node; name a node"):
            shapesmt.explain(JOIN, target, constraints=True)
    with pytest.raises(shapesmt.UsageError, match="no node 'joyn' in <bytes>; did you mean 'join'"):
        shapesmt.encode(JOIN, "joyn")


def test_unasked_there_are_none() -> None:
    found = shapesmt.explain(JOIN, "join")
    assert found.constraints is None
    assert "constraints" not in found.to_dict()


def test_of_a_node_that_no_input_reaches_nothing_is_decided() -> None:
    model = JOIN.replace(b"[join] y", b"z = MatMul (b, b) [join] y").replace(b"(b, x)", b"(b, z)")
    found = constraints(model, "join")
    assert found.requires
    assert all(c.verdict is None and not c.by for c in found.requires)
    assert found.to_dict()["requires"][0]["verdict"] is None


def test_json_has_all_of_it() -> None:
    data = shapesmt.explain(JOIN, "half", dims={"h": "2..64"}, constraints=True).to_dict()["constraints"]
    assert data["symbols"][1] == {"name": "h", "min": 2, "max": 64}
    assert data["defines"][-1] == {"name": "a[2]", "min": 1, "max": 32, "expr": "h//2"}
    assert {"law": "the window fits the padded input", "expr": "True", "verdict": "PROVED", "by": "normal form"} in (
        data["requires"]
    )


@pytest.mark.parametrize("name", MODELS)
def test_requirements_have_the_verdict_of_their_node(name: str) -> None:
    a = examined(EXAMPLES / f"{name}.onnx", MODELS[name])
    reported = {j.index: j.verdict for j in a.examination.judgements}
    for index in range(len(a.problem.graph.nodes)):
        if index not in a.examination.unreachable:
            found = node_constraints(a, index)
            verdicts = [c.verdict for c in found.requires if c.verdict is not None]
            assert Verdict.worst(verdicts) == reported.get(index, Verdict.PROVED), found.node


@pytest.mark.parametrize("name", ["kv_cache/kv_cache", "baked_batch/baked_batch", "upsample_concat/upsample_concat"])
def test_two_solvers_decide_the_part_of_a_node_as_the_pipeline_does(name: str) -> None:
    a = examined(EXAMPLES / f"{name}.onnx", MODELS[name])
    reported = {j.index for j in a.examination.judgements}
    asked = [i for i in range(len(a.problem.graph.nodes)) if i in reported or i % 5 == 0]
    for index in asked:
        part = node_system(a.problem, index)
        expected = "sat" if index in reported else "unsat"
        assert z3_verdict(part.encoding.text) == expected
        assert cvc5_verdict(part.encoding.text) == expected
        assert all(line in part.encoding.text for line in part.lines)


def test_a_part_rests_on_the_nodes_before_it_and_no_others() -> None:
    text = shapesmt.encode(EXAMPLES / "kv_cache" / "kv_cache.onnx", "scores")
    assert text.splitlines()[0] == (
        "; the constraints of scores (MatMul) in kv_cache.onnx, satisfiable where it can fail while the nodes before "
        "it run"
    )
    assert "; node cache_keys, which runs" in text
    assert "total" not in text
    assert "|cache_values" not in text


def test_sizes_that_data_decides_are_bounded_in_a_part() -> None:
    model = b"""<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (y) <int64[1] axes = {0}> {
        found = NonZero (x) flat = Squeeze (found, axes) [pick] y = Gather (x, flat) }"""
    text = shapesmt.encode(model, "pick", dims={"n": "1..8"})
    assert z3_verdict(text) == "unsat"


def test_conditions_are_data() -> None:
    assert Condition("law", "n == 1").to_dict() == {"law": "law", "expr": "n == 1", "verdict": None}
