"""The question `repair`: which single change makes a model run for all admissible inputs?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import SESSIONS, TIMEOUT, Question, examine_session
from shapesmt.base.errors import ModelError, UsageError, one_frame, printable
from shapesmt.frontends import Format, Model, OpenedModel, load, open_model
from shapesmt.network.declarations import RangeLike, ShapeLike, ValueLike
from shapesmt.prover.algebra import Verdict, one_call
from shapesmt.reports.answers import Keeping, Proposal, Repairs, Source
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


@one_frame
def repair(
    model: Model,
    output: str | os.PathLike[str] | None = None,
    *,
    take: int | None = None,
    as_declared: bool = False,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> Repairs:
    """Find single changes after which a model runs for every admissible input, the likeliest first.

    Each is proved by the checker, or named as one that helps in part. Each computes what the model computed at
    the sizes at which it ran, by proof or in runs of both on random data; its `keeps` says which. If there is an
    `output`, the model with the first proposal is written there if it is proved, or with proposal number `take`; ONNX
    Runtime, if it is installed, runs it at several sizes first. The other options are those of `check`; a PyTorch
    program's guards are ignored, as the repaired module has others.

    Raises:
        ModelError: The model can't be read, or the repaired one is refused or stops on ONNX Runtime.
        UsageError: An option doesn't fit the model, or there is an `output` and the model isn't ONNX, or the first
            proposal leaves findings or may change what the model computes, and none is chosen, or the chosen one
            changes an output's shape without `as_declared`.

    >>> model = b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 3] x, float[n, 4] w) => (float[a, b] z) { y = Transpose <perm=[0, 1]> (x) z = MatMul (y, w) }'''
    >>> repair(model, dims={"n": "5..8"}).proposals[0].text
    'perm of Transpose_0: 0,1 -> 1,0'
    """
    question = Question(dims, shapes, values, assume, timeout)
    answer = answer_repair(model, question, output, take=take, as_declared=as_declared)
    if answer.refused:
        how = "give as_declared=True" if answer.taken else "choose a proposal (take=)"
        raise UsageError(f"{answer.refused}; {how} if it is to be written all the same")
    return answer


@one_call()
def answer_repair(
    model: Model,
    question: Question,
    output: str | os.PathLike[str] | None = None,
    *,
    take: int | None = None,
    as_declared: bool = False,
) -> Repairs:
    """Return the answer of `repair`; a program's guards are ignored, as another export has others."""
    question = replace(question, guards="ignore")
    content = question.read(lambda: open_model(model))
    proto: ModelProto | None = None
    if output is None and content.format is not Format.ONNX:
        a = analyse(content, question)
    else:
        proto, a = analyse_protobuf(model if output is not None else content, output, question)
    whole = examine_session(a)
    keeper = Keeper(a, proto, folder_of(model))
    try:
        changes = search_changes(a, keeper, whole)
    finally:
        keeper.close()
    texts = texts_of([proved.change for proved in changes.proved])
    proposals = tuple(_proposal(a, proved, text) for proved, text in zip(changes.proved, texts, strict=True))
    verdict, source = whole.verdict, a.problem.graph.source
    found = proposals, changes.tried, changes.dropped, changes.complete
    proved = any(proposal.verdict is Verdict.PROVED for proposal in proposals)
    answer = Repairs(source, verdict, *found, a.seconds, at=changes.at, reason=reason_of(a, whole, proved=proved))
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


def _write(model: Model, proto: ModelProto, a: Analysis, chosen: Proved, output: str | os.PathLike[str]) -> None:
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
    source = None if line is None else Source(*line)
    about = change.kind, change.name, change.input, change.old, change.new, proved.verdict
    return Proposal(node.name, node.op, *about, evidence(proved), text, source, *proved.kept)
