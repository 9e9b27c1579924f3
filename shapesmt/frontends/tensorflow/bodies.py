"""The nodes of a `GraphDef` and of its functions as one graph: calls are written out, control flow becomes ONNX's.

A node keeps its name where that is free, and has that of the call before it otherwise. What the outputs need is kept,
and what asserts something or fills a table; the rest is never run, or writes variables.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, TypeAlias

from shapesmt.errors import ModelError, printable
from shapesmt.frontends.tensorflow.body import DOMAIN, EFFECTS, Body, numbered
from shapesmt.frontends.tensorflow.operators import Operator
from shapesmt.frontends.tensorflow.protos import Proto
from shapesmt.frontends.tensorflow.values import attributes, declared, dtype_of, literal
from shapesmt.graph import Attributes, Literal, Node

__all__ = ["INPUTS", "VARIABLES", "Control", "Library", "Region", "Scope", "title"]

INPUTS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
_DEPTH, _NODES, _OUTPUTS = 100, 200_000, 10_000
"""Calls nested deeper are refused, more nodes once all calls are written out, and more outputs of one."""
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_SAME = ("Enter", "PlaceholderWithDefault", "ReadVariableOp")  # the second where nobody gives another value
_GATES = ("Exit", "Switch")
_NONE = ("SparseCross", "SparseCrossV2")  # they take lists that may be empty


class Region(NamedTuple):
    """What stands for a node and others before it."""

    needs: Sequence[str]
    """The tensors that it reads."""
    written: Callable[[], list[str]]
    """Adds nodes to the scope's body; what the node makes."""


class Library:
    """A file that is being read: its functions, and the names that something has already.

    Args:
        source: What to call the file in a message.
        functions: Those that the file defines.
        operators: What is known of operators.
        control: What makes nodes of the operators that branch or loop.
        region: What finds the nodes that branch or loop where no operator does.
    """

    def __init__(
        self,
        source: str,
        functions: Iterable[Proto],
        operators: Mapping[str, Operator],
        control: Mapping[str, Control],
        region: Callable[[Scope, Proto], Region | None],
    ) -> None:
        self.source = source
        self.operators = operators
        self.control = control
        self.region = region
        self.functions = {function.signature.name: function for function in functions}
        self.taken: set[str] = set()
        self.calling: list[str] = []
        self.nodes = 0

    def refuse(self, text: str) -> ModelError:
        """What to raise."""
        inside = f", in function '{printable(self.calling[-1])}'" if self.calling else ""
        return ModelError(f"{self.source}{inside}: {text}")

    def unique(self, name: str) -> str:
        """The name, or one like it that nothing has yet."""
        if name in self.taken:
            name = next(f"{name}_{i}" for i in count(1) if f"{name}_{i}" not in self.taken)
        self.taken.add(name)
        return name

    def function(self, name: str) -> Proto:
        """One of its functions."""
        if name not in self.functions:
            raise self.refuse(f"it has no function '{printable(name)}'")
        return self.functions[name]

    def results(self, function: Proto) -> list[str]:
        """What a function returns, in order."""
        names = [result.name for result in function.signature.output_arg]
        missing = next((name for name in names if name not in function.ret), None)
        if missing is not None:
            text = f"nothing is said to be the result '{printable(missing)}' of function"
            raise self.refuse(f"{text} '{printable(function.signature.name)}'")
        return [function.ret[name] for name in names]

    def call(self, body: Body, called: Proto, arguments: Sequence[str], path: str) -> list[str]:
        """A function written out; its results.

        Args:
            body: What its nodes are added to.
            called: The attribute that names it, and gives its own attributes (`NameAttrList`).
            arguments: The tensors that it is called with.
            path: What to put before names that something has already.
        """
        function = self.function(called.name)
        names = [argument.name for argument in function.signature.input_arg]
        if called.name in self.calling:
            raise self.refuse(f"function '{printable(called.name)}' calls itself, or another that does")
        if len(self.calling) == _DEPTH:
            raise self.refuse(f"calls are nested deeper than {_DEPTH}")
        if len(names) != len(arguments):
            text = f"function '{printable(called.name)}' takes {len(names)} inputs, and is given {len(arguments)}"
            raise self.refuse(text)
        self.calling.append(called.name)
        given = {name: [tensor] for name, tensor in zip(names, arguments, strict=True)}
        scope = Scope(self, body, function.node_def, given, path, called.attr)
        found = scope.tensors(self.results(function), function.control_ret.values())
        self.calling.pop()
        return found

    def kept(self, called: Proto) -> list[bool]:
        """Of each input of a loop's body whether every trip leaves it as it is."""
        function = self.function(called.name)
        nodes, results = {node.name: node for node in function.node_def}, self.results(function)
        for i, result in enumerate(results):
            for _ in range(len(nodes)):
                node = nodes.get(result.partition(":")[0])
                if node is None or node.op != "Identity" or not node.input:
                    break
                result = node.input[0]
            results[i] = result
        names = [argument.name for argument in function.signature.input_arg]
        if len(names) != len(results):
            text = f"function '{printable(called.name)}' takes {len(names)} inputs and makes {len(results)} outputs"
            raise self.refuse(f"{text}; a loop's body makes as many as it takes")
        return [result == name for name, result in zip(names, results, strict=True)]


class Scope:
    """The nodes of a graph or of a function while they are added to a body."""

    def __init__(
        self,
        library: Library,
        body: Body,
        protos: Iterable[Proto],
        given: Mapping[str, list[str]],
        path: str = "",
        attributes: Mapping[str, Proto] | None = None,
    ) -> None:
        self.library = library
        self.body = body
        self.path = path
        self.attributes = attributes or {}
        self.made: MutableMapping[str, list[str]] = dict(given)
        self.blocks: MutableMapping[str, dict[str, int]] = {}
        self.protos: dict[str, Proto] = {}
        self.after: dict[str, list[Proto]] = {}
        for proto in protos:
            if not proto.op or proto.name in self.protos:
                raise library.refuse(f"two nodes are called '{printable(proto.name)}', or it has no operator")
            if not proto.name or ":" in proto.name or proto.name[0] == "^":
                raise library.refuse(f"'{printable(proto.name)}' can't be the name of a node")
            self.protos[proto.name] = proto
            if proto.op in _GATES and proto.input:
                self.after.setdefault(proto.input[-1].partition(":")[0], []).append(proto)
        self.places = {name: i for i, name in enumerate(self.protos)}
        self.read: dict[str, dict[str, int]] = {}
        self.results: set[str] = set()
        self.regions: dict[str, Region | None] = {}
        self.loops: dict[str, Region | None] = {}

    def within(self, body: Body, path: str, given: Mapping[str, list[str]]) -> Scope:
        """The same nodes for a body inside, which reads tensors outside; those in `given` have outputs already."""
        inner = copy(self)
        inner.body, inner.path, inner.regions, inner.loops = body, path, {}, {}
        inner.made, inner.blocks = ChainMap(dict(given), self.made), ChainMap({}, self.blocks)
        return inner

    def tensors(self, wanted: Sequence[str], also: Iterable[str] = ()) -> list[str]:
        """The tensors that are meant; what they need is added to the body, and what other nodes need as well."""
        unread = () if self.read else self.protos.values()
        for reference in (*wanted, *(r for proto in unread for r in proto.input if r[:1] != "^")):
            name, output, index = self.parts(reference)
            outputs = self.read.setdefault(name, {})
            outputs[output] = max(outputs.get(output, 0), index + 1)
        self.results = {reference.partition(":")[0] for reference in wanted}
        roots = [reference.partition(":")[0] for reference in (*wanted, *also)]
        for proto in self.in_order(roots):
            self.made[proto.name] = self.outputs(proto)
        return [self.tensor(reference) for reference in wanted]

    def parts(self, reference: str) -> tuple[str, str, int]:
        """Which output of which node a text means: `node`, `node:1`, or inside functions `node:output:1`."""
        name, *rest = reference.split(":")
        index = rest.pop() if rest and rest[-1].isdecimal() and len(rest[-1]) < 6 else "0"
        if len(rest) > 1 or not index.isascii():
            raise self.library.refuse(f"it reads '{printable(reference)}', which is no tensor's name")
        return name, rest[0] if rest else "", int(index)

    def tensor(self, reference: str, reader: Proto = None) -> str:
        """The tensor that a text means; without a reader an output."""
        name, output, index = self.parts(reference)
        blocks, made = self.blocks.get(name, {}), self.made.get(name, [])
        for block, size in blocks.items() if output else ():
            if block == output:
                made = made[:size]
                break
            made = made[size:]
        else:
            made = [] if output and blocks else made
        if index >= len(made):
            raise self.absent(reference, reader)
        return made[index]

    def absent(self, reference: str, reader: Proto) -> ModelError:
        """What to raise where nothing makes what is read."""
        who = "an output" if reader is None else title(reader)
        return self.library.refuse(f"{who} reads '{printable(reference)}', which nothing makes")

    def in_order(self, roots: Iterable[str]) -> Iterator[Proto]:
        """The nodes that the roots need, each after those that it needs, otherwise as the file lists them."""
        reached, ahead = set[str](), [(root, None) for root in roots]
        while ahead:
            name, reader = ahead.pop()
            if name not in reached and name not in self.made:
                reached.add(name)
                proto = self.protos.get(name)
                if proto is None:
                    raise self.absent(name, reader)
                ahead += [(needed, proto) for needed in self.nodes(proto)]
        opened = set[str]()
        for start in sorted(reached, key=self.places.__getitem__):
            stack = [start]
            while stack:
                proto = self.protos[stack[-1]]
                missing = [name for name in self.nodes(proto) if name not in self.made]
                if proto.name in self.made or not missing:
                    stack.pop()
                    if proto.name not in self.made:
                        yield proto
                elif proto.name in opened:
                    raise self.library.refuse(f"its nodes form a cycle through {title(proto)}")
                else:
                    opened.add(proto.name)
                    stack += reversed(missing)

    def needs(self, proto: Proto) -> Sequence[str]:
        """What is read by a node, or by what stands for it."""
        if proto.name not in self.regions:
            self.regions[proto.name] = None  # until it is known, lest one asks for itself
            self.regions[proto.name] = self.library.region(self, proto)
        region = self.regions[proto.name]
        return region.needs if region is not None else () if proto.op == "NextIteration" else proto.input

    def nodes(self, proto: Proto) -> list[str]:
        """The nodes that come before one; what goes around a loop is left out."""
        return [reference.lstrip("^").partition(":")[0] for reference in self.needs(proto)]

    def label(self, name: str) -> str:
        """What to call a node, or a tensor that a node makes."""
        taken = name in self.library.taken and self.path
        return self.library.unique(f"{self.path}/{name}" if taken else name)

    def layout(self, proto: Proto) -> dict[str, int]:
        """The names of a node's outputs, and how many each stands for; of unknown operators those that are read."""
        operator = self.library.operators.get(proto.op)
        if operator is None or operator.outputs is None:
            found = self.read.get(proto.name) or {"": 1}
        else:
            found = {output.name: self.number(proto, output.many) or 0 for output in operator.outputs}
        if not 0 <= sum(found.values()) <= _OUTPUTS or min(found.values(), default=0) < 0:
            raise self.library.refuse(f"{title(proto)} has {sum(found.values())} outputs")
        return found

    def number(self, proto: Proto, attribute: str) -> int | None:
        """How many inputs or outputs an attribute says that there are; None where it is left out."""
        value = proto.attr.get(attribute) if attribute else None
        if value is None:
            return None if attribute else 1
        value = self.attributes.get(value.placeholder, value)
        return len(value.list.type) if value.WhichOneof("value") == "list" else int(value.i)

    def refuse_other_inputs(self, proto: Proto, count: int) -> None:
        """A node has as many inputs as its operator takes."""
        operator = self.library.operators.get(proto.op)
        if operator is None or operator.inputs is None:
            return
        counts = [self.number(proto, attribute) for attribute in operator.inputs]
        least = [int(attribute == "" or (attribute == "N" and proto.op not in _NONE)) for attribute in operator.inputs]
        expected = sum(max(number or 0, few) for number, few in zip(counts, least, strict=True))
        if count < expected or (None not in counts and count != expected):
            raise self.library.refuse(f"{title(proto)} has {count} input{'s' * (count != 1)}, not {expected}")

    def outputs(self, proto: Proto) -> list[str]:
        """A node added to the body; the tensors that it makes."""
        self.library.nodes += 1
        if self.library.nodes > _NODES:
            raise self.library.refuse(f"more than {_NODES} nodes once its calls are written out")
        op, region = proto.op, self.regions.get(proto.name)
        if region is not None:
            return region.written()
        reads = [self.tensor(r, proto) for r in proto.input if r[:1] != "^" and op != "NextIteration"]
        if op in self.library.functions:
            results = self.library.functions[op].signature.output_arg
            self.blocks[proto.name] = {result.name: 1 for result in results}
            return self.library.call(self.body, _Called(op, proto.attr), reads, self.label(proto.name))
        if op in _CALLS:
            return self.library.call(self.body, proto.attr["f"].func, reads, self.label(proto.name))
        if reads and (op in _SAME or (op == "Identity" and self.path and proto.name in self.results)):
            return reads[:1]
        if op in INPUTS:
            raise self.library.refuse(f"its outputs need {title(proto)}, which is no input of the signature")
        label = self.label(proto.name)
        if op in self.library.control:
            return self.library.control[op](self, proto, label, reads)
        if op == "Const":
            self.body.literals[label] = literal(proto.attr["value"].tensor, f"{self.library.source}: {title(proto)}")
            return [label]
        if op in VARIABLES:
            return [self.variable(proto, label)]
        return self.node(proto, label, reads)

    def node(self, proto: Proto, label: str, reads: Sequence[str]) -> list[str]:
        """Any other operator."""
        self.refuse_other_inputs(proto, len(reads))
        self.blocks[proto.name] = self.layout(proto)
        names = numbered(label, sum(self.blocks[proto.name].values()))
        if names or proto.op in EFFECTS:
            settings = Attributes(attributes(proto.attr, self.attributes))
            self.body.nodes.append(Node(proto.op, DOMAIN, label, reads, names, settings))
        claims = proto.attr["_output_shapes"].list.shape if "_output_shapes" in proto.attr else ()
        if len(claims) == len(names):
            self.body.declared.update(zip(names, (declared("", shape) for shape in claims), strict=True))
        return names

    def variable(self, proto: Proto, label: str) -> str:
        """A variable: a tensor of its shape."""
        dtype, shape = dtype_of(proto.attr["dtype"].type), declared("", proto.attr["shape"].shape).shape
        sizes = tuple(size for size in shape or () if isinstance(size, int))
        if shape is None or len(sizes) < len(shape):
            settings = Attributes(attributes(proto.attr, self.attributes))
            self.body.nodes.append(Node(proto.op, DOMAIN, label, [], [label], settings))
        else:
            self.body.literals[label] = Literal(dtype, sizes, missing="it is a variable")
        return label


@dataclass
class _Called:
    """A function that is called as an operator."""

    name: str
    attr: Mapping[str, Proto]


def title(proto: Proto) -> str:
    """What to call a node in a message."""
    return f"node '{printable(proto.name)}' ({printable(proto.op)})"


Control: TypeAlias = Callable[[Scope, Proto, str, Sequence[str]], list[str]]
"""Of a node in a scope, its name and what it reads: adds nodes to the scope's body, and returns what they make."""
