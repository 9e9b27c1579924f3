"""Small models and their complete systems."""

from __future__ import annotations

from shapesmt.analysis.encoding.encode import Encoding, encode_graph
from shapesmt.analysis.verify import Question
from shapesmt.analysis.verify.problem import pose
from shapesmt.frontends import load
from shapesmt.network.graph.graph import Graph


def model(body: str, inputs: str = "float[n, 3, h, w] x", outputs: str = "y") -> Graph:
    text = f'<ir_version: 8, opset_import: ["":18]> g ({inputs}) => ({outputs}) {{ {body} }}'
    return load(text.encode())


def system(graph: Graph, dims: dict[str, str] | None = None, assume: list[str] | None = None) -> Encoding:
    problem = pose(graph, Question(dims, assume=assume))
    return encode_graph(problem.graph, problem.inputs, problem.domain.facts)


SKIP = model(
    """down = MaxPool <kernel_shape: ints = [2, 2], strides: ints = [2, 2]> (x)
    scales = Constant <value_floats: floats = [1.0, 1.0, 2.0, 2.0]> ()
    up = Resize <mode: string = "nearest"> (down, , scales)
    y = Concat <axis: int = 1> (up, x)"""
)
