"""The complete system of a graph as SMT-LIB 2 text: satisfiable if and only if some node can fail.

Every size and every listed element of a tensor has its own variable, named `tensor[axis]` or `tensor{i}` and defined
in terms of the node's inputs alone; every requirement is a named condition. No expression spans two nodes, so the
system is independent of what presolve decides.

    >>> from shapesmt.frontends import load
    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.operators.rules import tensor
    >>> graph = load(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[3] y) => (z) { z = Add(x, y) }')
    >>> n = symbol("n", 1, 4)
    >>> print(encode_graph(graph, {"x": tensor("float32", [n]), "y": tensor("float32", [3])}).text)
    ; the complete system of <bytes>: 1 nodes, 1 requirements, satisfiable where one of them can fail
    (set-logic ALL)
    (set-option :produce-models true)
    (declare-const |n| Int)
    (assert (<= 1 |n| 4))
    ; node Add_0
    (define-fun |Add_0: broadcast sizes are equal or 1 #1| () Bool (or ...
    (assert (or
      (not |Add_0: broadcast sizes are equal or 1 #1|)))
    (check-sat)
    (get-value (|n|))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import NamedTuple

from shapesmt.base.errors import printable
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import Application, Elements, Requirement, Tensor, elements, in_each_case, tensor
from shapesmt.prover.algebra import TRUE, Dim, Formula, Kind, define_symbol
from shapesmt.prover.smt import Script


class Stated(NamedTuple):
    """A requirement of the system.

    Attributes:
        name: The requirement's name in the text.
        node: The node's name, with the path of the subgraph node inside it, if any.
        law: The law that it states.
        formula: The condition over the system's variables.
    """

    name: str
    node: str
    law: str
    formula: Formula


@frozen(eq=False)
class Encoding:
    """A graph's complete system.

    Attributes:
        script: The text, with the names of its symbols.
        requirements: The requirements in the order of the nodes, without those that hold for all inputs.
        facts: The assumptions about the symbols.
        unsupported: Nodes without a rule, for which the system has no requirements.
    """

    script: Script
    requirements: tuple[Stated, ...]
    facts: tuple[Formula, ...]
    unsupported: tuple[str, ...]

    @property
    def text(self) -> str:
        """The SMT-LIB 2 text, as solvers' command lines read it."""
        return f"{self.script}\n"


def encode_graph(
    graph: Graph,
    inputs: Mapping[str, Tensor],
    facts: Iterable[Formula] = (),
    assumed: Iterable[tuple[int, Requirement]] = (),
) -> Encoding:
    """Return the complete system of a graph.

    Args:
        graph: The model.
        inputs: The input tensors by name.
        facts: The assumptions about their symbols.
        assumed: Requirements on the ranks of inputs that are assumed to hold, with the nodes' indices.
    """
    facts = tuple(facts)
    system = _System(graph)
    system.begin(inputs, facts)
    applications, tensors = _infer_nodes(graph, inputs, assumed)
    for index, application in enumerate(applications):
        system.node(index, application, [tensors[name] for name in graph.nodes[index].outputs if name])
    requirements = len(system.requirements)
    count = f"{len(graph.nodes)} nodes, {requirements} requirements, satisfiable where one of them can fail"
    system.end(f"the complete system of {printable(graph.source)}: {count}")
    return Encoding(system.script, tuple(system.requirements), facts, tuple(system.unsupported))


class Part(NamedTuple):
    """The part of the system for one node.

    Attributes:
        encoding: The node's requirements, with everything they depend on, as a complete system.
        reads: The tensors that the node reads, by name; each size and each listed integer is a variable.
        makes: The tensors that the node computes, likewise.
        requirements: All its requirements over `reads`, also those that always hold.
        lines: The lines of the system for the node itself.
    """

    encoding: Encoding
    reads: Mapping[str, Tensor]
    makes: Mapping[str, Tensor]
    requirements: tuple[Requirement, ...]
    lines: tuple[str, ...]


def encode_node(
    graph: Graph,
    inputs: Mapping[str, Tensor],
    index: int,
    facts: Iterable[Formula] = (),
    assumed: Iterable[tuple[int, Requirement]] = (),
) -> Part:
    """Return the system for one node: satisfiable if the node can fail while all the nodes it depends on run.

    `index` is the node's position in the graph; the other arguments are those of `encode_graph`.
    """
    facts, node = tuple(facts), graph.nodes[index]
    system = _System(graph)
    system.begin({}, facts)
    applications, tensors = _infer_nodes(graph, inputs, assumed)
    for earlier in sorted(graph.ancestors(index)):
        system.node_that_runs(earlier, applications[earlier])
    reads = {name: tensors[name] for name in node.reads if name in tensors}
    makes = {name: tensors[name] for name in node.outputs if name}
    system.script.lines.append(f"; what {printable(node.name)} reads")
    for d in (d for t in reads.values() for d in variables(t)):
        system.script.dim(d)
    start, own = len(system.script.lines), applications[index]
    system.node(index, own, makes.values())
    lines = tuple(system.script.lines[start:])
    title = f"the constraints of {printable(node.name)} ({printable(node.op)}) in {printable(graph.source)}"
    system.end(f"{title}, satisfiable where it can fail while the nodes before it run")
    encoding = Encoding(system.script, tuple(system.requirements), facts, tuple(system.unsupported))
    return Part(encoding, reads, makes, own.requirements, lines)


def _infer_nodes(
    graph: Graph, inputs: Mapping[str, Tensor], assumed: Iterable[tuple[int, Requirement]]
) -> tuple[list[Application], Mapping[str, Tensor]]:
    """Return each node's application and the tensors, with a variable for every size and listed integer.

    Requirements in `assumed` are added to those of their nodes.
    """
    inference = infer(graph, inputs, rename=with_variables, sizes=infer(graph, inputs).scope.named)
    applications = [*inference.applications]
    for index, r in [*assumed][::-1]:
        own = applications[index]
        applications[index] = replace(own, requirements=(r, *own.requirements))
    return applications, inference.tensors


class _System:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.script = Script()
        self.requirements: list[Stated] = []
        self.unsupported: list[str] = []
        self._passed: list[str] = []  # names of the requirements so far; after a fact, one name for all of them

    def begin(self, inputs: Mapping[str, Tensor], facts: Iterable[Formula]) -> None:
        lines = self.script.lines
        lines.append("(set-logic ALL)")
        lines.append("(set-option :produce-models true)")
        for t in inputs.values():
            for size in t.shape or ():
                self.script.dim(size)
        self.script.state(*facts)

    def node(self, index: int, application: Application, outputs: Iterable[Tensor]) -> None:
        """Add a node's requirements, the facts about its data-dependent sizes, and its outputs."""
        name = self.graph.nodes[index].name
        self.script.lines.append(f"; node {printable(name)}")
        stated = [*self._define_requirements(index, application)]
        self.requirements += stated
        self._passed += [r.name for r in stated]
        for fact in application.facts:
            self._grant(fact)
        for t in outputs:
            for d in variables(t):
                self.script.dim(d)
        self.unsupported += [f"{name}/{path}" if path else name for path in (u.path for u in application.unjudged)]

    def node_that_runs(self, index: int, application: Application) -> None:
        """Assert that a node runs: its requirements, and the facts about its data-dependent sizes."""
        start = len(self.script.lines)
        for r in self._define_requirements(index, application):
            self.script.lines.append(f"(assert {r.name})")
        self.script.state(*application.facts)
        if len(self.script.lines) > start:
            self.script.lines.insert(start, f"; node {printable(self.graph.nodes[index].name)}, which runs")

    def _define_requirements(self, index: int, application: Application) -> Iterator[Stated]:
        """Define a node's requirements by name, except those that always hold or depend on unknown values."""
        name = self.graph.nodes[index].name
        for number, r in enumerate(application.requirements, 1):
            if r.formula is not TRUE and not any(s.kind in (Kind.OPEN, Kind.LOST) for s in r.formula.symbols):
                path = f"{name}/{r.within}" if r.within else name
                title = self.script.define(
                    f"{printable(path)}: {r.law} #{number}", self.script.formula(r.formula), "Bool"
                )
                yield Stated(title, path, str(r.law), r.formula)

    def end(self, title: str) -> None:
        lines = self.script.lines
        lines.insert(0, f"; {title}")
        if self.requirements:
            failures = "\n".join(f"  (not {r.name})" for r in self.requirements)
            lines.append(f"(assert (or\n{failures}))")
        else:
            lines.append("(assert false)")
        lines.append("(check-sat)")
        if self.script.symbols:
            lines.append(f"(get-value ({' '.join(self.script.symbols.values())}))")

    def _grant(self, fact: Formula) -> None:
        """Add a fact about data-dependent sizes, which holds only if all requirements so far hold."""
        term = self.script.formula(fact)
        if self._passed:
            before = self.script.name("every requirement so far")
            self.script.lines.append(f"(define-fun {before} () Bool (and true {' '.join(self._passed)}))")
            self._passed = [before]
            term = f"(=> {before} {term})"
        self.script.lines.append(f"(assert {term})")


def with_variables(name: str, t: Tensor) -> Tensor:
    """Return the tensor with a variable for each size and each listed integer."""
    cases = in_each_case(t, lambda i, each: with_variables(f"{name} in case {i}", each))
    if t.shape is None or not t.is_tensor:
        return tensor(t.dtype, None, cases=cases) if cases else t
    shape = [_size(d, f"{name}[{axis}]") for axis, d in enumerate(t.shape)]
    value = t.value
    if isinstance(value, Elements):
        items = [define_symbol(d, f"{name}{{{i}}}") if isinstance(d, Dim) else d for i, d in enumerate(value.items)]
        value = elements(value.shape, items)
    return tensor(t.dtype, shape, value, cases=cases, layout=t.layout)


def _size(meaning: Dim, name: str) -> Dim:
    """Return a variable for a size, at least 0: a node reads it only if the node that computes it ran."""
    lo, hi = max(0, meaning.lo), meaning.hi
    return define_symbol(meaning, name, (lo, hi if hi >= lo else inf))


def variables(t: Tensor) -> list[Dim]:
    """Return the sizes and the listed integers of a tensor."""
    items = t.value.items if isinstance(t.value, Elements) else ()
    inner = [d for case in t.cases for d in variables(case.tensor)]
    return [*(t.shape or ()), *(d for d in items if isinstance(d, Dim)), *inner]
