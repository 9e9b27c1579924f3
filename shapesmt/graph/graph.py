"""The model as frozen data: operators, the tensors between them, and what the file declares of them.

Every frontend ends here and nothing later knows a file format. `Literal` and `Attributes` are interned, so
equal contents are one object and a rule's memo key is a tuple of identities.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias, Union

from shapesmt.algebra import WeakTable
from shapesmt.graph.literal import Declared, Literal, identity

if TYPE_CHECKING:
    from shapesmt import laws
    from shapesmt.graph.schema import Signature
    from shapesmt.language import Range

__all__ = [
    "GUARDS",
    "AttributeValue",
    "Attributes",
    "Function",
    "Graph",
    "Node",
    "Place",
    "Reference",
    "Runtime",
    "Schemas",
    "SourceLine",
]


class Runtime(str, Enum):
    """The program that runs models of a format; some laws are those of one alone."""

    ONNX = "onnxruntime"
    OPENVINO = "openvino"
    TENSORFLOW = "tensorflow"
    TORCH = "torch"


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute value inside a function's body: the caller's attribute of that name."""

    name: str


_Constant: TypeAlias = int | float | str | Literal | Declared | Reference
_Constants: TypeAlias = tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | tuple[Literal, ...]
Place: TypeAlias = tuple[str, int]
"""A tensor and an axis."""
AttributeValue: TypeAlias = Union[_Constant, _Constants, tuple[Declared, ...], "Graph", tuple["Graph", ...]]


GUARDS = "_guards_fn"
"""The operator, and the name, of the node that states what a program checks of its inputs: the last of its nodes."""


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
    _interned: ClassVar[WeakTable[Hashable, Attributes]] = WeakTable("attributes")

    _items: dict[str, AttributeValue]
    graphs: tuple[Graph, ...]
    """The graphs among the values: branches and loop bodies."""
    captures: tuple[str, ...]
    """The tensors that those graphs read from outside."""

    def __new__(cls, items: Mapping[str, AttributeValue] | None = None) -> Attributes:
        """The one object of this content."""
        content = sorted((items or {}).items(), key=itemgetter(0))
        key = tuple((name, identity(value)) for name, value in content)
        attributes = cls._interned.get(key)
        return cls._interned.make(key, cls._built, dict(content)) if attributes is None else attributes

    @classmethod
    def _built(cls, content: dict[str, AttributeValue]) -> Attributes:
        attributes = super().__new__(cls)
        attributes._items = content
        parts = (part for value in content.values() for part in (value if type(value) is tuple else (value,)))
        attributes.graphs = tuple(part for part in parts if isinstance(part, Graph))
        attributes.captures = tuple(dict.fromkeys(name for graph in attributes.graphs for name in graph.captures))
        return attributes

    def __getitem__(self, name: str) -> AttributeValue:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def get(self, name: str, /, default: Any = None) -> AttributeValue | Any:
        """The value of one, or the default."""
        return self._items.get(name, default)

    def items(self) -> ItemsView[str, AttributeValue]:
        """The names with their values, faster than a mapping's own."""
        return self._items.items()

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


class SourceLine(NamedTuple):
    """The line of Python that a node was exported from, and the path of the module that it belongs to.

    `file` is "" and `line` 0 where only the module is known. `caller` is where the model's code was entered on the way
    there, as `model.py:105`; "" where it is the line itself.
    """

    file: str
    line: int
    function: str = ""
    code: str = ""
    module: str = ""
    caller: str = ""


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
    """The operator sets that it imports itself; a model's own are those in which the runtime runs its nodes."""


class Schemas(Protocol):
    """The operators that a format defines."""

    def signature(self, domain: str, op: str, version: int) -> Signature | None:
        """The inputs of an operator; None where the format doesn't define it."""

    def misfit(self, node: Node, version: int) -> laws.Law | None:
        """The law that a node breaks by what it has or lacks, if any."""

    def unchecked(self, node: Node, version: int) -> laws.Law | None:
        """The law that a node breaks, if any, though its runtime doesn't look and may have a kernel for it."""

    def offers(self, domain: str, op: str, version: int) -> bool:
        """Whether the runtime runs an operator in this version of its set; True for operators of others."""

    def miscount(self, node: Node, version: int) -> laws.Law | None:
        """The law that a node's numbers of inputs and outputs break, if any."""

    def body(self, node: Node, version: int, types: Sequence[tuple[str, int | None]]) -> Function | None:
        """The nodes that this one stands for, given its inputs' types and ranks; None where the format doesn't say."""

    def bodies(self) -> Mapping[tuple[str, str], int]:
        """The operators that have such a body, by domain and name, and the version since which they do."""

    def infers(self, domain: str, op: str, version: int) -> bool:
        """Whether the operator was registered with a function that infers what it makes."""

    def infer(
        self,
        node: Node,
        opsets: Mapping[str, int],
        types: Sequence[Declared | None],
        elements: Sequence[Literal | None],
    ) -> list[Declared] | str | None:
        """What that function says the outputs are, or why it refuses; None where there is no such function."""


def _unknown(index: int, node: Node) -> SourceLine | None:  # noqa: ARG001 - the signature of `Graph.source_line`
    return None


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
    relations: Sequence[str] = ()
    """The relations between sizes that the file's metadata state."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The dimension that each other name in the file stands for, where it names sizes that users don't know (`s53`)."""
    source: str = "<graph>"
    """What to call the model in a message."""
    exporter: str = ""
    """The program that wrote the file, with its version."""
    missing: str = ""
    """What the file leaves out of the model, as a sentence for the user."""
    schemas: Schemas | None = None
    """What its format says of operators."""
    runtime: Runtime = Runtime.ONNX
    """What runs models of its format."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """The arguments of the module that it was exported from, nested as it takes them, each with its input's name."""
    refused: Sequence[laws.Law] = ()
    """The laws that the file itself breaks, so that its runtime doesn't load it."""
    early: Sequence[str] = ()
    """The tensors that nodes read before the one that computes them, as the nodes stand in the file."""
    asked: Mapping[Place, bool] = field(default_factory=dict)
    """The sizes of inputs that were to vary when the model was exported, as far as that is known; whether each was
    named, or all sizes were to vary."""
    source_line: Callable[[int, Node], SourceLine | None] = field(default=_unknown, repr=False)
    """Where each node, by its index, was written in Python, as far as the file says."""

    def producer(self, tensor: str) -> int | None:
        """The index of the node that computes the tensor; None of an input or a constant."""
        return self._producers.get(tensor)

    def place(self, target: str) -> int | None:
        """The index of the node of this name, else of the node that computes the tensor; None where there is none."""
        named = (index for index, node in enumerate(self.nodes) if node.name == target)
        return next(named, self.producer(target))

    def consumers(self, tensor: str) -> tuple[int, ...]:
        """The indices of the nodes that read the tensor, in order."""
        return self._consumers.get(tensor, ())

    def ancestors(
        self, index: int, among: Collection[int] | None = None, known: Mapping[int, set[int]] | None = None
    ) -> set[int]:
        """The nodes that this one's inputs come from; `among` says which of them matter, `known` has those of others.

        Example:
            >>> nodes = [Node("Abs", "", n, [x], [y]) for n, x, y in ("axy", "bxz", "cyw")]
            >>> graph = Graph("g", {"x": Declared("float32", None)}, ["w"], nodes)
            >>> graph.ancestors(2), graph.ancestors(2, {1}), graph.descendants(0)
            ({0}, set(), {2})
        """
        asked = range(index) if among is None else among
        producers, first, missing = self._producers, min(asked, default=index), set(asked)
        reached, ahead = {index}, [index]
        while ahead and missing:
            for name in self.nodes[heappop(ahead)].reads:  # the first node of those ahead: it leads back the fastest
                i = producers.get(name, -1)
                if i >= first and i not in reached:
                    reached.add(i)
                    missing.discard(i)
                    if known and i in known:
                        missing -= known[i]
                    else:
                        heappush(ahead, i)
            while first < index and first not in missing:
                first += 1
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

    @property
    def is_program(self) -> bool:
        """Whether it is a program of PyTorch."""
        return self.runtime is Runtime.TORCH

    @property
    def unguarded(self) -> Graph:
        """The graph without the node that states what a program checks of its inputs, and without a word about it."""
        nodes = [node for node in self.nodes if node.op != GUARDS]
        return replace(self, nodes=nodes, missing="") if self.missing or len(nodes) < len(self.nodes) else self

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
    def memory(self) -> dict[str, Any]:
        """What is worked out about it once, under a name for each."""
        return {}

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
