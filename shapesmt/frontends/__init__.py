"""Files to graphs: one frontend per format, one door for all of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from shapesmt.frontends.files import is_folder, is_xml, open_model, tensorflow_format, text_format
from shapesmt.graph import Graph, document_of, is_flow

if TYPE_CHECKING:
    import networkx as nx
    from onnx import ModelProto

__all__ = ["Model", "is_folder", "load"]

Model: TypeAlias = Union[str, os.PathLike[str], bytes, bytearray, memoryview, "ModelProto", Graph, "nx.DiGraph[Any]"]


def load(model: Model) -> Graph:
    """The model as a graph, whatever it came as; weights and external data are left alone.

    Args:
        model: A path (of a file, or of a folder that TensorFlow saved), "-" for standard input, the content of a
            file, an `onnx.ModelProto`, a graph, or a networkx graph such as `Graph.networkx`.

    Raises:
        ModelError: It is missing, unreadable, or contradicts itself.
        UsageError: It is none of these things.

    Example:
        >>> graph = load(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) {y=Exp(x)}')
        >>> graph.nodes[0].op, graph.inputs["x"].shape
        ('Exp', ('n',))
    """
    if isinstance(model, Graph):
        return model
    if is_flow(model):
        from shapesmt.frontends import nodelink

        return nodelink.read(document_of(model), "<networkx graph>")
    from shapesmt.frontends import onnx

    if onnx.is_proto(model):
        return onnx.read(model, "<model>")
    opened = open_model(model)
    if is_xml(opened.content):
        from shapesmt.frontends import openvino

        return openvino.read(opened.content, opened.source, opened.folder, opened.beside(".bin"))
    form = tensorflow_format(opened.content)
    if form:
        from shapesmt.frontends import tensorflow

        return tensorflow.read(opened, form)
    if text_format(opened.content) == "json":
        from shapesmt.frontends import nodelink

        document = nodelink.parse(opened.content, opened.source)
        if document is not None:
            return nodelink.read(document, opened.source)
    return onnx.read(onnx.parse(opened.content, opened.source), opened.source, opened.folder)
