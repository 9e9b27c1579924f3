"""Origin: find the inputs at which a node raises an error message.

At such inputs the nodes upstream run, a requirement of the node fails, and its sizes are those that the message prints.
A condition that isn't known is left out, so a message is called impossible only if it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from shapesmt.algebra import FALSE, TRUE, Assignment, Formula, Verdict, all_of, any_of, at_least, equal, negate
from shapesmt.diagnose import finding_at
from shapesmt.examine import Analysis, Examination, Judge, Narrowing, Problem, is_open, pose_everything
from shapesmt.graph import Graph
from shapesmt.inference import Operators
from shapesmt.messages.forms import FUSED, MADE, SILENT
from shapesmt.messages.names import Place, places
from shapesmt.messages.quantities import Site, likely, past_end, printed_sizes
from shapesmt.messages.reading import Message
from shapesmt.presolve import Domain
from shapesmt.region import NOWHERE
from shapesmt.report import Against, Candidate, ErrorOrigin, Obstacle, SymbolRange
from shapesmt.rules import Application, Keeps, Requirement

__all__ = ["find_origin"]

BRIEF = 4.0  # seconds for a region, and for all bounds
MOST = 200  # other nodes' conditions that the smallest input satisfies if possible; more are ignored
MERGED = 4  # consecutive nodes that are searched for the operator that a message names
FEW = 6  # number of sizes that may be 0, one at a time, at the smallest input, if no input has only larger ones


def find_origin(a: Analysis, message: Message, *, ranges: bool) -> ErrorOrigin:
    """Return the nodes that can raise an error message, with inputs at which they do, or the reasons why none can.

    Args:
        a: The analysis of the model.
        message: The message.
        ranges: Whether the caller restricted sizes. If not, or if no node is found, sizes from 0 on are tried too.
    """
    graph = a.problem.graph
    answer = ErrorOrigin(graph.source, message.runtime, message.text, None, symbols=a.problem.ranges)
    found, against = _places(a, message)
    foreign = message.foreign(graph)
    if against or not found:
        possible = None if foreign or not against else False
        return replace(answer, possible=possible, against=against, seconds=a.seconds)
    search = _Search(a, message, frozenset(j.index for j in a.examination.judgements))
    cases = [search.case(place) for place in found]
    told = [case for case in cases if isinstance(case, _Case)]
    candidates = [search.candidate(case) for case in told]
    everything = a.judge.deadline.attempt(lambda: _everything(a), None) if not candidates or not ranges else None
    if everything is not None:
        wider = _Search(everything, message, search.judged)
        wide = ((wider.case(place), known) for place, known in zip(found, cases, strict=True))
        if not candidates:
            candidates = [replace(wider.candidate(c), outside=ranges) for c, _ in wide if isinstance(c, _Case)]
        else:
            known = dict(zip(told, candidates, strict=True))
            candidates = [wider.widened(c, known[own]) for c, own in wide if isinstance(own, _Case)]
    against = tuple(dict.fromkeys(c for c in cases if isinstance(c, Against))) if not candidates else ()
    possible = True if candidates else None if foreign or a.judge.deadline.expired else False
    return replace(answer, possible=possible, candidates=tuple(candidates), against=against, seconds=a.seconds)


def _everything(a: Analysis) -> Analysis:
    """Return the analysis for inputs of any size, 0 too; no node is decided."""
    problem = pose_everything(a.problem.graph)
    inference, domain = problem.inference, problem.domain.copy()
    for fact in dict.fromkeys(fact for application in inference.applications for fact in application.facts):
        domain.limit(fact)
    return Analysis(problem, Examination(domain, inference, Narrowing({}), inference), a.judge, a.started)


def _places(a: Analysis, message: Message) -> tuple[list[Place], tuple[Against, ...]]:
    """Return the nodes that may have raised the message, by the names in it, or the reasons why none has."""
    graph, ops = a.problem.graph, {node.op.lower() for node in a.problem.graph.nodes}
    made = bool(FUSED.search(message.op)) and message.op.lower() not in ops
    for name in message.names:
        found = places(graph, name)
        if not found:
            continue
        inner = message.names[-1] if message.names[-1] != name else ""
        if found[0].inside or inner:
            return [place._replace(inside=inner or place.inside) for place in found], ()
        told = graph.nodes[found[0].node].op
        same = message.runtime != "onnxruntime" or not message.op or message.op == told
        if not found[0].exact:
            return [place._replace(node=_fused(graph, place.node, message.op)) for place in found], ()
        if same:
            return found, ()
        if not FUSED.search(message.op):
            return [], (Against(Obstacle.OPERATOR, name, told),)
        return [place._replace(exact=False) for place in found], ()
    name = next(filter(None, message.names), "")
    if name and not made and not MADE.search(name):
        return [], (Against(Obstacle.NAME, name),)
    return _by_law(a, message), ()


def _fused(graph: Graph, index: int, op: str) -> int:
    """Return the index of the node whose operator is part of `op`: `index`, or one of few upstream; else `index`."""
    at: int | None = index
    for _ in range(MERGED):
        if at is None or graph.nodes[at].op in op:
            break
        at = graph.producer(next(iter(graph.nodes[at].inputs), ""))
    return index if at is None or graph.nodes[at].op not in op else at


def _by_law(a: Analysis, message: Message) -> list[Place]:
    """Return the nodes that may raise a message that names no node: by its operator, or else by its laws."""
    nodes = a.problem.graph.nodes
    if message.runtime == "onnxruntime" and message.op:
        named = [Place(i) for i, node in enumerate(nodes) if node.op == message.op]
        if named:
            return named
    codes = message.form.codes if message.form is not None else ()
    applied = enumerate(a.examination.original.applications)
    return [
        Place(i, exact=not FUSED.search(message.op))
        for i, application in applied
        if any(r.formula is not TRUE and (r.law.code in codes or not codes) for r in application.requirements)
    ]


class _Own(NamedTuple):
    """A node's requirements as first inferred: those that are known, and whether there may be others."""

    requirements: tuple[Requirement, ...]
    open: bool

    @property
    def formula(self) -> Formula:
        """The condition under which it runs, as far as it is known."""
        return all_of(*(r.formula for r in self.requirements))


def _own(application: Application, within: str = "") -> _Own:
    stated = [r for r in application.requirements if not within or within in r.within]
    known = tuple(r for r in stated if not is_open(r))
    more = len(known) < len(stated) or application.unjudged or application.assumed or (within and not stated)
    return _Own(known, bool(more))


class _Case(NamedTuple):
    """A failing node as the cause of the message, and the condition under which it is.

    `own` has the node's requirements. `says` is the index of the node that raises the message instead, if an optimizer
    has made the failing one silent; None for the failing node itself.
    """

    place: Place
    own: _Own
    condition: Formula
    says: int | None = None

    @property
    def whole(self) -> Formula:
        """The condition, and that a requirement of the node fails, if all its requirements are known."""
        return self.condition if self.own.open else all_of(self.condition, negate(self.own.formula))

    @property
    def at(self) -> int:
        """The index of the node that raises the message."""
        return self.place.node if self.says is None else self.says


@dataclass(frozen=True, eq=False)
class _Search:
    """Searches for the inputs at which a node raises a message.

    Attributes:
        analysis: The analysis of the model.
        message: The message.
        judged: The indices of the nodes that don't run for every input.
    """

    analysis: Analysis
    message: Message
    judged: frozenset[int]

    @property
    def _problem(self) -> Problem:
        return self.analysis.problem

    @property
    def _judge(self) -> Judge:
        return self.analysis.judge

    @property
    def _applications(self) -> Sequence[Application]:
        return self.analysis.examination.original.applications

    @cached_property
    def _operators(self) -> Operators:
        return Operators(self._problem.graph.opsets, self._problem.graph.functions)

    @cached_property
    def _reorders(self) -> bool:
        """Whether the model has nodes that reorder axes, which an optimizer may move past others."""
        return any(self._operators.traits(node).keeps is Keeps.REARRANGED for node in self._problem.graph.nodes)

    def case(self, place: Place) -> _Case | Against:
        """Return the condition under which a node raises the message, or the obstacle if it can't."""
        node, own = self._problem.graph.nodes[place.node], _own(self._applications[place.node], place.inside)
        before = self._before(place.node)
        why = Obstacle.RUNS
        if own.open or not self._judge.proves(self._domain(before), own.formula):
            why = Obstacle.SIZES
            for loose in (False, True) if self._reorders or not place.exact else (False,):
                condition = all_of(before, self._sizes(place, own, loose=loose))
                if self._can_fail(condition, own):
                    return _Case(place, own, condition)
        changed = self._merged(place, own) or self._silent(place, own)
        if changed is not None:
            return changed
        if self.message.foreign(self._problem.graph) and any(self.message.names):
            sizes = self._sizes(place, own, loose=True)
            known = sizes is not FALSE and self._judge.satisfiable(self._domain(sizes))
            return _Case(place._replace(exact=False), own._replace(open=True), sizes if known else TRUE)
        fused = not place.exact and self.message.op != node.op
        return _Case(place, own, before) if fused else Against(why, node.name, node.op)

    def _can_fail(self, condition: Formula, own: _Own) -> bool:
        domain = self._domain(condition)
        if condition is FALSE or not self._judge.satisfiable(domain):
            return False
        return own.open or not self._judge.proves(domain, own.formula)

    def _before(self, index: int) -> Formula:
        """Return the condition under which all nodes upstream of node `index` run, as far as it is known."""
        return all_of(*(_own(self._applications[i]).formula for i in self._earlier(index)))

    def _earlier(self, index: int) -> list[int]:
        """Return the nodes upstream of node `index` that don't run for every input."""
        return sorted(self._problem.graph.ancestors(index, self.judged))

    def _merged(self, place: Place, own: _Own) -> _Case | None:
        """Return the case that an optimizer has merged earlier nodes into the one that raises the message, or None.

        The merged nodes compute the elements of its input 1, or give its input 0 another shape.
        """
        graph, form, site = self._problem.graph, self.message.form, self._site(place, own, loose=False)
        tensors, node = self.analysis.examination.original.tensors, graph.nodes[place.node]
        others = site.inputs[1:] if place.exact else [None]  # a made name may be that of several nodes in a row
        while form is not None and "i0" in self.message.said and node.inputs:
            first = graph.producer(node.inputs[0])
            moved = site._replace(inputs=[tensors.get(node.inputs[0]), *others], merged=True)
            needed = [] if first is None else [self._before(first), _own(self._applications[first]).formula]
            condition = all_of(*needed, printed_sizes(moved, form, self.message.said))
            if condition is not FALSE and self._judge.satisfiable(self._domain(condition)):
                return _Case(place._replace(exact=False), own._replace(open=True), condition)
            if first is None or not self._operators.traits(graph.nodes[first]).in_order:
                break
            node = graph.nodes[first]
        return None

    def _silent(self, place: Place, own: _Own) -> _Case | None:
        """Return the case that an earlier lookup passes a table's end silently, so that this node fails; or None."""
        earlier = [i for i in self._earlier(place.node) if place.exact and self.message.runtime == "onnxruntime"]
        for i in earlier:
            lookups = [r for r in self._applications[i].requirements if r.law.code in SILENT]
            condition = past_end(self._site(place, own, loose=False), lookups, self.message.said)
            if condition is not FALSE and self._judge.satisfiable(self._domain(condition)):
                return _Case(Place(i), _own(self._applications[i]), condition, says=place.node)
        return None

    def _domain(self, *facts: Formula) -> Domain:
        domain = self.analysis.examination.admissible(self._problem)
        for fact in facts:
            domain.assume(fact)
        return domain

    def _site(self, place: Place, own: _Own, *, loose: bool) -> Site:
        tensors, node = self.analysis.examination.original.tensors, self._problem.graph.nodes[place.node]
        inputs = [None] if place.inside else [tensors.get(name) for name in node.inputs]
        axis, group = node.attributes.get("axis", 0), node.attributes.get("group", 1)
        own_axis, groups = (a if isinstance(a, int) else None for a in (axis, group))
        return Site(inputs, own.requirements, own_axis, groups or 1, len(node.outputs), loose)

    def _sizes(self, place: Place, own: _Own, *, loose: bool) -> Formula:
        form = self.message.form
        return TRUE if form is None else printed_sizes(self._site(place, own, loose=loose), form, self.message.said)

    def candidate(self, case: _Case) -> Candidate:
        """Return the candidate for a case: the smallest input found, and the finding that explains the node there."""
        problem, (place, own, condition, says) = self._problem, case
        failing, node = problem.graph.nodes[place.node], problem.graph.nodes[case.at]
        values, finding, shown = self._least(place, own, condition), None, None
        if values is not None:
            stated = own.requirements or self._applications[place.node].requirements
            finding = finding_at(place.node, stated, values, problem, self.analysis.examination, self._judge)
            shown = problem.counterexample(values, case.whole.symbols)
        return Candidate(
            node.name,
            node.op,
            case.at,
            finding.law if finding is not None else "",
            self._region(case.whole),
            shown,
            self._bounds(case.whole),
            finding,
            silent="" if says is None else failing.name,
            rewritten=not place.exact,
        )

    def widened(self, case: _Case | Against, known: Candidate) -> Candidate:
        """Return the candidate `known` extended by inputs with a size of 0, if the node raises the message there."""
        if isinstance(case, Against):
            return known
        codes = self.message.form.codes if self.message.form is not None else ()
        if codes and known.finding is not None and known.finding.code not in codes:
            other = self.candidate(case)  # its law is broken only if a size is 0
            return other if other.finding is not None and other.finding.code in codes else known
        empty = any_of(*(equal(d, 0) for d in self._problem.dims.values()))
        if not self._judge.satisfiable(self._domain(case.whole, empty)):
            return known
        return replace(known, region=self._region(case.whole), bounds=self._bounds(case.whole))

    def _region(self, whole: Formula) -> str:
        judge = self._judge.within(BRIEF)
        region = judge.deadline.attempt(lambda: judge.region(self._domain(), whole), None)
        return region.whole if region is not None and region.exact and region.conjuncts not in ((), (NOWHERE,)) else ""

    def _bounds(self, whole: Formula) -> dict[str, SymbolRange]:
        domain, judge = self._domain(whole), self._judge.within(BRIEF)
        named = {n: d for n, d in self._problem.dims.items() if not d.symbols.isdisjoint(whole.symbols)}
        ends = {n: judge.extent(domain, d) for n, d in named.items()}
        return {n: SymbolRange(low.value or 0, high.value, source="message") for n, (low, high) in ends.items()}

    def _least(self, place: Place, own: _Own, condition: Formula) -> Assignment | None:
        """Return the smallest input at which the node raises the message, if possible one at which all others run."""
        judge = self._judge.within(BRIEF)
        for more in self._preferred(place, own):
            domain = self._domain(condition, *more)
            if judge.is_inhabited(domain) or not more:
                values = self._smallest(domain, own)
                if values is not None:
                    return values
        return None

    def _preferred(self, place: Place, own: _Own) -> Iterator[tuple[Formula, ...]]:
        """Yield conditions that single out usual inputs, the strictest first."""
        form, said, site = self.message.form, self.message.said, self._site(place, own, loose=False)
        ways = ((True, True), (False, True), (True, False), (False, False))
        usual = [likely(site, form, said, ordered=x, alone=y) for x, y in ways] if form is not None else []
        behind = {place.node, *self._problem.graph.descendants(place.node)}
        others = [(i, _own(x).formula) for i, x in enumerate(self._applications) if i not in behind]
        runs = dict.fromkeys(formula for _, formula in others)
        early = dict.fromkeys(formula for i, formula in others if i < place.node)
        nodes = [all_of(*f) for f in (runs, early) if len(f) <= MOST] + [TRUE]
        sizes = [at_least(d, 1) for d in self._problem.dims.values()]
        some = [all_of(*sizes), *(all_of(*sizes[:i], *sizes[i + 1 :]) for i in range(min(len(sizes), FEW)))]
        yield from product(usual, nodes, some[:1])
        yield from product(usual[-1:], nodes, some[1:])
        yield from product((TRUE,), nodes, some)
        yield ()

    def _smallest(self, domain: Domain, own: _Own) -> Assignment | None:
        if own.open or own.formula is FALSE:
            return self._judge.complete(domain, {})
        decision = self._judge.decide(domain, own.formula)
        return None if decision.verdict is Verdict.PROVED else self._judge.complete(domain, decision.counterexample)
