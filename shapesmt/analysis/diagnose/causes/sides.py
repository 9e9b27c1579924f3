"""Sides: the two sizes of a requirement that a node breaks, the inputs that have them, and their causes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from shapesmt.analysis.diagnose.causes.places import Place, telling
from shapesmt.analysis.diagnose.causes.provenance import Part, bearing_on, value_of
from shapesmt.analysis.diagnose.causes.tracer import READABLE, Tracer
from shapesmt.analysis.verify import Judgement
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.operators.inference import Slot, Slots, slots_of
from shapesmt.operators.rules import Application, Requirement, Tensor, held
from shapesmt.prover.algebra import Dim
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import Cause, Clash


@frozen(eq=False)
class Sides:
    """The sides of a requirement that a node breaks, at a tracer's counterexample."""

    judgement: Judgement
    broken: Requirement
    tracer: Tracer
    judge: Judge

    @property
    def clash(self) -> Clash | None:
        """The two sides with their slots or names, and their values; None if the requirement has no two sides."""
        left, right = self.broken.left, self.broken.right
        if left is None or right is None:
            return None
        names = self.broken.law.named_sides(self.broken.relation)
        return self.tracer.clash(self.judgement.node, (left, right), self._slots, names)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The causes of the sizes; long formulas are replaced by shorter ones that hold after earlier nodes."""
        j, tracer = self.judgement, self.tracer
        both = zip((self.broken.left, self.broken.right), self._slots, strict=True)
        sides = [(size, slot) for size, slot in both if size is not None]
        causes = tracer.causes_of(self._starts(sides, tracer))
        if max((len(c.expr) for c in causes), default=0) <= READABLE:
            return causes
        values = None if tracer.values is None else j.narrowing.values(tracer.values)
        narrowed = zip(j.narrowing.narrow_sizes(size for size, _ in sides), (slot for _, slot in sides), strict=True)
        behind = tracer.at(values, j.inference.tensors)
        return behind.causes_of(self._starts([*narrowed], behind))

    def _starts(self, sides: Sequence[tuple[Dim, Slot | None]], tracer: Tracer) -> Iterator[Place]:
        """Yield the properties of the node's inputs from which it has the sides, or on which the requirement depends.

        If its rule doesn't tell them, they are sizes that together have the symbols of a side.
        """
        node = self.judgement.node
        slotted = [(slot, size) for size, slot in sides if slot is not None]
        yield from (_of_slot(slot, size, tracer, node.inputs) for slot, size in slotted)
        used = {node.inputs[slot.input] for slot, _ in slotted}
        numbers = not sides or any(slot is None and not size.symbols for size, slot in sides)
        bearing = self._bearing(tracer) if numbers else []
        for number, (size, slot) in enumerate(sides):
            if slot is None:
                own = [p for p, on in bearing if on[number]]
                others = own if bearing else [p for p in tracer.input_places(node) if p.symbols]
                chosen = telling(size, [p for p in others if p.tensor not in used] or others)
                used |= {p.tensor for p in chosen}
                yield from chosen
        if not sides:
            yield from telling("", [p for p, _ in bearing])

    def _bearing(self, tracer: Tracer) -> list[tuple[Place, tuple[bool, bool]]]:
        """Return the properties of computed inputs on which the requirement depends, and which of its sides do."""
        if self._stated is None:
            return []
        stated, application, read = self._stated
        j, names = self.judgement, self.judgement.node.inputs
        constants = {place for place, name in enumerate(names) if tracer.is_given(name)}
        found = bearing_on(stated, application, j.node, j.inference.graph, read, constants)
        return [
            (Place(name, s.part, value_of(tracer.tensors[name], s.part) or s.value),
             (other.left is not stated.left, other.right is not stated.right))
            for s, other in found.items() for name in [names[s.input]]
        ]  # fmt: skip

    @cached_property
    def _slots(self) -> Slots:
        unknown: Slots = None, None
        return self.judge.deadline.attempt(self._search, unknown)

    def _search(self) -> Slots:
        """Return the slots of the node's inputs from which its rule takes the sides."""
        if self._stated is None or self.broken.left is None:
            return None, None
        stated, application, read = self._stated
        return slots_of(stated, application, self.judgement.node, self.judgement.inference.graph, read)

    @cached_property
    def _stated(self) -> _Stated | None:
        """The broken requirement as the node's rule states it; None if that isn't found."""
        j = self.judgement
        application = j.inference.applications[j.index]
        stated = next((r for r in application.requirements if j.narrowing.requirement(r) == self.broken), None)
        return None if stated is None else _Stated(stated, application, self.reads)

    @cached_property
    def reads(self) -> Mapping[str, Tensor]:
        """The tensors that the node reads, with the sizes that they have for inputs that satisfy earlier conditions."""
        j, values, tensors = self.judgement, self.tracer.values, self.judgement.inference.tensors
        at = {} if values is None else j.narrowing.values(values)
        return {name: held(tensors[name], at) for name in j.node.reads if name in tensors}


class _Stated(NamedTuple):
    requirement: Requirement
    application: Application
    read: Mapping[str, Tensor]


def _of_slot(slot: Slot, size: Dim, tracer: Tracer, inputs: Sequence[str]) -> Place:
    """Return the size in a slot, as the tracer's tensors have it."""
    name = inputs[slot.input]
    part = Part("element", slot.element) if slot.axis is None else Part("axis", slot.axis)
    return Place(name, part, value_of(tracer.tensors[name], part) or size)
