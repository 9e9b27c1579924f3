"""Causes: the nodes that computed a size, from the inputs on, without nodes that pass it on unchanged.

`Sides` are the two sizes of a requirement that a node breaks, the inputs that have them, and their causes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from shapesmt.analysis.diagnose.settings import alone, settings_of
from shapesmt.analysis.verify import Judgement
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Graph, Node
from shapesmt.operators.inference import Slot, Slots, slots_of
from shapesmt.operators.rules import Elements, Field, Requirement, Tensor, extremes, held
from shapesmt.prover.algebra import Atom, Dim, Evaluator
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import Cause, Clash, Side, Source

MAX_CAUSES = 16
READABLE = 100  # the most characters of a formula for which no shorter form is sought
MAX_STEPS = 600  # the most sizes that are traced for one finding


class Place(NamedTuple):
    """A size in a tensor: of an axis, or else the element with this index; None if that isn't known."""

    tensor: str
    axis: int | None
    size: Dim
    element: int | None = None


@dataclass(frozen=True, eq=False)
class Tracer:
    """Traces sizes back through a graph.

    Attributes:
        values: The counterexample, at which formulas are evaluated; None without one.
    """

    graph: Graph
    tensors: Mapping[str, Tensor]
    values: Mapping[Atom, int] | None = None

    def at(self, values: Mapping[Atom, int] | None, tensors: Mapping[str, Tensor] | None = None) -> Tracer:
        """Return the tracer for another counterexample, with the sizes of the case that applies there."""
        tensors = self.tensors if tensors is None else tensors
        by_case = {t: held(t, values) for t in {*tensors.values()} if t.cases} if values else {}  # few tensors differ
        selected = {name: by_case[t] for name, t in tensors.items() if t in by_case} if by_case else {}
        return replace(self, values=values, tensors={**tensors, **selected} if selected else tensors)

    def clash(self, node: Node, sizes: tuple[Dim, Dim], slots: Slots, names: tuple[str, str] = ("", "")) -> Clash:
        """Return two sizes that violate a law, each with its slot among the node's inputs, else with its name."""
        left, right = (self._side(node, *side) for side in zip(sizes, slots, names, strict=True))
        return Clash(left, right)

    def causes_of_clash(self, node: Node, sides: Sequence[tuple[Dim, Slot | None]]) -> tuple[Cause, ...]:
        """Return the nodes that computed the clashing sizes, from the inputs on, without those that pass them on.

        A size without a slot is traced from inputs of the node that have it, or that together have its symbols.
        """
        places = [*self._input_places(node, elements=True)]
        starts: dict[tuple[str, Dim], Place] = {}
        used: set[str] = set()
        for side, slot in sides:
            others = [p for p in places if p.tensor not in used]  # the other side is a size of another input
            chosen = _covering(side, others) if slot is None else [_of_slot(node, slot, side, places)]
            if not side.symbols <= {s for p in chosen for s in p.size.symbols}:
                chosen = _covering(side, places)
            for place in chosen:
                starts.setdefault((place.tensor, place.size), place)
                used.add(place.tensor)
        return self._causes(starts.values())

    def causes(self, name: str) -> tuple[Cause, ...]:
        """Return the nodes that computed the sizes of a tensor, and its elements if those are sizes."""
        places = self._places(name, elements=True)
        return self._causes(p for p in places if p.size.symbols)

    def _causes(self, starts: Iterable[Place]) -> tuple[Cause, ...]:
        causes: dict[Place, Cause] = {}
        pending, seen = list(starts)[::-1], 0
        visited: set[tuple[str, Dim]] = set()
        while pending and seen < MAX_STEPS:
            place = pending.pop()
            seen += 1
            if (place.tensor, place.size) in visited:
                continue
            visited.add((place.tensor, place.size))
            index = self.graph.producer(place.tensor)
            node = self.graph.nodes[index] if index is not None else None
            earlier = [] if node is None else self._earlier(place.size, node)
            if place.size.symbols and not any(p.size is place.size for p in earlier):
                causes[place] = self._cause(place, index, node)
            pending += earlier[::-1]
        places = sorted(causes, key=lambda p: (*self._rank(p.tensor), p.axis is None, p.axis or 0, p.element or 0))
        listed = [causes[place] for place in places]
        if len(listed) <= MAX_CAUSES:
            return tuple(listed)
        first = [c for c in listed if not c.node][: MAX_CAUSES // 4]
        return (*first, *[c for c in listed if c not in first][len(first) - MAX_CAUSES :])

    def _rank(self, name: str) -> tuple[int, int]:
        """Return the order of a tensor among all: the inputs come first, then the outputs of each node."""
        index = self.graph.producer(name)
        if index is None:
            return -1, self._inputs.get(name, 0)
        return index, self.graph.nodes[index].outputs.index(name)

    @cached_property
    def _inputs(self) -> dict[str, int]:
        return dict(zip(self.graph.inputs, count(), strict=False))

    def _cause(self, place: Place, index: int | None, node: Node | None) -> Cause:
        at = place.tensor, place.axis, str(place.size), self._number(place.size)
        shape = self._shape(place.tensor) if place.axis is not None else ()
        if node is None or index is None:
            return Cause("", *at, shape=shape, names=_names(place.size), element=place.element)
        line = source_of(self.graph, index)
        settings = settings_of(node, *alone(node, self.graph, self.tensors))
        return Cause(node.name, *at, node.op, settings, shape, line, _names(place.size), element=place.element)

    def _shape(self, name: str) -> tuple[int, ...]:
        """Return the tensor's shape at the counterexample; () if it isn't known."""
        sizes = [self._number(d) for d in self.tensors[name].shape or ()] if self.values is not None else []
        return tuple([s for s in sizes if s is not None]) if None not in sizes else ()

    def _number(self, size: Dim) -> int | None:
        """Return the size at the counterexample; None if it isn't known."""
        if self.values is None or not size.symbols <= self.values.keys():
            return None
        return int(self._evaluator.dim(size))

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.values or {})

    def _earlier(self, size: Dim, node: Node) -> list[Place]:
        """Return the sizes of a node's inputs that together have the symbols of a size of its outputs."""
        for name in node.inputs:
            same = self._same(size, name) if name in self.tensors else None
            if same is not None:
                return [same]
        return _covering(size, [*self._input_places(node, elements=True)])

    def _same(self, size: Dim, name: str) -> Place | None:
        """Return the first axis or element of a tensor that has exactly this size; None if none has."""
        return next((place for place in self._places(name, elements=True) if place.size is size), None)

    def _places(self, name: str, *, elements: bool = False) -> Iterator[Place]:
        t = self.tensors[name]
        for each in (t, *(case.tensor for case in t.cases)):
            for axis, size in enumerate(each.shape or () if t.is_tensor else ()):
                yield Place(name, axis, size)
        if elements:
            yield from (Place(name, None, size, index) for size, index in _elements(t))

    def _input_places(self, node: Node, *, elements: bool = False) -> Iterator[Place]:
        for name in dict.fromkeys(n for n in node.inputs if n and n in self.tensors):
            yield from self._places(name, elements=elements)

    def _side(self, node: Node, size: Dim, slot: Slot | None, name: str) -> Side:
        about = str(size), self._number(size)
        if slot is None:
            return Side(*about, name=name, names=_names(size))
        return Side(*about, node.inputs[slot.input], slot.axis, slot.element, names=_names(size))


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


def _names(size: Dim) -> tuple[str, ...]:
    return tuple(sorted({s.name for s in size.symbols}))


def source_of(graph: Graph, index: int) -> Source | None:
    """Return the line of Python that a node was exported from; None if the file doesn't say."""
    line = graph.source_line(index, graph.nodes[index])
    return None if line is None else Source(*line)


def _elements(t: Tensor) -> list[tuple[Dim, int | None]]:
    """Return the sizes among a tensor's elements, with the first index of each.

    For elements given by a formula, they are the minimum and the maximum, whose indices aren't known.
    """
    if isinstance(t.value, Elements):
        first = {item: index for index, item in reversed([*enumerate(t.value.items)])}
        return [(i, first[i]) for i in dict.fromkeys(t.value.items) if isinstance(i, Dim)]
    if not isinstance(t.value, Field) or t.shape is None:
        return []
    dims = t.shape
    ends = extremes(t.value.element, lambda axis: dims[-axis])
    return [(e, None) for e in ends or () if e.symbols]


def _of_slot(node: Node, slot: Slot, size: Dim, places: Sequence[Place]) -> Place:
    """Return the one of `places` that is a node's slot; for an element that isn't listed among them, its own."""
    own = Place(node.inputs[slot.input], slot.axis, size, slot.element)
    return next((p for p in places if (p.tensor, p.axis, p.element) == (own.tensor, own.axis, own.element)), own)


def _covering(size: Dim, places: Sequence[Place]) -> list[Place]:
    """Return one of `places` with the same size, else some that together have its symbols, chosen greedily."""
    same = [p for p in places if p.size is size][:1]
    missing, chosen = set() if same else set(size.symbols), same
    while missing:
        best = max(
            places, key=lambda p: (len(missing & p.size.symbols), -len(p.size.symbols - size.symbols)), default=None
        )
        if best is None or missing.isdisjoint(best.size.symbols):
            break
        missing -= best.size.symbols
        chosen.append(best)
    return chosen
