"""Same: whether changed nodes are proved to be the old ones at all sizes at which the model runs."""

from __future__ import annotations

from collections.abc import Mapping

from shapesmt.analysis.analysis import Analysis
from shapesmt.network.graph import Node
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Elements, Keeps, Tensor
from shapesmt.prover.algebra import Dim, Formula, any_of, equal
from shapesmt.prover.presolve import Domain
from shapesmt.tasks.repair.candidates import Change
from shapesmt.tasks.repair.edit import Edit

SECONDS = 1.0
"""The limit of one proof, in seconds of processor time."""
BY_SHAPE = (Keeps.ORDERED, Keeps.REPEATED)
"""Operators whose output is decided by the first operand's elements and the output's shape."""

COPIES = (*BY_SHAPE, Keeps.COPIED)
"""Operators that, inserted by a change, return their first operand wherever they keep its shape: crops and pads too."""


class Sameness:
    """Proves for changes that they keep what a model computes over a domain in which it runs."""

    def __init__(self, a: Analysis, domain: Domain) -> None:
        self._a, self._graph, self._domain = a, a.problem.graph, domain
        self._operators = Operators(self._graph.opsets, self._graph.functions)

    def is_admitted(self, change: Change) -> bool:
        """Whether each size at which the model runs is declared after the change, except those of broadcast axes."""
        for name, declared in change.edit.inputs.items():
            before, dims = self._graph.inputs[name].shape or (), self._a.problem.dims
            for old, new in zip(before, declared.shape or (), strict=True):
                if old != new and isinstance(old, str) and isinstance(new, str):
                    m, n = dims[old], dims[new]
                    if not self._proves(any_of(equal(m, n), equal(m, 1), equal(n, 1))):
                        return False
        return True

    def is_proved(self, change: Change, tensors: Mapping[str, Tensor]) -> bool:
        """Whether each changed node is proved to be the old one; `tensors` are those of the changed model."""
        edit, literals = change.edit, self._graph.literals
        if edit.inner or not literals.keys().isdisjoint(edit.literals):
            return False
        return all(self._is_same(self._graph.nodes[i], node, edit, tensors) for i, node in edit.nodes.items())

    def _is_same(self, old: Node, new: Node, edit: Edit, tensors: Mapping[str, Tensor]) -> bool:
        """Whether a changed node has the old outputs."""
        before = self._a.examination.original.tensors
        if all(self._equal_elements(before.get(name), tensors.get(name)) for name in old.outputs):
            return True
        same = [self._is_same_input(m, n, edit, tensors) for m, n in zip(old.inputs, new.inputs, strict=False)]
        if len(old.inputs) != len(new.inputs) or (old.op, old.domain) != (new.op, new.domain):
            return False
        if all(same) and old.attributes is new.attributes:
            return True
        made = old.outputs[0]
        decided = self._keeps(old) in BY_SHAPE and same[:1] == [True]
        return decided and self._equal_shapes(before.get(made), tensors.get(made))

    def _is_same_input(self, old: str, new: str, edit: Edit, tensors: Mapping[str, Tensor]) -> bool:
        """Whether an operand has the old elements."""
        one, other = self._a.examination.original.tensors.get(old), tensors.get(new)
        if old == new or self._equal_elements(one, other):
            return True
        inserted = [node for nodes in edit.before.values() for node in nodes if new in node.outputs]
        removed = [n for i in edit.removed if old in (n := self._graph.nodes[i]).outputs]
        copies = any(n.inputs[0] == old and self._copies(n) for n in inserted)
        copies |= any(n.inputs[0] == new and self._keeps(n) in BY_SHAPE for n in removed)
        return copies and self._equal_shapes(one, other)

    def _copies(self, node: Node) -> bool:
        """Whether an inserted node returns its first operand wherever it keeps its shape."""
        keeps = self._keeps(node)
        return keeps in COPIES or (keeps is Keeps.CONCATENATED and len(node.inputs) == 1)

    def _keeps(self, node: Node) -> Keeps:
        return self._operators.traits(node).keeps

    def _equal_elements(self, one: Tensor | None, other: Tensor | None) -> bool:
        """Whether two tensors are proved to have the same known elements."""
        if one is None or other is None or one.dtype != other.dtype or not self._equal_shapes(one, other):
            return False
        a, b = one.value, other.value
        if not isinstance(a, Elements) or not isinstance(b, Elements) or len(a.items) != len(b.items):
            return False
        return all(self._equal(m, n) for m, n in zip(a.items, b.items, strict=True))

    def _equal_shapes(self, one: Tensor | None, other: Tensor | None) -> bool:
        if one is None or other is None or one.shape is None or other.shape is None:
            return False
        pairs = zip(one.shape, other.shape, strict=False)
        return len(one.shape) == len(other.shape) and all(self._equal(m, n) for m, n in pairs)

    def _equal(self, one: object, other: object) -> bool:
        if isinstance(one, Dim) and isinstance(other, Dim):
            return one is other or self._proves(equal(one, other))
        return one is not None and one is other

    def _proves(self, formula: Formula) -> bool:
        return self._a.judge.within(SECONDS).proves(self._domain, formula)
