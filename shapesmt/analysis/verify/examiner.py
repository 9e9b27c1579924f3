"""Examine: decide every node's requirements in order.

Nodes are decided in topological order, over the inputs that satisfy every condition reported so far. A condition that
holds for some inputs is reported once and assumed from there on. If a condition holds for no input, it is reported,
and the downstream nodes count as unreachable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from operator import itemgetter

from shapesmt.analysis.verify.examination import Examination, Judgement, Tally
from shapesmt.analysis.verify.narrowing import Narrowing, narrowing_to
from shapesmt.analysis.verify.problem import Problem
from shapesmt.base.deadline import limit, look, stage
from shapesmt.network.graph import GUARDS
from shapesmt.operators.inference import Inference, infer, out_of_time, start
from shapesmt.operators.rules import Application, Requirement, Tensor, Unjudged, tensor
from shapesmt.prover.algebra import (
    FLOOR_DIVISION,
    SYMBOL,
    TRUE,
    Formula,
    Kind,
    Verdict,
    all_of,
    atoms_within,
    name_text,
    negate,
    resolve,
    symbol,
)
from shapesmt.prover.judge import Judge

SHALLOW = 6  # the maximum depth of a condition for which it is tried whether a narrowing settles it
LOOKAHEAD = 64  # nodes inferred at a time after the symbols were narrowed; doubled at each further step


def examine(problem: Problem, judge: Judge, *, trust: bool = False, narrow: bool = False) -> Examination:
    """Decide every node in turn; nodes with the same application share one judgement.

    If a reported condition narrows a symbol (`h` is a multiple of 16, `total == past + seq`), inference is run
    again with the narrower symbol, which simplifies the sizes downstream. With `trust`, a tensor of unknown rank
    has the shape that the file declares. With `narrow`, facts of the problem's domain narrow symbols from the start.
    """
    examiner = _Examiner(problem, judge, shape_claims(problem) if trust else {})
    if narrow:
        examiner.narrow_first()
    examiner.judge_ranks()
    examiner.judge_nodes()
    return examiner.examination()


def shape_claims(problem: Problem) -> dict[str, Tensor]:
    """Return the shapes that the file declares, over the problem's symbols.

    A size that is neither one of the symbols nor a formula over them gets a new symbol.
    """
    claims, known = {}, {**problem.stated_sizes, **problem.dims}
    for name, declared in problem.graph.declared.items():
        if declared.shape is not None and declared.kind == "tensor":
            dims = [
                d if isinstance(d, int) else known.get(d or "", symbol(d or f"{name}[{i}]", kind=Kind.DATA))
                for i, d in enumerate(declared.shape)
            ]
            claims[name] = tensor(declared.dtype, dims)
    return claims


def is_open(r: Requirement) -> bool:
    """Whether a requirement is about an unknown rank, or about a size that inference can't compute."""
    return any(s.kind in (Kind.OPEN, Kind.LOST) for s in r.formula.symbols)


def is_plain(condition: Formula) -> bool:
    """Whether a condition is only about one symbol and its quotients by numbers, so that it can't be simplified."""
    about_one = len(condition.symbols) == 1 and condition.dim is not None
    return about_one and all(a.op in (SYMBOL, FLOOR_DIVISION) for a in atoms_within(condition))


@stage("shapes, node by node")
def _infer(problem: Problem, judge: Judge, claims: Mapping[str, Tensor]) -> Inference:
    """Return the inference as far as it gets before the deadline; the nodes after that are marked as out of time."""
    graph, inputs = problem.graph, problem.inputs

    def whole() -> Inference:
        return infer(graph, inputs, claims=claims) if claims else problem.inference

    inference = judge.deadline.attempt(whole, None)
    if inference is not None:
        return inference
    partial_inference = start(graph, inputs, claims=claims)
    with limit(judge.deadline):
        partial_inference.advance()
    return partial_inference


class _Examiner:
    """The state of an examination while nodes are decided; `examination` returns the outcome."""

    def __init__(self, problem: Problem, judge: Judge, claims: Mapping[str, Tensor]) -> None:
        self._problem, self._judge, self._claims = problem, judge, claims
        self._inference = self._original = _infer(problem, judge, claims)
        self._domain = problem.domain.copy()
        self._narrowing = Narrowing({})
        self._judgements: list[Judgement] = []
        self._unjudged: list[tuple[int, Unjudged]] = []
        self._unreachable: set[int] = set()
        self._open: list[int] = []
        self._counts: Counter[tuple[str, str]] = Counter()
        self._behind: Narrowing | None = None  # by the reported conditions; None if `_inference` uses it

    def examination(self) -> Examination:
        """Return the outcome so far."""
        return Examination(
            self._domain,
            self._inference,
            self._narrowing,
            self._original,
            tuple(self._judgements),
            tuple(self._unjudged),
            frozenset(self._unreachable),
            tuple(self._open),
            dict(self._counts),
        )

    def narrow_first(self) -> None:
        """Infer the sizes with the symbols as the domain's facts narrow them, before any node is decided."""
        self._behind = self._judge.deadline.attempt(self._narrows, None)

    def judge_ranks(self) -> None:
        """Decide the requirements on unknown ranks first: all others are stated for tensors of those ranks."""
        for index, r in self._problem.assumed:
            once, _ = self._in_time(Application((), (r,)), index)
            self._count(once)
        for index, r in self._inference.assumed:
            self._leave_open(r, index)

    def judge_nodes(self) -> None:
        """Decide all nodes; if a condition narrows the symbols, run inference again for the nodes after it."""
        count = len(self._problem.graph.nodes)
        done, ahead = 0, count
        while done < count or self._behind:
            end = min(done + ahead, count)
            with limit(self._judge.deadline), stage("shapes, node by node"):
                self._inference.advance(max(0, end - len(self._inference.applications)))
            done, ahead = self._judge_until(done, end), 2 * ahead
            if self._behind and (done < end or done == count):
                self._behind = None
                if self._judge.deadline.attempt(partial(self._narrow, done), False):
                    ahead = LOOKAHEAD

    def _judge_until(self, first: int, end: int) -> int:
        """Decide the nodes from `first` on, and return the index of the first that is left.

        That is `end` or, if a condition narrowed the symbols, the next node for which this makes a difference.
        """
        applications = self._inference.applications[first:end]
        places = dict(zip(reversed(applications), range(end - 1, first - 1, -1), strict=True))
        tallies: dict[Application, tuple[Tally, Tally]] = {}
        for application, index in sorted(places.items(), key=itemgetter(1)):
            if application.unjudged or application.facts or application.requirements:
                if self._behind and not self._can_wait(application, self._behind):
                    end = index
                    break
                known = len(self._judgements)
                tallies[application] = self._in_time(application, index)
                if len(self._judgements) > known:
                    self._behind = self._judge.deadline.attempt(self._narrows, None)
        for application, times in Counter(applications[: end - first]).items():
            once, again = tallies.get(application, ({}, {}))
            self._count(once)
            self._count(again, times - 1)
        return end

    def _count(self, tally: Tally, times: int = 1) -> None:
        for key, number in tally.items():
            self._counts[key] += number * times

    def _narrows(self) -> Narrowing | None:
        """Return the narrowing by the reported conditions; None if the inference uses it already."""
        replacements = self._domain.narrowing()
        return narrowing_to(replacements) if replacements != self._narrowing.replacements else None

    def _can_wait(self, application: Application, ahead: Narrowing) -> bool:
        """Whether a node can be decided now: to infer its sizes again with the narrowing `ahead` changes nothing."""
        formulas = (self._narrowing.back(r.formula) for r in application.requirements)
        return (
            ahead.only_ranges
            and not application.unjudged
            and not application.facts
            and all(
                is_plain(part) or (part.depth <= SHALLOW and ahead.settles(part))
                for f in formulas
                for part in f.conjuncts
            )
        )

    @stage("shapes again, with the sizes that run")
    def _narrow(self, done: int) -> bool:
        """Run inference again with the narrowed symbols, up to the nodes that are done."""
        narrowing = narrowing_to(self._domain.narrowing())
        inputs = {name: narrowing.tensor(t) for name, t in self._problem.inputs.items()}
        known = self._original.scope.named
        ranks = self._inference.ranks
        inference = start(self._problem.graph, inputs, claims=self._claims, ranks=ranks, sizes=known)
        inference.advance(done)
        look()
        self._narrowing, self._inference = narrowing, inference
        for earlier in inference.applications:
            self._limit(earlier)
        return True

    def _limit(self, application: Application) -> None:
        """Add a node's facts about data-dependent sizes (`count <= n`) to the domain."""
        for fact in application.facts:
            self._domain.limit(self._narrowing.back(fact))

    def _in_time(self, application: Application, index: int) -> tuple[Tally, Tally]:
        """Return the tallies of one node (see `_judge_requirements`), or record that the time ran out."""
        if not application.facts and all(r.formula is TRUE for r in application.requirements):
            return self._judge_node(application, index)
        known = len(self._unjudged)
        judged = self._judge.deadline.attempt(lambda: self._judge_node(application, index), None)
        if judged is not None:
            return judged
        if len(self._unjudged) == known:
            self._unjudged += [(index, u) for u in out_of_time(self._inference.graph.nodes[index]).unjudged]
        unknown = {("UNKNOWN", ""): len(application.requirements)}
        return unknown, unknown

    def _judge_node(self, application: Application, index: int) -> tuple[Tally, Tally]:
        """Return a node's tallies; record its undecided inner nodes, except any that only failing inputs reach."""
        known = len(self._unjudged)
        self._unjudged.extend((index, u) for u in application.unjudged if self._is_reachable(u))
        tallies = self._judge_requirements(application, index)
        self._unjudged[known:] = [(i, u) for i, u in self._unjudged[known:] if self._is_reachable(u)]
        if self._inference.graph.nodes[index].op == GUARDS:
            self._guard(application)
        return tallies

    def _guard(self, application: Application) -> None:
        """Drop the undecided inner nodes that are reached only by inputs that the program's guards refuse."""
        passed = self._problem.domain.copy()
        passed.assume(all_of(*(self._narrowing.requirement(r).formula for r in application.requirements)))
        self._unjudged = [
            (i, u)
            for i, u in self._unjudged
            if u.branch is TRUE or not self._judge.proves(passed, negate(self._narrowing.back(u.branch)))
        ]

    def _judge_requirements(self, application: Application, index: int) -> tuple[Tally, Tally]:
        """Return the tally of a node's requirements, and the tally for each further node with the same application."""
        self._limit(application)
        pending = tuple(self._narrowing.requirement(r) for r in application.requirements if r.formula is not TRUE)
        if self._behind:
            pending = tuple(r for r in pending if not self._behind.settles(r.formula))
        tally = {("PROVED", "normal form"): len(application.requirements) - len(pending)}
        if not pending:
            return tally, tally
        self._open.append(index)
        if index in self._unreachable:
            tally["FAILS", ""] = len(pending)
            return tally, tally
        for r in filter(is_open, pending):
            self._leave_open(r, index)
        pending = tuple(r for r in pending if not is_open(r))
        return self._judge_pending(pending, index, tally) if pending else (tally, tally)

    def _judge_pending(
        self, pending: tuple[Requirement, ...], index: int, settled: dict[tuple[str, str], int]
    ) -> tuple[Tally, Tally]:
        """Return both tallies of a node whose `pending` requirements need a decision; `settled` counts the others."""
        each = [self._judge.decide(self._domain, r.formula) for r in pending]
        once = Counter(settled)
        once.update(("PROVED", alone.by) for alone in each if alone.verdict is Verdict.PROVED)
        left = [r for r, alone in zip(pending, each, strict=True) if alone.verdict is not Verdict.PROVED]
        condition = resolve(all_of(*(r.formula for r in left)))
        decision = self._judge.decide(self._domain, condition)
        if decision.verdict is Verdict.PROVED:
            once.update(("PROVED", decision.by) for _ in left)
            return once, once
        decision = decision._replace(counterexample=self._judge.complete(self._domain, decision.counterexample))
        node, verdict = self._inference.graph.nodes[index], decision.verdict
        self._judgements.append(
            Judgement(index, node, self._domain.copy(), condition, decision, pending, self._inference, self._narrowing)
        )
        once[str(verdict), ""] += len(left)
        if verdict is Verdict.DEPENDS:
            self._judge.assume(self._domain, condition)
            return once, {**settled, ("PROVED", "assumed"): len(pending)}
        if verdict is Verdict.FAILS:
            self._unreachable |= self._inference.graph.descendants(index)
        return once, {**settled, (str(verdict), ""): len(pending)}

    def _is_reachable(self, u: Unjudged) -> bool:
        """Whether some input may reach the undecided inner node."""
        return u.branch is TRUE or not self._judge.proves(self._domain, negate(self._narrowing.back(u.branch)))

    def _leave_open(self, requirement: Requirement, index: int) -> None:
        """Assume a requirement on an unknown rank or size; record, once per inner node, why the node is undecided."""
        if not any(i == index and u.path == requirement.within for i, u in self._unjudged):
            op = self._inference.graph.nodes[index].op
            names = sorted(name_text(s.name) for s in requirement.formula.symbols if s.kind is Kind.LOST)
            note = f"it is about {names[0]}, a size that isn't tracked" if names else ""
            unjudged = Unjudged(requirement.within, op, "elements" if names else "rank", str(requirement.law), note)
            self._unjudged.append((index, unjudged))
        self._domain.assume(requirement.formula)
