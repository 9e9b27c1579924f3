"""Findings as single sentences, each with its severity: what annotations in other tools are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shapesmt.errors import printable
from shapesmt.render.text.findings import assignment, replayed
from shapesmt.render.text.words import name
from shapesmt.report import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapesmt.report import Cause, Finding, Report, Side

__all__ = ["Notice", "notices", "step"]

_LEVELS = {Verdict.DEPENDS: "error", Verdict.FAILS: "error", Verdict.UNKNOWN: "note"}


class Notice(NamedTuple):
    """One thing to say of a node.

    `level` is "error", "warning" or "note"; `identity` is what stays the same when other nodes are added.
    """

    level: str
    code: str
    node: str
    op_type: str
    text: str
    identity: str
    because: tuple[Cause, ...] = ()
    details: dict[str, object] | None = None


def notices(report: Report) -> Iterator[Notice]:
    """Everything that a report has to say: its findings in the order of their nodes, and its warnings."""
    for found in report.judged:
        yield Notice(
            _LEVELS[found.verdict],
            found.code,
            found.node,
            found.op_type,
            _sentence(found),
            _identity(found),
            found.because,
            _details(found),
        )
    for warning in report.warnings:
        identity = f"{warning.code}\n{warning.node or warning.tensor}"
        about = warning.node or warning.tensor
        yield Notice("warning", warning.code, about, warning.op_type, printable(warning.text, 1000), identity)


def step(cause: Cause) -> str:
    """One step of how a size came to be.

    >>> from shapesmt.report import Cause
    >>> step(Cause("", "image", 2, "height", 65))
    'image[2] = height = 65'
    """
    axis = "" if cause.axis is None else f"[{cause.axis}]"
    return f"{name(cause.tensor)}{axis} = {_valued(cause)}"


def _sentence(found: Finding) -> str:
    """The law, the sides that clash, the input that shows it and the inputs that are fine."""
    parts = [printable(found.law, 400)]
    if found.note:
        parts[0] += f" ({printable(found.note, 400)})"
    if found.clash is not None:
        parts[0] += f": {_valued(found.clash.left)} against {_valued(found.clash.right)}"
    elif found.condition:
        parts[0] += f": {printable(found.condition, 400)}"
    if found.verdict is Verdict.FAILS:
        parts.append("fails for every input")
    elif found.counterexample is not None:
        parts.append(f"fails at {assignment(found.counterexample)}")
    if found.replay is not None:
        parts.append(replayed(found.replay))
    if found.verdict is Verdict.DEPENDS and found.holds_iff:
        parts.append(f"runs exactly when {printable(found.holds_iff, 400)}")
    if found.verdict is Verdict.UNKNOWN and found.kind in ("requirement", "data"):
        parts.append("undecided in the time given")
    return "; ".join(parts)


def _valued(of: Side | Cause) -> str:
    expr = printable(of.expr, 400)
    return expr if of.value is None or of.expr == str(of.value) else f"{expr} = {of.value}"


def _identity(found: Finding) -> str:
    """The node's path; of one that the file gives no name, so that its name counts nodes, what it needs."""
    nameless = found.node == f"{found.op_type}_{found.index}"
    return "\n".join((found.code, f"{found.op_type}: {found.condition}" if nameless else found.node, found.law))


def _details(found: Finding) -> dict[str, object]:
    kept = ("verdict", "kind", "op_type", "condition", "counterexample", "holds_iff")
    return {key: value for key, value in found.to_dict().items() if key in kept and value not in (None, "")}
