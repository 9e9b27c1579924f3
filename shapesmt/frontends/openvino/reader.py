"""Read OpenVINO's IR (an `.xml` file, with its weights in a `.bin` file next to it) into graphs.

A layer becomes a node of the same operator in the domain "openvino"; `shapesmt.operators.ops.openvino` has the rules.
Constants are read from the `.bin` file of the same name, large ones only when a rule needs their elements; without the
file their elements are unknown. `If`, `Loop` and `TensorIterator` become ONNX's `If` and `Loop`.

    >>> graph = read(b'''<net version="11"><layers>
    ...   <layer id="0" name="x" type="Parameter" version="opset1"><data shape="1..8,?" element_type="f32"/>
    ...     <output><port id="0" precision="FP32" names="x"/></output></layer>
    ...   <layer id="1" name="relu" type="ReLU" version="opset1"><input><port id="0"/></input>
    ...     <output><port id="1" precision="FP32" names="y"/></output></layer>
    ...   <layer id="2" name="out" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>
    ... <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    ...   <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>''', "model.xml")
    >>> graph.inputs["x"].shape, dict(graph.ranges), graph.nodes[0].op, graph.outputs
    (('x_dim0', None), {'x_dim0': '1..8'}, 'ReLU', ('y',))
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from shapesmt.base.collector import gc_paused
from shapesmt.base.errors import ModelError, printable
from shapesmt.frontends.beside import absent, content_inside
from shapesmt.frontends.openvino.loops import as_onnx_loop
from shapesmt.network.graph import (
    Attributes,
    AttributeValue,
    Declared,
    Graph,
    Literal,
    Node,
    Runtime,
    Scalar,
    sort_nodes,
)

DOMAIN = "openvino"
ONNX_OPSET = 22  # for the `If` and `Loop` that layers with control flow become

_DEPTH, _RANK = 100, 255
_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "boolean": "bool"}
_TYPES |= {f"fp{bits}": f"float{bits}" for bits in (16, 32, 64)} | {"string": "string", "bool": "bool"}
_TYPES |= {f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (4, 8, 16, 32, 64)}
_TYPES |= {"u1": "uint1", "u2": "uint2", "f8e4m3": "float8e4m3fn", "f8e5m2": "float8e5m2"}
_PACKED = {"bool": "?", "float16": "e", "float32": "f", "float64": "d"}
_PACKED |= dict(zip([f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u")], "bBhHiIqQ", strict=True))
_BITS = {dtype: 8 * struct.calcsize(form) for dtype, form in _PACKED.items()}
_BITS |= {"bfloat16": 16, "float8e4m3fn": 8, "float8e5m2": 8, "int4": 4, "uint4": 4, "uint2": 2, "uint1": 1}
_SIZE = re.compile(r"(?P<size>[0-9]{1,18})|(?P<range>(?P<low>[0-9]{0,18})\.\.(?P<high>[0-9]{0,18}))|\?|-1")
_INTEGERS = re.compile(r"\s*-?[0-9]{1,19}\s*(?:,\s*-?[0-9]{1,19}\s*)*")
_NUMBER = r"\s*-?(?:[0-9]+\.?[0-9]*|\.[0-9]+|inf|nan)(?:[eE][-+]?[0-9]{1,4})?\s*"
_NUMBERS = re.compile(f"{_NUMBER}(?:,{_NUMBER})*")
_OLD = {
    "BatchNormInference": ("opset1",),
    "Broadcast": ("opset1",),
    "DetectionOutput": ("opset1",),
    "GatherND": ("opset5",),
    "Interpolate": ("opset1", "opset4"),
    "LSTMCell": ("opset1",),
    "MVN": ("opset2",),
    "MaxPool": ("opset1",),
    "NonMaxSuppression": ("opset1", "opset3", "opset4"),
    "Proposal": ("opset1",),
    "Range": ("opset1",),
    "ShapeOf": ("opset1",),
    "SoftMax": ("opset1",),
}
"""Older versions of an operator that differ from the newest; nodes of these are named like `Interpolate-1`."""


def dtype_of(text: str) -> str:
    """Return this package's name for the element type that OpenVINO writes as `f32`; "" if it is unknown.

    >>> dtype_of("f32"), dtype_of("I64"), dtype_of("FP16"), dtype_of("dynamic")
    ('float32', 'int64', 'float16', '')
    """
    return _TYPES.get(text.lower(), "")


def read(content: bytes, source: str, folder: str | None = None, weights: str = "") -> Graph:
    """Return the graph of an IR file.

    Args:
        content: The XML text.
        source: The file's name in messages.
        folder: The folder from which the weights may be read; None: they are not read.
        weights: The name of the weights file in that folder.

    Raises:
        ModelError: The content is no IR or has another version, is damaged, or contradicts itself.
    """
    try:
        with gc_paused():
            net = _Net(source, folder, weights)
            graph = net.graph(_parse(content, source), {})
            return replace(graph, absent=absent([net.file] if net.has_weights else [], folder))
    except (MemoryError, OverflowError, RecursionError):
        raise ModelError(f"{source}: too large to read") from None


def _parse(content: bytes, source: str) -> Xml.Element:
    try:
        text = content.decode("utf-8-sig")
        if "<!DOCTYPE" in text:
            raise ModelError(f"{source}: it has a DOCTYPE, which OpenVINO never writes; it may be hostile")
        root = Xml.fromstring(text)  # noqa: S314 - without a DOCTYPE there are no entities to expand
    except UnicodeDecodeError:
        raise ModelError(f"{source}: not UTF-8 text, as OpenVINO's files are; it is damaged") from None
    except (Xml.ParseError, ValueError) as error:
        raise ModelError(f"{source}: not XML, or damaged ({printable(str(error))})") from None
    if root.tag != "net" or root.find("layers") is None:
        raise ModelError(f"{source}: XML, but no OpenVINO model: it has no <net> with <layers>")
    version = root.get("version", "")
    if version not in ("10", "11"):
        raise ModelError(f"{source}: OpenVINO IR of version '{printable(version)}'; versions 10 and 11 are read")
    return root


class _Layer(NamedTuple):
    """One layer, with the names of its input and output tensors."""

    xml: Xml.Element
    op: str
    name: str
    inputs: list[str]
    outputs: list[str]


class _Net:
    """Reads one IR file; `weights` is the name of the weights file in `folder`."""

    def __init__(self, source: str, folder: str | None, weights: str) -> None:
        self.source = source
        self.folder = folder
        self.weights = weights
        self.file = weights or "the .bin file"
        self.has_weights = False
        self.taken: set[str] = set()
        self.depth = 0

    def graph(self, root: Xml.Element, outer: Mapping[str, str]) -> Graph:
        """Return the graph of a `<net>`, or of the body of a layer.

        The parameters of a body are tensors of the enclosing graph: `outer` names them by the parameter's layer.
        """
        if self.depth == _DEPTH:
            raise ModelError(f"{self.source}: its bodies are nested deeper than {_DEPTH}")
        self.depth += 1
        inputs: dict[str, Declared] = {}
        literals: dict[str, Literal] = {}
        declared: dict[str, Declared] = {}
        ranges: dict[str, str] = {}
        results: dict[str, str] = {}
        nodes: list[Node] = []
        for number, layer in self.layers(root, outer).items():
            data = layer.xml.find("data")
            attributes = {} if data is None else data.attrib
            if layer.op == "Parameter":
                if number not in outer:
                    inputs[layer.outputs[0]] = self.parameter(layer.outputs[0], attributes, ranges)
            elif layer.op == "Const":
                literals[layer.outputs[0]] = self.constant(layer.name, attributes)
            elif layer.op == "Result":
                results[number] = layer.inputs[0]
            else:
                nodes += self.nodes(layer, attributes)
                declared.update(zip(layer.outputs, map(_declaration, layer.xml.findall("output/port")), strict=True))
        self.depth -= 1
        outputs = tuple(results.values()) if self.depth else tuple(dict.fromkeys(results.values()))
        nodes_in_order = sort_nodes(nodes, [*inputs, *literals, *outer.values()], self.source, needed=outputs)
        opsets = {"": ONNX_OPSET, DOMAIN: 1}
        name = root.get("name", "")
        source = self.source
        graph = Graph(name, inputs, outputs, nodes_in_order, literals, declared, opsets, ranges=ranges, source=source)
        return replace(graph, runtime=Runtime.OPENVINO)

    def layers(self, root: Xml.Element, outer: Mapping[str, str]) -> dict[str, _Layer]:
        """Return the layers by their ids, with the tensors that the edges connect to their inputs."""
        tensors: dict[tuple[str, str], str] = {}
        layers: dict[str, _Layer] = {}
        for xml in root.iterfind("layers/layer"):
            number, op, name = xml.get("id", ""), xml.get("type", ""), xml.get("name", "")
            name = name or f"{op}_{number}"
            if number in layers or not op:
                raise ModelError(f"{self.source}: layer '{printable(name)}' has another's id, or no type")
            if xml.get("version") in _OLD.get(op, ()):
                op = f"{op}-{xml.get('version', '').removeprefix('opset')}"
            ports = xml.findall("output/port")
            names = [outer[number]] if number in outer else [self.tensor(name, p, len(ports)) for p in ports]
            tensors.update(((number, port.get("id", "")), tensor) for port, tensor in zip(ports, names, strict=False))
            if len(names) != 1 and op in ("Parameter", "Const"):
                raise ModelError(f"{self.source}: layer '{printable(name)}' ({op}) has {len(names)} outputs, not one")
            layers[number] = _Layer(xml, op, name, [], names)
        edges = _edges(root)
        return {number: self.with_inputs(number, layer, tensors, edges) for number, layer in layers.items()}

    def with_inputs(
        self,
        number: str,
        layer: _Layer,
        tensors: Mapping[tuple[str, str], str],
        edges: Mapping[tuple[str, str], tuple[str, str]],
    ) -> _Layer:
        """Return the layer with the names of the tensors at its input ports."""
        inputs = []
        for port in layer.xml.findall("input/port"):
            tensor = tensors.get(edges.get((number, port.get("id", "")), ("", "")))
            if tensor is None:
                title = f"layer '{printable(layer.name)}' ({printable(layer.op)})"
                raise ModelError(f"{self.source}: no edge brings {title} its input {printable(port.get('id', ''))}")
            inputs.append(tensor)
        if layer.op == "Result" and len(inputs) != 1:
            raise ModelError(f"{self.source}: result '{printable(layer.name)}' has {len(inputs)} inputs, not one")
        return layer._replace(inputs=inputs)

    def tensor(self, layer: str, port: Xml.Element, ports: int) -> str:
        """Return a unique name for an output: the first of the names in the file, else the layer's name."""
        first_name = re.split(r"(?<!\\),", port.get("names", ""))[0].replace("\\,", ",")
        name = first_name or (layer if ports == 1 else f"{layer}:{port.get('id', '')}")
        return self.unique(name)

    def unique(self, name: str) -> str:
        """Return the name itself if it is free, else with a number appended: `x:1`."""
        if name in self.taken:
            name = next(f"{name}:{i}" for i in count(1) if f"{name}:{i}" not in self.taken)
        self.taken.add(name)
        return name

    def parameter(self, name: str, data: Mapping[str, str], ranges: dict[str, str]) -> Declared:
        """Return the declared type and shape of an input.

        A size with a range (`1..8`) becomes a named dimension, and its range is added to `ranges`.
        """
        dtype, text = dtype_of(data.get("element_type", "")), data.get("shape", "...")
        if text.strip() == "...":
            return Declared(dtype, None)
        shape: list[int | str | None] = []
        for i, part in enumerate(text.split(",") if text.strip() else []):
            size = _SIZE.fullmatch(part.strip())
            if size is None or i == _RANK:
                raise ModelError(f"{self.source}: input '{printable(name)}' has the shape '{printable(text)}'")
            label = f"{name}_dim{i}" if size["range"] else None
            if label:
                ranges[label] = f"{size['low'] or 0}..{size['high']}"
            shape.append(int(size["size"]) if size["size"] else label)
        return Declared(dtype, tuple(shape))

    def constant(self, name: str, data: Mapping[str, str]) -> Literal:
        """Return a constant tensor. Few elements are read now; more (weights) only when a rule asks for them."""
        text, dtype = data.get("shape", ""), dtype_of(data.get("element_type", ""))
        if not re.fullmatch(r"\s*|\s*[0-9]{1,18}\s*(?:,\s*[0-9]{1,18}\s*){0,254}", text):
            raise ModelError(f"{self.source}: constant '{printable(name)}' has the shape '{printable(text)}'")
        shape = tuple(map(int, text.split(","))) if text.strip() else ()
        size = math.prod(shape)
        if Literal.too_many(dtype, size):
            self.has_weights = True
            return Literal(dtype, shape)
        self.has_weights |= size > 0
        source, missing = partial(self.elements, dtype, size, data), "its weights' file lacks it"
        if size > Literal.LIMIT:
            return Literal(dtype, shape, None, source, missing, self.file)
        known = dtype in _BITS
        return Literal(dtype, shape, source(), missing=missing if known else "", file=self.file if known else "")

    def elements(self, dtype: str, size: int, data: Mapping[str, str]) -> tuple[Scalar, ...] | None:
        """Return the elements of a constant; None if the weights file is missing or the type is unknown."""
        offset, bits = data.get("offset", ""), _BITS.get(dtype)
        if size == 0 or Literal.too_many(dtype, size) or bits is None:
            return None if size else ()
        length = (size * bits + 7) // 8
        fits = data.get("size") == str(length) and re.fullmatch("[0-9]{1,18}", offset)
        if not fits or self.folder is None or not self.weights:
            return None
        content = content_inside(self.folder, self.weights, int(offset), length)
        return None if content is None else _unpack(content, dtype, size)

    def nodes(self, layer: _Layer, data: Mapping[str, str]) -> list[Node]:
        """Return the nodes of a layer other than a parameter, constant or result: one node, or several for a loop."""
        if layer.op == "If" and layer.inputs:
            branches = {f"{side}_branch": self.branch(layer, side) for side in ("then", "else")}
            return [Node("If", "", layer.name, layer.inputs[:1], layer.outputs, Attributes(branches))]
        if layer.op in ("Loop", "TensorIterator"):
            xml, name, inputs, outputs = layer.xml, layer.name, layer.inputs, layer.outputs
            loop = as_onnx_loop(self, name, xml, inputs, outputs, DOMAIN, counted=layer.op == "Loop")
            if loop is not None:
                return loop
        attributes = {name: _value(text) for name, text in data.items()}
        return [Node(layer.op, DOMAIN, layer.name, layer.inputs, layer.outputs, Attributes(attributes))]

    def body(self, root: Xml.Element, outer: Mapping[str, str]) -> tuple[Graph, dict[str, str]]:
        """Return the body of a layer as a graph, and its outputs by the ids of their `Result` layers."""
        numbers = [x.get("id", "") for x in root.iterfind("layers/layer") if x.get("type") == "Result"]
        graph = self.graph(root, outer)
        return graph, dict(zip(numbers, graph.outputs, strict=True))

    def branch(self, layer: _Layer, side: str) -> Graph:
        """Return a branch of an `If`, which reads the enclosing graph's tensors; outputs are in the layer's order."""
        body, ports = layer.xml.find(f"{side}_body"), layer.xml.find(f"{side}_port_map")
        title = f"{self.source}: the {side} branch of '{printable(layer.name)}'"
        if body is None or ports is None:
            raise ModelError(f"{title} is missing")
        fed = dict(zip((p.get("id") for p in layer.xml.findall("input/port")), layer.inputs, strict=True))
        outer = {p.get("internal_layer_id", ""): fed.get(p.get("external_port_id"), "") for p in ports.findall("input")}
        result_layers = {p.get("external_port_id"): p.get("internal_layer_id") for p in ports.findall("output")}
        graph, results = self.body(body, outer)
        order = [result_layers.get(p.get("id")) or "" for p in layer.xml.findall("output/port")]
        if "" in outer.values() or graph.inputs or not all(number in results for number in order):
            raise ModelError(f"{title} takes or makes what the layer has no port for")
        return replace(graph, outputs=[results[number] for number in order])


def _unpack(content: bytes, dtype: str, size: int) -> tuple[Scalar, ...]:
    """Return the first `size` elements of little-endian content; types below 8 bits have several elements in a byte.

    >>> _unpack(bytes([0x2F, 0x80, 0x3F]), "int4", 3), _unpack(bytes([0x80, 0x3F]), "bfloat16", 1)
    ((-1, 2, 0), (1.0,))
    """
    if dtype in _PACKED:
        return struct.unpack(f"<{size}{_PACKED[dtype]}", content)
    if dtype in _WIDENED:
        form, widen = _WIDENED[dtype]
        step = _BITS[dtype] // 8
        parts = (widen(int.from_bytes(content[i : i + step], "little")) for i in range(0, len(content), step))
        return tuple(struct.unpack(form, part)[0] for part in parts)
    bits, places = _BITS[dtype], range(0, 8, _BITS[dtype])
    numbers = [byte >> place & 2**bits - 1 for byte in content for place in (reversed(places) if bits == 1 else places)]
    return tuple(n - 2**bits if dtype == "int4" and n >= 2 ** (bits - 1) else n for n in numbers[:size])


def _wide(byte: int) -> bytes:
    """Return the bytes of the 32-bit float equal to an 8-bit float with 3 bits of fraction (`f8e4m3`).

    >>> struct.unpack("<f", _wide(0x38)), struct.unpack("<f", _wide(0x81))
    ((1.0,), (-0.001953125,))
    """
    sign, exponent, fraction = byte >> 7, byte >> 3 & 15, byte & 7
    if exponent == 15 and fraction == 7:
        return struct.pack("<f", math.nan)
    size = math.ldexp(8 + fraction, exponent - 10) if exponent else math.ldexp(fraction, -9)
    return struct.pack("<f", -size if sign else size)


_WIDENED: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "bfloat16": ("<f", lambda n: struct.pack("<I", n << 16)),
    "float8e5m2": ("<e", lambda n: struct.pack("<H", n << 8)),
    "float8e4m3fn": ("<f", _wide),
}
"""For each small float type: the `struct` format of a wider one, and a conversion of its bits to that format."""


def _edges(root: Xml.Element) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the output port (layer, port) to which each input port (layer, port) is connected."""
    return {
        (e.get("to-layer", ""), e.get("to-port", "")): (e.get("from-layer", ""), e.get("from-port", ""))
        for e in root.iterfind("edges/edge")
    }


def _declaration(port: Xml.Element) -> Declared:
    """Return the type and shape that the file states for an output; without sizes the rank is unknown (or 0)."""
    sizes = [dim.text or "" for dim in port.findall("dim")]
    plain = [int(size) if re.fullmatch("[0-9]{1,18}", size) else None for size in sizes]
    return Declared(dtype_of(port.get("precision", "")), tuple(plain) if 0 < len(plain) <= _RANK else None)


def _value(text: str) -> AttributeValue:
    """Return the value of an attribute's text: booleans become 1 or 0, several numbers a tuple.

    >>> [_value(text) for text in ("max", "true", "-1", "1, 2", "0.5", "1,0.5", "")]
    ['max', 1, -1, (1, 2), 0.5, (1.0, 0.5), ()]
    """
    if text in ("true", "false"):
        return int(text == "true")
    if not text.strip():
        return ()
    for pattern, number in ((_INTEGERS, int), (_NUMBERS, float)):
        if pattern.fullmatch(text):
            numbers = tuple(number(part) for part in text.split(","))
            return numbers if len(numbers) > 1 else numbers[0]
    return text
