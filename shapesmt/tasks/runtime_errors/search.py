"""Search: the inputs at which a node raises an error message.

At such inputs the nodes upstream run, a requirement of the node fails, and its sizes are those that the message prints.
A condition that isn't known is left out, so a message is called impossible only if it is, and said to come up exactly
at some inputs only if nothing was left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product, zip_longest
from typing import NamedTuple

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.diagnose import finding_at
from shapesmt.analysis.verify import Problem, is_open
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import GUARDS, Node
from shapesmt.network.laws import Law
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Application, Body, Elements, Keeps, Requirement, Tensor, elements, tensor
from shapesmt.prover import Domain, Judge
from shapesmt.prover.algebra import FALSE, TRUE, Assignment, Dim, Formula, all_of, any_of, at_least, negate
from shapesmt.prover.regions import NOWHERE
from shapesmt.reports.answers import Against, Candidate, Grade, Obstacle, SymbolRange
from shapesmt.tasks.runtime_errors.forms import BLOCKED, BLOCKED_RANK, SILENT, Form
from shapesmt.tasks.runtime_errors.names import Place
from shapesmt.tasks.runtime_errors.quantities import Printed, likely, past_end, printed, resembling
from shapesmt.tasks.runtime_errors.reading import Message
from shapesmt.tasks.runtime_errors.site import Site
from shapesmt.tasks.runtime_errors.suspects import law_of

__all__ = ["Case", "Search"]

BRIEF = 4.0  # seconds for a region, and for all bounds
MOST = 200  # other nodes' conditions that the smallest input satisfies if possible; more are ignored
FEW = 6  # number of sizes that may be 0, one at a time, at the smallest input, if no input has only larger ones


class _Own(NamedTuple):
    """A node's requirements as first inferred.

    Attributes:
        requirements: Those that are known.
        open: Whether it may have others.
        followed: Whether it has no others but those that valid data satisfy.
        assumed: The laws of those that data are assumed to satisfy; None if one of them has no code.
    """

    requirements: tuple[Requirement, ...]
    open: bool
    followed: bool
    assumed: tuple[Law, ...] | None = ()

    def may_violate(self, form: Form | None) -> bool:
        """Whether one of the requirements that aren't known may be of a form's laws."""
        if form is None or not form.laws or not self.followed or self.assumed is None:
            return self.open
        return any(map(form.states, self.assumed))

    @property
    def formula(self) -> Formula:
        """The condition under which it runs, as far as it is known."""
        return all_of(*(r.formula for r in self.requirements))


def _own(application: Application, within: str = "") -> _Own:
    stated = [r for r in application.requirements if not within or within in r.within]
    known = tuple(r for r in stated if not is_open(r))
    followed = len(known) == len(stated) and not application.unjudged and (bool(stated) or not within)
    laws = tuple(law_of(x.law) for x in application.assumed if not x.by)
    listed = laws if all(law.code for law in laws) and len(laws) == len(application.assumed) else None
    return _Own(known, not followed or bool(application.assumed), followed, listed)


class Case(NamedTuple):
    """A failing node as the cause of the message, and the condition under which it is.

    Attributes:
        own: The node's requirements.
        condition: A necessary condition for the message.
        sufficient: Conditions under which it is certain, each with the same text.
        says: The index of the node that raises the message instead, if an optimizer has made the failing one silent;
            None for the failing node itself.
    """

    place: Place
    own: _Own
    condition: Formula
    sufficient: tuple[Formula, ...] = ()
    says: int | None = None

    @property
    def whole(self) -> Formula:
        """The condition, and that a requirement of the node fails, if all its requirements are known."""
        return self.condition if self.own.open else all_of(self.condition, negate(self.own.formula))

    @property
    def at(self) -> int:
        """The index of the node that raises the message."""
        return self.place.node if self.says is None else self.says


@frozen(eq=False)
class Search:
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

    @cached_property
    def _blocks(self) -> bool:
        """Whether the model has convolutions or pools, around which an optimizer stores channels in blocks."""
        return any(r.law.code in BLOCKED for a in self._applications for r in a.requirements)

    def case(self, place: Place) -> Case | Against:
        """Return the condition under which a node raises the message, or the obstacle if it can't."""
        node, own = self._problem.graph.nodes[place.node], _own(self._applications[place.node], place.inside)
        before = self.before(place.node)
        why = Obstacle.RUNS
        if own.open or not self._judge.proves(self.domain(before), own.formula):
            why = Obstacle.SIZES
            for loose in (False, True) if self._reorders or not place.exact else (False,):
                told = self._printed(place, own, loose=loose)
                condition = all_of(before, told.necessary)
                if self._can_fail(condition, own):
                    return Case(place, own, condition, told.sufficient if place.exact else ())
        changed = self._merged(place, own) or self._silent(place, own) or self._behind(place, why)
        if changed is not None:
            return changed
        if self.message.foreign(self._problem.graph) and any(self.message.names):
            sizes = self._printed(place, own, loose=True).necessary
            known = sizes is not FALSE and self._judge.satisfiable(self.domain(sizes))
            return Case(place._replace(exact=False), own._replace(open=True), sizes if known else TRUE)
        made = not place.exact and self.message.op != node.op
        return Case(place, own, before) if made and why is Obstacle.SIZES else Against(why, node.name, node.op)

    def _can_fail(self, condition: Formula, own: _Own) -> bool:
        domain = self.domain(condition)
        if condition is FALSE or not self._judge.satisfiable(domain):
            return False
        return own.open or not self._judge.proves(domain, own.formula)

    def before(self, index: int) -> Formula:
        """Return the condition under which all nodes upstream of node `index` run, as far as it is known."""
        return all_of(*(_own(self._applications[i]).formula for i in self._earlier(index)))

    def follows(self, index: int) -> bool:
        """Whether all requirements of the nodes upstream of node `index` are known."""
        return all(_own(self._applications[i]).followed for i in self._problem.graph.ancestors(index))

    def _earlier(self, index: int) -> list[int]:
        """Return the nodes upstream of node `index` that don't run for every input."""
        return sorted(self._problem.graph.ancestors(index, self.judged))

    def _merged(self, place: Place, own: _Own) -> Case | None:
        """Return the case that an optimizer has merged earlier nodes into the one that raises the message, or None.

        The merged nodes compute the elements of its input 1, or give its input 0 another shape.
        """
        graph, site = self._problem.graph, self._sites(place, own, loose=False)[0]
        tensors, node = self.analysis.examination.original.tensors, graph.nodes[place.node]
        others = site.inputs[1:] if place.exact else [None]  # a made name may be that of several nodes in a row
        while self.message.form is not None and "i0" in self.message.said and node.inputs:
            first = graph.producer(node.inputs[0])
            moved = site._replace(inputs=[tensors.get(node.inputs[0]), *others], merged=True)
            needed = [] if first is None else [self.before(first), _own(self._applications[first]).formula]
            condition = all_of(*needed, printed(moved, self.message).necessary)
            if condition is not FALSE and self._judge.satisfiable(self.domain(condition)):
                return Case(place._replace(exact=False), own._replace(open=True), condition)
            if first is None or not self._operators.traits(graph.nodes[first]).in_order:
                break
            node = graph.nodes[first]
        return None

    def _behind(self, place: Place, why: Obstacle) -> Case | None:
        """Return the case of a later node that an optimizer has merged into this one, which runs; or None."""
        nodes = self._problem.graph.nodes
        if place.exact or why is not Obstacle.RUNS:
            return None
        behind = [i for name in nodes[place.node].outputs for i in self._problem.graph.consumers(name)]
        cases = (self.case(place._replace(node=i)) for i in behind if self._operators.traits(nodes[i]).in_order)
        return next((case for case in cases if isinstance(case, Case)), None)

    def _silent(self, place: Place, own: _Own) -> Case | None:
        """Return the case that an earlier lookup passes a table's end silently, so that this node fails; or None."""
        earlier = [i for i in self._earlier(place.node) if place.exact and self.message.runtime == "onnxruntime"]
        for i in earlier:
            lookups = [r for r in self._applications[i].requirements if r.law.code in SILENT]
            condition = past_end(self._sites(place, own, loose=False)[0], lookups, self.message.said)
            if condition is not FALSE and self._judge.satisfiable(self.domain(condition)):
                return Case(Place(i), _own(self._applications[i]), condition, says=place.node)
        return None

    def domain(self, *facts: Formula) -> Domain:
        """Return the admissible inputs for which all facts hold."""
        domain = self.analysis.admissible()
        for fact in facts:
            domain.assume(fact)
        return domain

    def _printed(self, place: Place, own: _Own, *, loose: bool) -> Printed:
        """Return the conditions for the message, over all runs of the node: of a loop's iterations, for example."""
        others = self._elsewhere(place) if self.message.form is not None else None
        told = [printed(site, self.message, others) for site in self._sites(place, own, loose=loose)]
        ways = (
            ()
            if own.open
            else tuple(any_of(*way) for way in zip_longest(*(p.sufficient for p in told), fillvalue=FALSE))
        )
        return Printed(any_of(*(p.necessary for p in told)), ways)

    def _elsewhere(self, place: Place) -> list[Requirement] | None:
        """Return the requirements of all nodes that aren't downstream of one; None if one isn't known.

        Those of the node itself count if another one inside it is meant. Of a program's guards, which PyTorch checks
        first, only their own count.
        """
        if self._problem.graph.nodes[place.node].op == GUARDS:
            return []
        behind = self._problem.graph.descendants(place.node) | ({place.node} if not place.inside else set())
        others = [_own(a) for i, a in enumerate(self._applications) if i not in behind]
        return [r for other in others for r in other.requirements] if all(other.followed for other in others) else None

    def _sites(self, place: Place, own: _Own, *, loose: bool) -> list[Site]:
        """Return the node with its inputs; a node inside another one once for each of its runs."""
        node = self._problem.graph.nodes[place.node]
        if not place.inside:
            tensors = self.analysis.examination.original.tensors
            inputs, outputs = ([tensors.get(name) for name in names] for names in (node.inputs, node.outputs))
            return [self._site(node, inputs, outputs, own, loose=loose)]
        runs = [run for outer in self._applications[place.node].bodies for run in outer.every()]
        found = [(run, inner) for run in runs for inner in run.nodes if inner.name == place.inside]
        sites = []
        for run, inner in found:
            path = f"{run.label}/{inner.name}" if run.label else inner.name
            stated = tuple(r for r in own.requirements if f"/{r.within}".endswith(f"/{path}"))
            inputs, outputs = (
                [_final(run, run.tensors.get(name)) for name in names] for names in (inner.inputs, inner.outputs)
            )
            sites.append(self._site(inner, inputs, outputs, own._replace(requirements=stated), loose=loose))
        return sites or [self._site(node, [None], [None], own, loose=loose)]

    def _site(
        self, node: Node, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor | None], own: _Own, *, loose: bool
    ) -> Site:
        """Return the node with its inputs, or those of the operator on real numbers, of which a runtime says the same.

        Channels that are on the last axis of input 0 are moved to axis 1.
        """
        operands = [i for i in self._operators.traits(node).operands if i < len(inputs)] or range(len(inputs))
        names = [node.inputs[i] for i in operands] if len(inputs) == len(node.inputs) else node.inputs
        last = node.attributes.get("channels_last")
        read = [_channels_first(inputs[i]) if last and i == 0 else inputs[i] for i in operands]
        about = read, own.requirements, own.may_violate(self.message.form), node.attributes, names, outputs, loose
        site = Site(*about)
        blocked = self._blocks and max(map(len, site.shapes), default=0) == BLOCKED_RANK
        return site._replace(foreign=self.message.foreign(self._problem.graph), blocked=blocked)

    def candidate(self, case: Case) -> Candidate:
        """Return the candidate for a case: the smallest input found, and the finding that explains the node there."""
        problem, (place, own, _, _, says) = self._problem, case
        failing, node = problem.graph.nodes[place.node], problem.graph.nodes[case.at]
        values, finding, shown = self._least(case), None, None
        stated = own.requirements or self._applications[place.node].requirements
        if values is not None and (finding := finding_at(place.node, stated, values, self.analysis)) is not None:
            shown = problem.counterexample(values, case.whole.symbols)
            shown = replace(shown, data={s.name: v for s, v in values.items() if s.by_data})
        region = self.region(case.whole) if self._certain(case) else ""
        return Candidate(
            node.name,
            node.op,
            case.at,
            finding.law if finding is not None else "",
            region,
            shown,
            self._bounds(case.whole) if self.message.said or not self.message.foreign(problem.graph) else {},
            finding,
            silent="" if says is None else failing.name,
            rewritten=not place.exact,
            inside=place.inside,
            grade=Grade.EXACT if region else Grade.PARTIAL,
            node_holds_iff="" if own.open or _by_data(own.formula) else self.region(own.formula),
        )

    def _certain(self, case: Case) -> bool:
        """Whether the message comes up at all inputs for which the necessary condition holds.

        Not if ONNX Runtime's default session may have raised it and runs other nodes than the file's.
        """
        whole, judge = case.whole, self._judge.within(BRIEF)
        rewritten = self.analysis.examination.session is not None and not self.message.foreign(self._problem.graph)
        if case.says is not None or rewritten or _by_data(whole):
            return False
        return any(judge.proves(self.domain(whole), certain) for certain in case.sufficient)

    def region(self, whole: Formula) -> str:
        """Return the inputs for which a condition holds; "" if there are none, or all, or it isn't known exactly."""
        judge = self._judge.within(BRIEF)
        region = judge.deadline.attempt(lambda: judge.region(self.domain(), whole), None)
        return region.whole if region is not None and region.exact and region.conjuncts not in ((), (NOWHERE,)) else ""

    def _bounds(self, whole: Formula) -> dict[str, SymbolRange]:
        domain, judge = self.domain(whole), self._judge.within(BRIEF)
        named = {n: d for n, d in self._problem.dims.items() if not d.symbols.isdisjoint(whole.symbols)}
        ends = {n: judge.extent(domain, d) for n, d in named.items()}
        return {n: SymbolRange(low.value or 0, high.value, source="message") for n, (low, high) in ends.items()}

    def _least(self, case: Case) -> Assignment | None:
        """Return the smallest input at which the node raises the message, if possible one at which all others run.

        None if it isn't known to fail at any.
        """
        judge, domain = self._judge.within(BRIEF), self.domain()
        for more in self._preferred(case):
            wanted = all_of(case.condition, *more, negate(case.own.formula))
            found = judge.decide(domain, negate(wanted)) if wanted is not FALSE else None
            if found is not None and found.counterexample is not None:
                return self._judge.within(BRIEF).complete(domain, found.counterexample)
        return None

    def _preferred(self, case: Case) -> Iterator[tuple[Formula, ...]]:
        """Yield conditions that single out usual inputs, the strictest first."""
        place, sites = case.place, self._sites(case.place, case.own, loose=False)
        ways = ((True, True), (False, True), (True, False), (False, False))
        usual = [any_of(*(likely(s, self.message, ordered=x, alone=y) for s in sites)) for x, y in ways]
        alike = self._resembling(case, sites)
        usual = list(dict.fromkeys([*(all_of(alike, u) for u in usual), *usual]))
        behind = {place.node, *self._problem.graph.descendants(place.node)}
        others = [(i, _own(x).formula) for i, x in enumerate(self._applications) if i not in behind]
        runs = dict.fromkeys(formula for _, formula in others)
        early = dict.fromkeys(formula for i, formula in others if i < place.node)
        nodes = [all_of(*f) for f in (runs, early) if len(f) <= MOST] + [TRUE]
        sizes = [at_least(d, 1) for d in self._problem.dims.values()]
        some = [all_of(*sizes), *(all_of(*sizes[:i], *sizes[i + 1 :]) for i in range(min(len(sizes), FEW)))]
        yield from product((u for u in usual if u is not FALSE), nodes, some[:1])
        yield from product(usual[-1:], nodes, some[1:])
        yield from product((TRUE,), nodes, some)
        yield ()

    def _resembling(self, case: Case, sites: Sequence[Site]) -> Formula:
        """Return the condition that the node has the numbers of the message that aren't read, as far as it can."""
        alike: list[Formula] = []
        for condition in resembling(sites[0], self.message) if len(sites) == 1 else ():
            if self._judge.is_inhabited(self.domain(case.whole, *alike, condition)):
                alike.append(condition)
        return all_of(*alike)


def _channels_first(t: Tensor | None) -> Tensor | None:
    """Return an image with its last axis as axis 1; other tensors as they are."""
    if t is None or t.shape is None or len(t.shape) < BLOCKED_RANK:
        return t
    return tensor(t.dtype, [t.shape[0], t.shape[-1], *t.shape[1:-1]])


def _final(run: Body, t: Tensor | None) -> Tensor | None:
    """Return a tensor of a run inside a node over the symbols outside."""
    if t is None or t.shape is None:
        return t
    value = t.value if isinstance(t.value, Elements) else None
    items = [run.final_size(i) if isinstance(i, Dim) else None for i in value.items] if value is not None else []
    return tensor(
        t.dtype, [run.final_size(d) for d in t.shape], None if value is None else elements(value.shape, items)
    )


def _by_data(condition: Formula) -> bool:
    """Whether a condition is about a size that data decide."""
    return any(s.by_data for s in condition.symbols)
