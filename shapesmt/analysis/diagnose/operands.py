"""Operands: the inputs of a failing node, with their whole shapes, their producers and their known elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from shapesmt.analysis.diagnose.settings import MAX_LISTED
from shapesmt.network.graph import Graph, Node
from shapesmt.operators.rules import Elements, Tensor
from shapesmt.prover.algebra import Dim
from shapesmt.reports.answers import Operand

READABLE = 24  # the most characters of a formula that stays as it is
MAX_OPERANDS = 64  # a node may read thousands of tensors


class Read(NamedTuple):
    """An input of a node: its position, name and tensor, its producer, and whether the file has it as a constant."""

    place: int
    name: str
    tensor: Tensor
    maker: Node | None
    constant: bool


def reads_of(node: Node, graph: Graph, tensors: Mapping[str, Tensor]) -> list[Read]:
    """Return the inputs of a node that aren't omitted, with what `tensors` knows of them."""
    named = [(place, name) for place, name in enumerate(node.inputs) if name and name in tensors]
    makers = [(place, name, graph.producer(name)) for place, name in named[:MAX_OPERANDS]]
    return [
        Read(
            place, name, tensors[name], None if index is None else graph.nodes[index],
            index is None and name not in graph.inputs,
        )
        for place, name, index in makers
    ]  # fmt: skip


def operands_of(reads: Sequence[Read], narrowed: Mapping[str, Tensor] = MappingProxyType({})) -> tuple[Operand, ...]:
    """Return the inputs of a node for its report, long formulas as `narrowed` has them if they are shorter there.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.operators.rules import tensor
    >>> relu = Node("Relu", "", "relu", ["x"], ["y"])
    >>> operands_of([Read(1, "y", tensor("float32", [symbol("n", 1), 4]), relu, False)])[0].to_dict()
    {'input': 1, 'tensor': 'y', 'type': 'float32', 'shape': ['n', '4'], 'node': 'relu', 'op_type': 'Relu'}
    """
    return tuple([_operand(read, narrowed.get(read.name, read.tensor)) for read in reads])


def _operand(read: Read, narrowed: Tensor) -> Operand:
    t, maker = read.tensor, read.maker
    shape = None if t.shape is None else _shorter(tuple(map(str, t.shape)), tuple(map(str, narrowed.shape or ())))
    elements = _shorter(_elements(t), _elements(narrowed))
    made = ("", "") if maker is None else (maker.name, maker.op)
    return Operand(read.place, read.name, t.dtype, shape, *made, elements=elements, constant=read.constant)


def _shorter(texts: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts, each that is long replaced by the other at its index if that is known and shorter."""
    pairs = zip(texts, others if len(others) == len(texts) else texts, strict=True)
    return tuple([a if len(a) <= READABLE or b == "?" else min(a, b, key=len) for a, b in pairs])


def _elements(t: Tensor) -> tuple[str, ...]:
    """Return integers among the elements as text, "?" for unknown ones; () if there are none, or more than 8."""
    items = t.value.items if isinstance(t.value, Elements) else ()
    if len(items) > MAX_LISTED or not any(isinstance(i, Dim) for i in items):
        return ()
    return tuple([str(i) if isinstance(i, Dim) else "?" for i in items])
