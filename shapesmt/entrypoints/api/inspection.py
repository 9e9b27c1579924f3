"""Inspection: models as graphs and constraints, operators with a rule, error codes."""

from __future__ import annotations

import os

from shapesmt.base.errors import one_frame
from shapesmt.frontends import Model, load
from shapesmt.network.graph import Graph, document
from shapesmt.reports.answers import Operator, Operators


@one_frame
def load_graph(model: Model) -> Graph:
    """Return a model as a graph, from ONNX or any other format; `shapesmt.dataflow` returns its networkx graph.

    Raises:
        ModelError: The model can't be read; for node-link JSON, the message names the faulty part.

    >>> graph = load_graph(b'''<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Exp (x) }''')
    >>> graph.nodes[0].op, graph.inputs["x"].shape
    ('Exp', ('n',))
    """
    return load(model)


@one_frame
def save_graph(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model as node-link JSON, which `shapesmt check` and networkx read: see `shapesmt.network.graph.dataflow`.

    Raises:
        UsageError: The path can't be written.
    """
    import json

    from shapesmt.reports.export import write_whole

    text = json.dumps(document(load(model)), indent=1)
    write_whole(path, f"{text}\n".encode())


@one_frame
def supported_ops(model: Model | None = None) -> Operators:
    """Return the operators that have a rule; with a model, those that it uses.

    `expanded` marks operators that have no rule of their own, but stand for nodes that do: a model's functions, and
    operators that their format defines by others.

    >>> model = b'''<ir_version: 8, opset_import: ["":18, "my.own":1]>
    ... g (float[n] x) => (z) { y = my.own.Odd (x) z = Exp (y) }'''
    >>> [(op.qualified, op.since) for op in supported_ops(model).operators]
    [('Exp', 1), ('my.own.Odd', None)]
    """
    from shapesmt.frontends import onnx as frontend
    from shapesmt.operators.rules import resolve, rules

    if model is None:
        ruled = [Operator(r.name, r.domain, r.since, plugin=r.plugin) for r in rules()]
        known = {(o.domain, o.name) for o in ruled}
        bodies = {key: since for key, since in frontend.schemas().bodies().items() if key not in known}
        return Operators(None, (*ruled, *(Operator(n, d, since, expanded=True) for (d, n), since in bodies.items())))
    graph = load(model)
    expandable = graph.schemas.bodies() if graph.schemas is not None else {}
    used: dict[tuple[str, str], int] = {}
    for node in graph.every_node():
        used[node.domain, node.op] = used.get((node.domain, node.op), 0) + 1
    listed = []
    for (domain, name), count in sorted(used.items()):
        rule = resolve(domain, name, graph.opsets.get(domain, 1))
        expanded = (domain, name) in graph.functions or (rule is None and (domain, name) in expandable)
        since = rule.since if rule is not None else expandable.get((domain, name), 1) if expanded else None
        schemas = graph.schemas if since is None else None
        inferred = schemas is not None and schemas.infers(domain, name, graph.opsets.get(domain, 1))
        plugin = "" if rule is None else rule.plugin
        listed.append(Operator(name, domain, since, count, expanded, inferred, plugin))
    return Operators(graph.source, tuple(listed))
