"""Reads one exported program: its inputs, its nodes, and the sizes that the file claims."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from shapesmt.errors import ModelError, printable
from shapesmt.frontends.torch.arguments import Arguments, constant_of, names_of, outputs_of, tensor_named
from shapesmt.frontends.torch.control import Body, converted
from shapesmt.frontends.torch.fields import MisfitError, entries, optional, record, records, text, variant
from shapesmt.frontends.torch.guards import guards_node
from shapesmt.frontends.torch.paths import placeholders
from shapesmt.frontends.torch.sizes import Sizes, dtype_of, shape_of
from shapesmt.frontends.torch.sources import Sources
from shapesmt.graph import Attributes, Declared, Graph, Literal, Node, ordered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DOMAIN", "read_program"]

DOMAIN = "torch"
ONNX_OPSET = 22  # of the `If`, `Loop` and `Scan` that higher-order operators become

_MAJOR = 8
_MOST_NODES = 200_000
_MOST_DEPTH = 40  # of graphs inside graphs
_HIGHER = "higher_order."
_NUMBERS = {"as_int": "int64", "as_float": "float64", "as_bool": "bool"}
_LIFTED = {"parameter": "parameter_name", "buffer": "buffer_name", "tensor_constant": "tensor_constant_name"}


def read_program(document: Mapping[str, Any], source: str) -> Graph:
    """The graph of a program.

    Raises:
        ModelError: It is of another version, damaged, or contradicts itself.
    """
    version = document.get("schema_version")
    major = version.get("major") if isinstance(version, dict) else version
    if major != _MAJOR:
        shown = printable(str(major), 20)
        raise ModelError(f"{source}: a PyTorch program of schema {shown}; schema {_MAJOR} is read (PyTorch 2.6 and on)")
    try:
        return _Program(document, source).graph()
    except MisfitError as error:
        raise ModelError(f"{source}: it isn't as torch.export writes it: {error}") from None
    except (MemoryError, OverflowError, RecursionError):
        raise ModelError(f"{source}: too large to read") from None


class _Program:
    """One program while it is read."""

    def __init__(self, document: Mapping[str, Any], source: str) -> None:
        self.document, self.source = document, source
        self.module = record(document.get("graph_module"))
        self.sizes = Sizes()
        self.taken: set[str] = set()
        self.notes: dict[str, Mapping[str, object]] = {}
        self.count = self.depth = 0

    def graph(self) -> Graph:
        """The program as a graph."""
        graph = record(self.module.get("graph"))
        signature = record(self.module.get("signature"))
        metas = record(graph.get("tensor_values"))
        inputs, literals = self.inputs(records(signature.get("input_specs")), metas)
        names = {name: self.unique(name) for name in (*inputs, *literals)}
        nodes = self.nodes(graph, names)
        declared = {names[name]: self.sizes.declared(meta) for name, meta in metas.items() if name in names}
        guards = guards_node(self.document, inputs, metas, placeholders(self.module))
        outputs = [names[name] for argument in entries(graph.get("outputs")) for name in names_of(argument) if name]
        outputs = list(dict.fromkeys(outputs))
        nodes = [*ordered(nodes, [*inputs, *literals], self.source, needed=outputs), *guards]
        return Graph(
            "torch.export",
            inputs,
            outputs,
            nodes,
            literals,
            declared,
            {DOMAIN: 1, "": ONNX_OPSET},
            source=self.source,
            source_line=Sources(self.notes),
            exporter=f"PyTorch {printable(str(self.document.get('torch_version', '')), 40)}",
        )

    def inputs(
        self, specs: Sequence[Mapping[str, Any]], metas: Mapping[str, Any]
    ) -> tuple[dict[str, Declared], dict[str, Literal]]:
        """The inputs of a run, and the tensors that belong to the program."""
        inputs: dict[str, Declared] = {}
        literals: dict[str, Literal] = {}
        shapes = {}
        for kind, spec in map(variant, specs):
            if kind in _LIFTED:
                name = text(record(spec.get("arg")).get("name"))
                literals[name] = self.literal(record(metas.get(name)))
            elif kind == "user_input":
                argument, _ = variant(spec.get("arg"))
                names = names_of(spec.get("arg"))
                if argument == "as_tensor":
                    meta = record(metas.get(names[0]))
                    shapes[names[0]] = shape_of(meta)
                    inputs[names[0]] = Declared(dtype_of(meta), ())
                elif argument.startswith("as_sym_") and names[0]:
                    dtype = {"as_sym_int": "int64", "as_sym_float": "float64"}.get(argument, "bool")
                    inputs[names[0]] = Declared(dtype, ())
        for name, shape in shapes.items():
            self.sizes.name(name, shape)
        for name, shape in shapes.items():
            inputs[name] = Declared(inputs[name].dtype, self.sizes.input(shape))
        return inputs, literals

    def literal(self, meta: Mapping[str, Any]) -> Literal:
        """A tensor that belongs to the program, whose elements aren't read."""
        shape = [size if isinstance(size, int) and size >= 0 else 0 for size in shape_of(meta)]
        return Literal(dtype_of(meta), shape, missing=Literal.ELSEWHERE)

    def nodes(self, graph: Mapping[str, Any], names: dict[str, str]) -> list[Node]:
        """The nodes of a graph; the names of their outputs are added to `names`."""
        nodes: list[Node] = []
        listed = records(graph.get("nodes"))
        self.count += len(listed)
        if self.count > _MOST_NODES:
            raise ModelError(f"{self.source}: a program of {self.count:,} nodes; at most {_MOST_NODES:,} are read")
        for node in listed:
            nodes += self.node(node, names)
        return nodes

    def node(self, node: Mapping[str, Any], names: dict[str, str]) -> list[Node]:
        """What a node becomes: one node or, for a higher-order operator, several."""
        op = text(node.get("target")).removeprefix("torch.ops.")
        written = outputs_of(node.get("outputs"))
        name = text(optional(node, "name", "")) or next(filter(None, written), "") or op
        notes = node.get("metadata")
        if isinstance(notes, dict):
            self.notes.setdefault(name, notes)
        control = converted(self, node, op, name, names) if op.startswith(_HIGHER) else None
        if control is not None:
            return control([self.output(each, names) for each in written])
        arguments = Arguments(names)
        for argument in records(node.get("inputs")):
            arguments.add(text(argument.get("name")), argument.get("arg"))
        written = outputs_of(node.get("outputs"))
        outputs = [self.output(name, names) for name in written]
        name = (
            text(optional(node, "name", "")) or next(filter(None, written), "") or op.split(".")[-2 if "." in op else 0]
        )
        return [Node(op, DOMAIN, name, arguments.inputs, outputs, Attributes(arguments.result()))]

    def body(self, graph: Mapping[str, Any], operands: Sequence[str]) -> Body:
        """The content of a graph inside a node, whose inputs are these tensors."""
        if self.depth == _MOST_DEPTH:
            raise ModelError(f"{self.source}: its graphs are nested deeper than {_MOST_DEPTH}")
        self.depth += 1
        parameters = [name for argument in entries(graph.get("inputs")) for name in names_of(argument)]
        if len(parameters) != len(operands):
            raise MisfitError(f"a graph of {len(parameters)} inputs is given {len(operands)}")
        names = {name: operand for name, operand in zip(parameters, operands, strict=True) if name}
        nodes, literals, outputs = self.nodes(graph, names), {}, []
        for argument in entries(graph.get("outputs")):
            kind, value = variant(argument)
            if kind in _NUMBERS:
                number = constant_of(kind, value)
                outputs.append(self.unique("number"))
                literals[outputs[-1]] = Literal(
                    _NUMBERS[kind], (), [number] if isinstance(number, (int, float)) else None
                )
            elif kind != "as_none":
                outputs += [tensor_named(name, names) for name in names_of(argument)]
        self.depth -= 1
        return Body(nodes, outputs, literals)

    def output(self, name: str, names: dict[str, str]) -> str:
        """The tensor that a node's output becomes."""
        if not name:
            return ""
        if name in names:
            raise MisfitError(f"two nodes make '{printable(name)}'")
        names[name] = self.unique(name)
        return names[name]

    def unique(self, name: str) -> str:
        """The name itself if it is free, else with a number behind it: `x:1`."""
        if name in self.taken:
            name = next(f"{name}:{i}" for i in count(1) if f"{name}:{i}" not in self.taken)
        self.taken.add(name)
        return name
