"""Origins: whether elements that aren't known come from data, or from shapes alone.

Elements that data decides are taken to be as a node needs them: nothing else can be said before a run. Where shapes
alone decide them, but in a way that no rule follows, a node that depends on them is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from shapesmt.application import Application, Unjudged
from shapesmt.dim import symbol
from shapesmt.graph import Function, Node
from shapesmt.ops.registry import Rule
from shapesmt.rewrite import Replacer
from shapesmt.tensor import LOST, Tensor, rewritten

Leaves = frozenset[str]
Outside = Callable[[str], "Leaves | None"]
NONE: Leaves = frozenset()
LAW = "numbers that sizes decide are known"


def data(_name: str) -> None:
    """The leaves of what a whole model is given."""


class Origins:
    """Where the tensors of one graph come from.

    Args:
        nodes: The graph's, in topological order.
        tensors: What is known of the tensors so far.
        rules: What the operators of the nodes do, by domain and name.
        outside: The leaves of a tensor that no node of the graph makes.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        tensors: Mapping[str, Tensor],
        rules: Mapping[tuple[str, str], Rule | Function | None],
        outside: Outside,
    ) -> None:
        self._nodes = nodes
        self._tensors = tensors
        self._rules = rules
        self._outside = outside
        self._given = frozenset(tensors)
        self._found: dict[str, Leaves | None] = {}

    @cached_property
    def _makers(self) -> dict[str, Node]:
        return {name: node for node in self._nodes for name in node.outputs}

    def leaves(self, name: str) -> Leaves | None:
        """The unknown tensors from outside that the elements come from, beside shapes; None where data has a part."""
        if name in self._given and not self._followed(name):
            return self._outside(name)
        stack = [name]
        while stack:
            top = stack[-1]
            parents = [] if top in self._found else self._parents(top)
            missing = [p for p in parents if p not in self._found]
            if missing:
                stack += missing
            else:
                stack.pop()
                self._found.setdefault(top, self._joined(top, parents))
        return self._found[name]

    def weighed(self, made: Application, node: Node) -> Application:
        """The application, left open where elements that it takes for granted come from shapes alone."""
        found = {index: self.leaves(node.inputs[index]) for index in sorted(made.granted)}
        rests_on = made.rests_on.union(*(leaves for leaves in found.values() if leaves))
        lost = [index for index, leaves in found.items() if leaves == NONE]
        made = replace(made, rests_on=rests_on)
        followed = all(not name or self._followed(name) for name in node.inputs) and not node.attributes.graphs
        laws = [self._law(node.inputs[index]) for index in lost if index not in made.sizing]
        return _opened(made, [Unjudged("", node.op, "elements", law) for law in laws]) if lost or followed else made

    def _law(self, name: str) -> str:
        lost = self.lost(name)
        where = "operators" if lost is None else f"{lost.op} (node '{lost.name}')"
        return f"{LAW}: '{name}' rests on {where}, not followed so far"

    def lost(self, name: str) -> Node | None:
        """The first node on the way whose elements aren't known although those that it reads are."""
        node = self._makers.get(name)
        while node is not None:
            unknown = [] if self._of_shape(node) else [n for n in node.inputs if n and not self._followed(n)]
            behind = next((self._makers[n] for n in unknown if n in self._makers), None)
            if behind is None:
                break
            node = behind
        return node

    def _of_shape(self, node: Node) -> bool | None:
        """Whether a node looks at shapes only; None where it has no rule."""
        rule = self._rules.get((node.domain, node.op))
        return rule.of_shape if isinstance(rule, Rule) else None if rule is None else False

    def _followed(self, name: str) -> bool:
        known = self._tensors.get(name)
        return known is not None and known.followed

    def _parents(self, name: str) -> Iterable[str]:
        node = self._makers.get(name)
        if node is None or self._followed(name) or self._of_shape(node) is not False:
            return []
        return [n for n in (*node.inputs, *node.attributes.captures) if n]

    def _joined(self, name: str, parents: Iterable[str]) -> Leaves | None:
        node, known = self._makers.get(name), self._tensors.get(name)
        if self._followed(name) and known is not None and known.chosen:
            return None
        if self._followed(name) or (node is not None and self._of_shape(node)):
            return NONE
        if node is None:
            return self._outside(name)
        found = [self._found[p] for p in parents]
        return NONE.union(*(f for f in found if f is not None)) if found and None not in found else None


def _opened(made: Application, lost: Sequence[Unjudged]) -> Application:
    """The application whose sizes aren't decided by data, as the rule took them to be, but by nobody knows what."""
    sizes = {a: symbol(a.name, a.lo, a.hi, kind=LOST) for d in made.made if (a := d.as_symbol()) is not None}
    change = Replacer(sizes)
    kept = [r for r in made.requirements if not (r.within and lost)]  # of a branch that may not be the one that runs
    return replace(
        made,
        outputs=tuple(rewritten(t, change) for t in made.outputs),
        requirements=tuple(r._replace(formula=change.apply(r.formula), given=change.apply(r.given)) for r in kept),
        facts=(),
        unjudged=(*made.unjudged, *lost),
        made=tuple(sizes.values()),
    )
