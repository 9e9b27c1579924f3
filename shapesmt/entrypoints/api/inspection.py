"""Inspection: models as graphs and constraints, operators with a rule, error codes."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from shapesmt.analysis.diagnose import absent_files
from shapesmt.analysis.verify import Claims, Problem, Question, pinned, pose, shape_claims
from shapesmt.base.errors import one_frame
from shapesmt.entrypoints.api.opened import Opened
from shapesmt.frontends import Model, ModelSource, load
from shapesmt.network.declarations import unknown_name
from shapesmt.network.graph import Graph, document, networkx_graph
from shapesmt.network.laws import CATALOGUE
from shapesmt.operators.inference import infer, start
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import DimensionFacts, ErrorCode, ModelFacts, Operator, Operators, TensorFacts

if TYPE_CHECKING:
    import networkx as nx

    from shapesmt.operators.rules import Tensor


def flow_of(model: ModelSource, question: Question) -> nx.MultiDiGraph[str]:
    """Return the answer of `dataflow`."""
    deadline = question.deadline
    graph = question.read(model.graph)
    problem = deadline.require(lambda: pinned(pose(graph, question), Judge(deadline)), "the inputs aren't known")
    claims = _claims(problem, question)
    infer_all = partial(infer, problem.graph, problem.inputs, claims=claims)
    tensors = deadline.require(infer_all, "shapes aren't inferred").tensors
    flow = networkx_graph(problem.graph)
    for _, _, edge in flow.edges(data=True):
        t = tensors[edge["tensor"]]
        edge.update(dtype=t.dtype, shape=None if t.shape is None else tuple(map(str, t.shape)))
    return flow


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


def facts_of(model: ModelSource, question: Question) -> ModelFacts:
    """Return the answer of `inspect`; shapes of outputs that can't be inferred within the timeout are omitted."""
    deadline = question.deadline
    graph = question.read(model.graph)
    problem = deadline.require(lambda: pose(graph, question), "the inputs aren't known")
    infer_all = partial(infer, problem.graph, problem.inputs, claims=_claims(problem, question))
    inference = deadline.attempt(infer_all, start(problem.graph, problem.inputs))
    tensors = inference.tensors
    axes: dict[str, list[str]] = {name: [] for name in problem.ranges}
    for tensor, (_, sizes) in problem.declared.items():
        for axis, size in enumerate(sizes or ()):
            axes.get(str(size), []).append(f"{tensor}[{axis}]")
    used = supported_ops(graph).operators
    aliases = {name: alias for alias, name in graph.aliases.items()}
    return ModelFacts(
        graph.source, graph.exporter, graph.opsets if graph.schemas is not None else {}, len(graph.nodes),
        {name: _facts(tensors[name]) for name in graph.inputs},
        {name: _facts(tensors[name]) for name in graph.outputs if name in tensors},
        {n: DimensionFacts(r, tuple(axes[n]), aliases.get(n, "")) for n, r in problem.ranges.items() if axes[n]},
        {o.qualified: o.nodes for o in used},
        {o.qualified: o.nodes for o in used if o.since is None},
        tuple([name for small in problem.small.values() for name in small.names]),
        absent_files(problem.graph, inference),
    )  # fmt: skip


def _claims(problem: Problem, question: Question) -> Mapping[str, Tensor] | None:
    """Return the shapes that the file declares, if the question trusts them."""
    return shape_claims(problem) if question.claims is Claims.TRUST else None


def _facts(t: Tensor) -> TensorFacts:
    return TensorFacts(t.dtype, None if t.shape is None or not t.is_tensor else tuple(map(str, t.shape)))


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


@one_frame
def explain_code(code: str) -> ErrorCode:
    """Return the catalogue's entry for an error code, with a report on its example.

    Args:
        code: The code, such as "SM103", in upper or lower case.

    Raises:
        UsageError: The catalogue has no such code.

    >>> explain_code("SM103").report.findings[0].code
    'SM103'
    """
    entry = CATALOGUE.get(code.upper())
    if entry is None:
        raise unknown_name("error code", code, CATALOGUE, "the catalogue")
    report = (
        Opened(ModelSource(entry.example.encode()), Question(entry.dims, assume=entry.assume)).check()
        if entry.example
        else None
    )
    shown = dataclasses.replace(report, model="example.onnxtxt") if report is not None else None
    told = entry.code, entry.title, entry.sentence, entry.remedy
    return ErrorCode(*told, entry.example, entry.dims, entry.assume, shown)
