"""Points: the bytes that are held while each node runs, including nodes in branches, loops and functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from shapesmt.algebra import TRUE, ZERO, Dim, Formula, all_of, product
from shapesmt.footprint.lifetimes import Buffer, Held, Mode, lifetimes
from shapesmt.footprint.sizes import bytes_of
from shapesmt.graph import Graph, Node
from shapesmt.inference import Inference, Operators
from shapesmt.rules import Body, Memory, Runs, Tensor


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    """Every point of a model; `unknown` has the tensors and nodes of unknown size, once all points are listed."""

    def __init__(self, graph: Graph, inference: Inference, mode: Mode) -> None:
        self._graph, self._inference, self._mode = graph, inference, mode
        self.unknown: list[str] = []

    def __iter__(self) -> Iterator[Point]:
        graph, inference = self._graph, self._inference
        inner = {i: a.bodies for i, a in enumerate(inference.applications) if a.bodies}
        tensors = inference.tensors
        operators = Operators(graph.opsets, graph.functions)
        sizes = {name: bytes_of(t) for name, t in tensors.items()}
        held = lifetimes(graph.nodes, graph.outputs, sizes.__getitem__, operators.traits, self._mode)
        return self._inside(graph.nodes, held, _Place(held.buffers, operators), inner, TRUE)

    def _inside(
        self, nodes: Sequence[Node], held: Held, place: _Place, inner: Mapping[int, tuple[Body, ...]], runs: Formula
    ) -> Iterator[Point]:
        """Yield the points of nodes that run one after another."""
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
        """Yield the points of the nodes inside a node; their outputs count as the node's only once it has run."""

        def size(name: str) -> Dim | None:
            bytes_ = bytes_of(body.tensors[name])
            return None if bytes_ is None else body.changed(bytes_)

        carried, returned = _carried(node, body, place.operators.traits(node).runs)
        function = self._graph.functions.get((node.domain, node.op))
        operators = place.operators if function is None else Operators(function.opsets, self._graph.functions)
        handed = {place.path + name for name in node.outputs[:returned]}
        around = [(name, bytes_) for name, bytes_ in place.held(index) if name not in handed]
        held = lifetimes(body.nodes, body.outputs, size, operators.traits, self._mode, carried)
        path = _path(place.path, node, body)
        inner = {i: tuple(_within(b, body) for b in bodies) for i, bodies in body.inner.items()}
        yield from self._inside(
            body.nodes, held, _Place(held.buffers, operators, around, path), inner, all_of(runs, body.runs)
        )


def counts(inference: Inference) -> Iterator[Point]:
    """Yield the number of elements of each tensor, as if they were bytes held at a point."""
    yield from _counted(inference.tensors, "", TRUE)
    for node, application in zip(inference.graph.nodes, inference.applications, strict=False):
        for body in application.bodies:
            yield from _counted_inside(body, _path("", node, body), TRUE)


def _counted_inside(body: Body, path: str, runs: Formula) -> Iterator[Point]:
    runs = all_of(runs, body.runs)
    for point in _counted(body.tensors, path, runs):
        yield reduce(lambda p, change: replace(p, bytes=change(p.bytes)), body.changes, point)
    for i, bodies in body.inner.items():
        for inner in bodies:
            yield from _counted_inside(_within(inner, body), _path(path, body.nodes[i], inner), runs)


def _path(path: str, node: Node, body: Body) -> str:
    """Return the beginning of the names of nodes and tensors inside a node."""
    return f"{path}{node.name}/{body.label}{'/' if body.label else ''}"


def _counted(tensors: Mapping[str, Tensor], path: str, runs: Formula) -> Iterator[Point]:
    for name, t in tensors.items():
        cases = [(runs, t), *((all_of(runs, case.condition), case.tensor) for case in t.cases)]
        yield from (Point(path + name, "", product(c.shape), when) for when, c in cases if c.shape is not None)


def _within(inner: Body, outer: Body) -> Body:
    """Return a run inside another one, over the symbols of the outer one."""
    for change in outer.changes:
        inner = inner.rewritten(change)
    return inner


def _carried(node: Node, body: Body, runs: Runs) -> tuple[Sequence[str], int]:
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
