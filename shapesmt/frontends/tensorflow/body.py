"""`Body`: a graph under construction, to which TensorFlow's nodes are added one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shapesmt.network.graph import Declared, Graph, Literal, Node, Runtime

DOMAIN = "tensorflow"
EFFECTS = (
    "Assert",
    *(f"LookupTable{what}" for what in ("Import", "ImportV2", "Insert", "InsertV2", "RemoveV2")),
)
"""Operators without outputs that may fail nevertheless."""
_OPSET = 22  # for the ONNX operators that control flow becomes


@dataclass
class Body:
    """The nodes and constants of an incomplete graph."""

    nodes: list[Node] = field(default_factory=list)
    literals: dict[str, Literal] = field(default_factory=dict)
    declared: dict[str, Declared] = field(default_factory=dict)

    def graph(self, name: str, inputs: Mapping[str, Declared], outputs: Sequence[str], source: str) -> Graph:
        """Return the graph, without nodes that neither an output nor a node with an effect (`EFFECTS`) needs."""
        nodes, needed = [], set(outputs)
        for node in reversed(self.nodes):
            if _acts(node) or not needed.isdisjoint(node.outputs):
                nodes.append(node)
                needed.update(node.reads)
        literals = {key: value for key, value in self.literals.items() if key in needed}
        claims = {key: value for key, value in self.declared.items() if key in needed}
        graph = Graph(name, inputs, outputs, nodes[::-1], literals, claims, {"": _OPSET, DOMAIN: 1}, source=source)
        return replace(graph, runtime=Runtime.TENSORFLOW)


def _acts(node: Node) -> bool:
    return node.op in EFFECTS or any(_acts(inner) for graph in node.attributes.graphs for inner in graph.nodes)


def output_names(label: str, outputs: int) -> list[str]:
    """Return the names of a node's outputs.

    >>> output_names("split", 3)
    ['split', 'split:1', 'split:2']
    """
    return [f"{label}:{i}" if i else label for i in range(outputs)]
