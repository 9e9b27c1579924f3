"""Nodes: those of a graph as lists over all of them, whose tensors have numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, count, repeat
from typing import overload

from shapesmt.graph.graph import Attributes, Node

__all__ = ["END", "Kind", "Nodes"]


@dataclass(frozen=True, eq=False, slots=True)
class Kind:
    """What a node is apart from its names: a large model has thousands of nodes, of about a hundred kinds."""

    op: str
    domain: str
    attributes: Attributes
    writes: int
    """How many outputs it has, omitted ones included."""


END = -1
"""Stands behind the numbers of the tensors that one node reads."""


class _Numbers(dict[str, int]):
    """The numbers of tensors by name: those of outputs, and the next number below for each other that is asked for."""

    def __init__(self, outputs: Iterable[str], mark: str) -> None:
        super().__init__(zip(outputs, count()))
        self.outer = [mark, ""]
        self.update({mark: END, "": END - 1})

    def __missing__(self, name: str) -> int:
        self.outer.append(name)
        number = self[name] = -len(self.outer)
        return number


class Nodes(Sequence[Node]):
    """Nodes as lists over all of them, whose tensors have numbers; a `Node` is put together when it is asked for.

    The tensors that nodes compute are numbered in their order, and those from outside downwards from -2. So a number
    is a place in `tensors`, or in any list that has the computed ones first and those from outside at its end.

    Args:
        kinds: What each node is.
        names: What each is called.
        reads: The names of the tensors that nodes read, with the mark behind those of each node.
        outputs: The names of the tensors that nodes compute; "" is an omitted one.
        mark: What no tensor has for a name.

    Attributes:
        reads: The numbers of the tensors that nodes read, with `END` behind those of each node.
        tensors: The names by number.
        is_distinct: Whether no two outputs share a name.

    Example:
        >>> nodes = Nodes.of([Node("Exp", "", "a", ["x"], ["y"]), Node("Add", "", "b", ["y", "x"], ["z"])])
        >>> nodes.reads, nodes.outputs, nodes.outer
        ([-3, -1, 0, -3, -1], ['y', 'z'], ['x', ''])
        >>> nodes[1].inputs, nodes.is_sorted
        (['y', 'x'], True)
    """

    def __init__(
        self, kinds: Sequence[Kind], names: Sequence[str], reads: Iterable[str], outputs: list[str], mark: str
    ) -> None:
        numbers = _Numbers(outputs, mark)
        named = len(numbers) - len(numbers.outer)
        self.kinds, self.names, self.outputs = kinds, names, outputs
        self.reads = [*map(numbers.__getitem__, reads)]
        self.tensors = [*outputs, *reversed(numbers.outer)]
        self.is_distinct = named == len(outputs) - outputs.count("")

    @classmethod
    def of(cls, nodes: Sequence[Node]) -> Nodes:
        """The same nodes."""
        if isinstance(nodes, Nodes):
            return nodes
        contents = [(node.op, node.domain, node.attributes, len(node.outputs)) for node in nodes]
        kinds = {content: Kind(*content) for content in contents}
        outputs = [name for node in nodes for name in node.outputs]
        mark = max((*outputs, *(name for node in nodes for name in node.inputs)), key=len, default="") + "\0"
        reads = chain.from_iterable((*node.inputs, mark) for node in nodes)
        return cls([kinds[content] for content in contents], [node.name for node in nodes], reads, outputs, mark)

    @property
    def outer(self) -> Sequence[str]:
        """The tensors that nodes read and that none computes; "" is among them."""
        return self.tensors[len(self.outputs) : -1]

    @property
    def is_sorted(self) -> bool:
        """Whether each node comes after those that compute what it reads."""
        computed, kinds = 0, iter(self.kinds)
        for number in self.reads:
            if number >= computed:
                return False
            if number == END:
                computed += next(kinds).writes
        captures = ((index, kind.attributes.captures) for index, kind in enumerate(self.kinds))
        return all(self.producers.get(name, END) < index for index, names in captures for name in names)

    @cached_property
    def producers(self) -> Mapping[str, int]:
        """The index of the node that computes each tensor."""
        indices = chain.from_iterable(repeat(index, kind.writes) for index, kind in enumerate(self.kinds))
        producers = dict(zip(self.outputs, indices, strict=True))
        producers.pop("", None)
        return producers

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> list[Node]: ...
    def __getitem__(self, place: int | slice) -> Node | list[Node]:
        if isinstance(place, slice) or "_listed" in self.__dict__:
            return self._listed[place]
        index, (read, written) = range(len(self.kinds))[place], self._starts
        kind = self.kinds[index]
        inputs = [self.tensors[number] for number in self.reads[read[index] : read[index + 1] - 1]]
        outputs = self.outputs[written[index] : written[index + 1]]
        return Node(kind.op, kind.domain, self.names[index], inputs, outputs, kind.attributes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._listed)

    @cached_property
    def _starts(self) -> tuple[Sequence[int], Sequence[int]]:
        """Where the reads and the outputs of each node begin, and where the last ones end."""
        ends = [place for place, number in enumerate(self.reads, 1) if number == END]
        return [0, *ends], [*accumulate((kind.writes for kind in self.kinds), initial=0)]

    @cached_property
    def _listed(self) -> list[Node]:
        read, written = map(self.tensors.__getitem__, self.reads).__next__, self._starts[1]
        mark, outputs = self.tensors[END], self.outputs
        return [
            Node(kind.op, kind.domain, name, [*iter(read, mark)], outputs[start : start + kind.writes], kind.attributes)
            for kind, name, start in zip(self.kinds, self.names, written, strict=False)
        ]
