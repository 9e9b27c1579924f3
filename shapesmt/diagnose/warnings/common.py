"""Examples: inputs at which a warning shows, and what all warnings say alike."""

from __future__ import annotations

from collections.abc import Iterable

from shapesmt.algebra import FALSE, Assignment, Atom, Evaluator, Formula, Kind, negate, of_atom
from shapesmt.examine import Examination, Judge, Problem
from shapesmt.graph import Graph, Node
from shapesmt.report import Counterexample, ModelWarning, WarningKind

__all__ = ["Examples", "chosen", "producer_of", "sizes_of", "warning"]


def warning(
    kind: WarningKind,
    text: str,
    node: tuple[int, Node] | None = None,
    tensor: str = "",
    example: Counterexample | None = None,
) -> ModelWarning:
    """A warning, about a node or about none."""
    from shapesmt.laws.codes import code_of_kind  # read only where there is a warning

    index, name, op = (-1, "", "") if node is None else (node[0], node[1].name, node[1].op)
    return ModelWarning(code_of_kind(kind), kind, name, op, index, tensor, text, example)


class Examples:
    """Finds inputs of the valid region that show a warning, in the symbols of the report."""

    def __init__(self, problem: Problem, examination: Examination, judge: Judge) -> None:
        self._problem, self._judge, self._examination = problem, judge, examination
        meanings = examination.narrowing.meanings
        self._meant = {s: meanings.get(s, of_atom(s)) for s in problem.domain.symbols}

    def where(self, condition: Formula) -> Assignment | None:
        """The smallest valid input for which the condition holds, if any is known."""
        if condition is FALSE:
            return None
        return self._judge.decide(self._examination.narrowed, negate(condition)).counterexample

    def shown(self, point: Assignment, relevant: frozenset[Atom]) -> tuple[Counterexample, Evaluator]:
        """An input in the report's symbols with the relevant ones marked, and the values of expressions there."""
        at = Evaluator(self._judge.complete(self._examination.narrowed, point) or {})
        values = {s: at.dim(d) for s, d in self._meant.items()}
        return self._problem.counterexample(values, [s for s, d in self._meant.items() if d.symbols & relevant]), at


def chosen(formula: Formula) -> bool:
    """Whether all symbols of a condition are sizes of the model's inputs."""
    return all(s.kind is Kind.INPUT for s in formula.symbols)


def sizes_of(shown: Counterexample) -> str:
    """The sizes that matter at an example, or all, as text."""
    names: Iterable[str] = shown.relevant or shown.symbols
    return ", ".join(f"{name}={shown.symbols[name]}" for name in names)


def producer_of(graph: Graph, tensor: str) -> tuple[int, Node] | None:
    """The node that computes a tensor, with its index; None of an input or a constant."""
    index = graph.producer(tensor)
    return None if index is None else (index, graph.nodes[index])
