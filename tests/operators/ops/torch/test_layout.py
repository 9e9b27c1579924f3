"""Memory that isn't row after row, through branches and loops, and of tensors that are stored so."""

from __future__ import annotations

import itertools

from shapesmt.network.graph import Attributes, AttributeValue, Declared, Graph, Node, Runtime
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import tensor
from shapesmt.prover.algebra import Evaluator, Formula, all_of, symbol

A, B = symbol("a", 1, 9), symbol("b", 1, 9)
MATRIX = Declared("float32", ("a", "b"))


def node(op: str, read: str, written: str, **attributes: AttributeValue) -> Node:
    name = op if op == "strided" else f"aten.{op}"
    return Node(name, "torch", written, [read], [written], Attributes({"@self": 0, **attributes}))


def flip(read: str, written: str) -> Node:
    return node("permute.default", read, written, dims=(1, 0))


def copy(read: str, written: str) -> Node:
    return node("contiguous.default", read, written)


def body(output: str, *nodes: Node, inputs: tuple[str, ...] = (), **literals: object) -> Graph:
    return Graph("", dict.fromkeys(inputs, Declared("", None)), [*literals, output], nodes)


def condition_of_a_view(*nodes: Node) -> Formula | None:
    """Where `y` can be seen as one row; None where that isn't known."""
    whole = [*nodes, node("view.default", "y", "v", size=(-1,))]
    inputs = {"x": MATRIX, "c": Declared("bool", ())}
    graph = Graph("", inputs, ["v"], whole, opsets={"torch": 1, "": 22}, runtime=Runtime.TORCH)
    found = infer(graph, {"x": tensor("float32", [A, B]), "c": tensor("bool", [])})
    if any(application.unjudged for application in found.applications):
        return None
    return all_of(*(r.formula for a in found.applications for r in a.requirements))


SEEN = condition_of_a_view(flip("x", "y"))
"""Where a transposed matrix can be seen as one row."""


def branch(then: Node, other: Node) -> list[Node]:
    graphs = {"then_branch": body(then.outputs[0], then), "else_branch": body(other.outputs[0], other)}
    return [Node("If", "", "if", ["c"], ["y"], Attributes(graphs))]


def test_a_transposed_matrix_is_one_row_where_an_axis_is_1() -> None:
    assert SEEN is not None
    for a, b in itertools.product(range(1, 10), repeat=2):
        assert Evaluator({A.as_symbol(): a, B.as_symbol(): b}).formula(SEEN) == (1 in (a, b))


def test_a_branch_keeps_memory_that_both_ways_have() -> None:
    assert condition_of_a_view(*branch(flip("x", "t"), flip("x", "u"))) is SEEN


def test_memory_that_differs_between_branches_is_open() -> None:
    assert condition_of_a_view(flip("x", "f"), *branch(flip("x", "t"), copy("f", "u"))) is None


def loop(*trip: Node) -> list[Node]:
    inner = Graph(
        "",
        {"i": Declared("int64", ()), "g": Declared("bool", ()), "s": Declared("", None)},
        ["c", trip[-1].outputs[0]],
        trip,
    )
    return [flip("x", "t"), Node("Loop", "", "loop", ["", "c", "t"], ["y"], Attributes({"body": inner}))]


def test_a_loop_keeps_memory_that_no_trip_changes() -> None:
    assert condition_of_a_view(*loop(node("relu.default", "s", "n"))) is SEEN


def test_memory_that_trips_change_is_open() -> None:
    assert condition_of_a_view(*loop(copy("s", "n"))) is None


def test_memory_with_gaps_is_open_after_a_loop_which_copies_it_without_a_trip() -> None:
    part = node("slice.Tensor", "t", "p", dim=1, end=2)
    nodes = loop(node("relu.default", "s", "n"))
    nodes[1] = nodes[1]._replace(inputs=["", "c", "p"])
    assert condition_of_a_view(nodes[0], part, nodes[1]) is None


def scan(state: Node, output: Node) -> list[Node]:
    """A scan over the columns of `x` that carries it transposed."""
    inner = Graph(
        "",
        {"s": Declared("", None), "r": Declared("", None)},
        [state.outputs[0], output.outputs[0]],
        [state, output],
    )
    settings = Attributes({"body": inner, "num_scan_inputs": 1})
    cube = node("unsqueeze.default", "t", "w", dim=0)
    return [flip("x", "t"), cube, Node("Scan", "", "scan", ["t", "w"], ["y", "z"], settings)]


def test_a_scan_keeps_memory_of_a_state_that_no_trip_changes() -> None:
    steady = scan(node("relu.default", "s", "n"), node("relu.default", "r", "o"))
    assert condition_of_a_view(*steady) is SEEN
    changing = scan(copy("s", "n"), node("relu.default", "r", "o"))
    assert condition_of_a_view(*changing) is None


def test_slices_of_a_scan_are_in_memory_as_the_whole() -> None:
    seen = scan(node("relu.default", "s", "n"), node("view.default", "r", "o", size=(-1,)))
    seen[2] = seen[2]._replace(outputs=["z", "y"])
    assert condition_of_a_view(*seen) is SEEN


def test_stored_tensors_are_as_their_program_says() -> None:
    assert condition_of_a_view(node("strided", "x", "y", order=(1, 0))) is SEEN
    assert condition_of_a_view(node("strided", "x", "y")) is None
    assert "b == 2" in str(condition_of_a_view(node("strided", "x", "y", strides=(2, 1))))


def test_elements_changed_in_place_stay_where_they_are() -> None:
    changed = Node("changed", "torch", "y", ["t"], ["y"])
    assert condition_of_a_view(flip("x", "t"), changed) is SEEN
