"""Control flow against execution: branches, loops of any trip count, scans, sequences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as state

import shapesmt
from shapesmt.network.graph import Runtime
from tests.support.harness import agree

ROWS = {"n": (0, 3), "m": (0, 4)}
COUNT = {"items": {"m": ["m"]}}


def run(graph, ranges, opset=16, **given):
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]> {graph}')
    return agree(model, ranges=ranges, **given)


def needs(found):
    """What is left to prove."""
    texts = [str(r.formula) for a in found.inference.applications for r in a.requirements]
    return [text for text in dict.fromkeys(texts) if text != "True"]


# If


def choice(then, otherwise, condition="bool c"):
    return f"""g (float[n,2] x, float[k,2] z, {condition}) => (float[?,?] y) {{
        y = If (c) <then_branch = t () => (float[?,?] a) {{ {then} }},
                    else_branch = e () => (float[?,?] b) {{ {otherwise} }}> }}"""


ADD, JOIN = "a = Add(x, z)", "b = Concat<axis=0>(x, z)"
TWO = {"n": (0, 3), "k": (0, 3)}


def test_a_known_condition_selects_a_branch():
    assert needs(run(choice(ADD, JOIN), TWO, items={"c": [1]})) == ["k == 1 or k == n or n == 1"]
    assert not needs(run(choice(ADD, JOIN), TWO, items={"c": [0]}))


def test_a_symbolic_condition_guards():
    found = run(choice(ADD, JOIN), {**TWO, "c": (0, 1)}, items={"c": ["c"]})
    assert needs(found) == ["c == 0 or k == 1 or k == n or n == 1"]


def test_a_condition_on_data_needs_both_branches():
    either = [np.array(False), np.array(True)]
    run(choice(ADD, JOIN), TWO, data={"c": either})
    run(choice("a = Identity(x)", JOIN), TWO, data={"c": either})
    run(choice("a = Identity(x)", "b = Add(x, x)"), TWO, data={"c": either})


def test_a_condition_has_one_element():
    found = run(choice(ADD, JOIN, "bool[n] c"), TWO, data={"c": lambda _, shape: np.ones(shape)})
    assert found.failed


def test_branches_of_different_rank():
    graph = """g (float[n,2] x, bool c) => (float y) {
        y = If (c) <then_branch = t () => (float a) { a = Identity(x) },
                    else_branch = e () => (float b) { b = Flatten<axis=0>(x) f = Flatten(x) }> }"""
    found = run(graph, {"n": (1, 2)}, data={"c": [np.array(False), np.array(True)]})
    assert found.tensors["y"].rank == 2


# Loop


def loop(body, condition='""', count="int64 m"):
    return f"""g (float[n,2] x, {count}) => (float[?,?] y, float[?,?,?] s) {{
        y, s = Loop (m, {condition}, x) <body = b (int64 i, bool ci, float[a,d] a_in) =>
            (bool co, float[p,q] a_out, float[r,t] so) {{ co = Identity(ci) {body} }}> }}"""


GATHER = "a_out = Identity(a_in) one = Constant<value = int64[1] {{1}}>() {index} so = Gather<axis=0>(x, k)"
BODIES = {
    "invariant": ("a_out = Neg(a_in) so = Identity(x)", "n"),
    "growth": ("a_out = Concat<axis=0>(a_in, x) so = Identity(x)", "n + m*n"),
    "growing scan output": ("a_out = Concat<axis=0>(a_in, x) so = Identity(a_in)", "n + m*n"),
    "doubling": ("a_out = Concat<axis=0>(a_in, a_in) so = Identity(x)", "`y.final0x0`"),
    "made anew": (
        "k = Constant<value = int64[1] {0}>() a_out = Gather<axis=0>(x, k) so = Identity(a_out)",
        "(1 if m >= 1 else n)",
    ),
    "made anew by index": (
        """one = Constant<value = int64[1] {1}>() z = Constant<value = int64[1] {0}>()
        e = Add(i, one) a_out = Slice(x, z, e) so = Identity(x)""",
        "(min(m, n) if m >= 1 else n)",
    ),
    "index": (GATHER.format(index="k = Reshape(i, one)"), "n"),
    "index past the end": (GATHER.format(index="k = Add(i, one)"), "n"),
    "index from the end": (GATHER.format(index="j = Add(i, one) k = Neg(j)"), "n"),
}


@pytest.mark.parametrize(("body", "rows"), BODIES.values(), ids=BODIES)
def test_loops(body, rows):
    found = run(loop(body), ROWS, **COUNT)
    assert str(found.tensors["y"][0]) == rows
    for trips in (-1, 0, 1, 3):
        run(loop(body), {"n": (0, 3)}, items={"m": [trips]})
    run(loop(body), {"n": (1, 2)}, data={"m": [np.array(t) for t in (0, 1, 2)]})


def test_an_index_needs_no_more_than_the_last_trip():
    body, _ = BODIES["index past the end"]
    assert needs(run(loop(body), ROWS, **COUNT)) == ["m <= 0 or n >= m + 1"]


def test_conditions():
    body, _ = BODIES["growth"]
    flag = loop(body, "c", "int64 m, bool c")
    run(flag, {**ROWS, "c": (0, 1)}, items={"m": ["m"], "c": ["c"]})
    run(flag, ROWS, data={"c": [np.array(True), np.array(False)]}, **COUNT)
    for trips in ("m", 2):
        flags = loop(body.replace("so =", "more = Gather<axis=0>(f, i) so ="), count="int64 m, bool[4] f")
        choices = [np.array(f, bool) for f in ([0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1])]
        run(
            flags.replace("co = Identity(ci)", "co = Gather<axis=0>(f, i)"),
            ROWS,
            items={"m": [trips]},
            data={"f": choices},
        )


def test_many_trips_are_not_written_out():
    assert str(run(loop(BODIES["growth"][0]), {"n": (0, 3)}, items={"m": [100]}).tensors["y"][0]) == "101*n"


@pytest.mark.parametrize("step", [1, 2, 3])
def test_while_loops_count_their_trips(step):
    graph = f"""g (float[n,2] x, int64 m) => (float[?,?] y, int64 k) {{
        z = Constant<value = int64 {{0}}>() t = Constant<value = bool {{1}}>()
        big = Constant<value = int64 {{9223372036854775807}}>()
        y, k = Loop (big, t, x, z) <body = b (int64 i, bool ci, float[p,q] a_in, int64 k_in) =>
            (bool co, float[u,v] a_out, int64 k_out) {{
                one = Constant<value = int64 {{{step}}}>() k_out = Add(k_in, one)
                a_out = Concat<axis=0>(a_in, x) co = Less(k_out, m) }}> }}"""
    found = run(graph, {"n": (0, 2), "m": (-2, 6)}, **COUNT)
    assert "final" not in str(found.tensors["y"])
    run(graph, {"n": (0, 2)}, data={"m": [np.array(k) for k in (0, 1, 3)]})


@pytest.mark.parametrize("trips", ["m", 3])
def test_counters_are_known(trips):
    graph = """g (int64 m) => (int64 y, int64[?] s) {
        z = Constant<value = int64 {5}>()
        y, s = Loop (m, "", z) <body = b (int64 i, bool ci, int64 a_in) => (bool co, int64 a_out, int64 so) {
            co = Identity(ci) two = Constant<value = int64 {2}>() a_out = Add(a_in, two) so = Identity(a_in) }> }"""
    found = run(graph, {"m": (0, 4)}, items={"m": [trips]})
    assert found.tensors["s"].value is not None


def test_nested_loops():
    graph = """g (float[n,2] x, int64 m, int64 k) => (float[?,?] y) {
        y = Loop (m, "", x) <body = b (int64 i, bool ci, float[a,d] a_in) => (bool co, float[p,q] a_out) {
            co = Identity(ci)
            a_out = Loop (k, "", a_in) <body = c (int64 j, bool cj, float[e,f] b_in) => (bool ck, float[r,t] b_out) {
                ck = Identity(cj) b_out = Concat<axis=0>(b_in, x) }> }> }"""
    found = run(graph, {"n": (0, 2), "m": (0, 3), "k": (0, 3)}, items={"m": ["m"], "k": ["k"]})
    assert str(found.tensors["y"][0]) == "n + k*m*n"
    run(graph, {"n": (0, 2), "k": (0, 3)}, items={"m": [2], "k": ["k"]})


def test_sizes_that_data_decides_differ_from_trip_to_trip():
    body = """r = Gather<axis=0>(f, i) nz = NonZero(r) so = Cast<to=1>(nz) a_out = Identity(a_in)"""
    graph = loop(body, count="int64 m, bool[3,4] f")
    flags = [np.eye(3, 4, dtype=bool), np.tri(3, 4, dtype=bool)]
    run(graph, {"n": (1, 1), "m": (1, 3)}, data={"f": flags}, **COUNT)


def test_unrolled_trips_have_sizes_of_their_own():
    by_data = "nz = NonZero(a_in) r = Transpose(nz) a_out = Cast<to=1>(r) so = Identity(x)"
    for body in (by_data, "a_out = Transpose(a_in) so = Identity(a_in)"):  # scan outputs have as many elements
        run(loop(body), {"n": (0, 2)}, items={"m": [2]})


# Scan


def scan(body, attributes=""):
    return f"""g (float[n,2] st, float[p,q,2] x) => (float[?,?] y, float[?,?,?] s) {{
        y, s = Scan <num_scan_inputs = 1 {attributes}, body = b (float[a,d] a_in, float[e,g] xi) =>
            (float[h,k] a_out, float[r,t] so) {{ {body} }}> (st, x) }}"""


@pytest.mark.parametrize(
    "attributes", ["", ", scan_output_axes = [1]", ", scan_output_axes = [-1]", ", scan_input_axes = [1]"]
)
@pytest.mark.parametrize(
    "body",
    [
        "a_out = Add(a_in, xi) so = Identity(a_out)",
        "a_out = Identity(a_in) so = Add(xi, a_in)",
        "a_out = Concat<axis=0>(a_in, xi) so = Identity(xi)",
    ],
)
def test_scans(body, attributes):
    run(scan(body, attributes), {"n": (1, 3), "p": (0 if "input" not in attributes else 1, 3), "q": (1, 3)})


@pytest.mark.parametrize("lengths", ["", "n"])
@pytest.mark.parametrize("given", [[2, 1], [3, 0], [1, 1, 1]], ids=str)
def test_scans_of_a_batch(lengths, given):
    graph = f"""g (float[b,2] st, float[b,q,2] x) => (float[?,?] y, float[?,?,?] s) <int64[{len(given)}] n = {{
        {", ".join(map(str, given))} }}> {{ y, s = Scan <num_scan_inputs = 1, body = t (float[2] a_in, float[2] xi) =>
            (float[2] a_out, float[2] so) {{ a_out = Add(a_in, xi) so = Identity(a_out) }}> ({lengths}, st, x) }}"""
    found = run(graph, {"b": (0, 3), "q": (0, 3)}, opset=8)
    assert bool(found.ran) == (not lengths or 0 not in given)


def test_scan_inputs_have_one_length():
    graph = """g (float[n] st, float[p,n] x, float[q,2] w) => (float[?] y, float[?,?] s, float[?,?] u) {
        y, s, u = Scan <num_scan_inputs = 2, body = b (float[a] a_in, float[e] xi, float[f] wi) =>
            (float[h] a_out, float[r] so, float[t] uo) {
                a_out = Add(a_in, xi) so = Concat<axis=0>(xi, wi) uo = Identity(wi) }> (st, x, w) }"""
    assert needs(run(graph, {"n": (0, 3), "p": (1, 3), "q": (1, 3)})) == ["p == q"]


@pytest.mark.parametrize(("taken", "made"), [("6", "h"), ("e", "6"), ("6", "6"), ("e", "h")])
def test_a_scan_has_the_sizes_that_its_body_declares_as_numbers(taken, made):
    graph = f"""g (float[p,q] x) => (float[?,?] s) {{
        s = Scan <num_scan_inputs = 1, body = b (float[{taken}] xi) => (float[{made}] so) {{ so = Abs(xi) }}> (x) }}"""
    wanted = ["q == 6"] if "6" in (taken, made) else []
    assert needs(run(graph, {"p": (1, 2), "q": (1, 7)})) == wanted


TOTAL, WEIGHTS = "so = ReduceSum<keepdims = 1>(xi)", "w = Constant<value_floats = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]>()"
REUSED = "t = Abs(xi) r = ReduceSum<keepdims = 1>(t) u = Add(w, r) v = Exp(u) so = ReduceSum<keepdims = 1>(v)"
MANY = {"p": (1, 2), "q": (1, 7)}


def scanned(body, made="h", taken="6"):
    return f"""g (float[p,q] x) => (float[?,?] s) {{
        s = Scan <num_scan_inputs = 1, body = b (float[{taken}] xi) => (float[{made}] so) {{ {body} }}> (x) }}"""


def test_a_scan_runs_on_other_sizes_than_declared_if_its_tensors_are_the_same():
    found = run(scanned(TOTAL), MANY)
    assert not needs(found)
    assert not any(a.unjudged for a in found.inference.applications)
    assert needs(run(scanned("so = Concat<axis = 0>(xi, xi)"), MANY)) == ["q == 6"]


@pytest.mark.parametrize(
    "body",
    [
        f"{WEIGHTS} {REUSED}",
        "h = Shape(xi) so = Cast<to = 1>(h)",
        "h = Shape(xi) r = ReduceSum<keepdims = 1>(xi) so = Expand(r, h)",
    ],
)
def test_a_scan_is_open_where_the_runtime_plans_with_the_declared_sizes(body):
    graph = f'<ir_version: 8, opset_import: ["": 16]> {scanned(body)}'.encode()
    assert shapesmt.check(graph, dims={"q": "2..7"}).verdict.name in ("UNKNOWN", "DEPENDS")
    assert shapesmt.check(graph, dims={"q": 3}).verdict.name == "UNKNOWN"


def test_a_scan_whose_body_contradicts_its_declared_sizes_is_not_loaded():
    body = "w = Constant<value_floats = [1.0, 2.0, 3.0]>() t = Add(xi, w) so = ReduceSum<keepdims = 1>(t)"
    graph = f'<ir_version: 8, opset_import: ["": 16]> {scanned(body)}'.encode()
    assert shapesmt.check(graph).verdict.name == shapesmt.check(graph, dims={"q": 3}).verdict.name == "FAILS"


@pytest.mark.parametrize("made", ["[h,i]", ""])
def test_a_scan_whose_output_has_another_rank_than_declared_is_open(made):
    graph = scanned("so = Abs(xi)", taken="e").replace("[h] so", f"{made} so")
    assert shapesmt.check(f'<ir_version: 8, opset_import: ["": 16]> {graph}'.encode()).verdict.name == "UNKNOWN"


@pytest.mark.parametrize(("given", "declared"), [("", "[1]"), ("[1]", ""), ("[1,1]", "[1]")])
def test_a_loop_condition_has_its_declared_rank(given, declared):
    graph = f"""<ir_version: 8, opset_import: ["": 16]>
    g (float[5] x, bool{given} c) => (float[?] y) <int64 m = {{3}}> {{
        y = Loop <body = b (int64 i, bool{declared} go, float[5] a) => (bool on, float[r] z) {{
            on = Identity(go) z = Abs(a) }}> (m, c, x) }}"""
    assert shapesmt.check(graph.encode()).verdict.name == "FAILS"
    assert shapesmt.check(graph.replace(f"bool{declared} go", f"bool{given} go").encode()).verdict.name == "PROVED"


def test_a_branch_makes_the_sizes_that_it_declares_as_numbers():
    graph = """g (float[n] x, bool c) => (float[?] y) { y = If (c) <
        then_branch = t () => (float[3] a) { a = Abs(x) }, else_branch = e () => (float[k] b) { b = Neg(x) }> }"""
    ranges = {"n": (1, 4), "p": (0, 1)}
    assert needs(run(graph, ranges, items={"c": ["p"]}, dtypes={"c": "bool"})) == ["n == 3 or p == 0"]


def test_a_branch_makes_the_scalar_that_it_declares():
    graph = """g (float[n] x, bool c) => (float y) { y = If (c) <
        then_branch = t () => (float a) { a = ReduceSum <keepdims = 0> (x) },
        else_branch = e () => (float b) { b = ReduceMax <keepdims = 0> (x) }> }"""
    run(graph, {"n": (1, 4), "p": (0, 1)}, items={"c": ["p"]}, dtypes={"c": "bool"})
    model = f'<ir_version: 8, opset_import: ["": 16]> {graph}'
    assert shapesmt.check(model.encode()).verdict.name == "PROVED"
    assert shapesmt.check(model.replace("ReduceSum <keepdims = 0>", "Abs").encode()).verdict.name == "UNKNOWN"


@pytest.mark.parametrize(("declared", "verdict"), [("6", "FAILS"), ("5", "PROVED"), ("k", "PROVED")])
def test_a_loop_fails_where_its_body_cannot_run_on_the_sizes_that_it_declares(declared, verdict):
    graph = f"""<ir_version: 8, opset_import: ["": 16]>
    g (float[5] x) => (float[?] y) <int64 m = {{3}}, bool c = {{1}}, float[5] w = {{1, 2, 3, 4, 5}}> {{
        y = Loop <body = b (int64 i, bool go, float[{declared}] a) => (bool on, float[r] z) {{
            on = Identity(go) z = Add(a, w) }}> (m, c, x) }}"""
    assert shapesmt.check(graph.encode()).verdict.name == verdict


def test_scan_8():
    graph = """g (float[b,n] st, float[c,p,q] x) => (float[?,?] y, float[?,?,?] s) {
        y, s = Scan <num_scan_inputs = 1, body = b (float[a] a_in, float[e] xi) => (float[h] a_out, float[r] so) {
            a_out = Add(a_in, xi) so = Identity(xi) }> ("", st, x) }"""
    run(graph, {"b": (1, 2), "n": (1, 3), "c": (1, 2), "p": (1, 3), "q": (1, 3)}, opset=8)


AXES = "k = Constant <value = int64[1] {-1}> () z = Size (x) d = Div (z, z) w = Reshape (d, k) r = Mul (w, k)"
CALCULATED = f"{AXES} h = ReduceSum <keepdims = 0> (x, r)"


def ran(graph, **inputs):
    """Whether ONNX Runtime runs it on these inputs."""
    model = onnx.parser.parse_model(graph)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    try:
        session.run(None, inputs)
    except (state.Fail, state.InvalidArgument):
        return False
    return True


@pytest.mark.parametrize(
    ("inner", "made", "body", "runs", "verdict"),
    [
        ("", "[2,3]", f"{CALCULATED} a = Neg (h)", False, "UNKNOWN"),  # another rank, which isn't inferred
        ("", "[2,b]", f"{CALCULATED} a = Neg (h)", True, "PROVED"),  # not allocated: a size isn't known
        ("", "[6]", "a = Neg (x)", True, "UNKNOWN"),  # another rank, which is inferred
        ("", "[2,1]", "a = Neg (x)", True, "UNKNOWN"),  # another number, which is inferred
        ("", "[2,b]", "a = Neg (x)", False, "UNKNOWN"),  # the other size is inferred
        ("", "[2,b]", "i = Shape (x) a = Reshape (x, i)", True, "UNKNOWN"),  # and here isn't
        ("", "[2,b]", "a = Transpose (x)", True, "PROVED"),
        ("<float[2,3] h>", "[]", "h = Abs (x) a = Neg (h)", False, "UNKNOWN"),
        ("<float[2,3,4] h>", "[]", f"{CALCULATED} a = Neg (h)", False, "UNKNOWN"),
        ("<float[m,3] h>", "[]", "h = Abs (x) a = Neg (h)", True, "PROVED"),
    ],
)
def test_a_branch_is_open_where_the_runtime_may_know_other_shapes_than_it_makes(inner, made, body, runs, verdict):
    graph = f"""<ir_version: 8, opset_import: ["": 18]> g (float[n, 3] x, bool c) => (float[] y) {{ y = If (c) <
        then_branch = t () => (float{made} a) {inner} {{ {body} }},
        else_branch = e () => (float[n, 3] b) {{ b = Exp (x) }}> }}"""
    assert ran(graph, x=np.ones((5, 3), np.float32), c=np.array(True)) == runs
    assert shapesmt.check(graph.encode()).verdict.name == verdict


def test_a_branch_of_unknown_rank_is_open_if_it_declares_numbers():
    graph = """<ir_version: 8, opset_import: ["": 18]> g (float[n, 3] x, int64[r] s, bool c) => (float[] y) {
        y = If (c) <then_branch = t () => (float[6] a) { a = Reshape (x, s) },
                    else_branch = e () => (float[n, 3] b) { b = Exp (x) }> }"""
    inputs = {"x": np.ones((2, 3), np.float32), "s": np.array([2, 3]), "c": np.array(True)}
    assert not ran(graph, **inputs)
    assert shapesmt.check(graph.encode()).verdict.name == "UNKNOWN"
    assert ran(graph.replace("float[6] a", "float[a] a"), **inputs)
    assert shapesmt.check(graph.replace("float[6] a", "float[a] a").encode()).verdict.name == "PROVED"


@pytest.mark.parametrize(
    ("inner", "made", "body", "runs", "verdict"),
    [
        ("", "[]", "h = Neg (p) o = Abs (h)", True, "PROVED"),
        ("", "[]", f"{AXES} h = ReduceSum <keepdims = 1> (p, r) o = Abs (h)", False, "UNKNOWN"),
        ("", "[1]", f"{AXES} h = ReduceSum <keepdims = 1> (p, r) o = Abs (h)", True, "PROVED"),
        ("<float[5] h>", "[]", "h = Neg (p) o = Abs (h)", False, "UNKNOWN"),
        ("<float[b,c] h>", "[]", "h = Neg (p) o = Abs (h)", False, "UNKNOWN"),
    ],
)
def test_a_scan_is_open_where_the_runtime_may_infer_no_rank_or_other_sizes(inner, made, body, runs, verdict):
    graph = f"""<ir_version: 8, opset_import: ["": 18]> g (float[m, n] x) => (float[] y) {{
        y = Scan <num_scan_inputs = 1, body = t (float[n] p) => (float{made} o) {inner} {{ {body} }}> (x) }}"""
    assert ran(graph, x=np.ones((2, 3), np.float32)) == runs
    assert shapesmt.check(graph.encode()).verdict.name == verdict


def test_only_onnx_runtime_allocates_what_a_branch_returns_by_declared_shapes():
    """The same graph passes for other formats, whose runtimes allocate the outputs after the branch has run."""
    text = """<ir_version: 8, opset_import: ["": 18]> g (bool c, float[n] x) => (y) {
        y = If (c) <then_branch = t () => (float[2] a) { a = Abs(x) },
                    else_branch = e () => (float[2] b) { b = Neg(x) }> }"""
    graph = shapesmt.load_graph(text.encode())
    found = {r: shapesmt.check(replace(graph, runtime=r), dims={"n": "1..3"}).verdict.name for r in Runtime}
    assert found == dict.fromkeys(Runtime, "PROVED") | {Runtime.ONNX: "DEPENDS"}
    networkx_graph = shapesmt.networkx_graph(replace(graph, runtime=Runtime.OPENVINO))
    assert shapesmt.load_graph(networkx_graph).runtime is Runtime.OPENVINO
