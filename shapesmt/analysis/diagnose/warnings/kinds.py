"""Warnings of every kind; those about branches, ranges and names are found here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from shapesmt.analysis.diagnose.causes import source_of
from shapesmt.analysis.diagnose.warnings.broadcasts import ambiguous_broadcasts
from shapesmt.analysis.diagnose.warnings.claims import of_claim
from shapesmt.analysis.diagnose.warnings.common import Examples, warning
from shapesmt.analysis.diagnose.warnings.samples import reshaped_batches
from shapesmt.analysis.diagnose.warnings.sizes import large
from shapesmt.analysis.diagnose.warnings.static import widened_axes
from shapesmt.analysis.verify import Examined, Problem, placeholders
from shapesmt.base.deadline import stage
from shapesmt.network.graph import Node
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Runs, Tensor
from shapesmt.prover.algebra import Atom, Verdict, differs
from shapesmt.prover.presolve import extent
from shapesmt.reports.answers import Finding, ModelWarning, StaticAxis, WarningKind, altered, facts

__all__ = ["model_warnings"]


@stage("warnings")
def model_warnings(
    a: Examined, claims: Iterable[tuple[str, Finding]] = (), static: Iterable[StaticAxis] = ()
) -> tuple[ModelWarning, ...]:
    """Return all warnings, in the order of their kinds; `claims` come from `declarations`, `static` are static axes."""
    asked = _Asked(a, Examples(a), claims, static)
    found: list[ModelWarning] = []
    for kind in WarningKind:
        found += a.judge.deadline.attempt(partial(_listed_all, kind, asked), ())
    return tuple(altered(w, source=source_of(a.problem.graph, w.index)) if w.index >= 0 else w for w in found)


class _Asked(NamedTuple):
    """An examined model, with the earlier findings that warnings repeat: wrong declarations and fixed sizes."""

    a: Examined
    examples: Examples
    claims: Iterable[tuple[str, Finding]]
    static: Iterable[StaticAxis]


def _listed_all(kind: WarningKind, asked: _Asked) -> tuple[ModelWarning, ...]:
    return tuple(_FINDERS[kind](asked))


# Branches and bodies that are never reached


def _unreachable(a: Examined) -> Iterator[ModelWarning]:
    """Warn of branches and loop bodies that no admissible input reaches; not of an `If` whose outputs nothing reads."""
    tensors, graph, nodes = a.examination.original.tensors, a.problem.graph, a.problem.graph.nodes
    if not a.examination.original.nested:
        return
    from shapesmt.operators.ops import truth_of

    operators = Operators(graph.opsets, graph.functions)
    for index, node in enumerate(nodes):
        runs = operators.traits(node).runs
        if (
            runs is Runs.BRANCH
            and node.inputs
            and any(graph.consumers(name) or name in graph.outputs for name in node.outputs)
        ):
            condition = truth_of(tensors.get(node.inputs[0]))
            verdict = None if condition is None else a.judge.decide(a.problem.domain, differs(condition, 0)).verdict
            if verdict in (Verdict.PROVED, Verdict.FAILS):
                told = facts.Untaken(node.inputs[0], verdict is Verdict.PROVED)
                yield warning(WarningKind.UNREACHABLE, told, (index, node), tensor=node.inputs[0])
        elif runs is Runs.LOOP and (name := _never_runs(node, tensors)) is not None:
            yield warning(WarningKind.UNREACHABLE, facts.Unrun(name), (index, node))


def _never_runs(node: Node, tensors: Mapping[str, Tensor]) -> str | None:
    """Return the trip count or first condition of a loop if it is 0 for every input, else None."""
    from shapesmt.operators.ops import truth_of

    truths = ((name, truth_of(tensors[name])) for name in node.inputs[:2] if name)
    return next((name for name, value in truths if value is not None and value.hi <= 0), None)


def _session(a: Examined) -> Iterator[ModelWarning]:
    """Warn of what the default session does otherwise."""
    if a.examination.session is not None:
        from shapesmt.analysis.diagnose.warnings.session import session_warnings

        yield from session_warnings(a)


# Ranges that the assumptions narrow


def _single_valued(problem: Problem) -> Iterator[ModelWarning]:
    """Warn of dimensions that have a range but to which the assumptions leave a single value."""
    for name, r in problem.ranges.items() if problem.assumptions else ():
        ends = extent(problem.domain, problem.dims[name]) if r.min != r.max else None
        if ends is not None and ends[0].value == ends[1].value:
            yield warning(WarningKind.RANGE, facts.OneValue(name, ends[0].value, r))


# Dimensions without effect or without a name


def _unused_dimensions(a: Examined) -> Iterator[ModelWarning]:
    """Warn of dimensions of inputs that no node reads."""
    problem, original = a.problem, a.examination.original
    graph = problem.graph
    missing = {s for d in problem.dims.values() for s in d.symbols}
    computed = [t for a in dict.fromkeys(original.applications) for t in a.outputs]
    for t in (*computed, *map(original.tensors.__getitem__, original.unranked)):
        if not missing:
            return
        missing.difference_update(*(d.symbols for d in t.shape or ()))
    places: dict[Atom, list[str]] = {}
    for i, t in problem.inputs.items():
        for s in {s for size in t.shape or () for s in size.symbols}:
            places.setdefault(s, []).append(i)
    for name, d in problem.dims.items():
        having = list(dict.fromkeys(i for s in d.symbols for i in places.get(s, ())))
        if having and d.symbols & missing and not any(graph.consumers(i) or i in graph.outputs for i in having):
            yield warning(WarningKind.SYMBOL, facts.Unread(name, tuple(having)), tensor=having[0])


def _shared_placeholders(problem: Problem) -> Iterator[ModelWarning]:
    """Warn of placeholders (`?`) that the file writes for several dimensions, which are independent sizes."""
    for mark, names in placeholders(problem.graph).items():
        dims = [name for name in names if name in problem.dims]
        if len(dims) > 1:
            yield warning(
                WarningKind.PLACEHOLDER, facts.Unnamed(mark, tuple(dims)), tensor=dims[0].rpartition("_dim")[0]
            )


# Sizes that were to vary but are numbers


def _static(a: Examined, static: Iterable[StaticAxis]) -> Iterator[ModelWarning]:
    """Warn of sizes that were to vary but are numbers: those that the caller named, and others that no node needs."""
    graph = a.problem.graph
    axes = [axis for axis in static if not axis.node or graph.asked[axis.input, axis.axis]]
    for axis in dict.fromkeys([*axes, *widened_axes(a)]):
        index = graph.place(axis.node) if axis.node else None
        node = None if index is None else (index, graph.nodes[index])
        yield warning(WarningKind.STATIC, axis, node, tensor=axis.input)


_FINDERS: Mapping[WarningKind, Callable[[_Asked], Iterable[ModelWarning]]] = {
    WarningKind.BROADCAST: lambda asked: () if asked.a.examination.fails else ambiguous_broadcasts(*asked[:2]),
    WarningKind.DECLARATION: lambda asked: (of_claim(tensor, finding) for tensor, finding in asked.claims),
    WarningKind.SESSION: lambda asked: _session(asked.a),
    WarningKind.UNREACHABLE: lambda asked: _unreachable(asked.a),
    WarningKind.RANGE: lambda asked: _single_valued(asked.a.problem),
    WarningKind.SIZE: lambda asked: () if asked.a.examination.fails else large(*asked[:2]),
    WarningKind.SYMBOL: lambda asked: _unused_dimensions(asked.a),
    WarningKind.PLACEHOLDER: lambda asked: _shared_placeholders(asked.a.problem),
    WarningKind.RESHAPED: lambda asked: () if asked.a.examination.fails else reshaped_batches(*asked[:2]),
    WarningKind.STATIC: lambda asked: _static(asked.a, asked.static),
}
"""The function that finds the warnings of each kind."""
if unfound := {*WarningKind} - _FINDERS.keys():
    raise TypeError(f"nothing finds warnings of the kinds {', '.join(sorted(unfound))}")
