"""Input sizes that were to vary but are numbers in the program: find the node that needs the number, if any does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePath

from shapesmt.analysis.verify import Examination, Examined, Problem, examine_problem, pose
from shapesmt.base.deadline import limit
from shapesmt.network.graph import GUARDS, Graph, Place
from shapesmt.prover.algebra import Dim, Formula, all_of, differs, equal, negate
from shapesmt.prover.judge import Judge
from shapesmt.reports import answers

__all__ = ["fixed_sizes", "hurried_static_axes", "sizes_fixed_by_program", "static_axes", "widened_axes"]

PATIENCE = 2.0  # seconds for examining the program again with sizes that vary


def static_axes(graph: Graph, judge: Judge) -> tuple[answers.StaticAxis, ...]:
    """Return the sizes that were to vary at export but are numbers, if it is known whether a node needs them."""
    sizes = {}
    for name, axis in sorted(graph.asked):
        shape = graph.inputs[name].shape if name in graph.inputs else None
        size = shape[axis] if shape is not None and axis < len(shape) else None
        if isinstance(size, int):
            sizes[name, axis] = size
    listed: list[answers.StaticAxis] = []
    for size in dict.fromkeys(sizes.values()):  # equal numbers vary together: they may have to be equal
        equal = {place: size for place, other in sizes.items() if other == size}
        listed += judge.deadline.attempt(partial(_static_axes, graph, equal, judge), ())
    return tuple(listed)


def hurried_static_axes(graph: Graph, judge: Judge) -> tuple[answers.StaticAxis, ...]:
    """Return those of `static_axes` that are found in a short time."""
    hurried = judge.within(PATIENCE)
    return hurried.deadline.attempt(partial(static_axes, graph, hurried), ())


def fixed_sizes(problem: Problem, static: Iterable[answers.StaticAxis]) -> tuple[answers.FixedSize, ...]:
    """Return the input sizes that are numbers in a PyTorch program; `static` has reasons (see `static_axes`)."""
    known = {(axis.input, axis.axis): axis for axis in static}
    asked = {name: axes or () for name, (_, axes) in problem.declared.items()}
    return tuple(
        _fixed(name, axis, size, known.get((name, axis)))
        for name, declared in (problem.graph.inputs.items() if problem.graph.is_program else ())
        for axis, (size, now) in enumerate(zip(declared.shape or (), asked.get(name, ()), strict=False))
        if isinstance(size, int) and size == now
    )


def _fixed(name: str, axis: int, size: int, static: answers.StaticAxis | None) -> answers.FixedSize:
    if static is None:
        return answers.FixedSize(name, axis, size)
    why = answers.in_words(answers.facts.Needed(static.node, size, static.or_one))
    return answers.FixedSize(name, axis, size, static.node, why)


def _static_axes(graph: Graph, sizes: Mapping[Place, int], judge: Judge) -> tuple[answers.StaticAxis, ...]:
    return tuple(_static(graph, sizes, judge))


def _static(graph: Graph, sizes: Mapping[Place, int], judge: Judge) -> Iterator[answers.StaticAxis]:
    """Yield each number with the node that needs it, found by examining the program with all of them varying."""
    names = {place: f"{place[0]}@{place[1]}" for place in sizes}
    inputs = {
        name: d._replace(shape=tuple(names.get((name, i), size) for i, size in enumerate(d.shape or ())))
        for name, d in graph.inputs.items()
    }
    with limit(judge.deadline):
        a = examine_problem(pose(replace(graph.unguarded, inputs=inputs)), judge, trust=False)
    for place, size in sizes.items():
        varying = a.problem.dims[names[place]]
        needing = _fixing(varying, size, a)
        if needing is not None:
            index, or_one = needing
            yield answers.StaticAxis(*place, size, graph.nodes[index].name, _line(graph, index), or_one)
        elif a.examination.decided and _varies(varying, a):
            yield answers.StaticAxis(*place, size)


def _fixing(size: Dim, number: int, a: Examined) -> tuple[int, bool] | None:
    """Return the first node that needs a number, if only in a branch or loop body, and whether it also runs for 1."""

    def runs(*conditions: Formula) -> bool:
        narrower = a.examination.domain.copy()
        narrower.assume(all_of(*conditions))
        return a.judge.satisfiable(narrower)

    for j in a.examination.judgements:
        for case in dict.fromkeys(c for r in j.open for c in _cases(r.formula, size)):
            other = differs(size, number), differs(size, 1)
            if runs(case, equal(size, number)) and not runs(case, *other):
                return j.index, number != 1 and runs(case, equal(size, 1))
    return None


def _cases(condition: Formula, size: Dim) -> Iterator[Formula]:
    """Yield the case in which each part of a condition about a size must hold: the alternatives to it don't.

    >>> from shapesmt.prover.algebra import any_of, at_most, symbol
    >>> [*_cases(any_of(at_most(symbol("trips"), 0), equal(symbol("n"), 4)), symbol("n"))]
    [Formula('trips >= 1')]
    """
    for part in condition.conjuncts:
        if not part.symbols.isdisjoint(size.symbols):
            others = part.args if part.op == "or" else ()
            yield all_of(*(negate(other) for other in others if other.symbols.isdisjoint(size.symbols)))


def _varies(size: Dim, a: Examined) -> bool:
    """Whether all nodes run for several values of a size."""
    low, high = a.judge.extent(a.examination.domain, size)
    return low.value != high.value


def _needing(size: Dim, examination: Examination) -> int | None:
    """Return the first node that doesn't run for all values of a size; None if all nodes do."""
    nodes = (j.index for j in examination.judgements if not j.condition.symbols.isdisjoint(size.symbols))
    return next(nodes, None)


def _line(graph: Graph, index: int) -> str:
    """Return the line of Python that a node comes from; "" if it isn't known."""
    line = graph.source_line(index, graph.nodes[index])
    return f"{PurePath(line.file).name}:{line.line} in {line.function}" if line is not None and line.file else ""


def sizes_fixed_by_program(problem: Problem) -> Iterator[tuple[str, int, int, Dim]]:
    """Yield the sizes that the caller gives a range but the program fixes to a number: input, axis, number, size."""
    for name, declared in problem.graph.inputs.items() if problem.graph.is_program else ():
        asked = problem.declared[name][1] or ()
        for axis, (number, now) in enumerate(zip(declared.shape or (), asked, strict=False)):
            size = problem.dims.get(now) if isinstance(number, int) and isinstance(now, str) else None
            if isinstance(number, int) and size is not None and size.constant is None:
                yield name, axis, number, size


def widened_axes(a: Examined) -> Iterator[answers.StaticAxis]:
    """Yield the sizes that the caller gives a range but the program fixes to a number, although no node needs it."""
    for name, axis, number, size in sizes_fixed_by_program(a.problem) if a.examination.decided else ():
        needing = _needing(size, a.examination)
        guarded = needing is not None and a.problem.graph.nodes[needing].op == GUARDS
        free = _varies(size, a) and _fixing(size, number, a) is None
        if guarded or free:
            yield answers.StaticAxis(name, axis, number)
