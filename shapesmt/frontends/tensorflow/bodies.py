"""Convert the nodes of a `GraphDef` and of its functions to one graph: inline calls, and use ONNX's control flow.

A node keeps its name if that is free; otherwise the name of the call precedes it (`call/node`). The graph has the
nodes that its outputs need, and nodes that assert something or fill a table; others are left out.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, TypeAlias

from shapesmt.base.errors import ModelError, printable
from shapesmt.frontends.tensorflow.body import DOMAIN, EFFECTS, Body, output_names
from shapesmt.frontends.tensorflow.operators import Operator
from shapesmt.frontends.tensorflow.protos import Proto
from shapesmt.frontends.tensorflow.values import attributes, dtype_of, literal, read_declaration
from shapesmt.network.graph import Attributes, Literal, Node

INPUTS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
_DEPTH, _NODES, _OUTPUTS = 100, 200_000, 10_000
"""Limits above which a file is refused: depth of nested calls, nodes after inlining, outputs of a node."""
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_SAME = ("Enter", "PlaceholderWithDefault", "ReadVariableOp")  # a placeholder that is no input returns its default
_GATES = ("Exit", "Switch")
_NONE = ("SparseCross", "SparseCrossV2")  # operators with list inputs that may be empty


class Region(NamedTuple):
    """The nodes of a branch or loop that become one ONNX node: those before a `Merge` or an `Exit`."""

    needs: Sequence[str]
    """The tensors that the region reads."""
    written: Callable[[], list[str]]
    """A function that adds the ONNX node to the scope's body, and returns the outputs of the `Merge` or `Exit`."""


class Library:
    """The functions of a file, and the names that are in use while it is read.

    Args:
        source: The file's name in messages.
        functions: The functions that the file defines.
        operators: The numbers of inputs and outputs of operators.
        control: Functions that convert operators that branch or loop (`If`, `While`).
        region: Finds the region before a `Merge` or an `Exit`: branches and loops of TensorFlow 1.
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
        """Return the error to raise: the text, with the file and the function that is being read."""
        inside = f", in function '{printable(self.calling[-1])}'" if self.calling else ""
        return ModelError(f"{self.source}{inside}: {text}")

    def unique(self, name: str) -> str:
        """Return the name itself if it is free, else with a number appended: `x_1`."""
        if name in self.taken:
            name = next(f"{name}_{i}" for i in count(1) if f"{name}_{i}" not in self.taken)
        self.taken.add(name)
        return name

    def function(self, name: str) -> Proto:
        """Return a function of the file by its name."""
        if name not in self.functions:
            raise self.refuse(f"it has no function '{printable(name)}'")
        return self.functions[name]

    def results(self, function: Proto) -> list[str]:
        """Return the tensors that a function returns, in order."""
        names = [result.name for result in function.signature.output_arg]
        missing = next((name for name in names if name not in function.ret), None)
        if missing is not None:
            text = f"nothing is said to be the result '{printable(missing)}' of function"
            raise self.refuse(f"{text} '{printable(function.signature.name)}'")
        return [function.ret[name] for name in names]

    def call(self, body: Body, called: Proto, arguments: Sequence[str], path: str) -> list[str]:
        """Inline a function, and return the tensors that are its results.

        Args:
            body: The body to which its nodes are added.
            called: The attribute with the function's name and the values of its attributes (`NameAttrList`).
            arguments: The tensors that are passed to it.
            path: The prefix for names that are in use.
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
        arguments_by_name = {name: [tensor] for name, tensor in zip(names, arguments, strict=True)}
        scope = Scope(self, body, function.node_def, arguments_by_name, path, called.attr)
        results = scope.tensors(self.results(function), function.control_ret.values())
        self.calling.pop()
        return results

    def unchanged_inputs(self, called: Proto) -> list[bool]:
        """Return for each input of a loop's body whether an iteration returns it unchanged."""
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
        converted: Mapping[str, list[str]],
        path: str = "",
        attributes: Mapping[str, Proto] | None = None,
    ) -> None:
        self.library = library
        self.body = body
        self.path = path
        self.attributes = attributes or {}
        self.converted: MutableMapping[str, list[str]] = dict(converted)
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

    def within(self, body: Body, path: str, converted: Mapping[str, list[str]]) -> Scope:
        """Return a scope of the same nodes for a subgraph, which may read this scope's tensors.

        `converted` has the outputs of nodes that are converted already, such as the switches before a branch.
        """
        inner = copy(self)
        inner.body, inner.path, inner.regions, inner.loops = body, path, {}, {}
        inner.converted, inner.blocks = ChainMap(dict(converted), self.converted), ChainMap({}, self.blocks)
        return inner

    def tensors(self, references: Sequence[str], also: Iterable[str] = ()) -> list[str]:
        """Return the tensors of some references (`node:1`), after adding the nodes that they and `also` need."""
        unread = () if self.read else self.protos.values()
        for reference in (*references, *(r for proto in unread for r in proto.input if r[:1] != "^")):
            name, output, index = self.parts(reference)
            outputs = self.read.setdefault(name, {})
            outputs[output] = max(outputs.get(output, 0), index + 1)
        self.results = {reference.partition(":")[0] for reference in references}
        roots = [reference.partition(":")[0] for reference in (*references, *also)]
        for proto in self.in_order(roots):
            self.converted[proto.name] = self.outputs(proto)
        return [self.tensor(reference) for reference in references]

    def parts(self, reference: str) -> tuple[str, str, int]:
        """Return node, output and index of a reference: `node`, `node:1`, or in functions `node:output:1`."""
        name, *rest = reference.split(":")
        index = rest.pop() if rest and rest[-1].isdecimal() and len(rest[-1]) < 6 else "0"
        if len(rest) > 1 or not index.isascii():
            raise self.library.refuse(f"it reads '{printable(reference)}', which is no tensor's name")
        return name, rest[0] if rest else "", int(index)

    def tensor(self, reference: str, reader: Proto = None) -> str:
        """Return the tensor of a reference; `reader` is for the error message, None for an output of the graph."""
        name, output, index = self.parts(reference)
        blocks, tensors = self.blocks.get(name, {}), self.converted.get(name, [])
        for block, size in blocks.items() if output else ():
            if block == output:
                tensors = tensors[:size]
                break
            tensors = tensors[size:]
        else:
            tensors = [] if output and blocks else tensors
        if index >= len(tensors):
            raise self.absent(reference, reader)
        return tensors[index]

    def absent(self, reference: str, reader: Proto) -> ModelError:
        """Return the error for a reference to a tensor that no node computes."""
        who = "an output" if reader is None else title(reader)
        return self.library.refuse(f"{who} reads '{printable(reference)}', which nothing makes")

    def in_order(self, roots: Iterable[str]) -> Iterator[Proto]:
        """Yield the nodes that the roots need, in topological order, otherwise in the order of the file."""
        reached, ahead = set[str](), [(root, None) for root in roots]
        while ahead:
            name, reader = ahead.pop()
            if name not in reached and name not in self.converted:
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
                missing = [name for name in self.nodes(proto) if name not in self.converted]
                if proto.name in self.converted or not missing:
                    stack.pop()
                    if proto.name not in self.converted:
                        yield proto
                elif proto.name in opened:
                    raise self.library.refuse(f"its nodes form a cycle through {title(proto)}")
                else:
                    opened.add(proto.name)
                    stack += reversed(missing)

    def needs(self, proto: Proto) -> Sequence[str]:
        """Return the tensors that a node, or the region that replaces it, reads."""
        if proto.name not in self.regions:
            self.regions[proto.name] = None  # while the search runs, which may get here again
            self.regions[proto.name] = self.library.region(self, proto)
        region = self.regions[proto.name]
        return region.needs if region is not None else () if proto.op == "NextIteration" else proto.input

    def nodes(self, proto: Proto) -> list[str]:
        """Return the nodes that a node needs, without those before the back edge of a loop (`NextIteration`)."""
        return [reference.lstrip("^").partition(":")[0] for reference in self.needs(proto)]

    def label(self, name: str) -> str:
        """Return a unique name for a node or its output."""
        taken = name in self.library.taken and self.path
        return self.library.unique(f"{self.path}/{name}" if taken else name)

    def layout(self, proto: Proto) -> dict[str, int]:
        """Return the names of a node's outputs, each with its number of tensors.

        For an unknown operator, these are the outputs that other nodes read.
        """
        operator = self.library.operators.get(proto.op)
        if operator is None or operator.outputs is None:
            counts = self.read.get(proto.name) or {"": 1}
        else:
            counts = {output.name: self.number(proto, output.many) or 0 for output in operator.outputs}
        if not 0 <= sum(counts.values()) <= _OUTPUTS or min(counts.values(), default=0) < 0:
            raise self.library.refuse(f"{title(proto)} has {sum(counts.values())} outputs")
        return counts

    def number(self, proto: Proto, attribute: str) -> int | None:
        """Return the number of inputs or outputs that an attribute states: its value, or the length of its type list.

        It is 1 if `attribute` is "", None if the node leaves the attribute out.
        """
        value = proto.attr.get(attribute) if attribute else None
        if value is None:
            return None if attribute else 1
        value = self.attributes.get(value.placeholder, value)
        return len(value.list.type) if value.WhichOneof("value") == "list" else int(value.i)

    def refuse_other_inputs(self, proto: Proto, count: int) -> None:
        """Refuse a node whose number of inputs doesn't fit its operator."""
        operator = self.library.operators.get(proto.op)
        if operator is None or operator.inputs is None:
            return
        counts = [self.number(proto, attribute) for attribute in operator.inputs]
        least = [int(attribute == "" or (attribute == "N" and proto.op not in _NONE)) for attribute in operator.inputs]
        expected = sum(max(number or 0, few) for number, few in zip(counts, least, strict=True))
        if count < expected or (None not in counts and count != expected):
            raise self.library.refuse(f"{title(proto)} has {count} input{'s' * (count != 1)}, not {expected}")

    def outputs(self, proto: Proto) -> list[str]:
        """Add a node to the body, and return its output tensors."""
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
        """Add a node of an operator without special treatment."""
        self.refuse_other_inputs(proto, len(reads))
        self.blocks[proto.name] = self.layout(proto)
        names = output_names(label, sum(self.blocks[proto.name].values()))
        if names or proto.op in EFFECTS:
            settings = Attributes(attributes(proto.attr, self.attributes))
            self.body.nodes.append(Node(proto.op, DOMAIN, label, reads, names, settings))
        claims = proto.attr["_output_shapes"].list.shape if "_output_shapes" in proto.attr else ()
        if len(claims) == len(names):
            self.body.declared.update(zip(names, (read_declaration("", shape) for shape in claims), strict=True))
        return names

    def variable(self, proto: Proto, label: str) -> str:
        """Add a variable: a constant with unknown elements, or a node if its shape isn't known."""
        dtype, shape = dtype_of(proto.attr["dtype"].type), read_declaration("", proto.attr["shape"].shape).shape
        sizes = tuple(size for size in shape or () if isinstance(size, int))
        if shape is None or len(sizes) < len(shape):
            settings = Attributes(attributes(proto.attr, self.attributes))
            self.body.nodes.append(Node(proto.op, DOMAIN, label, [], [label], settings))
        else:
            self.body.literals[label] = Literal(dtype, sizes, missing="it is a variable")
        return label


@dataclass
class _Called:
    """A function called as an operator."""

    name: str
    attr: Mapping[str, Proto]


def title(proto: Proto) -> str:
    """Return a node's name and operator for messages."""
    return f"node '{printable(proto.name)}' ({printable(proto.op)})"


Control: TypeAlias = Callable[[Scope, Proto, str, Sequence[str]], list[str]]
"""A function that converts a node: from scope, node, name and inputs to outputs; it adds nodes to the scope's body."""
