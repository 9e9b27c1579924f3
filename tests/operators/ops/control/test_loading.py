"""What ONNX Runtime knows when it loads a model: ranks inside bodies that declare no shapes."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as state

import shapesmt
from shapesmt.base.errors import ModelError
from shapesmt.frontends import load
from shapesmt.operators.ops.control.loading import Loaded
from tests.support.node_cases import node_cases
from tests.support.sessions import LEVELS, started

HEADER = '<ir_version: 9, opset_import: ["": 18, "com.microsoft": 1]>'


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def undeclared(model, *kept):
    """The model with no shapes declared in its bodies, but for some tensors."""
    for node in model.graph.node:
        for body in (a.g for a in node.attribute if a.HasField("g")):
            for value in (*body.input, *body.output):
                if value.name not in kept:
                    value.type.tensor_type.ClearField("shape")
    return model


def parsed(text, *kept):
    return undeclared(onnx.parser.parse_model(f"{HEADER} {text}"), *kept)


def ran(model, **inputs):
    try:
        return [output.shape for output in session(model).run(None, inputs)]
    except (state.Fail, state.InvalidArgument):
        return None


def with_symbols(model, opset):
    """A copy that declares all sizes of inputs as symbols, and no shape of outputs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.opset_import[0].version = min(opset, copy.opset_import[0].version)
    for i, value in enumerate(copy.graph.input):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.Clear()
            dim.dim_param = f"s{i}_{axis}"
    for value in copy.graph.output:
        value.type.tensor_type.ClearField("shape")
    return copy


@pytest.mark.parametrize(("opset", "count"), [(onnx.defs.onnx_opset_version(), 1000), (13, 500)])
def test_the_runtime_infers_each_rank_that_it_is_said_to_infer(opset, count):
    known = 0
    for case in node_cases():
        if any(not v.type.HasField("tensor_type") for v in (*case.model.graph.input, *case.model.graph.output)):
            continue
        model = with_symbols(case.model, opset)
        try:
            ranked = Loaded(load(model))
        except ModelError:  # the older version has another number of inputs
            continue
        names = [o.name for o in case.model.graph.output if o.type.tensor_type.shape.dim and o.name in ranked]
        try:
            inferred = {o.name: o.shape for o in session(model).get_outputs()} if names else {}
        except Exception:  # the installed version doesn't have the operator
            continue
        assert all(inferred[name] for name in names), case.name
        known += len(names)
    assert known > count


SCAN = """g (float[n,3] x) => (y) { v = Relu(x)
    y = Scan<num_scan_inputs = 1, body = b (float[m] p) => (float[k] o) { o = Abs(p) }>(v) }"""
X = {"x": np.ones((2, 3), np.float32)}


@pytest.mark.parametrize(
    ("before", "body", "runs", "verdict"),
    [
        ("v = Relu(x)", "o = Abs(p)", True, "PROVED"),
        ("v = Relu(x)", "h = MatMul(p, x) o = Abs(h)", False, "DEPENDS"),
        ("v = Relu(x)", "k = Constant<value_ints = [1, -1]>() o = Reshape(p, k)", True, "PROVED"),
        ("v = Relu(x)", "o = Add(p, x)", True, "PROVED"),
        ("i = NonZero(x) v = Cast<to = 1>(i)", "o = Abs(p)", True, "PROVED"),
        ("s = Shape(x) t = Div(s, s) v = Tile(x, t)", "o = ReduceMax<keepdims = 0>(p)", True, "PROVED"),
        ("v = com.microsoft.Gelu(x)", "o = Abs(p)", True, "UNKNOWN"),
        ("q = SequenceConstruct(x) k = Constant<value_int = 0>() v = SequenceAt(q, k)", "o = Abs(p)", False, "UNKNOWN"),
        ("z = Constant<value_ints = [0]>() v = Unsqueeze(x, z)", "o = Squeeze(p)", False, "UNKNOWN"),
    ],
)  # fmt: skip
def test_a_scan_passes_ranks_on_to_a_body_that_declares_none(before, body, runs, verdict):
    graph = SCAN.replace("o = Abs(p)", body).replace("v = Relu(x)", before)
    model = parsed(graph)
    assert (ran(model, **X) is not None) == runs
    assert shapesmt.check(model, dims={"n": "2..4"}).verdict.name == verdict


def test_a_scan_of_unknown_rank_stays_open_whatever_is_said_of_its_input():
    model = parsed(SCAN)
    model.graph.input[0].type.tensor_type.ClearField("shape")
    assert ran(model, **X) is None
    assert shapesmt.check(model, shapes={"x": "[n,3]"}).verdict.name == "UNKNOWN"


def test_a_scan_of_a_convolution_whose_rank_is_not_inferred_stays_open():
    graph = """g (float[n,1,2,a,b] x, float[s,t,u,v] w) => (y) { y = Scan<num_scan_inputs = 1,
        body = b (float[c,d,e,f] p) => (float[h,i,j,k] o) { o = ConvTranspose(p, w) }>(x) }"""
    inputs = {"x": np.ones((1, 1, 2, 3, 3), np.float32), "w": np.ones((2, 2, 2, 2), np.float32)}
    for kept, runs, verdict in ((("p",), False, "UNKNOWN"), (("p", "o"), True, "PROVED")):
        model = parsed(graph, *kept)
        assert (ran(model, **inputs) is not None) == runs
        assert shapesmt.check(model, dims=dict.fromkeys("astuv", 2) | {"b": 3}).verdict.name == verdict


LOOP = """g (float[n,3] x, int64 m) => (y, s) { y, s = Loop<body = b (int64 i, bool go, float[q,r] u) =>
    (bool on, float[t,v] w, float[j,k] o) { on = Identity(go) w = Relu(u) o = Neg(u) }>(m, , x) }"""


@pytest.mark.parametrize(
    ("kept", "trips", "shape", "verdict"),
    [
        (("i", "go", "u"), 0, (0, 0, 0), "PROVED"),
        (("i", "go", "o"), 0, (0, 0, 0), "PROVED"),
        (("i", "go"), 0, (0,), "UNKNOWN"),
        (("i", "go"), 2, (2, 2, 3), "PROVED"),
        (("i", "u"), 2, None, "FAILS"),
        (("go", "u"), 2, None, "FAILS"),
    ],
)
def test_a_loop_needs_what_its_body_declares(kept, trips, shape, verdict):
    model = parsed(LOOP, *kept)
    found = ran(model, m=np.array(trips), **X)
    assert (None if found is None else found[1]) == shape
    assert shapesmt.check(model, values={"m": trips}).verdict.name == verdict


@pytest.mark.parametrize(("trips", "verdict"), [(1, "PROVED"), (2, "UNKNOWN"), ("0..3", "UNKNOWN")])
def test_a_loop_whose_scan_output_has_no_one_rank_is_open(trips, verdict):
    model = parsed(
        LOOP.replace("w = Relu(u) o = Neg(u)", "w = Concat<axis = 0>(u, u) o = Squeeze(u)"), "i", "go", "u", "o"
    )
    assert ran(model, m=np.array(1), **X)
    assert not ran(model, m=np.array(2), **X)
    assert shapesmt.check(model, values={"m": trips}).verdict.name == verdict


BRANCHES = {  # what the second branch makes where the first one makes n x 4, and whether that is loaded before opset 11
    "v = Neg (x)": True,
    "v = Concat <axis = 0> (x, x)": True,
    "v = ReduceMax <axes = [0]> (x)": True,
    "v = Unsqueeze <axes = [0]> (x)": False,
    "v = Concat <axis = 1> (x, x)": False,
    "w = Shape (x) z = NonZero (w) v = Reshape (x, z)": True,  # the sizes aren't known then, nor how many there are
}


@pytest.mark.parametrize("opset", [9, 10, 11])
@pytest.mark.parametrize("condition", ["c", "known"])
@pytest.mark.parametrize("body", BRANCHES)
def test_old_branches_make_tensors_of_one_rank_and_the_same_numbers(body, condition, opset):
    model = parsed(
        f"""g (float[n, 4] x, bool c) => (y) <bool known = {{1}}> {{ y = If ({condition})
        <then_branch = t () => (float[] u) {{ u = Relu (x) }}, else_branch = e () => (float[] v) {{ {body} }}> }}"""
    )
    model.opset_import[0].version = opset
    loads = started(model, LEVELS.ORT_ENABLE_ALL) is not None
    assert loads == (BRANCHES[body] or opset > 10)
    assert (str(shapesmt.check(model).verdict) == "FAILS") != loads
