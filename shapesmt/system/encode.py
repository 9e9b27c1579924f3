"""The complete system of a graph as SMT-LIB 2 text: satisfiable exactly where some node can fail.

Every size and every listed element of every tensor is a variable of its own, named `tensor[axis]` or `tensor{i}`
and defined in terms of the node's inputs alone; every requirement is a named condition. No expression spans two
nodes, so nothing that presolve does along the way takes part.

    >>> from shapesmt.frontends import load
    >>> from shapesmt.algebra import symbol
    >>> from shapesmt.rules import tensor
    >>> graph = load(b'<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[3] y) => (z) { z = Add(x, y) }')
    >>> n = symbol("n", 1, 4)
    >>> print(encode(graph, {"x": tensor("float32", [n]), "y": tensor("float32", [3])}).text)
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

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.algebra import TRUE, Atom, Dim, Formula, Kind, defined
from shapesmt.errors import printable
from shapesmt.inference import infer
from shapesmt.rules import Elements, Tensor, elements, in_each_case, tensor
from shapesmt.solve import Script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shapesmt.graph import Graph
    from shapesmt.rules import Application, Requirement


class Stated(NamedTuple):
    """A requirement of the system.

    Attributes:
        name: Its name in the text.
        node: The node's name, with the path inside it.
        position: The node's index in the graph.
        law: The law that it states.
        formula: The condition over the system's variables.
    """

    name: str
    node: str
    position: int
    law: str
    formula: Formula


@dataclass(frozen=True, eq=False)
class Encoding:
    """A graph's complete system.

    Attributes:
        script: The text with the names in it.
        requirements: The requirements in the order of the nodes; those that hold for all inputs are left out.
        facts: The assumptions about the symbols.
        unsupported: Nodes without a rule, for which the system has no requirements.
    """

    script: Script
    requirements: tuple[Stated, ...]
    facts: tuple[Formula, ...]
    unsupported: tuple[str, ...]

    @property
    def text(self) -> str:
        """The SMT-LIB 2 text, as a solver's command line reads it."""
        return f"{self.script}\n"


def encode(
    graph: Graph,
    inputs: Mapping[str, Tensor],
    facts: Iterable[Formula] = (),
    assumed: Iterable[tuple[int, Requirement]] = (),
) -> Encoding:
    """The complete system of a graph.

    Args:
        graph: The model.
        inputs: Its input tensors by name.
        facts: The assumptions about their symbols.
        assumed: The requirements on ranks that the inputs are assumed to have, with the nodes' indices.
    """
    inference = infer(graph, inputs, rename=renamed, sizes=infer(graph, inputs).scope.named)
    facts = tuple(facts)
    system = _System(graph)
    system.begin(inputs, facts)
    ranks: dict[int, list[Requirement]] = {}
    for index, r in assumed:
        ranks.setdefault(index, []).append(r)
    for index, application in enumerate(inference.applications):
        if index in ranks:
            application = replace(application, requirements=(*ranks[index], *application.requirements))
        system.node(index, application, [inference.tensors[name] for name in graph.nodes[index].outputs if name])
    system.end()
    return Encoding(system.script, tuple(system.requirements), facts, tuple(system.unsupported))


class _System:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.script = Script()
        self.requirements: list[Stated] = []
        self.unsupported: list[str] = []
        self._passed: list[str] = []  # requirements so far; after a fact, one name stands for all of them

    def begin(self, inputs: Mapping[str, Tensor], facts: Iterable[Formula]) -> None:
        lines = self.script.lines
        lines.append("(set-logic ALL)")
        lines.append("(set-option :produce-models true)")
        for t in inputs.values():
            for size in t.shape or ():
                self.script.term(size)
        self.script.state(*facts)

    def node(self, index: int, application: Application, outputs: Iterable[Tensor]) -> None:
        """Add a node's requirements, the facts about its data-dependent sizes, and its outputs."""
        name = self.graph.nodes[index].name
        self.script.lines.append(f"; node {printable(name)}")
        for number, r in enumerate(application.requirements, 1):
            if r.formula is not TRUE and not any(s.kind in (Kind.OPEN, Kind.LOST) for s in r.formula.symbols):
                path = f"{name}/{r.within}" if r.within else name
                title = self.script.define(f"{printable(path)}: {r.law} #{number}", r.formula)
                self.requirements.append(Stated(title, path, index, str(r.law), r.formula))
                self._passed.append(title)
        for fact in application.facts:
            self._grant(fact)
        for t in outputs:
            for d in variables(t):
                self.script.term(d)
        self.unsupported += [f"{name}/{path}" if path else name for path in (u.path for u in application.unjudged)]

    def end(self) -> None:
        count = f"{len(self.graph.nodes)} nodes, {len(self.requirements)} requirements"
        title = (
            f"; the complete system of {printable(self.graph.source)}: {count}, satisfiable where one of them can fail"
        )
        lines = self.script.lines
        lines.insert(0, title)
        if self.requirements:
            failures = "\n".join(f"  (not {r.name})" for r in self.requirements)
            lines.append(f"(assert (or\n{failures}))")
        else:
            lines.append("(assert false)")
        lines.append("(check-sat)")
        if self.script.symbols:
            lines.append(f"(get-value ({' '.join(self.script.symbols.values())}))")

    def _grant(self, fact: Formula) -> None:
        """Add a fact about sizes that data decides, which holds only if all requirements so far hold."""
        term = self.script.term(fact)
        if self._passed:
            before = self.script.name("every requirement so far")
            self.script.lines.append(f"(define-fun {before} () Bool (and true {' '.join(self._passed)}))")
            self._passed = [before]
            term = f"(=> {before} {term})"
        self.script.lines.append(f"(assert {term})")


def renamed(name: str, t: Tensor) -> Tensor:
    """The tensor with a variable for each size and each listed integer."""
    cases = in_each_case(t, lambda i, each: renamed(f"{name} in case {i}", each))
    if t.shape is None or not t.is_tensor:
        return tensor(t.dtype, None, cases=cases) if cases else t
    shape = [_size(d, f"{name}[{axis}]") for axis, d in enumerate(t.shape)]
    value = t.value
    if isinstance(value, Elements):
        items = [defined(d, f"{name}{{{i}}}") if isinstance(d, Dim) else d for i, d in enumerate(value.items)]
        value = elements(value.shape, items)
    return tensor(t.dtype, shape, value, cases=cases)


def _size(meaning: Dim, name: str) -> Dim:
    """A variable for a size, at least 0: a node that reads it runs only if the node that computes it did."""
    lo, hi = max(0, meaning.lo), meaning.hi
    return defined(meaning, name, (lo, hi if hi >= lo else inf))


def variables(t: Tensor) -> list[Dim]:
    """The sizes and the listed integers of a tensor."""
    items = t.value.items if isinstance(t.value, Elements) else ()
    inner = [d for case in t.cases for d in variables(case.tensor)]
    return [*(t.shape or ()), *(d for d in items if isinstance(d, Dim)), *inner]


__all__ = ["Atom", "Encoding", "Stated", "encode", "renamed", "variables"]
