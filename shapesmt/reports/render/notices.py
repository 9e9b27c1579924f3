"""Findings and warnings as single sentences with a severity, for annotations in other tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Cause, Finding, FindingKind, Report, Side, Source
from shapesmt.reports.render.text.findings import assignment, every_input, replay_sentence
from shapesmt.reports.render.text.words import name, slot

_LEVELS = {Verdict.DEPENDS: "error", Verdict.FAILS: "error", Verdict.UNKNOWN: "note"}


class Notice(NamedTuple):
    """A sentence about a node.

    `level` is "error", "warning" or "note"; `identity` is a text that stays the same when other nodes are added.
    `known` is whether the baseline has it; None without a baseline. What it has is a note.
    """

    level: str
    code: str
    node: str
    op_type: str
    text: str
    identity: str
    because: tuple[Cause, ...] = ()
    details: dict[str, object] | None = None
    source: Source | None = None
    known: bool | None = None


def notices_of(report: Report) -> Iterator[Notice]:
    """Yield the notices of a report: its findings in the report's order, then its warnings."""
    for notice, law in _notices(report):
        if report.known is None:
            yield notice
        elif (notice.code, notice.node, law) in report.known:
            yield notice._replace(level="note", known=True)
        else:
            yield notice._replace(known=False)


def _notices(report: Report) -> Iterator[tuple[Notice, str]]:
    """Yield each notice with its law."""
    for finding in report.judged:
        notice = Notice(
            _LEVELS[finding.verdict], finding.code, finding.node, finding.op_type, _sentence(finding),
            _identity(finding), finding.because, _details(finding), finding.source,
        )  # fmt: skip
        yield notice, finding.law
    for warning in report.warnings:
        about = warning.node or warning.tensor
        identity = f"{warning.code}\n{about}"
        text = printable(warning.text, 1000)
        yield Notice("warning", warning.code, about, warning.op_type, text, identity, source=warning.source), ""


def step(cause: Cause) -> str:
    """Return one cause of a size as text.

    >>> from shapesmt.reports.answers import Cause
    >>> step(Cause("", "image", 2, "height", 65))
    'image[2] = height = 65'
    """
    return f"{slot(name(cause.tensor), cause.axis, cause.element)} = {_with_value(cause)}"


def _sentence(finding: Finding) -> str:
    """Return the finding in one sentence: law, clashing sides, counterexample, the inputs for which the node runs."""
    parts = [printable(finding.law, 400)]
    if finding.note:
        parts[0] += f" ({printable(finding.note, 400)})"
    if finding.clash is not None:
        parts[0] += f": {_with_value(finding.clash.left)} against {_with_value(finding.clash.right)}"
    elif finding.condition:
        parts[0] += f": {printable(finding.condition, 400)}"
    if finding.verdict is Verdict.FAILS:
        parts.append(f"fails for {every_input(finding)}")
    elif finding.counterexample is not None:
        parts.append(f"fails at {assignment(finding.counterexample)}")
    if finding.replay is not None:
        parts.append(replay_sentence(finding.replay))
    if finding.verdict is Verdict.DEPENDS and finding.holds_iff:
        parts.append(f"runs exactly when {printable(finding.holds_iff, 400)}")
    if finding.verdict is Verdict.UNKNOWN and finding.kind in (FindingKind.REQUIREMENT, FindingKind.DATA):
        parts.append("undecided")
    return "; ".join(parts)


def _with_value(of: Side | Cause) -> str:
    expr = printable(of.expr, 400)
    return expr if of.value is None or of.expr == str(of.value) else f"{expr} = {of.value}"


def _identity(finding: Finding) -> str:
    """Return code, node and law; a node without a name in the file is identified by its operator and condition."""
    nameless = finding.node == f"{finding.op_type}_{finding.index}"
    return "\n".join(
        (finding.code, f"{finding.op_type}: {finding.condition}" if nameless else finding.node, finding.law)
    )


def _details(finding: Finding) -> dict[str, object]:
    keys = ("verdict", "kind", "op_type", "condition", "counterexample", "holds_iff")
    return {key: value for key, value in finding.to_dict().items() if key in keys and value not in (None, "")}
