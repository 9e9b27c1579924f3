"""What there is: the operators that have a rule, and what each error code stands for."""

from __future__ import annotations

import dataclasses

from shapesmt.api import check
from shapesmt.frontends import Model, load
from shapesmt.ranges import unknown_name
from shapesmt.report import ErrorCode, Operator, Operators


def supported_ops(model: Model | None = None) -> Operators:
    """The operators that have a rule; with a model, those that it uses.

    `expanded` marks those that have none of their own, but stand for nodes that do: a model's functions, and
    operators that their format defines by others.
    """
    from shapesmt.frontends import onnx as frontend
    from shapesmt.ops.registry import resolve, rules

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


def explain_code(code: str) -> ErrorCode:
    """What an error code stands for: the law, a small model that breaks it with its report, and what helps.

    Raises:
        UsageError: The catalogue has no such code.

    >>> explain_code("SM103").report.findings[0].code
    'SM103'
    """
    from shapesmt.codes import CATALOGUE

    entry = CATALOGUE.get(code.upper())
    if entry is None:
        raise unknown_name("error code", code, CATALOGUE, "the catalogue")
    report = check(entry.example.encode(), dims=entry.dims, assume=entry.assume) if entry.example else None
    shown = dataclasses.replace(report, model="example.onnxtxt") if report is not None else None
    return ErrorCode(entry.code, entry.title, entry.law, entry.remedy, entry.example, entry.dims, entry.assume, shown)
