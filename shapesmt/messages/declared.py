"""Declared: messages that an input of the model has another size than the file declares."""

from __future__ import annotations

from dataclasses import replace

from shapesmt.diagnose import finding_at
from shapesmt.errors import UsageError
from shapesmt.examine import Analysis, Question, analyse
from shapesmt.messages.reading import Message
from shapesmt.report import Against, Candidate, ErrorOrigin, Obstacle

__all__ = ["declared_origin"]


def declared_origin(a: Analysis, message: Message, question: Question) -> ErrorOrigin:
    """Return the nodes that need the declared size: they fail for the size that was given; none if nothing needs it."""
    graph, said = a.problem.graph, message.said
    name, axis, got, size = said["input"], int(said["axis"]), int(said["got"]), int(said["declared"])
    answer = ErrorOrigin(graph.source, message.runtime, message.text, False, symbols=a.problem.ranges)
    answer = replace(answer, input=name, got={str(axis): got}, declared={str(axis): size}, seconds=a.seconds)
    known = graph.inputs.get(name)
    shape = known.shape if known is not None else None
    if shape is None or not 0 <= axis < len(shape) or (isinstance(shape[axis], int) and shape[axis] != size):
        return replace(answer, against=(Against(Obstacle.DECLARED, name),))
    axes = [got if i == axis else d for i, d in enumerate(shape)]
    shown = {**(question.shapes or {}), name: axes}
    try:
        freed = analyse(graph, replace(question, shapes=shown, replay=False))
    except UsageError:
        return replace(answer, possible=True)
    before = {j.index: j.condition for j in a.examination.judgements}
    for j in freed.examination.judgements:
        values, stated = j.decision.counterexample, freed.examination.original.applications[j.index].requirements
        if before.get(j.index) is not j.condition and values is not None:
            f = finding_at(j.index, stated, values, freed.problem, freed.examination, freed.judge)
            least = freed.problem.counterexample(values)
            needs = Candidate(j.node.name, j.node.op, j.index, f.law if f is not None else "", "", least, finding=f)
            return replace(answer, possible=True, candidates=(needs,), seconds=a.seconds)
    return replace(answer, possible=True, seconds=a.seconds)
