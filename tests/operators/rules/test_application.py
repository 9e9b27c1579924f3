"""Applications of rules: the nodes inside one are counted, however many runs share them."""

from __future__ import annotations

from shapesmt.network.graph import Node
from shapesmt.operators.rules import Application, Body


def nested(depth: int) -> Application:
    """An application with two runs of one node inside each node, `depth` levels deep."""
    body = Body("", [Node("Add", "", "n", ["x", "x"], ["y"])], ["x"], ["y"], {}, {})
    for _ in range(depth):
        body = body._replace(inner={0: (body, body)})
    return Application((), (), bodies=(body,))


def test_nodes_inside_are_counted_up_to_a_limit() -> None:
    assert nested(2).inner_nodes(100) == 7
    assert 1000 < nested(200).inner_nodes(1000) < 1010
