"""Chain: the steps through which the sizes of a finding came to be, with the tensors that pass between them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from shapesmt.algebra import Atom, Dim, evaluate
from shapesmt.examine import Examination, Judgement
from shapesmt.graph import Graph
from shapesmt.report import Cause, CauseGraph, Finding, Link, Side, Size, Step
from shapesmt.rules import Tensor

MAX_NODES = 1000  # that are looked at between two steps

MAX_GRAPHS = 40  # findings that are told with theirs

_NAME = re.compile(r"`[^`]*`|[^\W\d]\w*")

Place: TypeAlias = "int | str"  # the index of a node, or the name of a tensor that no node makes
Names: TypeAlias = "frozenset[str]"  # of symbols


def cause_graphs(findings: Sequence[Finding], examination: Examination) -> dict[int, CauseGraph]:
    """The chains of the first findings that have one, by the place of the finding."""
    judged = {j.index: j for j in examination.judgements}
    made: dict[int, CauseGraph] = {}
    for place, found in enumerate(findings):
        judgement = judged.get(found.index)
        if judgement is not None and found.because and len(made) < MAX_GRAPHS:
            told = cause_graph(found, examination.original.graph, _shapes(found, judgement, examination))
            made |= {place: told} if told.links else {}
    return made


def _shapes(found: Finding, judgement: Judgement, examination: Examination) -> Shapes:
    """The shapes in the symbols that the causes are told in: the problem's own, or what was left of them by then."""
    original, values = examination.original.tensors, judgement.decision.counterexample
    told = [(original[c.tensor], c.axis, c.expr) for c in found.because if c.axis is not None]
    if all(t.shape is not None and str(t.shape[axis]) == text for t, axis, text in told):
        return Shapes(original, values)
    return Shapes(judgement.inference.tensors, None if values is None else judgement.narrowing.values(values))


def producers(graph: Graph) -> dict[str, tuple[str, str]]:
    """The node and the operator that make each tensor; "" and "input" or "constant" where none does."""
    given = {name: ("", "input" if name in graph.inputs else "constant") for name in (*graph.inputs, *graph.literals)}
    return given | {name: (node.name, node.op) for node in graph.nodes for name in node.outputs}


def cause_graph(found: Finding, graph: Graph, shapes: Shapes) -> CauseGraph:
    """The steps through which the causes of a finding lead to it."""
    causes: dict[Place, list[Cause]] = {}
    for cause in found.because:
        index = graph.producer(cause.tensor)
        if index is None or index < found.index:
            causes.setdefault(cause.tensor if index is None else index, []).append(cause)
    sides = () if found.clash is None else (found.clash.left, found.clash.right)
    about = {place: _names(told) for place, told in causes.items()}
    arrivals: dict[Place, list[Arrival]] = {}
    ahead: list[Place] = [found.index]
    for place in ahead:  # it grows
        if not isinstance(place, str):
            wanted = about[place] if place in about else _names(sides)
            arrivals[place] = _arriving(place, wanted, about, graph, each=place == found.index)
            ahead += dict.fromkeys(a.source for a in arrivals[place] if a.source not in ahead)
    inputs = [place for place in causes if isinstance(place, str) and place in ahead]
    places: list[Place] = [*inputs, *sorted(place for place in ahead[1:] if not isinstance(place, str))]
    order = {place: i for i, place in enumerate([*places, found.index])}
    steps = [Step(c.node or c.tensor, c.op_type, c.attributes) for c in (causes[place][0] for place in places)]
    links = [
        Link(order[a.source], i, a.tensor, shapes.sizes(a.tensor, causes[a.source], told), a.between)
        for place, i in order.items()
        for told in [sides if place == found.index else ()]
        for a in arrivals.get(place, ())
    ]
    return CauseGraph((*steps, Step(found.node, found.op_type, failing=True)), tuple(links))


class Arrival(NamedTuple):
    """A tensor that a node reads, the source that it comes from and how many nodes are between."""

    source: Place
    tensor: str
    between: int


def _arriving(target: int, wanted: Names, sources: Mapping[Place, Names], graph: Graph, *, each: bool) -> list[Arrival]:
    """The nearest sources that between them have the wanted symbols: of `each` input, or of all of them together."""
    reads = dict.fromkeys(graph.nodes[target].reads)
    chosen: list[Arrival] = []
    for tensors in [[tensor] for tensor in reads] if each else [[*reads]]:
        missing = wanted
        behind = [arrival for tensor in tensors for arrival in _behind(tensor, sources, graph)]
        for arrival in sorted(behind, key=lambda a: -1 if isinstance(a.source, str) else a.source, reverse=True):
            if missing & sources[arrival.source] or not wanted:
                missing -= sources[arrival.source]
                chosen.append(arrival)
    return chosen


def _behind(tensor: str, sources: Container[Place], graph: Graph) -> Iterator[Arrival]:
    """The nearest sources that a tensor is made from, and the nodes between on the shortest way."""
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


def _names(told: Iterable[Cause | Side]) -> Names:
    """The symbols that formulas speak of."""
    return frozenset(name for one in told for name in _NAME.findall(one.expr)) - {"min", "max", "abs", "if", "else"}


@dataclass(frozen=True, eq=False)
class Shapes:
    """The sizes of tensors, with their values at the counterexample."""

    tensors: Mapping[str, Tensor]
    values: Mapping[Atom, int] | None

    def sizes(self, tensor: str, causes: Sequence[Cause], sides: Sequence[Side]) -> tuple[Size, ...] | None:
        """The shape of a tensor, each size with its part: whether the causes tell of it, or it is one of the sides."""
        t = self.tensors.get(tensor)
        if t is None or t.shape is None:
            return None
        clash = [(side.tensor, side.axis, side.expr) for side in sides]
        traced = [(c.tensor, c.axis, c.expr) for c in causes]
        sizes = [(tensor, axis, str(size)) for axis, size in enumerate(t.shape)]
        roles = ["clash" if _among(clash, size) else "traced" if _among(traced, size) else "" for size in sizes]
        return tuple([Size(s[2], self._value(d), role) for s, d, role in zip(sizes, t.shape, roles, strict=True)])

    def _value(self, dim: Dim) -> int | None:
        known = self.values is not None and dim.symbols <= self.values.keys()  # data may decide others
        return int(evaluate(dim, self.values)) if known and self.values is not None else None


def _among(told: Sequence[tuple[str, int | None, str]], size: tuple[str, int, str]) -> bool:
    """Whether a size is one of those told of: on its axis of its tensor, or by the same formula in another."""
    return any(t[:2] == size[:2] if t[0] == size[0] and t[1] is not None else t[2] == size[2] for t in told)
