"""OpenVINO: upper ends of sizes that its own inference loses, carried by the nodes.

OpenVINO follows the ends of sizes through the nodes and loses them where a size is computed as a number. Behind `Range`
it knows no end at all; a slice of a constant table has one, the table's length. Where another node makes a size without
an end, a slice up to the proven greatest size, which changes nothing, gives it back. OpenVINO itself says where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto, helper

from shapesmt.errors import ModelError, UsageError, pass_on, printable
from shapesmt.export.targets.edit import Edit, array, graphs_of, names_in, subgraphs, vectors
from shapesmt.language import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    import onnx
    import openvino as ov

    from shapesmt.report import DimBounds, TensorBounds

__all__ = ["lost", "with_ends"]

ROUNDS = 50  # of reading the model and adding slices; each adds those that the ones before leave over
LARGE = 1024  # elements of a constant that isn't shown to OpenVINO: no size depends on it
UNSLICED = "_unsliced"  # how the name of a tensor before its slice ends
EXACT = 1 << 24  # whole numbers below it are exact in float32


def with_ends(
    proto: onnx.ModelProto,
    tensors: Mapping[str, TensorBounds],
    inner: Mapping[str, TensorBounds] | None = None,
    earlier: Mapping[str, TensorBounds] | None = None,
) -> onnx.ModelProto:
    """A copy that computes the same, and in which OpenVINO finds the ends of sizes that it would lose.

    `inner` has the bounds of tensors inside branches and loops, `earlier` those of inputs and of tensors before nodes
    that may fail, for all inputs that are declared: to shorten one of these might make such a node run.

    Raises:
        ModelError: A size has no proven end, or OpenVINO finds none.
        UsageError: OpenVINO isn't installed.
    """
    for name, t in tensors.items():
        for d in (d for shape in t.shapes for d in shape):
            if d.max is None:
                raise ModelError(f"the size {quoted(d.expr)} of tensor {quoted(name)} has no proven upper end")
    copy = type(proto)()
    copy.CopyFrom(proto)
    taken, inside = names_in(copy.graph), inner or {}
    twice = inside.keys() & tensors.keys()  # of a tensor that hides another one it isn't said which is meant
    known = {**inside, **tensors, **(earlier or {})}
    every = {name: t for name, t in known.items() if name not in twice and _is_closed(t)}
    _tables(copy.graph, taken, every)
    _numbers(copy.graph, taken, every)
    sliced: set[str] = set()
    for bounds in (every, {**every, **tensors}):
        for _ in range(ROUNDS):
            open_axes = lost(copy, bounds)
            first = {name: axes for name, axes in open_axes.items() if name in every and name not in sliced}
            if not first:
                break
            for graph in _innermost_first(copy.graph):
                _slice(graph, taken, first, every, inside=graph is not copy.graph)
            sliced |= first.keys()
        left = [name for name in open_axes if not name.endswith(UNSLICED)]
        if left:
            raise ModelError(f"OpenVINO finds no upper end of tensor {quoted(left[0])} ({len(left)} in all)")
    return copy


def _numbers(graph: onnx.GraphProto, taken: set[str], tensors: Mapping[str, TensorBounds]) -> None:
    """Write each -1 in the target of a Reshape that is always the same number as that number.

    OpenVINO finds no end of it where another size may be 0.
    """
    for part in graphs_of(graph):
        edit, made = Edit(part, taken), {name: node for node in part.node for name in node.output}
        constants = vectors(part, LARGE)
        for node in part.node:
            bounds = tensors.get(node.output[0]) if node.op_type == "Reshape" and not node.domain else None
            if bounds is not None and bounds.shape:
                sizes = [d.min if d.min == d.max else -1 for d in bounds.shape]
                node.input[1] = _numbered(edit, node.input[1], sizes, constants, made, tensors)
            edit.nodes.append(node)
        edit.finish()


def _numbered(
    edit: Edit,
    target: str,
    sizes: list[int],
    constants: Mapping[str, list[int]],
    made: Mapping[str, onnx.NodeProto],
    tensors: Mapping[str, TensorBounds],
) -> str:
    """The name of a target whose -1 is its size, if that is a number; the same name where nothing changes."""
    known = constants.get(target)
    if known is not None:
        numbers = [size if n == -1 else n for n, size in zip(known, sizes, strict=False)]
        return edit.constant(numbers) if len(known) == len(sizes) and numbers != known else target
    joined = made.get(target)
    if joined is None or joined.op_type != "Concat" or joined.domain:
        return target
    parts, place = list[str](), 0
    for name in joined.input:
        length = tensors[name].shape if name in tensors else ()
        if not length or length[0].min != length[0].max:
            return target
        end = place + length[0].min
        parts.append(_numbered(edit, name, sizes[place:end], constants, {}, tensors) if name in constants else name)
        place = end
    return target if parts == [*joined.input] else edit.node("Concat", *parts, stem=target, axis=0)


def _is_closed(t: TensorBounds) -> bool:
    return all(d.max is not None for d in t.shape or ())


def _tables(
    graph: onnx.GraphProto,
    taken: set[str],
    tensors: Mapping[str, TensorBounds],
    outside: Mapping[str, onnx.TensorProto] | None = None,
) -> None:
    """Put slices of tables in the place of Range, in a graph and its subgraphs; these see the constants outside."""
    constants, edit = {**(outside or {}), **_scalars(graph)}, Edit(graph, taken)
    for node in graph.node:
        for inner in subgraphs(node):
            _tables(inner, taken, tensors, constants)
        if not _tabled(edit, node, tensors, constants):
            edit.nodes.append(node)
    edit.finish()


def _innermost_first(graph: onnx.GraphProto) -> list[onnx.GraphProto]:
    """A graph and its subgraphs, each before the one that it is in."""
    return [*graphs_of(graph)][::-1]


def _scalars(graph: onnx.GraphProto) -> dict[str, onnx.TensorProto]:
    """The constant scalars of a graph."""
    tensors = {t.name: t for t in graph.initializer if not t.external_data}
    for node in graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.name == "value":
                tensors[node.output[0]] = attribute.t
    return {n: t for n, t in tensors.items() if t.data_type in (t.INT64, t.INT32, t.FLOAT) and not t.dims}


def _tabled(
    edit: Edit, node: onnx.NodeProto, tensors: Mapping[str, TensorBounds], constants: Mapping[str, onnx.TensorProto]
) -> bool:
    """Write a Range of whole steps as its start plus a slice of a table: whether this is one."""
    bounds = tensors.get(node.output[0]) if node.op_type == "Range" and not node.domain else None
    if bounds is None or not bounds.shape or node.input[2] not in constants:
        return False
    (size,) = bounds.shape
    steps, stem = array(constants[node.input[2]]), node.output[0]
    start = constants.get(node.input[0])
    first = None if start is None else array(start)
    if steps is None or (first is None) is not (start is None):
        return False
    step = int(steps)
    whole = steps.dtype.kind == "i" or (first is not None and float(first) == int(first) and float(steps) == step)
    if not step or not whole or size.max is None or (steps.dtype.kind == "f" and size.max * abs(step) >= EXACT):
        return False
    zero = first is not None and not first
    count = _count(edit, stem, step, _length(edit, node, tensors, zero=zero), size, tensors)
    table = edit.constant((np.arange(size.max) * step).astype(steps.dtype))
    slice_of = (table, edit.constant([0]), count, edit.constant([0]))
    if zero:
        edit.node("Slice", *slice_of, stem=stem, output=stem)
    else:
        edit.node("Add", edit.node("Slice", *slice_of, stem=stem), node.input[0], stem=stem, output=stem)
    return True


def _length(edit: Edit, node: onnx.NodeProto, tensors: Mapping[str, TensorBounds], *, zero: bool) -> tuple[str, str]:
    """How far a Range goes, and the type of that; of one that is a whole number made a float, the whole number."""
    start, limit = node.input[:2]
    if not zero:
        return edit.node("Sub", limit, start, stem=node.output[0]), tensors[node.output[0]].dtype
    for cast in edit.nodes:
        known = tensors.get(cast.input[0]) if cast.op_type == "Cast" and cast.output[0] == limit else None
        if known is not None and known.dtype in ("int64", "int32"):
            return cast.input[0], known.dtype
    return limit, tensors[node.output[0]].dtype


def _count(
    edit: Edit, stem: str, step: int, far: tuple[str, str], size: DimBounds, tensors: Mapping[str, TensorBounds]
) -> str:
    """The number of elements of a Range, as the one element of a vector: its length divided by the step, rounded up."""
    length, dtype = far
    if dtype.startswith("float"):
        length = edit.node("Ceil" if step > 0 else "Floor", length, stem=stem)
    if dtype != "int64":
        length = edit.node("Cast", length, stem=stem, to=TensorProto.INT64)
    if step < 0:
        length = edit.node("Neg", length, stem=stem)
    if abs(step) > 1:
        more = edit.node("Add", length, edit.constant(np.array(abs(step) - 1)), stem=stem)
        length = edit.node("Div", more, edit.constant(np.array(abs(step))), stem=stem)
    if size.min < 1:
        length = edit.node("Max", length, edit.constant(np.array(0)), stem=stem)
    squeezed = next((n.input[0] for n in edit.nodes if n.op_type == "Squeeze" and n.output[0] == length), "")
    known = tensors.get(squeezed)
    if known is not None and known.shape is not None and [(d.min, d.max) for d in known.shape] == [(1, 1)]:
        return squeezed
    return edit.node("Reshape", length, edit.constant([1]), stem=stem)


def lost(proto: onnx.ModelProto, tensors: Mapping[str, TensorBounds]) -> dict[str, list[int]]:
    """The tensors of which OpenVINO knows no end though it knows those of what they are computed from: their axes.

    Raises:
        UsageError: OpenVINO isn't installed.
        ModelError: OpenVINO can't convert the model, or refuses its shapes.
    """
    try:
        import openvino as ov
    except ImportError:
        raise UsageError("OpenVINO says which ends it loses, and isn't installed: pip install openvino") from None
    try:
        model = ov.Core().read_model(_without_weights(proto).SerializeToString(), b"")
        shapes = {i.any_name: tensors[i.any_name].partial_shape for i in model.inputs if i.any_name in tensors}
        model.reshape({name: ov.PartialShape(str(shape)) for name, shape in shapes.items()})
    except Exception as error:  # whatever it raises, it doesn't take the model
        pass_on(error)
        raise ModelError(f"OpenVINO doesn't read the model: {_reason(str(error))}") from None
    found: dict[str, list[int]] = {}
    for op in _every_op(model):
        if not any(_open_axes(i.get_source_output().partial_shape) for i in op.inputs()):
            for output in op.outputs():
                axes = _open_axes(output.partial_shape)
                found |= dict.fromkeys(sorted(output.names), axes) if axes else {}
    return found


def _reason(message: str) -> str:
    """The line of OpenVINO's message that says what is wrong: one with a dash, or else the last."""
    lines = [line.strip() for line in message.splitlines() if line.strip() and "https://" not in line]
    dashed = (line.lstrip("- ") for line in lines if line.startswith("-- "))
    return printable(next(dashed, lines[-1] if lines else "it doesn't say why"), 200)


def _every_op(model: ov.Model) -> Iterator[Any]:
    """The operators of a model, those in the bodies of others first."""
    for op in model.get_ordered_ops():
        kind = op.get_type_name()
        for body in [op.get_function(k) for k in range(2)] if kind == "If" else []:
            yield from _every_op(body)
        if kind in ("Loop", "TensorIterator"):
            yield from _every_op(op.get_function())
        yield op


def _open_axes(shape: ov.PartialShape) -> list[int]:
    """The axes without an end; of a shape without a rank, -1."""
    if shape.rank.is_dynamic:
        return [-1]
    return [axis for axis, d in enumerate(shape) if d.is_dynamic and d.get_max_length() == -1]


def _without_weights(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model with its large constants as inputs: no size depends on what they hold."""
    bare = type(proto)()
    bare.CopyFrom(proto)
    large = [t for t in bare.graph.initializer if t.external_data or np.prod(t.dims) > LARGE]
    small = [t for t in bare.graph.initializer if not (t.external_data or np.prod(t.dims) > LARGE)]
    del bare.graph.initializer[:]
    bare.graph.initializer.extend(small)
    known = {i.name for i in bare.graph.input}
    for t in large:
        if t.name not in known:
            bare.graph.input.append(helper.make_tensor_value_info(t.name, t.data_type, t.dims))
    return bare


def _slice(
    graph: onnx.GraphProto,
    taken: set[str],
    open_axes: Mapping[str, list[int]],
    tensors: Mapping[str, TensorBounds],
    *,
    inside: bool = False,
) -> None:
    """Slice these axes of tensors to their greatest sizes right after the nodes that compute them.

    Inside a node the inputs are sliced as well: what a loop carries has no end there.
    """
    edit = Edit(graph, taken)

    def sliced(name: str) -> str:
        """The name that the tensor has before its slice; the same where it has none."""
        shape = tensors[name].shape if name in open_axes else None
        if not shape:
            return name
        raw = edit.name(f"{name}{UNSLICED}")
        axes = list(range(len(shape))) if -1 in open_axes[name] else open_axes[name]
        ends = [shape[axis].max or 0 for axis in axes]
        edit.node("Slice", raw, *(edit.constant(p) for p in ([0] * len(axes), ends, axes)), stem=name, output=name)
        return raw

    for info in graph.input if inside else ():
        info.name = sliced(info.name)
    for node in graph.node:
        place = len(edit.nodes)
        node.output[:] = [sliced(name) for name in node.output]
        edit.nodes.insert(place, node)
    edit.finish()
