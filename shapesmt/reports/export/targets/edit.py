"""Edits: add nodes and constants to a copy of a graph, under unused names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import helper, numpy_helper

from shapesmt.base.errors import pass_on

if TYPE_CHECKING:
    import onnx


def graphs_of(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """Yield a graph and its subgraphs."""
    yield graph
    for inner in (inner for node in graph.node for inner in subgraphs(node)):
        yield from graphs_of(inner)


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Yield the graphs that are attributes of a node."""
    for attribute in node.attribute:
        yield from (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs)


def names_in(graph: onnx.GraphProto) -> set[str]:
    """Return the names of all tensors of a graph and of its subgraphs."""
    names: set[str] = set()
    for part in graphs_of(graph):
        names.update(t.name for t in (*part.input, *part.initializer))
        names.update(name for node in part.node for name in (*node.input, *node.output))
    return names


def array(tensor: onnx.TensorProto) -> np.ndarray[Any, Any] | None:
    """Return the elements of a constant; None if they are in another file or damaged."""
    try:
        return None if tensor.external_data else numpy_helper.to_array(tensor)
    except Exception as error:  # onnx's decoder may raise anything on hostile data
        pass_on(error)
        return None


def vectors(graph: onnx.GraphProto, longest: float = inf) -> dict[str, list[int]]:
    """Return the elements of the graph's constant int64 vectors with at most `longest` elements."""
    tensors = {t.name: t for t in graph.initializer}
    for node in graph.node:
        for attribute in node.attribute if node.op_type == "Constant" and not node.domain else ():
            if attribute.name == "value":
                tensors[node.output[0]] = attribute.t
    small = {n: t for n, t in tensors.items() if t.data_type == t.INT64 and len(t.dims) == 1 and t.dims[0] <= longest}
    return {name: held.tolist() for name, t in small.items() if (held := array(t)) is not None}


class Edit:
    """Rewrites the nodes of a graph from first to last; `finish` puts them into the graph.

    Attributes:
        nodes: The nodes so far.
    """

    def __init__(self, graph: onnx.GraphProto, taken: set[str]) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self._graph, self._taken = graph, taken
        self._constants: dict[tuple[str, bytes, tuple[int, ...]], str] = {}

    def name(self, stem: str) -> str:
        """Return an unused name: `stem`, or `stem_1`, `stem_2` and so on."""
        name, number = stem, 0
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name

    def constant(self, value: Sequence[int] | np.ndarray[Any, Any]) -> str:
        """Return the name of an initializer with these elements; equal ones are shared."""
        held = np.asarray(value, np.int64) if not isinstance(value, np.ndarray) else value
        key = (str(held.dtype), held.tobytes(), held.shape)
        if key not in self._constants:
            self._constants[key] = name = self.name("shapesmt_constant")
            self._graph.initializer.append(numpy_helper.from_array(held, name))
        return self._constants[key]

    def node(self, op: str, *inputs: str, stem: str = "", output: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its output: `output`, or a new name such as `{stem}_slice` for a Slice."""
        output = output or self.name(f"{stem}_{op.lower()}")
        self.nodes.append(helper.make_node(op, list(inputs), [output], name=f"{output}_node", **attributes))
        return output

    def finish(self) -> None:
        """Put the nodes into the graph."""
        del self._graph.node[:]
        self._graph.node.extend(self.nodes)
