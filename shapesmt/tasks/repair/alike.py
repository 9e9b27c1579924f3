"""Compare a proposed value with the values that similar nodes of the model have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any, NamedTuple

from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Graph, Node
from shapesmt.tasks.repair.candidates import Change, Shown


class Votes(NamedTuple):
    """How many similar nodes have the old and the new value of a proposed change.

    Attributes:
        new: Number of nodes that already have the new value.
        old: Number of nodes that have the old value.
        total: Number of all similar nodes, also those with a third value.
    """

    new: int = 0
    old: int = 0
    total: int = 0

    @property
    def cost(self) -> float:
        """The cost that the votes add: from near -2.5 (all have the new value) to near 2 (all have the old one)."""
        return (2 * self.old - 2.5 * self.new) / (self.total + 1)


class Alike:
    """Groups the nodes of a graph that have the same operator, producer's operator and consumers' operators."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def _groups(self) -> dict[Hashable, list[int]]:
        groups: dict[Hashable, list[int]] = {}
        for index, node in enumerate(self.graph.nodes):
            groups.setdefault(self._sign(node), []).append(index)
        return groups

    def _sign(self, node: Node) -> Hashable:
        """Return a key that similar nodes share: their operator, their producer's and their consumers' operators."""
        nodes = self.graph.nodes
        first = self.graph.producer(node.inputs[0]) if node.inputs else None
        readers = [nodes[i].op for i in self.graph.consumers(node.outputs[0])] if node.outputs else []
        return node.op, node.domain, None if first is None else nodes[first].op, tuple(sorted(readers))

    def others(self, index: int) -> list[int]:
        """Return the indices of the other nodes that are similar to node `index`."""
        return [i for i in self._groups[self._sign(self.graph.nodes[index])] if i != index]

    def votes(self, change: Change) -> Votes:
        """Count the similar nodes with the old and the new value; only attributes and constants get votes."""
        site = change.site
        if change.kind not in ("attribute", "constant") or site.graph is not self.graph:
            return Votes()
        values = Counter(self._value(change, i) for i in self.others(site.index))
        old, new = (tuple(v) if isinstance(v, (list, tuple)) else v for v in (change.old, change.new))
        return Votes(values[new], values[old], values.total())

    def _value(self, change: Change, index: int) -> Shown:
        """Return the value of node `index` for the attribute or constant input that `change` changes."""
        node, place = self.graph.nodes[index], change.input
        values: tuple[Any, ...]
        if place is None:
            stated = change.site.node.attributes
            default = None if change.name in stated else change.old  # of an attribute that the node doesn't state
            values = tuple(node.attributes.get(name, default) for name in change.name.split(", "))
        else:
            literal = change.site.literal(node.inputs[place]) if place < len(node.inputs) else None
            values = () if literal is None or literal.values is None else literal.values
        return values if len(values) != 1 else values[0]
