"""Suspects: the nodes that may have raised a message, by the names in it, its operator or its laws."""

from __future__ import annotations

from shapesmt.analysis.analysis import Analysis
from shapesmt.network.graph import Graph
from shapesmt.network.laws import Law
from shapesmt.prover.algebra import TRUE, Verdict
from shapesmt.reports.answers import Against, Obstacle
from shapesmt.tasks.runtime_errors.forms import FUSED, MADE
from shapesmt.tasks.runtime_errors.names import Place, places, running
from shapesmt.tasks.runtime_errors.reading import Message

__all__ = ["law_of", "suspects"]

MERGED = 4  # consecutive nodes that are searched for the operator that a message names


def suspects(a: Analysis, message: Message) -> tuple[list[Place], tuple[Against, ...]]:
    """Return the nodes that may have raised the message, by the names in it, or the reasons why none has."""
    graph, ops = a.problem.graph, {node.op.lower() for node in a.problem.graph.nodes}
    made = bool(FUSED.search(message.op)) and message.op.lower() not in ops
    for name in message.names:
        found = places(graph, name)
        if not found:
            continue
        inner = message.names[-1] if message.names[-1] != name else ""
        if found[0].inside or inner:
            return [place._replace(inside=inner or place.inside) for place in found], ()
        told = graph.nodes[found[0].node].op
        same = message.runtime != "onnxruntime" or not message.op or message.op == told
        if not found[0].exact:
            return [place._replace(node=_fused(graph, place.node, message.op)) for place in found], ()
        if same:
            rewritten = not message.foreign(graph) and message.op.lower() not in ("", told.lower())
            return [place._replace(exact=place.exact and not rewritten) for place in found], ()
        if "" in message.names and (within := _running(a, found[0].node, message.op)):
            return within, ()
        if not FUSED.search(message.op):
            return [], (Against(Obstacle.OPERATOR, name, told),)
        return [place._replace(exact=False) for place in found], ()
    name = next(filter(None, message.names), "")
    if name and not made and not MADE.search(name):
        return [], (Against(Obstacle.NAME, name),)
    return _by_law(a, message), ()


def _fused(graph: Graph, index: int, op: str) -> int:
    """Return the index of the node whose operator is part of `op`: `index`, or one of few upstream; else `index`."""
    at: int | None = index
    for _ in range(MERGED):
        if at is None or graph.nodes[at].op in op:
            break
        at = graph.producer(next(iter(graph.nodes[at].inputs), ""))
    return index if at is None or graph.nodes[at].op not in op else at


def _by_law(a: Analysis, message: Message) -> list[Place]:
    """Return the nodes that may raise a message that names no node: by its operator, or else by its laws.

    Of an operator that the file doesn't have, the runtime has made the node of another one, such as of a function.
    """
    nodes, op = a.problem.graph.nodes, "" if message.foreign(a.problem.graph) else message.op
    always = {j.index for j in a.examination.judgements if j.verdict is Verdict.FAILS} if message.loading else set()
    named = [Place(i) for i, node in enumerate(nodes) if op and node.op.lower() == op.lower()]
    named += [place for i in range(len(nodes)) for place in _running(a, i, op)]
    if named:
        return [place for place in named if place.node in always] or named
    form = message.form
    failing = [
        (i, [r.law for r in each.requirements if r.formula is not TRUE] + [law_of(x.law) for x in each.assumed])
        for i, each in enumerate(a.examination.original.applications)
    ]
    of_law = [i for i, broken in failing if form is not None and any(map(form.states, broken))] or sorted(always)
    return [Place(i, exact=not op) for i in (of_law if of_law or not op else [i for i, broken in failing if broken])]


def _running(a: Analysis, index: int, op: str) -> list[Place]:
    """Return the nodes inside node `index` that have this operator and a requirement."""
    within = {r.within for r in a.examination.original.applications[index].requirements}
    return [place for place in running(a.problem.graph, index, op) if any(place.inside in path for path in within)]


def law_of(stated: Law | str) -> Law:
    """Return a law as it is stated; one without a code if that is a text, or names particular numbers."""
    return stated if isinstance(stated, Law) and not stated.template else Law("", str(stated))
