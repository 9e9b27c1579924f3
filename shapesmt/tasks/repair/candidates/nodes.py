"""Nodes that are superfluous or missing: those that only move, reshape, repeat, convert, crop or pad elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from shapesmt.network.graph import Attributes, Literal, Node
from shapesmt.operators.rules import Keeps, Tensor
from shapesmt.tasks.repair.candidates.site import Change, Site
from shapesmt.tasks.repair.edit import Edit

LAYOUT = (Keeps.ALL, Keeps.ORDERED, Keeps.REARRANGED, Keeps.REPEATED, Keeps.CONVERTED)
AXES_AS_INPUT = 13
"""The opset from which on Squeeze and Unsqueeze take their axes as an input."""


def left_out(site: Site) -> Iterator[Change]:
    """Yield the removal of a node that only moves elements; its consumers read its first input instead."""
    graph, node = site.graph, site.node
    if len(node.outputs) != 1 or not node.inputs or site.operators.traits(node).keeps not in LAYOUT:
        return
    made, taken = node.outputs[0], node.inputs[0]
    readers = [*site.consumers(made)]
    if made in graph.outputs or not readers or any(made in reader.attributes.captures for _, reader in readers):
        return
    changed = {i: n._replace(inputs=[taken if name == made else name for name in n.inputs]) for i, n in readers}
    edit = Edit(nodes=changed, removed=frozenset({site.index}))
    yield site.change("node", node.op, node.name, None, edit, 4.0)


def put_in(site: Site) -> Iterator[Change]:
    """Yield insertions of a Transpose, Unsqueeze or Squeeze before an operand of an ONNX node."""
    if not site.graph.is_onnx:
        return
    for index, name in enumerate(site.node.inputs):
        t = site.known(index)
        if t is None or t.shape is None or site.literal(name) is not None or name in site.graph.literals:
            continue
        for op, value in _layouts(site, t):
            yield from _insert(site, index, op, value)


def _layouts(site: Site, t: Tensor) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield operators that change the axes of `t`, such as `("Transpose", (1, 0))` or `("Unsqueeze", (0,))`."""
    shape = t.shape or ()
    rank = len(shape)
    orders = {tuple({i: j, j: i}.get(k, k) for k in range(rank)): None for i, j in combinations(range(rank), 2)}
    used = [n.attributes.get("perm") for n in site.graph.nodes if n.op == "Transpose"]
    orders.update({p: None for p in used if isinstance(p, tuple) and len(p) == rank and rank > 1})  # type: ignore[misc]
    yield from (("Transpose", order) for order in orders if rank <= 5)
    yield from (("Unsqueeze", (axis,)) for axis in range(rank + 1) if rank < 5)
    yield from (("Unsqueeze", (axis, axis + 1)) for axis in range(rank + 1) if rank < 4)
    yield from (("Squeeze", (axis,)) for axis, size in enumerate(shape) if size.constant == 1)


def _insert(site: Site, index: int, op: str, value: tuple[int, ...]) -> Iterator[Change]:
    """Yield the insertion of `op` before input `index`; at the first of several consumers also one for them all.

    `value` is the permutation of a Transpose, or the axes of a Squeeze or Unsqueeze.
    """
    name = site.node.inputs[index]
    made = site.name(name)
    literals: dict[str, Literal] = {}
    if op == "Transpose":
        node = Node(op, "", made, [name], [made], Attributes({"perm": value}))
    elif site.graph.opsets.get("", 1) >= AXES_AS_INPUT:
        axes = f"{made}.axes"
        literals[axes] = Literal("int64", (len(value),), value)
        node = Node(op, "", made, [name, axes], [made])
    else:
        node = Node(op, "", made, [name], [made], Attributes({"axes": value}))
    edit = replace(site.put(site.reading({index: made})), before={site.index: (node,)}, literals=literals)
    more = 0.2 * (len(value) - 1) if op == "Unsqueeze" else 0
    yield site.change("node", op, None, value, edit, 4.5 + more, index)
    readers = [(i, n) for i, n in site.consumers(name) if name not in n.attributes.captures]
    if len(readers) > 1 and readers[0][0] == site.index:
        changed = {i: n._replace(inputs=[made if x == name else x for x in n.inputs]) for i, n in readers}
        edit = Edit(nodes=changed, before={site.index: (node,)}, literals=literals)
        yield site.change("node", op, None, value, edit, 4.4 + more, index)


def crops(site: Site) -> Iterator[Change]:
    """Yield insertions of a Slice that crops one operand to another's sizes on the axes where they differ."""
    node, graph = site.node, site.graph
    if not graph.is_onnx or graph.opsets.get("", 1) < AXES_AS_INPUT:
        return
    for i in range(min(len(node.inputs), 3)):
        for j in range(min(len(node.inputs), 3)):
            one, other = site.known(i), site.known(j)
            if site.is_constant(j):  # a table is too short: rows that are cropped would be ignored
                continue
            if i == j or one is None or other is None or not one.shape or not other.shape:
                continue
            if len(one.shape) != len(other.shape) or None not in (one.shape[0].constant, *_constants(other)):
                continue
            apart = [a for a, (m, n) in enumerate(zip(one.shape, other.shape, strict=True)) if m is not n]
            joined = node.attributes.get("axis")
            axes = [a for a in apart if joined not in (a, a - len(one.shape)) and other.shape[a].constant != 1]
            if axes and any(one.shape[a].constant is None or other.shape[a].constant is None for a in axes):
                yield _crop(site, i, j, axes)


def _constants(t: Tensor) -> list[int | None]:
    return [d.constant for d in t.shape or ()]


def _crop(site: Site, index: int, like: int, axes: Sequence[int]) -> Change:
    """Return the change that crops input `index` to the sizes of input `like` along `axes`."""
    name, other = site.node.inputs[index], site.node.inputs[like]
    made = site.name(name)
    shape, ends, first, along = (f"{made}.{part}" for part in ("shape", "ends", "starts", "axes"))
    literals = {
        first: Literal("int64", (len(axes),), [0] * len(axes)),
        along: Literal("int64", (len(axes),), axes),
    }
    nodes = (
        Node("Shape", "", shape, [other], [shape]),
        Node("Gather", "", ends, [shape, along], [ends], Attributes({"axis": 0})),
        Node("Slice", "", made, [name, first, ends, along], [made]),
    )
    edit = replace(site.put(site.reading({index: made})), before={site.index: nodes}, literals=literals)
    return site.change("node", "Slice", None, (*axes,), edit, 5.0, index)
