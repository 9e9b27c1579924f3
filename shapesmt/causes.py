"""Causes: the chain of nodes through which a size came to be, from the inputs on, where its expression changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapesmt.dim import Dim
from shapesmt.evaluate import Evaluator
from shapesmt.graph import Graph, Node
from shapesmt.report import Cause, Side
from shapesmt.tensor import Tensor
from shapesmt.value import Elements

MAX_CAUSES = 12
MAX_STEPS = 400  # nodes that a chain of causes is followed through


def clash_causes(
    node: Node, sides: Sequence[Dim], graph: Graph, tensors: Mapping[str, Tensor], evaluator: Evaluator | None
) -> tuple[Cause, ...]:
    """How the clashing sizes came to be, from the inputs on: the nodes at which the expression changes."""
    found: dict[tuple[str, int | None], Cause] = {}
    for side in sides:
        name = next((n for n in node.inputs if n and _axis_of(tensors.get(n), side) is not None), None)
        if name is None:
            name = next((n for n in node.inputs if n and _related(tensors.get(n), side) is not None), None)
        if name is not None:
            for cause in _trace(name, side, graph, tensors, evaluator):
                found.setdefault((cause.tensor, cause.axis), cause)
    order = {name: i for i, name in enumerate(tensors)}
    return tuple(sorted(found.values(), key=lambda c: order.get(c.tensor, 0)))[-MAX_CAUSES:]


def causes(name: str, graph: Graph, tensors: Mapping[str, Tensor]) -> tuple[Cause, ...]:
    """How the sizes of a tensor came to be."""
    found: dict[tuple[str, int | None, str], Cause] = {}
    for dim in tensors[name].shape or ():
        if dim.constant is None:
            found.update({(c.tensor, c.axis, c.expr): c for c in _trace(name, dim, graph, tensors, None)})
    return tuple(found.values())


def _trace(
    name: str, dim: Dim, graph: Graph, tensors: Mapping[str, Tensor], evaluator: Evaluator | None
) -> list[Cause]:
    chain: list[Cause] = []
    seen: set[str] = set()
    while name not in seen and len(seen) < MAX_STEPS:
        seen.add(name)
        index = graph.producer(name)
        axis = _axis_of(tensors[name], dim)
        node = graph.nodes[index] if index is not None else None
        inputs = [n for n in node.inputs if n and n in tensors] if node is not None else []
        same = next((n for n in inputs if _axis_of(tensors[n], dim) is not None), None)
        if same is None:
            value = side_of(dim, evaluator).value
            if axis is not None and dim.constant is None:
                chain.append(Cause(node.name if node is not None else "", name, axis, str(dim), value))
            if node is None:
                break
            related = [(n, r) for n in inputs if (r := _related(tensors[n], dim)) is not None]
            if not related:
                break
            name, dim = related[0]
        else:
            name = same
    return chain[::-1]


def _axis_of(t: Tensor | None, dim: Dim) -> int | None:
    """The axis of a tensor that has exactly this size."""
    if t is None or t.shape is None:
        return None
    return next((i for i, d in enumerate(t.shape) if d is dim), None)


def _related(t: Tensor | None, dim: Dim) -> Dim | None:
    """The size of a tensor that shares the most with this one."""
    if t is None:
        return None
    sizes = list(t.shape or ())
    if isinstance(t.value, Elements):
        sizes += [i for i in t.value.items if isinstance(i, Dim)]
    shared = [(len(d.symbols & dim.symbols), -len(d.symbols | dim.symbols), -i) for i, d in enumerate(sizes)]
    best = max(shared, default=(0, 0, 0))
    return sizes[-best[2]] if best[0] else None


def side_of(side: Dim, evaluator: Evaluator | None) -> Side:
    """A size as its formula, with its value at the counterexample where it has one."""
    try:
        return Side(str(side), None if evaluator is None else int(evaluator.dim(side)))
    except KeyError:
        return Side(str(side))
