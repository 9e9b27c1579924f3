"""Explain: the findings and causes behind a node, a tensor or the whole model, and the facts that suffice."""

from __future__ import annotations

import time

from shapesmt.causes import causes
from shapesmt.diagnose import Examination, Judgement, findings, precondition
from shapesmt.dim import of_atom
from shapesmt.extents import tensor_bounds
from shapesmt.formula import Formula, equal
from shapesmt.printing import name_text
from shapesmt.problem import Problem
from shapesmt.ranges import unknown_name
from shapesmt.report import Cause, Explanation, Fact, Verdict
from shapesmt.solve.judge import Judge


def explanation(
    problem: Problem, examination: Examination, judge: Judge, target: str | None, started: float
) -> Explanation:
    """Why the target is as it is.

    Raises:
        UsageError: The target is neither a node nor a tensor.
    """
    graph, inference = problem.graph, examination.inference
    nodes = {n.name for n in graph.nodes}
    if target is not None and target not in nodes and target not in inference.tensors:
        raise unknown_name("node or tensor", target, [*nodes, *inference.tensors], graph.source)
    found = findings(problem, examination, judge)
    chain: tuple[Cause, ...] = ()
    touched: list[str] = []
    if target is not None:
        producer = next((n for n in graph.nodes if target == n.name or target in n.outputs), None)
        name = producer.name if producer is not None else None
        found = tuple(f for f in found if f.node == name)
        touched = [target] if target in inference.tensors else []
        if producer is not None and not touched:
            touched = [t for t in (*producer.inputs, *producer.outputs) if t in inference.tensors and t]
        chain = tuple(
            c for t in (touched if target in inference.tensors else ()) for c in causes(t, graph, inference.tensors)
        )
    verdict = examination.verdict if target is None else Verdict.worst(f.verdict for f in found)
    judged = next((j for j in examination.judgements if any(f.node == j.node.name for f in found)), None)
    return Explanation(
        graph.source,
        target,
        verdict,
        problem.ranges,
        found,
        facts(judged, problem, examination) if judged is not None else (),
        chain,
        tensor_bounds(examination, judge, touched) if not examination.fails else {},
        precondition(problem, examination, judge) if target is None else None,
        time.perf_counter() - started,
        problem.assumptions,
    )


def facts(judged: Judgement, problem: Problem, examination: Examination) -> tuple[Fact, ...]:
    """A minimal set of facts that can't all hold, the node's own law among them."""
    named: dict[str, tuple[Formula, Fact]] = {}
    node = judged.node
    for r in judged.open:
        fact = Fact("requirement", str(r.formula), node.name, node.op, r.law)
        named[f"requirement {len(named)}"] = (r.formula, fact)
    if judged.verdict is Verdict.DEPENDS:
        for symbol, value in (judged.decision.counterexample or {}).items():
            text = f"{name_text(symbol.name)} == {value}"
            named[f"input {symbol.name}"] = (equal(of_atom(symbol), value), Fact("input", text))
    for formula in problem.domain.facts:
        named[f"assumption {formula}"] = (formula, Fact("assumption", str(formula)))
    for other in examination.judgements:
        if other.index < judged.index and other.verdict is Verdict.DEPENDS:
            fact = Fact("requirement", str(other.condition), other.node.name, other.node.op, other.open[0].law)
            named[f"node {other.index}"] = (other.condition, fact)
    from shapesmt.solve.solver import core

    kept = core({name: formula for name, (formula, _) in named.items()})
    return tuple(named[str(name)][1] for name in kept or ())
