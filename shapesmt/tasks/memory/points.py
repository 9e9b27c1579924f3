"""Points: the bytes that are held while each node runs, including nodes in branches, loops and functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import reduce

from shapesmt.base.deadline import Deadline
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Graph, Node
from shapesmt.operators.inference import Inference, Operators
from shapesmt.operators.rules import Body, Memory, Runs, Tensor
from shapesmt.prover.algebra import TRUE, ZERO, Dim, Formula, all_of, of_atom, product
from shapesmt.tasks.memory.lifetimes import Buffer, Held, Mode, buffer_lifetimes
from shapesmt.tasks.memory.sizes import bytes_of


@frozen()
class Point:
    """The moment when a node runs: the bytes that are held, and the condition under which the node runs."""

    node: str
    op: str
    bytes: Dim
    runs: Formula
    _place: _Place | None = field(default=None, repr=False)
    _index: int = 0

    @property
    def tensors(self) -> list[tuple[str, Dim]]:
        """The tensors that are held, with their bytes."""
        return [] if self._place is None else self._place.held(self._index)


@frozen()
class _Place:
    """A sequence of nodes, with their buffers and the tensors that are held around them."""

    buffers: Sequence[Buffer]
    operators: Operators
    around: Sequence[tuple[str, Dim]] = ()
    path: str = ""

    def held(self, index: int) -> list[tuple[str, Dim]]:
        """Return the tensors that are held while the node of that index runs, with their bytes."""
        own = [(self.path + b.tensor, b.size) for b in self.buffers if b.first <= index <= b.last]
        return [*self.around, *own]


class Points:
    """Every point of a model, except in a run whose sizes equal those of an earlier run of the same nodes.

    Once all points are listed, `unknown` has the tensors and nodes of unknown size, and the nodes whose inner points
    the deadline left out.
    """

    def __init__(self, graph: Graph, inference: Inference, mode: Mode, deadline: Deadline) -> None:
        self._graph, self._inference, self._mode, self._deadline = graph, inference, mode, deadline
        self._runs = _Runs()
        self.unknown: list[str] = []

    def __iter__(self) -> Iterator[Point]:
        graph, inference = self._graph, self._inference
        inner = {i: a.bodies for i, a in enumerate(inference.applications) if a.bodies}
        tensors = inference.tensors
        operators = Operators(graph.opsets, graph.functions)
        sizes = {name: bytes_of(t) for name, t in tensors.items()}
        held = buffer_lifetimes(graph.nodes, graph.outputs, sizes.__getitem__, operators.traits, self._mode)
        return self._inside(graph.nodes, held, _Place(held.buffers, operators), inner, TRUE)

    def _inside(
        self, nodes: Sequence[Node], held: Held, place: _Place, inner: Mapping[int, tuple[Body, ...]], runs: Formula
    ) -> Iterator[Point]:
        """Yield the points of consecutive nodes, which run if `runs` holds, and those of the bodies inside them.

        `inner` has the bodies by the index of their node.
        """
        self.unknown += [place.path + name for name in held.unknown]
        starts, ends = defaultdict(list), defaultdict(list)
        for buffer in held.buffers:
            starts[buffer.first].append(buffer)
            ends[buffer.last].append(buffer)
        live = _total(place.around)
        for i, node in enumerate(nodes):
            for buffer in starts[i]:
                live = live + buffer.size
            if place.operators.traits(node).memory is not Memory.MODEL:
                yield Point(place.path + node.name, node.op, live, runs, place, i)
            bodies = inner.get(i, ())
            if not bodies and (node.attributes.graphs or (node.domain, node.op) in self._graph.functions):
                self.unknown.append(place.path + node.name)
            for body in bodies:
                yield from self._run(body, node, place, i, runs)
            for buffer in ends[i]:
                live = live - buffer.size

    def _run(self, body: Body, node: Node, place: _Place, index: int, runs: Formula) -> Iterator[Point]:
        """Yield the points of a body of node `index`; until it ends, outputs count as the body's, not as the node's."""
        if self._deadline.expired:
            self.unknown.append(place.path + node.name)
            return

        def size(name: str) -> Dim | None:
            bytes_ = bytes_of(body.tensors[name])
            return None if bytes_ is None else body.final_size(bytes_)

        carried, returned = _carried_inputs(node, body, place.operators.traits(node).runs)
        function = self._graph.functions.get((node.domain, node.op))
        operators = place.operators if function is None else Operators(function.opsets, self._graph.functions)
        handed = {place.path + name for name in node.outputs[:returned]}
        around = [(name, bytes_) for name, bytes_ in place.held(index) if name not in handed]
        runs = all_of(runs, body.runs)
        key = self._runs.key(body, _total(around), runs)
        if key in self._runs.listed:
            return
        held = buffer_lifetimes(body.nodes, body.outputs, size, operators.traits, self._mode, carried)
        path = _path(place.path, node, body)
        inner = {i: tuple(_within(b, body) for b in bodies) for i, bodies in body.inner.items()}
        known = len(self.unknown)
        yield from self._inside(body.nodes, held, _Place(held.buffers, operators, around, path), inner, runs)
        if len(self.unknown) == known:  # else its tensors of unknown size are listed each time, by other names
            self._runs.listed.add(key)


class _Runs:
    """The runs of bodies listed so far, to list runs of equal sizes once: functions that call others have 2^n runs."""

    def __init__(self) -> None:
        self.listed: set[Hashable] = set()
        self._symbols: dict[int, list[Dim]] = {}

    def key(self, body: Body, *around: Hashable) -> Hashable:
        """Return a key that is equal for two runs if all sizes inside them, and `around` them, are equal."""
        return id(body.tensors), tuple(map(body.final_size, self._symbols_of(body))), around

    def _symbols_of(self, body: Body) -> list[Dim]:
        """Return the symbols in the sizes of the body's tensors and of its inner runs, before its `changes`."""
        found = self._symbols.get(id(body.tensors))
        if found is None:
            inner = [run for runs in body.inner.values() for run in runs]
            sizes = [p.bytes for p in _tensor_points(body.tensors, "", TRUE)]
            sizes += [run.final_size(s) for run in inner for s in self._symbols_of(run)]
            conditions = [case.condition for t in body.tensors.values() for case in t.cases] + [r.runs for r in inner]
            parts = [part.symbols for part in sizes] + [part.symbols for part in conditions]
            atoms = dict.fromkeys(s for symbols in parts for s in sorted(symbols, key=str))
            found = self._symbols[id(body.tensors)] = [*map(of_atom, atoms)]
        return found


def counts(inference: Inference) -> Iterator[Point]:
    """Yield the number of elements of each tensor, as if they were bytes held at a point."""
    yield from _tensor_points(inference.tensors, "", TRUE)
    seen = _Runs()
    for node, application in zip(inference.graph.nodes, inference.applications, strict=False):
        for body in application.bodies:
            yield from _counted_inside(body, _path("", node, body), TRUE, seen)


def _counted_inside(body: Body, path: str, runs: Formula, seen: _Runs) -> Iterator[Point]:
    runs = all_of(runs, body.runs)
    key = seen.key(body, runs)
    if key in seen.listed:
        return
    seen.listed.add(key)
    for point in _tensor_points(body.tensors, path, runs):
        yield reduce(lambda p, change: replace(p, bytes=change(p.bytes)), body.changes, point)
    for i, bodies in body.inner.items():
        for inner in bodies:
            yield from _counted_inside(_within(inner, body), _path(path, body.nodes[i], inner), runs, seen)


def _path(path: str, node: Node, body: Body) -> str:
    """Return the prefix of names inside a body: `path`, followed for example by `If_3/then_branch/`."""
    return f"{path}{node.name}/{body.label}{'/' if body.label else ''}"


def _tensor_points(tensors: Mapping[str, Tensor], path: str, runs: Formula) -> Iterator[Point]:
    for name, t in tensors.items():
        cases = [(runs, t), *((all_of(runs, case.condition), case.tensor) for case in t.cases)]
        yield from (Point(path + name, "", product(c.shape), when) for when, c in cases if c.shape is not None)


def _within(inner: Body, outer: Body) -> Body:
    """Return a run inside another one, over the symbols of the outer one."""
    for change in outer.changes:
        inner = inner.rewrite(change)
    return inner


def _carried_inputs(node: Node, body: Body, runs: Runs) -> tuple[Sequence[str], int]:
    """Return the loop-carried inputs of a body, and the number of the node's outputs that the body returns.

    Other inputs are views of tensors held outside; for an unknown operator, all are counted.
    """
    if not node.attributes.graphs or runs is Runs.BRANCH:
        return (), len(node.outputs)
    if runs is Runs.LOOP:
        return body.inputs[2:], len(body.inputs) - 2
    scanned = node.attributes.get("num_scan_inputs")
    if runs is Runs.SCAN and isinstance(scanned, int):
        states = len(body.inputs) - scanned
        return body.inputs[:states], states
    return body.inputs, 0


def _total(held: Sequence[tuple[str, Dim]]) -> Dim:
    live = ZERO
    for _, size in held:
        live = live + size
    return live
