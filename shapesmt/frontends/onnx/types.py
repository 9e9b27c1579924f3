"""Convert ONNX's types and constants: declared types and shapes, kinds of attributes, elements of constants."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from struct import unpack
from typing import TYPE_CHECKING, Any, NamedTuple

from shapesmt.base.errors import pass_on
from shapesmt.network import laws
from shapesmt.network.graph import DTYPES, Declared, Graph, Literal, Node, Scalar

if TYPE_CHECKING:
    import onnx


LAST_OPSET = (1 << 31) - 1
"""The largest version number of an operator set that ONNX can represent."""
BITS = {"bool": 8} | {f"{kind}{bits}": bits for kind in ("int", "uint") for bits in (2, 4, 8, 16, 32, 64)}
BITS |= {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64}
BITS |= {dtype: int(dtype[5]) for dtype in DTYPES.values() if re.match("float[468]e", dtype)}
"""The bits of an element in an external file."""


def _is_list(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, tuple) and all(type(part) is kind for part in value)


FITS: dict[str | None, Callable[[object], bool]] = {
    "int": lambda value: type(value) is int,
    "float": lambda value: type(value) is float,
    "string": lambda value: type(value) is str,
    "tensor": lambda value: isinstance(value, Literal),
    "graph": lambda value: isinstance(value, Graph),
    "ints": _is_list(int),
    "floats": _is_list(float),
    "strings": _is_list(str),
}
TYPE_NAMES: dict[str | None, str] = {
    "int": "an integer",
    "float": "a number",
    "string": "a text",
    "tensor": "a tensor",
    "graph": "a graph",
    "ints": "a list of integers",
    "floats": "a list of numbers",
    "strings": "a list of texts",
}

ONE_INPUT_OR_OUTPUT = laws.SM405.law("it has {end} {limit} {kind}, not {count}")
INPUTS_OR_OUTPUTS = laws.SM405.law("it has {end} {limit} {kind}s, not {count}")
OUTPUT_NAMED = laws.SM405.law("output {index} has a name")
NO_ATTRIBUTE = laws.SM502.law("there is no attribute '{name}'")
ATTRIBUTE_OF_KIND = laws.SM502.law("attribute '{name}' is {kind}")
ATTRIBUTE_NAMES_OUTPUT_TYPE = laws.SM502.law("attribute '{name}' names a type that the output may have")


class Parameters(NamedTuple):
    """The inputs, outputs and attributes that a node of one operator may have."""

    inputs: tuple[int, int]
    """The minimum and maximum number of inputs."""
    outputs: tuple[int, int]
    """The minimum and maximum number of outputs."""
    attributes: dict[str, str]
    """The kind of each attribute ("int", "floats")."""
    required: tuple[str, ...]
    """The attributes without a default that every node has to state."""
    inevitable: tuple[str, ...] = ()
    """The input names in order, "" for optional ones: a node can't leave out the named ones, even before others."""
    types: tuple[tuple[str, frozenset[int]], ...] = ()
    """The attributes that name the element type of the output, and the numbers of types that they allow."""

    def misfit(self, node: Node) -> laws.Law | None:
        """Return the law that a node violates by its number of inputs or outputs or its attributes; None if none."""
        return self.miscount(node) or self._attribute(node)

    def miscount(self, node: Node) -> laws.Law | None:
        """Return the law that a node violates by its number of inputs or outputs; None if none."""
        for kind, number, (least, most) in (
            ("input", len(node.inputs), self.inputs),
            ("output", len(node.outputs), self.outputs),
        ):
            if not least <= number <= most:
                end, limit = ("at least", least) if number < least else ("at most", most)
                law = ONE_INPUT_OR_OUTPUT if limit == 1 else INPUTS_OR_OUTPUTS
                return law.of(end=end, limit=limit, kind=kind, count=number)
        return None

    def _attribute(self, node: Node) -> laws.Law | None:
        """Return the law that a node violates by an omitted input or output or an attribute; None if none."""
        if "" in node.outputs[: self.outputs[0]]:
            return OUTPUT_NAMED.of(index=node.outputs.index(""))
        omitted = [name for name, tensor in zip(self.inevitable, node.inputs, strict=False) if name and not tensor]
        missing = [name for name in self.required if name not in node.attributes]
        unknown = [name for name in node.attributes if name not in self.attributes]
        wrong = [n for n, v in node.attributes.items() if (fits := FITS.get(self.attributes.get(n))) and not fits(v)]
        for names, law in (
            (omitted, laws.NAMED_INPUT_GIVEN),
            (unknown, NO_ATTRIBUTE),
            (missing, laws.ATTRIBUTE_GIVEN),
            (wrong, ATTRIBUTE_OF_KIND),
        ):
            if names:
                return law.of(name=names[0], kind=TYPE_NAMES.get(self.attributes.get(names[0])))
        return None

    def broken_type_law(self, node: Node) -> laws.Law | None:
        """Return the law that a node violates if an attribute such as `to` names a type that isn't allowed, or None."""
        for name, numbers in self.types:
            if node.attributes.get(name) not in numbers and name in node.attributes:
                return ATTRIBUTE_NAMES_OUTPUT_TYPE.of(name=name)
        return None


def read_type(proto: onnx.TypeProto) -> Declared:
    """Return the element type, shape and kind that a `TypeProto` declares."""
    match proto.WhichOneof("value"):
        case "tensor_type":
            return _tensor(proto.tensor_type, "tensor")
        case "sparse_tensor_type":
            return _tensor(proto.sparse_tensor_type, "sparse")
        case "sequence_type":
            return _wrap_type("seq", read_type(proto.sequence_type.elem_type), "sequence")
        case "optional_type":
            return _wrap_type("optional", read_type(proto.optional_type.elem_type), "optional")
        case "map_type":
            key = DTYPES.get(proto.map_type.key_type, "")
            return _wrap_type(f"map({key},", read_type(proto.map_type.value_type), "map")
    return Declared("", None)


def _wrap_type(outer: str, inner: Declared, kind: str) -> Declared:
    """Return a type around another: `seq(float32)`, `map(string,float32)`."""
    return inner._replace(dtype=f"{outer}{'' if '(' in outer else '('}{inner.dtype})", kind=kind)


def _tensor(proto: onnx.TypeProto.Tensor | onnx.TypeProto.SparseTensor, kind: str) -> Declared:
    dtype = DTYPES.get(proto.elem_type, "")
    return Declared(dtype, tuple(map(_dim, proto.shape.dim)) if proto.HasField("shape") else None, kind)


def _dim(proto: onnx.TensorShapeProto.Dimension) -> int | str | None:
    if proto.HasField("dim_value"):
        return proto.dim_value if proto.dim_value >= 0 else None  # converters write -1 for an unknown size
    return text_of(proto.dim_param) or None


def text_of(text: str | bytes) -> str:
    """Return a name as text; raise UnicodeDecodeError for a name that isn't UTF-8, which protobuf returns as bytes."""
    return text if isinstance(text, str) else text.decode()


_CODES = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q",
    "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
}  # fmt: skip
"""The `struct` format of an element in raw bytes."""
_LISTS = {"int32": "int32_data", "int64": "int64_data", "uint64": "uint64_data"}
_LISTS |= {"float32": "float_data", "float64": "double_data"}
"""The field that lists the elements unchanged if there are no raw bytes."""


def elements(held: Callable[[], onnx.TensorProto | None], dtype: str, size: int) -> tuple[Scalar, ...] | None:
    """Return the `size` elements as Python numbers or strings; None if complex, missing, damaged or of unknown type.

    `held` returns the tensor with its elements, None if they can't be read; complex ones are never read.
    """
    proto = None if dtype.startswith("complex") else held()
    if proto is None:
        return None
    try:
        values = _plain(proto, dtype, size)
        values = _decode(proto, dtype) if values is None else values
    except Exception as error:  # onnx's decoders may raise anything on hostile data
        pass_on(error)
        return None
    return values if len(values) == size else None


def _plain(proto: onnx.TensorProto, dtype: str, size: int) -> tuple[Scalar, ...] | None:
    """Return the elements in the layouts of most files; None for other layouts and for data outside the tensor."""
    if proto.HasField("segment") or proto.data_location != proto.DEFAULT:
        return None
    if not proto.HasField("raw_data"):
        return tuple(getattr(proto, _LISTS[dtype])) if dtype in _LISTS else None
    return unpack(f"<{size}{_CODES[dtype]}", proto.raw_data) if dtype in _CODES else None


def _decode(proto: onnx.TensorProto, dtype: str) -> tuple[Scalar, ...]:
    from onnx import numpy_helper

    array: Any = numpy_helper.to_array(proto)
    if array.dtype.kind == "V":  # types that numpy lacks
        array = array.astype("int64" if "int" in dtype else "float64")
    return tuple(array.reshape(-1).tolist())


def dense(proto: onnx.SparseTensorProto, dtype: str, shape: tuple[int, ...]) -> tuple[Scalar, ...] | None:
    """Return the elements of a sparse tensor in row-major order, zeros included; None if it is damaged.

    Its indices are `[n]`, positions in row-major order, or `[n, rank]`, one per axis.
    """
    size, axes = math.prod(shape), max(len(shape), 1) if len(proto.indices.dims) == 2 else 1
    values = elements(lambda: proto.values, dtype, math.prod(proto.values.dims))
    indices = elements(lambda: proto.indices, "int64", math.prod(proto.indices.dims))
    if values is None or indices is None or len(indices) != len(values) * axes:
        return None
    dense_values: list[Scalar] = [0] * size
    for i, value in enumerate(values):
        place = 0
        for n, index in zip(shape if axes > 1 else (size,), indices[i * axes : (i + 1) * axes], strict=True):
            place = place * n + int(index)
        if not 0 <= place < size:
            return None
        dense_values[place] = value
    return tuple(dense_values)
