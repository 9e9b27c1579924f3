"""Written: make a change in an ONNX file, and leave everything else in it as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shapesmt.base.lazy import np
from shapesmt.network.graph import Graph, Literal, Node
from shapesmt.tasks.repair.edit import Edit
from shapesmt.tasks.simplify import Draft, write

if TYPE_CHECKING:
    import onnx


def write_edit(proto: onnx.ModelProto, graph: Graph, edit: Edit) -> onnx.ModelProto:
    """Return a copy of an ONNX model with a change; `graph` is the unchanged model as shapesmt read it.

    A weight that grows is padded with zeros; a resized weight from an external file becomes all zeros.
    """
    copy = type(proto)()
    copy.CopyFrom(proto)
    write(_draft(graph, edit), copy)
    _resize(copy.graph, {name: literal for name, literal in edit.literals.items() if name in graph.literals})
    for info in copy.graph.input:
        declared = edit.inputs.get(info.name)
        for dim, size in zip(info.type.tensor_type.shape.dim, declared.shape or () if declared else (), strict=False):
            if isinstance(size, str) and dim.dim_param != size:
                dim.Clear()
                dim.dim_param = size
    _forget(copy.graph, _changed_tensors(graph, edit))
    return copy


def added_nodes(edit: Edit) -> list[Node]:
    """Return the nodes that a change adds.

    >>> [node.op for node in added_nodes(Edit(before={3: (Node("Squeeze", "", "s", ["x"], ["y"]),)}))]
    ['Squeeze']
    """
    inner = [node for change in edit.inner.values() for node in added_nodes(change)]
    return [*(node for nodes in edit.before.values() for node in nodes), *inner]


def _draft(graph: Graph, edit: Edit) -> Draft:
    """Return a `Draft` of the unchanged `graph` to which `edit` is applied, also inside subgraphs."""
    draft = Draft(graph, {})
    for index, node in edit.nodes.items():
        draft.put((index, 0), node)
    for index in edit.removed:
        draft.remove((index, 0))
    for index, nodes in edit.before.items():
        for node in nodes:
            draft.insert((index - 1, 0), node)
    draft.literals.update({name: literal for name, literal in edit.literals.items() if name not in graph.literals})
    for (index, name), change in edit.inner.items():
        body = graph.nodes[index].attributes[name]
        assert isinstance(body, Graph)
        draft.bodies[body] = _draft(body, change)
    draft.index()
    return draft


def _resize(graph: onnx.GraphProto, weights: Mapping[str, Literal]) -> None:
    """Resize initializers to the shapes in `weights`: elements inside both shapes stay, new ones are zero."""
    from onnx import numpy_helper
    from onnx.helper import tensor_dtype_to_np_dtype

    for tensor in graph.initializer:
        literal = weights.get(tensor.name)
        if literal is None:
            continue
        kind = tensor_dtype_to_np_dtype(tensor.data_type)
        new = np.zeros(literal.shape, kind)
        if tensor.data_location != tensor.EXTERNAL:
            old = numpy_helper.to_array(tensor)
            inside = tuple(slice(min(m, n)) for m, n in zip(old.shape, new.shape, strict=True))
            new[inside] = old[inside]
        tensor.CopyFrom(numpy_helper.from_array(new, tensor.name))


def _changed_tensors(graph: Graph, edit: Edit) -> set[str]:
    """Return the names of the tensors whose shapes a change may affect: outputs of changed and downstream nodes."""
    nodes = {*edit.touched, *(i for name in (*edit.literals, *edit.inputs) for i in graph.consumers(name))}
    behind = nodes.union(*map(graph.descendants, nodes))
    return {name for index in behind for name in graph.nodes[index].outputs}


def _forget(graph: onnx.GraphProto, names: set[str]) -> None:
    """Remove the shapes that a file states for some intermediate tensors."""
    for index in reversed(range(len(graph.value_info))):
        if graph.value_info[index].name in names:
            del graph.value_info[index]
