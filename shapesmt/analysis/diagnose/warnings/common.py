"""Examples: inputs that show a warning, and functions that all warnings share."""

from __future__ import annotations

from typing import Any

from shapesmt.analysis.verify import Examined
from shapesmt.network.graph import Graph, Node
from shapesmt.network.laws import code_of_kind
from shapesmt.prover.algebra import FALSE, Assignment, Atom, Evaluator, Formula, Kind, negate, of_atom
from shapesmt.reports.answers import Counterexample, ModelWarning, WarningKind

__all__ = ["Examples", "is_about_inputs", "producer_of", "warning"]


def warning(
    kind: WarningKind,
    told: Any,
    node: tuple[int, Node] | None = None,
    tensor: str = "",
    example: Counterexample | None = None,
) -> ModelWarning:
    """Return a `ModelWarning`; `told` are the facts of its text, and `node` is None if it concerns no single node."""
    index, name, op = (-1, "", "") if node is None else (node[0], node[1].name, node[1].op)
    return ModelWarning(code_of_kind(kind), kind, name, op, index, tensor, told, example)


class Examples:
    """Finds inputs of the valid region that show a warning, in the symbols of the report."""

    def __init__(self, a: Examined) -> None:
        self._a, replacements = a, a.examination.narrowing.replacements
        self._meant = {s: replacements.get(s, of_atom(s)) for s in a.problem.domain.symbols}

    def where(self, condition: Formula) -> Assignment | None:
        """Return the smallest valid input for which the condition holds; None if none is known."""
        if condition is FALSE:
            return None
        return self._a.judge.decide(self._a.examination.narrowed, negate(condition)).counterexample

    def counterexample_at(self, point: Assignment, relevant: frozenset[Atom]) -> tuple[Counterexample, Evaluator]:
        """Return an input in the report's symbols, relevant ones marked, and an evaluator of expressions at it."""
        values, at = self.values_at(point)
        return self._a.problem.counterexample(values, [s for s, d in self._meant.items() if d.symbols & relevant]), at

    def values_at(self, point: Assignment) -> tuple[dict[Atom, int], Evaluator]:
        """Return an input in the problem's own symbols, and an evaluator of expressions over narrowed ones at it."""
        at = Evaluator(self._a.judge.complete(self._a.examination.narrowed, point) or {})
        return {s: at.dim(d) for s, d in self._meant.items()}, at


def is_about_inputs(formula: Formula) -> bool:
    """Whether all symbols of a condition are sizes of the model's inputs."""
    return all(s.kind is Kind.INPUT for s in formula.symbols)


def producer_of(graph: Graph, tensor: str) -> tuple[int, Node] | None:
    """Return the node that computes a tensor, with its index; None for an input or a constant."""
    index = graph.producer(tensor)
    return None if index is None else (index, graph.nodes[index])
