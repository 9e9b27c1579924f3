"""Nodes that ONNX Runtime's default session rewrites and then refuses, kept apart so that it leaves them alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import Examination
from shapesmt.network.graph import Attributes, Node
from shapesmt.operators.inference import Operators, matches
from shapesmt.tasks.repair.candidates.site import Change, Site
from shapesmt.tasks.repair.edit import Edit

SINCE = 4
"""The first opset whose Concat states its axis."""
COST = 4.0


def kept_apart(a: Analysis, examination: Examination) -> Iterator[Change]:
    """Yield changes that put a Concat of one operand between nodes that the session would replace together.

    First each place alone, then all at once. `examination` has what only the session refuses.
    """
    session, graph = examination.session, a.problem.graph
    if session is None or session.examination is None or graph.opsets.get("", 1) < SINCE:
        return
    run, tensors = session.graph, a.examination.original.tensors
    upstream = {i for j in session.examination.judgements for i in (j.index, *run.graph.ancestors(j.index))}
    rewritten = {run.places[i] for i in upstream} & run.says.keys()
    operators = Operators(graph.opsets, graph.functions)
    places = dict.fromkeys((m.index, m.rewrite.place) for m in matches(graph, tensors) if m.index in rewritten)
    sites = [(Site(graph, index, tensors, (), 0, operators), place) for index, place in places]
    found = [(site, place) for site, place in sites if site.rank(place)]
    yield from (_apart([each]) for each in found)
    if len(found) > 1:
        yield _apart(found)


def _apart(places: Sequence[tuple[Site, int]]) -> Change:
    """Return the change that puts a Concat of one operand before each of these operands of different nodes."""
    nodes, before = dict[int, Node](), dict[int, tuple[Node, ...]]()
    for site, place in places:
        name = site.node.inputs[place]
        made = f"{site.name(name)}.{site.index}"
        nodes[site.index] = site.reading({place: made})
        before[site.index] = (Node("Concat", "", made, [name], [made], Attributes({"axis": 0})),)
    where = ", ".join(f"input {place} of {site.node.name or site.node.op}" for site, place in places)
    return places[0][0].change("node", "Concat", None, where, Edit(nodes, before), COST)
