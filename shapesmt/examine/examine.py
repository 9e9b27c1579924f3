"""Examine: judge every node's requirements in order.

Nodes are judged in topological order over the inputs for which everything reported before holds: a condition
that holds for some inputs is reported once and assumed from there on, one that holds for none is reported and
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import itemgetter

from shapesmt.algebra import (
    TRUE,
    Atom,
    Dim,
    Formula,
    Kind,
    Substitution,
    Verdict,
    all_of,
    name_text,
    negate,
    of_atom,
    resolved,
    symbol,
)
from shapesmt.deadline import limit, look
from shapesmt.examine.judge import Judge
from shapesmt.examine.problem import Problem
from shapesmt.graph import Node
from shapesmt.inference import Inference, infer, out_of_time, start
from shapesmt.presolve import Decision, Domain
from shapesmt.report import Counts
from shapesmt.rules import Application, Requirement, Tensor, Unjudged, rewritten, tensor

LOOKAHEAD = 64  # nodes inferred at first after the symbols were narrowed; then twice as many each time
Tally = Mapping[tuple[str, str], int]  # requirements by verdict and, where they are proved, certificate


@dataclass(frozen=True, eq=False)
class Judgement:
    """One node whose requirements aren't all proved: their joint condition and what was decided of it.

    Attributes:
        domain: The inputs over which it was judged; the decision's counterexample is one of them.
        inference: The sizes as they were then, simplified by what had been reported before.
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


@dataclass(eq=False)
class Examination:
    """What judging a model gave.

    Attributes:
        domain: The inputs for which every condition reported as `DEPENDS` holds.
        inference: The tensors, their sizes simplified by what those conditions say.
        narrowing: The way back from the symbols of `inference` to the problem's own.
        original: The tensors over the problem's own symbols, before anything was reported.
        judgements: The nodes that aren't proved, in topological order.
        unjudged: What nothing is said of, each with the index of its node.
        counts: The requirements by verdict and, where they are proved, certificate.
        unreachable: The nodes behind one that runs for no input: their failures are its consequences.
        open: The nodes with a requirement that its normal form doesn't settle; of equal ones the first.
    """

    domain: Domain
    inference: Inference
    narrowing: Narrowing
    original: Inference
    judgements: list[Judgement] = field(default_factory=list)
    unjudged: list[tuple[int, Unjudged]] = field(default_factory=list)
    unreachable: set[int] = field(default_factory=set)
    open: list[int] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @cached_property
    def narrowed(self) -> Domain:
        """`domain` over the symbols of `inference`."""
        return self.domain.replaced(self.narrowing.meanings)

    def narrows(self) -> bool:
        """Whether what was reported says more of single symbols than `inference` knows."""
        return self.domain.narrowing() != self.narrowing.meanings

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

    def independent(self, symbols: Iterable[Atom]) -> bool:
        """Whether those of the sizes that data decides take each of their values, whatever the others are."""
        return self.inference.scope.independent(s for s in symbols if s.by_data)

    def admissible(self, problem: Problem) -> Domain:
        """The inputs that the problem admits, with what is known of the sizes that data decides."""
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


def examine(problem: Problem, judge: Judge, *, trust: bool = False) -> Examination:
    """Every node judged in turn; nodes with the same application share one judgement.

    What a reported condition says of single symbols (a narrower range, an equality) goes back into inference, so
    that the sizes further down are as simple as they are where the model runs. With `trust`, a tensor of unknown
    rank has the shape that the file claims.
    """
    claims = claimed(problem) if trust else {}
    inference = _inferred(problem, judge, claims)
    found = Examination(problem.domain.copy(), inference, Narrowing({}), inference)
    _examine_ranks(problem, found, judge)
    done, ahead = 0, len(problem.graph.nodes)
    while done < len(problem.graph.nodes):
        reached = min(done + ahead, len(problem.graph.nodes))
        with limit(judge.deadline):
            found.inference.advance(max(0, reached - len(found.inference.applications)))
        stopped = _examine_nodes(done, reached, found, judge)
        done, ahead = stopped or reached, 2 * ahead
        if stopped is not None and judge.deadline.attempt(partial(_narrow, problem, claims, done, found), False):
            ahead = LOOKAHEAD
    return found


def _inferred(problem: Problem, judge: Judge, claims: Mapping[str, Tensor]) -> Inference:
    """What inference finds in the time given; of the nodes behind that, that there was none for them."""
    found = judge.deadline.attempt(lambda: infer(problem.graph, problem.inputs, claims=claims), None)
    if found is None:
        found = start(problem.graph, problem.inputs, claims=claims)
        with limit(judge.deadline):
            found.advance()
    return found


def _narrow(problem: Problem, claims: Mapping[str, Tensor], done: int, found: Examination) -> bool:
    """Begin inference again with what the reported conditions leave of the symbols, up to the nodes that are done."""
    narrowing = Narrowing(found.domain.narrowing())
    inputs = {name: narrowing.tensor(t) for name, t in problem.inputs.items()}
    known = found.original.scope.named
    inference = start(problem.graph, inputs, claims=claims, ranks=found.inference.ranks, sizes=known)
    inference.advance(done)
    look()
    found.narrowing, found.inference = narrowing, inference
    for earlier in inference.applications:
        _limit(earlier, found)
    return True


def _examine_ranks(problem: Problem, found: Examination, judge: Judge) -> None:
    """Judge first what nodes need of unknown ranks: all the rest is about tensors that have them."""
    for index, r in problem.assumed:
        once, _ = _in_time(Application((), (r,)), index, found, judge)
        for key, number in once.items():
            found.counts[key] += number
    for index, r in found.inference.assumed:
        _leave_open(r, index, found)


def _leave_open(r: Requirement, index: int, found: Examination) -> None:
    """Take what a node needs of something unknown as given; the node is left undecided, for one reason."""
    if not any(i == index and u.path == r.within for i, u in found.unjudged):
        op = found.inference.graph.nodes[index].op
        names = sorted(name_text(s.name) for s in r.formula.symbols if s.kind is Kind.LOST)
        note = f"it is about {names[0]}, a size that isn't followed" if names else ""
        found.unjudged.append((index, Unjudged(r.within, op, "elements" if names else "rank", str(r.law), note)))
    found.domain.assume(r.formula)


def claimed(problem: Problem) -> dict[str, Tensor]:
    """The shapes that the file claims, over the problem's symbols; a size of its own where it names none of them."""
    claims = {}
    for name, declared in problem.graph.declared.items():
        if declared.shape is not None and declared.kind == "tensor":
            dims = [
                d if isinstance(d, int) else problem.dims.get(d or "", symbol(d or f"{name}[{i}]", kind=Kind.DATA))
                for i, d in enumerate(declared.shape)
            ]
            claims[name] = tensor(declared.dtype, dims)
    return claims


class Narrowing:
    """Symbols replaced by what the reported conditions leave of them, and the way back."""

    def __init__(self, meanings: Mapping[Atom, Dim]) -> None:
        self.meanings = meanings
        self._forth = Substitution(meanings)
        twins = {a.as_symbol(): of_atom(s) for s, a in meanings.items()}
        self._back = Substitution({twin: s for twin, s in twins.items() if twin is not None})

    def tensor(self, t: Tensor) -> Tensor:
        """An input tensor over the narrowed symbols."""
        if t.shape is None:
            return t if t.ndim is None else tensor(t.dtype, None, ndim=self._forth.apply(t.ndim))
        return rewritten(t, self._forth)

    def narrowed(self, sizes: Iterable[Dim]) -> list[Dim]:
        """Sizes over the narrowed symbols."""
        return [self._forth.apply(d) for d in sizes]

    def values(self, values: Mapping[Atom, int]) -> dict[Atom, int]:
        """An assignment, over the narrowed symbols as well."""
        twins = {a.as_symbol(): values[s] for s, a in self.meanings.items() if s in values}
        return {**values, **{twin: value for twin, value in twins.items() if twin is not None}}

    def back(self, formula: Formula) -> Formula:
        """A condition over the problem's own symbols again."""
        original: Formula = self._back.apply(formula)
        return original

    def requirement(self, r: Requirement) -> Requirement:
        """A requirement over the problem's own symbols again."""
        left, right = (None if side is None else self._back.apply(side) for side in (r.left, r.right))
        return r._replace(formula=self.back(r.formula), left=left, right=right, given=self.back(r.given))


def _limit(application: Application, found: Examination) -> None:
    """Take in what is known of the sizes that data decides at a node."""
    for fact in application.facts:
        found.domain.limit(found.narrowing.back(fact))


def _examine_nodes(first: int, end: int, found: Examination, judge: Judge) -> int | None:
    """Judge the nodes from `first` to `end`; stops behind a node whose condition narrows the symbols."""
    applications = found.inference.applications[first:end]
    places = dict(zip(reversed(applications), range(end - 1, first - 1, -1), strict=True))
    tallies: dict[Application, tuple[Tally, Tally]] = {}
    stopped = None
    for application, index in sorted(places.items(), key=itemgetter(1)):
        if application.unjudged or application.facts or application.requirements:
            known = len(found.judgements)
            tallies[application] = _in_time(application, index, found, judge)
            if len(found.judgements) > known and judge.deadline.attempt(found.narrows, False):
                stopped = index + 1
                break
    for application, times in Counter(applications[: (stopped or end) - first]).items():
        once, again = tallies.get(application, ({}, {}))
        for key, number in once.items():
            found.counts[key] += number
        for key, number in again.items():
            found.counts[key] += number * (times - 1)
    return stopped


def _in_time(application: Application, index: int, found: Examination, judge: Judge) -> tuple[Tally, Tally]:
    """Judge one node, or say that there is no time for it."""
    if not application.facts and all(r.formula is TRUE for r in application.requirements):
        return _examine(application, index, found, judge)
    known = len(found.unjudged)
    judged = judge.deadline.attempt(lambda: _examine(application, index, found, judge), None)
    if judged is not None:
        return judged
    if len(found.unjudged) == known:
        found.unjudged += [(index, u) for u in out_of_time(found.inference.graph.nodes[index]).unjudged]
    unknown = {("UNKNOWN", ""): len(application.requirements)}
    return unknown, unknown


def _examine(application: Application, index: int, found: Examination, judge: Judge) -> tuple[Tally, Tally]:
    """Judge one node: how its requirements count, and how they do where the same application comes again."""
    found.unjudged.extend((index, u) for u in application.unjudged if _comes_to(u, found, judge))
    _limit(application, found)
    pending = tuple(found.narrowing.requirement(r) for r in application.requirements if r.formula is not TRUE)
    tally = {("PROVED", "normal form"): len(application.requirements) - len(pending)}
    if not pending:
        return tally, tally
    found.open.append(index)
    if index in found.unreachable:
        tally["FAILS", ""] = len(pending)
        return tally, tally
    if any(map(is_open, pending)):
        for r in filter(is_open, pending):
            _leave_open(r, index, found)
        pending = tuple(r for r in pending if not is_open(r))
    if not pending:
        return tally, tally
    condition = resolved(all_of(*(r.formula for r in pending)))
    decision = judge.decide(found.domain, condition)
    if decision.verdict is Verdict.PROVED:
        tally["PROVED", decision.by] = tally.get(("PROVED", decision.by), 0) + len(pending)
        return tally, tally
    decision = decision._replace(counterexample=judge.complete(found.domain, decision.counterexample))
    node, verdict = found.inference.graph.nodes[index], decision.verdict
    found.judgements.append(
        Judgement(index, node, found.domain.copy(), condition, decision, pending, found.inference, found.narrowing)
    )
    once = Counter(tally)
    for r in pending:
        alone = judge.decide(found.domain, r.formula)
        once[("PROVED", alone.by) if alone.verdict is Verdict.PROVED else (str(verdict), "")] += 1
    if verdict is Verdict.DEPENDS:
        found.domain.assume(condition)
        return once, {**tally, ("PROVED", "assumed"): len(pending)}
    if verdict is Verdict.FAILS:
        found.unreachable |= found.inference.graph.descendants(index)
    return once, {**tally, (str(verdict), ""): len(pending)}


def _comes_to(u: Unjudged, found: Examination, judge: Judge) -> bool:
    """Whether some input may get to a node."""
    return u.given is TRUE or not judge.proves(found.domain, negate(found.narrowing.back(u.given)))


def is_open(r: Requirement) -> bool:
    """Whether a requirement is about a tensor of which nothing is known."""
    return any(s.kind in (Kind.OPEN, Kind.LOST) for s in r.formula.symbols)
