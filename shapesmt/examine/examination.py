"""Examination: the outcome of judging every node of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from shapesmt.algebra import Atom, Formula, Kind, Verdict, memo
from shapesmt.examine.narrowing import Narrowing
from shapesmt.examine.problem import Problem
from shapesmt.graph import Node
from shapesmt.inference import Inference
from shapesmt.presolve import Decision, Domain, remembered
from shapesmt.report import Counts
from shapesmt.rules import Requirement, Unjudged

_NARROWED: dict[Hashable, Domain] = memo("narrowed domains", {})
Tally = Mapping[tuple[str, str], int]  # requirements by verdict and, where they are proved, certificate


@dataclass(frozen=True, eq=False)
class Judgement:
    """One node whose requirements aren't all proved: their joint condition and the decision on it.

    Attributes:
        domain: The inputs over which it was judged; the decision's counterexample is one of them.
        inference: The inference it was judged by, with sizes simplified by the conditions reported before.
    """

    index: int
    node: Node
    domain: Domain
    condition: Formula
    decision: Decision
    open: tuple[Requirement, ...]
    inference: Inference
    narrowing: Narrowing

    @property
    def verdict(self) -> Verdict:
        """How far the condition holds."""
        return self.decision.verdict


@dataclass(frozen=True, eq=False)
class Examination:
    """The outcome of judging a model.

    Attributes:
        domain: The inputs for which every condition reported as `DEPENDS` holds.
        inference: The tensors, their sizes simplified by those conditions.
        narrowing: Translates the symbols of `inference` back to the problem's own.
        original: The tensors over the problem's own symbols, before anything was reported.
        judgements: The nodes that aren't proved, in topological order.
        unjudged: What isn't judged, with the index of its node.
        counts: The requirements by verdict and, where they are proved, certificate.
        unreachable: The nodes that depend on one that runs for no input: their failures are its consequences.
        open: The nodes with a requirement that its normal form doesn't settle; of equal nodes only the first.
    """

    domain: Domain
    inference: Inference
    narrowing: Narrowing
    original: Inference
    judgements: tuple[Judgement, ...] = ()
    unjudged: tuple[tuple[int, Unjudged], ...] = ()
    unreachable: frozenset[int] = frozenset()
    open: tuple[int, ...] = ()
    counts: Tally = field(default_factory=dict)

    @cached_property
    def narrowed(self) -> Domain:
        """`domain` over the symbols of `inference`."""
        meanings = self.narrowing.meanings
        if not meanings:
            return self.domain
        about = tuple(meanings.items())
        return remembered(_NARROWED, self.domain, about, lambda: self.domain.replaced(meanings)).copy()

    @cached_property
    def rests_on(self) -> dict[int, set[int]]:
        """For each judged node those before it that run for some inputs only and that its own inputs come from."""
        conditional = {j.index for j in self.judgements if j.verdict is Verdict.DEPENDS}
        known: dict[int, set[int]] = {}
        for j in self.judgements:
            earlier = {index for index in conditional if index < j.index}
            known[j.index] = self.inference.graph.ancestors(j.index, earlier, known)
        return known

    @cached_property
    def doubtful(self) -> frozenset[int]:
        """The nodes that aren't judged, and those that need an output of one: their sizes are as if it ran."""
        nodes: set[int] = set()
        for index in (index for index, _ in self.unjudged if index not in nodes):
            nodes |= {index, *self.inference.graph.descendants(index)}
        return frozenset(nodes)

    @property
    def fails(self) -> bool:
        """Whether some node runs for no input at all."""
        return any(j.verdict is Verdict.FAILS for j in self.judgements)

    @property
    def decided(self) -> bool:
        """Whether every node was judged: each has a rule, and none ran out of time."""
        return not self.unjudged and all(j.verdict is not Verdict.UNKNOWN for j in self.judgements)

    @property
    def reported(self) -> list[tuple[int, Verdict]]:
        """The nodes that aren't proved, with their verdicts."""
        return [(j.index, j.verdict) for j in self.judgements]

    @property
    def verdict(self) -> Verdict:
        """The worst of the nodes'."""
        verdicts = [j.verdict for j in self.judgements]
        return Verdict.worst([*verdicts, Verdict.UNKNOWN] if self.unjudged else verdicts)

    @cached_property
    def iterations(self) -> frozenset[Atom]:
        """The iterations for each of which a condition has to hold that only some inputs meet."""
        conditions = [j.condition for j in self.judgements if j.verdict is Verdict.DEPENDS]
        return frozenset(s for c in conditions for s in c.symbols if s.kind is Kind.TRIP)

    def independent(self, symbols: Iterable[Atom]) -> bool:
        """Whether the data-dependent ones of these sizes can take their values in every combination."""
        return self.inference.scope.independent(s for s in symbols if s.by_data)

    def admissible(self, problem: Problem) -> Domain:
        """The inputs that the problem admits, with the facts about sizes that data decides."""
        domain = problem.domain.copy()
        for known in self.domain.limits:
            domain.limit(known)
        return domain

    def tally(self) -> Counts:
        """The requirements by verdict."""
        verdicts: Counter[str] = Counter()
        by: Counter[str] = Counter()
        for (verdict, how), number in self.counts.items():
            verdicts[verdict] += number
            by[how] += number if how else 0
        proved, depends, fails, unknown = (verdicts[v] for v in ("PROVED", "DEPENDS", "FAILS", "UNKNOWN"))
        shown = {how: number for how, number in sorted(by.items()) if number}
        return Counts(verdicts.total(), proved, depends, fails, unknown, shown)
