"""Columns: each field of all nodes as one list, which protobuf itself reads.

Messages of protobuf, joined, are one message, in which a repeated field has the values of all. So nodes that are joined
and read as a message whose fields are all repeated are columns, in half of the time that it takes to ask each node. A
mark stands behind each node in those fields of which a node has none or several.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from shapesmt.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    import onnx

__all__ = ["Columns", "columns"]

_MARK = "\0"
"""Stands behind the inputs, and the outputs, of each node."""
_NO_ATTRIBUTE = b"\0"
"""Stands behind the attributes of each node; no message begins with these bytes."""

_TEXTS = {"input": 1, "output": 2, "name": 3, "op_type": 4, "domain": 7, "overload": 8}
_ATTRIBUTE = 5
_REPEATED, _STRING, _BYTES = 3, 9, 12
_LARGE = 1 << 16
"""Bytes of a node that has weights among its attributes, of which less is copied."""


class Columns(NamedTuple):
    """The fields of nodes.

    Attributes:
        keys: For each node operator, domain, overload, the number of outputs, and its attributes as bytes, or digests.
        names: What each is called; "" where it has no name.
        inputs: The inputs of each.
        outputs: The outputs of each.
    """

    keys: Iterator[tuple[Hashable, ...]]
    names: list[str]
    inputs: list[list[str]]
    outputs: list[list[str]]


def columns(protos: Sequence[onnx.NodeProto], source: str) -> Columns:
    """The fields of all nodes.

    Raises:
        ModelError: Some tensor has the mark for its name.

    Example:
        >>> from onnx import helper
        >>> nodes = helper.make_node("Add", ["x", "y"], ["z"], "a"), helper.make_node("Abs", ["z"], ["w"], axis=1)
        >>> keys, *others = columns(nodes, "model")
        >>> others
        [['a', ''], [['x', 'y'], ['z']], [['z'], ['w']]]
        >>> [key[:4] for key in keys]
        [('Add', '', '', 1), ('Abs', '', '', 1)]
    """
    message, mark = _message()
    contents = map(type(protos[0]).SerializePartialToString, protos) if protos else ()
    parts = [content if len(content) < _LARGE else _digested(content) for content in contents]
    joined = message.FromString(mark.join([*parts, b""]))
    inputs, outputs = _split(joined.input[:]), _split(joined.output[:])
    if not len(inputs) == len(outputs) == len(protos):
        raise ModelError(f"{source}: a tensor's name in it is a null character; the file is damaged")
    single = (_each(joined, field, protos) for field in ("op_type", "domain", "overload"))
    attribute = iter(joined.attribute[:]).__next__
    keys = ((*row, *iter(attribute, _NO_ATTRIBUTE)) for row in zip(*single, map(len, outputs), strict=True))
    return Columns(keys, _each(joined, "name", protos), inputs, outputs)


def _split(names: list[str]) -> list[list[str]]:
    """The names before each mark."""
    ends = [place for place, name in enumerate(names) if name == _MARK]
    return [names[start + 1 : end] for start, end in zip([-1, *ends], ends, strict=False)]


def _each(joined: Any, field: str, protos: Sequence[onnx.NodeProto]) -> list[str]:
    """A field of which each node has one at most; "" where it has none."""
    values: list[str] = getattr(joined, field)[:]
    if not values:
        return [""] * len(protos)
    return values if len(values) == len(protos) else [getattr(proto, field) for proto in protos]


def _digested(content: bytes) -> bytes:
    """A node with a digest in place of each attribute."""
    from hashlib import sha256

    node = _message()[0].FromString(content)
    node.attribute[:] = [_NO_ATTRIBUTE + sha256(each).digest() for each in node.attribute]
    digested: bytes = node.SerializeToString()
    return digested


@cache
def _message() -> tuple[Any, bytes]:
    """The class of a message in which every field of a node is repeated, and what stands behind each node in one."""
    from google.protobuf import descriptor_pool, message_factory

    fields = [_field(2, _described(name, number, _STRING)) for name, number in _TEXTS.items()]
    fields.append(_field(2, _described("attribute", _ATTRIBUTE, _BYTES)))
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_field(1, b"columns.proto") + _field(4, _field(1, b"Nodes") + b"".join(fields)))
    message = message_factory.GetMessageClass(pool.FindMessageTypeByName("Nodes"))
    return message, message(input=[_MARK], output=[_MARK], attribute=[_NO_ATTRIBUTE]).SerializeToString()


def _described(name: str, number: int, kind: int) -> bytes:
    """The description of a repeated field, as a `FieldDescriptorProto` is encoded."""
    return _field(1, name.encode()) + bytes((3 << 3, number, 4 << 3, _REPEATED, 5 << 3, kind))


def _field(number: int, content: bytes) -> bytes:
    """A field of text, or of a message, as protobuf encodes it; less than 128 bytes."""
    return bytes((number << 3 | 2, len(content))) + content
