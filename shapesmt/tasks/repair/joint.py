"""Joint changes: all places of sizes that were baked into a model, found one after the other.

After the first place is changed, the next node with the number fails, which was assumed before; then that is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import Judgement, examine_problem, pose
from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import ShapesmtError
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import any_of, equal
from shapesmt.prover.judge import Judge
from shapesmt.tasks.repair.candidates import Change, Site
from shapesmt.tasks.repair.candidates.baked import Pin, Place, copied, freed, places
from shapesmt.tasks.repair.edit import apply_edit

PLACES = 24
"""Places that are changed together because nodes fail, at most."""
ROUNDS = 4
"""Times that places are looked for whose data have the size after the others are changed."""
TRIED = 12
"""Places near one failing node that are tried."""
HOPS = 12
"""Edges up from a failing node to the farthest place that is tried for it."""
SECONDS = 4.0
"""The limit, in seconds of processor time."""


@dataclass
class Joint:
    """Finds the change that frees all sizes that a model fixes.

    Attributes:
        tried: The number of combinations examined.
    """

    a: Analysis
    deadline: Deadline
    tried: int = 0
    _tensors: Mapping[str, Tensor] = field(default_factory=dict)

    def change(self) -> Change | None:
        """Return the change after which the fewest nodes fail that a baked size lets fail; None if none is found.

        If no more fail then, it has the targets too that have the number where data have the size: with `[8, -1, 4]`,
        samples of another batch are mixed, and no node need fail.
        """
        pins, best = self._pins(), list[Place]()
        fewest = inf
        for copying in (True, False) if pins else ():
            chosen, failing = self._places(pins, Judge(self.deadline.within(SECONDS)), copying=copying)
            if failing < fewest:
                best, fewest = chosen, failing
            if not failing:
                break
        return freed(best) if best else None

    def _places(self, pins: list[Pin], judge: Judge, *, copying: bool) -> tuple[list[Place], float]:
        """Return the places that have to be changed, and how many nodes fail then; inf if that isn't known."""
        chosen, failing = list[Place](), set[int]()
        for pin in pins:
            known, left, added = self._failing_after(chosen, pin, judge, copying=copying), set[int](), 0
            if known is None:
                return chosen, inf
            chosen, failing = known
            while failing - left and added < PLACES:
                first, added = min(failing - left), added + 1
                better = next(self._steps(chosen, first, left, pin, judge), None)
                known = None if better is None else self._failing_after(better[0], pin, judge, copying=copying)
                if known is None:
                    left.add(first)
                else:
                    chosen, failing = known
        return chosen, len(failing)

    def _failing_after(
        self, chosen: list[Place], pin: Pin, judge: Judge, *, copying: bool
    ) -> tuple[list[Place], set[int]] | None:
        """Return the places and the nodes that fail after their change; None if that isn't known.

        With `copying`, these have places besides at which targets have the number where data then have the size.
        """
        graph = self.a.problem.graph
        operators = Operators(graph.opsets, graph.functions)
        for _ in range(ROUNDS if copying else 0):
            if self._failing(chosen, pin, judge) is None:
                return None
            sites = (Site(graph, index, self._tensors, (), 0, operators) for index in range(len(graph.nodes)))
            taken = {(p.site.index, p.input, p.at) for p in chosen}
            found = [p for site in sites for p in copied(site, pin) if (p.site.index, p.input, p.at) not in taken]
            if not found:
                break
            self.tried += 1
            chosen = [*chosen, *found]
        failing = self._failing(chosen, pin, judge)
        return None if failing is None else (chosen, failing)

    def _steps(
        self, chosen: list[Place], first: int, left: set[int], pin: Pin, judge: Judge
    ) -> Iterator[tuple[list[Place], set[int]]]:
        """Yield the places with one more, and the failing nodes, if the next of these but `left` is later then."""
        for place in self._near(first, pin, chosen):
            if judge.deadline.expired:
                return
            self.tried += 1
            more = [*chosen, place]
            failing = self._failing(more, pin, judge)
            if failing is not None and min(failing - left, default=inf) > first:
                yield more, failing

    def _failing(self, chosen: list[Place], pin: Pin, judge: Judge) -> set[int] | None:
        """Return the indices of the nodes that run at some sizes of a pin only, after a change; None if not known."""
        graph, examination = self.a.problem.graph, self.a.examination
        self._tensors = examination.original.tensors
        if chosen:
            graph = apply_edit(graph, freed(chosen).edit)
            try:
                problem = judge.deadline.attempt(lambda: pose(graph, self.a.question), None)
                if problem is None:
                    return None
                examination = examine_problem(problem, judge, trust=False).examination
            except ShapesmtError:
                return None
            self._tensors = examination.original.tensors
        made = [graph.nodes[j.index].outputs[0] for j in examination.judgements if _depends(j, pin)]
        indices = {self.a.problem.graph.producer(name) for name in made}
        return {i for i in indices if i is not None} if None not in indices and examination.decided else None

    def _near(self, first: int, pin: Pin, chosen: list[Place]) -> list[Place]:
        """Return places at a failing node and upstream of it, the nearest first."""
        a = self.a
        graph, tensors = a.problem.graph, a.examination.original.tensors
        operators = Operators(graph.opsets, graph.functions)
        taken = {(p.site.index, p.input, p.at) for p in chosen}
        seen, ahead, found = {first}, [first], list[Place]()
        for hops in range(HOPS):
            for index in ahead:
                site = Site(graph, index, tensors, (), hops, operators)
                found += [place for place in places(site, pin) if (index, place.input, place.at) not in taken]
            names = [name for index in ahead for name in graph.nodes[index].reads]
            producers = dict.fromkeys(p for p in map(graph.producer, names) if p is not None and p not in seen)
            seen.update(producers)
            ahead = [*producers]
        return sorted(found, key=lambda place: (place.factor > 1, place.rows))[:TRIED]

    def _pins(self) -> list[Pin]:
        """Return the sizes that the model fixes, with the number; of two possible numbers, each but 1."""
        a, judge = self.a, self.a.judge.within(SECONDS)
        examination = a.examination
        if examination.fails:
            examination = examine_problem(a.problem.widen(), judge, trust=False).examination
        domain, found = examination.domain, list[Pin]()
        numbers = {s: d.constant for s, d in judge.numbers(domain).items()}
        for name, dim in a.problem.dims.items():
            symbol = dim.as_symbol()
            axis = next(
                ((i, x) for i, d in a.problem.graph.inputs.items() for x, n in enumerate(d.shape or ()) if n == name),
                None,
            )
            if symbol is None or axis is None or symbol in a.problem.domain.numbers:
                continue
            known = next((n for s, n in numbers.items() if s.name == symbol.name), None)
            few = {known} if known else {end.value for end in judge.extent(domain, dim)}
            if None not in few and judge.proves(domain, any_of(*(equal(dim, n) for n in few if n is not None))):
                found += [Pin(name, dim, n, *axis) for n in sorted(n for n in few if n is not None) if known or n > 1]
        return found


def _depends(j: Judgement, pin: Pin) -> bool:
    """Whether it depends on a pin's size whether a node runs; other conditions on the node may be left."""
    return pin.size.as_symbol() in j.domain.simplify(j.condition).symbols
