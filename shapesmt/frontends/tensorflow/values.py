"""Read TensorFlow's attributes, shapes and constant tensors."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from functools import partial

from shapesmt.base.errors import ModelError
from shapesmt.frontends.tensorflow.protos import Proto
from shapesmt.network.graph import AttributeValue, Declared, Literal, Scalar

_RANK = 255
_NUMBERED = (
    *("", "float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64", "int64", "bool"),
    *("", "", "", "bfloat16", "", "", "uint16", "complex128", "float16", "", "", "uint32", "uint64"),
    *("float8e5m2", "float8e4m3fn", "float8e4m3fnuz", "", "float8e5m2fnuz", "int4", "uint4", "int2", "uint2"),
)
_REFERENCE = 100  # TensorFlow adds this to the number of a type for a reference to a variable (`DT_FLOAT_REF`)
_PACKED = {"bool": "?", "float16": "e", "float32": "f", "float64": "d", "bfloat16": "H"}
_PACKED |= {f"{sign}int{8 * 2**i}": code for i in range(4) for sign, code in (("", "bhiq"[i]), ("u", "BHIQ"[i]))}
_LISTED = {"float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val"}
_LISTED |= {"uint32": "uint32_val", "uint64": "uint64_val", "float16": "half_val", "bfloat16": "half_val"}
_LISTED |= dict.fromkeys(("int8", "uint8", "int16", "uint16", "int32"), "int_val")
_KINDS = ("s", "i", "f", "b", "type", "shape", "tensor", "func")


def dtype_of(number: int) -> str:
    """Return the element type for TensorFlow's number; "" if it is unknown.

    >>> dtype_of(1), dtype_of(9), dtype_of(101), dtype_of(20)
    ('float32', 'int64', 'float32', '')
    """
    number -= _REFERENCE if number > _REFERENCE else 0
    return _NUMBERED[number] if 0 <= number < len(_NUMBERED) else ""


def attributes(protos: Mapping[str, Proto], arguments: Mapping[str, Proto]) -> dict[str, AttributeValue]:
    """Return the values of a node's attributes; in a function, these may refer to the caller's `arguments`."""
    values = {name: _value(arguments.get(a.placeholder, a)) for name, a in protos.items() if not name.startswith("_")}
    return {name: value for name, value in values.items() if value is not None}


def _value(proto: Proto) -> AttributeValue | None:
    kind = proto.WhichOneof("value")
    if kind != "list":
        return None if kind is None else _one(kind, getattr(proto, kind))
    filled = next((k for k in _KINDS if getattr(proto.list, k)), None)
    parts = () if filled is None else tuple(_one(filled, part) for part in getattr(proto.list, filled))
    return None if None in parts else parts  # type: ignore[return-value]  # all of one kind


def _one(kind: str, content: Proto) -> AttributeValue | None:
    """Return a value of one kind ("i", "shape"); None for a kind that no rule uses."""
    match kind:
        case "i" | "b":
            return int(content)
        case "f":
            return float(content)
        case "s":
            return str(content.decode(errors="replace"))
        case "type":
            return dtype_of(content)
        case "shape":
            return read_declaration("", content)
        case "tensor":
            return literal(content, "an attribute")
    return None


def read_declaration(dtype: str, shape: Proto) -> Declared:
    """Return the declared type and shape; TensorFlow writes an unknown size as -1."""
    if shape.unknown_rank or len(shape.dim) > _RANK:
        return Declared(dtype, None)
    return Declared(dtype, tuple(None if dim.size < 0 else int(dim.size) for dim in shape.dim))


def literal(proto: Proto, where: str) -> Literal:
    """Return a constant tensor. Few elements are read now; more (weights) only when a rule asks for them.

    Raises:
        ModelError: The shape has an unknown size, or the number of elements doesn't fit it.
    """
    dtype, shape = dtype_of(proto.dtype), read_declaration("", proto.tensor_shape).shape
    sizes = tuple(d for d in shape or () if isinstance(d, int))
    if shape is None or len(sizes) < len(shape):
        raise ModelError(f"{where} is a constant without a whole shape")
    size = math.prod(sizes)
    if size == 0 or Literal.too_many(dtype, size):
        return Literal(dtype, sizes, None if size else ())
    if size > Literal.LIMIT:
        return Literal(dtype, sizes, None, partial(_elements, proto, dtype, size))
    values = _elements(proto, dtype, size)
    if values is not None and len(values) != size:
        raise ModelError(f"{where} is a constant of {size} elements with {len(values)} listed; the file is damaged")
    return Literal(dtype, sizes, values)


def _elements(proto: Proto, dtype: str, size: int) -> tuple[Scalar, ...] | None:
    """Return the elements, from packed bytes or a list whose last element repeats to the end; None for other types."""
    if dtype == "string":
        return _fill_up([text.decode(errors="replace") for text in proto.string_val[: size + 1]], "", size)
    form = _PACKED.get(dtype)
    if form is None:
        return None
    if proto.tensor_content:
        width = struct.calcsize(form)
        length = min(len(proto.tensor_content) // width, size + 1)
        values: Iterable[Scalar] = struct.unpack(f"<{length}{form}", proto.tensor_content[: length * width])
    else:
        values = _fill_up(getattr(proto, _LISTED[dtype])[: size + 1], 0, size)
    if dtype == "bfloat16":
        return tuple(struct.unpack("<f", struct.pack("<I", (int(bits) & 0xFFFF) << 16))[0] for bits in values)
    if dtype == "float16" and not proto.tensor_content:
        return tuple(struct.unpack("<e", struct.pack("<H", int(bits) & 0xFFFF))[0] for bits in values)
    return tuple(map(bool, values)) if dtype == "bool" else tuple(values)


def _fill_up(stated: Iterable[Scalar], otherwise: Scalar, size: int) -> tuple[Scalar, ...]:
    values = tuple(stated)
    return values + (values[-1] if values else otherwise,) * (size - len(values))
