"""Cause graph: the nodes that computed the sizes of a finding, and the tensors that connect them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from shapesmt.analysis.verify import Examination, Judgement
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import Atom, Dim, evaluate
from shapesmt.reports.answers import Cause, CauseGraph, Finding, Link, Side, Size, Step

MAX_NODES = 1000  # nodes that are searched between two steps; sources farther away aren't found

MAX_GRAPHS = 40  # findings that get a cause graph; later ones get none

Place: TypeAlias = "int | str"  # the index of a node, or the name of a tensor that no node produces
Names: TypeAlias = "frozenset[str]"  # of symbols


def cause_graphs(findings: Sequence[Finding], examination: Examination) -> dict[int, CauseGraph]:
    """Return the cause graphs of the first findings that have one, by the position of the finding."""
    judged = {j.index: j for j in examination.judgements}
    graphs: dict[int, CauseGraph] = {}
    for place, finding in enumerate(findings):
        judgement = judged.get(finding.index)
        if judgement is not None and finding.because and len(graphs) < MAX_GRAPHS:
            graph = cause_graph_of(finding, examination.original.graph, _shapes(finding, judgement, examination))
            graphs |= {place: graph} if graph.links else {}
    return graphs


def _shapes(finding: Finding, judgement: Judgement, examination: Examination) -> Shapes:
    """Return the shapes over the symbols that the causes use: the problem's, or those narrowed by earlier findings."""
    original, values = examination.original.tensors, judgement.decision.counterexample
    sizes = [(original[c.tensor], c.axis, c.expr) for c in finding.because if c.axis is not None]
    if all(t.shape is not None and str(t.shape[axis]) == text for t, axis, text in sizes):
        return Shapes(original, values)
    return Shapes(judgement.inference.tensors, None if values is None else judgement.narrowing.values(values))


def cause_graph_of(finding: Finding, graph: Graph, shapes: Shapes) -> CauseGraph:
    """Return the graph of the nodes that caused a finding, from the inputs to the failing node."""
    causes: dict[Place, list[Cause]] = {}
    for cause in finding.because:
        index = graph.producer(cause.tensor)
        if index is None or index < finding.index:
            causes.setdefault(cause.tensor if index is None else index, []).append(cause)
    sides = () if finding.clash is None else (finding.clash.left, finding.clash.right)
    about = {place: _names(steps) for place, steps in causes.items()}
    arrivals: dict[Place, list[Arrival]] = {}
    ahead: list[Place] = [finding.index]
    for place in ahead:  # it grows
        if not isinstance(place, str):
            symbols = about[place] if place in about else _names(sides)
            arrivals[place] = _arriving(place, symbols, about, graph, each=place == finding.index)
            ahead += dict.fromkeys(a.source for a in arrivals[place] if a.source not in ahead)
    inputs = [place for place in causes if isinstance(place, str) and place in ahead]
    places: list[Place] = [*inputs, *sorted(place for place in ahead[1:] if not isinstance(place, str))]
    order = {place: i for i, place in enumerate([*places, finding.index])}
    steps = [Step(c.node or c.tensor, c.op_type, c.attributes) for c in (causes[place][0] for place in places)]
    links = [
        Link(order[a.source], i, a.tensor, shapes.sizes(a.tensor, causes[a.source], clashing), a.between)
        for place, i in order.items()
        for clashing in [sides if place == finding.index else ()]
        for a in arrivals.get(place, ())
    ]
    return CauseGraph((*steps, Step(finding.node, finding.op_type, failing=True)), tuple(links))


class Arrival(NamedTuple):
    """A tensor that a node reads, the earlier step that it comes from, and the number of nodes between."""

    source: Place
    tensor: str
    between: int


def _arriving(
    target: int, symbols: Names, sources: Mapping[Place, Names], graph: Graph, *, each: bool
) -> list[Arrival]:
    """Return the nearest sources that together have `symbols`: for `each` input, or for all inputs together."""
    reads = dict.fromkeys(graph.nodes[target].reads)
    chosen: list[Arrival] = []
    for tensors in [[tensor] for tensor in reads] if each else [[*reads]]:
        missing = symbols
        behind = [arrival for tensor in tensors for arrival in _behind(tensor, sources, graph)]
        for arrival in sorted(behind, key=lambda a: -1 if isinstance(a.source, str) else a.source, reverse=True):
            if missing & sources[arrival.source] or not symbols:
                missing -= sources[arrival.source]
                chosen.append(arrival)
    return chosen


def _behind(tensor: str, sources: Container[Place], graph: Graph) -> Iterator[Arrival]:
    """Yield the nearest sources of a tensor, with the number of nodes on the shortest path."""
    ahead, seen = [(tensor, 0)], {tensor}
    for name, between in ahead:  # it grows
        index = graph.producer(name)
        place: Place = name if index is None else index
        if place in sources:
            yield Arrival(place, tensor, between)
        elif index is not None and len(ahead) < MAX_NODES:
            new = [n for n in graph.nodes[index].reads if n not in seen]
            seen.update(new)
            ahead += [(n, between + 1) for n in new]


def _names(formulas: Iterable[Cause | Side]) -> Names:
    """Return the names of the symbols in formulas."""
    return frozenset(name for formula in formulas for name in formula.names)


@frozen(eq=False)
class Shapes:
    """The sizes of tensors, with their values at the counterexample."""

    tensors: Mapping[str, Tensor]
    values: Mapping[Atom, int] | None

    def sizes(self, tensor: str, causes: Sequence[Cause], sides: Sequence[Side]) -> tuple[Size, ...] | None:
        """Return a tensor's shape, each size marked as a side of the clash, a cause or neither; None if unknown."""
        t = self.tensors.get(tensor)
        if t is None or t.shape is None:
            return None
        slotted = [side for side in sides if side.axis is not None or (not side.tensor and side.names)]
        clash = [(side.tensor, side.axis, side.expr) for side in slotted]
        traced = [(c.tensor, c.axis, c.expr) for c in causes]
        sizes = [(tensor, axis, str(size)) for axis, size in enumerate(t.shape)]
        roles = ["clash" if _among(clash, size) else "traced" if _among(traced, size) else "" for size in sizes]
        return tuple([Size(s[2], self._value(d), role) for s, d, role in zip(sizes, t.shape, roles, strict=True)])

    def _value(self, dim: Dim) -> int | None:
        known = self.values is not None and dim.symbols <= self.values.keys()  # data may decide others
        return int(evaluate(dim, self.values)) if known and self.values is not None else None


def _among(sizes: Sequence[tuple[str, int | None, str]], size: tuple[str, int, str]) -> bool:
    """Whether a size is in a list: on the same axis of its tensor, or by the same formula in another."""
    return any(t[:2] == size[:2] if t[0] == size[0] and t[1] is not None else t[2] == size[2] for t in sizes)
