"""Kept: when a model runs at all sizes, from which verdicts at some sizes follow without examining the model again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from time import monotonic

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import Problem, Question, pinned, pose_problem
from shapesmt.base.errors import OutOfTimeError, ShapesmtError
from shapesmt.base.frozen import frozen
from shapesmt.frontends import ModelSource
from shapesmt.operators.rules import rewrite_tensor
from shapesmt.prover.algebra import Formula, Substitution, Verdict, all_of
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import SymbolRange

MOST = 8
"""The questions of a model, apart from ranges and relations, whose conditions are kept."""
PATIENCE = 2.0
"""Seconds in which conditions are found, or decided for other sizes."""


@frozen(eq=False)
class Conditions:
    """When a model runs.

    Attributes:
        problem: The inputs, without ranges and relations of the caller.
        runs: The condition under which every node runs, over the problem's symbols.
    """

    problem: Problem
    runs: Formula

    def verdict(self, problem: Problem, judge: Judge) -> Verdict | None:
        """Return the verdict on the inputs of another problem of the model; None if the conditions don't settle it."""
        change = self._translation(problem)
        if change is None:
            return None
        verdict = judge.decide(problem.domain, change.apply(self.runs)).verdict
        return None if verdict is Verdict.UNKNOWN else verdict

    def _translation(self, problem: Problem) -> Substitution | None:
        """Return the sizes of another problem in place of this one's; None if some input isn't one of these."""
        symbols = {}
        for name, r in self.problem.ranges.items():
            other, symbol = problem.ranges.get(name), self.problem.dims[name].as_symbol()
            if other is None or symbol is None or not _within(other, r):
                return None
            symbols[symbol] = problem.dims[name]
        change = Substitution(symbols)
        inputs = self.problem.inputs
        same = inputs.keys() == problem.inputs.keys()
        return (
            change if same and all(rewrite_tensor(inputs[n], change) is t for n, t in problem.inputs.items()) else None
        )


def _within(r: SymbolRange, other: SymbolRange) -> bool:
    """Whether all values of a range are values of another."""
    below = other.max is None or (r.max is not None and r.max <= other.max)
    in_step = (r.min - other.min) % other.step == 0 and (r.min == r.max or r.step % other.step == 0)
    return r.min >= other.min and below and in_step


def verdict_of(model: ModelSource, question: Question) -> Verdict:
    """Return whether a model runs for the inputs of a question, from the second question on by what is kept of it."""
    since = monotonic()
    known = _conditions(model, question)
    question = question.resumed(since)
    if known is not None:
        judge = Judge(question.deadline.within(PATIENCE))
        with suppress(OutOfTimeError):  # the question has more time than this
            verdict = known.verdict(pinned(pose_problem(known.problem.graph, question, judge), judge), judge)
            if verdict is not None:
                return verdict
    return analyse(model, question).examination.verdict


def _conditions(model: ModelSource, question: Question) -> Conditions | None:
    """Return when a model runs; None if that isn't kept yet (the first time), or can't be said of sizes alone."""
    free = replace(question, dims=None, assume=None, timeout=PATIENCE).again()
    asked = model.kept.get(free.poses, _NEW)
    if asked is _NEW:
        for oldest in [*model.kept][: max(0, len(model.kept) + 1 - MOST)]:
            model.kept.pop(oldest, None)
        model.kept[free.poses] = _ASKED
    if asked is not _ASKED:
        return asked if isinstance(asked, Conditions) else None
    model.kept[free.poses] = None  # until they are found, and if they aren't
    with suppress(ShapesmtError):  # the question makes sense with ranges only
        model.kept[free.poses] = found = _find_conditions(analyse(model, free))
        return found
    return None


_NEW, _ASKED = object(), object()


def _find_conditions(a: Analysis) -> Conditions | None:
    problem, examination = a.problem, a.examination
    runs = all_of(*(j.condition for j in examination.judgements))
    if not examination.decided or problem.ranks or not runs.symbols <= {*problem.domain.symbols}:
        return None
    return Conditions(problem, runs)
