"""Warn of sizes at which ONNX Runtime's default session does something else than the file says, without failing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shapesmt.analysis.diagnose.warnings.common import producer_of, warning
from shapesmt.analysis.verify import Examination, Examined, Session, beyond
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import FALSE, Assignment, Evaluator, Verdict, all_of, equal
from shapesmt.reports.answers import ModelWarning, WarningKind, facts

__all__ = ["session_warnings"]


def session_warnings(a: Examined) -> Iterator[ModelWarning]:
    """Warn if the default session runs where the file fails, and of each output to which it gives another shape."""
    problem, session = a.problem, a.examination.session
    if session is None:
        return
    further = beyond(a)
    if further is not None:
        values, seen = further
        failing = [j for j in a.examination.judgements if not j.session]
        first = next((j for j in failing if j.index in session.graph.removed), failing[0])
        shown = problem.counterexample(values, frozenset(s for j in failing for s in j.condition.symbols))
        outputs = _sizes(problem.graph, seen.original.tensors, values)
        told = facts.Further(_says(problem.graph, session, first.index), outputs, shown)
        yield warning(WarningKind.SESSION, told, (first.index, first.node), example=shown)
    if session.examination is not None and not session.examination.fails:
        yield from _other_shapes(a, session.examination)


def _other_shapes(a: Examined, seen: Examination) -> Iterator[ModelWarning]:
    """Warn of each output that has another shape in the session, for some input for which both run."""
    problem, examination, judge = a.problem, a.examination, a.judge
    for name in problem.graph.outputs:
        own, other = examination.original.tensors[name], seen.original.tensors[name]
        if own is other or own.shape is None or other.shape is None:
            continue
        same = all_of(*map(equal, own.dims, other.dims)) if own.rank == other.rank else FALSE
        decision = judge.decide(seen.domain, same)
        values = judge.complete(seen.domain, decision.counterexample)
        if decision.verdict in (Verdict.DEPENDS, Verdict.FAILS) and values is not None:
            shown = problem.counterexample(values, same.symbols)
            file, session = (_sizes(problem.graph, e.original.tensors, values)[name] for e in (examination, seen))
            told = facts.OtherShape(name, file, session, shown)
            yield warning(WarningKind.SESSION, told, producer_of(problem.graph, name), tensor=name, example=shown)


def _sizes(graph: Graph, tensors: Mapping[str, Tensor], values: Assignment) -> dict[str, str]:
    """Return the shape of each output at an input, as text: `6x4`, with `?` for sizes that data decide."""
    at = Evaluator(dict(values))
    shapes = {name: tensors[name].shape for name in graph.outputs}
    return {
        name: "x".join(str(int(at.dim(d))) if d.symbols <= values.keys() else "?" for d in shape) or "scalar"
        for name, shape in shapes.items()
        if shape is not None
    }


def _says(graph: Graph, session: Session, index: int) -> str:
    """Return the rewrite through which the session doesn't run a node of the file, or runs it on other tensors."""
    says = session.graph.says
    near = {index, *graph.descendants(index)} if index in session.graph.removed else {*says}
    return says[min(near & says.keys(), default=min(says))]
