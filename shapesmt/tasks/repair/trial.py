"""Trial: which failing nodes a change repairs, inferred from the change onwards; all before it stays as it was."""

from __future__ import annotations

from shapesmt.analysis.verify import Examined, Judgement, Narrowing, is_open
from shapesmt.base.errors import ShapesmtError
from shapesmt.network.graph import Graph, Node, Nodes
from shapesmt.operators.inference import start
from shapesmt.operators.rules import Application, Tensor, tensor
from shapesmt.prover.algebra import FALSE, TRUE, Assignment, Evaluator, Formula, Verdict, all_of, as_dim
from shapesmt.prover.judge import Judge
from shapesmt.tasks.repair.edit import Edit
from shapesmt.tasks.replay import sample

SECONDS = 0.5
"""The limit of one trial, in seconds of processor time."""
POINTS = 6
"""Sizes at which a condition is evaluated before it is proved."""


class Trials:
    """Infers which failing nodes remain after a change to an examined graph.

    Attributes:
        walked: The number of nodes inferred in all trials.
    """

    def __init__(self, a: Examined) -> None:
        self._graph, self._judge, examination = a.problem.graph, a.judge, a.examination
        self._failing = {j.index: j for j in examination.judgements}
        self._hopeless = {j.index for j in examination.judgements if j.verdict is Verdict.FAILS}
        self._may_fail = {*self._failing, *examination.unreachable}
        self._undecided = {index for index, _ in examination.unjudged}
        self._dims = a.problem.dims
        self._behind: dict[int, set[int]] = {}
        self._before: dict[int, set[int]] = {}
        self._points: dict[int, list[Assignment]] = {}
        self.walked = 0

    def left(self, edit: Edit) -> set[str] | None:
        """Return the names of the nodes that still fail after `edit`; only of those up to here if time runs out.

        None if it repairs no failing node, or if another node begins to fail. If nodes fail for all inputs, each of
        them has to run for some.
        """
        touched = set(edit.touched)
        for name in (*edit.literals, *edit.inputs):
            touched.update(self._graph.consumers(name))
        reached = touched.union(*map(self._reached, touched))
        failing = [j for i, j in sorted(self._failing.items()) if i in reached]
        if not failing or not self._hopeless <= reached:
            return None
        first, judge = failing[0], self._judge.within(SECONDS)
        near = reached & set().union(*map(self._towards, self._hopeless or [j.index for j in failing]))
        found = judge.deadline.attempt(lambda: self._failing_nodes(edit, sorted(near), first, judge), None)
        if found is None:
            return None
        whole = judge.deadline.attempt(lambda: self._failing_nodes(edit, sorted(reached), first, judge), None)
        left = found if judge.deadline.expired else whole
        return None if left is None else left | {j.node.name for i, j in self._failing.items() if i not in reached}

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

        None if each that failed still does, if one still fails for all inputs, if a node fails that was proved before,
        or if a node becomes undecided.
        """
        domain, left, seen = first.domain.copy(), set[str](), set[Application]()
        mended = not edit.removed.isdisjoint(self._failing)
        narrowing, probes = first.narrowing, [(point, Evaluator(point)) for point in self._sampled(first)]
        nodes = [(index, node) for index in indices for node in edit.at(self._graph, index)]
        steps = start(self._part(edit, [node for _, node in nodes]), self._inputs(edit, nodes, first)).steps
        try:
            for (index, node), application in zip(nodes, steps, strict=True):
                self.walked += 1
                if application.unjudged and index not in self._undecided:
                    return None
                for fact in () if application in seen else application.facts:
                    domain.limit(narrowing.back(fact))
                formulas = [] if application in seen else _formulas(application, narrowing)
                running = [probe for probe in probes if not any(_fails(formula, *probe) for formula in formulas)]
                if len(running) == len(probes) and all(judge.proves(domain, formula) for formula in formulas):
                    seen.add(application)
                    mended |= index in self._failing and node.outputs == self._graph.nodes[index].outputs
                elif index not in self._may_fail or FALSE in formulas:
                    return None
                else:
                    left.add(node.name)
                    probes = running
                    domain.assume(all_of(*formulas))
                    if index in self._hopeless:
                        if not judge.is_inhabited(domain):
                            return None
                        mended = True
        except (ShapesmtError, KeyError):  # a tensor is read before it is made
            return None
        return left if mended else None

    def _sampled(self, first: Judgement) -> list[Assignment]:
        """Return a few of the inputs that reach a node."""
        if first.index not in self._points:
            points = sample(first.domain, self._judge.within(SECONDS), POINTS)
            self._points[first.index] = [{s: n for s, n in point.items() if not s.universal} for point in points]
        return self._points[first.index]

    def _part(self, edit: Edit, nodes: list[Node]) -> Graph:
        """Return a graph of only these nodes, with the constants that they read after `edit`."""
        graph, literals = self._graph, {**self._graph.literals, **edit.literals}
        needed = dict.fromkeys(name for node in nodes for name in node.reads)
        own = {name: literals[name] for name in needed if name in literals}
        about = {"opsets": graph.opsets, "functions": graph.functions, "schemas": graph.schemas}
        return Graph(graph.name, {}, (), Nodes.of(nodes), own, runtime=graph.runtime, **about)  # type: ignore[arg-type]

    def _inputs(self, edit: Edit, nodes: list[tuple[int, Node]], first: Judgement) -> dict[str, Tensor]:
        """Return the tensors that these nodes read but don't compute; inputs have the shapes that `edit` declares."""
        first.inference.advance()
        own = {*edit.literals, *self._graph.literals, *(name for _, node in nodes for name in node.outputs)}
        needed = dict.fromkeys(name for _, node in nodes for name in node.reads if name not in own)
        tensors = first.inference.tensors
        known = {name: tensors[name] for name in needed if name in tensors}
        for name, declared in edit.inputs.items():
            if name in known and declared.shape is not None:
                sizes = [as_dim(d) if isinstance(d, int) else self._dims[d or ""] for d in declared.shape]
                known[name] = first.narrowing.tensor(tensor(declared.dtype, sizes))
        return known


def _formulas(application: Application, narrowing: Narrowing) -> list[Formula]:
    """Return the requirements on known sizes that normal forms don't prove, over the problem's own symbols."""
    open_ = [r.formula for r in application.requirements if r.formula is not TRUE and not is_open(r)]
    return [narrowing.back(formula) for formula in open_]


def _fails(formula: Formula, point: Assignment, at: Evaluator) -> bool:
    """Whether a condition is false at a point; False if the point doesn't have all its symbols."""
    return formula.symbols <= point.keys() and not at.formula(formula)
