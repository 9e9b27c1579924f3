"""Read ONNX files and protobufs into graphs.

A file may be hostile: any damage becomes a `ModelError`. Weights are not read until a rule needs them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from itertools import chain
from typing import TYPE_CHECKING, Any

from shapesmt.base.collector import gc_paused
from shapesmt.base.errors import ModelError, pass_on, printable
from shapesmt.frontends.beside import absent, content_inside
from shapesmt.frontends.onnx import tables
from shapesmt.frontends.onnx.columns import read_columns
from shapesmt.frontends.onnx.limits import broken_limits
from shapesmt.frontends.onnx.messages import from_bytes
from shapesmt.frontends.onnx.schemas import OnnxSchemas
from shapesmt.frontends.onnx.sources import Sources, noted_ranges
from shapesmt.frontends.onnx.types import BITS, LAST_OPSET, dense, elements, read_type, text_of
from shapesmt.frontends.recognize import nesting, text_format
from shapesmt.network.declarations import ADMISSIBLE, Admissible, both, parse_admissible
from shapesmt.network.graph import (
    DTYPES,
    Attributes,
    AttributeValue,
    Declared,
    Function,
    Graph,
    Literal,
    Node,
    NodeKind,
    Nodes,
    Reference,
    Scalar,
    refuse_recursion,
    sort_nodes,
)

if TYPE_CHECKING:
    import onnx


_DEPTH, _RANK = 100, 255
"""Limits: of nested subgraphs, and of dimensions of a constant; beyond them the file is refused."""

_FIELDS = {1: "f", 2: "i", 3: "s", 4: "t", 5: "g", 6: "floats", 7: "ints", 8: "strings", 9: "tensors"}
_FIELDS |= {10: "graphs", 11: "sparse_tensor", 12: "sparse_tensors", 13: "tp", 14: "type_protos"}
"""The field that holds an attribute's value, by the attribute's type."""

_LISTS = {"strings": "s", "tensors": "t", "graphs": "g", "sparse_tensors": "sparse_tensor", "type_protos": "tp"}
"""For each field that lists several values, the field for one value."""

_ELSEWHERE, _EXTERNAL = 1, "external data is missing"
"""The data location of a tensor with its elements in another file, and the reason if these can't be read."""


def parse(content: bytes, source: str) -> onnx.ModelProto:
    """Parse a model file: binary, ONNX's own text, protobuf's text or JSON, recognised by the first bytes.

    Raises:
        ModelError: The content is in none of these formats, or damaged.
    """
    if not content:
        raise ModelError(f"{source}: the file is empty")
    form = text_format(content) or "protobuf"
    if form == "onnxtxt" and nesting(content) > 4 * _DEPTH:  # its parser, in C++, would overflow the stack
        raise ModelError(f"{source}: its subgraphs are nested too deep")
    try:
        if form == "protobuf":
            return from_bytes(content)
        import onnx

        if form == "onnxtxt":
            return onnx.parser.parse_model(content.decode())
        return onnx.load_model_from_string(content, format=form)
    except Exception as error:  # onnx's parsers may raise anything on hostile data
        pass_on(error)
        reason = printable(" ".join(str(error).partition("Available Fields")[0].split()), 200)
        raise ModelError(f"{source}: not an ONNX model, or a damaged one ({reason})") from None


def read(proto: onnx.ModelProto, source: str, folder: str | None = None) -> Graph:
    """Return the graph of a protobuf.

    Args:
        proto: The model.
        source: Its name in messages.
        folder: The folder from which external data of constants may be read; None: external data is not read.

    Raises:
        ModelError: The model contradicts itself.
    """
    from google.protobuf.message import EncodeError

    try:
        with gc_paused():
            return _model(proto, source, folder)
    except UnicodeDecodeError:
        raise ModelError(f"{source}: a name in it is not UTF-8 text; the file is damaged") from None
    except (RecursionError, EncodeError):
        raise ModelError(f"{source}: its subgraphs are nested too deep") from None
    except (MemoryError, OverflowError):
        raise ModelError(f"{source}: too large to read") from None


def _model(proto: onnx.ModelProto, source: str, folder: str | None) -> Graph:
    if not proto.HasField("graph"):
        raise ModelError(f"{source}: holds no graph; is it an ONNX model?")
    opsets = _opsets(proto.opset_import, source)
    if not opsets and proto.ir_version in (1, 2):  # these versions don't state an opset: it is 1
        opsets = {"": 1}
    scope = _Scope(source, folder, opsets)
    scope.overloads = any(function.overload for function in proto.functions)
    for function in proto.functions:
        scope.define(function)
    refuse_recursion(scope.functions, source)
    graph = scope.graph(proto.graph)
    metadata = [note for holder in (proto, proto.graph, *proto.graph.input) for note in holder.metadata_props]
    notes = [(text_of(note.key), text_of(note.value)) for note in metadata]
    own = reduce(both, (parse_admissible(text) for key, text in notes if key == ADMISSIBLE), Admissible({}))
    ranges = noted_ranges(notes) | {name: str(r) for name, r in own.ranges.items()}
    exporter = f"{text_of(proto.producer_name)} {text_of(proto.producer_version)}".strip()
    sources = Sources(proto.graph, exporter.startswith("pytorch"))
    imports = {f"function '{printable(f.name)}'": f.opsets for f in scope.functions.values()}
    version = proto.ir_version if proto.HasField("ir_version") else None
    broken = tuple(broken_limits(version, {"model": opsets} | imports))
    return replace(
        graph, ranges=ranges, relations=own.relations, exporter=exporter, refused=broken, source_line=sources,
        absent=absent(scope.files, folder),
    )  # fmt: skip


class _Scope:
    """Reads the graphs of a file, or one function, with one set of opsets.

    Equal attributes and types are read once and shared: models repeat them thousands of times.
    """

    def __init__(self, source: str, folder: str | None, opsets: Mapping[str, int]) -> None:
        self.source = source
        self.folder = folder
        self.opsets = opsets
        self.functions: dict[tuple[str, str], Function] = {}
        self.overloads = False
        self.in_function = False
        self.depth = 0
        self.kinds_read: dict[Hashable, NodeKind] = {}
        self.types_read: dict[bytes, Declared] = {}
        self.shapes_read: dict[tuple[int, ...], tuple[str, tuple[int, ...], int]] = {}
        self.files: dict[str, None] = {}

    def define(self, proto: onnx.FunctionProto) -> None:
        """Read a function of the model and add it to `functions`."""
        name, domain = self.operator(proto.name, proto.overload), _domain(proto.domain)
        where = f"{self.source}, in function '{printable(name)}'"
        if (domain, name) in self.functions:
            raise ModelError(f"{where}: it is defined twice")
        scope = _Scope(self.source, self.folder, _opsets(proto.opset_import, where))
        scope.functions, scope.overloads, scope.in_function = self.functions, self.overloads, True
        scope.files = self.files
        defaults = scope.attributes(proto.attribute_proto, where)
        inputs, outputs = tuple(proto.input), tuple(proto.output)
        listed = scope.nodes(proto.node)
        nodes = sort_nodes(listed, inputs, where, needed=outputs)
        if nodes is not listed:
            raise ModelError(f"{where}: a node stands before one whose output it reads")
        attributes = (*map(text_of, proto.attribute), *defaults)
        function = Function(name, domain, inputs, outputs, attributes, defaults, nodes, scope.opsets)
        version = self.opsets.get(domain)
        if version is None or not tables.find(domain, name, version):  # the runtime prefers an operator to a function
            self.functions[domain, name] = function

    def graph(self, proto: onnx.GraphProto) -> Graph:
        """Return the graph of a protobuf; a subgraph may read the tensors of the enclosing graph."""
        if self.depth == _DEPTH:
            raise ModelError(f"{self.source}: its subgraphs are nested deeper than {_DEPTH}")
        nested = self.depth > 0 or self.in_function
        where = f"{self.source}, in subgraph '{printable(text_of(proto.name))}'" if nested else self.source
        self.depth += 1
        literals = self.initializers(proto, where)
        inputs = {text_of(info.name): self.declaration(info.type) for info in proto.input}
        if len(inputs) < len(proto.input) or "" in inputs:
            raise ModelError(f"{where}: two inputs share a name, or one lacks it")
        claims = (*proto.value_info, *proto.output)
        graph = Graph(
            name=text_of(proto.name),
            inputs={name: declared for name, declared in inputs.items() if name not in literals},
            outputs=tuple(text_of(info.name) for info in proto.output),
            nodes=self.nodes(proto.node),
            literals=literals,
            declared={
                **{name: declared for name, declared in inputs.items() if name in literals},
                **{text_of(i.name): self.declaration(i.type) for i in sorted(claims, key=lambda i: i.HasField("type"))},
            },
            opsets=self.opsets,
            functions=self.functions,
            source=self.source,
            schemas=schemas(),
        )
        self.depth -= 1
        available = [*graph.inputs, *literals, *(graph.captures if nested else ())]
        nodes = sort_nodes(graph.nodes, available, where, needed=graph.outputs)
        return graph if nodes is graph.nodes else replace(graph, nodes=nodes, early=tuple(_read_early(graph.nodes)))

    def nodes(self, protos: Sequence[onnx.NodeProto]) -> Nodes:
        """Return the nodes in the order of the file."""
        first, places, names, inputs, outputs = read_columns(protos, self.source)
        known = self.kinds_read.get
        kinds = {place: known(key) or self.kind(key, protos[place], place) for key, place in first.items()}
        listed = [*map(kinds.__getitem__, places)]
        if not all(names) or {*map(type, names)} != {str}:
            names = [_name(name, kind.op, index) for index, (name, kind) in enumerate(zip(names, listed, strict=True))]
        return Nodes(listed, names, inputs, outputs)

    def kind(self, key: Hashable, proto: onnx.NodeProto, index: int) -> NodeKind:
        """Return the node without its names, read once for all nodes with this key."""
        overload = proto.overload if proto.domain or self.overloads else ""
        op, domain = self.operator(proto.op_type, overload), _domain(proto.domain)
        title = _title(_name(proto.name, op, index), op)
        if not domain and "" not in self.opsets:
            raise ModelError(f"{self.source}: {title} is of ONNX's own domain, whose opset is not imported")
        attributes = self.attributes(proto.attribute, f"{self.source}: {title}")
        kind = self.kinds_read[key] = NodeKind(op, domain, attributes, len(proto.output))
        return kind

    def operator(self, name: str, overload: str = "") -> str:
        """Return the operator's name of a node or function, with the overload if it has one: `Scale:fast`."""
        if not name:
            raise ModelError(f"{self.source}: a node or function in it names no operator")
        return f"{text_of(name)}:{text_of(overload)}" if overload else text_of(name)

    def attributes(self, protos: Iterable[onnx.AttributeProto], where: str) -> Attributes:
        """Return the attributes of a node, or a function's defaults; `where` begins the error messages."""
        values: dict[str, AttributeValue] = {}
        for proto in protos:
            name, outer = text_of(proto.name), text_of(proto.ref_attr_name)
            if name in values:
                raise ModelError(f"{where} has two attributes '{printable(name)}'")
            if outer and not self.in_function:
                raise ModelError(f"{where} refers to a function's attribute, but is in no function")
            values[name] = Reference(outer) if outer else self.value(proto, where)
        return Attributes(values)

    def value(self, proto: onnx.AttributeProto, where: str) -> AttributeValue:
        """Return the value of an attribute; `where` begins the error messages."""
        field = _FIELDS.get(proto.type)
        if field is None:  # the oldest files don't state the type
            filled = {descriptor.name for descriptor, _ in proto.ListFields()}
            field = next((name for name in _FIELDS.values() if name in filled), "ints")
        content = getattr(proto, field)
        if field in ("ints", "floats"):
            return tuple(content)
        if field in _LISTS:
            return tuple(self.single(_LISTS[field], each, where) for each in content)
        only: AttributeValue = self.single(field, content, where)
        return only

    def single(self, field: str, content: Any, where: str) -> Any:
        """Return one value, given the field that holds it in an attribute with one value."""
        match field:
            case "s":
                return _text(content)
            case "t":
                return self.literal(content, where)
            case "g":
                return self.graph(content)
            case "sparse_tensor":
                return self.sparse(content, where)
            case "tp":
                return self.declaration(content)
        return content

    def initializers(self, proto: onnx.GraphProto, where: str) -> dict[str, Literal]:
        """Return the constant tensors by name; two of the same name have to be equal."""
        literals: dict[str, Literal] = {}
        dense = ((text_of(tensor.name), self.literal(tensor, where)) for tensor in proto.initializer)
        sparse = ((text_of(tensor.values.name), self.sparse(tensor, where)) for tensor in proto.sparse_initializer)
        for name, literal in chain(dense, sparse):
            first = literals.setdefault(name, literal)
            if not name or not (first is literal or (first.source and literal.source and first.shape == literal.shape)):
                raise ModelError(f"{where}: initializers share the name '{printable(name)}', or lack one")
        return literals

    def literal(self, proto: onnx.TensorProto, where: str) -> Literal:
        """Return a constant tensor. Few elements are decoded now; more (weights) only when a rule asks for them."""
        number, dims, external = proto.data_type, proto.dims[:], proto.data_location == _ELSEWHERE
        key = number, *dims
        known = self.shapes_read.get(key)
        if known is None:
            shape = _shape(dims, text_of(proto.name), where)
            dtype = DTYPES.get(number, "") if number else "undefined"
            known = self.shapes_read[key] = dtype, shape, math.prod(shape)
        dtype, shape, size = known
        missing, file = (_EXTERNAL, _entries(proto).get("location", "")) if external and size else ("", "")
        self.files |= {file: None} if file else {}
        if size == 0 or Literal.too_many(dtype, size):
            return Literal(dtype, shape, None if size else ())
        if size > Literal.LIMIT or (external and "float" in dtype):
            return Literal(dtype, shape, None, partial(self.elements, proto, dtype, size), missing, file)
        return Literal(dtype, shape, self.elements(proto, dtype, size), missing=missing, file=file)

    def elements(self, proto: onnx.TensorProto, dtype: str, size: int) -> tuple[Scalar, ...] | None:
        """Return the elements of a constant; None if they can't be read."""
        external = proto.data_location == _ELSEWHERE
        return elements(partial(self.external, proto, dtype, size) if external else lambda: proto, dtype, size)

    def external(self, proto: onnx.TensorProto, dtype: str, size: int) -> onnx.TensorProto | None:
        """Return a tensor with its content from an external file; None if that is missing, too short or not allowed."""
        length = (size * BITS.get(dtype, 0) + 7) // 8
        entries = _entries(proto)
        offset, stated = entries.get("offset", "0"), entries.get("length", str(length))
        if not length or self.folder is None or stated != str(length) or not re.fullmatch("[0-9]{1,18}", offset):
            return None
        content = content_inside(self.folder, entries.get("location", ""), int(offset), length)
        return None if content is None else type(proto)(data_type=proto.data_type, dims=proto.dims, raw_data=content)

    def sparse(self, proto: onnx.SparseTensorProto, where: str) -> Literal:
        """Return a constant tensor for which the file lists only the nonzero elements."""
        dtype, shape = DTYPES.get(proto.values.data_type, ""), _shape(proto.dims, text_of(proto.values.name), where)
        source = partial(dense, proto, dtype, shape)
        return Literal(dtype, shape, None, None if Literal.too_many(dtype, math.prod(shape)) else source)

    def declaration(self, proto: onnx.TypeProto) -> Declared:
        """Return the element type and shape that a `TypeProto` declares."""
        key = proto.SerializeToString()
        if key not in self.types_read:
            self.types_read[key] = read_type(proto)
        return self.types_read[key]


def _entries(proto: onnx.TensorProto) -> dict[str, str]:
    """Return where the external file is that has a tensor's elements, and where they are in it."""
    return {text_of(entry.key): text_of(entry.value) for entry in proto.external_data}


def _read_early(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the tensors that nodes read before another node computes them."""
    made = {name for node in nodes for name in node.outputs}
    for node in nodes:
        yield from made.intersection(node.reads)
        made.difference_update(node.outputs)


@cache
def schemas() -> OnnxSchemas:
    """Return ONNX's schemas of its operators."""
    return OnnxSchemas(_definition)


def _definition(proto: onnx.FunctionProto, where: str) -> Function:
    scope = _Scope(where, None, {})
    scope.define(proto)
    return scope.functions[_domain(proto.domain), proto.name]


def _shape(dims: Iterable[int], name: str, where: str) -> tuple[int, ...]:
    shape = tuple(dims)
    if len(shape) > _RANK or any(dim < 0 for dim in shape):
        raise ModelError(f"{where}: tensor '{printable(name)}' has the impossible shape {printable(str(shape))}")
    return shape


def _name(name: str, op: str, index: int) -> str:
    return text_of(name) or f"{op}_{index}"


def _title(name: str, op: str) -> str:
    return f"node '{printable(name)}' ({printable(op)})"


def _text(content: bytes) -> str:
    return content.decode(errors="backslashreplace")


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else text_of(name)


def _opsets(protos: Iterable[onnx.OperatorSetIdProto], where: str) -> dict[str, int]:
    opsets = {_domain(proto.domain): proto.version for proto in protos}
    for domain, version in opsets.items():
        if not 1 <= version <= LAST_OPSET:
            span = "the first is 1" if version < 1 else f"none is above {LAST_OPSET}"
            raise ModelError(f"{where}: it imports opset {version} of '{printable(domain)}'; {span}")
    return opsets
