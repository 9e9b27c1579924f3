"""Loaded: the tensors of a graph as the session knows them when it loads the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shapesmt.network import laws
from shapesmt.network.graph import Declared, Graph, Node
from shapesmt.operators.inference.numbering import Scope
from shapesmt.operators.inference.origins import Outside
from shapesmt.operators.inference.schema_types import Types, inferred_types, literal_of
from shapesmt.operators.inference.static import Findings, Found, Static
from shapesmt.operators.inference.walk import Walk
from shapesmt.operators.rules import Application, Tensor, data, tensor
from shapesmt.prover.algebra import FALSE, TRUE, symbol


@dataclass
class Earlier:
    """Inferences of single nodes, which are used again when a rewrite has changed other nodes of the graph.

    Attributes:
        types: What ONNX infers, by operator, attributes and types of inputs.
        steps: A node's application and outputs, by the node and its inputs.
    """

    types: dict[object, Types] = field(default_factory=dict)
    steps: dict[object, tuple[Application, dict[str, Tensor]]] = field(default_factory=dict)


def tensors_when_loaded(graph: Graph, earlier: Earlier | None = None) -> dict[str, Tensor] | Found:
    """Return the tensors with the sizes that the runtime knows when it loads the model, and the elements of constants.

    If the runtime refuses the model, the result is the law that a node violates. Inferences of nodes
    are taken from `earlier`, and added to it.

    Dimensions of inputs have symbols by their names. What is computed from constants, and from sizes that are numbers,
    is a constant. A constant that is an input too has no elements, as a run may give others.
    """
    walk = Named(graph.opsets, graph.functions, graph.schemas, graph.runtime, None, outside=data)
    walk.earlier = earlier or Earlier()
    walk.scope, walk.findings = Scope(calls=graph.functions), Findings(computed=False)
    tensors = {name: walk.declared_tensor(name, declared) for name, declared in graph.inputs.items()}
    steps = walk.nodes(graph, tensors)
    tensors.update((name, tensor(t.dtype, t.shape)) for name, t in tensors.items() if name in graph.declared)
    for walk.findings.place, _ in enumerate(steps, 1):
        pass
    return next((f for f in walk.findings.found if f.sure), tensors)


class Named(Static):
    """A walk on which dimensions of inputs that share a name are one symbol, and what constants give is a constant."""

    earlier: Earlier

    def _rest_on_others(self, application: Application, node: Node, tensors: Mapping[str, Tensor]) -> Application:  # noqa: ARG002 - ONNX's inference decides which sizes are known
        return application

    def _infer_types(self, node: Node, inputs: list[Tensor | None]) -> Types:
        if self._schemas is None:
            return None
        return inferred_types(self._schemas, node, self._opsets, inputs, self.earlier.types)

    def _is_plain(self, application: Application, writes: Sequence[str], tensors: Mapping[str, Tensor]) -> bool:
        unchanged = all(tensors[name] is t for name, t in zip(writes, application.outputs, strict=True) if name)
        # as on any walk but `Static`, which looks at each node for its laws: none is violated so far
        return unchanged and not self.findings.found and super(Static, self)._is_plain(application, writes, tensors)

    def _deeper(self, outside: Outside, opsets: Mapping[str, int] | None = None) -> Walk | None:
        walk = super()._deeper(outside, opsets)
        if isinstance(walk, Named):
            walk.earlier = Earlier()
        return walk

    def _step(self, node: Node, tensors: dict[str, Tensor]) -> Application:
        inputs = [tensors[name] if name else None for name in node.inputs]
        if node.attributes.graphs or self.findings.trail:
            return self._first_step(node, tensors, inputs)
        literal = (name in self.literals for name in node.inputs)  # a function's lookups depend on the names, too
        key = node.domain, node.op, node.attributes, (*node.outputs,), (*node.inputs,), *inputs, *literal
        if key not in self.earlier.steps:
            application = self._first_step(node, tensors, inputs)
            self.earlier.steps[key] = application, {name: tensors[name] for name in node.outputs if name}
        application, outputs = self.earlier.steps[key]
        tensors.update(outputs)
        return application

    def _first_step(self, node: Node, tensors: dict[str, Tensor], inputs: list[Tensor | None]) -> Application:
        application = super()._step(node, tensors)
        inferred = self._infer_types(node, inputs) if not node.attributes.graphs else None
        if isinstance(inferred, str) and not self.findings.trail:
            self._refuse(node, application)
        known = inferred if isinstance(inferred, list) else [None] * len(node.outputs)
        for name, t, d in zip(node.outputs, application.outputs, known, strict=True):
            if name and t.is_tensor and literal_of(t) is not None:
                tensors[name] = t
            elif name and d is not None:
                tensors[name] = _as_named(name, tensors[name], d)
        return application

    def _refuse(self, node: Node, application: Application) -> None:
        """Record a law that ONNX's inference finds violated, perhaps as optimizations make constants of elements."""
        stated = sorted(application.requirements, key=lambda r: r.formula is not FALSE)
        law = next((r.law for r in stated if r.formula is not TRUE), None)
        if law is not None:
            self.findings.add(node.op, laws.HOLDS_WHEN_LOADED.of(law=law))

    def declared_tensor(self, name: str, declared: Declared, given: Tensor | None = None) -> Tensor:
        """Return a tensor as it is declared; an input's dimensions have symbols by their names."""
        t = super().declared_tensor(name, declared, given)
        if t.shape is None or declared.shape is None or self.findings.trail or not t.is_tensor:
            return t
        sizes = zip(t.dims, declared.shape, strict=True)
        return tensor(t.dtype, [symbol(d, 0) if isinstance(d, str) and d else size for size, d in sizes])


def _as_named(name: str, t: Tensor, inferred: Declared) -> Tensor:
    """Return a tensor with a symbol of its own for each size that ONNX infers neither a number nor a name for."""
    if t.shape is None or inferred.shape is None or len(inferred.shape) != t.rank:
        return t
    lost = [d is None and size.constant is None for size, d in zip(t.dims, inferred.shape, strict=True)]
    if not any(lost):
        return t
    sizes = [symbol(f"{name}[{i}]") if lost[i] else size for i, size in enumerate(t.dims)]
    return tensor(t.dtype, sizes)
