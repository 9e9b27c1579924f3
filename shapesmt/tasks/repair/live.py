"""Live: what the outputs depend on: the inputs and weights whose elements matter, and the samples of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from shapesmt.analysis.samples import samples_of
from shapesmt.analysis.verify import Examined
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import FLOATS, Tensor


def live(graph: Graph, tensors: Mapping[str, Tensor]) -> set[str]:
    """Return the inputs and the floating-point initializers whose elements an output may depend on.

    A tensor whose elements are formulas over sizes, such as a target that is read from an input's shape, depends on no
    element.
    """
    seen, ahead = set(graph.outputs), [*graph.outputs]
    while ahead:
        index = graph.producer(ahead.pop())
        names = () if index is None else graph.nodes[index].reads
        new = {n for n in names if n not in seen and (_is_weight(graph, n) or not _by_sizes(tensors.get(n)))}
        seen |= new
        ahead += new
    return {name for name in seen if name in graph.inputs or _is_weight(graph, name)}


def lost(before: set[str], graph: Graph, tensors: Mapping[str, Tensor]) -> set[str]:
    """Return those of `before`, the `live` names of a model, on which no output of its changed graph depends.

    A single number isn't lost if a node reads it: the start of a Range has no influence beyond sizes.
    """
    gone = before - live(graph, tensors)
    numbers = {n for n in gone if n in graph.literals and prod(graph.literals[n].shape) == 1 and graph.consumers(n)}
    return gone - numbers


def _by_sizes(t: Tensor | None) -> bool:
    return t is not None and t.followed and not t.chosen


def _is_weight(graph: Graph, name: str) -> bool:
    literal = graph.literals.get(name)
    return literal is not None and literal.dtype in FLOATS


BRIEF = 1.0
"""Seconds of processor time to find where the samples are."""


def outputs_by_samples(a: Examined) -> dict[str, set[str]]:
    """Return the outputs whose samples are "apart", "shared", "mixed" or "unknown"; {} without a batch."""
    batch, judge = a.problem.batch, a.judge.within(BRIEF)
    if batch is None or a.examination.fails:
        return {}
    about = Examined(a.problem, a.examination, judge)
    samples = judge.deadline.attempt(lambda: samples_of(about, batch), None)
    found: dict[str, set[str]] = {}
    told = None if samples is None else judge.deadline.attempt(samples.answer, None)
    for output, answer in ({} if told is None else told.outputs).items():
        found.setdefault(answer.verdict, set()).add(output)
    return found
