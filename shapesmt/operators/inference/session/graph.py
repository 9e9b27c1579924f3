"""The session's graph: the file's, with the nodes replaced that match a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Graph, Node, Nodes
from shapesmt.operators.inference.loading import SHAPES, Refusal, is_loaded, refusal
from shapesmt.operators.inference.schema_types import inferred_types, literal_of
from shapesmt.operators.inference.session.sites import File, Session
from shapesmt.operators.ops import BY_OP
from shapesmt.operators.rules import Made, Rewrite, Tensor

if TYPE_CHECKING:
    from shapesmt.operators.inference.session.loaded import Earlier
    from shapesmt.operators.inference.static import Found

SESSION = "as the session runs it"
"""The key under which a graph remembers the session's graph."""
LAST, REFUSED = 2, 3
FOLDED = "what is computed from constants is a constant"
ROUNDS = 8  # the most times that nodes are replaced: each time, sizes may be known that weren't before


@frozen(eq=False)
class SessionGraph:
    """The graph that the session runs.

    Attributes:
        graph: The graph; a node that replaces another one has its name and outputs.
        places: The index of the file's node for each of its nodes.
        says: The rewrites, by the index of the file's node.
        removed: The indices of the file's nodes that the session doesn't run, those that it replaces included.
        stage: The stage of the last rewrites; `REFUSED` if the session refuses the file once it computed constants.
    """

    graph: Graph
    places: Sequence[int]
    says: Mapping[int, str]
    removed: frozenset[int]
    stage: int


@dataclass(frozen=True, eq=False)
class Match:
    """A node that the session may replace, by its index, with the record and the other node of the pattern."""

    index: int
    rewrite: Rewrite
    feed: Node


def matches(graph: Graph, tensors: Mapping[str, Tensor]) -> tuple[Match, ...]:
    """Return the nodes that the session may replace, whatever it knows of their sizes when it loads the file."""
    kinds = Nodes.of(graph.nodes).kinds
    if not is_loaded(graph) or not any(kind.op in BY_OP for kind in {*kinds}):
        return ()
    site = File(graph, tensors)
    return tuple(match for index, kind in enumerate(kinds) if kind.op in BY_OP for match in _at(site, index))


def _at(site: File, index: int) -> Iterator[Match]:
    node = site.graph.nodes[index]
    for rewrite in BY_OP[node.op]:
        feed = rewrite.feed(site, node)
        if feed is not None:
            yield Match(index, rewrite, feed)


def differing(
    graph: Graph, tensors: Mapping[str, Tensor], valid: Mapping[str, Tensor], failing: AbstractSet[int]
) -> bool:
    """Whether the session may fail where the file's nodes run, give another shape there, or run where they fail.

    Args:
        graph: The file's graph.
        tensors: Its tensors for all inputs.
        valid: Its tensors for the inputs for which its nodes run.
        failing: The indices of the nodes that fail for some input.
    """
    site, running, listed = File(graph, tensors), File(graph, valid), matches(graph, tensors)
    found = [(m, None if m.rewrite.alone else m.rewrite.make(site, graph.nodes[m.index], m.feed)) for m in listed]
    # what becomes a constant does so here, too: the session knows no more sizes than are inferred
    found = [(m, made) for m, made in found if m.rewrite.alone or made is not None]
    if not all(m.rewrite.agrees(running, graph.nodes[m.index], m.feed) for m, _ in found):
        return True
    if any(_refuses(graph, tensors, graph.nodes[index]) for index in failing):
        return True
    if not found or not failing:
        return False
    left: dict[int, list[str]] = {}
    for m, made in found:
        kept = left.get(m.index, graph.nodes[m.index].inputs)
        fed = graph.nodes[m.index].inputs[m.rewrite.place]
        left[m.index] = [name for name in kept if name != fed] if made is None else _read_by(made)
    return not failing.isdisjoint(left) or not failing.isdisjoint(_unread(graph, left))


def _read_by(made: Made) -> list[str]:
    return [name for node in made.nodes for name in node.inputs]


def _refuses(graph: Graph, tensors: Mapping[str, Tensor], node: Node) -> bool:
    """Whether the session may refuse to load the file because of a node that reads what it computes from constants."""
    makers = [graph.producer(name) for name in node.inputs]
    inputs = [tensors.get(name) if name else None for name in node.inputs]
    folded = any(
        t is not None and literal_of(t) is not None
        for t, i in zip(inputs, makers, strict=True)
        if i is not None and graph.nodes[i].inputs
    )
    if not folded or not is_loaded(graph) or graph.schemas is None or node.attributes.graphs:
        return False
    return isinstance(inferred_types(graph.schemas, node, graph.opsets, inputs), str)


def _unread(graph: Graph, reads: Mapping[int, Sequence[str]]) -> set[int]:
    """Return the nodes that nothing reads any more, directly or not, if some nodes read these tensors instead."""
    unread, outputs, readers = set[int](), {*graph.outputs}, dict[str, list[int]]()
    for i, names in reads.items():
        for name in names:
            readers.setdefault(name, []).append(i)

    def is_read(name: str) -> bool:
        others = (i for i in graph.consumers(name) if i not in reads)
        return name in outputs or any(i not in unread for i in chain(readers.get(name, ()), others))

    ahead = [name for i, kept in reads.items() for name in graph.nodes[i].reads if name not in kept]
    while ahead:
        index = graph.producer(ahead.pop())
        if (
            index is not None
            and index not in unread
            and not any(map(is_read, filter(None, graph.nodes[index].outputs)))
        ):
            unread.add(index)
            ahead += reads.get(index, graph.nodes[index].reads)
    return unread


def session_graph(graph: Graph) -> SessionGraph | None:
    """Return the graph that the session runs; None if it runs the file's nodes, or never loads the file."""
    if SESSION not in graph.memory:
        graph.memory[SESSION] = _wholly_rewritten(graph)
    known: SessionGraph | None = graph.memory[SESSION]
    return known


def _wholly_rewritten(graph: Graph) -> SessionGraph | None:
    """Return the graph after all rewrites, those of a later stage once no earlier one changes anything."""
    from shapesmt.operators.inference.session.loaded import Earlier

    earlier = Earlier()
    whole, stage = None, 0
    for _ in range(ROUNDS):
        again = _rewritten(graph if whole is None else whole.graph, stage, earlier)
        if again is None:
            break
        whole = again if whole is None else _after(whole, again)
        if again.stage == REFUSED:
            break
        stage = again.stage if again.stage == LAST else stage
    return whole


def _after(first: SessionGraph, again: SessionGraph) -> SessionGraph:
    """Return both rewritings as one, of the file's graph."""
    places = [first.places[index] for index in again.places]
    says = {**{first.places[index]: text for index, text in again.says.items()}, **first.says}
    removed = first.removed | {first.places[index] for index in again.removed}
    return SessionGraph(again.graph, places, says, removed, again.stage)


def _refused(graph: Graph, found: Found) -> SessionGraph:
    """Return the graph with the refusal of a node."""
    whole = replace(graph)
    whole.memory[SHAPES] = {found.place: Refusal((refusal(found.law, found.path),))}
    return SessionGraph(whole, range(len(graph.nodes)), {found.place: FOLDED}, frozenset(), REFUSED)


def _rewritten(graph: Graph, first: int, earlier: Earlier) -> SessionGraph | None:
    """Return the graph after the rewrites of one stage, the first from `first` on of which some apply; else None.

    Inferences of nodes are taken from `earlier`, and added to it.
    """
    from shapesmt.operators.inference.session.loaded import tensors_when_loaded

    loaded = tensors_when_loaded(graph, earlier)
    if not isinstance(loaded, dict):
        return _refused(graph, loaded)
    site, made, says = Session(graph, loaded), dict[int, Made](), dict[int, str]()
    stage = first
    for match in sorted(matches(graph, site.tensors), key=lambda match: match.rewrite.stage):
        if match.rewrite.stage < first:
            continue
        if made and match.rewrite.stage > stage:
            break
        stage, node = match.rewrite.stage, graph.nodes[match.index]
        feed = match.rewrite.feed(site, node)
        new = None if feed is None or match.index in made else match.rewrite.make(site, node, feed)
        if new is not None:
            made[match.index], says[match.index] = new, match.rewrite.says
    if not made:
        return None
    removed = _unread(graph, {i: _read_by(new) for i, new in made.items()})
    nodes = [
        (index, node)
        for index, old in enumerate(graph.nodes)
        if index not in removed
        for node in (made[index].nodes if index in made else (old,))
    ]
    literals = {name: literal for new in made.values() for name, literal in new.literals.items()}
    places = [index for index, _ in nodes]
    whole = replace(
        graph,
        opsets={**{node.domain: 1 for new in made.values() for node in new.nodes}, **graph.opsets},
        nodes=Nodes.of([node for _, node in nodes]),
        literals={**graph.literals, **literals},
        source_line=lambda index, node: graph.source_line(places[index], node),
    )
    return SessionGraph(whole, places, says, frozenset({*removed, *made}), stage)
