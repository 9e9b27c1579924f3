"""The question `repair`: which single change makes a model run for all admissible inputs?"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import SESSIONS, Question, examine_session
from shapesmt.base.errors import ModelError, UsageError, printable
from shapesmt.frontends import Format, ModelSource, OpenedModel, load
from shapesmt.prover.algebra import Verdict, one_call
from shapesmt.reports import answers
from shapesmt.reports.answers import Keeping, Proposal, Repairs
from shapesmt.tasks.repair.edit import Edit
from shapesmt.tasks.repair.keeps import Keeper
from shapesmt.tasks.repair.reason import reason_of
from shapesmt.tasks.repair.search import Proved, search_changes
from shapesmt.tasks.repair.words import evidence, texts_of
from shapesmt.tasks.repair.written import added_nodes, write_edit
from shapesmt.tasks.simplify import analyse_protobuf, folder_of, save_checked

if TYPE_CHECKING:
    from onnx import ModelProto

SIZES = 4
"""The sizes at which ONNX Runtime runs a repaired model before it is written."""
GRACE = 10.0
"""Seconds to prove and run what is written, even after the deadline."""


@one_call()
def find_repairs(
    model: ModelSource,
    question: Question,
    output: str | os.PathLike[str] | None = None,
    *,
    take: int | None = None,
    as_declared: bool = False,
) -> Repairs:
    """Return the changes that make a model run, and write one if there is an `output`: see `shapesmt.repair`.

    A program's guards are ignored, as another export has others.

    Raises:
        ModelError: The model can't be read, or the repaired one is refused or stops on ONNX Runtime.
        UsageError: There is an `output` and the model isn't ONNX, or there is no proposal of the number `take`.
    """
    question = replace(question, guards="ignore", session=None)
    content = question.read(lambda: model.opened(weights=True))
    proto: ModelProto | None = None
    if output is None and content.format is not Format.ONNX:
        a = analyse(model, question)
    else:
        proto, a = analyse_protobuf(model, output, question)
    whole = examine_session(a)
    keeper = Keeper(a, proto, folder_of(model))
    try:
        changes = search_changes(a, keeper, whole)
    finally:
        keeper.close()
    texts = texts_of([proved.change for proved in changes.proved])
    proposals = tuple(_proposal(a, proved, text) for proved, text in zip(changes.proved, texts, strict=True))
    verdict, name = whole.verdict, a.problem.graph.source
    found = proposals, changes.tried, changes.dropped, changes.complete
    proved = any(proposal.verdict is Verdict.PROVED for proposal in proposals)
    mixing, reason = changes.mixing, reason_of(a, whole, proved=proved)
    answer = Repairs(name, verdict, *found, a.seconds, at=changes.at, reason=reason, mixing=mixing)
    if output is None or proto is None or not proposals:
        return answer
    if take is None and proposals[0].verdict is not Verdict.PROVED:
        return replace(answer, refused="proposal 1 leaves findings")
    if take is None and proposals[0].keeps is Keeping.NOT_RUN:
        return replace(answer, refused="proposal 1 may change what the model computes: it wasn't run")
    if take is not None and not 1 <= take <= len(proposals):
        raise UsageError(f"there is no proposal {take}: there are {len(proposals)}")
    take = take or 1
    if proposals[take - 1].changed and not as_declared:
        why = f"proposal {take} changes an output's shape at sizes at which the model runs"
        return replace(answer, refused=why, taken=take)
    chosen = changes.proved[take - 1]
    _write(model, proto, a, chosen, output)
    nodes = tuple(f"{node.name} ({node.op})" for node in added_nodes(chosen.change.edit))
    return replace(answer, written=os.fspath(output), taken=take, nodes=nodes, seconds=a.seconds)


def _write(model: ModelSource, proto: ModelProto, a: Analysis, chosen: Proved, output: str | os.PathLike[str]) -> None:
    """Write the model with a change, if the checker proves the file too and ONNX Runtime runs it.

    Raises:
        ModelError: One of them refuses it.
    """
    from shapesmt.tasks.replay import stopped

    copy, deadline = apply_change(proto, a, chosen.change.edit), a.question.deadline
    graph = load(OpenedModel(Format.ONNX, copy, a.problem.graph.source, folder_of(model)))
    asked = replace(chosen.question, timeout=max(deadline.remaining, GRACE), session=SESSIONS[0])
    again = analyse(graph, asked.again())
    if again.examination.verdict is not chosen.verdict:
        raise ModelError(f"cannot write {printable(os.fspath(output))}: the file isn't proved as the change is")
    reason = stopped(copy, again, SIZES) if chosen.verdict is Verdict.PROVED else ""
    if reason:
        raise ModelError(f"cannot write {printable(os.fspath(output))}: ONNX Runtime stops {reason}")
    save_checked(copy, output, proto, folder_of(model), deadline)


def apply_change(proto: ModelProto, a: Analysis, edit: Edit) -> ModelProto:
    """Return a copy of the ONNX model `proto` with `edit`; `a` is its analysis."""
    return write_edit(proto, a.problem.graph, edit)


def _proposal(a: Analysis, proved: Proved, text: str) -> Proposal:
    """Return the `Proposal` in the report for a proved change and its `text`, with evidence and source line."""
    change = proved.change
    node, graph = change.site.node, a.problem.graph
    index = graph.place(change.site.outermost.name)
    line = None if index is None else graph.source_line(index, graph.nodes[index])
    source = None if line is None else answers.Source(*line)
    about = change.kind, change.name, change.input, change.old, change.new, proved.verdict
    return Proposal(node.name, node.op, *about, evidence(proved), text, source, *proved.kept)
