"""Infer every tensor's shape and elements, and every node's requirements, from a graph and its input tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import islice

from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Graph, Literal, Node
from shapesmt.operators.inference.loading import Refusals, contradicts, is_loaded, more_refusals, refusals
from shapesmt.operators.inference.numbering import Named, Scope
from shapesmt.operators.inference.walk import Renaming, Walk, forget_applications
from shapesmt.operators.ops import element_of
from shapesmt.operators.rules import Application, Requirement, Rule, Tensor, read
from shapesmt.prover.algebra import Atom, Dim, Kind, of_atom


@frozen(eq=False)
class Inference:
    """The tensors of a graph by name, and the application of each of its nodes."""

    graph: Graph
    tensors: dict[str, Tensor]
    applications: list[Application] = field(default_factory=list)
    steps: Iterator[Application] = field(default_factory=lambda: iter(()))
    """Iterator that applies the remaining nodes one by one, and adds their outputs to `tensors`."""
    ranks: Mapping[Atom, Dim] = field(default_factory=dict)
    """The ranks of intermediate tensors that are assumed because nodes require them."""
    assumed: tuple[tuple[int, Requirement], ...] = ()
    """The requirements on these ranks, with the nodes' indices."""
    unranked: list[str] = field(default_factory=list)
    """The outputs of nodes that have an unknown or an assumed rank."""
    nested: list[Node] = field(default_factory=list)
    """The nodes with graphs inside, among those applied so far."""
    to_read: set[Literal] = field(default_factory=set)
    """Constants whose elements nodes depend on, and that haven't been read yet."""
    scope: Scope = field(default_factory=Scope)
    """The data-dependent sizes."""
    refused: Refusals = field(default_factory=dict)
    """Reasons for which the runtime refuses to load the model, as far as they have been looked for."""
    doubts: list[Node] = field(default_factory=list)
    """Nodes with graphs inside for which the runtime may refuse the model."""

    def advance(self, count: int | None = None) -> None:
        """Apply the rules of the next `count` nodes; None applies all that are left."""
        first = len(self.applications)
        self.applications.extend(islice(self.steps, count))
        self.refuse(self.refused, first)

    def refuse(self, refusals: Refusals, first: int = 0) -> None:
        """Add the refusals of nodes from index `first` on to their applications."""
        for index, refusal in refusals.items():
            if first <= index < len(self.applications):
                self.applications[index] = refusal.of(self.applications[index])

    @property
    def doubtful(self) -> bool:
        """Whether the runtime may refuse to load the model, by the types and shapes that it infers then."""
        stated = any(r.declared for a in self.applications for r in a.requirements)
        return is_loaded(self.graph) and (stated or bool(self.doubts) or contradicts(self.graph, self.tensors))


def infer(
    graph: Graph,
    inputs: Mapping[str, Tensor],
    rename: Renaming | None = None,
    claims: Mapping[str, Tensor] | None = None,
    sizes: Mapping[str, Named] | None = None,
) -> Inference:
    """Infer the shapes, elements and requirements of a whole graph.

    Args:
        graph: The model.
        inputs: Its input tensors by name.
        rename: Applied to every output of a node before other nodes read it; `encode` uses it to give each size
            a variable of its own. None changes nothing.
        claims: Shapes for outputs of unknown rank; None for none.
        sizes: Data-dependent sizes of an earlier inference of the graph, by name, to be used again; None for none.
    """
    ranks: dict[Atom, Dim] = {}
    assumed: tuple[tuple[int, Requirement], ...] = ()
    while True:
        inference = start(graph, inputs, rename, claims, ranks, sizes)
        inference.advance()
        if [literal for literal in inference.to_read if read(literal)]:
            forget_applications()
            continue
        if inference.doubtful:
            from shapesmt.operators.inference.static import refused_when_loaded

            look = partial(refused_when_loaded, bodies=bool(inference.doubts))
            inference.refuse(more_refusals(graph, look))
        needed = _needed_ranks(inference.applications) if inference.unranked else {}
        new = {atom: rank for atom, rank in needed.items() if atom not in ranks}
        if not new or any(u.kind == "timeout" for u in inference.applications[-1].unjudged):
            return replace(inference, assumed=assumed) if assumed else inference
        ranks = {**ranks, **new}
        stated = [(i, r) for i, a in enumerate(inference.applications) if a.ranks for r in a.requirements]
        assumed += tuple((i, r) for i, r in stated if r.formula.symbols and r.formula.symbols <= new.keys())


def start(
    graph: Graph,
    inputs: Mapping[str, Tensor],
    rename: Renaming | None = None,
    claims: Mapping[str, Tensor] | None = None,
    ranks: Mapping[Atom, Dim] | None = None,
    sizes: Mapping[str, Named] | None = None,
) -> Inference:
    """Return an inference with no node applied yet: `advance` applies some or all.

    `ranks` has the ranks to assume for intermediate tensors; the other arguments are those of `infer`.
    """
    if claims:

        def rename(name: str, t: Tensor) -> Tensor:
            return claims[name] if t.shape is None and name in claims else t

    scope = Scope(names=sizes or {}, calls=graph.functions)
    for name in inputs:
        scope.arbitrary[scope.number("input", name)] = name
    walk = Walk(graph.opsets, graph.functions, graph.schemas, graph.runtime, rename, ranks=ranks)
    walk.scope, walk.numbered = scope, lambda name: scope.number("input", name) if name in inputs else None
    tensors = dict(inputs)
    steps = walk.nodes(graph, tensors)
    return Inference(
        graph,
        tensors,
        steps=steps,
        ranks=ranks or {},
        unranked=walk.unranked,
        nested=walk.nested,
        to_read=walk.to_read,
        scope=scope,
        refused=refusals(graph),
        doubts=walk.doubts,
    )


def application_of(node: Node, graph: Graph, tensors: Mapping[str, Tensor]) -> Application:
    """Apply a node's rule to these tensors and return the result, even if the runtime refuses to load the graph."""
    walk = Walk(graph.opsets, graph.functions, graph.schemas, graph.runtime, None)
    walk.scope = Scope(calls=graph.functions)
    return next(walk.sequence([node], {**tensors}, {}))


Trace = Callable[[Rule, Node, Sequence["Tensor | None"]], "list[Dim | None]"]


def tracer(graph: Graph) -> Trace:
    """Return a function that applies the rule of a node without graphs to other inputs than the node's.

    It returns the elements of each output as an expression over positions; None for those that aren't known.
    """
    walk = Walk(graph.opsets, graph.functions, graph.schemas, graph.runtime, None)
    walk.literals, walk.scope = (), Scope(calls=graph.functions)

    def trace(rule: Rule, node: Node, inputs: Sequence[Tensor | None]) -> list[Dim | None]:
        application = walk.trace(rule, node, inputs)
        return [None] * len(node.outputs) if application is None else [element_of(t) for t in application.outputs]

    return trace


def _needed_ranks(applications: Iterable[Application]) -> dict[Atom, Dim]:
    """Return the ranks that nodes require of intermediate tensors of unknown rank."""
    ranks: dict[Atom, Dim] = {}
    for ndim, rank in [pair for a in applications for pair in a.ranks]:
        atom = next(iter(ndim.symbols), None)
        meaning = None if atom is None else of_atom(atom) - ndim + rank
        if atom is not None and meaning is not None and atom.kind is Kind.OPEN and meaning.constant is not None:
            ranks.setdefault(atom, meaning)
    return ranks
