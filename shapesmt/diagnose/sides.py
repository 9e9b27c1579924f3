"""Sides: the two sizes of a broken requirement, the inputs that have them, and the nodes that computed them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from shapesmt.diagnose.causes import READABLE, Tracer
from shapesmt.examine import Judge, Judgement
from shapesmt.inference import Slots, slots_of
from shapesmt.report import Cause, Clash
from shapesmt.rules import Requirement, held


@dataclass(frozen=True, eq=False)
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
        causes = tracer.causes_of_clash(j.node, sides)
        if max((len(c.expr) for c in causes), default=0) <= READABLE:
            return causes
        values = None if tracer.values is None else j.narrowing.values(tracer.values)
        narrowed = zip(j.narrowing.narrow_sizes(size for size, _ in sides), (slot for _, slot in sides), strict=True)
        return tracer.at(values, j.inference.tensors).causes_of_clash(j.node, [*narrowed])

    @cached_property
    def _slots(self) -> Slots:
        unknown: Slots = None, None
        return self.judge.deadline.attempt(self._search, unknown)

    def _search(self) -> Slots:
        """Return the slots of the node's inputs from which its rule takes the sides."""
        j, values = self.judgement, self.tracer.values
        application, tensors = j.inference.applications[j.index], j.inference.tensors
        sided = (r for r in application.requirements if r.left is not None)
        stated = next((r for r in sided if j.narrowing.requirement(r) == self.broken), None)
        if stated is None:
            return None, None
        at = {} if values is None else j.narrowing.values(values)
        read = {name: held(tensors[name], at) for name in j.node.reads if name in tensors}
        return slots_of(stated, application, j.node, j.inference.graph, read)
