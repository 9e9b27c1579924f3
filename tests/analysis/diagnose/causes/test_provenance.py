"""Provenance: the inputs from which a node has a size of its output."""

from __future__ import annotations

import pytest

from shapesmt.analysis.diagnose.causes.provenance import Part, Provenance, provenance_of, value_of
from shapesmt.frontends import load
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import tensor
from shapesmt.prover.algebra import symbol

N = symbol("n", 1)


def found(call: str, axis: int, *shapes: list[object]) -> tuple[list[tuple[int, int | None]], bool]:
    """The inputs and the axes or elements from which a call has an axis of its output, and whether it takes them."""
    inputs = ", ".join(f"float[{', '.join(map(str, shape))}] x{i}" for i, shape in enumerate(shapes))
    text = f'<ir_version: 8, opset_import: ["":18]> g ({inputs}) => (y) <int64[2] sizes = {{4, 4}}> {{ y = {call} }}'
    graph = load(text.encode())
    tensors = infer(graph, {f"x{i}": tensor("float32", shape) for i, shape in enumerate(shapes)}).tensors
    node = graph.nodes[-1]
    value = value_of(tensors["y"], Part("axis", axis))
    assert value is not None
    provenance = provenance_of(node, graph, {n: tensors[n] for n in node.reads}, 0, (Part("axis", axis), value))
    assert provenance is not None
    return [(s.input, s.part.index) for s in provenance.sources], provenance.taken


@pytest.mark.parametrize(
    ("call", "axis", "shapes", "sources", "taken"),
    [
        ("Transpose <perm = [1, 0]> (x0)", 0, ([4, 4],), [(0, 1)], True),  # of two equal sizes
        ("MatMul (x0, x1)", 1, ([4, 4], [4, 4]), [(1, 1)], True),
        ("MaxPool <kernel_shape = [4]> (x0)", 2, ([4, 4, 7],), [(0, 2)], False),  # 4 isn't one of the other two
        ("Concat <axis = 0> (x0, x1)", 0, ([2, N], [3, N]), [(0, 0), (1, 0)], False),
        ("Reshape (x0, sizes)", 0, ([2, 8],), [(1, 0)], True),
        ("Shape (x0)", 0, ([4, 4],), [], False),  # the rank
        ("Flatten (x0)", 1, ([N, 4, 5],), [(0, 1), (0, 2)], False),
    ],
)
def test_an_axis_is_from(
    call: str, axis: int, shapes: tuple[list[object], ...], sources: list[tuple[int, int | None]], taken: bool
) -> None:
    assert found(call, axis, *shapes) == (sources, taken)


def test_a_data_dependent_size_has_no_provenance() -> None:
    graph = load(b'<ir_version: 8, opset_import: ["":18]> g (float[4] x) => (y) { y = NonZero (x) }')
    tensors = infer(graph, {"x": tensor("float32", [4])}).tensors
    count = value_of(tensors["y"], Part("axis", 1))
    assert count is not None
    other = symbol("other", 1)
    assert provenance_of(graph.nodes[0], graph, tensors, 0, (Part("axis", 1), other)) is None


def test_a_type_is_from_the_input_that_decides_it() -> None:
    graph = load(b'<ir_version: 8, opset_import: ["":18]> g (int64[4] x, int64[4] i) => (y) { y = Gather (x, i) }')
    tensors = infer(graph, {name: tensor("int64", [4]) for name in ("x", "i")}).tensors
    provenance = provenance_of(graph.nodes[0], graph, tensors, 0, (Part("type"), "int64"))
    assert isinstance(provenance, Provenance)
    assert [s.input for s in provenance.sources] == [0]
