"""Trial: which failing nodes a change repairs, inferred from the change onwards; all before it stays as it was."""

from __future__ import annotations

from shapesmt.algebra import FALSE, TRUE, Formula, Verdict, all_of, as_dim
from shapesmt.errors import ShapesmtError
from shapesmt.examine import Examination, Judge, Judgement, Problem, is_open
from shapesmt.graph import Graph, Node, Nodes
from shapesmt.inference import start
from shapesmt.presolve import Domain
from shapesmt.repairs.edit import Edit
from shapesmt.rules import Application, Tensor, tensor

SECONDS = 0.5
"""The limit of one trial, in seconds of processor time."""


class Trials:
    """Infers which failing nodes remain after a change to an examined graph.

    Attributes:
        walked: The number of nodes inferred in all trials.
    """

    def __init__(self, problem: Problem, examination: Examination, judge: Judge) -> None:
        self._graph, self._judge = problem.graph, judge
        self._known = examination.original.tensors
        self._failing = {j.index: j for j in examination.judgements}
        self._may_fail = {*self._failing, *examination.unreachable}
        self._undecided = {index for index, _ in examination.unjudged}
        self._dims = problem.dims
        self._behind: dict[int, set[int]] = {}
        self._before: dict[int, set[int]] = {}
        self.walked = 0

    def left(self, edit: Edit) -> set[str] | None:
        """Return the names of the nodes that still fail after `edit`.

        None if the first affected failing node isn't repaired, at least for some inputs where it failed for all; if
        another node begins to fail, or if time runs out.
        """
        touched = set(edit.touched)
        for name in (*edit.literals, *edit.inputs):
            touched.update(self._graph.consumers(name))
        reached = touched.union(*map(self._reached, touched))
        first = min((i for i in self._failing if i in reached), default=None)
        if first is None:
            return None
        judge, failing = self._judge.within(SECONDS), self._failing[first]
        near = sorted(reached & self._towards(first))
        if judge.deadline.attempt(lambda: self._failing_nodes(edit, near, failing, judge), None) is None:
            return None
        tried = judge.deadline.attempt(lambda: self._failing_nodes(edit, sorted(reached), failing, judge), None)
        others = {j.node.name for i, j in self._failing.items() if i not in reached}
        return None if tried is None else tried | others

    def _reached(self, index: int) -> set[int]:
        if index not in self._behind:
            self._behind[index] = self._graph.descendants(index)
        return self._behind[index]

    def _towards(self, index: int) -> set[int]:
        """Return a node with the nodes upstream of it."""
        if index not in self._before:
            self._before[index] = {index, *self._graph.ancestors(index)}
        return self._before[index]

    def _failing_nodes(self, edit: Edit, indices: list[int], first: Judgement, judge: Judge) -> set[str] | None:
        """Return the names of the nodes at `indices` that still fail, over the inputs that reach node `first`.

        None if `first` still fails for all inputs, or for some as before, if a node fails that was proved before, or
        if a node becomes undecided.
        """
        domain, left, seen = first.domain.copy(), set[str](), set[Application]()
        nodes = [(index, node) for index in indices for node in edit.at(self._graph, index)]
        steps = start(self._part(edit, [node for _, node in nodes]), self._inputs(edit, nodes)).steps
        try:
            for (index, node), application in zip(nodes, steps, strict=True):
                self.walked += 1
                if application.unjudged and index not in self._undecided:
                    return None
                if application in seen or _holds(application, domain, judge):
                    seen.add(application)
                elif index not in self._may_fail or FALSE in _formulas(application):
                    return None
                else:
                    left.add(node.name)
                    domain.assume(all_of(*_formulas(application)))
                    if index == first.index and not (first.verdict is Verdict.FAILS and judge.is_inhabited(domain)):
                        return None
        except (ShapesmtError, KeyError):  # a tensor is read before it is made
            return None
        return left

    def _part(self, edit: Edit, nodes: list[Node]) -> Graph:
        """Return a graph of only these nodes, with the constants that they read after `edit`."""
        graph, literals = self._graph, {**self._graph.literals, **edit.literals}
        needed = dict.fromkeys(name for node in nodes for name in node.reads)
        own = {name: literals[name] for name in needed if name in literals}
        about = {"opsets": graph.opsets, "functions": graph.functions, "schemas": graph.schemas}
        return Graph(graph.name, {}, (), Nodes.of(nodes), own, runtime=graph.runtime, **about)  # type: ignore[arg-type]

    def _inputs(self, edit: Edit, nodes: list[tuple[int, Node]]) -> dict[str, Tensor]:
        """Return the tensors that these nodes read but don't compute; inputs have the shapes that `edit` declares."""
        own = {*edit.literals, *self._graph.literals, *(name for _, node in nodes for name in node.outputs)}
        needed = dict.fromkeys(name for _, node in nodes for name in node.reads if name not in own)
        known = {name: self._known[name] for name in needed if name in self._known}
        for name, declared in edit.inputs.items():
            if name in known and declared.shape is not None:
                sizes = [as_dim(d) if isinstance(d, int) else self._dims[d or ""] for d in declared.shape]
                known[name] = tensor(declared.dtype, sizes)
        return known


def _formulas(application: Application) -> list[Formula]:
    return [r.formula for r in application.requirements if r.formula is not TRUE and not is_open(r)]


def _holds(application: Application, domain: Domain, judge: Judge) -> bool:
    """Whether a node's requirements on known sizes are proved over `domain`, which its facts restrict."""
    for fact in application.facts:
        domain.limit(fact)
    formulas = _formulas(application)
    return FALSE not in formulas and all(judge.proves(domain, formula) for formula in formulas)
