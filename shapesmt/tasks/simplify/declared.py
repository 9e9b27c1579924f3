"""Sizes of inputs and outputs as a written file declares them: known sizes as numbers, equal ones under one name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import PLACEHOLDERS, Problem
from shapesmt.prover.algebra import Dim

if TYPE_CHECKING:
    import onnx


class Axis(NamedTuple):
    """An axis of an input: its size, the file's name for it ("" if none), and shapesmt's name."""

    declared: onnx.TensorShapeProto.Dimension
    size: Dim
    theirs: str
    ours: str


def declare_inputs(proto: onnx.ModelProto, problem: Problem) -> dict[str, str | int]:
    """Write input sizes with one value as numbers and equal sizes under one name, also in outputs and value infos.

    Return the new name or the number of each changed name: `{"m": "n", "c": 3}`.
    """
    axes = [*_axes(proto, problem)]
    names = _names(axes)
    became: dict[str, set[str | int]] = {}
    for axis in axes:
        number = axis.size.constant
        written = names[axis.size] if number is None else number
        for name in {axis.theirs, axis.ours} - {""}:
            became.setdefault(name, set()).add(written)
        if written != axis.theirs:
            _write(axis.declared, written)
    changed = {name: next(iter(new)) for name, new in became.items() if len(new) == 1 and new != {name} and new != {""}}
    for declared in _dims(proto.graph, inputs=False):
        if declared.dim_param in changed:
            _write(declared, changed[declared.dim_param])
    return changed


def declare_outputs(proto: onnx.ModelProto, a: Analysis) -> None:
    """Write the outputs' sizes that are a number, or a named size of an input."""
    inputs, tensors = a.problem.inputs, a.examination.original.tensors
    names: dict[Dim, str] = {}
    for info in proto.graph.input:
        shape = inputs[info.name].shape if info.name in inputs else None
        for size, declared in zip(shape or (), info.type.tensor_type.shape.dim, strict=False):
            if size.as_symbol() is not None and declared.dim_param not in ("", *PLACEHOLDERS):
                names.setdefault(size, declared.dim_param)
    for info in proto.graph.output:
        shape = tensors[info.name].shape if info.name in tensors else None
        dims = info.type.tensor_type.shape.dim
        for size, declared in zip(shape or (), dims, strict=False) if len(shape or ()) == len(dims) else ():
            known = names.get(size) if size.constant is None else size.constant
            if known is not None:
                _write(declared, known)


def _axes(proto: onnx.ModelProto, problem: Problem) -> Iterator[Axis]:
    """Yield the axes of inputs whose shape the file or the caller declares; a shape missing in the file is added."""
    inputs = problem.inputs
    for info in proto.graph.input:
        shape = inputs[info.name].shape if info.name in inputs else None
        axes = problem.declared[info.name][1] if info.name in inputs else None
        if shape is None or axes is None or not info.type.HasField("tensor_type"):
            continue
        dims = info.type.tensor_type.shape.dim
        info.type.tensor_type.shape.SetInParent()  # a scalar has a shape too
        while len(dims) < len(shape):
            dims.add()
        for declared, size, axis in zip(dims, shape, axes, strict=True):
            yield Axis(declared, size, declared.dim_param, str(axis))


def _names(axes: list[Axis]) -> dict[Dim, str]:
    """Return the name of each size: the file's first one that isn't used yet; else shapesmt's, if one is needed.

    A size needs a name if several axes have it, or if the file has a negative number in its place.
    """
    same: dict[Dim, list[Axis]] = {}
    for axis in axes:
        same.setdefault(axis.size, []).append(axis)
    names: dict[Dim, str] = {}
    for size, tied in same.items():
        theirs = [axis.theirs for axis in tied if axis.theirs and (len(tied) == 1 or axis.theirs not in PLACEHOLDERS)]
        free = [name for name in theirs if name not in names.values() or name in PLACEHOLDERS]
        needed = theirs or len(tied) > 1 or any(axis.declared.dim_value < 0 for axis in tied)
        names[size] = free[0] if free else tied[0].ours if needed else ""
    return names


def _write(declared: onnx.TensorShapeProto.Dimension, size: str | int) -> None:
    declared.Clear()
    if isinstance(size, int):
        declared.dim_value = size
    elif size:
        declared.dim_param = size


def _dims(graph: onnx.GraphProto, *, inputs: bool = True) -> Iterator[onnx.TensorShapeProto.Dimension]:
    """Yield the dimensions that a graph and the graphs inside it declare; its own inputs' only with `inputs`."""
    for info in (*(graph.input if inputs else ()), *graph.output, *graph.value_info):
        yield from info.type.tensor_type.shape.dim
    for attribute in (a for node in graph.node for a in node.attribute):
        for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            yield from _dims(inner)
