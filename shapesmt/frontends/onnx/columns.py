"""Columns: read each field of all nodes as one list, by protobuf itself.

Concatenated protobuf messages are one message, in which a repeated field has the values of all. So nodes that are
concatenated, and read as a message with repeated fields only, become columns, in half the time that it takes to read
each node. A mark after each node separates the values of fields that a node can have several times, or not at all.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from itertools import count, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from shapesmt.base.errors import ModelError

if TYPE_CHECKING:
    import onnx

_MARK = "\0"
"""The mark after the inputs, and after the outputs, of each node."""
_NO_ATTRIBUTE, _DIGEST = b"\0", b"\1"
"""The mark after each node's attributes, and the first byte of a digest; no message begins with either."""

_TEXTS = {"input": 1, "output": 2, "name": 3, "op_type": 4, "domain": 7, "overload": 8}
_ATTRIBUTE = 5
_SINGLE = ("name", "op_type", "domain", "overload")
"""Fields that a node has at most once."""
_REPEATED, _STRING, _BYTES = 3, 9, 12
_LARGE = 1 << 16
"""A node of at least so many bytes has its attributes replaced by digests, so that less is copied."""
_AT_ONCE = 512
"""The number of nodes read at once: for a few, the processor reuses memory in its cache."""


class Columns(NamedTuple):
    """The fields of nodes, each as a list.

    Attributes:
        kinds: The index of the first node of each kind: by operator, attributes as bytes or digests, number of outputs,
            domain, and overload.
        places: For each node, the index of the first node of its kind.
        names: Each node's name; "" if it has none.
        inputs: Each node's inputs.
        outputs: Each node's outputs.
    """

    kinds: dict[Hashable, int]
    places: list[int]
    names: list[str]
    inputs: list[list[str]]
    outputs: list[list[str]]


def read_columns(protos: Sequence[onnx.NodeProto], source: str) -> Columns:
    """Return the fields of all nodes; `source` is the model's name in messages.

    Raises:
        ModelError: A tensor's name is the mark.

    >>> from onnx import helper
    >>> nodes = helper.make_node("Add", ["x", "y"], ["z"], "a"), helper.make_node("Abs", ["z"], ["w"])
    >>> read_columns([*nodes, nodes[0]], "model")[1:]
    ([0, 1, 0], ['a', '', 'a'], [['x', 'y'], ['z'], ['x', 'y']], [['z'], ['w'], ['z']])
    """
    message, mark = _message()
    read, number = Columns({}, [], [], [], []), count()
    for start in range(0, len(protos), _AT_ONCE):
        some = protos[start : start + _AT_ONCE]
        parts = [*map(type(some[0]).SerializePartialToString, some), b""]
        if max(map(len, parts)) > _LARGE:
            parts = [part if len(part) < _LARGE else _digest_attributes(part) for part in parts]
        joined = message.FromString(mark.join(parts))
        inputs, outputs = (_split(names[:], len(some), source) for names in (joined.input, joined.output))
        names, ops, domains, overloads = (_each(joined, field, some) for field in _SINGLE)
        keys = zip(ops, _attributes(joined.attribute[:]), map(len, outputs), domains, overloads, strict=True)
        read.places.extend(map(read.kinds.setdefault, keys, number))
        read.names.extend(names)
        read.inputs.extend(inputs)
        read.outputs.extend(outputs)
    return read


def _split(names: list[str], count: int, source: str) -> list[list[str]]:
    """Split the names at the marks, which are dropped."""
    ahead = iter(names)
    rows = [*map(list, map(iter, repeat(ahead.__next__, count), repeat(_MARK)))]
    if next(ahead, None) is not None:
        raise ModelError(f"{source}: a tensor's name in it is a null character; the file is damaged")
    return rows


def _attributes(listed: list[bytes]) -> list[bytes]:
    """Join each node's attributes, separated by a text that is in none of them."""
    everything = b"".join(listed)
    between = next(text for text in map(b"\1%d\2".__mod__, count()) if text not in everything)
    return between.join([b"", *listed]).split(between + _NO_ATTRIBUTE)[:-1]


def _each(joined: Any, field: str, protos: Sequence[onnx.NodeProto]) -> list[str]:
    """Return a field that each node has at most once; "" if it has none."""
    values: list[str] = getattr(joined, field)[:]
    if not values:
        return [""] * len(protos)
    return values if len(values) == len(protos) else [getattr(proto, field) for proto in protos]


def _digest_attributes(content: bytes) -> bytes:
    """Return a node with a digest in place of each attribute."""
    from hashlib import sha256

    node = _message()[0].FromString(content)
    node.attribute[:] = [_DIGEST + sha256(each).digest() for each in node.attribute]
    digested: bytes = node.SerializeToString()
    return digested


@cache
def _message() -> tuple[Any, bytes]:
    """Return the class of a message in which every field of a node is repeated, and the encoded marks."""
    from google.protobuf import descriptor_pool, message_factory

    fields = [_field(2, _field_descriptor(name, number, _STRING)) for name, number in _TEXTS.items()]
    fields.append(_field(2, _field_descriptor("attribute", _ATTRIBUTE, _BYTES)))
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_field(1, b"columns.proto") + _field(4, _field(1, b"Nodes") + b"".join(fields)))
    message = message_factory.GetMessageClass(pool.FindMessageTypeByName("Nodes"))
    return message, message(input=[_MARK], output=[_MARK], attribute=[_NO_ATTRIBUTE]).SerializeToString()


def _field_descriptor(name: str, number: int, kind: int) -> bytes:
    """Return the description of a repeated field, encoded as a `FieldDescriptorProto`."""
    return _field(1, name.encode()) + bytes((3 << 3, number, 4 << 3, _REPEATED, 5 << 3, kind))


def _field(number: int, content: bytes) -> bytes:
    """Encode a field with a text or a message of less than 128 bytes, as protobuf does."""
    return bytes((number << 3 | 2, len(content))) + content
