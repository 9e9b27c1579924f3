"""Calculator: the formulas of a model, from which shapes and verdicts at any sizes can be computed without shapesmt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from shapesmt.analysis.diagnose.remedies.goal import witness_of
from shapesmt.analysis.verify import Examination, Examined
from shapesmt.network.declarations import parse_range
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import TRUE, Atom, Dim, Evaluator, Verdict, all_of, lowest, product, tight
from shapesmt.prover.expression_trees import Trees
from shapesmt.prover.presolve import Domain, extent
from shapesmt.reports.answers import (
    Bounds,
    Calculator,
    Elements,
    PlacedNode,
    Remedy,
    Shape,
    Slider,
    SymbolRange,
    TensorData,
)

__all__ = ["calculator_of", "running_inputs"]

_MOST_INPUTS = 16


def calculator_of(a: Examined) -> Calculator:
    """Return the formulas over the problem's own symbols, not narrowed by findings."""
    problem, examination = a.problem, a.examination
    trees = Trees(problem.domain.symbols)
    facts = tuple((str(f), trees.formula(f)) for f in problem.domain.facts)
    dims = {name: trees.dim(d) for name, d in problem.dims.items() if name in problem.ranges}
    nodes, tensors = tuple(_nodes(examination, trees)), dict(_tensors(problem.graph, examination, trees))
    return Calculator(tuple(trees.entries), _sliders(a), dims, facts, nodes, tensors, tuple(problem.graph.outputs))


def running_inputs(remedy: Remedy | None, bounds: Bounds) -> tuple[Mapping[str, int], ...]:
    """Return inputs for which the model runs: the smallest sizes of the remedy, and those that reach the bounds."""
    found: list[Mapping[str, int]] = []
    if remedy is not None and remedy.dims:
        found.append({name: parse_range(text).lo for name, text in remedy.dims.items()})
    for tensor in bounds.tensors.values():
        found += [w for shape in tensor.shapes for dim in shape for w in dim.witnesses if w]
    distinct = {tuple(sorted(one.items())): one for one in found}
    return tuple(distinct.values())[:_MOST_INPUTS]


def _sliders(a: Examined) -> tuple[Slider, ...]:
    """Return a slider for each symbol, at the first counterexample if there is one.

    The script moves them to the nearest sizes that run. If warnings are about some of those, they start elsewhere.
    """
    examples = (j.decision.counterexample for j in a.examination.judgements)
    meant = witness_of(a) if a.examination.verdict is Verdict.DEPENDS else None
    start: Mapping[Atom, int] = meant or next((e for e in examples if e is not None), {})
    return tuple(_slider(s, a.problem.ranges.get(s.name), start.get(s)) for s in a.problem.domain.symbols)


def _slider(s: Atom, declared: SymbolRange | None, start: int | None) -> Slider:
    """Return a symbol's slider; if `start` is None, in the middle of its range, or at the minimum if unbounded."""
    low, high = lowest(s), None if s.hi == inf else int(s.hi)
    if declared is not None and s.lo == -inf:
        low, high = declared.min, declared.max
    middle = low if high is None else low + (high - low + s.step) // 2 // s.step * s.step
    return Slider(s.name, low, high, s.step, middle if start is None else start)


def _nodes(examination: Examination, trees: Trees) -> Iterator[PlacedNode]:
    graph, applications = examination.original.graph, examination.original.applications
    verdicts = {j.index: j.verdict for j in examination.judgements}
    unjudged = {index for index, _ in examination.unjudged}
    for index, node in enumerate(graph.nodes):
        sources = (graph.producer(name) for name in node.reads)
        reads = tuple(dict.fromkeys(source for source in sources if source is not None))
        requirements = applications[index].requirements if index < len(applications) else ()
        condition = all_of(*(r.formula for r in requirements))
        yield PlacedNode(
            node.name,
            node.op,
            reads,
            None if condition is TRUE else trees.formula(condition),
            verdicts.get(index, Verdict.UNKNOWN if index in unjudged else Verdict.PROVED),
            index not in unjudged,
            index not in examination.unreachable,
        )


def _tensors(graph: Graph, examination: Examination, trees: Trees) -> Iterator[tuple[str, TensorData]]:
    counts = _Counts(examination)
    for name, t in examination.original.tensors.items():
        if name:
            maker = graph.producer(name)
            made = maker if maker is not None else "input" if name in graph.inputs else "constant"
            yield name, TensorData(made, _shapes(t, trees), counts.of(examination.inference.tensors.get(name, t)))


def _shapes(t: Tensor, trees: Trees) -> tuple[Shape, ...]:
    if t.shape is not None or not t.cases:
        return (Shape(None, _sizes(t, trees)),)
    return tuple(Shape(trees.formula(case.condition), _sizes(case.tensor, trees)) for case in t.cases)


def _sizes(t: Tensor, trees: Trees) -> tuple[int, ...] | None:
    return tuple(trees.dim(d) for d in t.shape) if t.shape is not None and t.is_tensor else None


class _Counts:
    """Minimum and maximum numbers of elements, as tight as they are known without a solver."""

    def __init__(self, examination: Examination) -> None:
        self._domain: Domain = examination.narrowed
        self._known: dict[Dim, Elements] = {}
        ends = {s: self._domain.ends(s) for s in self._domain.symbols}
        least = Evaluator({s: int(lo) for s, (lo, _) in ends.items() if lo > -inf})
        decided = all(f.symbols <= ends.keys() for f in self._domain.facts) and -inf not in (
            lo for lo, _ in ends.values()
        )
        self._least = least if decided and all(map(least.formula, self._domain.facts)) else None

    def of(self, t: Tensor) -> Elements | None:
        """Return the numbers for a tensor; None if it isn't a tensor or has no known rank."""
        if t.shape is None or not t.is_tensor:
            return None
        elements = product(t.shape)
        if elements not in self._known:
            self._known[elements] = self._bounds(elements)
        return self._known[elements]

    def _bounds(self, elements: Dim) -> Elements:
        ends = extent(self._domain, elements)
        if ends is not None:
            low, high = ends
            return Elements(low.value or 0, high.value, low.proven, high.proven)
        lo, hi = tight(elements)
        least = int(max(lo, 0))
        known = self._least is not None and elements.symbols <= {*self._domain.symbols}
        attained = known and self._least is not None and self._least.dim(elements) == least
        return Elements(least, None if hi == inf else int(hi), attained, False)
