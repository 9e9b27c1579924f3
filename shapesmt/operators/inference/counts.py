"""Counts: indices that are running sums of data, which grow with the size of an axis.

Indices from input data are assumed to be inside the axis that they index. Counted indices, such as positions computed
from a mask of a sequence (`cumsum(mask) * mask - 1`), fit short sequences only. So a node that looks up counted indices
is also applied to those of a mask of ones, and is undecided if these don't fit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from shapesmt.network import laws
from shapesmt.network.graph import Node, Nodes
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.inference.origins import Trace
from shapesmt.operators.rules import (
    Application,
    Field,
    Keeps,
    Requirement,
    Rule,
    Tensor,
    Unjudged,
    extremes,
    field,
    tensor,
)
from shapesmt.prover.algebra import TRUE, as_dim, negate

INTEGERS = ("int", "uint")
TRIALS = (1, 0)
"""The value of unknown booleans in each trial; unknown integers are 1 in both."""

Counted = dict[str, tuple[Tensor, ...]]
"""Tensors of counted integers by name: one for each trial."""


class Counts:
    """The counted integers of one graph, such as `cumsum(mask)`, computed for a mask of ones.

    Args:
        nodes: The graph's nodes, each after those that compute its inputs.
        tensors: The tensors known so far.
        rules: The rules of the nodes' operators, by domain and name.
        trace: Applies the rule of a node to other inputs.
        outside: Counted integers around the graph, which it may read.
    """

    def __init__(
        self, nodes: Nodes, tensors: Mapping[str, Tensor], rules: Operators, trace: Trace, outside: Counted
    ) -> None:
        self._nodes = nodes
        self._tensors = tensors
        self._rules = rules
        self._trace = trace
        self._at: int | None = 0 if outside else None  # index of the next node to count; None before the first count
        self._counted = {**outside}
        self._picked: set[str] = set()  # outputs of nodes that look up counted indices only

    def check_indices(self, application: Application, node: Node) -> Application:
        """Return the application, undecided if counted indices may be outside the axis that they index."""
        counted = self.so_far()
        needed = application.decides_success - application.decides_sizes_only if counted else ()
        names = {node.inputs[i] for i in needed} & counted.keys()
        if names and not counted.keys() & set(node.inputs) - names:
            self._picked.update(node.outputs)
        names = {n for n in names if not isinstance(self._tensors[n].value, Field)}  # the rule checks a `Field` itself
        if not names:
            return application
        stated = {r.formula for r in application.requirements} | {TRUE}
        read = {name: self._tensors.get(name) for name in node.inputs}
        tried = [self._try_node(node, {**read, **{n: counted[n][k] for n in names}}) for k in range(len(TRIALS))]
        found = {r.formula: r for one in tried if one is not None for r in one.requirements}
        reasons = tuple(
            Unjudged("", node.op, "count", _law(names, r), branch=negate(formula))
            for formula, r in found.items()
            if r.law.code == laws.INDICES_INSIDE_AXIS.code and formula not in stated
        )
        if None in tried:  # nodes in a loop or a branch aren't applied to a mask of ones
            law = f"{laws.INDICES_INSIDE_AXIS}: the counted {_quote_names(names)} isn't followed into the node's graphs"
            reasons = (Unjudged("", node.op, "elements", law),)
        return replace(application, unjudged=(*application.unjudged, *reasons)) if reasons else application

    def add(self, counted: Counted) -> None:
        """Add integers that a function counts, for the nodes after its call."""
        if counted:
            self._counted.update(counted)
            self._at = self._at or 0

    def so_far(self) -> Counted:
        """Return the counted integers among the outputs of the nodes applied so far."""
        if self._at is None:
            kinds = self._nodes.kinds
            running = (kinds.index(k) for k in dict.fromkeys(kinds) if self._rules.traits(k).keeps is Keeps.SUMMED)
            self._at = min(running, default=len(kinds))
        while self._at < len(self._nodes) and all(map(self._is_known, self._nodes[self._at].outputs)):
            self._count(self._nodes[self._at])
            self._at += 1
        return self._counted

    def _is_known(self, name: str) -> bool:
        return not name or name in self._tensors

    def _count(self, node: Node) -> None:
        """Record the integers of a node that counts data, or computes them from counted ones."""
        if self._rules.traits(node).keeps is not Keeps.SUMMED and self._counted.keys().isdisjoint(node.inputs):
            return
        tried = [self._try_node(node, {n: self._sample_tensor(n, k) for n in node.inputs}) for k in range(len(TRIALS))]
        for index, name in enumerate(node.outputs):
            known = name in self._picked or name not in self._tensors or self._tensors[name].followed
            outputs = () if known else tuple(self._sample_output(node, k, one, index) for k, one in enumerate(tried))
            values = tuple(t for t in outputs if t is not None and t.dtype.startswith(INTEGERS) and t.value is not None)
            if len(values) == len(TRIALS):
                self._counted[name] = values

    def _try_node(self, node: Node, read: Mapping[str, Tensor | None]) -> Application | None:
        """Apply a node to these tensors; None if it has no rule, has graphs inside, or fails."""
        rule = self._rules[node.domain, node.op]
        if not isinstance(rule, Rule) or rule.nested:
            return None
        return self._trace(rule, node, [read[name] for name in node.inputs])

    def _sample_tensor(self, name: str, trial: int) -> Tensor | None:
        """Return a tensor whose unknown integers are 1, and whose unknown booleans have the value of the trial."""
        t = self._counted[name][trial] if name in self._counted else self._tensors.get(name)
        if t is None or t.shape is None or t.followed or not t.dtype.startswith((*INTEGERS, "bool")):
            return t
        if t.value is not None and not isinstance(t.value, Field):
            return t
        return tensor(t.dtype, t.shape, field(as_dim(TRIALS[trial] if t.dtype == "bool" else 1)), layout=t.layout)

    def _sample_output(self, node: Node, trial: int, application: Application | None, index: int) -> Tensor | None:
        """Return output number `index` of a tried node.

        If the node copies elements of input 0 in order but none is known, each is the maximum of that input.
        """
        t = None if application is None else application.outputs[index]
        ordered = self._rules.traits(node).in_order
        x = self._counted[node.inputs[0]][trial] if ordered and node.inputs[0] in self._counted else None
        if t is None or t.value is not None or x is None or not isinstance(x.value, Field):
            return t
        ends = extremes(x.value.element, lambda back: x[-back])
        return t if ends is None else tensor(t.dtype, t.shape, field(ends[1]))


def _law(names: Collection[str], broken: Requirement) -> str:
    counted = f"counted by a mask of ones, {_quote_names(names)} holds {broken.left}"
    return f"{broken.law}: {counted}, and the axis has {broken.right}"


def _quote_names(names: Collection[str]) -> str:
    return " and ".join(f"'{name}'" for name in sorted(names))
