"""Names: the nodes that a name from a message stands for, such as one that an optimizer has made of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shapesmt.network.graph import Graph, Node
from shapesmt.tasks.runtime_errors.forms import MADE

__all__ = ["Place", "places", "resembling", "running"]

_NUMBER = re.compile(r"(?:node )?#?(\d{1,9})")
LONGEST = 1000  # characters of a name that are compared


class Place(NamedTuple):
    """A node that a name may mean.

    Attributes:
        node: The node's index in the graph.
        exact: Whether the file has the name; otherwise an optimizer has made it.
        inside: The name of the node inside this one that is meant; "" for the node itself.
    """

    node: int
    exact: bool = True
    inside: str = ""


def places(graph: Graph, name: str) -> list[Place]:
    """Return the nodes that a name may mean: by name, by output, or by a node inside; else those an optimizer renamed.

    >>> from shapesmt.network.graph import Declared, Node
    >>> conv = Node("Conv", "", "/down/Conv", ["x"], ["/down/Conv_output_0"])
    >>> graph = Graph("g", {"x": Declared("float32", None)}, [], [conv])
    >>> places(graph, "/down/Conv_output_0_nchwc")
    [Place(node=0, exact=False, inside='')]
    >>> places(graph, "/up/Conv")
    []
    """
    named = [Place(i) for i, node in enumerate(graph.nodes) if node.name == name]
    if not named and (producer := graph.producer(name)) is not None:
        named = [Place(producer)]
    if not named and name:
        inner = (any(name == n.name for n in _inside(graph, node)) for node in graph.nodes)
        named = [Place(i, inside=name) for i, found in enumerate(inner) if found]
    return named or _made_of(graph, name[:LONGEST])


def resembling(graph: Graph, target: str) -> str | None:
    """Return the name of the node that `target` means: `node 15`, or a name that an optimizer made; None if none."""
    number = _NUMBER.fullmatch(target.strip())
    if number is not None and int(number[1]) < len(graph.nodes):
        return graph.nodes[int(number[1])].name
    found = places(graph, target)
    return graph.nodes[found[0].node].name if found else None


def running(graph: Graph, index: int, op: str) -> list[Place]:
    """Return the nodes inside node `index` that have this operator, in upper or lower case."""
    inner = dict.fromkeys(n.name for n in _inside(graph, graph.nodes[index]) if n.op.lower() == op.lower())
    return [Place(index, inside=name) for name in inner]


def _inside(graph: Graph, node: Node, depth: int = 0) -> Iterator[Node]:
    """Yield the nodes inside a node: in its branches, its body, or the function that it calls."""
    called = graph.functions.get((node.domain, node.op))
    bodies: list[Sequence[Node]] = [inner.nodes for inner in node.attributes.graphs]
    bodies += [called.nodes] if called is not None else []
    for inner in (inner for nodes in bodies for inner in nodes):
        yield inner
        if depth < LONGEST // 100:
            yield from _inside(graph, inner, depth + 1)


def _made_of(graph: Graph, name: str) -> list[Place]:
    """Return the nodes whose name or output is the longest part of an optimizer's name: `Conv_1` in `Conv_1_nchwc`."""
    if not MADE.search(name):
        return []
    lengths: dict[int, int] = {}
    for index, node in enumerate(graph.nodes):
        for own in (node.name, *node.outputs):
            if any(MADE.search(rest) for rest in _rests(name, own)):
                lengths[index] = max(lengths.get(index, 0), len(own))
    most = max(lengths.values(), default=0)
    return [Place(index, exact=False) for index, length in lengths.items() if length == most]


def _rests(name: str, own: str) -> Iterator[str]:
    """Yield the text before and after `own` in `name`, if `own` occurs there as a whole word."""
    at = name.find(own) if own else -1
    if at >= 0:
        before, after = name[:at], name[at + len(own) :]
        if not (before[-1:].isalnum() and own[:1].isalnum()) and not (after[:1].isalnum() and own[-1:].isalnum()):
            yield f"{before} {after}"
