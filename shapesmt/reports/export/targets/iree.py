"""IREE: replace 0 in the target of a Reshape, which its front end takes for a size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from onnx import helper

from shapesmt.reports.export.targets.edit import Edit, graphs_of, names_in, vectors

if TYPE_CHECKING:
    import onnx

    from shapesmt.reports.answers import TensorBounds


def without_zeros(proto: onnx.ModelProto, tensors: Mapping[str, TensorBounds]) -> onnx.ModelProto:
    """Return a copy in which each 0 that means "the input's size" is that number, -1, or a computed size.

    >>> import onnx
    >>> text = '''<ir_version: 8, opset_import: ["" : 18]> g (float[n, 6] x) => (float[n, 3, 2] y)
    ... <int64[3] to = {0, 3, 2}> { y = Reshape (x, to) }'''
    >>> node, = without_zeros(onnx.parser.parse_model(text), {}).graph.node
    >>> node.input[1] != "to"
    True
    """
    copy = type(proto)()
    copy.CopyFrom(proto)
    taken = names_in(copy.graph)
    outer: dict[str, list[int]] = {}
    for graph in graphs_of(copy.graph):
        outer |= _constants(graph)
        edit = Edit(graph, taken)
        for node in graph.node:
            if node.op_type == "Reshape" and not node.domain and 0 in outer.get(node.input[1], ()) and _copies(node):
                node.input[1] = _target(edit, node, outer[node.input[1]], tensors)
            edit.nodes.append(node)
        edit.finish()
    return copy


def _constants(graph: onnx.GraphProto) -> dict[str, list[int]]:
    """Return the elements of the constant integer vectors of a graph."""
    stated = {
        node.output[0]: [int(i) for i in helper.get_attribute_value(attribute)]
        for node in graph.node if node.op_type == "Constant"
        for attribute in node.attribute if attribute.name == "value_ints"
    }  # fmt: skip
    return vectors(graph) | stated


def _copies(node: onnx.NodeProto) -> bool:
    """Whether a 0 means the input's size."""
    return not any(attribute.name == "allowzero" and attribute.i for attribute in node.attribute)


def _target(edit: Edit, node: onnx.NodeProto, target: list[int], tensors: Mapping[str, TensorBounds]) -> str:
    """Return the name of a Reshape target without zeros, adding nodes if needed.

    A 0 becomes the input's size if that is a known number, or -1 if it is the only size left. Otherwise such sizes are
    read by Shape and Gather.
    """
    bounds = tensors.get(node.input[0])
    sizes = bounds.shape if bounds is not None else None
    numbers = list(target)
    for axis, number in enumerate(target):
        if number == 0 and sizes is not None and 0 < sizes[axis].min == sizes[axis].max:
            numbers[axis] = sizes[axis].min
    if numbers.count(0) == 1 and -1 not in numbers:
        numbers[numbers.index(0)] = -1
    if 0 not in numbers:
        return edit.constant(numbers)
    stem = node.output[0]
    shape = edit.node("Shape", node.input[0], stem=stem)
    parts = [
        edit.constant([n]) if n else edit.node("Gather", shape, edit.constant([axis]), stem=stem)
        for axis, n in enumerate(numbers)
    ]
    return edit.node("Concat", *parts, stem=stem, axis=0)
