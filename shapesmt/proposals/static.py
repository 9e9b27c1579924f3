"""Axes that were to vary and are numbers in the program: what needs the number, a node or only the trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TypeAlias

from shapesmt.deadline import limit
from shapesmt.examine import Judge, examined, pose
from shapesmt.graph import Graph
from shapesmt.report import StaticAxis

__all__ = ["static_axes"]

Place: TypeAlias = tuple[str, int]
"""An input and an axis."""


def static_axes(graph: Graph, judge: Judge) -> tuple[StaticAxis, ...]:
    """The axes that came out as numbers, as far as it is known what needs them."""
    sizes = {}
    for name, axis in sorted(graph.asked):
        shape = graph.inputs[name].shape if name in graph.inputs else None
        size = shape[axis] if shape is not None and axis < len(shape) else None
        if isinstance(size, int):
            sizes[name, axis] = size
    found: list[StaticAxis] = []
    for size in dict.fromkeys(sizes.values()):  # equal numbers vary together: they may have to be equal
        equal = {place: size for place, other in sizes.items() if other == size}
        found += judge.deadline.attempt(partial(_listed, graph, equal, judge), ())
    return tuple(found)


def _listed(graph: Graph, sizes: Mapping[Place, int], judge: Judge) -> tuple[StaticAxis, ...]:
    return tuple(_static(graph, sizes, judge))


def _static(graph: Graph, sizes: Mapping[Place, int], judge: Judge) -> Iterator[StaticAxis]:
    """What each number is needed by, where all of them vary."""
    names = {place: f"{place[0]}@{place[1]}" for place in sizes}
    inputs = {
        name: d._replace(shape=tuple(names.get((name, i), size) for i, size in enumerate(d.shape or ())))
        for name, d in graph.inputs.items()
    }
    with limit(judge.deadline):
        problem, examination = examined(pose(replace(graph.unguarded, inputs=inputs)), judge, trust=False)
    for place, size in sizes.items():
        varying = problem.dims[names[place]]
        low, high = judge.extent(examination.domain, varying)
        if low.value != high.value:
            if examination.decided:
                yield StaticAxis(*place, size)
            continue
        needing = (j for j in examination.judgements if not j.condition.symbols.isdisjoint(varying.symbols))
        index = next((j.index for j in needing), None)
        if index is not None:
            line = graph.source_line(index, graph.nodes[index])
            where = (
                f"{PurePath(line.file).name}:{line.line} in {line.function}" if line is not None and line.file else ""
            )
            yield StaticAxis(*place, size, graph.nodes[index].name, where)
