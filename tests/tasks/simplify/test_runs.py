"""What is proven inside branches, loops and functions, whatever run or call it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import onnx
import pytest

import shapesmt
from tests.oracle.runner import assignments
from tests.tasks.simplify.compared import differences

SPLIT = """s = Shape(v) z = Constant<value_ints=[0]>() d = Gather<axis=0>(s, z) c = Constant<value_ints=[2,3]>()
    t = Concat<axis=0>(d, c) w = Reshape(v, t)"""
HEAD = '<ir_version: 9, opset_import: ["":18, "f":1]>'
SIZES = {"n": (1, 3), "m": (1, 3)}


def halved(text: str, **options: Any) -> onnx.ModelProto:
    """The simplified model, which computes the same at every size."""
    model = onnx.parser.parse_model(HEAD + text)
    dims = {name: f"{low}..{high}" for name, (low, high) in SIZES.items() if f"[{name}" in text or f",{name}" in text}
    made = shapesmt.simplify(model, dims=dims, valid_only=True, **options)
    sizes = {name: range(SIZES[name][0], SIZES[name][1] + 1) for name in dims}
    assert [*differences(model, made, assignments(sizes))] == []
    return made


def ops(nodes: Iterable[onnx.NodeProto]) -> str:
    return " ".join(node.op_type for node in nodes if node.op_type != "Constant")


def inside(model: onnx.ModelProto, op: str, name: str) -> Iterable[onnx.NodeProto]:
    """The nodes of a graph inside a node."""
    (node,) = (node for node in model.graph.node if node.op_type == op)
    (graph,) = (a.g for a in node.attribute if a.name == name)
    return list(graph.node)


def test_a_function_knows_what_its_call_hands_over() -> None:
    made = halved(f"""g (float[n,6] x) => (float[a,b,c] y) {{ y = f.split(x) }}
        <domain: "f", opset_import: ["":18]> split (v) => (w) {{ {SPLIT} }}""")
    assert ops(made.functions[0].node) == "Reshape"


def test_a_function_knows_what_all_calls_hand_over() -> None:
    calls = """g (float[n,6] x, float[n,6] u, float[m,6] z) => (y, q) {{
        a = f.split(x) b = f.split({}) y = Add(a, b) q = Exp(z) }}"""
    function = f'<domain: "f", opset_import: ["":18]> split (v) => (w) {{ {SPLIT} }}'
    assert ops(halved(calls.format("u") + function).functions[0].node) == "Reshape"
    other = halved(calls.format("z") + function)
    assert ops(other.functions[0].node) == "Shape Gather Concat Reshape"


def test_attributes_that_all_calls_give() -> None:
    function = """<domain: "f", opset_import: ["":18]> other <by> (v) => (w) {
        c = Cast<to: int = @by>(v) w = Cast<to=1>(c) }"""
    calls = "g (float[n] x) => (y) {{ a = f.other<by=1>(x) b = f.other<by={}>(x) y = Add(a, b) }}"
    assert ops(halved(calls.format(1) + function).functions[0].node) == "Cast"
    assert ops(halved(calls.format(7) + function).functions[0].node) == "Cast Cast"


@pytest.mark.parametrize(
    "call",
    [
        "y = f.outer(x, z)",
        "c = Constant<value_int=1>() t = Cast<to=9>(c) "
        "y = Loop(c, t, x) <body = b (int64 i, bool on, float[l] v) => (bool o, float[k] u) {"
        " o = Identity(on) u = f.outer(v, z) }>",
        "s = Shape(x) e = Constant<value_ints=[2]>() p = Greater(s, e) c = Squeeze(p) "
        "y = If(c) <then_branch = t () => (float[k] u) { u = f.outer(x, z) }, "
        "else_branch = e () => (float[l] w) { w = Exp(x) }>",
    ],
    ids=["call", "loop", "branch"],
)
def test_a_node_that_may_fail_stays_in_a_function_that_another_calls(call: str) -> None:
    made = halved(f"""g (float[n] x, float[m] z) => (float[r] y) {{ {call} }}
        <domain: "f", opset_import: ["":18, "f":1]> outer (a, b) => (c) {{ c = f.inner(a, b) }}
        <domain: "f", opset_import: ["":18]> inner (a, b) => (c) {{ unused = Add(a, b) c = Exp(a) }}""")
    assert ops(made.functions[1].node) == "Add Exp"


def test_a_function_called_with_tensors_of_several_ranks() -> None:
    made = halved(f"""g (float[n,6] x) => (y, q) {{
        s = Shape(x) z0 = Constant<value_int=0>() two = Constant<value_int=2>() n0 = Gather<axis=0>(s, z0)
        e = Greater(n0, two)
        h = If(e) <then_branch = t () => (u) {{ u = Exp(x) }},
                   else_branch = o () => (k) {{ c1 = Constant<value_ints=[-1,3,2]>() k = Reshape(x, c1) }}>
        y = f.split(h) q = f.split(x) }}
        <domain: "f", opset_import: ["":18]> split (v) => (w) {{ {SPLIT} }}""")
    assert ops(made.functions[0].node) == "Shape Gather Concat Reshape"


def test_branches_know_the_sizes_around_them() -> None:
    made = halved(f"""g (float[n,6] v, bool on) => (float[a,b,d] y) {{
        y = If(on) <then_branch = th () => (float[k,2,3] w) {{ {SPLIT} }},
                   else_branch = el () => (float[l,p,q] r) {{ o = Constant<value_ints=[0]>() s2 = Shape(v)
                       f = Constant<value_ints=[2]>() g = Slice(s2, o, f, o) x2 = Expand(v, g)
                       h = Constant<value_ints=[-1,2,3]>() r = Reshape(x2, h) }}> }}""")
    assert ops(inside(made, "If", "then_branch")) == "Reshape"
    assert ops(inside(made, "If", "else_branch")) == "Reshape"


def test_a_loop_knows_the_sizes_that_every_trip_keeps() -> None:
    made = halved(
        f"""g (float[n,6] x, int64 trips) => (float[a,b] y) {{
        c0 = Constant<value_int=1>() go = Cast<to=9>(c0)
        y = Loop(trips, go, x) <body = b (int64 i, bool on, float[k,6] v) => (bool o, float[l,6] u) {{
            o = Identity(on) {SPLIT} e = Exp(w) back = Flatten(e) u = Add(back, v) }}> }}""",
        values={"trips": "1..3"},
    )
    assert ops(inside(made, "Loop", "body")) == "Reshape Exp Flatten Add"


def test_a_loop_forgets_the_sizes_that_trips_change() -> None:
    made = halved(
        """g (float[n,6] x, int64 trips) => (float[a,b] y, float[d,e] q) {
        c0 = Constant<value_int=1>() go = Cast<to=9>(c0)
        y, q = Loop(trips, go, x) <body = b (int64 i, bool on, float[k,6] v) => (bool o, float[l,6] u, float[r] w) {
            o = Identity(on) u = Concat<axis=0>(v, x) s = Shape(x) w = Cast<to=1>(s) }> }""",
        values={"trips": "1..3"},
    )
    assert "Concat" in ops(inside(made, "Loop", "body"))


def test_a_decided_branch_that_reads_less_than_before() -> None:
    made = halved(
        """g (float[n,6] x) => (int64[a] y, int64[b] z) {
        s = Shape(x) i = Constant<value_ints=[1]>() k = Size(x) o = Constant<value_int=1>() c = Greater(k, o)
        d, y = If(c) <then_branch = t () => (int64[1] p, int64[2] q) { p = Gather<axis=0>(s, i) q = Shape(x) },
                      else_branch = e () => (int64[1] u, int64[2] v) { u = Gather<axis=0>(s, i) v = Shape(x) }>
        z = Gather<axis=0>(y, i) }""",
        trust_ranges=True,
    )
    assert ops(made.graph.node) == "Shape"


def test_functions_that_call_the_next_twice_are_entered_once_each() -> None:
    chain = "".join(
        f'<opset_import: ["":18, "f":1], domain: "f"> F{i} (v) => (w) {{ t = f.F{i + 1}(v) w = f.F{i + 1}(t) }}'
        for i in range(40)
    )
    last = '<opset_import: ["":18], domain: "f"> F40 (v) => (w) { w = Relu(v) }'
    model = onnx.parser.parse_model(f"{HEAD} g (float[n] x) => (float[n] y) {{ y = f.F0(x) }} {chain} {last}")
    assert len(shapesmt.simplify(model, valid_only=True).functions) == 41
