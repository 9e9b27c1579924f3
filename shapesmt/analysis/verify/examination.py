"""Examination: the verdict on every node of a model, with the inferences and the domains that it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field

from shapesmt.analysis.verify.narrowing import Narrowing
from shapesmt.analysis.verify.problem import Problem
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Node
from shapesmt.operators.inference import Inference, SessionGraph
from shapesmt.operators.rules import Requirement, Unjudged
from shapesmt.prover.algebra import Atom, Formula, Kind, Verdict, memo
from shapesmt.prover.presolve import Decision, Domain, compute_once
from shapesmt.reports.answers import Counts

_NARROWED: dict[Hashable, Domain] = memo("narrowed domains", {})
Tally = Mapping[tuple[str, str], int]  # number of requirements by verdict and certificate; "" unless proved


@frozen(eq=False)
class Judgement:
    """A node whose requirements aren't all proved, with their joint condition and the decision on it.

    Attributes:
        domain: The inputs over which the node was decided; the decision's counterexample is one of them.
        open: The requirements that normal forms don't prove.
        inference: The inference that states them, with sizes simplified by the conditions reported before.
        session: Whether the file's node runs, and the one that ONNX Runtime's default session runs isn't proved.
    """

    index: int
    node: Node
    domain: Domain
    condition: Formula
    decision: Decision
    open: tuple[Requirement, ...]
    inference: Inference
    narrowing: Narrowing
    session: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict on the condition."""
        return self.decision.verdict


@frozen(eq=False)
class Session:
    """ONNX Runtime's default session, where it may differ from the file's nodes.

    Attributes:
        graph: The graph that it runs.
        problem: That graph, over the inputs for which the file's nodes run.
        examination: The examination of that problem; None if no such input exists.
    """

    graph: SessionGraph
    problem: Problem
    examination: Examination | None


@frozen(eq=False)
class Examination:
    """The outcome of deciding every node of a model.

    Attributes:
        domain: The inputs for which every condition reported as `DEPENDS` holds.
        inference: The tensors, with sizes simplified by those conditions.
        narrowing: Translates the symbols of `inference` back to the problem's own.
        original: The tensors over the problem's own symbols, before anything was reported.
        judgements: The nodes that aren't proved, in topological order.
        unjudged: The nodes (also those inside others) left undecided, each with the index of its outermost node.
        unreachable: The nodes that depend on one that runs for no input: their failures are its consequences.
        open: The nodes with a requirement that its normal form doesn't prove; only the first of equal nodes.
        counts: The number of requirements by verdict and certificate.
        session: What the default session runs instead of the file's nodes; None if it runs the same, or isn't asked
            about.
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
    session: Session | None = None

    @cached_property
    def narrowed(self) -> Domain:
        """`domain` over the symbols of `inference`."""
        replacements = self.narrowing.replacements
        if not replacements:
            return self.domain
        about = tuple(replacements.items())
        return compute_once(_NARROWED, self.domain, about, lambda: self.domain.substitute(replacements)).copy()

    @cached_property
    def rests_on(self) -> dict[int, set[int]]:
        """For each node in `judgements`, the nodes upstream that run for some inputs only; all as indices."""
        conditional = {j.index for j in self.judgements if j.verdict is Verdict.DEPENDS}
        known: dict[int, set[int]] = {}
        for j in self.judgements:
            earlier = {index for index in conditional if index < j.index}
            known[j.index] = self.inference.graph.ancestors(j.index, earlier, known)
        return known

    @cached_property
    def doubtful(self) -> frozenset[int]:
        """The undecided nodes and all downstream of them, whose sizes assume that the undecided ones run."""
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
        """Whether every node was decided: each has a rule, and none ran out of time."""
        return not self.unjudged and all(j.verdict is not Verdict.UNKNOWN for j in self.judgements)

    @property
    def reported(self) -> list[tuple[int, Verdict]]:
        """The indices of the nodes that aren't proved, with their verdicts."""
        return [(j.index, j.verdict) for j in self.judgements]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of any node."""
        verdicts = [j.verdict for j in self.judgements]
        return Verdict.worst([*verdicts, Verdict.UNKNOWN] if self.unjudged else verdicts)

    @cached_property
    def iterations(self) -> frozenset[Atom]:
        """The symbols for loop iterations in the conditions that hold for some inputs only."""
        conditions = [j.condition for j in self.judgements if j.verdict is Verdict.DEPENDS]
        return frozenset(s for c in conditions for s in c.symbols if s.kind is Kind.ITERATION)

    def independent(self, symbols: Iterable[Atom]) -> bool:
        """Whether the data-dependent symbols among these can take their values in every combination."""
        return self.inference.scope.independent(s for s in symbols if s.by_data)

    def tally(self) -> Counts:
        """Return the number of requirements by verdict and certificate."""
        verdicts: Counter[str] = Counter()
        by: Counter[str] = Counter()
        for (verdict, how), number in self.counts.items():
            verdicts[verdict] += number
            by[how] += number if how else 0
        proved, depends, fails, unknown = (verdicts[v] for v in ("PROVED", "DEPENDS", "FAILS", "UNKNOWN"))
        shown = {how: number for how, number in sorted(by.items()) if number}
        return Counts(verdicts.total(), proved, depends, fails, unknown, shown)
