"""Read one exported program: its inputs, its nodes, and the sizes that the file declares."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Protocol

from shapesmt.base.errors import ModelError, printable
from shapesmt.frontends.torch.aliases import Memory
from shapesmt.frontends.torch.arguments import (
    NUMBER_TYPES,
    Arguments,
    constant_of,
    names_of,
    outputs_of,
    tensor_named,
)
from shapesmt.frontends.torch.control import CAST, Body, convert, effect
from shapesmt.frontends.torch.fields import MisfitError, entries, optional, record, records, text, variant
from shapesmt.frontends.torch.guards import fixed_axes, guards_node, read_guards
from shapesmt.frontends.torch.paths import names_by_argument, placeholders
from shapesmt.frontends.torch.sizes import Sizes, dtype_of, memory_of, recorded, shape_of
from shapesmt.frontends.torch.sources import Sources
from shapesmt.network.graph import Attributes, Declared, Graph, Literal, Node, Runtime, sort_nodes

DOMAIN = "torch"
TOKEN = ""
"""The tensor name for tokens, which order operators with effects: "", no tensor."""
UNGUARDED = (
    "this program is stored without guards, as by PyTorch 2.8 and before: "
    "what PyTorch checks of its inputs beyond ranges and equal sizes isn't known"
)
STRIDED = "strided"
"""The operator of a node that returns an input, or a constant, with its memory layout."""
ONNX_OPSET = 22  # for the `If`, `Loop` and `Scan` that higher-order operators become

_MAJOR = 8
_MOST_NODES = 100_000
_MOST_DEPTH = 40  # limit of nested graphs
_HIGHER = "higher_order."
_UNUSED = "_unused_"  # between a node's name and the number of an unused output
_NUMBERS = {"as_int": "int64", "as_float": "float64", "as_bool": "bool"}
_LIFTED = {"parameter": "parameter_name", "buffer": "buffer_name", "tensor_constant": "tensor_constant_name"}


class Literals(Protocol):
    """Looks up the tensors of an exported program by their path in the module."""

    def literal(self, name: str, dtype: str, shape: tuple[int, ...]) -> Literal:
        """Return a tensor by its path in the module."""


def read_program(document: Mapping[str, Any], constants: Literals, source: str) -> Graph:
    """Return the graph of a program, given its JSON in an archive and its constants.

    Raises:
        ModelError: The program has another schema version, is damaged, or contradicts itself.
    """
    version = document.get("schema_version", 0)
    major = version.get("major") if isinstance(version, dict) else version
    if major != _MAJOR:
        shown = printable(str(major), 20)
        raise ModelError(f"{source}: a PyTorch program of schema {shown}; schema {_MAJOR} is read (PyTorch 2.6 and on)")
    try:
        return _Program(document, constants, source).graph()
    except MisfitError as error:
        raise ModelError(f"{source}: it isn't as torch.export writes it: {error}") from None
    except (MemoryError, OverflowError, RecursionError):
        raise ModelError(f"{source}: too large to read") from None


def release(version: str) -> int:
    """Return the number of PyTorch's release, the version of its operator set; 1 if it isn't known.

    >>> release("2.14.1+cpu"), release("2.6.0"), release("")
    (214, 206, 1)
    """
    found = re.match(r"(\d{1,3})\.(\d{1,2})\b", version)
    return 100 * int(found[1]) + int(found[2]) if found else 1


def forget_elements(literal: Literal) -> Literal:
    """Return the constant without its elements: the program changes them, so they may come from an earlier run."""
    return Literal(literal.dtype, literal.shape, missing=Literal.ELSEWHERE)


class _Program:
    """One program while it is being read."""

    def __init__(self, document: Mapping[str, Any], constants: Literals, source: str) -> None:
        self.document, self.constants, self.source = document, constants, source
        self.module = record(document.get("graph_module"))
        self.sizes = Sizes()
        self.taken: set[str] = set()
        self.named: set[str] = set()
        self.notes: dict[str, Mapping[str, object]] = {}
        self.count = self.depth = 0
        self.casts = False
        self.memory = Memory({}, self.unique)
        self.metas: Mapping[str, Any] = {}
        self.tokens: dict[str, str] = {}

    def graph(self) -> Graph:
        """Return the program as a graph."""
        graph = record(self.module.get("graph"))
        signature = record(self.module.get("signature"))
        metas = record(graph.get("tensor_values"))
        inputs, literals = self.inputs(records(signature.get("input_specs")), metas)
        names = {name: name for name in (*inputs, *literals)}
        written = (outputs_of(node.get("outputs")) for node in records(graph.get("nodes")))
        self.taken.update(names, *written)  # tensors of inner graphs get other names
        apart = [*self.stride_nodes(names, metas)]
        first = dict(names)
        names |= self.tokens
        nodes = [*apart, *self.nodes(graph, names)]
        kept = {name: t if names[name] == first[name] else forget_elements(t) for name, t in literals.items()}
        computed = {n: meta for n, meta in metas.items() if n not in inputs and names.get(n, TOKEN) != TOKEN}
        declared = {name: self.sizes.declaration(meta) for name, meta in computed.items()}
        conditions = read_guards(self.document, inputs, placeholders(self.module))
        guards = guards_node(self.document, inputs, graph, conditions)
        returned = [name for argument in entries(graph.get("outputs")) for name in names_of(argument) if name]
        outputs = [name for name in dict.fromkeys(tensor_named(name, names) for name in returned) if name != TOKEN]
        nodes = [*sort_nodes(nodes, [*inputs, *literals], self.source, needed=outputs), *guards]
        return Graph(
            "torch.export",
            inputs,
            outputs,
            nodes,
            kept,
            declared,
            {DOMAIN: release(str(self.document.get("torch_version", ""))), "": ONNX_OPSET},
            source=self.source,
            runtime=Runtime.TORCH,
            aliases=self.sizes.names,
            arguments=names_by_argument(self.module),
            asked=fixed_axes(conditions, inputs),
            source_line=Sources(self.notes),
            missing="" if "guards_code" in self.document else UNGUARDED,
            exporter=f"PyTorch {printable(str(self.document.get('torch_version', '')), 40)}",
        )

    def inputs(
        self, specs: Sequence[Mapping[str, Any]], metas: Mapping[str, Any]
    ) -> tuple[dict[str, Declared], dict[str, Literal]]:
        """Return the inputs of a run, and the tensors that belong to the program."""
        inputs: dict[str, Declared] = {}
        literals: dict[str, Literal] = {}
        shapes = {}
        for kind, spec in ((kind, record(spec)) for kind, spec in map(variant, specs)):
            if kind in _LIFTED:
                name = text(record(spec.get("arg")).get("name"))
                literals[name] = self.literal(text(spec.get(_LIFTED[kind])), record(metas.get(name)))
            elif kind == "token":
                self.tokens[text(record(spec.get("arg")).get("name"))] = TOKEN
            elif kind == "user_input":
                argument, _ = variant(spec.get("arg"))
                names = names_of(spec.get("arg"))
                if argument == "as_tensor":
                    meta = record(metas.get(names[0]))
                    shapes[names[0]] = shape_of(meta)
                    inputs[names[0]] = Declared(dtype_of(meta), ())
                elif argument.startswith("as_sym_") and names[0]:
                    inputs[names[0]] = Declared(NUMBER_TYPES.get(argument, "bool"), ())
        for name, shape in shapes.items():
            self.sizes.name(name, shape)
        for name, shape in shapes.items():
            inputs[name] = Declared(inputs[name].dtype, self.sizes.input(shape))
        return inputs, literals

    def literal(self, path: str, meta: Mapping[str, Any]) -> Literal:
        """Return a tensor that belongs to the program, by its path in the module."""
        shape = [size for size in shape_of(meta) if isinstance(size, int) and size >= 0]
        if len(shape) < len(shape_of(meta)):
            raise MisfitError(f"'{printable(path)}' has sizes that aren't numbers")
        return self.constants.literal(path, dtype_of(meta), tuple(shape))

    def stride_nodes(self, names: dict[str, str], metas: Mapping[str, Any]) -> Iterator[Node]:
        """Yield a node for each tensor that isn't row-major in memory; from here on its name refers to that output."""
        for name in [*names]:
            memory = memory_of(record(metas[name])) if name in metas else None
            if memory is not None:
                names[name] = self.unique(f"{name}.{STRIDED}")
                yield Node(STRIDED, DOMAIN, names[name], [name], [names[name]], Attributes(memory))

    def nodes(self, graph: Mapping[str, Any], names: dict[str, str]) -> list[Node]:
        """Return the nodes of a graph, and add the names of their outputs to `names`."""
        nodes: list[Node] = []
        listed = records(graph.get("nodes"))
        self.count += len(listed)
        if self.count > _MOST_NODES:
            raise ModelError(f"{self.source}: a program of {self.count:,} nodes; at most {_MOST_NODES:,} are read")
        around, self.memory = self.memory, Memory(names, self.unique)
        outer, self.metas = self.metas, record(optional(graph, "tensor_values", {}))
        for node in listed:
            nodes += self.node(node, names)
        self.memory, self.metas = around, outer
        return nodes

    def node(self, node: Mapping[str, Any], names: dict[str, str]) -> list[Node]:
        """Return the nodes for a node of the program: one or, for a higher-order operator, several."""
        node = effect(node, names)
        op = text(node.get("target")).removeprefix("torch.ops.")
        written = outputs_of(node.get("outputs"))
        name = self.node_name(node, op, written)
        control = convert(self, node, op, name, names) if op.startswith(_HIGHER) else None
        if control is not None:
            return control(self.outputs(node, name, written, names))
        arguments = Arguments(names)
        for argument in records(node.get("inputs")):
            arguments.add(text(argument.get("name")), argument.get("arg"))
        outputs = self.outputs(node, name, written, names)
        types = recorded(node.get("outputs"), self.metas)
        made = Node(op, DOMAIN, name, arguments.inputs, outputs, Attributes({**arguments.result(), **types}))
        first, constants = arguments.first, arguments.attributes
        cast = [*self.cast(written, names)] if self.casts else []
        return [made, *cast, *(self.memory.follow(op, first, written, constants, made) if first else [])]

    def cast(self, written: Sequence[str], names: dict[str, str]) -> Iterator[Node]:
        """Yield nodes that leave the types of floats open; from here on the names refer to their outputs."""
        for name in filter(None, written):
            read, names[name] = names[name], self.unique(f"{name}.{CAST}")
            yield Node(CAST, DOMAIN, names[name], [read], [names[name]])

    def node_name(self, node: Mapping[str, Any], op: str, written: Sequence[str]) -> str:
        """Return the name of a node; before PyTorch 2.10 its output's name, or the name that PyTorch would give it."""
        unused = [name.partition(_UNUSED)[0] for name in written if _UNUSED in name]
        single = [name for name in written if name and not name.startswith("getitem")]
        name = text(optional(node, "name", "")) or next(iter((*unused, *single)), "")
        if not name:
            parts = op.split(".")[1:]
            base = "_".join(parts[:1] if written else parts) or op
            free = (f"{base}_{i}" if i else base for i in count(hasattr(builtins, base)))
            name = next(each for each in free if each not in self.named)
        self.named.add(name)
        return name

    def outputs(self, node: Mapping[str, Any], name: str, written: Sequence[str], names: dict[str, str]) -> list[str]:
        """Return the tensors for a node's outputs, and keep its notes under the first one's name."""
        outputs = [self.output(each, names) for each in written]
        notes = node.get("metadata")
        if isinstance(notes, dict):
            self.notes.setdefault(next(filter(None, outputs), name), notes)
        return outputs

    def overwrite(self, tensor: str) -> list[Node]:
        """Return the nodes which state that a tensor of the current graph has other elements from here on."""
        return self.memory.overwrite(tensor)

    def body(self, graph: Mapping[str, Any], operands: Sequence[str], *, casts: bool | None = None) -> Body:
        """Return the content of a graph inside a node, whose inputs are these tensors.

        With `casts`, as in an autocast, its operators return floats of any type; None is as in the enclosing graph.
        """
        if self.depth == _MOST_DEPTH:
            raise ModelError(f"{self.source}: its graphs are nested deeper than {_MOST_DEPTH}")
        self.depth += 1
        parameters = [name for argument in entries(graph.get("inputs")) for name in names_of(argument)]
        if len(parameters) != len(operands):
            raise MisfitError(f"a graph of {len(parameters)} inputs is given {len(operands)}")
        names = {name: operand for name, operand in zip(parameters, operands, strict=True) if name}
        around, self.casts = self.casts, self.casts if casts is None else casts
        nodes, literals, outputs = self.nodes(graph, names), {}, []
        self.casts = around
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
        changed = [operand for name, operand in zip(parameters, operands, strict=True) if names.get(name) != operand]
        return Body(nodes, outputs, literals, changed)

    def output(self, name: str, names: dict[str, str]) -> str:
        """Return the tensor for a node's output."""
        if not name:
            return ""
        if name in names:
            raise MisfitError(f"two nodes make '{printable(name)}'")
        names[name] = self.unique(name) if self.depth else name
        return names[name]

    def unique(self, name: str) -> str:
        """Return the name itself if it is free, else with a number appended: `x:1`."""
        if name in self.taken:
            name = next(f"{name}:{i}" for i in count(1) if f"{name}:{i}" not in self.taken)
        self.taken.add(name)
        return name
