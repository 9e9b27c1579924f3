"""Models with a row of their nodes moved to a function, to both branches of an If, or to the body of a Loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

import onnx
from onnx import NodeProto, TensorProto, helper

WAYS = ("function", "nested", "twice", "branches", "loop")
DOMAIN = "moved"


def moved(model: onnx.ModelProto, seed: int) -> tuple[str, onnx.ModelProto] | None:
    """How, and a copy that computes the same; None of a model without such a row."""
    r = Random(f"moved {seed}")
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    graph = copy.graph
    if len(graph.node) < 2 or any(a.HasField("g") for node in graph.node for a in node.attribute):
        return None
    first = r.randrange(len(graph.node) - 1)
    last = r.randrange(first + 1, len(graph.node)) + 1
    before, part, after = graph.node[:first], graph.node[first:last], graph.node[last:]
    made = [name for node in part for name in node.output if name]
    read = [name for node in part for name in node.input if name and name not in made]
    needed = {name for node in after for name in node.input} | {o.name for o in graph.output}
    outputs = [name for name in made if name in needed]
    if not outputs:
        return None
    way = r.choice(WAYS)
    if way in ("branches", "loop"):
        middle = [*(_branches if way == "branches" else _loop)(part, outputs, graph.input[0].name, r.randint(0, 4))]
    else:
        middle = [*_called(copy, part, [*dict.fromkeys(read)], outputs, way)]
    nodes = [*before, *middle, *after]
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    return way, copy


def _called(
    model: onnx.ModelProto, part: Sequence[NodeProto], inputs: list[str], outputs: list[str], way: str
) -> Iterator[NodeProto]:
    """Calls of a function that has these nodes; "nested" calls it through another one, "twice" twice."""
    opsets, own = [*model.opset_import], helper.make_opsetid(DOMAIN, 1)
    model.opset_import.append(own)
    model.functions.append(helper.make_function(DOMAIN, "Inner", inputs, outputs, part, opsets))
    call = helper.make_node("Inner", inputs, outputs, "call", domain=DOMAIN)
    if way == "nested":
        model.functions.append(helper.make_function(DOMAIN, "Outer", inputs, outputs, [call], [*opsets, own]))
        call = helper.make_node("Outer", inputs, outputs, "outer", domain=DOMAIN)
    yield call
    if way == "twice":
        again = [f"{name}_again" for name in outputs]
        yield helper.make_node("Inner", inputs, again, "again", domain=DOMAIN)
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in again)


def _branches(part: Sequence[NodeProto], outputs: list[str], source: str, number: int) -> Iterator[NodeProto]:
    """An If with the nodes in both branches, decided by the number of elements of an input."""
    yield helper.make_node("Size", [source], ["if_size"], "if_size")
    yield _number("if_number", number)
    yield helper.make_node("Greater", ["if_size", "if_number"], ["if_condition"], "if_condition")
    branches = {name: _body(part, name, [], outputs) for name in ("then_branch", "else_branch")}
    yield helper.make_node("If", ["if_condition"], outputs, "if", **branches)


def _loop(part: Sequence[NodeProto], outputs: list[str], source: str, number: int) -> Iterator[NodeProto]:
    """A Loop with the nodes in its body, of which the first trip counts; the number or an input's size limits trips."""
    yield _number("loop_most", max(number, 1))
    yield _number("loop_first", 0)
    yield helper.make_node("Size", [source], ["loop_size"], "loop_size")
    yield helper.make_node("Min", ["loop_size", "loop_most"], ["loop_trips"], "loop_trips")
    inputs = [helper.make_tensor_value_info("trip", TensorProto.INT64, [])]
    inputs.append(helper.make_tensor_value_info("go", TensorProto.BOOL, []))
    body = _body(part, "body", inputs, outputs)
    body.node.insert(0, helper.make_node("Identity", ["go"], ["more"], "more"))
    body.output.insert(0, helper.make_tensor_value_info("more", TensorProto.BOOL, []))
    stacked = [f"{name}_stacked" for name in outputs]
    trips = "loop_trips" if number % 2 else "loop_most"
    yield helper.make_node("Loop", [trips, ""], stacked, "loop", body=body)
    for name, all_ in zip(outputs, stacked, strict=True):
        yield helper.make_node("Gather", [all_, "loop_first"], [name], f"first_{name}", axis=0)


def _body(
    part: Sequence[NodeProto], label: str, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[str]
) -> onnx.GraphProto:
    """A graph of copies of the nodes, under names of its own."""
    own: Mapping[str, str] = {name: f"{name}_{label}" for node in part for name in node.output if name}
    nodes = []
    for node in part:
        copy = NodeProto.FromString(node.SerializeToString())
        copy.name = f"{node.name}_{label}"
        del copy.input[:], copy.output[:]
        copy.input.extend(own.get(name, name) for name in node.input)
        copy.output.extend(own.get(name, name) for name in node.output)
        nodes.append(copy)
    return helper.make_graph(nodes, label, inputs, [onnx.ValueInfoProto(name=own[name]) for name in outputs])


def _number(name: str, number: int) -> NodeProto:
    value = helper.make_tensor(name, TensorProto.INT64, [], [number])
    return helper.make_node("Constant", [], [name], name, value=value)
