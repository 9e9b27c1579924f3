"""Analysis: a model examined for a question; each part of the answers is found when it is first read, and once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from shapesmt.analysis import diagnose, verify
from shapesmt.analysis.verify import NO_OPTIONS, SESSIONS, Claims, Examined, Question
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.frontends import Model, ModelSource, load
from shapesmt.prover.algebra import Verdict, memo
from shapesmt.prover.judge import Judge
from shapesmt.reports import answers

if TYPE_CHECKING:
    from shapesmt.analysis.samples import Samples


@frozen(eq=False)
class Analysis(Examined):
    """An examined model with the parts of its answers.

    Attributes:
        question: The question that was asked.
    """

    question: Question = NO_OPTIONS

    def within(self, seconds: float) -> Analysis:
        """Return this analysis, whose parts are found in `seconds` of processor time or stay incomplete."""
        return replace(self, judge=self.judge.within(seconds))

    @cached_property
    def findings(self) -> tuple[answers.Finding, ...]:
        """The findings about nodes that aren't proved, the gravest first."""
        return diagnose.findings_of(self)

    @cached_property
    def samples(self) -> tuple[answers.SampleAnswer, ...]:
        """Whether the samples stay apart that the question asks about."""
        return tuple(samples.answer() for samples in self._samples)

    @cached_property
    def sample_findings(self) -> tuple[answers.Finding, ...]:
        """The findings about nodes that mix samples."""
        return tuple(f for samples in self._samples for f in diagnose.sample_findings(samples))

    @cached_property
    def _samples(self) -> list[Samples]:
        names = tuple(self.question.samples)
        return diagnose.samples_asked(self, names) if names else []

    @cached_property
    def region(self) -> answers.Precondition:
        """The condition on inputs under which every node runs."""
        return diagnose.precondition(self)

    @cached_property
    def remedy(self) -> answers.Remedy | None:
        """The ranges and relations with which the model is proved; None if none are known."""
        found = diagnose.find_remedy(self, self.region)
        apart = all(answer.verdict is Verdict.PROVED for answer in self.samples)
        return found if found is None or apart or self._keeps_apart(found) else None

    def _keeps_apart(self, remedy: answers.Remedy) -> bool:
        """Whether the samples that the question asks about stay apart with a remedy."""
        asked, dims = self.question, {**(self.question.dims or {}), **remedy.dims}
        narrower = replace(asked, dims=dims, assume=(*(asked.assume or ()), *remedy.assume))
        return all(answer.verdict is Verdict.PROVED for answer in _analyse(self.problem.graph, narrower).samples)

    @cached_property
    def contradictions(self) -> tuple[tuple[str, answers.Finding], ...]:
        """The tensors whose declared shape is wrong, each with its finding; () if the question isn't about them."""
        return diagnose.declarations(self, names_agree=True) if self.question.claims is Claims.CHECK else ()

    @cached_property
    def static(self) -> tuple[answers.StaticAxis, ...]:
        """The sizes that were to vary at export but are numbers, as far as they are found in a short time."""
        return diagnose.hurried_static_axes(self.problem.graph, self.judge)

    @cached_property
    def warnings(self) -> tuple[answers.ModelWarning, ...]:
        """The warnings of all kinds."""
        found = diagnose.model_warnings(self, self.contradictions, self.static)
        asked = bool(tuple(self.question.samples))  # then findings are about samples that are mixed
        return tuple([w for w in found if not (asked and isinstance(w.told["text"], answers.facts.Reshaped))])

    @cached_property
    def guarded(self) -> answers.Guarded | None:
        """The inputs that a program's guards refuse although its nodes run for them; None if there are none."""
        return diagnose.guard_region(self)

    @cached_property
    def sizes(self) -> Mapping[str, answers.TensorBounds]:
        """The bounds of all tensors."""
        return verify.tensor_bounds(self)

    @cached_property
    def bounds(self) -> answers.Bounds:
        """The answer of `bounds` about all tensors."""
        return self.bounds_of(None)

    def bounds_of(self, names: Iterable[str] | None) -> answers.Bounds:
        """Return the bounds of the named tensors (None: of all), or none if no input is valid."""
        problem, examination, judge = self.problem, self.examination, self.judge
        valid = judge.satisfiable(examination.domain) and not examination.fails
        tensors = {} if not valid else self.sizes if names is None else verify.tensor_bounds(self, names)
        share = judge.deadline.attempt(lambda: verify.valid_share(self), None)
        about = problem.graph.source, problem.ranges, tensors, self.seconds, valid, problem.assumptions
        return answers.Bounds(*about, examination.verdict, share, diagnose.stated_of(self))


_LATEST: dict[str, tuple[ModelSource, Analysis]] = memo("the latest analysis", {})


def analyse(model: Model, question: Question) -> Analysis:
    """Read the model, pose the problem and examine every node: the stages that all questions share.

    The latest analysis of a `ModelSource` is kept: questions after one another about the same inputs examine once.
    """
    for source, a in [*_LATEST.values()]:
        if source is model and a.question.poses == question.poses:
            return replace(a, judge=Judge(question.deadline), started=time.perf_counter(), question=question)
    a = _analyse(model, question)
    if isinstance(model, ModelSource) and not a.judge.deadline.expired:
        _LATEST["latest"] = model, a
    return a


def _analyse(model: Model, question: Question) -> Analysis:
    graph = question.read(lambda: load(model))
    started, claims, judge = time.perf_counter(), question.claims, Judge(question.deadline)
    problem = verify.pose_problem(graph, question, judge)
    found = verify.examine_problem(problem, judge, trust=claims is Claims.TRUST)
    examination = verify.examine_session(found) if question.session == SESSIONS[0] else found.examination
    return Analysis(found.problem, examination, judge, started, question)
