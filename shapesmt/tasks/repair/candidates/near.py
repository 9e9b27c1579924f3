"""The nodes near those that fail, which may be changed, and the first consumers of inputs."""

from __future__ import annotations

from collections.abc import Iterator

from shapesmt.analysis.analysis import Analysis
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Body
from shapesmt.tasks.repair.candidates.site import Site

HOPS = 40
"""Edges up from a failing node to the farthest node that is changed."""
SITES = 300
"""Nodes that are changed, at most."""


def sites(a: Analysis) -> list[Site]:
    """Return the failing nodes and the nodes upstream of them, the nearest first, with the nodes of their subgraphs."""
    graph, inference = a.problem.graph, a.examination.original
    operators = Operators(graph.opsets, graph.functions)
    hops, sizes = _hops(a), _sizes(a)
    found = []
    for index in sorted(hops, key=lambda i: (hops[i], -i))[:SITES]:
        site = Site(graph, index, inference.tensors, sizes, hops[index], operators)
        found.append(site)
        if index < len(inference.applications):
            found += _inside(site, inference.applications[index].bodies)
    return found


def readers(a: Analysis) -> list[Site]:
    """Return the first consumer of each model input as a `Site`."""
    graph = a.problem.graph
    first = dict.fromkeys(i for name in graph.inputs for i in graph.consumers(name)[:1])
    operators = Operators(graph.opsets, graph.functions)
    return [Site(graph, index, a.examination.original.tensors, (), 0, operators) for index in first]


def _inside(site: Site, bodies: tuple[Body, ...]) -> Iterator[Site]:
    """Yield a `Site` for each node of the node's subgraphs, the last node first; `bodies` has their tensors."""
    attributes = site.node.attributes
    for name, graph in attributes.items():
        body = next((b for b in bodies if len(attributes.graphs) == 1 or b.label == name), None)
        for index in reversed(range(len(graph.nodes))) if isinstance(graph, Graph) else ():
            tensors = {**site.tensors, **(body.tensors if body is not None else {})}
            around = (*site.around, (site.graph, site.index, name))
            inner = Site(graph, index, tensors, site.sizes, site.hops + 1, site.operators, around)  # type: ignore[arg-type]
            yield inner
            yield from _inside(inner, (body.inner if body is not None else {}).get(index, ()))


def _hops(a: Analysis) -> dict[int, int]:
    """Return the failing nodes (0) and nodes upstream of them, with the number of edges to the nearest failing one."""
    graph = a.problem.graph
    hops = {j.index: 0 for j in a.examination.judgements}
    ahead = [*hops]
    for far in range(1, HOPS + 1):
        names = [name for index in ahead for name in graph.nodes[index].reads]
        producers = [graph.producer(name) for name in names]
        ahead = [*dict.fromkeys(i for i in producers if i is not None and i not in hops)]
        hops.update(dict.fromkeys(ahead, far))
    return hops


def _sizes(a: Analysis) -> tuple[int, ...]:
    """Return numbers that clash, those that outputs declare, and minimums of symbolic sizes that clash, at most 8."""
    every = [(j, side) for j in a.examination.judgements[:4] for r in j.open for side in (r.left, r.right)]
    pairs = [(j, side) for j, side in every if side is not None]
    numbers = [side.constant for _, side in pairs]
    declared = [a.problem.graph.declared.get(name) for name in a.problem.graph.outputs]
    numbers += [d for one in declared if one is not None for d in one.shape or () if isinstance(d, int)]
    ends = [a.judge.extent(j.domain, side)[0].value for j, side in pairs if side.constant is None]
    return tuple(dict.fromkeys(n for n in (*numbers, *ends) if n is not None and n > 1))[:8]
