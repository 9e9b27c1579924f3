"""Loaded: the tensors of a graph as the session knows them when it loads the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from shapesmt.network import laws
from shapesmt.network.graph import Declared, Function, Graph, Node
from shapesmt.operators.inference.numbering import Scope
from shapesmt.operators.inference.origins import Outside
from shapesmt.operators.inference.schema_types import Types, literal_of
from shapesmt.operators.inference.static import Findings, Found, Static
from shapesmt.operators.inference.walk import Walk
from shapesmt.operators.rules import Application, Tensor, data, tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, Kind, symbol


@dataclass
class Earlier:
    """Inferences of single nodes, used again for equal nodes, also when a rewrite has changed others.

    The layers of a network are equal: a size has a number, or a name in the file, or else nothing is known of it.

    Attributes:
        types: What ONNX infers, by operator, attributes and types of inputs.
        applications: What a node makes, by the same, and by the types that the file declares for it.
    """

    types: dict[object, Types] = field(default_factory=dict)
    applications: dict[object, Application] = field(default_factory=dict)


def names_of(graph: Graph) -> dict[Dim, str]:
    """Return the names that a file gives to sizes, by their symbols."""
    declared = chain(graph.inputs.values(), graph.declared.values())
    return {symbol(d): d for each in declared for d in each.shape or () if d and isinstance(d, str)}


def tensors_when_loaded(graph: Graph, earlier: Earlier | None = None) -> dict[str, Tensor] | Found:
    """Return the tensors with the sizes that the runtime knows when it loads the model, and the elements of constants.

    If the runtime refuses the model, the result is the law that a node violates. Inferences of nodes
    are taken from `earlier`, and added to it.

    Dimensions of inputs have symbols by their names. What is computed from constants, and from sizes that are numbers,
    is a constant. A constant that is an input too has no elements, as a run may give others.
    """
    walk = Named(graph.opsets, graph.functions, graph.schemas, graph.runtime, None, outside=data)
    walk.earlier = earlier or Earlier()
    walk.types = walk.earlier.types
    walk.scope, walk.findings = Scope(calls=graph.functions), Findings(computed=False)
    walk.names = names_of(graph)
    tensors = {name: walk.declared_tensor(name, declared) for name, declared in graph.inputs.items()}
    steps = walk.nodes(graph, tensors)
    tensors.update((name, tensor(t.dtype, t.shape)) for name, t in tensors.items() if name in graph.declared)
    for walk.findings.place, _ in enumerate(steps, 1):
        pass
    return next((f for f in walk.findings.found if f.sure), tensors)


class Named(Static):
    """A walk on which what constants give is a constant, and other sizes are known by numbers and by the file's names.

    Sizes without either are of one kind, whatever tensor they belong to: the runtime doesn't compare them.

    Attributes:
        earlier: Inferences of nodes so far.
    """

    earlier: Earlier

    def _rest_on_others(self, application: Application, node: Node, tensors: Mapping[str, Tensor]) -> Application:  # noqa: ARG002 - ONNX's inference decides which sizes are known
        return application

    def _deeper(self, outside: Outside, opsets: Mapping[str, int] | None = None) -> Walk | None:
        walk = super()._deeper(outside, opsets)
        if isinstance(walk, Named):
            walk.earlier = Earlier()
        return walk

    def _step(self, node: Node, tensors: dict[str, Tensor]) -> Application:
        inputs, rule = [tensors[name] if name else None for name in node.inputs], self._rules[node.domain, node.op]
        if node.attributes.graphs or self.findings.trail or isinstance(rule, Function):
            return self._first_step(node, tensors, inputs)  # what a function looks up depends on the inputs' names
        literal, claims = (name in self.literals for name in node.inputs), map(self._claims.get, node.outputs)
        key = node.domain, node.op, node.attributes, tuple(map(bool, node.outputs)), *inputs, *literal, *claims
        known, found = self.earlier.applications.get(key), len(self.findings.found)
        if known is not None:
            tensors.update((name, t) for name, t in zip(node.outputs, known.outputs, strict=True) if name)
            return known
        first = self._first_step(node, tensors, inputs)
        made = tuple(tensors[name] if name else t for name, t in zip(node.outputs, first.outputs, strict=True))
        application = Application(made, (), repeatable=False)
        if len(self.findings.found) == found and all(t.shape is not None for t in made):
            self.earlier.applications[key] = application
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
            elif name and tensors[name].shape is not None and t.is_tensor:
                tensors[name] = self._as_known(name, tensors[name], d)
        return application

    def _as_known(self, name: str, t: Tensor, inferred: Declared | None) -> Tensor:
        """Return a tensor with its sizes as numbers, or by the names in the file, or else by those that ONNX infers."""
        claims = None if self.findings.trail else self._claims.get(name)
        by_file = () if claims is None or claims.shape is None else claims.shape
        by_onnx = None if inferred is None else inferred.shape
        if by_onnx is None or len(by_onnx) != t.rank:
            by_onnx = tuple(map(self.names.get, t.dims))
        return _with_names(t, [claim or found for claim, found in zip_longest(by_file[: t.rank], by_onnx)])

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
        return _with_names(t, declared.shape)


def _with_names(t: Tensor, sizes: Sequence[int | str | None]) -> Tensor:
    """Return a tensor whose sizes that are no numbers have these names, or are lost."""
    pairs = enumerate(zip(t.dims, sizes, strict=True))
    return tensor(t.dtype, [d if d.constant is not None else _size(size, axis) for axis, (d, size) in pairs])


def _size(size: int | str | None, axis: int) -> Dim | int:
    if isinstance(size, int):
        return size
    return symbol(size) if size else symbol(f"[{axis}]", kind=Kind.LOST)
