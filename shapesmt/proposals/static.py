"""Axes that were to vary and are numbers in the program: what needs the number, a node or only the trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from shapesmt.deadline import limit
from shapesmt.examine import Judge, examined, pose
from shapesmt.graph import Graph
from shapesmt.report import StaticAxis

__all__ = ["static_axes"]

MOST = 8  # axes that are looked at, each by an examination of its own


def static_axes(graph: Graph, judge: Judge) -> tuple[StaticAxis, ...]:
    """The axes that came out as numbers, as far as it is known what needs them."""
    return judge.deadline.attempt(lambda: tuple(islice(_static(graph, judge), MOST)), ())


def _static(graph: Graph, judge: Judge) -> Iterator[StaticAxis]:
    for name, axis in sorted(graph.asked):
        shape = graph.inputs[name].shape if name in graph.inputs else None
        size = shape[axis] if shape is not None and axis < len(shape) else None
        if isinstance(size, int):
            with limit(judge.deadline):
                node = _needing(graph, name, axis, judge)
            if node is None:
                continue
            line = graph.source_line(node, graph.nodes[node]) if node >= 0 else None
            where = f"{line.file}:{line.line} in {line.function}" if line is not None and line.file else ""
            yield StaticAxis(name, axis, size, graph.nodes[node].name if node >= 0 else "", where)


def _needing(graph: Graph, name: str, axis: int, judge: Judge) -> int | None:
    """The first node that doesn't run for every size of an axis; -1 where all do, None where that isn't known."""
    declared = graph.inputs[name]
    free = "axis"
    while any(free in (d.shape or ()) for d in graph.inputs.values()):
        free += "_"
    shape = (*(declared.shape or ())[:axis], free, *(declared.shape or ())[axis + 1 :])
    freed = replace(graph.unguarded, inputs={**graph.inputs, name: declared._replace(shape=shape)})
    problem, examination = examined(pose(freed), judge, trust=False)
    symbols = problem.dims[free].symbols if free in problem.dims else frozenset()
    for judgement in examination.judgements:
        if not judgement.condition.symbols.isdisjoint(symbols):
            return judgement.index
    return -1 if examination.decided else None
