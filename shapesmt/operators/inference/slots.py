"""Slots: the axis or the element of an input from which a node's rule takes a side of a requirement.

Equal sizes don't tell where a side comes from: in `Expand(x, [2, 2])` with `x` of shape `[a, 2]`, four sizes are 2. So
the rule is applied again to inputs in which one slot has another size. It takes the side from there if the requirement
then has that size in its place. A side that is computed, or given by an attribute, follows none of the slots; one that
is computed with neutral numbers (64 is 1 * 64) follows a slot, but changes with those numbers too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import inf
from typing import NamedTuple, TypeAlias

from shapesmt.base.deadline import look
from shapesmt.base.errors import InternalError, ShapesmtError
from shapesmt.network.graph import Graph, Node
from shapesmt.operators.inference.inference import application_of
from shapesmt.operators.rules import MAX_RANK, Application, Elements, Requirement, Tensor, elements, tensor
from shapesmt.prover.algebra import ONE, ZERO, Dim, Kind, as_dim, symbol

MAX_APPLIED = 500  # rules applied for the sides of one requirement, those of inner nodes included
STEPS = (1, 2, 3, -1, -2, 62)  # differences to a number that are tried until the requirement still fails


class Slot(NamedTuple):
    """A size among a node's inputs: on an axis of input number `input`, or else the element with this index in it.

    Indices of elements are those in row-major order.
    """

    input: int
    axis: int | None = None
    element: int | None = None


Slots: TypeAlias = tuple[Slot | None, Slot | None]


def slots_of(
    r: Requirement, application: Application, node: Node, graph: Graph, tensors: Mapping[str, Tensor]
) -> Slots:
    """Return the slots from which a node takes the two sides of a requirement; None for a side from none of them.

    Args:
        r: The requirement, one of those in `application`.
        application: The application of the node's rule.
        node: The node.
        graph: The graph that contains it.
        tensors: The tensors that the node reads.
    """
    read = {name: tensors[name] for name in node.reads if name in tensors}
    place = next(i for i, stated in enumerate(application.requirements) if stated is r)
    left, right = (_Search(side, place, application, node, graph, read).slot() for side in (0, 1))
    return left, right


class Trials:
    """Applies the rule of one node to other inputs, at most `most` times.

    Attributes:
        node, read: The node, and the tensors that it reads.
        left: How many more times the rule may be applied.
    """

    def __init__(self, node: Node, graph: Graph, read: Mapping[str, Tensor], most: int) -> None:
        self.node, self.read, self.left = node, read, most
        self._graph = graph

    def applied(self, changed: Mapping[int, Tensor]) -> Application | None:
        """Return the application to inputs with other tensors; None if the rule breaks, or after all trials.

        `changed` has the tensors by the position of the input.
        """
        if not self.left:
            return None
        self.left -= 1
        names, tensors = [*self.node.inputs], {**self.read}
        for place, t in changed.items():
            names[place] = f"input {place}"  # the node may read the same tensor twice
            tensors[names[place]] = t
        try:
            application = application_of(self.node._replace(inputs=names), self._graph, tensors)
            look()
        except (ShapesmtError, InternalError):  # a rule may break on a node that no file has
            return None
        return application


class _Stated(NamedTuple):
    """A requirement as a rule states it: the path of the inner node and the law, and the two sides."""

    law: tuple[str, str]
    sides: tuple[Dim | None, Dim | None]


class _Search:
    """The search for the slot of one side of a requirement: side 0 is the left one, side 1 the right one."""

    def __init__(
        self, side: int, place: int, application: Application, node: Node, graph: Graph, read: Mapping[str, Tensor]
    ) -> None:
        self._side, self._place = side, place
        self._stated = [*map(_stated, application.requirements)]
        self._size = self._stated[place].sides[side]
        self._node, self._read = node, read
        self._trials = Trials(node, graph, read, MAX_APPLIED // (1 + application.inner_nodes(MAX_APPLIED)))

    def slot(self) -> Slot | None:
        """Return the slot; None if it isn't known, or if the side is computed."""
        if self._size is None:
            return None
        tried = [(slot, *self._try(slot, self._size)) for slot in self._slots(self._size)]
        following = [(slot, other) for slot, other, now in tried if other is not None and now is other]
        if len(following) != 1 or self._computed(*following[0]) or not self._trials.left:
            return None
        return following[0][0]

    def _computed(self, slot: Slot, other: Dim) -> bool:
        """Whether a side that follows a slot is computed from it and from a 0 or a 1 elsewhere, such as 64 * 1."""
        numbers = [(n, own) for own in (ZERO, ONE) for n in self._slots(own, MAX_RANK) if n != slot]
        neutral = [(n, own) for n, own in numbers if n.input != slot.input or (n.axis is None) == (slot.axis is None)]
        tried = [(n, *self._try(n, own)) for n, own in neutral]
        # A 0 may also be the index of the axis that is compared: with another index, the side doesn't follow the slot.
        moved = [(n, changed, now) for n, changed, now in tried if changed is not None and now is not self._size]
        return any(self._now({n: changed, slot: other}) is not now for n, changed, now in moved)

    def _slots(self, size: Dim, most: int = MAX_APPLIED) -> Iterator[Slot]:
        """Yield the slots that have a size: axes, and elements of inputs that have at most so many."""
        for index, name in enumerate(self._node.inputs):
            t = self._read.get(name)
            if t is not None and t.is_tensor and not t.cases:
                yield from (Slot(index, axis) for axis, d in enumerate(t.shape or ()) if d is size)
                items = t.value.items if isinstance(t.value, Elements) and len(t.value.items) <= most else ()
                yield from (Slot(index, None, place) for place, item in enumerate(items) if item is size)

    def _try(self, slot: Slot, size: Dim) -> tuple[Dim | None, Dim | None]:
        """Return another size for a slot that has this one, and the side for it; both None if it can't be told."""
        trials = ((other, self._now({slot: other})) for other in _others(size, slot))
        return next((trial for trial in trials if trial[1] is not None), (None, None))

    def _now(self, sizes: Mapping[Slot, Dim]) -> Dim | None:
        """Return the side for other sizes in slots; None if the requirement isn't stated, or its other side differs."""
        before, after = self._stated[self._place], self._restated(sizes)
        behind = before.sides[1 - self._side]
        alike = [r for r in after if r.law == before.law and r.sides[1 - self._side] is behind]
        if len(after) == len(self._stated):
            alike = [r for r in after[self._place : self._place + 1] if r in alike]
        elif alike.count(before) >= self._stated.count(before):
            return self._size
        else:
            alike = [*(Counter(alike) - Counter(self._stated))]
        return alike[0].sides[self._side] if len(alike) == 1 else None

    def _restated(self, sizes: Mapping[Slot, Dim]) -> list[_Stated]:
        """Return the node's requirements for other sizes in slots; [] if its rule breaks, or after all trials."""
        changed: dict[int, Tensor] = {}
        for slot, size in sizes.items():
            own = changed.get(slot.input) or self._read[self._node.inputs[slot.input]]
            changed[slot.input] = resized(own, slot, size)
        application = self._trials.applied(changed)
        return [] if application is None else [*map(_stated, application.requirements)]


def _stated(r: Requirement) -> _Stated:
    return _Stated((r.within, r.law.template or r.law.sentence), (r.left, r.right))


def _others(size: Dim, slot: Slot) -> list[Dim]:
    """Return other sizes to try: a new symbol; for a number also numbers, last those for which many rules differ."""
    own, number = size.as_symbol(), size.constant
    kind = Kind.INPUT if own is None else own.kind
    if number is None:
        return [symbol(f"not {size}", size.lo, size.hi, kind=kind, fold=False)]
    numbers = [n for n in (number + step for step in STEPS) if n >= 0 or slot.axis is None]
    new = symbol(f"not {size}", min(number, 0), inf)
    return [*(as_dim(n) for n in numbers if n > 1), new, *(as_dim(n) for n in numbers if n <= 1)]


def resized(t: Tensor, slot: Slot, size: Dim) -> Tensor:
    """Return a tensor with another size in a slot; on a longer axis, its last elements are repeated."""
    value = t.value
    if slot.axis is None:
        assert isinstance(value, Elements)
        items = [size if place == slot.element else item for place, item in enumerate(value.items)]
        return tensor(t.dtype, t.shape, elements(value.shape, items), layout=t.layout)
    dims = [size if axis == slot.axis else d for axis, d in enumerate(t.dims)]
    if isinstance(value, Elements):
        before, count = value.shape[slot.axis], size.constant
        places = [min(i, before - 1) for i in range(count or 0)]
        listed = value.listed.take(slot.axis, places) if before and places else None
        value = None if listed is None else elements(*listed)
    return tensor(t.dtype, dims, value, layout=t.layout)
