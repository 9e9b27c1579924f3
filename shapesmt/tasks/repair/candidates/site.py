"""Site: a node that may be changed, with the facts known about its tensors; Change: one way to change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple, TypeAlias

from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Attributes, AttributeValue, Graph, Literal, Node
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Memory, Tensor
from shapesmt.tasks.repair.edit import Edit

Shown: TypeAlias = "int | float | str | tuple[int | float | str, ...] | None"
"""A value before or after a change, as an answer shows it."""


class Change(NamedTuple):
    """One candidate change of a node, with its cost.

    Attributes:
        kind: The kind: "attribute", "constant", "operands", "weight", "edge", "declared" or "node".
        site: The node.
        name: The attribute, the input, the constant or the new operator.
        input: The index of the input; None if the change is about none.
        old, new: The value before and after; None if there is none.
        edit: The change as data.
        cost: The size of the change; the smaller, the earlier it is tried.
    """

    kind: str
    site: Site
    name: str
    input: int | None
    old: Shown
    new: Shown
    edit: Edit
    cost: float

    @property
    def is_joint(self) -> bool:
        """Whether it frees a baked size at all its places."""
        return self.kind == "constant" and isinstance(self.new, str)

    @property
    def replaces(self) -> bool:
        """Whether it replaces a constant, which then nothing reads."""
        return self.kind == "constant" or self.name == "sizes"


@frozen(eq=False)
class Site:
    """A node that may be changed, with the tensors and sizes that candidates are made from.

    Attributes:
        graph: The graph that has the node; a body of a loop, for example.
        index: The node's index there.
        tensors: The tensors known there.
        sizes: The numbers that clash, and those that the outputs declare.
        hops: The number of edges between the node and one that fails.
        operators: The traits of operators.
        around: The outermost node and the names of attributes that lead to the graph; () for the model itself.
    """

    graph: Graph
    index: int
    tensors: Mapping[str, Tensor]
    sizes: tuple[int, ...]
    hops: int
    operators: Operators
    around: tuple[tuple[Graph, int, str], ...] = ()

    @property
    def node(self) -> Node:
        """The node."""
        return self.graph.nodes[self.index]

    @property
    def outermost(self) -> Node:
        """The node of the model that has this one inside, or is this one."""
        graph, index, _ = self.around[0] if self.around else (self.graph, self.index, "")
        return graph.nodes[index]

    def known(self, index: int) -> Tensor | None:
        """Return an input's tensor; None if there is no such input or nothing is known about it."""
        names = self.node.inputs
        return self.tensors.get(names[index]) if index < len(names) and names[index] else None

    def rank(self, index: int = 0) -> int | None:
        """Return an input's rank; None if it isn't known."""
        t = self.known(index)
        return None if t is None or t.shape is None else len(t.shape)

    def literal(self, name: str) -> Literal | None:
        """Return a constant of the graph by its name; None if the tensor is no constant."""
        index = self.graph.producer(name)
        if index is None:
            return self.graph.literals.get(name)
        node = self.graph.nodes[index]
        values = node.attributes.items() if self.operators.traits(node).memory is Memory.MODEL else ()
        return next((value for _, value in values if isinstance(value, Literal)), None)

    def is_constant(self, index: int) -> bool:
        """Whether an input is a constant or a weight."""
        name = self.node.inputs[index]
        return name in self.graph.literals or self.literal(name) is not None

    def name(self, like: str) -> str:
        """Return an unused tensor name: `like` plus `.repaired1`, `.repaired2` and so on."""
        graphs = (self.graph, *(graph for graph, _, _ in self.around))
        return next(n for i in count(1) if not any(_is_taken(g, n := f"{like}.repaired{i}") for g in graphs))

    def change(
        self, kind: str, name: str, old: Shown, new: Shown, edit: Edit, cost: float, index: int | None = None
    ) -> Change:
        """Return a `Change` of this node; for a node in a subgraph, `edit` is nested into the model's graph."""
        for graph, place, attribute in reversed(self.around):
            assert isinstance(graph.nodes[place].attributes[attribute], Graph)
            edit = Edit(inner={(place, attribute): edit})
        return Change(kind, self, name, index, old, new, edit, cost)

    def with_attributes(self, values: Mapping[str, AttributeValue]) -> Edit:
        """Return the edit that gives the node these attributes."""
        return self.put(self.node._replace(attributes=Attributes({**self.node.attributes, **values})))

    def put(self, node: Node) -> Edit:
        """Return the edit that replaces this node by `node`."""
        return Edit(nodes={self.index: node})

    def reading(self, inputs: Mapping[int, str]) -> Node:
        """Return the node with inputs replaced: `{1: "w2"}` makes "w2" its input 1."""
        return self.node._replace(inputs=[inputs.get(i, name) for i, name in enumerate(self.node.inputs)])

    def with_constant(self, index: int, literal: Literal) -> Edit:
        """Return the edit that replaces input `index` of this node by a new constant."""
        name = self.name(self.node.inputs[index])
        return replace(self.put(self.reading({index: name})), literals={name: literal})

    def consumers(self, name: str) -> Iterator[tuple[int, Node]]:
        """Yield the nodes that read a tensor, with their indices."""
        for index in self.graph.consumers(name):
            yield index, self.graph.nodes[index]


def _is_taken(graph: Graph, name: str) -> bool:
    return name in graph.literals or name in graph.inputs or graph.producer(name) is not None


def swap(values: Sequence[str], i: int, j: int) -> list[str]:
    """Return a list with two elements exchanged.

    >>> swap(["a", "b", "c"], 0, 2)
    ['c', 'b', 'a']
    """
    other = [*values]
    other[i], other[j] = other[j], other[i]
    return other
