"""OpenVINO: add slices to nodes so that its own inference finds upper bounds that it would lose.

OpenVINO propagates upper bounds of sizes through the nodes and loses them when a node computes a size as a number.
The output of `Range` has no bound at all; a slice of a constant table has one, the table's length. After any other node
that loses a bound, a slice up to the proven maximum changes nothing and restores it. OpenVINO reports these nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper

from shapesmt.base.errors import ModelError, UsageError, pass_on, printable
from shapesmt.network.declarations import quote
from shapesmt.reports.export.targets.edit import Edit, array, graphs_of, names_in, subgraphs, vectors

if TYPE_CHECKING:
    import onnx
    import openvino as ov

    from shapesmt.reports.answers import DimBounds, TensorBounds

ROUNDS = 50  # limit for reading the model and adding slices; each round adds those that are still missing
LARGE = 1024  # elements; larger constants aren't passed to OpenVINO, as no size depends on them
UNSLICED = "_unsliced"  # suffix of a tensor's name before its slice
EXACT = 1 << 24  # integers below this are exact in float32


def with_ends(
    proto: onnx.ModelProto,
    tensors: Mapping[str, TensorBounds],
    inner: Mapping[str, TensorBounds] | None = None,
    earlier: Mapping[str, TensorBounds] | None = None,
) -> onnx.ModelProto:
    """Return an equivalent copy in which OpenVINO finds the upper bounds of sizes that it would lose.

    `inner` has the bounds of tensors inside branches and loops. `earlier` has the bounds of inputs, and of tensors
    before nodes that may fail, over all declared inputs: slicing one of these shorter might make such a node run.

    Raises:
        ModelError: A size has no proven upper bound, or OpenVINO still finds none.
        UsageError: OpenVINO isn't installed.
    """
    for name, t in tensors.items():
        for d in (d for shape in t.shapes for d in shape):
            if d.max is None:
                raise ModelError(f"the size {quote(d.expr)} of tensor {quote(name)} has no proven upper end")
    copy = type(proto)()
    copy.CopyFrom(proto)
    taken, inside = names_in(copy.graph), inner or {}
    twice = inside.keys() & tensors.keys()  # a name used inside and outside is ambiguous
    known = {**inside, **tensors, **(earlier or {})}
    every = {
        name: t for name, t in known.items() if name not in twice and all(d.max is not None for d in t.shape or ())
    }
    _tables(copy.graph, taken, every)
    _numbers(copy.graph, taken, every)
    sliced: set[str] = set()
    for bounds in (every, {**every, **tensors}):
        for _ in range(ROUNDS):
            open_axes = lost_bounds(copy, bounds)
            first = {name: axes for name, axes in open_axes.items() if name in every and name not in sliced}
            if not first:
                break
            for graph in [*graphs_of(copy.graph)][::-1]:  # subgraphs before the graph that contains them
                _slice(graph, taken, first, every, inside=graph is not copy.graph)
            sliced |= first.keys()
        left = [name for name in open_axes if not name.endswith(UNSLICED)]
        if left:
            raise ModelError(f"OpenVINO finds no upper end of tensor {quote(left[0])} ({len(left)} in all)")
    return copy


def _numbers(graph: onnx.GraphProto, taken: set[str], tensors: Mapping[str, TensorBounds]) -> None:
    """Replace -1 in the target of a Reshape by the size if that is always the same number.

    OpenVINO finds no bound for -1 if another size may be 0.
    """
    for part in graphs_of(graph):
        edit, made = Edit(part, taken), {name: node for node in part.node for name in node.output}
        constants = vectors(part, LARGE)
        for node in part.node:
            bounds = tensors.get(node.output[0]) if node.op_type == "Reshape" and not node.domain else None
            if bounds is not None and bounds.shape:
                sizes = [d.min if d.min == d.max else -1 for d in bounds.shape]
                node.input[1] = _with_numbers(edit, node.input[1], sizes, constants, made, tensors)
            edit.nodes.append(node)
        edit.finish()


def _with_numbers(
    edit: Edit,
    target: str,
    sizes: list[int],
    constants: Mapping[str, list[int]],
    made: Mapping[str, onnx.NodeProto],
    tensors: Mapping[str, TensorBounds],
) -> str:
    """Return the name of a Reshape target with known sizes in place of -1; `target` itself if nothing changes.

    `sizes` has -1 for unknown sizes, `constants` the constant vectors, and `made` the producer of each tensor.
    """
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
        parts.append(_with_numbers(edit, name, sizes[place:end], constants, {}, tensors) if name in constants else name)
        place = end
    return target if parts == [*joined.input] else edit.node("Concat", *parts, stem=target, axis=0)


def _tables(
    graph: onnx.GraphProto,
    taken: set[str],
    tensors: Mapping[str, TensorBounds],
    outside: Mapping[str, onnx.TensorProto] | None = None,
) -> None:
    """Replace Range by a slice of a table in a graph and its subgraphs; `outside` has the enclosing constants."""
    constants, edit = {**(outside or {}), **_scalars(graph)}, Edit(graph, taken)
    for node in graph.node:
        for inner in subgraphs(node):
            _tables(inner, taken, tensors, constants)
        if not _write_as_table(edit, node, tensors, constants):
            edit.nodes.append(node)
    edit.finish()


def _scalars(graph: onnx.GraphProto) -> dict[str, onnx.TensorProto]:
    """Return the constant scalars of a graph."""
    tensors = {t.name: t for t in graph.initializer if not t.external_data}
    for node in graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.name == "value":
                tensors[node.output[0]] = attribute.t
    return {n: t for n, t in tensors.items() if t.data_type in (t.INT64, t.INT32, t.FLOAT) and not t.dims}


def _write_as_table(
    edit: Edit, node: onnx.NodeProto, tensors: Mapping[str, TensorBounds], constants: Mapping[str, onnx.TensorProto]
) -> bool:
    """Write a Range with integer steps as its start plus a slice of a table; return whether `node` is one."""
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
    """Return the name and type of a Range's `limit - start`; `zero` says that start is 0.

    If start is 0 and the limit is an integer cast to float, that integer is returned.
    """
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
    """Return the number of elements of a Range as a vector of length 1: its length divided by `step`, rounded up.

    `far` has the name and type of the length, `limit - start`; `size` bounds the number.
    """
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


def lost_bounds(proto: onnx.ModelProto, tensors: Mapping[str, TensorBounds]) -> dict[str, list[int]]:
    """Return the tensors, with their axes, for which OpenVINO loses a bound though it knows those of the node's inputs.

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
    except Exception as error:  # OpenVINO may raise anything for a model that it refuses
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
    """Return the line of OpenVINO's message that states the problem: one with a dash, or else the last."""
    lines = [line.strip() for line in message.splitlines() if line.strip() and "https://" not in line]
    dashed = (line.lstrip("- ") for line in lines if line.startswith("-- "))
    return printable(next(dashed, lines[-1] if lines else "it doesn't say why"), 200)


def _every_op(model: ov.Model) -> Iterator[Any]:
    """Yield the operators of a model, each after those in its bodies."""
    for op in model.get_ordered_ops():
        kind = op.get_type_name()
        for body in [op.get_function(k) for k in range(2)] if kind == "If" else []:
            yield from _every_op(body)
        if kind in ("Loop", "TensorIterator"):
            yield from _every_op(op.get_function())
        yield op


def _open_axes(shape: ov.PartialShape) -> list[int]:
    """Return the axes without an upper bound; [-1] if the rank is unknown."""
    if shape.rank.is_dynamic:
        return [-1]
    return [axis for axis, d in enumerate(shape) if d.is_dynamic and d.get_max_length() == -1]


def _without_weights(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with its large constants as inputs: no size depends on their elements."""
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
    """Slice tensors on their `open_axes` to their maximum sizes, right after the nodes that compute them.

    Inputs of subgraphs are sliced as well (`inside`), since loop-carried tensors have no bound there.
    """
    edit = Edit(graph, taken)

    def sliced(name: str) -> str:
        """Add the slice of a tensor if it needs one; return the name of the tensor before the slice."""
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
