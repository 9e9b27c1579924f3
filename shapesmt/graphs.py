"""Models as graphs, to inspect, to save, and to put to Z3 with constraints of one's own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from shapesmt.examine import ValueLike, pose
from shapesmt.frontends import Model, load
from shapesmt.graph import Graph, document, flow
from shapesmt.inference import infer
from shapesmt.language import RangeLike, ShapeLike

if TYPE_CHECKING:
    import networkx as nx

    from shapesmt.system import Constraints


def encoding(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
) -> Constraints:
    """The complete system as Z3's variables and constraints, by name: to add one's own, and solve.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }'''
    >>> enc = encoding(model, dims={"n": "1..8"})
    >>> enc.dim("y", 1), enc.definitions["y[1]"]
    (y[1], y[1] == 4*n)
    """
    from shapesmt.system import Constraints

    problem = pose(load(model), dims, shapes, assume, values)
    return Constraints(problem.graph, problem.inputs, problem.dims, problem.domain.facts, problem.assumed)


def dataflow(
    model: Model,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
) -> nx.MultiDiGraph[str]:
    """The networkx graph of a model, with the `dtype` and `shape` of each edge's tensor: see `shapesmt.graph.dataflow`.

    A shape is a tuple of formulas as text, or None where the rank is unknown.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] z) { y = Flatten <axis=0> (x) z = Relu (y) }'''
    >>> dataflow(model).edges(data="shape")
    OutMultiEdgeDataView([('x', 'Flatten_0', ('n', '4')), ('Flatten_0', 'Relu_1', ('1', '4*n'))])
    """
    problem = pose(load(model), dims, shapes, assume, values)
    tensors = infer(problem.graph, problem.inputs).tensors
    made = flow(problem.graph)
    for _, _, edge in made.edges(data=True):
        t = tensors[edge["tensor"]]
        edge.update(dtype=t.dtype, shape=None if t.shape is None else tuple(map(str, t.shape)))
    return made


def load_graph(model: Model) -> Graph:
    """A model as a graph, whose `networkx` property is a networkx graph: read from node-link JSON, ONNX or networkx.

    Raises:
        ModelError: It can't be read; of node-link JSON, naming the place in it.
    """
    return load(model)


def save_graph(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model as node-link JSON, which `shapesmt check` reads, and networkx: see `shapesmt.graph.dataflow`.

    Raises:
        UsageError: The path can't be written.
    """
    import json

    from shapesmt.export import write_whole

    text = json.dumps(document(load(model)), indent=1)
    write_whole(path, f"{text}\n".encode())
