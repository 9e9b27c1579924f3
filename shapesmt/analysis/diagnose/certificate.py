"""The complete system, without any presolve: decide it by the solver as a whole, and state the part of one node."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from shapesmt.base.deadline import look
from shapesmt.base.errors import InternalError
from shapesmt.network.declarations import unknown_name
from shapesmt.prover.algebra import Substitution, Verdict, of_atom
from shapesmt.reports.answers import Condition, NodeConstraints, Variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shapesmt.analysis.encoding import Encoding, Part
    from shapesmt.analysis.verify import Examined, Problem
    from shapesmt.operators.rules import Tensor
    from shapesmt.prover.algebra import Atom, Dim, Formula


def system_verdict(a: Examined) -> str:
    """Return the verdict of the complete system, which must not contradict the examination's of the file's nodes.

    Raises:
        InternalError: The two verdicts contradict each other.
    """
    from shapesmt.analysis.encoding import UNKNOWN, certify_system

    deadline = a.judge.deadline
    verdict = deadline.attempt(lambda: certify_system(complete_system(a.problem), deadline), UNKNOWN).verdict
    judged = [j for j in a.examination.judgements if not j.session]
    refuted = any(j.verdict in (Verdict.DEPENDS, Verdict.FAILS) for j in judged)
    proved = not judged
    if (verdict == "PROVED" and refuted) or (verdict == "REFUTED" and proved):
        raise InternalError(f"presolve says {a.examination.verdict}, the complete system says {verdict}")
    return verdict


def complete_system(problem: Problem) -> Encoding:
    """Return the constraints of all nodes of a problem, with the ranges of its inputs."""
    from shapesmt.analysis.encoding import encode_graph

    encoding = encode_graph(problem.graph, problem.inputs, problem.domain.facts, problem.assumed)
    look()  # a system without the nodes that a timeout cuts off would be wrong
    return encoding


def system_text(problem: Problem, target: str | None = None) -> str:
    """Return the complete system as SMT-LIB 2, or the part of the node named `target` or computing that tensor.

    Raises:
        UsageError: There is no such node.
    """
    if target is None:
        return complete_system(problem).text
    index = problem.graph.place(target)
    if index is None:
        raise unknown_name("node", target, [node.name for node in problem.graph.nodes], problem.graph.source)
    return node_system(problem, index).encoding.text


def node_system(problem: Problem, index: int) -> Part:
    """Return the constraints of one node, with those on which it depends."""
    from shapesmt.analysis.encoding import encode_node

    part = encode_node(problem.graph, problem.inputs, index, problem.domain.facts, problem.assumed)
    look()
    return part


def node_constraints(a: Examined, index: int) -> NodeConstraints:
    """Return a node's part of the system, with the verdict and the certificate of each requirement."""
    part, node, domain = node_system(a.problem, index), a.problem.graph.nodes[index], a.admissible()
    replacements = _replacements(part, a.examination.original.tensors)
    for j in a.examination.judgements:
        if j.index < index and j.verdict is Verdict.DEPENDS:
            domain.assume(j.condition)

    def condition(law: str, formula: Formula) -> Condition:
        if index in a.examination.unreachable:
            return Condition(law, str(formula))
        own = {s: of_atom(s) for s in formula.symbols}
        decision = a.judge.decide(domain, Substitution({**own, **replacements}).apply(formula))
        return Condition(law, str(formula), decision.verdict, decision.by)

    requirements = dict.fromkeys((str(r.law), r.formula) for r in part.requirements)
    return NodeConstraints(
        node.name,
        node.op,
        index,
        tuple([_variable(s) for s in part.encoding.script.symbols]),
        tuple([_variable(s, replacement) for s, replacement in replacements.items() if s.definition is not None]),
        tuple([condition(*each) for each in requirements]),
        tuple([_variable(s, s.definition) for s in _variables(part.makes.values())]),
        "\n".join(part.lines),
    )


def _replacements(part: Part, tensors: Mapping[str, Tensor]) -> dict[Atom, Dim]:
    """Return each size and listed integer that a node reads as an expression over the inputs' symbols."""
    from shapesmt.analysis.encoding import variables

    replacements: dict[Atom, Dim] = {}
    for name, t in part.reads.items():
        sizes = [*zip(variables(t), variables(tensors[name]), strict=False)]
        if len(sizes) == len(variables(t)) == len(variables(tensors[name])):
            replacements.update((s, d) for v, d in sizes if (s := v.as_symbol()) is not None)
    return replacements


def _variables(tensors: Iterable[Tensor]) -> list[Atom]:
    """Return the symbols of the sizes and listed integers of tensors, without those that are numbers."""
    from shapesmt.analysis.encoding import variables

    return [s for t in tensors for d in variables(t) if (s := d.as_symbol()) is not None]


def _variable(symbol: Atom, replacement: Dim | None = None) -> Variable:
    lo, hi = (None if abs(end) == inf else int(end) for end in (symbol.lo, symbol.hi))
    return Variable(symbol.name, lo, hi, symbol.step, "" if replacement is None else str(replacement))
