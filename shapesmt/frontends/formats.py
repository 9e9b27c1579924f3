"""Formats: which one a model comes in is decided here, for those who want its graph and those who want its protobuf."""

from __future__ import annotations

import os
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

from shapesmt.errors import UsageError
from shapesmt.frontends.files import is_xml, model_file, tensorflow_format, text_format
from shapesmt.graph import Graph, document_of, is_flow

if TYPE_CHECKING:
    import networkx as nx
    from onnx import ModelProto

__all__ = ["Format", "Model", "OpenedModel", "load", "load_protobuf", "opened"]


class Format(Enum):
    """What a model comes as; of the formats that have no ONNX model in them, the value says so."""

    ONNX = ""
    GRAPH = "a graph has no ONNX file to write into; give the file's path instead"
    NETWORKX = "a networkx graph has no ONNX file to write into; give the file's path instead"
    NODE_LINK = "node-link JSON has no ONNX model in it; this needs an ONNX file"
    OPENVINO = "an OpenVINO model; only an ONNX model can be written or run"
    TENSORFLOW = "a TensorFlow model; only an ONNX model can be written or run"


class OpenedModel(NamedTuple):
    """A model whose format is known, before it is read as a graph.

    `content` is the `onnx.ModelProto`, `Graph`, networkx graph or node-link document; of OpenVINO's and TensorFlow's
    models the file. `source` is what to call it in a message. Only an ONNX file has a `folder`, where its weights are.
    """

    format: Format
    content: Any
    source: str
    folder: str | None = None


Model: TypeAlias = Union[
    str, os.PathLike[str], bytes, bytearray, memoryview, "ModelProto", Graph, "nx.DiGraph[Any]", OpenedModel
]


def opened(model: Model) -> OpenedModel:
    """The model with its format: of a file, as its first bytes show.

    Raises:
        ModelError: It is missing, unreadable, or damaged.
        UsageError: It is no model.

    Example:
        >>> opened(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) {y=Exp(x)}').format.name
        'ONNX'
        >>> opened(b'<?xml version="1.0"?><net name="g" version="11"/>').format.name
        'OPENVINO'
    """
    if isinstance(model, OpenedModel):
        return model
    if isinstance(model, Graph):
        return OpenedModel(Format.GRAPH, model, model.source)
    if is_flow(model):
        return OpenedModel(Format.NETWORKX, model, "<networkx graph>")
    from shapesmt.frontends import onnx

    if onnx.is_proto(model):
        return OpenedModel(Format.ONNX, model, "<model>")
    file = model_file(model)
    if is_xml(file.content):
        return OpenedModel(Format.OPENVINO, file, file.source)
    if tensorflow_format(file.content):
        return OpenedModel(Format.TENSORFLOW, file, file.source)
    if text_format(file.content) == "json":
        from shapesmt.frontends import nodelink

        document = nodelink.parse(file.content, file.source)
        if document is not None:
            return OpenedModel(Format.NODE_LINK, document, file.source)
    return OpenedModel(Format.ONNX, onnx.parse(file.content, file.source), file.source, file.folder)


def load(model: Model) -> Graph:
    """The model as a graph, whatever it came as; weights and external data are left alone.

    Args:
        model: A path (of a file, or of a folder that TensorFlow saved), "-" for standard input, the content of a
            file, an `onnx.ModelProto`, a graph, or a networkx graph such as what `networkx_graph` makes.

    Raises:
        ModelError: It is missing, unreadable, or contradicts itself.
        UsageError: It is none of these things.

    Example:
        >>> graph = load(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) {y=Exp(x)}')
        >>> graph.nodes[0].op, graph.inputs["x"].shape
        ('Exp', ('n',))
    """
    kind, content, source, folder = opened(model)
    if kind is Format.GRAPH:
        graph: Graph = content
        return graph
    if kind in (Format.NETWORKX, Format.NODE_LINK):
        from shapesmt.frontends import nodelink

        return nodelink.read(document_of(content) if kind is Format.NETWORKX else content, source)
    if kind is Format.OPENVINO:
        from shapesmt.frontends import openvino

        return openvino.read(content.content, source, content.folder, content.beside(".bin"))
    if kind is Format.TENSORFLOW:
        from shapesmt.frontends import tensorflow

        return tensorflow.read(content, tensorflow_format(content.content))
    from shapesmt.frontends import onnx

    return onnx.read(content, source, folder)


def load_protobuf(model: Model) -> tuple[ModelProto, Graph]:
    """The protobuf of an ONNX model, for those who write or run one, and its graph.

    Raises:
        ModelError: It is missing, unreadable, or contradicts itself.
        UsageError: It is a graph, which no longer knows its file, or of another format.
    """
    model = opened(model)
    if model.format is not Format.ONNX:
        raise UsageError(f"{model.source}: {model.format.value}")
    return model.content, load(model)
