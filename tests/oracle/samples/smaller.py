"""A model with a fault made smaller: nodes bypassed and outputs moved up while the fault remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import onnx

from tests.oracle.samples.building import needed, reads
from tests.oracle.samples.scoring import Claims, claims_of, scored


def smaller(
    model: onnx.ModelProto, high: Mapping[str, int], seed: int, kind: str, ask: Callable[[Any], Claims] = claims_of
) -> tuple[onnx.ModelProto, str]:
    """The smallest model found with a fault of this kind, and what is said of it."""

    def fault(candidate: onnx.ModelProto) -> str:
        return next((r.text for r in scored(candidate, high, seed, ask) if r.kind == kind), "")

    said, going = fault(model), True
    while going:
        going = False
        for candidate in candidates(model):
            if text := fault(candidate):
                model, said, going = candidate, text, True
                break
    return model, said


def candidates(model: onnx.ModelProto) -> Iterator[onnx.ModelProto]:
    """Models with one output, or with an input of a node in the place of its output."""
    for output in model.graph.output if len(model.graph.output) > 1 else []:
        yield trimmed(model, [output.name])
    for node in reversed(model.graph.node):
        given = [name for name in node.input if name and name not in {w.name for w in model.graph.initializer}]
        for name in given:
            yield bypassed(model, node, name)


def bypassed(model: onnx.ModelProto, node: onnx.NodeProto, name: str) -> onnx.ModelProto:
    """The model with a tensor in the place of a node's outputs."""
    changed = onnx.ModelProto.FromString(model.SerializeToString())
    gone = set(node.output)
    if gone & {o.name for o in changed.graph.output}:  # the output moves up
        return trimmed(changed, [name])
    for other in changed.graph.node:
        for i, read in enumerate(other.input):
            if read in gone:
                other.input[i] = name
    return trimmed(changed, [o.name for o in changed.graph.output])


def trimmed(model: onnx.ModelProto, names: list[str]) -> onnx.ModelProto:
    """The model with these outputs, and without what they don't need."""
    changed = onnx.ModelProto.FromString(model.SerializeToString())
    graph = changed.graph
    old = {o.name: o for o in graph.output}
    outputs = [old.get(name) or onnx.ValueInfoProto(name=name) for name in names]
    nodes = needed(list(model.graph.node), set(names))
    read = {name for node in nodes for name in reads(node)} | set(names)
    used = {node.op_type for node in nodes}
    for field, kept in (
        (graph.node, nodes),
        (graph.output, outputs),
        (graph.initializer, [w for w in model.graph.initializer if w.name in read]),
        (graph.input, [i for i in model.graph.input if i.name in read]),
        (changed.functions, [f for f in model.functions if f.name in used]),
    ):
        del field[:]
        field.extend(kept)
    return changed
