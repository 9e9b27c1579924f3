"""The answer about a runtime's error message as text: the node that says it and the inputs, or why none does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.algebra import Verdict
from shapesmt.errors import printable
from shapesmt.render.quoting import shell
from shapesmt.render.text.findings import assignment, finding_head, finding_lines
from shapesmt.render.text.words import (
    BLANK,
    FAINT,
    STRONG,
    STYLES,
    Line,
    code,
    count,
    first_items,
    interval,
    line,
    name,
)
from shapesmt.report import Obstacle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapesmt.report import Against, Candidate, ErrorOrigin

__all__ = ["error_text"]

_MOST = 4  # candidates that are shown in full
_LONG = 200  # characters of a region, above which the ranges of the sizes are shown instead
_AGAINST = {
    Obstacle.NAME: "it has no node or tensor {node}",
    Obstacle.OPERATOR: "its node {node} is a {op}",
    Obstacle.RUNS: "its node {node} runs for every input that reaches it",
    Obstacle.SIZES: "the sizes in the message never meet at {node}",
    Obstacle.DECLARED: "it doesn't declare that size of {node}",
}
_INDEX = "SM301"  # the code of the laws on indices
_AGAIN = {
    True: "run at that input with its optimizer switched off, the node says the same",
    False: "run at that input with its optimizer switched off, the node says something else",
}


def error_text(answer: ErrorOrigin) -> Iterator[Line]:
    """Yield the message, then the nodes that say it with the inputs at which they do."""
    yield line(0, (f"{answer.runtime or 'a runtime'}: {printable(answer.message, 400)}", FAINT))
    loud, subject = STYLES[Verdict.FAILS], name(answer.model)
    if answer.possible is False:
        yield line(0, ("IMPOSSIBLE", loud), f" this message can't come from {subject}")
        yield from (line(2, _AGAINST[a.why].format(node=_node(a), op=name(a.op_type))) for a in answer.against[:_MOST])
        yield line(
            2, "so it is about another file, other weights, or a node that the runtime's optimizer has rewritten"
        )
    elif answer.input:
        yield from _declared(answer)
    elif not answer.candidates:
        yield line(0, f"{subject}: which of its nodes says this isn't known")
        yield from (line(2, _AGAINST[a.why].format(node=_node(a), op=name(a.op_type))) for a in answer.against[:_MOST])
    for candidate in answer.candidates[:_MOST]:
        yield BLANK
        yield from _candidate(answer, candidate)
    if len(answer.candidates) > _MOST:
        yield BLANK
        rest = answer.candidates[_MOST:]
        yield line(0, f"or {count(len(rest), 'other node')}: {first_items([name(c.node) for c in rest], most=8)}")


def _node(against: Against) -> str:
    return f"'{name(against.node)}'"


def _declared(answer: ErrorOrigin) -> Iterator[Line]:
    for axis, got in answer.got.items():
        told = f"the file declares {name(answer.input)}[{axis}] as {answer.declared[axis]}, it was given {got}"
        needed = "the node below needs it" if answer.candidates else "no node needs that size, only the declaration"
        yield line(0, f"{name(answer.model)}: {told}; {needed}")


def _candidate(answer: ErrorOrigin, candidate: Candidate) -> Iterator[Line]:
    made = ", which the runtime has rewritten or judges by other rules," if candidate.rewritten else ""
    yield line(0, (name(candidate.node), STRONG), f" ({name(candidate.op_type)}, node {candidate.index}){made} says it")
    if candidate.silent:
        yield line(2, f"in the file, {name(candidate.silent)} fails first: an index is past the end of its table;")
        yield line(
            2, "at its default level ONNX Runtime takes a slice there, which ends with the table, without an error;"
        )
        yield line(2, "where the sizes fit nevertheless, it returns a result or an empty tensor and says nothing")
    elif candidate.finding is not None and candidate.finding.code == _INDEX and answer.runtime == "onnxruntime":
        yield line(2, "at its default level ONNX Runtime may say nothing there: of consecutive rows it takes a slice,")
        yield line(2, "which ends with the table, and may return an empty tensor")
    if candidate.outside:
        yield line(2, "only outside the ranges that were given")
    where = _where(candidate)
    if where is not None:
        yield line(2, "exactly when " if candidate.region and where == code(candidate.region) else "only at ", where)
    if candidate.counterexample is not None:
        yield line(2, f"for instance at {assignment(candidate.counterexample)}")
    if candidate.again is not None:
        yield line(2, _AGAIN[candidate.again])
    if candidate.finding is not None:
        yield BLANK
        yield from finding_head(candidate.finding)
        yield from finding_lines(candidate.finding, answer.symbols)
    if candidate.finding is not None and answer.runtime == "onnxruntime" and not answer.input:
        yield line(2, "script: ", (shell("shapesmt", "repro", answer.model, candidate.finding.node), STRONG))


def _where(candidate: Candidate) -> tuple[str, str] | None:
    """Return the region, or the ranges of the sizes if it isn't known exactly or is long."""
    if candidate.region and len(candidate.region) <= _LONG:
        return code(candidate.region)
    ranges = [f"{n} {interval(b.min, b.max)}" for n, b in candidate.bounds.items() if b.min > 1 or b.max is not None]
    return code(", ".join(ranges)) if ranges else None
