"""Explain: the findings, causes and facts that explain a node, a tensor or the whole model."""

from __future__ import annotations

from functools import partial

from shapesmt.analysis.diagnose.causes import Tracer
from shapesmt.analysis.diagnose.certificate import node_constraints
from shapesmt.analysis.diagnose.core import CoreFinder
from shapesmt.analysis.diagnose.findings import findings_of, precondition
from shapesmt.analysis.diagnose.groups import group_findings
from shapesmt.analysis.diagnose.warnings import stated_of
from shapesmt.analysis.verify import Examination, Examined, tensor_bounds
from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import unknown_name
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Cause, Explanation, Finding, Group


def explanation_of(a: Examined, target: str | None, *, constraints: bool) -> Explanation:
    """Explain a node, a tensor or the whole model (None); with `constraints`, also the node's part of the system.

    Raises:
        UsageError: The target is neither a node nor a tensor; or `constraints` is set and no node computes it.
    """
    problem, examination, judge = a.problem, a.examination, a.judge
    graph, inference = problem.graph, examination.inference
    nodes = {n.name for n in graph.nodes}
    if target is not None and target not in nodes and target not in inference.tensors:
        raise unknown_name("node or tensor", str(target), [*nodes, *inference.tensors], graph.source)
    index = None if target is None else graph.place(target)
    every = findings_of(a)
    region = precondition(a) if target is None else None
    groups: tuple[Group, ...] = ()
    if region is not None:
        shown, groups = group_findings(every, a, region)
    else:
        shown = _about(index, every, examination)
    touched, causes = _tensors_and_causes(target, index, a)
    cores, in_time = CoreFinder(a), judge.deadline.attempt
    judged = next((j for j in examination.judgements if any(f.index == j.index for f in shown)), None)
    if constraints and index is None:
        raise UsageError("constraints are those of one node; name a node, or a tensor that a node computes")
    system = partial(node_constraints, a, index or 0)
    return Explanation(
        graph.source,
        target,
        examination.verdict if target is None else Verdict.worst(f.verdict for f in shown),
        problem.ranges,
        shown,
        in_time(lambda: cores.of_failure(judged), ()) if judged is not None else (),
        causes,
        tensor_bounds(a, touched) if not examination.fails else {},
        region,
        a.seconds,
        problem.assumptions,
        in_time(lambda: cores.of_success(index), ()) if index is not None and not shown else (),
        judge.deadline.require(system, "the constraints aren't complete") if constraints else None,
        groups,
        stated_of(a),
    )


def _tensors_and_causes(target: str | None, index: int | None, a: Examined) -> tuple[list[str], tuple[Cause, ...]]:
    """Return the tensors of a target (a node's inputs and outputs, or itself), and the causes of a tensor's sizes."""
    tensors, graph = a.examination.inference.tensors, a.examination.inference.graph
    if target in tensors:
        tracer = Tracer(graph, a.examination.original.tensors)
        return [target], a.judge.deadline.attempt(partial(tracer.causes, target), ())
    node = None if index is None else graph.nodes[index]
    return [t for t in (*node.inputs, *node.outputs) if t in tensors and t] if node is not None else [], ()


def _about(index: int | None, every: tuple[Finding, ...], examination: Examination) -> tuple[Finding, ...]:
    """Return the findings about a node; if no input reaches it, the findings about the nodes that prevent it."""
    own = tuple(f for f in every if f.index == index)
    if own or index not in examination.unreachable:
        return own
    failing = {f.index for f in every if f.verdict is Verdict.FAILS}
    before = examination.inference.graph.ancestors(index, failing)
    return tuple(f for f in every if f.index in before and f.verdict is Verdict.FAILS)
