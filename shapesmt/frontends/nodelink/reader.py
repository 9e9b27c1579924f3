"""Read node-link documents into graphs; `shapesmt.network.graph.dataflow` describes their fields.

Any defect becomes one `ModelError` with the path: `nodes[3].attributes.axis: an integer, not "one"`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shapesmt.base.collector import gc_paused
from shapesmt.base.errors import ModelError, printable
from shapesmt.frontends.nodelink.fields import RefusedError, a, at, field, refuse, texts, value_text
from shapesmt.frontends.nodelink.tensors import axes, literal, number, read_declaration, symbol_range
from shapesmt.frontends.onnx.reader import schemas
from shapesmt.frontends.onnx.types import FITS, LAST_OPSET, TYPE_NAMES, Parameters
from shapesmt.network.declarations import LARGEST, Range
from shapesmt.network.graph import (
    SCHEMA,
    Attributes,
    AttributeValue,
    Declared,
    Function,
    Graph,
    Literal,
    Node,
    Reference,
    Runtime,
    label,
    origin,
    refuse_recursion,
    sort_nodes,
)

_DEPTH = 50
"""The limit of nested subgraphs, above which a document is refused."""
_GAPS = 64  # limit of omitted optional inputs of a node


def parse(content: bytes, source: str) -> dict[str, Any] | None:
    """Return the document in a JSON file; None if the file is an ONNX model as JSON.

    Raises:
        ModelError: The file has nodes, but is damaged.

    >>> parse(b'{"nodes": [], "edges": []}', "g.json"), parse(b'{"irVersion": 8}', "m.json")
    ({'nodes': [], 'edges': []}, None)
    """
    if b'"nodes"' not in content:
        return None
    try:
        document = json.loads(content)
    except ValueError as error:
        raise ModelError(f"{source}: not JSON, or damaged ({printable(str(error))})") from None
    except RecursionError:
        raise ModelError(f"{source}: its subgraphs are nested too deep") from None
    return document if "nodes" in document else None


def read(document: Mapping[str, Any], source: str) -> Graph:
    """Return the graph of a document.

    Args:
        document: The result of `json.loads`, or of `document_of` for a networkx graph.
        source: The model's name in messages.

    Raises:
        ModelError: A value isn't as `shapesmt.network.graph.dataflow` describes it.

    >>> x = {"id": "x", "kind": "input", "dtype": "float32", "shape": ["1..8", 3]}
    >>> y = {"id": "y", "op": "Flatten", "attributes": {"axis": "one"}}
    >>> read({"graph": {"schema": "shapesmt/graph/1", "opsets": {"ai.onnx": 21}, "outputs": ["y"]},
    ...       "nodes": [x, y], "edges": [{"source": "x", "target": "y", "input": 0}]}, "g.json")
    Traceback (most recent call last):
      ...
    shapesmt.base.errors.ModelError: g.json: nodes[1].attributes.axis: an integer, not "one"
    """
    try:
        with gc_paused():
            return _model(document, source)
    except RefusedError as error:
        raise ModelError(f"{source}: {error}") from None
    except RecursionError:
        raise ModelError(f"{source}: its subgraphs are nested too deep") from None


def attribute(content: Any, path: str, expected: str | None = None) -> AttributeValue:
    """Return an attribute's value, converted to the type that its operator expects ("int", "floats") if one is stated.

    Raises:
        RefusedError: The value is of another type.

    >>> attribute([1, 2], "pads", "floats")
    (1.0, 2.0)
    """
    return _Reader("", {}, {}).value(content, path, expected)


def _model(document: Mapping[str, Any], source: str) -> Graph:
    about = field(document, "graph", "", dict)
    schema = field(about, "schema", "graph", str)
    if schema != SCHEMA:
        refuse("graph.schema", f'this version reads "{SCHEMA}", not {value_text(schema)}')
    functions: dict[tuple[str, str], Function] = {}
    runtime = _runtime(field(about, "runtime", "graph", str, Runtime.STANDARD.value), at("graph", "runtime"))
    reader = _Reader(source, _opsets(about, "graph"), functions, runtime)
    for i, f in enumerate(field(about, "functions", "graph", list, [])):
        function = reader.function(a(f, dict, f"graph.functions[{i}]"), f"graph.functions[{i}]")
        if functions.setdefault((function.domain, function.name), function) is not function:
            refuse(f"graph.functions[{i}]", f"function '{printable(function.name)}' is defined twice")
    refuse_recursion(functions, source)
    return reader.graph(document, "")


class _Reader:
    """Reads the graphs of a document: one runtime, one set of opsets, the model's functions, the depth of nesting."""

    def __init__(
        self,
        source: str,
        opsets: Mapping[str, int],
        functions: Mapping[tuple[str, str], Function],
        runtime: Runtime = Runtime.STANDARD,
        depth: int = 0,
        *,
        in_function: bool = False,
    ) -> None:
        self.source = source
        self.opsets = opsets
        self.functions = functions
        self.runtime = runtime
        self.depth = depth
        self.in_function = in_function

    def graph(self, document: Mapping[str, Any], path: str) -> Graph:
        """Return the graph of a document; `path` is its path in the whole document, "" for the model's own graph."""
        if self.depth > _DEPTH:
            refuse(path, f"subgraphs are nested deeper than {_DEPTH}")
        if not field(document, "directed", path, bool, True):
            refuse(at(path, "directed"), "true, for edges point from a tensor's maker to its reader")
        where = at(path, "graph")
        about = field(document, "graph", path, dict)
        rows = field(document, "nodes", path, list)
        edges = "links" if "links" in document and "edges" not in document else "edges"
        contents = _Nodes(self, path, rows)
        contents.connect(field(document, edges, path, list), at(path, edges))
        ranges = {
            k: symbol_range(v, at(at(where, "ranges"), k)) for k, v in field(about, "ranges", where, dict, {}).items()
        }
        declarations = field(about, "declared", where, dict, {})
        graph = Graph(
            name=field(about, "name", where, str, "graph"),
            inputs=contents.inputs,
            outputs=texts(field(about, "outputs", where, list), at(where, "outputs")),
            nodes=contents.operators(),
            literals=contents.literals,
            declared={name: read_declaration(d, at(at(where, "declared"), name)) for name, d in declarations.items()},
            opsets=self.opsets,
            functions=self.functions,
            ranges={**ranges, **contents.ranges},
            source=self.source,
            schemas=schemas(),
            runtime=self.runtime,
        )
        title = f"{self.source}, in {path}" if path else self.source
        nodes = sort_nodes(
            graph.nodes, [*graph.inputs, *graph.literals, *contents.captured], title, needed=graph.outputs
        )
        return graph if nodes is graph.nodes else replace(graph, nodes=nodes)

    def function(self, f: Mapping[str, Any], path: str) -> Function:
        """Return a function that the model defines as its own operator; `path` is its path in the document."""
        body = field(f, "body", path, dict)
        opsets = _opsets(field(body, "graph", f"{path}.body", dict), f"{path}.body.graph") or self.opsets
        inner = _Reader(self.source, opsets, self.functions, self.runtime, self.depth + 1, in_function=True)
        graph = inner.graph(body, f"{path}.body")
        values = field(f, "defaults", path, dict, {})
        defaults = Attributes({k: inner.value(v, at(f"{path}.defaults", k), None) for k, v in values.items()})
        required = texts(field(f, "attributes", path, list, []), f"{path}.attributes")
        name, domain = field(f, "name", path, str), field(f, "domain", path, str, "")
        inputs = tuple(graph.inputs)
        return Function(name, domain, inputs, graph.outputs, (*required, *defaults), defaults, graph.nodes, opsets)

    def attributes(self, node: Mapping[str, Any], path: str, op: str, domain: str) -> Attributes:
        """Return the attributes of an operator."""
        where = f"{path}.attributes"
        contents = field(node, "attributes", path, dict, {})
        if not contents:
            return Attributes.EMPTY
        known = None if (domain, op) in self.functions else self.parameters(domain, op)
        types = {} if known is None else known.attributes
        read = {name: self.value(v, at(where, name), types.get(name)) for name, v in contents.items()}
        return Attributes(read)

    def parameters(self, domain: str, op: str) -> Parameters | None:
        """Return the inputs and attributes of an operator by ONNX's schema; None if there is none."""
        version = self.opsets.get(domain)
        return None if version is None else schemas().parameters(domain, op, version)

    def value(self, content: Any, path: str, expected: str | None) -> AttributeValue:
        """Return an attribute's value, converted to the type that the operator expects if one is stated."""
        value = self.list(content, path) if isinstance(content, (list, tuple)) else self.single(content, path)
        if expected == "float" and type(value) is int:
            return float(value)
        if expected == "floats" and isinstance(value, tuple) and all(type(v) is int for v in value):
            return tuple(float(v) for v in value if isinstance(v, int))
        if expected in FITS and not isinstance(value, Reference) and not FITS[expected](value):
            refuse(path, f"{TYPE_NAMES[expected]}, not {value_text(content)}")
        return value

    def list(self, content: Sequence[Any], path: str) -> AttributeValue:
        """Return the value of an attribute that is a list; all its parts must be of one type."""
        parts = [self.single(part, f"{path}[{i}]") for i, part in enumerate(content)]
        kinds = {type(part) for part in parts}
        if kinds == {int, float}:
            kinds, parts = {float}, [float(part) for part in parts]  # type: ignore[arg-type]  # the line above says so
        if len(kinds) > 1 or Reference in kinds:
            refuse(path, f"a list of values of one type, not {value_text(content)}")
        return tuple(parts)  # type: ignore[return-value]  # they are of one type

    def single(self, content: Any, path: str) -> AttributeValue:
        """Return the value of an attribute, or of a part of one, that is no list."""
        if isinstance(content, bool) or content is None:
            refuse(path, f"an integer, a number, a text, a list or an object, not {value_text(content)}")
        if isinstance(content, int):
            if not -LARGEST - 1 <= content <= LARGEST:
                refuse(path, f"an integer of 64 bits, not {value_text(content)}")
            return content
        if isinstance(content, (float, str)):
            return content
        document = a(content, dict, path)
        if "nodes" in document:
            within, depth = self.in_function, self.depth + 1
            deeper = _Reader(self.source, self.opsets, self.functions, self.runtime, depth, in_function=within)
            return deeper.graph(document, path)
        if "reference" in document:
            if not self.in_function:
                refuse(path, "a reference to a function's attribute, but in no function")
            return Reference(field(document, "reference", path, str))
        if "type" in document:
            return read_declaration(document["type"], f"{path}.type")
        return number(document, path) if "float" in document else literal(document, path)


class _Nodes:
    """The nodes of a document with the inputs that its edges connect."""

    def __init__(self, reader: _Reader, path: str, listed: Sequence[Any]) -> None:
        self.reader = reader
        self.path = at(path, "nodes")
        self.inputs: dict[str, Declared] = {}
        self.literals: dict[str, Literal] = {}
        self.captured: list[str] = []
        self.ranges: dict[str, str | Range] = {}
        self._rows: list[tuple[str, str, Mapping[str, Any]]] = []
        self._outputs: dict[str, tuple[str, ...]] = {}
        self._reads: dict[str, dict[int, str]] = {}
        for i, content in enumerate(listed):
            self._add(f"{self.path}[{i}]", a(content, dict, f"{self.path}[{i}]"))

    def _add(self, path: str, node: Mapping[str, Any]) -> None:
        name = _id(node, "id", path)
        if name in self._outputs:
            refuse(f"{path}.id", f"another node has the id {value_text(name)}")
        kind = field(node, "kind", path, str, "operator")
        self._outputs[name] = (name,)
        if kind == "operator":
            self._rows.append((path, name, node))
            self._reads[name] = {}
            if "outputs" in node:
                self._outputs[name] = texts(field(node, "outputs", path, list), f"{path}.outputs", empty=True)
        elif kind == "input":
            self.inputs[name] = self._input(node, path, name)
        elif kind == "constant":
            self.literals[name] = literal(node, path)
        elif kind == "captured" and (self.reader.depth or self.reader.in_function):
            self.captured.append(name)
        else:
            inside = ', "captured"' if self.reader.depth else ""
            refuse(f"{path}.kind", f'"operator", "input", "constant"{inside}, not {value_text(kind)}')

    def _input(self, node: Mapping[str, Any], path: str, name: str) -> Declared:
        """Return the declared type and shape of an input; a range in the shape becomes a named dimension (`x_dim0`)."""
        sizes = axes(node.get("shape"), f"{path}.shape")
        if any(isinstance(size, Range) for size in sizes or ()) and self.reader.depth:
            refuse(f"{path}.shape", "ranges are for the model's own inputs; write a name, a number or null")
        shape: list[int | str | None] = []
        for i, size in enumerate(sizes or ()):
            if isinstance(size, Range):
                self.ranges[label(name, i)] = replace(size, origin=origin(name))
            shape.append(label(name, i) if isinstance(size, Range) else size)
        return read_declaration(node, path)._replace(shape=None if sizes is None else tuple(shape))

    def connect(self, edges: Sequence[Any], path: str) -> None:
        """Connect the outputs to the inputs that the edges name."""
        for i, content in enumerate(edges):
            where = f"{path}[{i}]"
            edge = a(content, dict, where)
            source, target = (_id(edge, end, where) for end in ("source", "target"))
            for end, name in (("source", source), ("target", target)):
                if name not in self._outputs:
                    refuse(f"{where}.{end}", f"no node has the id {value_text(name)}")
            outputs = self._outputs[source]
            output = field(edge, "output", where, int, 0)
            if not 0 <= output < len(outputs) or not outputs[output]:
                refuse(f"{where}.output", f"node {value_text(source)} has no output {output}")
            tensor = edge.get("tensor", outputs[output])
            if tensor != outputs[output]:
                refuse(f"{where}.tensor", f"that output is {value_text(outputs[output])}, not {value_text(tensor)}")
            if target not in self._reads:
                refuse(f"{where}.target", f"node {value_text(target)} is no operator")
            self._read(target, edge, where, outputs[output], len(edges))

    def _read(self, target: str, edge: Mapping[str, Any], where: str, tensor: str, most: int) -> None:
        if "input" in edge and edge["input"] is None:  # to a subgraph, which has a node for the captured tensor
            return
        index, reads = field(edge, "input", where, int), self._reads[target]
        if not 0 <= index < most + _GAPS:
            refuse(f"{where}.input", f"the number of an input, from 0, not {index}")
        if index in reads:
            refuse(f"{where}.input", f"two edges lead to input {index} of node {value_text(target)}")
        reads[index] = tensor

    def operators(self) -> list[Node]:
        """Return the operators with their inputs."""
        nodes = []
        for path, key, node in self._rows:
            reads = self._reads[key]
            op, domain = field(node, "op", path, str), field(node, "domain", path, str, "")
            domain = "" if domain == "ai.onnx" else domain
            if not op:
                refuse(f"{path}.op", "names no operator")
            if domain == "" and "" not in self.reader.opsets:
                refuse("graph.opsets", f'names no version of "ai.onnx", to which {printable(op)} belongs')
            inputs = tuple(reads.get(i, "") for i in range(max(reads, default=-1) + 1))
            name = field(node, "name", path, str, key) or key
            attributes = self.reader.attributes(node, path, op, domain)
            nodes.append(Node(op, domain, name, inputs, self._outputs[key], attributes))
        return nodes


def _id(document: Mapping[str, Any], key: str, path: str) -> str:
    """Return the id of a node under a key: a text, or an integer, which becomes a text."""
    name = field(document, key, path, object)
    if isinstance(name, bool) or not isinstance(name, (str, int)) or name == "":
        refuse(at(path, key), f"a text or an integer, not {value_text(name)}")
    return name if isinstance(name, str) else value_text(name)


def _runtime(name: str, path: str) -> Runtime:
    if name not in {runtime.value for runtime in Runtime}:
        refuse(path, f"one of {', '.join(runtime.value for runtime in Runtime)}, not {value_text(name)}")
    return Runtime(name)


def _opsets(about: Mapping[str, Any], path: str) -> dict[str, int]:
    opsets = {}
    for domain in field(about, "opsets", path, dict, {}):
        version = field(about["opsets"], domain, f"{path}.opsets", int)
        if not 1 <= version <= LAST_OPSET:
            refuse(at(f"{path}.opsets", domain), f"an opset from 1 on, not {value_text(version)}")
        opsets["" if domain == "ai.onnx" else domain] = version
    return opsets
