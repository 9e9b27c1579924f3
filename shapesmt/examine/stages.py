"""The first two stages of every analysis: pose a problem that some input satisfies, then decide every node."""

from __future__ import annotations

from shapesmt.deadline import Deadline, stage
from shapesmt.errors import UsageError
from shapesmt.examine.declarations import limit_ranks
from shapesmt.examine.examination import Examination
from shapesmt.examine.examine import examine
from shapesmt.examine.judge import Judge
from shapesmt.examine.problem import Problem, pose
from shapesmt.examine.question import Question
from shapesmt.graph import Graph

GRACE = 1.0  # additional seconds to read the ranges and relations, which every answer needs


@stage("ranges and relations")
def posed(graph: Graph, question: Question, judge: Judge) -> Problem:
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


def examined(problem: Problem, judge: Judge, *, trust: bool) -> tuple[Problem, Examination]:
    """Return the problem over the symbols that the examination uses, and the examination.

    A symbol with a single value is replaced by that number, so that more can be decided. If some node isn't proved,
    a report with the symbol's name is easier to read: the symbol stays if the verdicts are the same with it.
    """
    known = pinned(problem, judge)
    examination = examine(known, judge, trust=trust)
    if known is not problem and examination.judgements:
        named = examine(problem, judge, trust=trust)
        if named.decided and named.reported == examination.reported:
            return problem, named
    return known, examination


def pinned(problem: Problem, judge: Judge) -> Problem:
    """Return the problem with each symbol that has a single value replaced by that number."""
    while numbers := judge.numbers(problem.domain):
        problem = problem.at(numbers)
    return problem
