"""The certificate of a verdict: the complete system, without any presolve, decided by the solver as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.algebra import Verdict
from shapesmt.deadline import look
from shapesmt.errors import InternalError

if TYPE_CHECKING:
    from shapesmt.examine import Examination, Judge, Problem
    from shapesmt.system import Encoding


def certificate(problem: Problem, examination: Examination, judge: Judge) -> str:
    """The verdict of the complete system, which must not contradict the pipeline's.

    Raises:
        InternalError: It does.
    """
    from shapesmt.system import UNKNOWN, certify

    deadline = judge.deadline
    verdict = deadline.attempt(lambda: certify(complete_system(problem), deadline), UNKNOWN).verdict
    refuted = any(j.verdict in (Verdict.DEPENDS, Verdict.FAILS) for j in examination.judgements)
    proved = not examination.judgements
    if (verdict == "PROVED" and refuted) or (verdict == "REFUTED" and proved):
        raise InternalError(f"presolve says {examination.verdict}, the complete system says {verdict}")
    return verdict


def complete_system(problem: Problem) -> Encoding:
    """The constraints of all nodes of a problem, with the ranges of its inputs."""
    from shapesmt.system import encode

    encoding = encode(problem.graph, problem.inputs, problem.domain.facts, problem.assumed)
    look()  # of nodes that weren't looked at in time the system says nothing
    return encoding
