"""Slots: the axis or the element of an input from which a node's rule takes a side of a requirement.

Equal sizes don't tell where a side comes from: in `Expand(x, [2, 2])` with `x` of shape `[a, 2]`, four sizes are 2. So
the rule is applied again to inputs in which one slot has another size. It takes the side from there if the requirement
then has that size in its place. A side that is computed, or given by an attribute, follows none of the slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple, TypeAlias

from shapesmt.algebra import Dim, Kind, as_dim, symbol
from shapesmt.deadline import look
from shapesmt.errors import InternalError, ShapesmtError
from shapesmt.graph import Graph, Node
from shapesmt.inference.inference import application_of
from shapesmt.rules import Application, Elements, Requirement, Tensor, elements, tensor

MAX_APPLIED = 500  # rules applied for the sides of one requirement, those of inner nodes included
STEPS = (1, 2, 3, -1, -2, 62)  # differences to a number that are tried until the requirement still fails


class _Key(NamedTuple):
    """A requirement as a rule states it: the path of the inner node that does, the law, and the sides."""

    within: str
    law: str
    left: Dim | None
    right: Dim | None


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
    search = _Search(r, application, node, graph, read)
    return search.slot(0, r.left), search.slot(1, r.right)


class _Search:
    def __init__(
        self, r: Requirement, application: Application, node: Node, graph: Graph, tensors: Mapping[str, Tensor]
    ) -> None:
        self._requirement, self._stated = r, application.requirements
        self._node, self._graph, self._tensors = node, graph, tensors
        inner = [body.nodes for own in application.bodies for body in own.every()]
        self._trials = MAX_APPLIED // (1 + sum(map(len, inner)))

    def slot(self, side: int, size: Dim | None) -> Slot | None:
        """Return the only slot that a side follows; None if none or several do, or if that takes too many trials."""
        following = [] if size is None else [slot for slot in self._slots(size) if self._follows(side, size, slot)]
        return following[0] if len(following) == 1 and self._trials >= 0 else None

    def _slots(self, size: Dim) -> Iterator[Slot]:
        """Yield the slots that have a size."""
        for index, name in enumerate(self._node.inputs):
            t = self._tensors.get(name)
            if t is not None and t.is_tensor and not t.cases:
                yield from (Slot(index, axis) for axis, d in enumerate(t.shape or ()) if d is size)
                items = t.value.items if isinstance(t.value, Elements) else ()
                yield from (Slot(index, None, place) for place, item in enumerate(items) if item is size)

    def _follows(self, side: int, size: Dim, slot: Slot) -> bool:
        """Whether a side changes with a slot."""
        outcomes = (self._changes(side, slot, other) for other in _others(size, slot))
        return next((outcome for outcome in outcomes if outcome is not None), False)

    def _changes(self, side: int, slot: Slot, size: Dim) -> bool | None:
        """Whether a side becomes `size` if a slot does; None if the requirement is no longer stated as it was."""
        before, after = _key(self._requirement), self._requirements(slot, size)
        expected = before._replace(left=size) if side == 0 else before._replace(right=size)
        if len(after) == len(self._stated):
            own = _key(next(a for a, r in zip(after, self._stated, strict=True) if r is self._requirement))
            return True if own == expected else False if own == before else None
        old, new = Counter(map(_key, self._stated)), Counter(map(_key, after))
        return (new[before] < old[before] and new[expected] > old[expected]) or None

    def _requirements(self, slot: Slot, size: Dim) -> Sequence[Requirement]:
        """Return the node's requirements with another size in a slot; () if its rule breaks, or after all trials."""
        self._trials -= 1
        if self._trials < 0:
            return ()
        name = self._node.inputs[slot.input]
        own = f"{name} "  # the node may read the same tensor twice
        inputs = [own if i == slot.input else given for i, given in enumerate(self._node.inputs)]
        tensors = {**self._tensors, own: _resized(self._tensors[name], slot, size)}
        try:
            application = application_of(self._node._replace(inputs=inputs), self._graph, tensors)
            look()
        except (ShapesmtError, InternalError):  # a rule may break on a node that no file has
            return ()
        return application.requirements


def _key(r: Requirement) -> _Key:
    return _Key(r.within, r.law.template or r.law.sentence, r.left, r.right)


def _others(size: Dim, slot: Slot) -> list[Dim]:
    """Return other sizes to try: a new symbol; for a number also numbers, last those for which many rules differ."""
    own, number = size.as_symbol(), size.constant
    kind = Kind.INPUT if own is None else own.kind
    if number is None:
        return [symbol(f"not {size}", size.lo, size.hi, kind=kind, fold=False)]
    numbers = [n for n in (number + step for step in STEPS) if n >= 0 or slot.axis is None]
    new = symbol(f"not {size}", min(number, 0), inf)
    return [*(as_dim(n) for n in numbers if n > 1), new, *(as_dim(n) for n in numbers if n <= 1)]


def _resized(t: Tensor, slot: Slot, size: Dim) -> Tensor:
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
