"""Edit: one change to a graph as data, applied to the graph or written into its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Attributes, Declared, Graph, Literal, Node


@frozen()
class Edit:
    """A change to a graph; node indices refer to the unchanged graph.

    Attributes:
        nodes: Replacement nodes, by the index of the node that they replace.
        before: Nodes to insert, by the index of the node before which they go.
        removed: The indices of the nodes to remove.
        literals: New or replaced constants, by name.
        inputs: New declarations of inputs, by name.
        inner: The changes to subgraphs, by the node's index and the attribute that holds the subgraph.
    """

    nodes: Mapping[int, Node] = field(default_factory=dict)
    before: Mapping[int, tuple[Node, ...]] = field(default_factory=dict)
    removed: frozenset[int] = frozenset()
    literals: Mapping[str, Literal] = field(default_factory=dict)
    inputs: Mapping[str, Declared] = field(default_factory=dict)
    inner: Mapping[tuple[int, str], Edit] = field(default_factory=dict)

    def node(self, graph: Graph, index: int) -> Node:
        """Return node `index` of `graph` after the change, with changed subgraphs."""
        node = self.nodes.get(index, graph.nodes[index])
        for (place, name), change in self.inner.items():
            body = node.attributes[name] if place == index else None
            if isinstance(body, Graph):
                node = node._replace(attributes=Attributes({**node.attributes, name: apply_edit(body, change)}))
        return node

    def at(self, graph: Graph, index: int) -> list[Node]:
        """Return the nodes that replace node `index`: those inserted before it, then the node unless it is removed."""
        return [*self.before.get(index, ()), *([] if index in self.removed else [self.node(graph, index)])]

    @property
    def touched(self) -> set[int]:
        """The indices of the nodes that are changed, removed, or preceded by new ones."""
        return {*self.nodes, *self.before, *self.removed, *(index for index, _ in self.inner)}


def apply_edit(graph: Graph, edit: Edit) -> Graph:
    """Return the graph after a change.

    >>> graph = Graph("g", {"x": Declared("float32", ("n",))}, ["y"], [Node("Abs", "", "a", ["x"], ["y"])])
    >>> apply_edit(graph, Edit(nodes={0: graph.nodes[0]._replace(op="Neg")})).nodes[0].op
    'Neg'
    """
    nodes = [*graph.nodes]
    for index in sorted(edit.touched, reverse=True):
        nodes[index : index + 1] = edit.at(graph, index)
    return replace(
        graph,
        nodes=nodes,
        literals={**graph.literals, **edit.literals},
        inputs={**graph.inputs, **edit.inputs},
    )
