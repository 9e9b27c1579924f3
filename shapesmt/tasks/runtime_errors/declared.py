"""Declared: messages that an input of the model has another size than the file, or the runtime's user, has set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.diagnose import finding_at
from shapesmt.base.errors import UsageError
from shapesmt.network.graph import Graph
from shapesmt.reports.answers import Against, Candidate, ErrorOrigin, Grade, Obstacle
from shapesmt.tasks.runtime_errors.forms import RESHAPING
from shapesmt.tasks.runtime_errors.reading import Message

__all__ = ["declared_origin"]


def declared_origin(a: Analysis, message: Message) -> ErrorOrigin:
    """Return the nodes that need the declared size: they fail for the size that was given; none if nothing needs it."""
    graph, question, name = a.problem.graph, a.question, _input(a.problem.graph, message.said)
    answer = ErrorOrigin(graph.source, message.runtime, message.text, False, symbols=a.problem.ranges)
    got, declared = _sizes(message.said)
    answer = replace(answer, input=name, got=_texts(got), declared=_texts(declared), seconds=a.seconds)
    known = graph.inputs.get(name)
    shape = known.shape if known is not None else None
    if shape is None or any(axis >= len(shape) for axis in got):
        return _against(answer, name, message.foreign(graph))
    open_axes = [axis for axis in got if not isinstance(shape[axis], int)]
    if message.runtime in RESHAPING and any(shape[axis] != size for axis, size in declared.items()):
        answer = replace(answer, built=True)
    elif any(isinstance(shape[axis], int) and shape[axis] != size for axis, size in declared.items()):
        return _against(answer, name, message.foreign(graph))
    shown = {**(question.shapes or {}), name: [got.get(axis, d) for axis, d in enumerate(shape)]}
    dims = {d: r for d, r in (question.dims or {}).items() if d not in [shape[axis] for axis in open_axes]}
    try:
        freed = analyse(graph, replace(question, shapes=shown, dims=dims, replay=False))
    except UsageError:
        return replace(answer, possible=True)
    before = {j.index: j.condition for j in a.examination.judgements}
    for j in freed.examination.judgements:
        values, stated = j.decision.counterexample, freed.examination.original.applications[j.index].requirements
        if before.get(j.index) is not j.condition and values is not None:
            f = finding_at(j.index, stated, values, freed)
            least = freed.problem.counterexample(values)
            needs = Candidate(j.node.name, j.node.op, j.index, f.law if f is not None else "", "", least, finding=f)
            return replace(answer, possible=True, candidates=(needs,), seconds=a.seconds)
    return replace(answer, possible=True, seconds=a.seconds)


def _against(answer: ErrorOrigin, name: str, foreign: bool) -> ErrorOrigin:
    """Return that the file has another declaration; of a foreign message, nothing is concluded from that."""
    answer = replace(answer, against=(Against(Obstacle.DECLARED, name),))
    return replace(answer, possible=None, input="") if foreign else replace(answer, grade=Grade.IMPOSSIBLE)


def _input(graph: Graph, said: Mapping[str, str]) -> str:
    """Return the name of the input that the message is about, by its name or its place; the text itself if none is."""
    named = said.get("input", said.get("key", ""))
    names = [*graph.inputs]
    place = int(said["place"]) if said.get("place", "").isdigit() else len(names)
    return names[place] if named not in graph.inputs and place < len(names) else named


def _sizes(said: Mapping[str, str]) -> tuple[dict[int, int], dict[int, int | str]]:
    """Return by axis the sizes that the input has, and those that it had to have, as numbers or ranges; "" for any."""
    if "axis" in said:
        least, most = said.get("least", said.get("declared", "")), said.get("most", said.get("declared", ""))
        relation = said.get("relation", "").strip()
        bound = {">=": f"{least}..", "<=": f"..{most}"}.get(relation, least if least == most else f"{least}..{most}")
        return {int(said["axis"]): int(said["got"])}, {int(said["axis"]): int(bound) if bound.isdigit() else bound}
    got, declared = (
        re.findall(r"-?\d+(?:\.\.\d*)?|\?", said[key].replace("..", "\0").replace(".", " ").replace("\0", ".."))
        for key in ("got", "declared")
    )
    differing = [
        (axis, int(have), int(want) if want.isdigit() else want)
        for axis, (have, want) in enumerate(zip(got, declared, strict=False))
        if have != want and not want.startswith(("-", "?"))
    ]
    return {axis: have for axis, have, _ in differing}, {axis: want for axis, _, want in differing}


def _texts(sizes: Mapping[int, int | str]) -> dict[str, int | str]:
    return {str(axis): size for axis, size in sizes.items()}
