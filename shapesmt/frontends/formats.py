"""Recognise the format of a model, and load it as a graph or as an ONNX protobuf: each time, or once for all."""

from __future__ import annotations

import os
import sys
from enum import Enum
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard, Union

from shapesmt.base.deadline import stage
from shapesmt.base.errors import UsageError, printable
from shapesmt.frontends.files import LARGE, ModelFile, is_url, model_file
from shapesmt.frontends.foreign import how_to_export, refuse_content, torch_class
from shapesmt.frontends.recognize import is_xml, is_zip, tensorflow_format, text_format
from shapesmt.network.graph import Graph

if TYPE_CHECKING:
    import networkx as nx
    from onnx import ModelProto
    from torch.export import ExportedProgram
    from torch.nn import Module
    from torch.onnx import ONNXProgram


class Format(Enum):
    """The format of a model; its value is the error message if an ONNX model is needed, "" for ONNX itself."""

    ONNX = ""
    GRAPH = "a graph has no ONNX file to write into; give the file's path instead"
    NETWORKX = "a networkx graph has no ONNX file to write into; give the file's path instead"
    NODE_LINK = "node-link JSON has no ONNX model in it; this needs an ONNX file"
    OPENVINO = "an OpenVINO model; only an ONNX model can be written or run"
    TENSORFLOW = "a TensorFlow model; only an ONNX model can be written or run"
    TORCH = "a PyTorch program; only an ONNX model can be written or run (shapesmt dynamic-shapes says what to export)"
    PROGRAM = "a program of torch.export; only an ONNX model can be written or run"


class OpenedModel(NamedTuple):
    """A model whose format is known, before it is read as a graph.

    `content` is the `onnx.ModelProto`, `Graph`, networkx graph, node-link document or `Exported` program; for files of
    OpenVINO, TensorFlow and PyTorch it is the `ModelFile`. `source` is the model's name in messages. `folder` has an
    ONNX file's external data; None if there is none to read.
    """

    format: Format
    content: Any
    source: str
    folder: str | None = None


Model: TypeAlias = Union[
    str, os.PathLike[str], bytes, bytearray, memoryview, "ModelProto", Graph, "nx.DiGraph[Any]", OpenedModel, ModelFile,
    "ExportedProgram", "Module", "ONNXProgram", "ModelSource"
]  # fmt: skip


def is_flow(model: object) -> TypeGuard[nx.Graph[Any]]:
    """Whether it is a networkx graph, without importing networkx."""
    graph = getattr(sys.modules.get("networkx"), "Graph", None)  # another thread may be importing it
    return graph is not None and isinstance(model, graph)


def open_model(model: Model, *, weights: bool = True) -> OpenedModel:
    """Return the model with its format; the format of a file is recognised by its first bytes.

    Without `weights`, a large ONNX file is read without the elements of large tensors, which no graph has.

    Raises:
        ModelError: The file is missing, unreadable, or damaged.
        UsageError: The argument is no model.

    >>> open_model(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) {y=Exp(x)}').format.name
    'ONNX'
    >>> open_model(b'<?xml version="1.0"?><net name="g" version="11"/>').format.name
    'OPENVINO'
    """
    held = model.opened(weights=weights) if isinstance(model, ModelSource) else _in_memory(model)
    if held is not None:
        return held
    from shapesmt.frontends import onnx

    file = model if isinstance(model, ModelFile) else model_file(model, weights=weights)
    if is_xml(file.content):
        return OpenedModel(Format.OPENVINO, file, file.source)
    if tensorflow_format(file.content):
        return OpenedModel(Format.TENSORFLOW, file, file.source)
    if text_format(file.content) == "json":
        from shapesmt.frontends import nodelink

        document = nodelink.parse(file.content, file.source)
        if document is not None:
            return OpenedModel(Format.NODE_LINK, document, file.source)
    refuse_content(file.content, file.source)
    if is_zip(file.content):
        return OpenedModel(Format.TORCH, file, file.source)
    return OpenedModel(Format.ONNX, onnx.parse(file.content, file.source), file.source, file.folder)


def program_or_model(model: Any, args: Any, kwargs: Any, dynamic_shapes: Any) -> Any:
    """Export a PyTorch module if `args`, `kwargs` or `dynamic_shapes` are given; else return the model unchanged.

    Raises:
        ModelError: PyTorch refuses to export the module.
        UsageError: The model is no module, or its `forward` doesn't take these arguments.
    """
    if args is None and kwargs is None and dynamic_shapes is None:
        return model
    if torch_class(model) != "Module":
        raise UsageError("args, kwargs and dynamic_shapes are for a torch.nn.Module, which is exported with them")
    from shapesmt.frontends.torch import live

    request = live.request(model, args, kwargs, dynamic_shapes)
    return OpenedModel(Format.PROGRAM, live.export_module(request), request.source)


def _in_memory(model: Any) -> OpenedModel | None:
    """Return a model in memory with its format; None for a path or bytes."""
    if isinstance(model, OpenedModel):
        return model
    if isinstance(model, Graph):
        return OpenedModel(Format.GRAPH, model, model.source)
    if is_flow(model):
        return OpenedModel(Format.NETWORKX, model, "<networkx graph>")
    from shapesmt.frontends import onnx

    if onnx.is_model(model):
        return OpenedModel(Format.ONNX, model, "<model>")
    kind = torch_class(model)
    return _of_torch(model, kind) if kind else None


def _of_torch(model: Any, kind: str) -> OpenedModel:
    """Return a PyTorch program in memory, or the ONNX model to which one was converted."""
    if kind == "ONNXProgram":
        return OpenedModel(Format.ONNX, model.model_proto, "<ONNXProgram>")
    if kind == "Module":
        raise UsageError(how_to_export(model))
    from shapesmt.frontends.torch import live

    return OpenedModel(Format.PROGRAM, live.Exported(model), "<ExportedProgram>")


def load(model: Model) -> Graph:
    """Return the model as a graph, whatever its format; weights and external data are not read yet.

    Args:
        model: A path or URL (of a file, or of a folder that TensorFlow saved), "-" for standard input, the content of a
            file, an `onnx.ModelProto`, a graph, or a networkx graph such as `networkx_graph` returns.

    Raises:
        ModelError: The model is missing, unreadable, or contradicts itself.
        UsageError: The argument is none of these.

    >>> graph = load(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) {y=Exp(x)}')
    >>> graph.nodes[0].op, graph.inputs["x"].shape
    ('Exp', ('n',))
    """
    return model.graph() if isinstance(model, ModelSource) else _load(model)


@stage("reading the model")
def _load(model: Model) -> Graph:
    """Return a model that hasn't been read as a graph."""
    kind, content, source, folder = open_model(model, weights=False)
    if kind is Format.GRAPH:
        graph: Graph = content
        return graph
    if kind in (Format.NETWORKX, Format.NODE_LINK):
        from shapesmt.frontends import nodelink
        from shapesmt.network.graph import document_of

        return nodelink.read(document_of(content) if kind is Format.NETWORKX else content, source)
    if kind is Format.OPENVINO:
        from shapesmt.frontends import openvino

        return openvino.read(content.content, source, content.folder, content.beside(".bin"))
    if kind is Format.TENSORFLOW:
        from shapesmt.frontends import tensorflow

        return tensorflow.read(content, tensorflow_format(content.content))
    if kind is Format.TORCH:
        from shapesmt.frontends import torch

        return torch.read(content.path or content.content, source, content.signature)
    if kind is Format.PROGRAM:
        from shapesmt.frontends import torch

        return torch.read_object(content, source)
    from shapesmt.frontends import onnx

    return onnx.read(content, source, folder)


def load_protobuf(model: Model) -> tuple[ModelProto, Graph]:
    """Return the protobuf of an ONNX model, to be written or run, and its graph.

    Raises:
        ModelError: The file is missing, unreadable, or contradicts itself.
        UsageError: The model is a graph, which has no protobuf, or in another format.
    """
    opened = open_model(model)
    if opened.format is not Format.ONNX:
        raise UsageError(f"{opened.source}: {opened.format.value}")
    return opened.content, load(model if isinstance(model, ModelSource) else opened)


class ModelSource:
    """A model that is read when it is first needed, by whichever thread needs it first, and kept.

    Args:
        given: The model, as `open_model` takes it.

    >>> source = ModelSource(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) {y=Exp(x)}')
    >>> source.graph() is source.graph()
    True
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self.kept: dict[str, object] = {}
        """The conditions that analyses keep for later questions about the model, by the options that they are for."""
        self._reading = RLock()
        self._opened: OpenedModel | None = None
        self._whole = False
        self._graph: Graph | None = None

    @property
    def path(self) -> str | None:
        """The path that was given; None for bytes and for models in memory."""
        return os.fsdecode(self.given) if isinstance(self.given, (str, os.PathLike)) else None

    @property
    def name(self) -> str:
        """The path, or what stands for it."""
        return printable(self.path) if self.path is not None else self.opened(weights=False).source

    @property
    def _is_large(self) -> bool:
        """Whether it is a file that may be read without its weights."""
        path = self.path
        if path is None or is_url(path):
            return path is not None
        return os.path.isfile(path) and os.path.getsize(path) > LARGE  # noqa: PTH113, PTH202 - faster

    def __reduce__(self) -> tuple[type[ModelSource], tuple[Any]]:
        """Return what a copy is made of: the same model, to be read again."""
        return type(self), (self.given,)

    def opened(self, *, weights: bool) -> OpenedModel:
        """Return the model with its format, as `open_model` does; a large file is read again for its weights."""
        with self._reading:
            if self._opened is None or (weights and not self._whole):
                self._whole = weights or not self._is_large
                self._opened = open_model(self.given, weights=self._whole)
            return self._opened

    def graph(self) -> Graph:
        """Return the model as a graph, as `load` does."""
        with self._reading:
            if self._graph is None:
                self._graph = load(self.opened(weights=False))
            return self._graph
