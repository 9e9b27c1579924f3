"""Branches and loops: over samples, over time, by sizes and by data."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import TensorProto, helper

from tests.oracle.samples.building import BATCH, KINDS, Builder, Value
from tests.oracle.samples.mixing import branch

ROWS = (BATCH,)


def info(name: str, kind: str = "f", shape: list[Any] | None = None) -> onnx.ValueInfoProto:
    """An input or output of a body, of any shape unless it is given."""
    return helper.make_tensor_value_info(name, KINDS[kind], shape)


def node(b: Builder, op: str, inputs: list[str], output: str, **attributes: Any) -> onnx.NodeProto:
    """A node of a body."""
    return helper.make_node(op, inputs, [output], b.fresh("inner_"), **attributes)


def conditions(b: Builder, bug: str) -> list[Value]:
    """An If by a size, or by what one sample or all samples hold; its branches apart, or not."""
    x = b.input("x", ("batch", "seq", 4))
    if bug in ("data", "first"):
        total = b.reduce("ReduceMax", x, [0, 1, 2], keepdims=False)
        if bug == "first":
            row = b.op("Gather", x, b.constant(0, "i"), dims=x.dims[1:], axis=0)
            total = b.reduce("ReduceSum", row, [0, 1], keepdims=False)
        condition = b.op("Greater", total, b.constant(0.5), kind="b")
        return [branch(b, condition, x, "Tanh", "Neg")]
    size = b.op("Squeeze", b.size(b.r.choice(["seq", BATCH])), b.ints(0), dims=())
    condition = b.op("Greater", size, b.constant(b.r.choice([1, 2, 3]), "i"), kind="b")
    if bug == "branch":
        then = [node(b, "Softmax", [x.name], "then", axis=0)]
    else:
        then = [node(b, "Softmax", [x.name], "then", axis=1)]
    other = [node(b, "Sigmoid", [x.name], "other")]
    bodies = [helper.make_graph(n, "body", [], [info(n[-1].output[0])]) for n in (then, other)]
    if b.r.random() < 0.5:
        bodies.reverse()
    return [b.op("If", condition, dims=x.dims, kind="f", then_branch=bodies[0], else_branch=bodies[1])]


def loop_over_samples(b: Builder, bug: str) -> list[Value]:
    """A Loop in which iteration i reads sample i, and writes its row; or adds it up."""
    x = b.input("x", ("batch", 4))
    trips = b.op("Squeeze", b.size(BATCH), b.ints(0), dims=())
    nodes = [node(b, "Gather", [x.name, "i"], "row", axis=0), node(b, "Identity", ["go"], "on")]
    if bug == "sums":
        nodes.append(node(b, "Add", ["state", "row"], "next"))
    else:
        nodes.append(node(b, "Identity", ["state"], "next"))
    nodes.append(node(b, "Tanh", ["next" if bug == "sums" else "row"], "made"))
    inputs = [info("i", "i", []), info("go", "b", []), info("state", "f", [4])]
    outputs = [info("on", "b", []), info("next", "f", [4]), info("made", "f", [4])]
    body = helper.make_graph(nodes, "body", inputs, outputs)
    begin = b.weight(4)
    true = b.op("Greater", b.constant(1.0), b.constant(0.0), dims=(), kind="b")
    names = b.many("Loop", trips, true, begin, outs=2, body=body)
    rows = Value(names[1], (ROWS, (4,)))
    return [Value(names[0], ((4,),)), rows] if bug == "sums" else [rows]


def loop_with_state(b: Builder, bug: str) -> list[Value]:
    """A Loop that refines the whole tensor some times; in it, samples may look at each other."""
    x = b.input("x", ("batch", 4))
    if bug == "trips":
        most = b.op("ReduceMax", b.input("n", ("batch",), "i", high=4), dims=(), kind="i", keepdims=0)
        trips = most
    else:
        trips = b.constant(b.r.choice([2, 3]), "i")
        if b.r.random() < 0.4:
            trips = b.op("Squeeze", b.size(BATCH), b.ints(0), dims=())
    nodes = [node(b, "Identity", ["go"], "on")]
    if bug == "softmax":
        nodes.append(node(b, "Softmax", ["state"], "soft", axis=0))
    elif bug == "turns":
        nodes.append(node(b, "Transpose", ["state"], "turned"))
        nodes.append(node(b, "MatMul", ["state", "turned"], "square"))
        nodes.append(node(b, "MatMul", ["square", "state"], "soft"))
    else:
        nodes.append(node(b, "Softmax", ["state"], "soft", axis=1))
    nodes.append(node(b, "Add", ["soft", x.name], "next"))
    inputs = [info("i", "i", []), info("go", "b", []), info("state")]
    body = helper.make_graph(nodes, "body", inputs, [info("on", "b", []), info("next")])
    start = b.op("ConstantOfShape", b.shape(x.dims), dims=x.dims, kind="f") if b.r.random() < 0.5 else x
    true = b.op("Greater", b.constant(1.0), b.constant(0.0), dims=(), kind="b")
    (name,) = b.many("Loop", trips, true, start, body=body)
    return [Value(name, x.dims)]


def scan(b: Builder, bug: str) -> list[Value]:
    """A Scan over time with a state per sample, or over samples with one state for all."""
    x = b.input("x", ("batch", "seq", 4))
    over_samples = bug == "samples" or (not bug and b.r.random() < 0.3)
    nodes = [node(b, "Mul", ["state", "half"], "less")]
    if over_samples and not bug:
        nodes.append(node(b, "Identity", ["state"], "next"))
        nodes.append(node(b, "Tanh", ["row"], "made"))
    else:
        nodes.append(node(b, "Add", ["less", "row"], "next"))
        nodes.append(node(b, "Tanh", ["next"], "made"))
    half = helper.make_tensor("half", TensorProto.FLOAT, [1], [0.5])
    inputs, outputs = [info("state"), info("row")], [info("next"), info("made")]
    body = helper.make_graph(nodes, "body", inputs, outputs, [half])
    axis = 0 if over_samples else 1
    dims = (x.dims[1 - axis], (4,))
    begin = b.op("ConstantOfShape", b.shape(dims), dims=dims, kind="f")
    axes = {"scan_input_axes": [axis], "scan_output_axes": [axis]} if axis else {}
    names = b.many("Scan", begin, x, outs=2, body=body, num_scan_inputs=1, **axes)
    rows = Value(names[1], x.dims)
    return [rows] if over_samples and not bug else [rows, Value(names[0], dims)]


def sequence(b: Builder, bug: str) -> list[Value]:
    """A tensor split in a sequence and concatenated again, whole or in part."""
    x = b.input("x", ("batch", 4, 3))
    axis = 0 if bug or b.r.random() < 0.4 else 1
    (name,) = b.many("SplitToSequence", x, axis=axis, keepdims=1)
    if bug == "at":
        return [b.op("SequenceAt", Value(name, ()), b.constant(0, "i"), dims=((1,), (4,), (3,)), kind="f")]
    return [b.op("ConcatFromSequence", Value(name, ()), dims=x.dims, kind="f", axis=axis)]


def function(b: Builder, bug: str) -> list[Value]:
    """A function of the model, a norm: over the features, or over everything."""
    x = b.input("x", ("batch", "seq", 4))
    axes = helper.make_tensor("axes", TensorProto.INT64, [1], [0 if bug else 2])
    nodes = [helper.make_node("Constant", [], ["axes"], value=axes)]
    nodes += [node(b, "ReduceSum", ["x", "axes"], "total"), node(b, "Sub", ["x", "total"], "y")]
    opsets = [helper.make_opsetid("", b.opset)]
    b.functions.append(helper.make_function("local", "Centered", ["x"], ["y"], nodes, opsets))
    y = b.op("Centered", x, domain="local")
    return [b.op("Centered", y, domain="local") if b.r.random() < 0.5 else b.linear(y, 3)]


BUGS = {
    conditions: ("data", "first", "branch"),
    loop_over_samples: ("sums",),
    loop_with_state: ("trips", "softmax", "turns"),
    scan: ("samples",),
    sequence: ("at",),
    function: ("axis 0",),
}
