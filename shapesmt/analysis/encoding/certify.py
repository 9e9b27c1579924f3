"""Certify: decide the complete system as a whole, without presolve, and check the answer at the model.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.frontends import load
    >>> from shapesmt.analysis.encoding.encode import encode_graph
    >>> from shapesmt.operators.rules import tensor
    >>> graph = load(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[3] y) => (z) { z = Add(x, y) }')
    >>> inputs = {"x": tensor("float32", [symbol("n", 1, 4)]), "y": tensor("float32", [3])}
    >>> certificate = certify_system(encode_graph(graph, inputs))
    >>> certificate.verdict, certificate.failing.node, list(certificate.values.values())[0] in (2, 4)
    ('REFUTED', 'Add_0', True)

A model counts only if our own evaluation finds a requirement that fails there.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from shapesmt.analysis.encoding.encode import Encoding, Stated
from shapesmt.base.deadline import Deadline
from shapesmt.prover.algebra import Assignment, Evaluator
from shapesmt.prover.smt import Query, Reply, ask, complete, holds

ROUNDS = 24
ATTEMPTS = ((False, 0, 0.5), (True, 1, 0.5), (False, 7, 1.0))  # (by tactics, seed, share of the time left)


class Certificate(NamedTuple):
    """The decision on a complete system.

    Attributes:
        verdict: "PROVED": every requirement of every node holds for all admissible inputs. "REFUTED": `failing`
            is the first requirement that fails at `values`. "UNKNOWN": neither is proven.
        values: For "REFUTED", a value of every symbol; else empty.
        failing: For "REFUTED", the requirement; else None.
    """

    verdict: Literal["PROVED", "REFUTED", "UNKNOWN"]
    values: Assignment
    failing: Stated | None


UNKNOWN = Certificate("UNKNOWN", {}, None)


def certify_system(encoding: Encoding, deadline: Deadline | None = None) -> Certificate:
    """Decide the complete system by Z3, before the deadline.

    The system has no requirements for nodes without a rule; the caller has to check `encoding.unsupported`.
    """
    deadline = deadline or Deadline(None)
    script = encoding.script
    names = [name[1:-1] for name in (*script.symbols.values(), *script.opaque.values())]
    lines = [encoding.text]
    for _ in range(ROUNDS):
        reply = _ask_z3("\n".join(lines), names, deadline)
        if reply.verdict == "unsat":
            return Certificate("PROVED", {}, None)
        if reply.verdict != "sat":
            return UNKNOWN
        values = complete({atom: reply.values[name[1:-1]] for atom, name in script.symbols.items()}, ())
        failing = first_failing(encoding, values)
        if failing is not None:
            return Certificate("REFUTED", values, failing)
        corrections = script.corrections(Evaluator(values), reply.values)
        if not corrections:
            return UNKNOWN
        lines += corrections
    return UNKNOWN


def first_failing(encoding: Encoding, values: Assignment) -> Stated | None:
    """Return the first requirement that fails at these values.

    None if all hold, the values aren't admissible, or a requirement can't be evaluated there.
    """
    if not holds(encoding.facts, values):
        return None
    evaluator = Evaluator(values)
    try:
        return next((r for r in encoding.requirements if not evaluator.formula(r.formula)), None)
    except (ArithmeticError, ValueError):  # NaN has no integer
        return None


def _ask_z3(text: str, names: list[str], deadline: Deadline) -> Reply:
    reply = Reply("unknown")
    for by_tactics, seed, share in ATTEMPTS:
        limit = Deadline(deadline.remaining * share)
        reply = ask(Query(text, names, seed=seed, chain=by_tactics), limit)
        if reply.verdict != "unknown" or deadline.expired:
            break
    return reply
