"""One call of a PyTorch operator: its arguments by the names in its schema, sizes that may be symbols, and its graph.

    Call("aten.cat.default", {"tensors": (Fed("float32", ("n", 3)), Fed("float32", (2, "m"))), "dim": 1})

The graph is the one that a reader of exported programs makes of the node, as `shapesmt.operators.ops.torch.call` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import distributions
from typing import Any

from shapesmt.frontends.torch.program import release
from shapesmt.network.graph import Attributes, Declared, Graph, Node
from shapesmt.operators.ops.torch.schemas import schema

Size = int | str
INSTALLED = next((d.version for d in distributions(name="torch")), "")  # the version of PyTorch
OPSETS = {"torch": release(INSTALLED), "": 22}


@dataclass(frozen=True)
class Fed:
    """A tensor that the caller gives; `values` are its elements, where they matter and are few."""

    dtype: str
    shape: tuple[Size, ...]
    values: tuple[Any, ...] | None = None

    def __str__(self) -> str:
        listed = "" if self.values is None else f"={list(self.values)}"
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]{listed}"


@dataclass(frozen=True)
class Size64:
    """An integer argument that is a symbol: the size of a tensor that is given besides."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Call:
    """An operator on arguments by name, each a `Fed`, a `Call`, a `Size64`, a constant or a tuple; None are left out.

    `outputs` is how many tensors the node names, None where all are in one list that nobody has counted; `ranges` has
    the first and the last size of each symbol.
    """

    op: str
    arguments: Mapping[str, Any]
    outputs: int = 1
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def leaves(self) -> Iterator[Any]:
        """The arguments one by one, the elements of lists among them."""
        for value in self.arguments.values():
            yield from value if isinstance(value, tuple) else (value,)

    @property
    def tensors(self) -> list[Fed]:
        """The tensors that are given, in order."""
        return [leaf for leaf in self.leaves() if isinstance(leaf, Fed)]

    @property
    def sizes(self) -> list[Size]:
        """The sizes of its tensors."""
        return [size for t in self.tensors for size in t.shape]

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in self.arguments.items())
        ranges = ", ".join(f"{name}={lo}..{hi}" for name, (lo, hi) in self.ranges.items())
        return f"{self.op}({shown})" + (f" with {ranges}" if ranges else "")


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value) if isinstance(value, (Fed, Size64, Call)) else repr(value)


def graph_of(call: Call) -> Graph:
    """The call as a graph of one node, after those of its arguments: other calls, and `sym_size` for symbols."""
    inputs: dict[str, Declared] = {}
    nodes: list[Node] = []
    outputs = _added(call, "call", inputs, nodes)
    return Graph("call", inputs, outputs, nodes, opsets=OPSETS)


def _added(call: Call, called: str, inputs: dict[str, Declared], nodes: list[Node]) -> tuple[str, ...]:
    """What a call adds to a graph: its inputs, and its nodes, the last of which has that name; the outputs of this."""
    reads: list[str] = []
    attributes: dict[str, Any] = {}

    def read(leaf: Any) -> int:
        """The place of an argument among the node's inputs; -1 for a constant."""
        if isinstance(leaf, Fed):
            name = f"x{len(inputs)}"
            inputs[name] = Declared(leaf.dtype, leaf.shape)
        elif isinstance(leaf, Call):
            [name] = _added(leaf, f"{called}_{len(reads)}", inputs, nodes)
        elif isinstance(leaf, Size64):
            name = f"size_{leaf.name}"
            if name not in inputs:
                inputs[name] = Declared("float32", (leaf.name,))
                number = Attributes({"@self": 0, "dim": 0})
                nodes.append(Node("aten.sym_size.int", "torch", f"{name}_0", (name,), (f"{name}_0",), number))
            name = f"{name}_0"
        else:
            return -1
        reads.append(name)
        return len(reads) - 1

    for name, value in call.arguments.items():
        parts = value if isinstance(value, tuple) else (value,)
        places = tuple(map(read, parts))
        if any(place >= 0 for place in places):
            attributes[f"@{name}"] = places if isinstance(value, tuple) else places[0]
        elif isinstance(value, tuple) and value and value.count(None) == len(value):
            attributes[f"@{name}"] = places
        constants = tuple(_constant(p) for p in parts)
        numbers = any(place < 0 and part is not None for place, part in zip(places, parts, strict=True))
        numbers |= any(isinstance(part, Size64) for part in parts) and isinstance(value, tuple)
        if numbers or value == ():
            attributes[name] = constants if isinstance(value, tuple) else constants[0]
    attributes["@numbers"] = tuple(name for name, value in call.arguments.items() if is_number(value))
    outputs = tuple(f"{called}_y{i}" for i in range(call.outputs))
    nodes.append(Node(call.op, "torch", called, tuple(reads), outputs, Attributes(attributes)))
    return outputs


def is_number(value: Any) -> bool:
    """Whether an argument is a number computed from sizes."""
    return isinstance(value, Size64) or (isinstance(value, Call) and value.op.startswith("_operator."))


def _constant(value: Any) -> Any:
    return 0 if isinstance(value, (Fed, Size64, Call)) or value is None else value


def bound(op: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments by name; None where the table has no schema of the operator."""
    read = schema(op)
    if read is None:
        return None
    return {**dict(zip(read.arguments, args, strict=False)), **kwargs}


# Calls in short


def op(name: str, outputs: int = 1, /, **arguments: Any) -> Call:
    """A call of `aten.name`."""
    return Call(f"aten.{name}", arguments, outputs)


def f(*shape: Size, dtype: str = "float32") -> Fed:
    """A tensor of floats, or of that type."""
    return Fed(dtype, shape)


def i(*shape: Size) -> Fed:
    """A tensor of integers."""
    return Fed("int64", shape)


def b(*shape: Size) -> Fed:
    """A tensor of booleans."""
    return Fed("bool", shape)


def c(*shape: Size) -> Fed:
    """A tensor of complex numbers."""
    return Fed("complex64", shape)


def real(name: str) -> Call:
    """Half of a size."""
    return Call("_operator.truediv", {"a": Size64(name), "b": 2})


def truth(name: str) -> Call:
    """Whether a size is above 2."""
    return Call("_operator.gt", {"a": Size64(name), "b": 2})


def k(*values: int) -> Fed:
    """A list of integers with these elements."""
    return Fed("int64", (len(values),), values)
