"""Diagnose: judge every node's requirements in order, and say of each that isn't proved why, where and when.

Nodes are judged in topological order over the inputs for which everything reported before holds: a condition
that holds for some inputs is reported once and assumed from there on, one that holds for none is reported and
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

from shapesmt.causes import clash_causes, side_of
from shapesmt.context import Application, Unjudged
from shapesmt.dim import Atom, Dim, of_atom, symbol
from shapesmt.errors import ModelError, printable
from shapesmt.evaluate import Evaluator
from shapesmt.formula import FALSE, TRUE, Formula, all_of
from shapesmt.graph import Declared, Node
from shapesmt.infer import Inference, infer, start
from shapesmt.presolve import Decision, Domain
from shapesmt.problem import Problem
from shapesmt.region import Region, describe
from shapesmt.report import Clash, Counts, Finding, Precondition, Verdict
from shapesmt.requirement import Requirement
from shapesmt.rewrite import Replacer
from shapesmt.solve.judge import Judge
from shapesmt.tensor import Tensor, tensor

VERDICTS = {
    "always": Verdict.PROVED,
    "sometimes": Verdict.DEPENDS,
    "never": Verdict.FAILS,
    "unknown": Verdict.UNKNOWN,
}
LOOKAHEAD = 64  # nodes inferred at first after the symbols were narrowed; then twice as many each time
Tally = Mapping[tuple[str, str], int]  # requirements by verdict and, where they are proved, certificate
MAX_TRACED = 100  # findings of one report that come with their causes
NOWHERE = Region(("False",), True)
READABLE = 100  # characters of a condition that needs no shorter form


@dataclass(frozen=True, eq=False)
class Judgement:
    """One node whose requirements aren't all proved: their joint condition and what was decided of it.

    Attributes:
        domain: The inputs over which it was judged; the decision's counterexample is one of them.
    """

    index: int
    node: Node
    domain: Domain
    condition: Formula
    decision: Decision
    open: tuple[Requirement, ...]

    @property
    def verdict(self) -> Verdict:
        """How far the condition holds."""
        return VERDICTS[self.decision.holds]


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

    @property
    def fails(self) -> bool:
        """Whether some node runs for no input at all."""
        return any(j.verdict is Verdict.FAILS for j in self.judgements)

    @property
    def decided(self) -> bool:
        """Whether every node was judged: each has a rule, and none ran out of time."""
        return not self.unjudged and all(j.verdict is not Verdict.UNKNOWN for j in self.judgements)

    @property
    def verdict(self) -> Verdict:
        """The worst of the nodes'."""
        verdicts = [j.verdict for j in self.judgements]
        return Verdict.worst([*verdicts, Verdict.UNKNOWN] if self.unjudged else verdicts)

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
    inference = infer(problem.graph, problem.inputs, claims=claims)
    found = Examination(problem.domain.copy(), inference, Narrowing({}), inference)
    done, ahead = 0, len(problem.graph.nodes)
    while done < len(problem.graph.nodes):
        reached = min(done + ahead, len(problem.graph.nodes))
        found.inference.advance(max(0, reached - len(found.inference.applications)))
        stopped = _examine_nodes(done, reached, found, judge)
        done, ahead = stopped or reached, 2 * ahead
        if stopped is not None:
            found.narrowing, ahead = Narrowing(found.domain.narrowing()), LOOKAHEAD
            inputs = {name: found.narrowing.tensor(t) for name, t in problem.inputs.items()}
            found.inference = start(problem.graph, inputs, claims=claims)
            found.inference.advance(done)
            for earlier in found.inference.applications:
                _limit(earlier, found)
    return found


def claimed(problem: Problem) -> dict[str, Tensor]:
    """The shapes that the file claims, over the problem's symbols; a size of its own where it names none of them."""
    claims = {}
    for name, declared in problem.graph.declared.items():
        if declared.shape is not None and declared.kind == "tensor":
            dims = [
                d if isinstance(d, int) else problem.dims.get(d or "", symbol(d or f"{name}[{i}]", kind="data"))
                for i, d in enumerate(declared.shape)
            ]
            claims[name] = tensor(declared.dtype, dims)
    return claims


class Narrowing:
    """Symbols replaced by what the reported conditions leave of them, and the way back."""

    def __init__(self, meanings: Mapping[Atom, Dim]) -> None:
        self.meanings = meanings
        self._forth = Replacer(meanings)
        twins = {a.as_symbol(): of_atom(s) for s, a in meanings.items()}
        self._back = Replacer({twin: s for twin, s in twins.items() if twin is not None})

    def tensor(self, t: Tensor) -> Tensor:
        """An input tensor over the narrowed symbols."""
        return t if t.shape is None else tensor(t.dtype, [self._forth.apply(d) for d in t.shape])

    def back(self, formula: Formula) -> Formula:
        """A condition over the problem's own symbols again."""
        original: Formula = self._back.apply(formula)
        return original

    def requirement(self, r: Requirement) -> Requirement:
        """A requirement over the problem's own symbols again."""
        left, right = (None if side is None else self._back.apply(side) for side in (r.left, r.right))
        return r._replace(formula=self.back(r.formula), left=left, right=right)


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
            tallies[application] = _examine(application, index, found, judge)
            if len(found.judgements) > known and found.domain.narrowing() != found.narrowing.meanings:
                stopped = index + 1
                break
    for application, times in Counter(applications[: (stopped or end) - first]).items():
        once, again = tallies.get(application, ({}, {}))
        for key, number in once.items():
            found.counts[key] += number
        for key, number in again.items():
            found.counts[key] += number * (times - 1)
    return stopped


def _examine(application: Application, index: int, found: Examination, judge: Judge) -> tuple[Tally, Tally]:
    """Judge one node: how its requirements count, and how they do where the same application comes again."""
    found.unjudged.extend((index, u) for u in application.unjudged)
    _limit(application, found)
    pending = tuple(found.narrowing.requirement(r) for r in application.requirements if r.formula is not TRUE)
    tally = {("PROVED", "normal form"): len(application.requirements) - len(pending)}
    if not pending:
        return tally, tally
    found.open.append(index)
    if index in found.unreachable:
        tally["FAILS", ""] = len(pending)
        return tally, tally
    if any(map(_compares_data, pending)):
        kept = _without_comparisons(pending, found)
        tally["PROVED", "data taken to agree"] = len(pending) - len(kept)
        pending = kept
    condition = all_of(*(r.formula for r in pending))
    decision = judge.decide(found.domain, condition)
    if decision.holds == "always":
        tally["PROVED", decision.by] = tally.get(("PROVED", decision.by), 0) + len(pending)
        return tally, tally
    decision = decision._replace(counterexample=judge.complete(found.domain, decision.counterexample))
    node, verdict = found.inference.graph.nodes[index], VERDICTS[decision.holds]
    found.judgements.append(Judgement(index, node, found.domain.copy(), condition, decision, pending))
    once = Counter(tally)
    for r in pending:
        alone = judge.decide(found.domain, r.formula)
        once[("PROVED", alone.by) if alone.holds == "always" else (str(verdict), "")] += 1
    if verdict is Verdict.DEPENDS:
        found.domain.assume(condition)
        return once, {**tally, ("PROVED", "assumed"): len(pending)}
    if verdict is Verdict.FAILS:
        found.unreachable |= found.inference.graph.descendants(index)
    return once, {**tally, (str(verdict), ""): len(pending)}


def _compares_data(r: Requirement) -> bool:
    """Whether a requirement relates sizes that data decides in two places."""
    return sum(s.kind == "data" for s in r.formula.symbols) > 1


def _without_comparisons(pending: tuple[Requirement, ...], found: Examination) -> tuple[Requirement, ...]:
    """The requirements without those that relate sizes from two places where data decides, and may agree.

    How such sizes hang together isn't known (the count of a mask, and the sum of the same mask): as with an index
    whose value isn't known, the node is taken to be right.
    """
    kept = []
    for r in pending:
        decision = found.domain.decide(r.formula) if _compares_data(r) else Decision("always", "")
        if decision is None or decision.holds == "sometimes":
            found.domain.assume(r.formula)
        else:
            kept.append(r)
    return tuple(kept)


def findings(problem: Problem, examination: Examination, judge: Judge) -> tuple[Finding, ...]:
    """Every judgement, and every operator without a rule, as a finding."""
    made = [(j.index, _finding(j, problem, examination, judge)) for j in examination.judgements]
    for index, u in examination.unjudged:
        node = problem.graph.nodes[index]
        name = f"{node.name}/{u.path}" if u.path else node.name
        made.append((index, Finding(Verdict.UNKNOWN, u.kind, name, u.op, index, u.law, "", code=_code(u.kind))))
    return tuple(f for _, f in sorted(made, key=lambda m: m[0]))


MAX_SIZE = (1 << 63) - 1


def refuse(problem: Problem, examination: Examination, judge: Judge, *, types: bool = True) -> None:
    """Raise for the first node that no input can run (with `types`, also for its element types).

    Laws on which no shape depends are not looked at.

    Raises:
        ModelError: Naming the node, the law and the condition.
    """
    for name, declared in problem.graph.inputs.items():
        if not declared.dtype:
            raise ModelError(f"input '{printable(name)}' has no type")
    for j in examination.judgements:
        laws = [r for r in j.open if r.formula is FALSE] or j.open
        if j.verdict is Verdict.FAILS and any((types or not r.typed) and not r.limit for r in laws):
            f = _finding(j, problem, examination, judge)
            raise ModelError(f"node '{printable(f.node)}' ({f.op_type}) can't run: {f.law}: {printable(f.condition)}")
    for name, t in examination.inference.tensors.items():
        _refuse_tensor(f"tensor '{printable(name)}'", t, problem.graph.declared.get(name, Declared("", None)))


def _refuse_tensor(title: str, t: Tensor, declared: Declared) -> None:
    """Raise where a tensor contradicts its declared type or shape, or is larger than a file can say."""
    if declared.dtype and t.dtype not in ("", declared.dtype):
        raise ModelError(f"{title} has the declared type {declared.dtype}, it is {t.dtype}")
    sizes = [d.constant for d in t.shape or ()]
    if any(size is not None and size > MAX_SIZE for size in sizes):
        raise ModelError(f"{title} has the shape {list(t.dims)}: an overflow of 64 bits")
    if t.shape is None or declared.shape is None or declared.kind != "tensor":
        return
    numbers = [d if isinstance(d, int) else None for d in declared.shape]
    fits = len(sizes) == len(numbers) and all(
        a == b or a is None or b is None for a, b in zip(sizes, numbers, strict=True)
    )
    if not fits:
        shown = ", ".join("?" if d is None else str(d) for d in declared.shape)
        raise ModelError(f"{title} has the declared shape [{printable(shown)}], it is [{', '.join(map(str, t.shape))}]")


def precondition(problem: Problem, examination: Examination, judge: Judge) -> Precondition:
    """The inputs for which every node runs."""
    judged = examination.judgements
    if examination.fails:
        return Precondition(("False",), True)
    condition = all_of(*(j.condition for j in judged if j.verdict is Verdict.DEPENDS))
    if condition is TRUE:
        return Precondition((), examination.decided)
    region = describe(condition, problem.domain, judge.proves)
    return Precondition(region.text, region.exact and examination.decided)


def _finding(j: Judgement, problem: Problem, examination: Examination, judge: Judge) -> Finding:
    values = j.decision.counterexample
    broken = _first_broken(j, values)
    shown = None if values is None else problem.counterexample(values, broken.formula.symbols)
    region = _holds_iff(j, problem, examination, judge)
    evaluator = Evaluator(values) if values is not None else None
    sides = [s for s in (broken.left, broken.right) if s is not None]
    clash = Clash(side_of(sides[0], evaluator), side_of(sides[1], evaluator)) if len(sides) == 2 else None
    told = j.verdict is not Verdict.UNKNOWN and examination.judgements.index(j) < MAX_TRACED
    because = clash_causes(j.node, sides, problem.graph, examination.original.tensors, evaluator) if told else ()
    name = f"{j.node.name}/{broken.within}" if broken.within else j.node.name
    kind = "data" if any(s.kind == "data" for s in j.condition.symbols) else "requirement"
    from shapesmt.codes import coded  # read only where something is to be reported

    code, law = coded(broken.law)
    return Finding(
        j.verdict, kind, j.node.name, j.node.op, j.index, law, str(j.condition), shown,
        " and ".join(_joined(region.text)) if region is not None and region.exact else None,
        because, clash, f"inside {name}" if broken.within else "", code=code,
    )  # fmt: skip


def _code(kind: str) -> str:
    """The error code of a finding that its kind alone decides."""
    from shapesmt.codes import code_of_kind

    return code_of_kind(kind)


def _joined(texts: tuple[str, ...]) -> list[str]:
    return [f"({t})" if " or " in t and len(texts) > 1 else t for t in texts] or ["True"]


def _first_broken(j: Judgement, values: dict[Atom, int] | None) -> Requirement:
    """The requirement that the counterexample breaks."""
    if values is None:
        return j.open[0]
    evaluator = Evaluator(values)
    known = [r for r in j.open if r.formula.symbols <= values.keys()]
    return next((r for r in known if not evaluator.formula(r.formula)), j.open[0])


def _holds_iff(j: Judgement, problem: Problem, examination: Examination, judge: Judge) -> Region | None:
    """Where the node runs, among the inputs for which the reported nodes it rests on do."""
    if j.verdict is Verdict.UNKNOWN or judge.deadline.expired:
        return None
    earlier = [o for o in examination.judgements if o.index < j.index and o.verdict is Verdict.DEPENDS]
    domain, condition = j.domain, j.condition
    if j.verdict is Verdict.FAILS and not earlier:
        return NOWHERE
    if earlier:
        ancestors = problem.graph.ancestors(j.index)
        if any(o.index not in ancestors for o in earlier):
            condition = all_of(*(r.formula for r in examination.original.applications[j.index].requirements))
            domain = problem.domain.copy()
            for other in earlier:
                if other.index in ancestors:
                    domain.assume(other.condition)
        elif j.verdict is Verdict.FAILS:
            return NOWHERE
    region = describe(condition, domain, judge.proves)
    if region.exact and sum(map(len, region.text)) <= READABLE:
        return region
    anywhere = describe(condition, problem.domain, judge.proves)
    return min(region, anywhere, key=lambda r: (not r.exact, len(r.text), sum(map(len, r.text))))
