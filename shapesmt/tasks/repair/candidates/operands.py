"""Changes of what a node reads: two operands exchanged, or another tensor in the place of one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from shapesmt.operators.rules import Tensor
from shapesmt.tasks.repair.candidates.site import Change, Site, swap

MOST = 4
"""Tensors of the same kind that are tried in the place of an operand."""


def operands(site: Site) -> Iterator[Change]:
    """Yield changes that exchange two inputs of the node."""
    node = site.node
    for i, j in combinations(range(len(node.inputs)), 2):
        a, b = node.inputs[i], node.inputs[j]
        near = (i, j) == (0, 1) or j == i + 1
        if a and b and a != b and (near or len(node.inputs) <= 4):
            cost = 2.5 + 0.1 * (j - i - 1) + 0.5 * (site.literal(b) is not None)
            edit = site.put(node._replace(inputs=swap(node.inputs, i, j)))
            yield site.change("operands", "inputs", (a, b), (b, a), edit, cost, i)


def edges(site: Site) -> Iterator[Change]:
    """Yield changes that replace one input by a tensor of the same element type: a nearby or an unread one."""
    node = site.node
    for index, name in enumerate(node.inputs):
        others = _unread(site, index) if name else ()
        for other, cost in (*others, *_nearby(site, name)) if name else ():
            edit = site.put(site.reading({index: other}))
            yield site.change("edge", "input", name, other, edit, cost, index)


def _nearby(site: Site, name: str) -> Iterator[tuple[str, float]]:
    """Yield (tensor, cost): the first input of the tensor's producer and the outputs of its earlier consumers."""
    known = site.tensors.get(name)
    producer = site.graph.producer(name)
    others = [node.inputs[0] for node in (() if producer is None else (site.graph.nodes[producer],)) if node.inputs]
    others += [node.outputs[0] for index, node in site.consumers(name) if index < site.index and node.outputs]
    for other in dict.fromkeys(others):
        if other and other != name and _alike(known, site.tensors.get(other)) and site.literal(other) is None:
            yield other, 4.2


def _unread(site: Site, index: int) -> Iterator[tuple[str, float]]:
    """Yield (tensor, cost) for unread outputs of earlier nodes with the type of input `index`, the last first."""
    graph, known, found = site.graph, site.known(index), 0
    for place in range(site.index - 1, -1, -1):
        for name in graph.nodes[place].outputs[:1]:
            unread = name and not graph.consumers(name) and name not in graph.outputs
            if unread and site.literal(name) is None and _alike(known, site.tensors.get(name)):
                yield name, 2.6
                found += 1
        if found >= MOST:
            return


def _alike(one: Tensor | None, other: Tensor | None) -> bool:
    """Whether two tensors have the same element type."""
    return one is not None and other is not None and one.dtype == other.dtype


def sizes_from_input(site: Site) -> Iterator[Change]:
    """Yield changes of a Resize that replace its `scales` by an earlier int64 tensor as its `sizes`."""
    node, rank = site.node, site.rank()
    if node.op != "Resize" or node.domain or rank is None or len(node.inputs) < 3 or not node.inputs[2]:
        return
    for name, t in site.tensors.items():
        sized = t.dtype == "int64" and t.shape is not None and [d.constant for d in t.shape] == [rank]
        place = site.graph.producer(name)
        if sized and place is not None and place < site.index and site.literal(name) is None:
            edit = site.put(node._replace(inputs=[*node.inputs[:2], "", name]))
            yield site.change("edge", "sizes", node.inputs[2], name, edit, 3.0, 3)
