"""Analysis: the stages that all questions share, from the file to the examination of every node."""

from __future__ import annotations

import time
from dataclasses import dataclass

from shapesmt.algebra import Verdict
from shapesmt.examine.examination import Examination
from shapesmt.examine.judge import Judge
from shapesmt.examine.problem import Problem
from shapesmt.examine.question import Claims, Question
from shapesmt.examine.stages import examined, posed
from shapesmt.frontends import Model, load


@dataclass(frozen=True, eq=False)
class Analysis:
    """The problem and the examination of a model, from the stages that all questions share."""

    problem: Problem
    examination: Examination
    judge: Judge
    started: float

    @property
    def seconds(self) -> float:
        """The time since the model was read."""
        return time.perf_counter() - self.started

    @property
    def fails(self) -> bool:
        """Whether some admissible input is known to fail."""
        return self.examination.verdict in (Verdict.DEPENDS, Verdict.FAILS)


def analysed(model: Model, question: Question) -> Analysis:
    """Read the model, pose the problem and examine every node: the stages that all questions share."""
    graph = question.read(lambda: load(model))
    started, claims, judge = time.perf_counter(), question.claims, Judge(question.deadline)
    problem = posed(graph, question, judge)
    problem, examination = examined(problem, judge, trust=claims is Claims.TRUST)
    return Analysis(problem, examination, judge, started)
