"""The model as frozen data: operators, the tensors between them, and what the file declares of them.

Every frontend ends here and nothing later knows a file format. `Literal` and `Attributes` are interned, so
equal contents are one object and a rule's memo key is a tuple of identities.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias, Union
from weakref import WeakValueDictionary

from shapesmt.algebra import LOCK
from shapesmt.errors import ModelError, printable
from shapesmt.graph.literal import DTYPES, Declared, Literal, Scalar, identity

if TYPE_CHECKING:
    import networkx as nx

    from shapesmt.graph.schema import Schemas
    from shapesmt.language import Range

__all__ = [
    "DTYPES",
    "AttributeValue",
    "Attributes",
    "Declared",
    "Function",
    "Graph",
    "Literal",
    "Node",
    "Reference",
    "Scalar",
    "ordered",
    "refuse_recursion",
]


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute value inside a function's body: the caller's attribute of that name."""

    name: str


_Constant: TypeAlias = int | float | str | Literal | Declared | Reference
_Constants: TypeAlias = tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | tuple[Literal, ...]
AttributeValue: TypeAlias = Union[_Constant, _Constants, tuple[Declared, ...], "Graph", tuple["Graph", ...]]


class Attributes(Mapping[str, AttributeValue]):
    """A node's attributes, interned: the same names and values are one object, whatever their order.

    Example:
        >>> Attributes({"axis": 1, "keepdims": 0}) is Attributes({"keepdims": 0, "axis": 1})
        True
        >>> Attributes({"alpha": 1}) is Attributes({"alpha": 1.0})
        False
    """

    __slots__ = ("__weakref__", "_items", "captures", "graphs")
    EMPTY: ClassVar[Attributes]
    _interned: ClassVar[WeakValueDictionary[Hashable, Attributes]] = WeakValueDictionary()

    _items: dict[str, AttributeValue]
    graphs: tuple[Graph, ...]
    """The graphs among the values: branches and loop bodies."""
    captures: tuple[str, ...]
    """The tensors that those graphs read from outside."""

    def __new__(cls, items: Mapping[str, AttributeValue] | None = None) -> Attributes:
        """The one object of this content."""
        content = sorted((items or {}).items(), key=itemgetter(0))
        key = tuple((name, identity(value)) for name, value in content)
        found = cls._interned.get(key)
        return cls._make(key, dict(content)) if found is None else found

    @classmethod
    def _make(cls, key: Hashable, content: dict[str, AttributeValue]) -> Attributes:
        with LOCK:
            found = cls._interned.get(key)
            if found is None:
                found = super().__new__(cls)
                found._items = content
                parts = (part for value in content.values() for part in (value if type(value) is tuple else (value,)))
                found.graphs = tuple(part for part in parts if isinstance(part, Graph))
                found.captures = tuple(dict.fromkeys(name for graph in found.graphs for name in graph.captures))
                cls._interned[key] = found
            return found

    def __getitem__(self, name: str) -> AttributeValue:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[type[Attributes], tuple[object, ...]]:
        return Attributes, (self._items,)

    def __repr__(self) -> str:
        return f"Attributes({self._items!r})"


Attributes.EMPTY = Attributes()


class Node(NamedTuple):
    """One operator; an empty tensor name is an omitted optional one, and its own name is never empty."""

    op: str
    domain: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Attributes = Attributes.EMPTY

    @property
    def reads(self) -> list[str]:
        """The tensors it needs: its inputs and what its subgraphs capture.

        Example:
            >>> Node("Clip", "", "clip", ("x", "", "high"), ("y",)).reads
            ['x', 'high']
        """
        return [name for name in (*self.inputs, *self.attributes.captures) if name]


@dataclass(frozen=True, eq=False)
class Function:
    """A model's own operator: a body that each calling node stands for."""

    name: str
    domain: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Sequence[str]
    """The attributes that a caller may give."""
    defaults: Attributes
    """The values of those that have one."""
    nodes: Sequence[Node]
    opsets: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Graph:
    """A model, or a branch or loop body inside one; its nodes are in topological order.

    Example:
        >>> relu = Node("Relu", "", "relu", ["x"], ["y"])
        >>> graph = Graph("g", {"x": Declared("float32", ("n",))}, ["y"], [relu])
        >>> graph.producer("y"), graph.producer("x"), graph.consumers("x")
        (0, None, (0,))
    """

    name: str
    inputs: Mapping[str, Declared]
    """Without the initializers, which older files list here too."""
    outputs: Sequence[str]
    nodes: Sequence[Node]
    literals: Mapping[str, Literal] = field(default_factory=dict)
    """The initializers."""
    declared: Mapping[str, Declared] = field(default_factory=dict)
    """What the file claims of inner tensors and outputs."""
    opsets: Mapping[str, int] = field(default_factory=dict)
    functions: Mapping[tuple[str, str], Function] = field(default_factory=dict)
    """By domain and name."""
    ranges: Mapping[str, str | Range] = field(default_factory=dict)
    """The range of each symbol: as RANGE text the exporter's own, otherwise with its origin."""
    source: str = "<graph>"
    """What to call the model in a message."""
    schemas: Schemas | None = None
    """What its format says of operators."""

    def producer(self, tensor: str) -> int | None:
        """The index of the node that computes the tensor; None of an input or a constant."""
        return self._producers.get(tensor)

    def consumers(self, tensor: str) -> tuple[int, ...]:
        """The indices of the nodes that read the tensor, in order."""
        return self._consumers.get(tensor, ())

    def ancestors(self, index: int, among: Collection[int] | None = None) -> set[int]:
        """The nodes that this one's inputs come from; `among` says which of them matter.

        Example:
            >>> nodes = [Node("Abs", "", n, [x], [y]) for n, x, y in ("axy", "bxz", "cyw")]
            >>> graph = Graph("g", {"x": Declared("float32", None)}, ["w"], nodes)
            >>> graph.ancestors(2), graph.ancestors(2, {1}), graph.descendants(0)
            ({0}, set(), {2})
        """
        asked = range(index) if among is None else among
        made, first, missing = self._producers, min(asked, default=index), set(asked)
        reached, ahead = {index}, [index]
        while ahead and missing:
            for name in self.nodes[ahead.pop()].reads:
                i = made.get(name, -1)
                if i >= first and i not in reached:
                    reached.add(i)
                    missing.discard(i)
                    ahead.append(i)
        return missing.symmetric_difference(asked)

    def descendants(self, index: int) -> set[int]:
        """The nodes that need an output of this one."""
        reached: set[int] = set()
        ahead = [index]
        while ahead:
            new = {*chain.from_iterable(map(self.consumers, self.nodes[ahead.pop()].outputs))} - reached
            reached |= new
            ahead.extend(new)
        return reached

    def every_node(self) -> Iterator[Node]:
        """Its nodes and those of the graphs and functions inside, in no promised order."""
        stack: list[Sequence[Node]] = [self.nodes, *(f.nodes for f in self.functions.values())]
        while stack:
            for node in stack.pop():
                yield node
                stack.extend(g.nodes for g in node.attributes.graphs)

    @cached_property
    def captures(self) -> tuple[str, ...]:
        """The tensors that it reads from the graph around it."""
        reads = [name for node in self.nodes for name in node.reads]
        inner = self._producers.keys() | self.inputs.keys() | self.literals.keys() | {""}
        return tuple(name for name in dict.fromkeys([*reads, *self.outputs]) if name not in inner)

    @cached_property
    def networkx(self) -> nx.MultiDiGraph[str]:
        """An ordinary networkx graph: nodes are operators, inputs and constants by name, edges are tensors.

        `shapesmt.graph.dataflow` says what nodes and edges carry. It is a copy: a change of it changes nothing here.

        Example:
            >>> nodes = [Node("Relu", "", "a", ["x"], ["y"]), Node("Add", "", "b", ["y", "y"], ["z"])]
            >>> graph = Graph("g", {"x": Declared("float32", None)}, ["z"], nodes).networkx
            >>> graph.edges(data="tensor")
            OutMultiEdgeDataView([('x', 'a', 'x'), ('a', 'b', 'y'), ('a', 'b', 'y')])
            >>> graph.nodes["b"]["op"]
            'Add'
        """
        from shapesmt.graph.dataflow import flow

        return flow(self)

    @cached_property
    def _producers(self) -> dict[str, int]:
        return {name: index for index, node in enumerate(self.nodes) for name in node.outputs if name}

    @cached_property
    def _consumers(self) -> dict[str, tuple[int, ...]]:
        readers: dict[str, dict[int, None]] = {}
        for index, node in enumerate(self.nodes):
            for name in node.reads:
                readers.setdefault(name, {})[index] = None
        return {name: tuple(indices) for name, indices in readers.items()}


def ordered(nodes: Sequence[Node], given: Iterable[str], where: str, needed: Sequence[str] = ()) -> Sequence[Node]:
    """The nodes in topological order: each tensor has one producer, which comes before its readers.

    Args:
        nodes: In any order; returned as they are when already sorted.
        given: The tensors that need no node: inputs, initializers, captured ones.
        where: What to call the graph in a message.
        needed: The graph's outputs.

    Raises:
        ModelError: A tensor has two producers or none, its name is not text, or the nodes form a cycle.

    Example:
        >>> late, early = Node("Exp", "", "late", ["y"], ["z"]), Node("Abs", "", "early", ["x"], ["y"])
        >>> [node.name for node in ordered([late, early], ["x"], "g")]
        ['early', 'late']
    """
    given = {*given}
    made = {"", *given}
    count = len(made)
    for _, _, _, inputs, outputs, attributes in nodes:
        for name in inputs:
            if name not in made:
                return _sorted(nodes, given, where, needed)
        if attributes.captures and not made.issuperset(attributes.captures):
            return _sorted(nodes, given, where, needed)
        made.update(outputs)
        count += len(outputs)
    _refuse_bytes(made, where)
    if len(made) == count and made.issuperset(needed) and "" not in needed:
        return nodes
    return _sorted(nodes, given, where, needed)


def _refuse_bytes(names: Iterable[str], where: str) -> None:
    try:
        "".join(names)
    except TypeError:
        raise ModelError(f"{where}: a tensor's name in it is not UTF-8 text; the file is damaged") from None


def _sorted(nodes: Sequence[Node], given: set[str], where: str, needed: Sequence[str]) -> Sequence[Node]:
    _refuse_bytes([name for node in nodes for name in (*node.inputs, *node.outputs)], where)
    producers = _single_producers(nodes, given, where)
    is_sorted = True
    for index, node in enumerate(nodes):
        for name in node.reads:
            if name not in producers and name not in given:
                raise ModelError(f"{where}: {_title(node)} reads {_quoted(name)}, which nothing makes")
            is_sorted &= producers.get(name, -1) < index
    for name in needed:
        if name not in producers and name not in given:
            raise ModelError(f"{where}: nothing makes its output {_quoted(name)}")
    if is_sorted:
        return nodes
    import networkx as nx

    flow = _dataflow(nodes, producers)
    try:
        return [nodes[index] for index in nx.lexicographical_topological_sort(flow)]
    except nx.NetworkXUnfeasible:
        cycle = [_title(nodes[edge[0]]) for edge in nx.find_cycle(flow)]
        shown = " → ".join((*cycle[:4], *("…" for _ in cycle[4:5]), cycle[0]))
        raise ModelError(f"{where}: its nodes form a cycle: {shown}") from None


def _single_producers(nodes: Sequence[Node], given: set[str], where: str) -> dict[str, int]:
    producers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in filter(None, node.outputs):
            if name in given:
                raise ModelError(f"{where}: {_title(node)} makes {_quoted(name)}, an input or constant")
            if name in producers:
                first = _title(nodes[producers[name]])
                raise ModelError(f"{where}: {first} and {_title(node)} both make {_quoted(name)}")
            producers[name] = index
    return producers


def refuse_recursion(functions: Mapping[tuple[str, str], Function], where: str) -> None:
    """No function may call itself, at once or through others: expanding it would not end.

    Raises:
        ModelError: One does.
    """
    calls = {key: {*_calls(function.nodes)} & functions.keys() for key, function in functions.items()}
    ended: set[tuple[str, str]] = set()
    while len(ended) < len(calls):
        ending = {key for key, called in calls.items() if key not in ended and called <= ended}
        if not ending:
            name = min(calls.keys() - ended)[1]
            raise ModelError(f"{where}: function {_quoted(name)} calls itself, or another that does")
        ended |= ending


def _calls(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        yield node.domain, node.op
        for graph in node.attributes.graphs:
            yield from _calls(graph.nodes)


def _dataflow(nodes: Sequence[Node], producers: Mapping[str, int]) -> nx.DiGraph[int]:
    import networkx as nx

    tensors: dict[tuple[int, int], dict[str, None]] = {}
    for index, node in enumerate(nodes):
        for name in node.reads:
            if name in producers:
                tensors.setdefault((producers[name], index), {})[name] = None
    flow: nx.DiGraph[int] = nx.DiGraph()
    flow.add_nodes_from((index, {"op": node.op, "name": node.name}) for index, node in enumerate(nodes))
    flow.add_edges_from((*edge, {"tensors": tuple(names)}) for edge, names in tensors.items())
    return flow


def _quoted(name: str) -> str:
    return f"'{printable(name)}'"


def _title(node: Node) -> str:
    return f"node {_quoted(node.name)} ({printable(node.op)})"
