"""Facts of a model: its inputs, dimensions and operators, and the shapes along its networkx graph."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from shapesmt.analysis.diagnose import absent_files
from shapesmt.analysis.verify import Claims, Problem, Question, pinned, pose, shape_claims
from shapesmt.entrypoints.api.inspection import supported_ops
from shapesmt.frontends import ModelSource
from shapesmt.network.graph import networkx_graph
from shapesmt.operators.inference import infer, start
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import DimensionFacts, ModelFacts, TensorFacts

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
    return TensorFacts.of(t.dtype, t.shape if t.is_tensor else None)
