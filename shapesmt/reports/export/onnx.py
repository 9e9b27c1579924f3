"""Write inferred shapes into ONNX models, raise the errors of ONNX's own inference, and save models."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from shapesmt.base.errors import ModelError, UsageError, printable
from shapesmt.network.graph import DTYPES
from shapesmt.prover.algebra import CUT
from shapesmt.reports.export.files import write_whole

if TYPE_CHECKING:
    import onnx

    from shapesmt.reports.answers import TensorBounds

Shapes: TypeAlias = "Mapping[str, tuple[str, Sequence[int | str | None] | None]]"
"""The element type ("" if unknown) and dimensions of each tensor: numbers, formulas as text, None if unknown."""

CONSTANT = "Constant"
"""The ONNX operator whose attribute is its output."""
_NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
_KINDS = {"seq": "sequence_type", "optional": "optional_type", "map": "map_type"}


def axes_of(tensors: Mapping[str, TensorBounds]) -> Shapes:
    """Return every tensor's element type, and for each axis a number if it is proven constant, else the formula's text.

    >>> from shapesmt.reports.answers import DimBounds, TensorBounds
    >>> axes_of({"y": TensorBounds("float32", (DimBounds(1, 8, "n"), DimBounds(3, 3, "3")))})
    {'y': ('float32', ['n', 3])}
    """
    return {
        name: (t.dtype, None if t.shape is None else [d.min if d.min == d.max else d.expr for d in t.shape])
        for name, t in tensors.items()
    }


def annotate(proto: onnx.ModelProto, shapes: Shapes, *, override: bool = False) -> onnx.ModelProto:
    """Return a copy with the shapes of these tensors in its value infos and outputs, also in subgraphs.

    Everything else is unchanged, including the inputs. If a tensor's rank isn't known, its declared shape is kept,
    unless `override`; an output keeps it even then, since ONNX's checker requires one. The dimensions of a sequence
    ("seq(float32)") are those that all its tensors share.

    >>> import onnx
    >>> text = '<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[m] z) {y=Exp(x) z=Exp(y)}'
    >>> shapes = {"y": ("float32", ["n"]), "z": ("float32", ["n"])}
    >>> annotated = annotate(onnx.parser.parse_model(text), shapes)
    >>> [info.name for info in annotated.graph.value_info]
    ['y']
    >>> annotated.graph.output[0].type.tensor_type.shape.dim[0].dim_param
    'n'
    """
    copy = type(proto)()
    copy.CopyFrom(proto)
    if override:
        for info in copy.graph.value_info:
            if info.name in shapes and info.type.HasField("tensor_type"):
                info.type.tensor_type.ClearField("shape")
    _annotate(copy.graph, shapes)
    return copy


def _annotate(graph: onnx.GraphProto, shapes: Shapes) -> None:
    """Write the shapes into a graph and its subgraphs; remove value infos without a type, which ONNX refuses."""
    infos = [*graph.value_info, *graph.output]
    for info in infos:
        dtype, dims = shapes.get(info.name, ("", None))
        _state(info.type, dtype, dims)
    known = {"", *(info.name for info in infos)}
    for node in graph.node:
        for name in node.output:
            dtype, dims = shapes.get(name, ("", None))
            if name not in known and dtype and "()" not in dtype:
                _state(graph.value_info.add(name=name).type, dtype, dims)
        for attribute in node.attribute:
            for inner in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
                _annotate(inner, shapes)
    typed = [info for info in graph.value_info if _has_type(info.type)]
    if len(typed) < len(graph.value_info):
        del graph.value_info[:]
        graph.value_info.extend(typed)


def _has_type(declared: onnx.TypeProto) -> bool:
    """Whether a type is complete, down to the type of its elements."""
    match declared.WhichOneof("value"):
        case "tensor_type" | "sparse_tensor_type" as kind:
            return bool(getattr(declared, kind).elem_type)
        case "sequence_type" | "optional_type" as kind:
            return _has_type(getattr(declared, kind).elem_type)
        case "map_type":
            return bool(declared.map_type.key_type) and _has_type(declared.map_type.value_type)
    return False


def _state(declared: onnx.TypeProto, dtype: str, dims: Sequence[int | str | None] | None) -> None:
    """Write the inferred type into a declared one of the same kind; `dims` belong to the innermost tensor type."""
    outer, nested, inner = dtype.partition("(")
    kind = _KINDS[outer] if nested else "tensor_type"
    if declared.WhichOneof("value") not in (None, kind) or (not dtype and dims is None):
        return
    if outer == "map":
        key, _, inner = inner.partition(",")
        declared.map_type.key_type = _NUMBERS[key]
        _state(declared.map_type.value_type, inner[:-1], dims)
    elif nested:
        _state(getattr(declared, kind).elem_type, inner[:-1], dims)
    else:
        declared.tensor_type.elem_type = _NUMBERS.get(dtype) or declared.tensor_type.elem_type
        if dims is not None:
            _state_shape(declared.tensor_type, dims)


def _state_shape(tensor: onnx.TypeProto.Tensor, dims: Sequence[int | str | None]) -> None:
    tensor.shape.SetInParent()  # a scalar has a shape too
    del tensor.shape.dim[len(dims) :]
    while len(tensor.shape.dim) < len(dims):
        tensor.shape.dim.add()
    for target, dim in zip(tensor.shape.dim, dims, strict=True):
        target.ClearField("dim_value")
        target.ClearField("dim_param")
        if isinstance(dim, str):
            if CUT not in dim:  # a shortened formula could be the same name for different sizes
                target.dim_param = dim
        elif dim is not None and dim < 1 << 63:
            target.dim_value = dim


@contextmanager
def refusing() -> Iterator[None]:
    """Turn a `ModelError` of the body into one that is also ONNX's `InferenceError`, as callers of ONNX expect."""
    try:
        yield
    except ModelError as error:
        raise _refusal()(str(error)) from None


@cache
def _refusal() -> type[ModelError]:
    from onnx.checker import ValidationError
    from onnx.shape_inference import InferenceError

    return type("RefusedError", (ModelError, InferenceError, ValidationError), {})


def keep_together(proto: onnx.ModelProto, model: object, path: str | os.PathLike[str]) -> None:
    """Refuse to write a model to `path` if its external data files aren't in the folder of `path`.

    `model` is what `proto` was read from: a path in the same folder is always accepted.

    Raises:
        UsageError: The copy would lose its data.
    """
    folder = Path(os.path.realpath(path)).parent  # works for cyclic links too
    if isinstance(model, (str, os.PathLike)) and Path(os.path.realpath(os.fsdecode(model))).parent == folder:
        return
    away = [t for graph in (proto.graph, *proto.functions) for t in _constants(graph) if t.data_location == t.EXTERNAL]
    files = {entry.value for t in away for entry in t.external_data if entry.key == "location"}
    missing = sorted(name for name in files if not os.path.isfile(folder / name))  # noqa: PTH113 - of any name
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise UsageError(
            f"cannot write {printable(str(path))}: the model's weights are in {printable(missing[0])}{more}, which is "
            "not beside it; write it beside the model, or copy them there first"
        )


def _constants(graph: onnx.GraphProto | onnx.FunctionProto) -> Iterator[onnx.TensorProto]:
    """Yield the constant tensors of a graph and of its subgraphs."""
    yield from getattr(graph, "initializer", ())
    for attribute in (a for node in graph.node for a in node.attribute):
        yield from (*([attribute.t] if attribute.HasField("t") else []), *attribute.tensors)
        for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            yield from _constants(inner)


def complaint(proto: onnx.ModelProto, original: onnx.ModelProto) -> str:
    """Return the message of ONNX's checker about `proto`; "" if it accepts `proto`, or refuses `original` too.

    External data is ignored.
    """
    from google.protobuf.message import EncodeError

    try:
        reason = _complaint(proto)
        return "" if not reason or _complaint(original) else f"ONNX's checker refuses it: {reason}"
    except (EncodeError, ValueError):  # beyond 2 GiB, which `save` refuses
        return ""


def _complaint(proto: onnx.ModelProto) -> str:
    import onnx

    bare = type(proto)()
    bare.CopyFrom(proto)
    for tensor in _constants(bare.graph):
        if tensor.data_location == tensor.EXTERNAL:
            tensor.CopyFrom(onnx.TensorProto(name=tensor.name, data_type=tensor.data_type, dims=[0]))
    try:
        onnx.checker.check_model(bare.SerializeToString())
    except onnx.checker.ValidationError as error:
        return printable(" ".join(str(error).split()), 200)
    return ""


def save(proto: onnx.ModelProto, path: str | os.PathLike[str]) -> None:
    """Write a model atomically; as ONNX text if the path ends in `.onnxtxt`, else binary.

    Raises:
        ModelError: The model is larger than a protobuf can be (2 GiB).
        UsageError: The path can't be written.
    """
    write_whole(path, _content(proto, Path(path)))


def _content(proto: onnx.ModelProto, target: Path) -> bytes:
    from google.protobuf.message import EncodeError

    if target.suffix == ".onnxtxt":
        import onnx

        return onnx.printer.to_text(proto).encode()
    try:
        return bytes(proto.SerializeToString())
    except (EncodeError, ValueError):
        raise ModelError(f"cannot write {printable(str(target))}: the model exceeds 2 GiB") from None
