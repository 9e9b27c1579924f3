"""Allocation: messages that memory for so many bytes can't be had, and the tensor that has so many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import Problem
from shapesmt.prover.algebra import FALSE, Assignment, Dim, Formula, all_of, at_least, equal, evaluate, negate
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import Against, Allocated, Candidate, ErrorOrigin, Grade, Obstacle
from shapesmt.tasks.memory import bytes_of, largest
from shapesmt.tasks.runtime_errors.forms import onnxruntime
from shapesmt.tasks.runtime_errors.reading import Message
from shapesmt.tasks.runtime_errors.search import BRIEF, Search
from shapesmt.tasks.runtime_errors.suspects import suspects

__all__ = ["allocation_origin"]

ROUNDED = 256  # bytes to a multiple of which ONNX Runtime's arena rounds a request


class _Buffer(NamedTuple):
    """An output of a node, and its bytes."""

    node: int
    tensor: str
    bytes: Dim


def allocation_origin(a: Analysis, message: Message) -> ErrorOrigin:
    """Return the nodes with an output of the bytes that a message asks for, and the inputs at which it has so many."""
    graph, wanted = a.problem.graph, int(message.said["bytes"])
    answer = ErrorOrigin(graph.source, message.runtime, message.text, None, symbols=a.problem.ranges)
    found, against = suspects(a, message)
    named = bool(message.op) or any(message.names)
    nodes = [place.node for place in found] if named else range(len(graph.nodes))
    search = Search(a, message, frozenset(j.index for j in a.examination.judgements))
    buffers = [] if against else [buffer for index in nodes for buffer in _outputs(a, index)]
    tried = (_candidate(a, search, buffer, wanted, message.runtime) for buffer in buffers)
    candidates = tuple(c for c in tried if c is not None)
    if candidates:
        grade = Grade.EXACT if all(c.region for c in candidates) else Grade.PARTIAL
        return replace(answer, possible=True, grade=grade, candidates=candidates, seconds=a.seconds)
    if against:
        told = (None, Grade.PARTIAL) if message.foreign(graph) else (False, Grade.IMPOSSIBLE)
        return replace(answer, possible=told[0], grade=told[1], against=against, seconds=a.seconds)
    own = tuple(Against(Obstacle.BYTES, graph.nodes[i].name, graph.nodes[i].op) for i in nodes if named)
    return replace(answer, against=own, seconds=a.seconds)


def _outputs(a: Analysis, index: int) -> Iterator[_Buffer]:
    """Yield the outputs of a node whose bytes are known."""
    tensors = a.examination.original.tensors
    for name in a.problem.graph.nodes[index].outputs:
        size = bytes_of(tensors[name]) if name in tensors else None
        if size is not None:
            yield _Buffer(index, name, size)


def _candidate(a: Analysis, search: Search, buffer: _Buffer, wanted: int, runtime: str) -> Candidate | None:
    """Return the node with an output of the wanted bytes; None if it never has so many."""
    node, judge = a.problem.graph.nodes[buffer.node], a.judge.within(BRIEF)
    least = wanted - ROUNDED + 1 if runtime == onnxruntime.RUNTIME and wanted % ROUNDED == 0 else wanted
    before = search.before(buffer.node)
    whole = all_of(before, at_least(buffer.bytes, least), at_least(wanted, buffer.bytes))
    fewer = all_of(before, at_least(least - 1, buffer.bytes))
    if whole is FALSE or not judge.satisfiable(search.domain(whole)):
        return None
    values = _usual(a.problem, search, judge, whole, fewer)
    followed = search.follows(buffer.node) and not any(symbol.by_data for symbol in whole.symbols)
    region = (search.region(whole) or str(whole)) if followed else ""
    return Candidate(
        node.name,
        node.op,
        buffer.node,
        "",
        region,
        None if values is None else a.problem.counterexample(values, whole.symbols),
        grade=Grade.EXACT if region else Grade.PARTIAL,
        allocated=Allocated(
            buffer.tensor,
            str(buffer.bytes),
            {} if values is None else _largest(a.problem, search, judge, fewer, values),
        ),
    )


def _usual(problem: Problem, search: Search, judge: Judge, whole: Formula, fewer: Formula) -> Assignment | None:
    """Return an input that satisfies a condition, if possible one at which all sizes but one are minimal.

    `fewer` is the condition for fewer bytes: the size that isn't minimal is next to those that satisfy it.
    """
    named, domain = _named(problem, whole), search.domain()
    least = {name: int(judge.extent(domain, d)[0].value or 0) for name, d in named.items()}
    found = []
    for name, d in named.items():
        fixed = [equal(other, least[n]) for n, other in named.items() if n != name]
        below = largest(d, fewer, search.domain(*fixed), judge)
        size = equal(d, least[name] if below is None else below + 1)
        values = judge.complete(search.domain(*fixed, size), {})
        if values is not None and evaluate(whole, values):
            found.append(values)
    if not found and (values := judge.complete(domain, judge.decide(domain, negate(whole)).counterexample)) is not None:
        found.append(values)
    return min(found, key=lambda values: sum(values.values()), default=None)


def _largest(problem: Problem, search: Search, judge: Judge, fewer: Formula, values: Assignment) -> dict[str, int]:
    """Return the maximum of each size for which a condition holds, the others being as given."""
    named = _named(problem, fewer)
    at = {name: int(evaluate(d, values)) for name, d in named.items()}
    tried = (
        (
            name,
            largest(d, fewer, search.domain(*(equal(other, at[n]) for n, other in named.items() if n != name)), judge),
        )
        for name, d in named.items()
    )
    return {name: most for name, most in tried if most is not None}


def _named(problem: Problem, condition: Formula) -> dict[str, Dim]:
    """Return the dimensions that a condition is about, by name."""
    return {name: d for name, d in problem.dims.items() if not d.symbols.isdisjoint(condition.symbols)}
