"""Vectors of sizes, computed from as few nodes as possible: by `Shape` of a tensor that has consecutive sizes of them.

A vector is built of pieces: constants, consecutive sizes of an earlier tensor, and vectors that exist already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shapesmt.network.graph import Literal, Node
from shapesmt.operators.rules import Tensor, elements, tensor
from shapesmt.prover.algebra import Dim, Formula, as_dim, at_least
from shapesmt.tasks.simplify.draft import Draft, Place
from shapesmt.tasks.simplify.rewrites.site import Site, constants, integers
from shapesmt.tasks.simplify.rewrites.targets import copied_axes

LONGEST = 16  # elements; longer vectors aren't rebuilt
SOURCES = 8  # tensors tried as the source of a piece
_SLICED = 15  # first opset in which Shape has a start and an end


class Slot(NamedTuple):
    """An element of a vector: a formula, and a number that may stand for it (None without one)."""

    dim: Dim
    number: int | None


class Piece(NamedTuple):
    """Consecutive elements of a vector.

    They are the sizes of the tensor `source` from `axis` on, the elements of the vector `source` if `axis` is None, or
    constants if `source` is "".
    """

    source: str
    axis: int | None
    slots: tuple[Slot, ...]


@dataclass
class Builder:
    """The sizes and vectors that a draft has already, by their formulas."""

    draft: Draft
    sizes: dict[Dim, list[tuple[str, int]]] = field(default_factory=dict)
    vectors: dict[tuple[Dim, ...], list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        draft = self.draft
        names = [*draft.graph.inputs, *(n for p in sorted(draft.nodes) for n in draft.nodes[p].outputs if n)]
        for name in names:
            self._note(name, draft.facts_of(name))

    def _note(self, name: str, t: Tensor) -> None:
        for axis, d in enumerate(t.shape or ()):
            if d.constant is None and t.is_tensor:
                self.sizes.setdefault(d, []).append((name, axis))
        items = integers(t) if t.dtype == "int64" and t.shape is not None and len(t.shape) == 1 else None
        if items and len(items) <= LONGEST:
            self.vectors.setdefault(tuple(items), []).append(name)

    def pieces(self, slots: Sequence[Slot], before: Place) -> Iterator[Piece]:
        """Yield the longest pieces that a vector can begin with, from tensors computed before a position."""
        numbers = next((i for i, s in enumerate(slots) if s.number is None), len(slots))
        if numbers:
            yield Piece("", None, tuple(slots[:numbers]))
        for length in range(len(slots), 0, -1):
            names = self.vectors.get(tuple(s.dim for s in slots[:length]), ())
            yield from [Piece(n, None, tuple(slots[:length])) for n in names if self._there(n, before)][:1]
        for name, axis in self.sizes.get(slots[0].dim, ())[:SOURCES]:
            if self._there(name, before):
                shape = self.draft.facts_of(name).shape or ()
                same = [s.dim is d for s, d in zip(slots, shape[axis:], strict=False)]
                yield Piece(name, axis, tuple(slots[: same.index(False) if False in same else len(same)]))

    def _there(self, name: str, before: Place) -> bool:
        """Whether a tensor is still computed before a position."""
        known = name in self.draft.graph.inputs or self.draft.producer(name) is not None
        return known and self.draft.final(name) == name and self.draft.place(name) < before

    def plan(self, slots: Sequence[Slot], before: Place, gone: set[Place]) -> tuple[int, list[Piece]] | None:
        """Return the number of nodes and the pieces of the cheapest vector; None if an element is available nowhere.

        Pieces are computed before the position `before`. Nodes in `gone` would be removed otherwise, so they count too.
        """
        best: list[tuple[int, list[Piece]] | None] = [None] * len(slots) + [(0, [])]
        for start in range(len(slots) - 1, -1, -1):
            plans = []
            for piece in self.pieces(slots[start:], before):
                rest = best[start + len(piece.slots)]
                if rest is not None:
                    plans.append((self._cost(piece, gone) + rest[0], [piece, *rest[1]]))
            best[start] = min(plans, key=lambda plan: (plan[0], len(plan[1])), default=None)
        return best[0]

    def saving(self, slots: Sequence[Slot], before: Place, gone: set[Place], extra: int = 0) -> list[Piece] | None:
        """Return the pieces of a vector if they take fewer nodes than the old vector frees; None otherwise.

        The old vector frees the nodes in `gone`; the new one needs `extra` nodes beside its pieces.
        """
        planned = self.plan(slots, before, gone) if len(gone) > 1 + extra else None
        if planned is None:
            return None
        pieces = planned[1]
        kept = set[Place]().union(*(closure(self.draft, p.source, gone) for p in pieces if p.source))
        new = sum(self._new(p) for p in pieces) + (len(pieces) > 1) + extra
        return pieces if new < len(gone - kept) else None

    def _new(self, piece: Piece) -> int:
        """Return the number of nodes that are added for a piece."""
        if not piece.source or piece.axis is None:
            return 0
        whole = len(piece.slots) == len(self.draft.facts_of(piece.source).shape or ())
        return 1 if whole or self.draft.version >= _SLICED else 2

    def _cost(self, piece: Piece, gone: set[Place]) -> int:
        """Return the number of nodes that a piece needs, including those that would be removed otherwise."""
        return self._new(piece) + len(closure(self.draft, piece.source, gone)) if piece.source else 0

    def build(self, pieces: Sequence[Piece], like: str) -> str:
        """Add the nodes that make a vector of these pieces, and return its name, which begins with `like`."""
        names = [self._build(piece, like) for piece in pieces]
        if len(names) == 1:
            return names[0]
        items = [s.dim if p.source else _number(s) for p in pieces for s in p.slots]
        return self._add_node("Concat", names, f"{like}.vector", items, axis=0)

    def _build(self, piece: Piece, like: str) -> str:
        items = [s.dim for s in piece.slots]
        if not piece.source:
            numbers = [s.number for s in piece.slots if s.number is not None]
            return self.draft.constant(Literal("int64", (len(numbers),), numbers), f"{like}.sizes")
        if piece.axis is None:
            return piece.source
        shape, start, end = self.draft.facts_of(piece.source).shape or (), piece.axis, piece.axis + len(items)
        if len(shape) == len(items):
            return self._add_node("Shape", [piece.source], f"{like}.shape", items)
        if self.draft.version >= _SLICED:
            return self._add_node("Shape", [piece.source], f"{like}.shape", items, start=start, end=end)
        every = self._add_node("Shape", [piece.source], f"{like}.shape", shape)
        axes = self.draft.constant(Literal("int64", (len(items),), range(start, end)), f"{like}.axes")
        return self._add_node("Gather", [every, axes], f"{like}.sizes", items, axis=0)

    def _add_node(self, op: str, inputs: Sequence[str], like: str, items: Sequence[Dim], **attributes: int) -> str:
        made = tensor("int64", [len(items)], elements((len(items),), items))
        name = self.draft.add(op, inputs, like, made, **attributes)
        self._note(name, made)
        return name


def _number(slot: Slot) -> Dim:
    return slot.dim if slot.number is None else as_dim(slot.number)


def dying(draft: Draft, name: str, reader: Place | None = None) -> set[Place]:
    """Return the nodes that become superfluous if nothing reads a tensor any more, or if `reader` stops reading it."""
    gone: set[Place] = set()
    unread, ahead = {name} if reader is None else set(), [name]
    while ahead:
        place = draft.place(ahead.pop())
        node = draft.nodes.get(place)
        if node is None or place in gone or place in draft.kept:
            continue
        outputs = [o for o in node.outputs if o and o not in unread]
        if all({*draft.readers.get(o, ())} <= gone | {reader} and not draft.is_output(o) for o in outputs):
            gone.add(place)
            ahead += draft.reads(node)
    return {p for p in gone if draft.nodes[p].op != "Constant"}


def closure(draft: Draft, name: str, among: set[Place]) -> set[Place]:
    """Return the nodes in `among` from which a tensor is computed."""
    reached: set[Place] = set()
    ahead = [name]
    while ahead:
        place = draft.place(ahead.pop())
        if place in among and place not in reached:
            reached.add(place)
            ahead += draft.reads(draft.nodes[place])
    return reached


def rebuild(draft: Draft, proves: Callable[[Formula], bool]) -> None:
    """Rebuild every vector of sizes for which that takes fewer nodes; `proves` decides conditions."""
    builder = Builder(draft)
    for place in sorted(draft.nodes):
        node = draft.nodes.get(place)
        op = "" if node is None or place in draft.kept else draft.operator(node)
        if node is None or not op:
            continue
        if len(node.outputs) == 1 and op != "Constant":
            _rebuild_vector(builder, node)
        if op == "Reshape" and draft.nodes.get(place) is node:
            _rebuild_target(builder, place, Site(draft, node, proves))


def _rebuild_vector(builder: Builder, node: Node) -> None:
    """Rebuild a vector (or one number) of sizes from the fewest nodes, if a node needs it that isn't about sizes."""
    draft, name = builder.draft, node.outputs[0]
    t = draft.facts_of(name)
    items = integers(t) if t.dtype == "int64" and t.shape is not None and len(t.shape) < 2 else None
    if not items or len(items) > LONGEST or constants(items) is not None or not _is_needed(draft, name):
        return
    slots = [Slot(d, d.constant) for d in items]
    gone, scalar = dying(draft, name), t.shape == ()
    pieces = builder.saving(slots, draft.place(name), gone, extra=int(scalar))
    if pieces is None:
        return
    vector = builder.build(pieces, name)
    if scalar:
        vector = draft.add("Squeeze", [vector], f"{name}.number", t)
    if draft.same(name, vector):
        draft.note("sizes-at-once", node, "these sizes stand in a row in the shape of an earlier tensor")
    draft.sweep(gone)


def _is_needed(draft: Draft, name: str) -> bool:
    """Whether the graph returns the tensor, or a node that reads it computes something other than sizes."""
    readers = [draft.nodes[p] for p in draft.readers.get(name, ())]
    return draft.is_output(name) or any(
        integers(draft.facts_of(o)) is None for node in readers for o in node.outputs if o
    )


def _rebuild_target(builder: Builder, place: Place, site: Site) -> None:
    """Rebuild the target of a Reshape from the fewest nodes, with 0 and -1 if they say the same."""
    draft, shape, items = builder.draft, site.made.shape, site.items(1)
    if (
        not shape
        or len(shape) > LONGEST
        or items is None
        or constants(items) is not None
        or site.node.attributes.get("allowzero")
    ):
        return
    gone = dying(draft, site.name(1), place)
    before = site.read(0).shape or ()
    slots = [
        Slot(d, 0 if same and d.constant is None else d.constant)
        for d, same in zip(shape, copied_axes(draft.form, before, shape), strict=True)
    ]
    choices = [
        slots,
        *([*slots[:i], Slot(s.dim, -1), *slots[i + 1 :]] for i, s in enumerate(slots) if s.number is None),
    ]
    plans = [pieces for choice in choices if (pieces := builder.saving(choice, place, gone)) is not None]
    if plans and all(site.proves(at_least(d, 1)) for d in shape):
        pieces = min(plans, key=len)
        draft.put(place, site.node._replace(inputs=[site.name(0), builder.build(pieces, site.node.outputs[0])]))
        draft.note("target-at-once", site.node, "its target is built of sizes in a row of earlier shapes, 0 and -1")
        draft.sweep(gone)
