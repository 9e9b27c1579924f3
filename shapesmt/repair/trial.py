"""Trial: whether a change lets the first failing node behind it run, inferred from the change up to that node only."""

from __future__ import annotations

from shapesmt.algebra import FALSE, TRUE
from shapesmt.errors import ShapesmtError
from shapesmt.examine import Examination, Judge, Judgement, Problem, is_open
from shapesmt.graph import Graph
from shapesmt.inference import start
from shapesmt.repair.edit import Edit

SECONDS = 0.5
"""At most for one trial."""


class Trials:
    """Tries changes of an examined graph: all that is before a change stays as it was inferred."""

    def __init__(self, problem: Problem, examination: Examination, judge: Judge) -> None:
        self._graph, self._judge = problem.graph, judge
        self._known = examination.original.tensors
        self._failing = {j.index: j for j in examination.judgements}
        self._behind: dict[int, set[int]] = {}

    def helps(self, edit: Edit) -> bool:
        """Whether all nodes from the change to the first failing one run, as far as that is proved."""
        touched = set(edit.touched)
        for name in (*edit.literals, *edit.inputs):
            touched.update(self._graph.consumers(name))
        reached = touched.union(*map(self._reached, touched))
        failing = min((i for i in self._failing if i in reached), default=None)
        if failing is None:
            return False
        judge = self._judge.within(SECONDS)
        nodes = [i for i in sorted(reached) if i <= failing]
        return judge.deadline.attempt(lambda: self._runs(edit, nodes, self._failing[failing], judge), False)

    def _reached(self, index: int) -> set[int]:
        if index not in self._behind:
            self._behind[index] = self._graph.descendants(index)
        return self._behind[index]

    def _runs(self, edit: Edit, indices: list[int], failing: Judgement, judge: Judge) -> bool:
        """Whether these nodes run for the inputs that reach the failing one."""
        graph, domain = self._graph, failing.domain.copy()
        nodes = [node for index in indices for node in edit.at(graph, index)]
        own = {name for node in nodes for name in node.outputs}
        needed = dict.fromkeys(name for node in nodes for name in node.reads if name not in own)
        literals = {**graph.literals, **edit.literals}
        inputs = {name: self._known[name] for name in needed if name in self._known and name not in edit.literals}
        part = Graph(
            graph.name,
            {},
            (),
            nodes,
            {name: literals[name] for name in needed if name in literals},
            opsets=graph.opsets,
            functions=graph.functions,
            schemas=graph.schemas,
            runtime=graph.runtime,
        )
        try:
            for application in start(part, {n: t for n, t in inputs.items() if n not in part.literals}).steps:
                for fact in application.facts:
                    domain.limit(fact)
                open_ones = [r for r in application.requirements if r.formula is not TRUE and not is_open(r)]
                if any(r.formula is FALSE for r in open_ones):
                    return False
                if not all(judge.proves(domain, r.formula) for r in open_ones):
                    return False
        except (ShapesmtError, KeyError):  # a tensor is read before it is made
            return False
        return True
