"""Every node judged in order: what is reported, what is assumed behind it, and what is a consequence."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from importlib import import_module

import onnx
import pytest
from onnx import TensorProto, helper

import shapesmt
from shapesmt.analysis.verify.examination import Examination
from shapesmt.analysis.verify.examiner import examine, shape_claims
from shapesmt.analysis.verify.problem import Problem, pose
from shapesmt.analysis.verify.question import Question
from shapesmt.base.deadline import Deadline
from shapesmt.frontends import load
from shapesmt.network.graph import GUARDS, Attributes, Graph, Node
from shapesmt.operators.inference import start
from shapesmt.prover.algebra import Kind, Verdict
from shapesmt.prover.judge import Judge
from tests.oracle.torch.calls import f, graph_of, op

HEADER = '<ir_version: 8, opset_import: ["": 21]>'


def problem(body: str, **question: object) -> Problem:
    graph = load(f"{HEADER} g {body}".encode())
    return pose(graph, Question(**question))  # type: ignore[arg-type]


def examined(body: str, *, trust: bool = False, seconds: float = 20, **question: object) -> Examination:
    return examine(problem(body, **question), Judge(Deadline(seconds)), trust=trust)


def test_what_holds_for_all_inputs_is_no_judgement() -> None:
    examination = examined("(float[n,4] x, float[n,4] y) => (z) { z = Add(x, y) }")
    assert examination.judgements == ()
    assert examination.verdict is Verdict.PROVED
    assert examination.decided
    assert not examination.fails


def test_a_reported_condition_is_assumed_behind_the_node() -> None:
    body = "(float[n] x, float[m] y) => (c) { a = Add(x, y) b = Mul(a, y) c = Sub(b, x) }"
    examination = examined(body, dims={"n": "2..9", "m": "2..9"})
    assert examination.reported == [(0, Verdict.DEPENDS)]
    assert {s.name for s in examination.inference.tensors["c"].dims[0].symbols} in ({"n"}, {"m"})
    assert examination.tally().depends == 1


def test_what_comes_again_is_counted_each_time() -> None:
    body = "(float[n] x, float[m] y) => (b) { a = Add(x, y) b = Add(x, y) }"
    counts = examined(body, dims={"n": "2..9", "m": "2..9"}).tally()
    assert counts.depends == 1
    assert counts.total == counts.depends + counts.proved


def test_behind_a_node_that_never_runs_failures_are_its_consequences() -> None:
    body = "(float[n,4] x, float[5,m] w) => (d) { a = MatMul(x, w) b = Add(a, x) c = MatMul(b, w) d = Relu(c) }"
    examination = examined(body, dims={"m": "4..9"})
    assert examination.reported == [(0, Verdict.FAILS)]
    assert examination.fails
    assert {1, 2, 3} <= examination.unreachable
    assert examination.verdict is Verdict.FAILS


def test_a_judgement_keeps_the_inputs_over_which_it_was_made() -> None:
    body = "(float[n] x, float[8] y, float[m] z) => (b) { a = Add(x, y) b = Add(a, z) }"
    first, second = examined(body, dims={"n": "2..9", "m": "2..9"}).judgements
    assert [s.name for s in first.condition.symbols] == ["n"]
    assert [s.name for s in second.condition.symbols] == ["m"]
    assert second.domain.facts != first.domain.facts
    assert first.decision.counterexample is not None
    assert {s.name for s in first.decision.counterexample} == {"n", "m"}


def test_sizes_are_narrowed_and_lead_back() -> None:
    body = "(float[n] x, float[m] y) => (b) { a = Add(x, y) b = Add(a, y) }"
    examination = examined(body, dims={"n": "2..9", "m": "4..7"})
    (judgement,) = examination.judgements
    assert judgement.inference is examination.original
    assert examination.inference is not examination.original
    assert examination.narrowing.replacements == examination.domain.narrowing()
    back = [examination.narrowing.requirement(r).formula for r in examination.inference.applications[0].requirements]
    assert all(f.symbols <= {*examination.domain.symbols} for f in back)


def test_a_requirement_of_an_unknown_rank_leaves_its_node_open() -> None:
    body = "(float[n] x, int64[k] s) => (y) { r = Reshape(x, s) y = Transpose <perm = [1, 0]> (r) }"
    examination = examined(body)
    assert not examination.decided
    assert {u.kind for _, u in examination.unjudged} <= {"rank", "elements"}
    assert examination.verdict is Verdict.UNKNOWN


def test_claimed_shapes_count_where_they_are_trusted() -> None:
    body = "(float[n] x, int64[k] s) => (float[n,2] y) { y = Reshape(x, s) }"
    assert [str(d) for d in shape_claims(problem(body))["y"].dims] == ["n", "2"]
    assert examined(body, trust=True).inference.tensors["y"].shape is not None
    assert examined(body).inference.tensors["y"].shape is None


def test_out_of_time_nothing_is_said() -> None:
    body = "(float[n] x, float[m] y) => (a) { a = Add(x, y) }"
    examination = examined(body, seconds=0)
    assert examination.verdict is Verdict.UNKNOWN
    assert [u.kind for _, u in examination.unjudged] == ["timeout"]


def test_an_examination_never_changes() -> None:
    examination = examined("(float[n] x) => (y) { y = Relu(x) }")
    with pytest.raises(FrozenInstanceError):
        examination.domain = examination.narrowed  # type: ignore[misc]


def inferences(body: str, monkeypatch: pytest.MonkeyPatch, **question: object) -> tuple[int, Examination]:
    """How often shapes were inferred again, and the examination."""
    again: list[int] = []
    module = import_module("shapesmt.analysis.verify.examiner")

    def counted(*args: object, **options: object) -> object:
        again.append(1)
        return start(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "start", counted)
    examination = examined(body, **question)  # type: ignore[arg-type]
    return len(again), examination


def test_bounds_of_one_size_after_another_need_one_more_inference(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = " ".join(f"x{i + 1} = Conv <kernel_shape=[3], strides=[2]> (x{i}, w)" for i in range(4))
    body = f"(float[1, 4, n] x0, float[4, 4, 3] w) => (y) {{ {layers} y = Relu(x4) }}"
    count, examination = inferences(body, monkeypatch, dims={"n": "1..4096"})
    assert count == 1
    assert [verdict for _, verdict in examination.reported] == [Verdict.DEPENDS] * 4
    assert {s.lo for s in examination.inference.tensors["y"].dims[2].symbols} == {31}


def test_a_condition_that_the_reported_ones_imply_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    body = """(float[1, 4, n] x, float[4, 4, 9] w, float[4, 4, 11] v) => (a, b, c)
        <int64[1] zero = {0}, int64[1] end = {20}, int64[1] last = {2}> {
        a = Conv <kernel_shape=[9]> (x, w) cut = Slice(x, zero, end, last)
        b = Conv <kernel_shape=[9]> (cut, w) c = Conv <kernel_shape=[11]> (x, v) }"""
    count, examination = inferences(body, monkeypatch, dims={"n": "1..64"})
    assert examination.reported == [(0, Verdict.DEPENDS), (3, Verdict.DEPENDS)]
    assert count == 1


def decided(graph: Graph, **question: object) -> bool:
    return examine(pose(graph, Question(**question)), Judge()).decided  # type: ignore[arg-type]


def test_what_a_nodes_requirements_refuse_needs_no_judgement() -> None:
    sizes = {"stride": (1,), "padding": (0,), "dilation": (1,)}
    spread = op("conv_transpose1d.default", input=f(2, 2, "n"), weight=f(2, 3, "k"), **sizes)
    assert decided(graph_of(spread), dims={"n": "0..8", "k": "0..8"})
    assert not decided(graph_of(replace(spread, arguments={**spread.arguments, "padding": (1,)})))


def test_what_guards_refuse_needs_no_judgement() -> None:
    running = {"running_mean": f("k"), "running_var": f("k"), "momentum": 0.1, "eps": 1e-5}
    normalized = graph_of(op("_native_batch_norm_legit_no_training.default", 3, input=f("n", "c", "h"), **running))
    guard = Node(GUARDS, "torch", GUARDS, [*normalized.inputs], [], Attributes({"guards": ("i0_1 == i1_0",)}))
    guarded = replace(normalized, nodes=[*normalized.nodes, guard])
    assert [decided(normalized), decided(guarded), decided(guarded, guards="ignore")] == [False, True, False]


UNJUDGED = """<ir_version: 9, opset_import: ["": 18, "x": 1]> g (float[a, 2] x) => (z, w) {
    s = Constant<value_ints = [2, 3]>() u = x.Unknown(x) z = Reshape(u, s) v = Identity(z) w = Reshape(x, s) }"""


def test_sizes_that_rest_on_a_node_that_is_not_judged_are_never_exact():
    tensors = shapesmt.bounds(onnx.parser.parse_model(UNJUDGED), dims={"a": "3..3"}).tensors
    sizes = {name: [(d.min, d.max, d.exact) for d in tensors[name].shape] for name in "szvw"}
    assert sizes["z"] == sizes["v"] == [(2, 2, False), (3, 3, False)]
    assert sizes["w"] == [(2, 2, True), (3, 3, True)]
    assert sizes["s"] == [(2, 2, True)]


def test_a_claimed_size_that_is_a_formula_over_the_inputs_sizes_is_read_as_one() -> None:
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "m"])]
    claims = ["n//2", "max(n, m) - 1", "n - other", "a b", "-1", "8"]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, claims)
    graph = helper.make_graph([helper.make_node("Unknown", ["x"], ["y"], domain="own")], "g", inputs, [output])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    posed = pose(load(helper.make_model(graph, opset_imports=opsets).SerializeToString()))
    sizes = shape_claims(posed)["y"].dims
    assert {s.kind for s in sizes[0].symbols} == {Kind.INPUT}
    assert str(sizes[1]) == "max(m, n) - 1"
    assert all({s.kind for s in size.symbols} == {Kind.DATA} for size in sizes[2:])


def _window_partition(name: str, result: str, n: int) -> str:
    """The nodes that cut a map into windows of 8 by 8 and put it together again, as PyTorch's exporter writes them."""
    return f"""
        b{n} = Shape<start = 0, end = 1>({name})
        h{n} = Shape<start = 1, end = 2>({name})
        w{n} = Shape<start = 2, end = 3>({name})
        rows{n} = Div(h{n}, eight)
        columns{n} = Div(w{n}, eight)
        cut{n} = Concat<axis = 0>(b{n}, rows{n}, eight, columns{n}, eight, eight)
        six{n} = Reshape({name}, cut{n})
        turned{n} = Transpose<perm = [0, 1, 3, 2, 4, 5]>(six{n})
        windows{n} = Reshape(turned{n}, flat)
        parts{n} = Concat<axis = 0>(rest, rows{n}, columns{n}, eight, eight, eight)
        back{n} = Reshape(windows{n}, parts{n})
        again{n} = Transpose<perm = [0, 1, 3, 2, 4, 5]>(back{n})
        whole{n} = Concat<axis = 0>(rest, h{n}, w{n}, eight)
        joined{n} = Reshape(again{n}, whole{n})
        {result} = Add({name}, joined{n})"""


PARTITIONS = f"""(float[batch,3,height,width] x, float[8,3,4,4] kernel) => (z) {{
    eight = Constant<value_ints = [8]>()
    rest = Constant<value_ints = [-1]>()
    flat = Constant<value_ints = [-1, 8, 8, 8]>()
    map = Conv<strides = [4, 4], pads = [0, 0, 3, 3]>(x, kernel)
    first = Transpose<perm = [0, 2, 3, 1]>(map)
    {_window_partition("first", "y", 1)}
    channels = Transpose<perm = [0, 3, 1, 2]>(y)
    half = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(channels)
    second = Transpose<perm = [0, 2, 3, 1]>(half)
    {_window_partition("second", "z", 2)}
}}"""


def test_windows_of_maps_of_any_size_are_decided_by_normal_forms() -> None:
    report = shapesmt.check(f"{HEADER} g {PARTITIONS}".encode(), timeout=20)
    assert report.verdict is Verdict.DEPENDS
    assert report.precondition.exact
    assert report.precondition.text == ("(height + 3) % 64 <= 3", "(width + 3) % 64 <= 3")
