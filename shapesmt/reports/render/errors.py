"""The answer about a runtime's error message as text: the node that says it and the inputs, or why none does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict, conjunction
from shapesmt.reports.answers import Grade, Obstacle
from shapesmt.reports.render.quoting import shell
from shapesmt.reports.render.text.findings import assignment, finding_head, finding_lines
from shapesmt.reports.render.text.words import (
    BLANK,
    COMMAND,
    FAINT,
    STRONG,
    STYLES,
    Line,
    at_sizes,
    code,
    count,
    first_items,
    interval,
    line,
    name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapesmt.reports.answers import Against, Allocated, Candidate, ErrorOrigin

__all__ = ["error_text"]

_MOST = 4  # candidates that are shown in full
_LONG = 200  # characters of a region, above which the ranges of the sizes are shown instead
_AGAINST = {
    Obstacle.NAME: "it has no node or tensor {node}",
    Obstacle.OPERATOR: "its node {node} is a {op}",
    Obstacle.RUNS: "its node {node} runs for every input that reaches it",
    Obstacle.SIZES: "the sizes in the message never meet at {node}",
    Obstacle.BYTES: "no output of {node} has that many bytes: it is a buffer that the kernel needs beside them",
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
    subject = name(answer.model)
    if answer.grade is Grade.IMPOSSIBLE:
        yield line(0, ("IMPOSSIBLE", STYLES[Verdict.FAILS]), f" this message can't come from {subject}")
        yield from _reasons(answer)
        yield line(
            2, "so it is about another file, other weights, or a node that the runtime's optimizer has rewritten"
        )
    elif answer.grade is Grade.UNRELATED:
        yield line(0, ("UNRELATED", STYLES[Verdict.UNKNOWN]), " as far as can be read, this message isn't about shapes")
        yield from _reasons(answer)
        yield line(2, f"whether {subject} runs for all shapes: ", (shell("shapesmt", "check", answer.model), COMMAND))
    elif answer.input:
        yield from _declared(answer)
    elif not answer.candidates:
        yield line(0, f"{subject}: which of its nodes says this isn't known")
        yield from _reasons(answer)
    for candidate in answer.candidates[:_MOST]:
        yield BLANK
        yield from _candidate(answer, candidate)
    if len(answer.candidates) > _MOST:
        yield BLANK
        rest = answer.candidates[_MOST:]
        yield line(0, f"or {count(len(rest), 'other node')}: {first_items([name(c.node) for c in rest], most=8)}")


def _reasons(answer: ErrorOrigin) -> Iterator[Line]:
    """Yield the reasons why no node says it."""
    yield from (line(2, _AGAINST[a.why].format(node=_node(a), op=name(a.op_type))) for a in answer.against[:_MOST])


def _node(against: Against) -> str:
    return f"'{name(against.node)}'"


def _declared(answer: ErrorOrigin) -> Iterator[Line]:
    for axis, got in answer.got.items():
        by = "the runtime was set up with" if answer.built else "the file declares"
        told = f"{by} {name(answer.input)}[{axis}] as {answer.declared[axis]}, it was given {got}"
        only = "the set-up" if answer.built else "the declaration"
        needed = "the node below needs it" if answer.candidates else f"no node needs that size, only {only}"
        yield line(0, f"{name(answer.model)}: {told}; {needed}")


def _candidate(answer: ErrorOrigin, candidate: Candidate) -> Iterator[Line]:
    yield line(
        0, (name(candidate.inside or candidate.node), STRONG), f" ({_place(candidate)}) {_claim(answer, candidate)}"
    )
    if candidate.silent:
        yield line(2, f"in the file, {name(candidate.silent)} fails first: an index is past the end of its table;")
        yield line(
            2, "at its default level ONNX Runtime takes a slice there, which ends with the table, without an error;"
        )
        yield line(2, "where the sizes fit nevertheless, it returns a result or an empty tensor and says nothing")
    elif candidate.finding is not None and candidate.finding.code == _INDEX and answer.runtime == "onnxruntime":
        yield line(2, "at its default level ONNX Runtime may say nothing there: of consecutive rows it takes a slice,")
        yield line(2, "which ends with the table, and may return an empty tensor")
    yield from _outside(candidate)
    if candidate.allocated is not None:
        yield from _allocated(answer, candidate, candidate.allocated)
        return
    yield from _where(candidate)
    if candidate.again is not None:
        yield line(2, _AGAIN[candidate.again])
    yield from _runs(answer, candidate)
    if candidate.finding is not None:
        yield BLANK
        yield from finding_head(candidate.finding)
        yield from finding_lines(replace(candidate.finding, holds_iff=None), answer.symbols)
    if candidate.finding is not None and answer.runtime == "onnxruntime" and not answer.input:
        yield line(2, "script: ", (shell("shapesmt", "repro", answer.model, candidate.finding.node), COMMAND))


def _allocated(answer: ErrorOrigin, candidate: Candidate, allocated: Allocated) -> Iterator[Line]:
    """Yield the output that is so large, the inputs at which it is, and the sizes at which it is smaller."""
    yield line(2, f"for its output {name(allocated.tensor)}, which has ", code(allocated.bytes), " bytes")
    if candidate.region:
        yield line(2, "so many exactly when ", code(candidate.region))
    if candidate.counterexample is not None:
        yield line(2, f"for instance at {assignment(candidate.counterexample)}")
    at = {} if candidate.counterexample is None else candidate.counterexample.symbols
    for symbol, most in allocated.largest.items():
        others = {s: at[s] for s in allocated.largest if s != symbol and s in at}
        yield line(2, "fewer bytes up to ", at_sizes(f"{name(symbol)}={most}", others))
    sizes = (word for symbol in allocated.largest for word in ("--max", symbol))
    whole = shell("shapesmt", "memory", answer.model, "--budget", "4GB", *sizes)
    yield line(2, "which sizes of the whole model fit into 4 GB: ", (whole, COMMAND))


def _place(candidate: Candidate) -> str:
    """Return the operator and the number of a node, or the node that it is inside."""
    if candidate.inside:
        return f"inside {name(candidate.node)}, node {candidate.index}"
    return f"{name(candidate.op_type)}, node {candidate.index}"


def _claim(answer: ErrorOrigin, candidate: Candidate) -> str:
    """Return what is known of the node as the one that says the message."""
    if candidate.allocated is not None:
        return "asks for that memory"
    if candidate.grade is Grade.EXACT:
        return "says it"
    if candidate.finding is None:
        return "may say it: whether it runs isn't decided"
    if candidate.rewritten:
        return "may say it: the runtime has rewritten it or judges it by other rules"
    return "may say it" if len(answer.candidates) > 1 else "is where it fails"


def _outside(candidate: Candidate) -> Iterator[Line]:
    """Yield that the inputs aren't among those that were asked about, or the sizes that the file declares instead."""
    for tensor, shape in candidate.declared.items():
        given = candidate.counterexample.inputs[tensor] if candidate.counterexample is not None else ()
        told = [name(d) if isinstance(d, str) else "?" if d is None else str(d) for d in shape]
        stated = f"[{', '.join(told)}]" if any(isinstance(d, str) for d in shape) else "x".join(told)
        sizes = "x".join(map(str, given))
        yield line(2, f"outside: the file declares {name(tensor)} as {stated}; given {sizes}, it fails")
    if candidate.outside and not candidate.declared:
        yield line(2, "only outside the ranges that were given")


def _where(candidate: Candidate) -> Iterator[Line]:
    """Yield the inputs at which the node says the message, or as much as is known of them, and the smallest one."""
    exact = candidate.grade is Grade.EXACT
    ranges = [f"{n} {interval(b.min, b.max)}" for n, b in candidate.bounds.items() if b.min > 1 or b.max is not None]
    if exact and len(candidate.region) <= _LONG:
        yield line(2, "exactly when ", code(candidate.region))
    elif ranges:
        yield line(2, "only at ", code(", ".join(ranges)))
    if exact and candidate.counterexample is not None:
        yield line(2, f"for instance at {assignment(candidate.counterexample)}")
    elif candidate.finding is not None and not candidate.silent:
        yield line(2, "which of its failures prints these words isn't known")


def _runs(answer: ErrorOrigin, candidate: Candidate) -> Iterator[Line]:
    """Yield the conditions under which the node runs, and the model."""
    node, model = candidate.node_holds_iff, answer.precondition
    whole = conjunction(model.text) if model is not None and model.exact else ""
    if node and len(node) <= _LONG:
        yield line(2, "this node runs exactly when ", code(node))
    if whole and whole != node and len(whole) <= _LONG:
        yield line(2, "the whole model runs exactly when ", code(whole))
