"""Assumed: the laws that data is assumed to satisfy, by node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shapesmt.report import Assumed

if TYPE_CHECKING:
    from shapesmt.examine import Examination, Problem


def assumptions_of(problem: Problem, examination: Examination) -> tuple[Assumed, ...]:
    """Return the assumptions about unknown data on which each decided node rests, in the order of the graph."""
    unjudged = {index for index, _ in examination.unjudged}
    return tuple(dict.fromkeys(_assumptions(problem, examination, unjudged)))


def _assumptions(problem: Problem, examination: Examination, unjudged: set[int]) -> Iterator[Assumed]:
    assuming = ((i, a) for i, a in enumerate(examination.original.applications) if a.assumed and i not in unjudged)
    for index, application in assuming:
        node = problem.graph.nodes[index]
        for one in application.assumed:
            path = f"{node.name}/{one.path}" if one.path else node.name
            tensor = "" if one.path or one.input >= len(node.inputs) else node.inputs[one.input]
            yield Assumed(path, one.op, index, tensor, one.law)
