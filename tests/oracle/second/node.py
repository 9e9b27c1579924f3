"""Tensors, nodes and the walk along a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np
import onnx
from onnx import helper, numpy_helper

MOST = 256  # elements of a tensor whose elements are followed
Shape = tuple[int, ...]


class Fails(Exception):  # noqa: N818 - it is what a node does
    """The specification forbids the node."""


class Undecided(Exception):  # noqa: N818 - it is what we are
    """Elements that aren't known decide, or the operator isn't among those written down here."""


class T(NamedTuple):
    """A tensor: its element type, its shape, and its elements where they are known."""

    dtype: str
    shape: Shape
    value: Any = None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)


def known(array: Any) -> T:
    """A tensor of these elements, which are forgotten where they are many."""
    array = np.asarray(array)
    kind = "string" if array.dtype.kind in "OU" else str(array.dtype)
    return T(kind, array.shape, array if array.size <= MOST and kind != "string" else None)


def fail(why: str) -> NoReturn:
    """Say that the node fails."""
    raise Fails(why)


def need(condition: object, why: str) -> None:
    """Say that the node fails unless a condition holds."""
    if not condition:
        raise Fails(why)


class Node:
    """One node with what it reads."""

    def __init__(self, proto: onnx.NodeProto, ins: Sequence[T | None], version: int, outer: Mapping[str, T]) -> None:
        self.proto, self.ins, self.version, self.outer = proto, list(ins), version, outer
        self.op = proto.op_type
        self.attributes = {a.name: helper.get_attribute_value(a) for a in proto.attribute}
        self.opsets: dict[str, int] = {}
        self.functions: dict[Any, onnx.FunctionProto] = {}

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute, a text decoded."""
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def has(self, index: int) -> bool:
        """Whether an input is given."""
        return index < len(self.ins) and self.ins[index] is not None

    def __getitem__(self, index: int) -> T:
        given = self.ins[index] if index < len(self.ins) else None
        return fail(f"input {index} is missing") if given is None else given

    def numbers(self, index: int, name: str = "") -> list[int] | None:
        """The integers of an input, or of the attribute that it was once; None if there is neither."""
        if self.has(index):
            if self[index].value is None:
                raise Undecided(f"input {index}")
            return [int(v) for v in np.ravel(self[index].value)]
        return [int(v) for v in self.attributes[name]] if name in self.attributes else None

    def number(self, index: int, default: int = 0) -> int:
        """The integer of an input."""
        found = self.numbers(index)
        need(found is None or len(found) == 1, "one number is expected")
        return found[0] if found else default

    def axis(self, rank: int, default: int | None = None, name: str = "axis") -> int:
        """An attribute that names an axis."""
        return counted(self.get(name, default), rank)


def counted(axis: int | None, rank: int) -> int:
    """An axis counted from the front."""
    need(axis is not None and -rank <= axis < rank, "an axis is outside the rank")
    assert axis is not None
    return axis % rank


def broadcast(*shapes: Sequence[int]) -> Shape:
    """Multidirectional broadcasting: shapes aligned at their last axes, sizes equal or 1."""
    rank = max(map(len, shapes))
    found = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            need(size == found[axis] or 1 in (size, found[axis]), f"{list(shapes)} don't broadcast")
            found[axis] = size if found[axis] == 1 else found[axis]
    return tuple(found)


Apply = Callable[[Node], Any]
OPERATORS: dict[str, Apply] = {}  # the package fills it from those of its modules


class Operators(dict[str, Apply]):
    """A module's operators: what each makes of its inputs, a tensor or a list of them."""

    def __call__(self, *names: str) -> Callable[[Apply], Apply]:
        """Enter a function for operators of these names."""

        def enter(apply: Apply) -> Apply:
            for name in names:
                assert name not in self, name
                self[name] = apply
            return apply

        return enter


@dataclass
class Outcome:
    """What became of a model: its tensors, which nodes fail and why, and which weren't decided."""

    tensors: dict[str, T] = field(default_factory=dict)
    failing: dict[str, str] = field(default_factory=dict)
    undecided: dict[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """ "fails", "undecided" or "runs"."""
        return "fails" if self.failing else "undecided" if self.undecided else "runs"


def evaluate(model: onnx.ModelProto, inputs: Mapping[str, T]) -> Outcome:
    """Every node of a model on these inputs."""
    opsets = {o.domain: o.version for o in model.opset_import}
    functions = {(f.domain, f.name): f for f in model.functions}
    return walk(model.graph, inputs, opsets, functions)


def walk(
    graph: onnx.GraphProto | onnx.FunctionProto, given: Mapping[str, T], opsets: Mapping[str, int], functions: Any
) -> Outcome:
    """The nodes of a graph, in order; `given` has what surrounds it too."""
    found = Outcome(dict(given))
    for tensor in graph.initializer if isinstance(graph, onnx.GraphProto) else ():
        found.tensors.setdefault(tensor.name, known(numpy_helper.to_array(tensor)))
    for index, proto in enumerate(graph.node):
        name = proto.name or f"{proto.op_type}_{index}"
        if not all(n in found.tensors for n in proto.input if n):
            found.undecided[name] = "an input isn't known"
            continue
        try:
            made = _made(proto, found.tensors, opsets, functions)
        except Fails as error:
            found.failing[name] = str(error)
        except Undecided as error:
            found.undecided[name] = str(error)
        else:
            found.tensors.update((n, t) for n, t in zip(proto.output, made, strict=False) if n and t is not None)
    return found


def _made(proto: onnx.NodeProto, tensors: Mapping[str, T], opsets: Mapping[str, int], functions: Any) -> list[Any]:
    ins = [tensors[n] if n else None for n in proto.input]
    body = functions.get((proto.domain, proto.op_type))
    if body is not None:
        return _called(body, proto, ins, functions)
    if proto.domain not in ("", "ai.onnx") or proto.op_type not in OPERATORS:
        raise Undecided(f"{proto.domain}.{proto.op_type} isn't written down")
    node = Node(proto, ins, opsets.get("", 1), tensors)
    node.opsets, node.functions = dict(opsets), functions
    made = OPERATORS[proto.op_type](node)
    return [made] if isinstance(made, T) else list(made)


def _called(body: onnx.FunctionProto, proto: onnx.NodeProto, ins: Sequence[T | None], functions: Any) -> list[Any]:
    if body.attribute or body.attribute_proto:
        raise Undecided("a function with attributes")
    given = {n: t for n, t in zip(body.input, ins, strict=False) if t is not None}
    return results(walk(body, given, {o.domain: o.version for o in body.opset_import}, functions), body.output)


def results(inner: Outcome, names: Sequence[str]) -> list[T]:
    """The outputs of a graph inside; it fails where one of its nodes does."""
    for why in inner.failing.values():
        raise Fails(why)
    for why in inner.undecided.values():
        raise Undecided(why)
    return [inner.tensors[n] for n in names]
