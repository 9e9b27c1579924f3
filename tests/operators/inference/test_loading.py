"""What ONNX Runtime refuses when it loads a file, compared with the verdict."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from onnx import TensorProto, parser

import shapesmt
from shapesmt.base.errors import ModelError
from shapesmt.network.graph import Node
from shapesmt.operators.inference import Operators
from shapesmt.operators.inference.loading import visiting_order


def graph(body, output="float[n, m] y", opset=18, imports='"f": 1', name="x"):
    head = f'<ir_version: 9, opset_import: ["": {opset}, {imports}]> '
    return head + f"g (float[a, 2] {name}) => ({output}) {{ {body} }}"


def function(body, opset, model=18, imports="", outputs="y", name="h"):
    return f'<domain: "f", opset_import: ["": {opset}{imports}]> {name} (x) => ({outputs}) {{ {body} }}'


def calling(*functions, model=18):
    return graph("y = f.h(x)", opset=model) + "".join(functions)


def check(text, law=""):
    """The verdict is that of the runtime; where it doesn't load the file, a finding has the law."""
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime (extra `replay`) isn't installed")
    runtime.set_default_logger_severity(4)
    model = parser.parse_model(text) if isinstance(text, str) else text
    report = shapesmt.check(model)
    try:
        runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception:
        loads = False
    else:
        loads = True
    assert str(report.verdict) == ("PROVED" if loads else "FAILS")
    assert loads == (not law)
    assert loads or any(law in f.law for f in report.findings)


OPSETS = {  # the nodes of a function, and what a model of opset 11, 13 and 18 breaks by them
    "y = Softmax(x)": ("", "", ""),
    "y = ReduceSum<axes = [1]>(x)": ("", "no attribute 'axes'", "no attribute 'axes'"),
    "k = Constant<value = int64[1] {1}>() y = ReduceSum(x, k)": ("it has at most 1 input", "", ""),
    "y = Dropout<ratio = 0.5>(x)": ("", "no attribute 'ratio'", "no attribute 'ratio'"),
    "y, z = Split<num_outputs = 2, axis = 1>(x)": ("no attribute 'num_outputs'", "no attribute 'num_outputs'", ""),
    "y = Mish(x)": ("Mish is in opset 11", "Mish is in opset 13", ""),
    "k = Constant<value = int64[1] {0}>() z = Unsqueeze(x, k) y = Squeeze(z, k)": ("it has at most 1 input", "", ""),
}


@pytest.mark.parametrize("model", [11, 13, 18])
@pytest.mark.parametrize("body", OPSETS)
def test_a_function_runs_in_the_opset_of_the_model(body, model):
    check(calling(function(body, 18), model=model), OPSETS[body][(11, 13, 18).index(model)])


@pytest.mark.parametrize(("model", "channels"), [(18, 2), (21, 4)])
def test_sizes_in_a_function_are_those_of_the_opset_of_the_model(model, channels):
    """The scale of a GroupNormalization has one element per group up to opset 20, and one per channel since."""
    body = f"k = Constant<value_floats = {[1.0] * channels}>() y = GroupNormalization<num_groups = 2>(x, k, k)"
    text = graph("y = f.h(x)", "float[n, m, l] y", model).replace("[a, 2]", "[a, 4, 2]")
    for opset in (18, 21):
        assert str(shapesmt.check(parser.parse_model(text + function(body, opset))).verdict) == "PROVED"
        other = body.replace(str([1.0] * channels), str([1.0] * (6 - channels)))
        assert str(shapesmt.check(parser.parse_model(text + function(other, opset))).verdict) == "FAILS"


INNER = "y = f.i(x)"
MICROSOFT = "y = com.microsoft.Gelu(x)"
ONE = "k = Constant<value = float[2] {1, 1}>() "
IMPORTS = {
    "a set that the model doesn't import": (calling(function(MICROSOFT, 18, imports=', "com.microsoft": 1')), ""),
    "not by the function": (calling(function(MICROSOFT, 18)), "'h' imports the operator set 'com.microsoft' of Gelu"),
    "not by the model": (graph("y = Abs(x) z = e.h(x)"), "the model imports the operator set 'e' of h"),
    "a function's own": (calling(function(INNER, 18, imports=', "f": 1'), function("y = Abs(x)", 7, name="i")), ""),
    "not a function's own": (calling(function(INNER, 18), function("y = Abs(x)", 7, name="i")), "set 'f' of i"),
    "inputs, unused": (calling(function("y = Abs(x)", 18), function("y = Pad(x)", 18, name="i")), "in function 'i'"),
    "inputs by its own opset": (
        calling(function("k = Constant<value = float {1}>() y = Clip(x, k)", 7)),
        "by the opset that it imports",
    ),
    "whole numbers by its own opset": (
        calling(function("k = Constant<value = int64 {1}>() y = Abs(x)", 8)),
        "are floats",
    ),
    "floats by its own opset": (calling(function("k = Constant<value = float {1}>() y = Abs(x)", 8)), ""),
    "an input as an output": (calling(function("z = Abs(x)", 18, outputs="x")), "output 'x', which isn't an input"),
    "too new": (graph("y = Gelu(x)"), "operator Gelu is in opset 18"),
    "new": (graph("y = Gelu(x)", opset=20), ""),
    "withdrawn": (graph(f"{ONE} y = Upsample(x, k)"), "operator Upsample is in opset 18"),
    "older than ONNX's": (graph(f"{ONE} y = LayerNormalization(x, k)", opset=13), ""),
}


@pytest.mark.parametrize("case", IMPORTS)
def test_operator_sets_are_imported_and_have_the_operators(case):
    check(*IMPORTS[case])


def branching(then, before="", after="", outputs=("float[p, 2] r", "float[q, 2] s")):
    one, other = f"t () => ({outputs[0]}) {{ {then} }}", f"e () => ({outputs[1]}) {{ s = Neg(x) }}"
    return graph(
        f"c = Constant<value = bool {{1}}>() {before} y = If<then_branch = {one}, else_branch = {other}>(c) {after}"
    )


def looping(body, before="", after="", name="u"):
    inner = f"{{ d = Identity(c) w = Neg({name}) {body} }}"
    body = f"b (int64 i, bool c, float[p, 2] {name}) => (bool d, float[q, 2] w) {inner}"
    return graph(f"n = Constant<value_int = 2>() {before} y = Loop<body = {body}>(n, , x) {after}")


def inside(text):
    """The nodes of a graph."""
    return text.partition("{")[2][:-1]


NAMES = {
    "new": (branching("k = Abs(x) r = Neg(k)"), ""),
    "of the other branch": (branching("s = Abs(x) r = Neg(s)"), ""),
    "of a node before": (branching("k = Abs(x) r = Neg(k)", before="k = Abs(x)"), "of a body makes 'k'"),
    "of a node after": (branching("k = Abs(x) r = Neg(k)", after="k = Abs(x)"), ""),
    "of a node after, looked at before": (branching("k = Abs(x) r = Neg(k)", "v = Abs(x)", "k = Abs(x)"), ""),
    "of what reads the node": (branching("k = Abs(x) r = Neg(k)", after="k = Abs(y)"), ""),
    "of the output": (branching("y = Abs(x) r = Neg(y)"), ""),
    "of a constant after": (branching(ONE + "r = Add(x, k)", after=ONE + "z = Add(x, k)"), "of a body makes 'k'"),
    "of an input": (looping("x = Abs(u)"), "of a body makes 'x'"),
    "of an input for an input": (looping("", name="x"), ""),
    "of a node for an input": (looping("", before="v = Abs(x)", name="v"), ""),
    "in a body in a body": (branching(
        "m = Constant<value = bool {1}>() r = If<then_branch = t () => (float[p, 2] v) { k = Abs(x) v = Neg(k) }, "
        "else_branch = e () => (float[p, 2] v) { v = Neg(x) }>(m)", before="k = Abs(x)"), "of a body makes 'k'"),
    "in a body in a body, of the body": (branching(
        "k = Abs(x) m = Constant<value = bool {1}>() r = If<then_branch = t () => (float[p, 2] v) { k = Abs(x) "
        "v = Neg(k) }, else_branch = e () => (float[p, 2] v) { v = Neg(x) }>(m)"), "of a body makes 'k'"),
    "in a function": (calling(function(inside(branching("k = Abs(x) r = Neg(k)", "k = Abs(x)")), 18)), "makes 'k'"),
    "in a function that isn't called": (
        graph("y = Abs(x)") + function(inside(branching("k = Abs(x) r = Neg(k)", "k = Abs(x)")), 18), ""),
    "in a function that a function calls": (
        calling(function(INNER, 18, imports=', "f": 1'),
                function(inside(branching("k = Abs(x) r = Neg(k)", "k = Abs(x)")), 18, name="i")), "makes 'k'"),
    "of a constant in a body of a function": (
        calling(function(inside(branching(ONE + "r = Add(x, k)", "k = Abs(x)")), 18)), "makes 'k'"),
    "of a tensor around a function": (
        graph("k = Abs(x) y = f.h(k)") + function(inside(branching("k = Abs(x) r = Neg(k)")), 18), ""),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMES)
def test_a_body_makes_no_tensor_of_a_name_around_it(case):
    check(*NAMES[case])


def named(names, text=None):
    model = parser.parse_model(text or graph(ONE + "z = Abs(x) y = Add(z, k)"))
    for node, name in zip(model.graph.node, names, strict=False):
        node.name = name
    return model


BODIES = {
    "different names": (named(["v", "w", "z"]), ""),
    "nodes out of order": (branching("r = Neg(k) k = Abs(x)"), "'k' stands before the nodes that read it"),
    "two nodes of one name": (named(["", "w", "w"]), "only one node is called 'w'"),
    "a constant of the name": (named(["w", "w", ""]), ""),
    "a name like that of a node without one": (named(["", "", "Abs_1"]), ""),
    "an output from around": (branching("", outputs=("float[p, 2] x", "float[q, 2] s")), "itself makes"),
    "an output of a loop from around": (looping("").replace("float[q, 2] w)", "float[q, 2] x)"), "itself makes"),
    "an input of a branch": (branching("r = Neg(x)").replace("t ()", "t (float v)"), "a branch takes no input"),
    "other numbers of outputs": (
        branching("r = Neg(x)", outputs=("float[p, 2] r", "float[q, 2] s, float[q, 2] s")), "same number of outputs"),
}  # fmt: skip


@pytest.mark.parametrize("case", BODIES)
def test_nodes_have_names_and_bodies_outputs_of_their_own(case):
    check(*BODIES[case])


def test_an_input_declares_its_type():
    model = parser.parse_model(graph("y = Abs(x)"))
    model.graph.input[0].ClearField("type")
    check(model, "input 'x' declares its type")


def test_outputs_that_are_not_optional_have_names():
    for body, place, law in (
        ("z = Abs(x)", 0, "output 0 has a name"),
        ("k = Constant<value_ints = [1]>() z, i = TopK(x, k)", 1, "output 1 has a name"),
        ("u, i, k, n = Unique(x)", 1, ""),
    ):
        model = parser.parse_model(graph(f"y = Abs(x) {body}"))
        model.graph.node[-1].output[place] = ""
        check(model, law)


@pytest.mark.parametrize("dtype", [0, 99])
def test_constants_are_of_a_known_element_type(dtype):
    model = parser.parse_model(graph("y = Abs(x)"))
    model.graph.initializer.append(TensorProto(name="k", data_type=dtype, dims=[0]))
    check(model, "constant 'k' is of a known element type")


def test_nodes_of_a_function_stand_in_order():
    with pytest.raises(ModelError, match="a node stands before one whose output it reads"):
        shapesmt.check(parser.parse_model(calling(function("y = Neg(k) k = Abs(x)", 18))))


def test_nodes_are_visited_from_the_last_leaf():
    pairs = [("x", "a"), ("a", "b"), ("a", "c"), ("x", "d"), ("c", "e"), ("d", "f")]
    nodes = [Node("Abs", "", write, [read], [write]) for read, write in pairs]
    assert visiting_order(nodes, Operators({"": 18}, {})) == [0, 3, 5, 2, 4, 1]


SIZE = "t = Shape(x) i = Constant<value_int = 0>() n = Gather(t, i) z = Constant<value_int = {}>() c = Greater(n, z) "
MATRIX = "k = Constant<value = float[3, 2] {1, 2, 3, 4, 5, 6}>() "
LOADED = "when the model is loaded"


def idle(body, output="float[q, 2] w"):
    """A loop without iterations."""
    inner = f"b (int64 i, bool c, float[p, 2] u) => (bool d, {output}) {{ d = Identity(c) {body} }}"
    return graph(f"n = Constant<value_int = 0>() {MATRIX} y = Loop<body = {inner}>(n, , x)", "y")


def chosen(otherwise, when, before="", output="float[q, m] s"):
    """A graph whose second branch runs for sizes `a` up to `when`."""
    one, other = "t () => (float[p, 2] r) { r = Relu(x) }", f"e () => ({output}) {{ {otherwise} }}"
    return graph(f"{SIZE.format(when)} {before} y = If<then_branch = {one}, else_branch = {other}>(c)")


SCANNING = "s = Scan<num_scan_inputs = 1, body = b (float[p] u) => (float[q] w) {{ w = Neg(u) }}, {}>(x)"
STATIC = {
    "a node that fits": (chosen("s = Neg(x)", 0), ""),
    "sizes of constants": (chosen("s = MatMul(k, k)", 0, MATRIX), LOADED),
    "sizes of constants in the branch": (chosen(f"{MATRIX} s = MatMul(k, k)", 0), LOADED),
    "elements of constants": (chosen("o = Constant<value_ints = [7, 7]>() s = Expand(x, o)", 0), LOADED),
    "elements of constants, for some sizes": (
        chosen("o = Constant<value_ints = [7, 7]>() s = Expand(x, o)", 2), LOADED),
    "floats of constants": (
        chosen("o = Constant<value_floats = [0.0, 2.0, 1.0]>() s = Resize(x, , o)", 0), LOADED),
    "an attribute": (chosen("s = Softmax<axis = 5>(x)", 0), "axis 5 is inside"),
    "an attribute that there isn't": (chosen("s = Relu<axis = 5>(x)", 0), "no attribute 'axis'"),
    "a type": (chosen("o = Shape(x) s = MatMul(x, o)", 0), LOADED),
    "a type as declared": (chosen("s = Neg(x)", 0, output="double[q, m] s"), "'s' is of its declared type, float64"),
    "an index that is beyond": (chosen("o = Constant<value_ints = [7]>() s = Gather(x, o)", 0), ""),
    "the numbers of elements": (chosen("o = Constant<value_ints = [4, 4]>() s = Reshape(k, o)", 0, MATRIX), ""),
    "a body in a branch": (chosen(
        "f = Constant<value = bool {1}>() s = If<then_branch = v () => (float[l, h] j) { j = MatMul(k, k) }, "
        "else_branch = w () => (float[l, h] j) { j = Neg(x) }>(f)", 0, MATRIX), LOADED),
    "a function in a branch": (
        chosen("s = f.h(x)", 0) + function(f"{MATRIX} y = MatMul(k, k)", 18), LOADED),
    "a loop that never runs": (idle("w = Neg(u) v = MatMul(k, k)"), LOADED),
    "a loop that never runs and fits": (idle("w = Neg(u)"), ""),
    "a carried type": (idle("w = Shape(u)", "w"), "of one type"),
    "a rank that a Scan in a branch declares": (chosen(
        "s = Scan<num_scan_inputs = 1, body = b (float[p, 2] u) => (float[q, 2] w) { w = Neg(u) }>(x)", 0), LOADED),
    "a size that a Scan in a branch declares": (chosen(
        "s = Scan<num_scan_inputs = 1, body = b (float[3] u) => (float[q] w) { w = Neg(u) }>(x)", 0), LOADED),
    "axes of a Scan": (chosen(SCANNING.format("scan_input_axes = [0, 1]"), 0), "one entry per scan input"),
    "an axis of a Scan": (chosen(SCANNING.format("scan_input_axes = [5]"), 0), "axis 5 is inside"),
    "directions of a Scan": (chosen(SCANNING.format("scan_output_directions = [3]"), 0), "a 0 or 1 per scan output"),
    "directions of a Scan that fit": (chosen(SCANNING.format("scan_input_directions = [1]"), 0), ""),
    "a state of a Scan": (chosen(f"{ONE} v, s = Scan<num_scan_inputs = 1, body = b (o, u) => (q, w) "
        "{ q = Concat<axis = 0>(o, o) w = Neg(u) }>(k, x)", 0), "a state keeps its shape"),
    "types of branches": (graph(
        "c = Constant<value = bool {1}>() y = If<then_branch = t () => (r) { r = Relu(x) }, "
        "else_branch = e () => (s) { s = Shape(x) }>(c)", "y"), "of one type"),
}  # fmt: skip


@pytest.mark.parametrize("case", STATIC)
def test_a_node_that_contradicts_what_is_declared_is_not_loaded_though_it_never_runs(case):
    check(*STATIC[case])


TYPES = {
    "of an output": (graph("y = Shape(x)", "float[n] y"), "'y' is of its declared type, float32"),
    "of a sequence": (graph("y = SequenceConstruct(x)", "seq(double[n, m]) y"), "declared type, seq(float64)"),
    "of an inner tensor": (
        graph("<double[n, m] z> { z = Abs(x) y = Neg(z) }").replace("{ <", "<")[:-1],
        "'z' is of its",
    ),
    "of one that nothing reads": (
        graph("<double[n, m] z> { z = Abs(x) y = Neg(x) }").replace("{ <", "<")[:-1],
        "'z' is",
    ),
    "of a constant": (graph(f"<double[2] k> {{ {ONE} y = Add(x, k) }}").replace("{ <", "<")[:-1], ""),
    "of an output without one": (graph("y = Shape(x)", "y"), ""),
    "of a body's tensor": (
        branching("v = Abs(x) r = Neg(v)").replace("r) {", "r) <double[n, m] v> {"),
        "'v' is of its",
    ),
}


@pytest.mark.parametrize("case", TYPES)
def test_tensors_are_of_their_declared_types(case):
    check(*TYPES[case])


@pytest.mark.parametrize("dtype", ["float", "double"])
def test_a_body_that_maps_sequences_takes_their_tensors_and_makes_sequences_of_what_it_makes(dtype):
    report = shapesmt.check(
        parser.parse_model(f"""<ir_version: 8, opset_import: ["": 17]>
        g (seq(float[a]) s, float[b] t, seq(float[a]) r) => (seq(float[c]) q) {{
            q = SequenceMap (s, t, r) <body = m ({dtype}[d] u, float[e] v, float[f] w) => ({dtype}[d] o) {{
                o = Identity (u) }}> }}""")
    )
    assert (str(report.verdict) == "FAILS") is (dtype == "double")


@pytest.mark.parametrize(("declared", "loads"), [("3", False), ("b", True), ("a", True), ("5", True), ("1", True)])
@pytest.mark.parametrize("made", ["z = Relu(x)", "t = Shape(x) v = Abs(t) z = Reshape(x, v)"])
def test_numbers_that_are_declared_of_inner_sizes_are_believed_when_a_model_is_loaded(made, declared, loads):
    rows = ", ".join(map(str, range(10)))
    text = graph(f"<float[{declared}, 2] z, float[5, 2] k = {{{rows}}}> {{ {made} y = Add(z, k) }}")
    report = shapesmt.check(parser.parse_model(text.replace("{ <", "<")[:-1]))
    assert str(report.verdict) == ("DEPENDS" if loads else "FAILS")
    assert (LOADED in report.findings[0].law) != loads


STRETCHED = {  # what a PRelu reads and the next node, and whether that runs on the shape of `x`
    ("float[2] x, float[3, 2] s, float[3, 2] t", "y = Concat<axis = 0>(z, t)"): False,
    ("float[2] x, float[3, 2] s", "y = Transpose<perm = [1, 0]>(z)"): False,
    ("float[2] x, float[3, 2] s", "y = f.h(z)"): False,
    ("float[2] x, float[3, 2] s", "y = Neg(z)"): True,
    ("float[1, 2] x, float[3, 2] s, float[5, 3] t", "y = MatMul(t, z)"): False,
    ("float[1, 2] x, float[3, 2] s, float[3, 2] t", "y = Add(z, t)"): True,
    ("float[1, n] x, float[m, n] s", "y = Transpose<perm = [1, 0]>(z)"): True,
}


@pytest.mark.parametrize("case", STRETCHED, ids=str)
def test_slopes_stretch_an_input_but_not_the_shape_that_is_inferred_when_a_model_is_loaded(case):
    text = graph(f"z = PRelu(x, s) {case[1]}", "y").replace("float[a, 2] x", case[0])
    check(text + function("y = Transpose<perm = [1, 0]>(x)", 18), "" if STRETCHED[case] else LOADED)


def test_elements_that_are_computed_leave_a_branch_open_that_never_runs():
    """With optimizations, ONNX Runtime computes the sum and refuses the model; without them, it loads the model."""
    body = "o = Constant<value_ints = [6, 6]>() v = Add(o, o) s = Expand(x, v)"
    assert str(shapesmt.check(parser.parse_model(chosen(body, 0))).verdict) == "UNKNOWN"


REVERSED = "o = Constant<value_ints = [1, 1]>() s = ReverseSequence<time_axis = 1, batch_axis = 1>(x, o)"
MOD = "Mod<fmod = 2>(x, x)"
KERNELS = {  # the verdict; whether the file is loaded with optimisations, and without
    "that have few values": (chosen(f"s = {MOD}", 0), "FAILS", False, False),
    "in a branch that is dropped": (branching("r = Neg(x)").replace("Neg(x) }>", f"{MOD} }}>"), "UNKNOWN", True, False),
    "without a kernel": (chosen('s = Gelu<approximate = "q">(x)', 0).replace("18", "20"), "UNKNOWN", True, True),
    "that depend on each other": (chosen(REVERSED, 0), "UNKNOWN", False, False),
}


@pytest.mark.parametrize("case", KERNELS)
def test_attributes_are_checked_by_the_kernels_of_nodes_that_never_run(case):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime (extra `replay`) isn't installed")
    text, verdict, *loads = KERNELS[case]
    model = parser.parse_model(text)
    assert str(shapesmt.check(model).verdict) == verdict
    for level, expected in zip(("ORT_ENABLE_ALL", "ORT_DISABLE_ALL"), loads, strict=True):
        options = runtime.SessionOptions()
        options.graph_optimization_level, options.log_severity_level = getattr(runtime.GraphOptimizationLevel, level), 4
        with nullcontext() if expected else pytest.raises(Exception, match="Exception during initialization"):
            runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


UNREAD = {
    "in the graph": graph("t = Constant<value_ints = [4, 4]>() z = Reshape(x, t) y = Neg(x)"),
    "in a branch": branching("t = Constant<value_ints = [4, 4]>() v = Reshape(x, t) r = Neg(x)"),
    "in a loop": looping("t = Constant<value_ints = [4, 4]>() v = Reshape(u, t)"),
    "in a function": calling(function("t = Constant<value_ints = [4, 4]>() z = Reshape(x, t) y = Neg(x)", 18)),
    "of random numbers": graph(
        "t = Constant<value_ints = [4, 4]>() r = RandomNormalLike(x) z = Reshape(r, t) y = Neg(x)"
    ),
}


@pytest.mark.parametrize("level", ["ORT_DISABLE_ALL", "ORT_ENABLE_ALL"])
@pytest.mark.parametrize("case", UNREAD)
def test_a_node_whose_output_nothing_reads_is_run(case, level):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime (extra `replay`) isn't installed")
    model, options = parser.parse_model(UNREAD[case]), runtime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = getattr(runtime.GraphOptimizationLevel, level), 4
    report = shapesmt.check(model, dims={"a": "7..9"})
    assert report.precondition.text == ("a == 8",)
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    session.run(None, {"x": np.zeros((8, 2), np.float32)})
    with pytest.raises(Exception, match="cannot be reshaped"):
        session.run(None, {"x": np.zeros((7, 2), np.float32)})
