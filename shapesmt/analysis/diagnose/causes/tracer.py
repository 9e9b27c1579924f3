"""Tracer: follow a size back through the graph, from node to node, by the nodes' own rules.

A node that passes a size on, on the same axis, is no cause. Its causes are the nodes that compute it, that move it to
another axis or element, or that take it from a constant. Ranks and element types are traced in the same way.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import count
from typing import NamedTuple

from shapesmt.analysis.diagnose.causes.places import Place, covering, moved, telling
from shapesmt.analysis.diagnose.causes.provenance import Part, Provenance, provenance_of
from shapesmt.analysis.diagnose.settings import alone, settings_of
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Graph, Node, Nodes
from shapesmt.operators.inference import Operators, Slot, Slots
from shapesmt.operators.rules import Elements, Field, Memory, Tensor, extremes, held
from shapesmt.prover.algebra import ONE, Atom, Dim, Evaluator
from shapesmt.reports.answers import Cause, Clash, Side, Source

MAX_CAUSES = 16
READABLE = 100  # the most characters of a formula for which no shorter form is sought
MAX_STEPS = 600  # the most sizes that are traced for one finding
MAX_APPLIED = 60  # the most of them for which rules are applied again; the others are traced by their formulas alone


class _Shared(NamedTuple):
    """Cache that the tracers of one graph share: provenances of sizes, and the names of constants."""

    provenances: dict[Hashable, Provenance | None]
    constants: set[str]


@frozen(eq=False)
class Tracer:
    """Traces sizes back through a graph.

    Attributes:
        values: The counterexample, at which formulas are evaluated; None without one.
    """

    graph: Graph
    tensors: Mapping[str, Tensor]
    values: Mapping[Atom, int] | None = None
    _shared: _Shared = field(default_factory=lambda: _Shared({}, set()))

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

    def causes(self, name: str) -> tuple[Cause, ...]:
        """Return the nodes that decided the sizes of a tensor, and its elements if those are sizes."""
        return self.causes_of(p for p in self.places(name) if p.symbols)

    def causes_of(self, starts: Iterable[Place]) -> tuple[Cause, ...]:
        """Return the nodes that decided properties of tensors, from the inputs on, without those that pass them on."""
        deciding: list[Place] = []
        first = dict.fromkeys(starts)
        pending, visited = [*first][::-1], set[Place]()
        while pending and len(visited) < MAX_STEPS:
            place = pending.pop()
            if place in visited:
                continue
            visited.add(place)
            index = self.graph.producer(place.tensor)
            node = None if index is None else self.graph.nodes[index]
            if node is None:
                earlier, decided = list[Place](), bool(place.symbols) or place not in first
            else:
                earlier, decided = self._step(place, node, apply=len(visited) <= MAX_APPLIED)
            deciding += [place] if decided else []
            pending += earlier[::-1]
        deciding.sort(key=lambda p: (*self.rank(p.tensor), p.axis is None, p.axis or 0, p.element or 0))
        if len(deciding) > MAX_CAUSES:
            given = [p for p in deciding if self.graph.producer(p.tensor) is None][: MAX_CAUSES // 4]
            deciding = [*given, *[p for p in deciding if p not in given][len(given) - MAX_CAUSES :]]
        return tuple([self._cause(place) for place in deciding])

    def rank(self, name: str) -> tuple[int, int]:
        """Return the order of a tensor among all: the inputs come first, then the outputs of each node."""
        index = self.graph.producer(name)
        if index is None:
            return -1, self._inputs.get(name, 0)
        return index, self.graph.nodes[index].outputs.index(name)

    def is_constant(self, name: str) -> bool:
        """Whether a tensor is a constant of the file, or computed from constants alone."""
        if not self._shared.constants:
            self._shared.constants.update(_constants_of(self.graph))
        return name in self._shared.constants

    def is_given(self, name: str) -> bool:
        """Whether the file has a tensor as a constant, which may be a node without inputs."""
        index = self.graph.producer(name)
        return name not in self._inputs if index is None else not any(self.graph.nodes[index].inputs)

    def places(self, name: str) -> Iterator[Place]:
        """Yield the sizes of a tensor's axes, in each of its cases, and those among its elements."""
        t = self.tensors[name]
        for each in (t, *(case.tensor for case in t.cases)):
            for axis, size in enumerate(each.shape or () if t.is_tensor else ()):
                yield Place(name, Part("axis", axis), size)
        yield from (Place(name, Part("element", index), size) for size, index in _elements(t))

    def input_places(self, node: Node) -> Iterator[Place]:
        """Yield the `places` of a node's inputs."""
        for name in dict.fromkeys(n for n in node.inputs if n and n in self.tensors):
            yield from self.places(name)

    @cached_property
    def _inputs(self) -> dict[str, int]:
        return dict(zip(self.graph.inputs, count(), strict=False))

    @cached_property
    def _operators(self) -> Operators:
        return Operators(self.graph.opsets, self.graph.functions)

    def _step(self, place: Place, node: Node, *, apply: bool) -> tuple[list[Place], bool]:
        """Return properties of a node's inputs from which it has one of its output, and whether it decides that."""
        passed = self._elementwise(place, node)
        if passed is not None:
            return [passed], False
        read = [*self.input_places(node)] if place.symbols else []
        same = [p for p in read if p.value is place.value]
        if place.symbols and not same:
            return covering(place.value, read), True
        found = self._provenance(place, node) if apply and len(same) != 1 else None
        if found is None:
            return same[:1], not same or self._decides(same[0], place, node)
        sources = [Place(node.inputs[s.input], s.part, s.value) for s in found.sources]
        computed = sorted((p for p in sources if not self.is_constant(p.tensor)), key=lambda p: self.rank(p.tensor))
        if not found.taken:
            return telling(place.value, computed), True
        chosen = (computed or [p for p in sources if p.part.kind == "axis" or not self.is_given(p.tensor)])[:1]
        introduced = not computed and not self.is_constant(place.tensor)
        return chosen, introduced or not chosen or self._decides(chosen[0], place, node)

    def _decides(self, before: Place, after: Place, node: Node) -> bool:
        """Whether a node that takes a property from an input puts it elsewhere, or prefers it to an earlier input's."""
        t, made = self.tensors[before.tensor], self.tensors[after.tensor]
        if moved((before.part, t), (after.part, made)):
            return True
        if after.part.kind == "rank":  # one that reduces an axis to 1 might have dropped it
            return any(new is ONE is not old for old, new in zip(t.shape or (), made.shape or (), strict=False))
        if after.axis is None:
            return False
        back = after.axis - made.rank
        others = node.inputs[: node.inputs.index(before.tensor)]
        shapes = [self.tensors[name].shape or () for name in others if name in self.tensors]
        sizes = {self._number(shape[back]) for shape in shapes if len(shape) >= -back}
        return not sizes <= {1, self._number(made.dims[after.axis])}

    def _elementwise(self, place: Place, node: Node) -> Place | None:
        """Return the same axis of an input of the same shape, if the node works element by element."""
        t = self.tensors[place.tensor]
        if place.part.kind != "axis" or self._operators.traits(node).memory is not Memory.ELEMENTWISE:
            return None
        alike = [n for n in node.inputs if n in self.tensors and self.tensors[n].shape == t.shape]
        own = [n for n in alike if not self.is_constant(n)]
        return place._replace(tensor=min(own, key=self.rank)) if own else None

    def _provenance(self, place: Place, node: Node) -> Provenance | None:
        """Return where a node has a property from by its rule; None if it isn't asked: the node has graphs inside."""
        if node.attributes.graphs or (node.domain, node.op) in self.graph.functions or place.part.index is None:
            return None
        read = {name: self.tensors[name] for name in node.reads if name in self.tensors}
        output, constant = node.outputs.index(place.tensor), map(self.is_constant, node.inputs)
        inputs = (*map(node.inputs.index, node.inputs), *map(self.tensors.get, node.inputs), *constant)
        key = (node.domain, node.op, node.attributes, inputs, output, place.part)
        if key not in self._shared.provenances:
            around, _ = alone(node, self.graph, read)
            constants = {i for i, name in enumerate(node.inputs) if self.is_constant(name)}
            self._shared.provenances[key] = provenance_of(
                node, around, read, output, (place.part, place.value), constants
            )
        return self._shared.provenances[key]

    def _cause(self, place: Place) -> Cause:
        index, kind, value = self.graph.producer(place.tensor), place.part.kind, place.value
        number = self._number(value) if isinstance(value, Dim) else None
        text = self._formula(place.tensor) if kind == "rank" else str(value)
        at = place.tensor, place.axis, text, number
        names, about = tuple(sorted({s.name for s in place.symbols})), kind if kind in ("rank", "type") else ""
        constant = self.is_constant(place.tensor)
        shape = self._shape(place.tensor) if place.axis is not None and not constant else ()
        if index is None:
            return Cause("", *at, shape=shape, names=names, element=place.element, about=about, constant=constant)
        node, line = self.graph.nodes[index], source_of(self.graph, index)
        settings = settings_of(node, *alone(node, self.graph, self.tensors))
        return Cause(node.name, *at, node.op, settings, shape, line, names, element=place.element, about=about)

    def _formula(self, name: str) -> str:
        return f"[{', '.join(map(str, self.tensors[name].shape or ()))}]"

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

    def _side(self, node: Node, size: Dim, slot: Slot | None, name: str) -> Side:
        about, names = (str(size), self._number(size)), tuple(sorted({s.name for s in size.symbols}))
        if slot is None:
            return Side(*about, name=name, names=names)
        return Side(*about, node.inputs[slot.input], slot.axis, slot.element, names=names)


def source_of(graph: Graph, index: int) -> Source | None:
    """Return the line of Python that a node was exported from; None if the file doesn't say."""
    line = graph.source_line(index, graph.nodes[index])
    return None if line is None else Source(*line)


def _constants_of(graph: Graph) -> set[str]:
    """Return the names of a graph's constants, of the tensors that nodes compute from constants alone, and ""."""
    found = {"", *graph.literals}
    nodes = Nodes.of(graph.nodes)
    for reads, writes in zip(nodes.inputs, nodes.outputs, strict=True):
        if found.issuperset(reads):
            found.update(writes)
    return found


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
