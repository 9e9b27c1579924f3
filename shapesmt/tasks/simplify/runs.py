"""Runs: facts about tensors inside nodes: of branches, of bodies of loops, and of functions.

A graph inside a node, or a function, runs more than once: in each iteration, in each call. A fact about a tensor counts
if all these runs have it in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from shapesmt.network.graph import Function, Graph, Node
from shapesmt.operators.inference import Inference
from shapesmt.operators.rules import Body, Tensor

Functions: TypeAlias = Mapping[tuple[str, str], Function]


class Runs:
    """The tensors of each graph inside a node and of each function, as far as all runs agree on them."""

    def __init__(self, inference: Inference) -> None:
        self.functions = inference.graph.functions
        self._known: dict[Graph | Function, dict[str, Tensor]] = {}
        self._entered: set[tuple[int, int]] = set()  # equal calls share the tensors of their function's body
        bodies = {i: application.bodies for i, application in enumerate(inference.applications)}
        self._enter(inference.graph.nodes, bodies)

    def facts_of(self, inner: Graph | Function) -> Mapping[str, Tensor]:
        """Return the facts proven about tensors of a graph or a function; {} if some run of it wasn't computed."""
        return self._known.get(inner, {})

    def _enter(self, nodes: Sequence[Node], bodies: Mapping[int, Sequence[Body]]) -> None:
        for index, node in enumerate(nodes):
            runs = bodies.get(index, ())
            function = self.functions.get((node.domain, node.op))
            if function is not None:
                self._add(function, runs)
            graphs = [(name, value) for name, value in node.attributes.items() if isinstance(value, Graph)]
            for name, graph in graphs:
                self._add(graph, runs if len(graphs) == 1 else [body for body in runs if body.label == name])

    def _add(self, inner: Graph | Function, runs: Sequence[Body]) -> None:
        if not runs:  # it never runs, or its runs weren't computed
            for other in (inner, *called_functions(inner.nodes, self.functions)):
                self._known[other] = {}
        for body in runs:
            known = self._known.setdefault(inner, {**body.tensors})
            self._known[inner] = {name: t for name, t in known.items() if body.tensors.get(name) == t}
            shared = id(inner), id(body.inner)
            if body.inner and shared not in self._entered:
                self._entered.add(shared)
                self._enter(inner.nodes, body.inner)


def called_functions(nodes: Iterable[Node], functions: Functions) -> Iterator[Function]:
    """Yield the functions that nodes call, directly or through others, each once."""
    ahead, known = [*nodes], set[Function]()
    while ahead:
        node = ahead.pop()
        function = functions.get((node.domain, node.op))
        if function is not None and function not in known:
            known.add(function)
            yield function
            ahead += function.nodes
        ahead += [n for graph in node.attributes.graphs for n in graph.nodes]
