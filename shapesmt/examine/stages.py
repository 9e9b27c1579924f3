"""The two stages of an analysis as every question takes them: a problem that some input satisfies, and every node."""

from __future__ import annotations

from shapesmt.deadline import Deadline, seconds
from shapesmt.errors import UsageError
from shapesmt.examine.examination import Examination
from shapesmt.examine.examine import examine
from shapesmt.examine.judge import Judge
from shapesmt.examine.problem import Problem, pose
from shapesmt.examine.question import Question
from shapesmt.graph import Graph

GRACE = 1.0  # seconds more for the ranges and relations, without which there is no answer


def posed(graph: Graph, question: Question, judge: Judge) -> Problem:
    """The problem that a question poses.

    Raises:
        UsageError: No input satisfies the ranges and relations, or they aren't understood.
    """
    deadline = Deadline(seconds(question.timeout) + GRACE)
    problem = deadline.require(lambda: pose(graph, question), "the ranges aren't looked through")
    if not judge.satisfiable(problem.domain):
        ranges = [f"{name} in {r.min}..{'' if r.max is None else r.max}" for name, r in problem.ranges.items()]
        raise UsageError(f"no admissible input: {', '.join([*ranges, *problem.assumptions])} contradict each other")
    return problem


def examined(problem: Problem, judge: Judge, *, trust: bool) -> tuple[Problem, Examination]:
    """Every node judged, and the problem over which it was.

    A symbol with one value is that number, with which more is decided. Where some node isn't proved, its name reads
    better in the report, and is kept if the verdicts are the same with it.
    """
    pinned = problem.pinned()
    examination = examine(pinned, judge, trust=trust)
    if pinned is not problem and examination.judgements:
        named = examine(problem, judge, trust=trust)
        if named.decided and named.reported == examination.reported:
            return problem, named
    return pinned, examination
