"""Origin: the inputs at which a node says a message.

They are those for which the nodes that it depends on run, its requirement fails, and its sizes are those that the
message prints. A condition that isn't known restricts nothing, so that a message is called impossible only if it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from shapesmt.algebra import FALSE, TRUE, Assignment, Dim, Formula, Verdict, all_of, at_least, negate
from shapesmt.diagnose import finding_at
from shapesmt.examine import Analysis, Judge, Problem, examined, is_open, pose_everything
from shapesmt.inference import Operators
from shapesmt.messages.forms import FUSED, MADE, SILENT
from shapesmt.messages.names import Place, places
from shapesmt.messages.quantities import Site, likely, past_end, printed
from shapesmt.messages.reading import Message
from shapesmt.presolve import Domain
from shapesmt.report import Against, Candidate, ErrorOrigin, Obstacle, SymbolRange
from shapesmt.rules import Application, Keeps, Requirement

__all__ = ["explained"]

BRIEF = 4.0  # seconds for a region, and for all bounds


def explained(a: Analysis, message: Message, *, ranges: bool) -> ErrorOrigin:
    """Return the nodes that may have said a message, with the inputs at which they do.

    `ranges` says whether the caller has given any: without, the sizes may be 0 as well.
    """
    graph = a.problem.graph
    answer = ErrorOrigin(graph.source, message.runtime, message.text, None, symbols=a.problem.ranges)
    found, against = _places(a, message)
    if against or not found:
        return replace(answer, possible=False if against else None, against=against, seconds=a.seconds)
    inside = {place: _Search(a, message).origin(place) for place in found}
    candidates = [origin for origin in inside.values() if isinstance(origin, Candidate)]
    if not candidates or not ranges:
        problem, examination = examined(pose_everything(graph), a.judge, trust=False)
        wider = _Search(Analysis(problem, examination, a.judge, a.started), message)
        within = [place for place in found if isinstance(inside[place], Candidate)] or found
        origins = [(wider.origin(place), inside[place]) for place in within]
        candidates = [_joined(wide, own, ranges) for wide, own in origins if isinstance(wide, Candidate)] or candidates
    against = tuple(dict.fromkeys(o for o in inside.values() if isinstance(o, Against))) if not candidates else ()
    possible = True if candidates else None if a.judge.deadline.expired else False
    return replace(answer, possible=possible, candidates=tuple(candidates), against=against, seconds=a.seconds)


def _joined(wide: Candidate, own: Candidate | Against, ranges: bool) -> Candidate:
    """Return a candidate among sizes of which no range is known, with the least input that is in the usual ranges."""
    if isinstance(own, Against):
        return replace(wide, outside=ranges)
    return replace(own, region=wide.region, bounds=wide.bounds)


def _places(a: Analysis, message: Message) -> tuple[list[Place], tuple[Against, ...]]:
    """Return the nodes that may have said the message by their names, or the reasons why none has."""
    graph, ops = a.problem.graph, {node.op.lower() for node in a.problem.graph.nodes}
    made = bool(FUSED.search(message.op)) and message.op.lower() not in ops
    for name in message.names:
        found = places(graph, name)
        if not found:
            continue
        inner = message.names[-1] if message.names[-1] != name else ""
        if found[0].inside or inner:
            return [place._replace(inside=inner or place.inside) for place in found], ()
        told = graph.nodes[found[0].index].op
        same = message.runtime != "onnxruntime" or not message.op or message.op == told
        if same or not found[0].exact:
            return found, ()
        if not FUSED.search(message.op):
            return [], (Against(Obstacle.OPERATOR, name, told),)
        return [place._replace(exact=False) for place in found], ()
    name = next(filter(None, message.names), "")
    if name and not made and not MADE.search(name):
        return [], (Against(Obstacle.NAME, name),)
    return _by_law(a, message), ()


def _by_law(a: Analysis, message: Message) -> list[Place]:
    """Return the nodes with the operator of a message without a name, or with a requirement under its laws."""
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


@dataclass(frozen=True, eq=False)
class _Search:
    """A search for the inputs of a problem at which a node says a message."""

    analysis: Analysis
    message: Message

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
    def _reorders(self) -> bool:
        """Whether the model has nodes that reorder axes, which an optimizer may move past others."""
        graph = self._problem.graph
        operators = Operators(graph.opsets, graph.functions)
        return any(operators.traits(node).keeps is Keeps.REARRANGED for node in graph.nodes)

    def origin(self, place: Place) -> Candidate | Against:
        """Return where a node says the message, or why it doesn't."""
        node, own = self._problem.graph.nodes[place.index], _own(self._applications[place.index], place.inside)
        before = self._before(place.index)
        why = Obstacle.RUNS
        if own.open or not self._judge.proves(self._domain(before), own.formula):
            why = Obstacle.SIZES
            for loose in (False, True) if self._reorders or not place.exact else (False,):
                condition = all_of(before, self._sizes(place, own, loose=loose))
                if self._can_fail(condition, own):
                    return self._candidate(place, own, condition)
        silent = self._silent(place, own)
        if silent is not None:
            return silent
        return Against(why, node.name, node.op) if place.exact else self._candidate(place, own, before)

    def _can_fail(self, condition: Formula, own: _Own) -> bool:
        domain = self._domain(condition)
        if condition is FALSE or not self._judge.satisfiable(domain):
            return False
        return own.open or not self._judge.proves(domain, own.formula)

    def _before(self, index: int) -> Formula:
        """Return the condition under which the nodes run on which this one depends."""
        return all_of(*(_own(self._applications[i]).formula for i in self._earlier(index)))

    def _earlier(self, index: int) -> list[int]:
        """Return the nodes on which this one depends that don't run for every input."""
        return sorted(self._problem.graph.ancestors(index, {j.index for j in self.analysis.examination.judgements}))

    def _silent(self, place: Place, own: _Own) -> Candidate | None:
        """Return where the node says the message because an earlier one is silent at indices past a table's end."""
        earlier = [i for i in self._earlier(place.index) if place.exact and self.message.runtime == "onnxruntime"]
        for i in earlier:
            lookups = [r for r in self._applications[i].requirements if r.law.code in SILENT]
            condition = past_end(self._site(place, own, loose=False), lookups, self.message.said)
            if condition is not FALSE and self._judge.satisfiable(self._domain(condition)):
                silent = self._candidate(Place(i), _own(self._applications[i]), condition)
                node = self._problem.graph.nodes[place.index]
                return replace(silent, node=node.name, op_type=node.op, index=place.index, silent=silent.node)
        return None

    def _domain(self, *facts: Formula) -> Domain:
        domain = self.analysis.examination.admissible(self._problem)
        for fact in facts:
            domain.assume(fact)
        return domain

    def _site(self, place: Place, own: _Own, *, loose: bool) -> Site:
        tensors, node = self.analysis.examination.original.tensors, self._problem.graph.nodes[place.index]
        inputs = [None] if place.inside else [tensors.get(name) for name in node.inputs]
        axis = node.attributes.get("axis", 0)
        return Site(inputs, own.requirements, axis if isinstance(axis, int) else None, loose)

    def _sizes(self, place: Place, own: _Own, *, loose: bool) -> Formula:
        form = self.message.form
        return TRUE if form is None else printed(self._site(place, own, loose=loose), form, self.message.said)

    def _candidate(self, place: Place, own: _Own, condition: Formula) -> Candidate:
        problem, node = self._problem, self._problem.graph.nodes[place.index]
        values = self._least(place, own, condition)
        whole = condition if own.open else all_of(condition, negate(own.formula))
        domain, judge = self._domain(whole), self._judge.within(BRIEF)
        named = {name: d for name, d in problem.dims.items() if not d.symbols.isdisjoint(whole.symbols)}
        finding, shown = None, None
        if values is not None:
            stated = own.requirements or self._applications[place.index].requirements
            finding = finding_at(place.index, stated, values, problem, self.analysis.examination, self._judge)
            shown = problem.counterexample(values, whole.symbols)
        return Candidate(
            node.name,
            node.op,
            place.index,
            finding.law if finding is not None else "",
            self._region(whole),
            shown,
            {name: self._bounds(domain, d, judge) for name, d in named.items()},
            finding,
            rewritten=not place.exact,
        )

    def _region(self, whole: Formula) -> str:
        judge = self._judge.within(BRIEF)
        region = judge.deadline.attempt(lambda: judge.region(self._domain(), whole), None)
        return region.whole if region is not None and region.exact and region.conjuncts else ""

    def _bounds(self, domain: Domain, dim: Dim, judge: Judge) -> SymbolRange:
        low, high = judge.extent(domain, dim)
        return SymbolRange(low.value or 0, high.value, source="message")

    def _least(self, place: Place, own: _Own, condition: Formula) -> Assignment | None:
        """Return the least input at which the node says the message, if possible while all other nodes run."""
        for more in self._preferred(place, own):
            domain = self._domain(condition, *more)
            if self._judge.inhabited(domain):
                values = self._smallest(domain, own)
                if values is not None:
                    return values
        return None

    def _preferred(self, place: Place, own: _Own) -> Iterator[tuple[Formula, ...]]:
        """Yield conditions that single out usual inputs, the strictest first."""
        form, said, site = self.message.form, self.message.said, self._site(place, own, loose=False)
        usual = [likely(site, form, said, alone=alone) for alone in (True, False)] if form is not None else []
        judged = [j.index for j in self.analysis.examination.judgements if j.index != place.index]
        runs = [_own(self._applications[i]).formula for i in judged]
        early = [f for i, f in zip(judged, runs, strict=True) if i < place.index]
        some = all_of(*(at_least(d, 1) for d in self._problem.dims.values()))
        for sizes, nodes in product((*usual, TRUE), (all_of(*runs), all_of(*early), TRUE)):
            yield sizes, nodes, some
        yield ()

    def _smallest(self, domain: Domain, own: _Own) -> Assignment | None:
        if own.open or own.formula is FALSE:
            return self._judge.complete(domain, {})
        decision = self._judge.decide(domain, own.formula)
        return None if decision.verdict is Verdict.PROVED else self._judge.complete(domain, decision.counterexample)
