"""Parse TensorFlow's protobufs. No other module imports them.

The classes come from tensorboard, which includes them without TensorFlow itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from shapesmt.base.errors import ModelError, UsageError, pass_on, printable
from shapesmt.frontends.files import ModelFile

Proto: TypeAlias = Any
"""A protobuf message of TensorFlow."""
Signature: TypeAlias = "tuple[Mapping[str, Proto], Mapping[str, Proto]]"
"""The inputs and the outputs of a saved model's signature: a `TensorInfo` by name."""

_SERVING = "serving_default"
_MESSAGE, _INT64, _OPTIONAL, _REPEATED = 11, 3, 1, 3  # protobuf's numbers for types and labels


def parse(file: ModelFile, form: str) -> tuple[Proto, list[Proto], Signature | None]:
    """Return the `GraphDef` of a file, the operators that it defines (`OpDef`), and the signature of a saved model.

    Args:
        file: The file.
        form: "graph" or "saved_model", followed by ".text" for text.

    Raises:
        ModelError: The file is damaged, or it is a saved model and it isn't clear which signature to read.
        UsageError: tensorboard isn't installed.
    """
    kind, _, text = form.partition(".")
    message = _message(kind, file.source)
    try:
        if text:
            from google.protobuf import text_format

            text_format.Parse(file.content.decode(), message)
        else:
            message.ParseFromString(file.content)
    except Exception as error:  # protobuf's parsers may raise anything on hostile data
        pass_on(error)
        reason = printable(" ".join(str(error).split()), 200) or "nested too deep"
        what = "a TensorFlow graph" if kind == "graph" else "a TensorFlow saved model"
        raise ModelError(f"{file.source}: not {what}, or a damaged one ({reason})") from None
    if kind == "graph":
        return message, [], None
    served = _serving_graph(message.meta_graphs, file.source)
    return served.graph_def, list(served.meta_info_def.stripped_op_list.op), _signature(served, file)


def _message(kind: str, source: str) -> Proto:
    try:
        from tensorboard.compat.proto import graph_pb2
    except ImportError:
        raise UsageError(
            f"{source}: reading a TensorFlow model needs tensorboard, which is not installed: "
            "pip install 'shapesmt[tensorflow]'"
        ) from None
    return graph_pb2.GraphDef() if kind == "graph" else _saved_model()()


@cache
def _saved_model() -> Proto:
    """Return the class of a saved model's protobuf (a version and the graphs), which tensorboard lacks."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from tensorboard.compat.proto import meta_graph_pb2

    file = descriptor_pb2.FileDescriptorProto(name="shapesmt/saved_model.proto", package="shapesmt", syntax="proto3")
    file.dependency.append(meta_graph_pb2.DESCRIPTOR.name)
    message = file.message_type.add(name="SavedModel")
    message.field.add(name="saved_model_schema_version", number=1, type=_INT64, label=_OPTIONAL)
    graphs = message.field.add(name="meta_graphs", number=2, type=_MESSAGE, label=_REPEATED)
    graphs.type_name = f".{meta_graph_pb2.MetaGraphDef.DESCRIPTOR.full_name}"
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shapesmt.SavedModel"))


def _serving_graph(graphs: Proto, source: str) -> Proto:
    """Return the graph that is tagged "serve" alone (for serving on any device), or the only graph."""
    served = [graph for graph in graphs if list(graph.meta_info_def.tags) == ["serve"]] or list(graphs)
    if len(served) != 1:
        tags = "; ".join(sorted(" ".join(graph.meta_info_def.tags) for graph in served))
        count = f"{len(served)} graphs to choose from ({printable(tags, 100)})" if served else "no graph"
        raise ModelError(f"{source}: a saved model with {count}; one has to be tagged 'serve' alone")
    return served[0]


def _signature(graph: Proto, file: ModelFile) -> Signature:
    """Return the signature to read: the one that the path names, else `serving_default`, or the only one."""
    signatures = {key: s for key, s in graph.signature_def.items() if not key.startswith("__")}
    chosen = signatures.get(file.signature or _SERVING)
    if chosen is None and len(signatures) == 1 and not file.signature:
        (chosen,) = signatures.values()
    if chosen is None:
        names = ", ".join(f"'{printable(key)}'" for key in sorted(signatures)) or "none"
        source = file.source.removesuffix(f"#{printable(file.signature)}")
        if file.signature:
            raise ModelError(f"{source}: it has no signature '{printable(file.signature)}'; its signatures are {names}")
        example = printable(min(signatures, default="name"))
        raise ModelError(
            f"{source}: its signatures are {names}, and none is '{_SERVING}'; name one behind the path, as in "
            f"'{source}#{example}'"
        )
    return dict(sorted(chosen.inputs.items())), dict(sorted(chosen.outputs.items()))
