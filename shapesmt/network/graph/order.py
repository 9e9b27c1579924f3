"""Sort nodes so that each tensor has one producer before all its readers; refuse functions that call themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from shapesmt.base.errors import ModelError, printable
from shapesmt.network.graph.graph import Function, Node
from shapesmt.network.graph.nodes import Nodes

if TYPE_CHECKING:
    import networkx as nx


def sort_nodes(nodes: Sequence[Node], available: Iterable[str], where: str, needed: Sequence[str] = ()) -> Nodes:
    """Return the nodes in topological order: each tensor has one producer, before the nodes that read it.

    Args:
        nodes: The nodes, in any order.
        available: The tensors that no node computes: inputs, initializers, captured ones.
        where: The graph's name in messages.
        needed: The graph's outputs.

    Raises:
        ModelError: A tensor has two producers or none, its name is not text, or the nodes form a cycle.

    >>> late, early = Node("Exp", "", "late", ["y"], ["z"]), Node("Abs", "", "early", ["x"], ["y"])
    >>> [node.name for node in sort_nodes([late, early], ["x"], "g")]
    ['early', 'late']
    """
    available, listed = {*available}, Nodes.of(nodes)
    known = {"", *available}
    count, outputs = len(known), listed.outputs
    reads: Iterable[Sequence[str]] = listed.inputs
    if any(kind.attributes.captures for kind in {*listed.kinds}):
        reads = ((*inputs, *kind.attributes.captures) for kind, inputs in zip(listed.kinds, reads, strict=True))
    computed, add = known.issuperset, known.update
    for read, written in zip(reads, outputs, strict=True):
        if not computed(read):
            break
        add(written)
    else:
        _refuse_bytes(chain(available, chain.from_iterable(outputs)), where)
        if len(known) == count + sum(map(len, outputs)) and known.issuperset(needed) and "" not in needed:
            return listed
    return Nodes.of(_sort(nodes, available, where, needed))


def _refuse_bytes(names: Iterable[str], where: str) -> None:
    if not {*map(type, names)} <= {str}:
        raise ModelError(f"{where}: a tensor's name in it is not UTF-8 text; the file is damaged")


def _sort(nodes: Sequence[Node], available: set[str], where: str, needed: Sequence[str]) -> Sequence[Node]:
    _refuse_bytes([name for node in nodes for name in (*node.inputs, *node.outputs)], where)
    producers = _single_producers(nodes, available, where)
    is_sorted = True
    for index, node in enumerate(nodes):
        for name in node.reads:
            if name not in producers and name not in available:
                raise ModelError(f"{where}: {_title(node)} reads {_quote(name)}, which nothing makes")
            is_sorted &= producers.get(name, -1) < index
    for name in needed:
        if name not in producers and name not in available:
            raise ModelError(f"{where}: nothing makes its output {_quote(name)}")
    if is_sorted:
        return nodes
    import networkx as nx

    flow = _dataflow(nodes, producers)
    try:
        return [nodes[index] for index in nx.lexicographical_topological_sort(flow)]
    except nx.NetworkXUnfeasible:
        cycle = [_title(nodes[edge[0]]) for edge in nx.find_cycle(flow)]
        shown = " → ".join((*cycle[:4], *("…" for _ in cycle[4:5]), cycle[0]))
        raise ModelError(f"{where}: its nodes form a cycle: {shown}") from None


def _single_producers(nodes: Sequence[Node], available: set[str], where: str) -> dict[str, int]:
    producers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in filter(None, node.outputs):
            if name in available:
                raise ModelError(f"{where}: {_title(node)} makes {_quote(name)}, an input or constant")
            if name in producers:
                first = _title(nodes[producers[name]])
                raise ModelError(f"{where}: {first} and {_title(node)} both make {_quote(name)}")
            producers[name] = index
    return producers


def refuse_recursion(functions: Mapping[tuple[str, str], Function], where: str) -> None:
    """Refuse functions that call themselves, directly or through others: expanding them would not end.

    Raises:
        ModelError: A function calls itself.
    """
    calls = {key: {*_calls(function.nodes)} & functions.keys() for key, function in functions.items()}
    ended: set[tuple[str, str]] = set()
    while len(ended) < len(calls):
        ending = {key for key, called in calls.items() if key not in ended and called <= ended}
        if not ending:
            name = min(calls.keys() - ended)[1]
            raise ModelError(f"{where}: function {_quote(name)} calls itself, or another that does")
        ended |= ending


def _calls(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        yield node.domain, node.op
        for graph in node.attributes.graphs:
            yield from _calls(graph.nodes)


def _dataflow(nodes: Sequence[Node], producers: Mapping[str, int]) -> nx.DiGraph[int]:
    import networkx as nx

    tensors: dict[tuple[int, int], dict[str, None]] = {}
    for index, node in enumerate(nodes):
        for name in node.reads:
            if name in producers:
                tensors.setdefault((producers[name], index), {})[name] = None
    flow: nx.DiGraph[int] = nx.DiGraph()
    flow.add_nodes_from((index, {"op": node.op, "name": node.name}) for index, node in enumerate(nodes))
    flow.add_edges_from((*edge, {"tensors": tuple(names)}) for edge, names in tensors.items())
    return flow


def _quote(name: str) -> str:
    return f"'{printable(name)}'"


def _title(node: Node) -> str:
    return f"node {_quote(node.name)} ({printable(node.op)})"
