"""The model as frozen data: operators, the tensors between them, and the types that the file declares.

Every frontend returns this, and later stages know no file format. `Literal` and `Attributes` are interned, so
equal contents are one object and a rule's memo key is a tuple of identities.

"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, ItemsView, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from heapq import heappop, heappush
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias, Union

from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph.literal import Absence, Declared, Literal, identity
from shapesmt.prover.algebra import WeakTable

if TYPE_CHECKING:
    from shapesmt.network import laws
    from shapesmt.network.declarations import Range
    from shapesmt.network.graph.schema import Signature


class Runtime(str, Enum):
    """The program that runs models of a format; some laws apply to one runtime only.

    `STANDARD` is none: a graph that belongs to no runtime follows the text of ONNX's standard.
    """

    STANDARD = "standard"
    ONNX = "onnxruntime"
    OPENVINO = "openvino"
    TENSORFLOW = "tensorflow"
    TORCH = "torch"


@frozen()
class Reference:
    """An attribute value in a function's body that stands for the attribute `name` of the node that calls it."""

    name: str


_Constant: TypeAlias = int | float | str | Literal | Declared | Reference
_Constants: TypeAlias = tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | tuple[Literal, ...]
Place: TypeAlias = tuple[str, int]
"""A tensor's name and an axis: `("x", 0)` is the first axis of x."""
AttributeValue: TypeAlias = Union[_Constant, _Constants, tuple[Declared, ...], "Graph", tuple["Graph", ...]]


STATED_TYPES, STATED_RANKS = "@types", "@ranks"
"""Attributes with the element type and the rank of each output as the file states them; "" and -1 if it doesn't."""
GUARDS = "_guards_fn"
"""The operator and name of a program's last node, which states the conditions that the program checks on its inputs."""


class Attributes(Mapping[str, AttributeValue]):
    """A node's attributes, interned: the same names and values are one object, whatever their order.

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
    """The tensors that `graphs` read from the enclosing graph."""

    def __new__(cls, items: Mapping[str, AttributeValue] | None = None) -> Attributes:
        """Return the interned object with these names and values."""
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
        """Return the value of an attribute, or the default."""
        return self._items.get(name, default)

    def items(self) -> ItemsView[str, AttributeValue]:
        """Return the names with their values, faster than `Mapping.items`."""
        return self._items.items()

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[type[Attributes], tuple[object, ...]]:
        return Attributes, (self._items,)

    def __repr__(self) -> str:
        return f"Attributes({self._items!r})"


Attributes.EMPTY = Attributes()


class Node(NamedTuple):
    """One operator; "" in `inputs` and `outputs` is an omitted optional tensor, and `name` is never empty."""

    op: str
    domain: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Attributes = Attributes.EMPTY

    @property
    def reads(self) -> list[str]:
        """The tensors that the node needs: its inputs and those that its subgraphs capture.

        >>> Node("Clip", "", "clip", ("x", "", "high"), ("y",)).reads
        ['x', 'high']
        """
        return [name for name in (*self.inputs, *self.attributes.captures) if name]


class SourceLine(NamedTuple):
    """The line of Python that a node was exported from, and the path of its module.

    `file` is "" and `line` 0 if only the module is known. `caller` is the outermost line of the stack
    outside PyTorch, such as `model.py:105`; "" if that is the line itself.
    """

    file: str
    line: int
    function: str = ""
    code: str = ""
    module: str = ""
    caller: str = ""


@frozen(eq=False)
class Function:
    """A model's own operator: the body that replaces each node that calls it."""

    name: str
    domain: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Sequence[str]
    """The attributes that a caller may give."""
    defaults: Attributes
    """The default values of attributes."""
    nodes: Sequence[Node]
    opsets: Mapping[str, int]
    """The operator sets that the function imports; the runtime runs its nodes in the model's sets."""


class Schemas(Protocol):
    """The definitions of a format's operators."""

    def signature(self, domain: str, op: str, version: int) -> Signature | None:
        """Return the inputs of an operator in a version of its operator set; None if the format doesn't define it."""

    def misfit(self, node: Node, version: int) -> laws.Law | None:
        """Return the law that a node violates by its number of inputs or outputs or its attributes; None if none."""

    def unchecked_law(self, node: Node, version: int) -> laws.Law | None:
        """Return the law that a node violates, although the runtime doesn't check it and may run the node; or None."""

    def offers(self, domain: str, op: str, version: int) -> bool:
        """Whether the runtime runs an operator in this version of its set; True for operators of other parties."""

    def miscount(self, node: Node, version: int) -> laws.Law | None:
        """Return the law that a node violates by its number of inputs or outputs, as part of `misfit`; None if none."""

    def body(self, node: Node, version: int, types: Sequence[tuple[str, int | None]]) -> Function | None:
        """Return the function that defines the node's operator, given its inputs' types and ranks, or None."""

    def bodies(self) -> Mapping[tuple[str, str], int]:
        """Return the operators that a function defines, by domain and name, each with the first version so defined."""

    def infers(self, domain: str, op: str, version: int) -> bool:
        """Whether the operator was registered with a function that infers the types of its outputs."""

    def infer(
        self,
        node: Node,
        opsets: Mapping[str, int],
        types: Sequence[Declared | None],
        elements: Sequence[Literal | None],
    ) -> list[Declared] | str | None:
        """Return the outputs' types that this function infers, or its error message; None if there is no function.

        `types` and `elements` are those of the node's inputs; None for unknown ones and omitted inputs.
        """


def _unknown(index: int, node: Node) -> SourceLine | None:  # noqa: ARG001 - the signature of `Graph.source_line`
    return None


@frozen(eq=False)
class Graph:
    """A model, or a branch or loop body inside one; its nodes are in topological order.

    >>> relu = Node("Relu", "", "relu", ["x"], ["y"])
    >>> graph = Graph("g", {"x": Declared("float32", ("n",))}, ["y"], [relu])
    >>> graph.producer("y"), graph.producer("x"), graph.consumers("x")
    (0, None, (0,))
    """

    name: str
    inputs: Mapping[str, Declared]
    """The inputs, without the initializers that older files list among them."""
    outputs: Sequence[str]
    nodes: Sequence[Node]
    literals: Mapping[str, Literal] = field(default_factory=dict)
    """The initializers."""
    declared: Mapping[str, Declared] = field(default_factory=dict)
    """The types and shapes that the file declares for intermediate tensors and outputs."""
    opsets: Mapping[str, int] = field(default_factory=dict)
    functions: Mapping[tuple[str, str], Function] = field(default_factory=dict)
    """The model's own operators, by domain and name."""
    ranges: Mapping[str, str | Range] = field(default_factory=dict)
    """The range of each symbol: a text from the exporter, or a `Range` with its origin."""
    relations: Sequence[str] = ()
    """The relations between sizes in the file's metadata."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Maps other names of dimensions in the file, such as an exporter's `s53`, to the dimension's name."""
    source: str = "<graph>"
    """The model's name in messages."""
    exporter: str = ""
    """The program that wrote the file, with its version."""
    missing: str = ""
    """A sentence for the user about parts of the model that the file lacks; "" if it lacks none."""
    absent: Mapping[str, Absence] = field(default_factory=dict)
    """The external files that the model names and that can't be opened, each with the reason."""
    schemas: Schemas | None = None
    """The format's definitions of operators; None if it has none."""
    runtime: Runtime = Runtime.ONNX
    """The program that runs models of this format."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """The arguments of the exported module, nested as in its call, with an input's name in place of each tensor."""
    refused: Sequence[laws.Law] = ()
    """The laws that the file as a whole breaks, so that its runtime doesn't load it."""
    early: Sequence[str] = ()
    """The tensors that a node reads before their producer, in the file's order of nodes."""
    asked: Mapping[Place, bool] = field(default_factory=dict)
    """The input axes that the user asked the exporter to keep dynamic, as far as known: True if the user named the
    axis, False if the user asked for all axes.
    """
    source_line: Callable[[int, Node], SourceLine | None] = field(default=_unknown, repr=False)
    """A function that returns the Python line of a node, given its index and the node; None if the file has none."""

    def producer(self, tensor: str) -> int | None:
        """Return the index of the node that computes the tensor; None for an input or a constant."""
        return self._producers.get(tensor)

    def place(self, target: str) -> int | None:
        """Return the index of the node named `target`, else of the node that computes the tensor `target`; or None."""
        named = (index for index, node in enumerate(self.nodes) if node.name == target)
        return next(named, self.producer(target))

    def consumers(self, tensor: str) -> tuple[int, ...]:
        """Return the indices of the nodes that read the tensor, in ascending order."""
        return tuple(self._consumers.get(tensor, ())) if tensor else ()

    def ancestors(
        self, index: int, among: Collection[int] | None = None, known: Mapping[int, set[int]] | None = None
    ) -> set[int]:
        """Return the indices of the nodes upstream of node `index`, on which its inputs depend.

        `among` limits the result to these indices (None: all nodes). `known` maps other nodes to their ancestors, which
        saves a repeated search.

        >>> nodes = [Node("Abs", "", n, [x], [y]) for n, x, y in ("axy", "bxz", "cyw")]
        >>> graph = Graph("g", {"x": Declared("float32", None)}, ["w"], nodes)
        >>> graph.ancestors(2), graph.ancestors(2, {1}), graph.descendants(0)
        ({0}, set(), {2})
        """
        asked = range(index) if among is None else among
        producers, first, missing = self._producers, min(asked, default=index), set(asked)
        reached, ahead = {index}, [index]
        while ahead and missing:
            for name in self.nodes[heappop(ahead)].reads:  # the node with the lowest index leads back the fastest
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
        """Return the indices of the nodes downstream of node `index`, which depend on its outputs."""
        reached: set[int] = set()
        ahead = [index]
        while ahead:
            new = {*chain.from_iterable(map(self.consumers, self.nodes[ahead.pop()].outputs))} - reached
            reached |= new
            ahead.extend(new)
        return reached

    @property
    def is_onnx(self) -> bool:
        """Whether its operators are ONNX's, which ONNX Runtime runs, or no runtime in particular."""
        return self.runtime in (Runtime.ONNX, Runtime.STANDARD)

    @property
    def is_program(self) -> bool:
        """Whether it is a PyTorch program."""
        return self.runtime is Runtime.TORCH

    @property
    def unguarded(self) -> Graph:
        """The graph without its node of guards (`GUARDS`) and without the sentence about missing parts."""
        nodes = [node for node in self.nodes if node.op != GUARDS]
        return replace(self, nodes=nodes, missing="") if self.missing or len(nodes) < len(self.nodes) else self

    def every_node(self) -> Iterator[Node]:
        """Yield the graph's nodes and those of its subgraphs and functions, in no particular order."""
        stack: list[Sequence[Node]] = [self.nodes, *(f.nodes for f in self.functions.values())]
        while stack:
            for node in stack.pop():
                yield node
                stack.extend(g.nodes for g in node.attributes.graphs)

    @cached_property
    def captures(self) -> tuple[str, ...]:
        """The tensors that the graph reads but doesn't define: those of the enclosing graph."""
        reads = [name for node in self.nodes for name in node.reads]
        inner = self._producers.keys() | self.inputs.keys() | self.literals.keys() | {""}
        return tuple(name for name in dict.fromkeys([*reads, *self.outputs]) if name not in inner)

    @cached_property
    def memory(self) -> dict[str, Any]:
        """A cache of results derived from this graph, each under its own key."""
        return {}

    @cached_property
    def _producers(self) -> dict[str, int]:
        return {name: index for index, node in enumerate(self.nodes) for name in node.outputs if name}

    @cached_property
    def _consumers(self) -> dict[str, list[int]]:
        readers: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            for name in {*node.inputs, *node.attributes.captures}:
                readers.setdefault(name, []).append(index)
        return readers
