"""The bytes of activations, counted by hand, and over random models at every size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import onnx
import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from tests.oracle.graphs import generate
from tests.oracle.runner import Execution, Sizes, assignments, captures, input_shape, value

VIEWS = ("Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity")

CHAIN = b"""<ir_version: 8, opset_import: ["": 18]>
g (float[n, 4] x) => (float[n, m] y) {
  a = Exp(x)
  shape = Constant<value_ints = [-1, 2]>()
  b = Reshape(a, shape)
  c = Relu(b)
  d = Concat<axis = 0>(c, b)
  e = ReduceSum(d)
  y = Add(x, e)
}"""
"""The bytes of a, b and c are 16n, of d 32n, of e 4, of y 16n."""


@pytest.mark.parametrize(("mode", "formula"), [("live", "64*n"), ("alias", "64*n"), ("inplace", "64*n")])
def test_the_worst_point_of_a_chain(mode: str, formula: str):
    assert shapesmt.memory(CHAIN, mode=mode).worst.formula == formula


def test_a_view_holds_what_it_views():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n, 4] x) => (float[k] y) {
      a = Exp(x)
      b = Flatten(a)
      c = Tanh(b)
      y = ReduceMax<keepdims = 0>(c)
    }"""
    worst = {mode: shapesmt.memory(model, mode=mode).worst for mode in ("live", "alias", "inplace")}
    assert [w.formula for w in worst.values()] == ["32*n", "32*n", "16*n + 4"]
    assert shapesmt.memory(model, mode="live", dims={"n": "1..5"}).worst.node.startswith("Flatten")
    assert shapesmt.memory(model, mode="alias", dims={"n": "1..5"}).worst.node.startswith("Tanh")


def test_an_output_is_held_to_the_end_and_has_a_buffer_of_its_own():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n] x) => (float[n] a, float[n] b) { a = Exp(x) b = Identity(a) c = Relu(b) d = Relu(c) }"""
    assert [shapesmt.memory(model, mode=mode).worst.formula for mode in ("live", "alias", "inplace")] == [
        "16*n",
        "16*n",
        "12*n",
    ]


def test_an_operator_writes_over_no_input_that_is_read_later():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n] x) => (float[k] y) { a = Exp(x) b = Relu(a) c = Mul(a, b) y = ReduceSum<keepdims = 0>(c) }"""
    assert shapesmt.memory(model, mode="inplace").worst.formula == "8*n"
    assert shapesmt.memory(model, mode="live").worst.formula == "12*n"


def test_operators_that_need_other_elements_write_over_their_first_input_only():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n, 4] x, int64[n, 4] at) => (float[k] y) {
      a = Exp(x)
      b = Softmax(a)
      u = Neg(x)
      c = ScatterElements(b, at, u)
      y = ReduceSum<keepdims = 0>(c)
    }"""
    worst = {mode: shapesmt.memory(model, mode=mode).worst for mode in ("live", "inplace")}
    assert {mode: w.formula for mode, w in worst.items()} == {"live": "48*n", "inplace": "32*n"}
    second = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n, 4] x, int64[n, 4] at) => (float[k] y) {
      a = Exp(x)
      b = ScatterElements(x, at, a)
      y = ReduceSum<keepdims = 0>(b)
    }"""
    assert shapesmt.memory(second, mode="inplace").worst.formula == "32*n"


def test_element_types_and_weights():
    model = b"""<ir_version: 8, opset_import: ["": 21]>
    g (float[n] x) => (bool[n] y) <float[3] w = {1, 2, 3}, int64[2] v = {4, 5}>
    { a = Cast<to = 22>(x) b = Cast<to = 11>(x) c = Cast<to = 1>(b) y = Greater(c, x) }"""
    report = shapesmt.memory(model, dims={"n": 5})
    held = {t.name: t.bytes for t in report.tensors}
    assert held == {"b": 40, "c": 20}
    assert report.inputs == 20
    assert [t.formula for t in shapesmt.memory(model, dims={"n": "5"}).tensors] == ["40", "20"]
    assert report.weights == 3 * 4 + 2 * 8


IF = b"""<ir_version: 8, opset_import: ["": 18]>
g (float[n] x, bool c) => (float[k] y) {
  a = Exp(x)
  y = If(c) <
    then_branch = t () => (float[k1] u) { p = Concat<axis = 0>(a, a, a) u = Tanh(p) },
    else_branch = e () => (float[k2] v) { v = Relu(a) }
  >
}"""


def test_the_larger_branch_counts_and_what_it_returns_counts_once():
    report = shapesmt.memory(IF, dims={"n": "1..10"})
    assert (report.worst.bytes, report.worst.exact) == ((4 + 12 + 12) * 10, True)
    assert report.worst.node.split("/")[1] == "then_branch"
    assert {t.bytes for t in report.tensors} == {40, 120}


def test_a_branch_counts_only_where_it_is_taken():
    report = shapesmt.memory(IF, dims={"n": "1..10"}, values={"c": False})
    assert report.worst.bytes == (4 + 4) * 10


def test_the_witness_takes_the_branch_that_counts():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n] x, float[m] z) => (float[k] y) {
      size = Size(z)
      five = Constant<value_int = 5>()
      long = GreaterOrEqual(size, five)
      y = If(long) <
        then_branch = t () => (float[k1] u) { p = Concat<axis = 0>(x, x) u = Exp(p) },
        else_branch = e () => (float[k2] v) { v = Exp(x) }
      >
    }"""
    report = shapesmt.memory(model, dims={"n": "1..10", "m": "1..9"}, budget=101, greatest="n")
    assert (report.worst.exact, report.worst.witness) == (True, {"n": 10, "m": 5})
    assert report.worst.bytes == 1 + 2 * 80
    assert report.max.value == 10
    assert report.max.witness["m"] < 5
    constant = shapesmt.memory(model, dims={"n": 4, "m": "1..9"})
    assert (constant.worst.bytes, constant.worst.witness) == (1 + 2 * 32, {"n": 4, "m": 5})


LOOP = b"""<ir_version: 8, opset_import: ["": 18]>
g (float[n] x, int64 trips) => (float[n] y, float[t, n] z) {
  more = Constant<value_int = 1>()
  go = Cast<to = 9>(more)
  y, z = Loop(trips, go, x) <
    body = b (int64 i, bool g, float[n] s) => (bool h, float[n] o, float[n] scan) {
      h = Identity(g)
      p = Exp(s)
      o = Tanh(p)
      scan = Relu(o)
    }
  >
}"""


@pytest.mark.parametrize(("trips", "most"), [("0..7", 7), ("0..100", 100), (3, 3)])
def test_a_loop_holds_what_it_carries_a_trip_and_all_that_it_stacks(trips: str | int, most: int):
    """Two conditions take a byte each; the carried tensor, p, o and scan take 4n each, and z 4n per iteration."""
    report = shapesmt.memory(LOOP, dims={"n": "1..10"}, values={"trips": trips})
    assert report.worst.exact
    assert report.worst.bytes == 1 + 1 + 3 * 40 + 40 * most


def test_a_loop_that_never_runs_holds_nothing_inside():
    report = shapesmt.memory(LOOP, dims={"n": "1..10"}, values={"trips": 0})
    assert report.worst.bytes == 1 + 40


def test_functions_count_as_the_nodes_that_they_stand_for():
    model = b"""<ir_version: 8, opset_import: ["": 18, "own": 1]>
    g (float[n] x) => (float[n] y) { a = Exp(x) y = own.twice(a) }
    <domain: "own", opset_import: ["": 18]>
    twice (u) => (w) { v = Concat<axis = 0>(u, u) s = ReduceSum(v) w = Mul(u, s) }"""
    report = shapesmt.memory(model, dims={"n": "1..10"})
    assert (report.worst.bytes, report.worst.node.split("/")[-1][:6]) == (40 + 80 + 4, "Reduce")


def test_sizes_that_data_decides_count_at_their_most():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n] x) => (int64[1, k] y) { y = NonZero(x) }"""
    report = shapesmt.memory(model, dims={"n": "1..10"}, budget=39)
    assert (report.worst.bytes, report.worst.exact) == (80, True)
    assert report.budget.text == ("n <= 4",)


def test_tensors_of_unknown_size_are_named():
    model = b"""<ir_version: 8, opset_import: ["": 18, "own": 1]>
    g (float[n] x) => (float[n] y) { a = own.thing(x) y = Exp(x) }"""
    report = shapesmt.memory(model, dims={"n": "1..10"})
    assert report.unknown == ("a",)
    assert not report.worst.exact
    assert report.exit_status == 3


def test_what_has_no_end_is_said_with_the_size_that_has_none():
    report = shapesmt.memory(CHAIN)
    assert (report.worst.bytes, report.worst.exact, report.worst.endless) == (None, True, ("n",))


def test_only_inputs_for_which_the_model_runs_count():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n] x, float[m] z) => (float[n] y) { y = Add(x, z) }"""
    report = shapesmt.memory(model, dims={"n": "2..10", "m": "2..7"})
    assert (report.worst.bytes, report.worst.witness) == (28, {"n": 7, "m": 7})
    none = shapesmt.memory(model, dims={"n": "2..4", "m": "5..7"})
    assert (none.worst, none.exit_status) == (None, 1)


def test_given_sizes_and_the_greatest_that_fits():
    report = shapesmt.memory(
        b"""<ir_version: 8, opset_import: ["": 18]>
        g (float[n, m] x) => (float[n, m] y) { y = Exp(x) }""",
        dims={"n": "1..100", "m": "1..100"},
        budget="4kB",
        greatest="n",
        at={"m": 30},
    )
    assert report.at.worst.bytes == 4 * 100 * 30
    assert report.budget.text == ("m*n <= 1000",)
    assert (report.max.value, report.max.witness) == (33, {"n": 33, "m": 30})
    assert report.exit_status == 1


def test_the_witness_has_the_given_sizes():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[n] x, float[m] z) => (float[n] y) { y = Exp(x) }"""
    report = shapesmt.memory(model, dims={"n": "1..9", "m": "1..9"}, at={"m": 4})
    assert (report.at.worst.bytes, report.at.worst.witness) == (36, {"n": 9, "m": 4})


def test_more_elements_than_indices_count():
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[h, w] x) => (float[h, w] y) { y = Exp(x) }"""
    report = shapesmt.memory(model, dims={"h": "1..100000", "w": "1..100000"})
    assert report.indices.text == ("h*w <= 2147483647",)
    assert (report.indices.elements, report.indices.exact) == (10**10, True)
    assert shapesmt.memory(model, dims={"h": "1..100", "w": "1..100000"}).indices is None


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "dead"},
        {"budget": "much"},
        {"greatest": "n"},
        {"budget": 1, "greatest": "k"},
        {"at": {"k": 1}},
        {"at": {"n": "1"}},
        {"at": {"n": 0}},
    ],
)
def test_mistakes_are_named(options: dict[str, Any]):
    with pytest.raises(UsageError):
        shapesmt.memory(CHAIN, **options)


# Random models


def held_at(model: onnx.ModelProto, arrays: Mapping[str, Any], mode: str) -> int:
    """The most bytes that are held at once, step by step over the arrays of a run."""
    nodes, outputs = model.graph.node, {o.name for o in model.graph.output}
    made = {name for node in nodes for name in node.output if name}
    buffer: dict[str, str] = {}
    for node in nodes:
        for i, name in enumerate(node.output):
            shared = mode == "alias" and node.op_type in VIEWS and i == 0 and name not in outputs
            buffer[name] = buffer.get(node.input[0], "") if shared else name
    most = 0
    for now in range(len(nodes)):
        past = {name for node in nodes[: now + 1] for name in node.output if name}
        future = {name for node in nodes[now:] for name in (*node.input, *captures(node))} | outputs
        alive = {buffer[name] for name in past & (future | {*nodes[now].output})} - {""}
        most = max(most, sum(arrays[name].nbytes for name in alive & made))
    return most


def peaks(seed: int, mode: str) -> tuple[onnx.ModelProto, dict[str, str], list[tuple[Sizes, int]]] | None:
    """A random model, the ranges of its sizes, and the bytes at each size at which it runs."""
    case = generate(seed, 6)
    execution = Execution(case.model)
    if execution.whole is None:
        return None
    names = [o.name for o in execution.whole.get_outputs()]
    found = []
    for sizes in assignments({name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}):
        if not execution.run(sizes).failing:
            feeds = {i.name: execution.feed(i, input_shape(i, sizes)) for i in execution.inputs}
            arrays = dict(zip(names, execution.whole.run(None, feeds), strict=True))
            found.append((sizes, held_at(execution.model, arrays, mode)))
    return execution.model, {name: f"{lo}..{hi}" for name, (lo, hi) in case.ranges.items()}, found


@pytest.mark.parametrize("mode", ["live", "alias"])
def test_random_models_at_every_size(seeds: range, mode: str):
    counts: Counter[str] = Counter()
    for seed in seeds:
        posed = peaks(seed, mode)
        if posed is None or not posed[2]:
            continue
        model, dims, found = posed
        r, most = Random(seed), max(size for _, size in found)
        budget = r.randint(0, most)
        asked = r.choice([*dims]) if dims else None
        report = shapesmt.memory(model, mode=mode, dims=dims, budget=budget, greatest=asked)
        worst, fit = report.worst, report.budget
        assert worst.bytes >= most, seed
        counts["exact"] += worst.exact
        if worst.exact:
            assert worst.bytes == most, seed
            assert next(size for sizes, size in found if sizes == worst.witness) == most, seed
        fitting = [sizes for sizes, size in found if size <= budget]
        if fit.exact:
            counts["regions"] += 1
            assert [s for s, _ in found if all(value(text, s) for text in fit.text)] == fitting, seed
        if report.max is not None and report.max.exact:
            counts["greatest"] += 1
            assert report.max.value == max((s[asked] for s in fitting), default=None), seed
            if (corner := report.max.largest) is not None:
                counts["corners"] += 1
                there = [s for s in fitting if corner.sizes.items() <= s.items()]
                assert corner.value == max((s[asked] for s in there), default=None), seed
                assert all(max(s[n] for s, _ in found) == size for n, size in corner.sizes.items()), seed
        counts["models"] += 1
    assert counts["exact"] >= 0.9 * counts["models"] > 0
    assert counts["regions"] >= 0.8 * counts["models"]
    assert counts["corners"]


def test_loops_whose_iterations_an_input_counts_have_an_answer() -> None:
    text = """<ir_version: 8, opset_import: ["":18]> g (float[n,m] x, int64 t) => (y) {
        c = Constant<value = bool {1}>()
        y = Loop(t, c, x) <body = b (int64 i, bool q, float[u,v] w) => (q1, w3) {
            q1 = Identity(q)
            w2 = Loop(t, q, w) <body = b2 (int64 j, bool r, float[o,p] e) => (r1, e1) {
                r1 = Identity(r)
                e1 = Concat<axis=0>(e, e)
            }>
            w3 = Concat<axis=1>(w2, w2)
        }>
    }"""
    answer = shapesmt.memory(onnx.parser.parse_model(text))
    assert answer.worst.bytes is None
    assert answer.worst.endless == ("t",)
