"""Examined: a problem posed and every node examined; both stay together, with the judge that decided, in one value."""

from __future__ import annotations

import time
from dataclasses import field

from shapesmt.analysis.verify.declarations import limit_ranks
from shapesmt.analysis.verify.examination import Examination
from shapesmt.analysis.verify.examiner import examine
from shapesmt.analysis.verify.problem import Problem, pose
from shapesmt.analysis.verify.question import Question
from shapesmt.base.deadline import Deadline, stage
from shapesmt.base.errors import UsageError
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Graph
from shapesmt.prover.algebra import Verdict
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain

GRACE = 1.0  # additional seconds to read the ranges and relations, which every answer needs


@frozen(eq=False)
class Examined:
    """A problem, its examination, and the judge that decided it.

    Attributes:
        started: When the model was read, by `perf_counter()`; by default, when this was made.
    """

    problem: Problem
    examination: Examination
    judge: Judge
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """The seconds since `started`."""
        return time.perf_counter() - self.started

    @property
    def fails(self) -> bool:
        """Whether some admissible input is known to fail."""
        return self.examination.verdict in (Verdict.DEPENDS, Verdict.FAILS)

    def admissible(self) -> Domain:
        """Return the problem's domain, with the facts about data-dependent sizes added."""
        domain = self.problem.domain.copy()
        for known in self.examination.domain.limits:
            domain.limit(known)
        return domain


@stage("ranges and relations")
def pose_problem(graph: Graph, question: Question, judge: Judge) -> Problem:
    """Return the problem that a question poses.

    Raises:
        UsageError: No input satisfies the ranges and relations, one of them is invalid, or an input has too many
            dimensions.
    """
    limit_ranks(graph, question.shapes or {})
    deadline = Deadline(judge.deadline.remaining + GRACE)
    problem = deadline.require(lambda: pose(graph, question), "the ranges aren't looked through")
    if not judge.satisfiable(problem.domain):
        ranges = [f"{name} in {r.min}..{'' if r.max is None else r.max}" for name, r in problem.ranges.items()]
        raise UsageError(f"no admissible input: {', '.join([*ranges, *problem.assumptions])} contradict each other")
    return problem


def examine_problem(problem: Problem, judge: Judge, *, trust: bool) -> Examined:
    """Examine a problem, over the symbols in which a report is to be told.

    A symbol with a single value is replaced by that number, so that more can be decided. If some node isn't proved,
    a report with the symbol's name is easier to read: the symbol stays if the verdicts are the same with it.
    """
    known = pinned(problem, judge)
    examination = examine(known, judge, trust=trust)
    if known is not problem and examination.judgements:
        named = examine(problem, judge, trust=trust)
        if named.decided and named.reported == examination.reported:
            return Examined(problem, named, judge)
    return Examined(known, examination, judge)


def pinned(problem: Problem, judge: Judge) -> Problem:
    """Return the problem with each symbol that has a single value replaced by that number."""
    while numbers := judge.numbers(problem.domain):
        problem = problem.at(numbers)
    return problem
