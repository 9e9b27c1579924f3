"""Makers: the node that computes each tensor, the tensors that are constants, and those of a known length."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence

from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Node
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.rules import Application, Memory, Rule, Tensor, tensor

MOST = 50
"""The most nodes that are looked at for a length."""


@frozen(eq=False)
class Makers:
    """The node that computes each tensor of a graph, or of a function's body.

    The table is built when a tensor is first looked up that isn't in `others`: most models look up their inputs only.

    Attributes:
        nodes: The nodes of the graph.
        others: Tensors that none of the nodes computes, such as inputs and constants.

    Example:
        >>> relu = Node("Relu", "", "relu", ["x"], ["y"])
        >>> makers = Makers([relu], {"x"})
        >>> makers.get("y") is relu, makers.get("x"), makers.get("z")
        (True, None, None)
    """

    nodes: Sequence[Node]
    others: Collection[str]

    def get(self, name: str) -> Node | None:
        """Return the node that computes a tensor; None if there is none."""
        return None if name in self.others else self._listed.get(name)

    @cached_property
    def _listed(self) -> dict[str, Node]:
        return {name: node for node in self.nodes for name in node.outputs if name}


@frozen(eq=False)
class Constants(Container[str]):
    """The tensors that are constants in the file, looked up on demand, as few rules need them.

    Attributes:
        makers: The nodes that compute the tensors of the graph, or of a function's body.
        operators: The rules of the nodes' operators.
        literals: The graph's initializers.
        outer: The constants around the graph.

    Example:
        >>> nodes = [Node("Constant", "", "c", [], ["c"]), Node("Abs", "", "a", ["x"], ["y"])]
        >>> constants = Constants(Makers(nodes, {"x", "w"}), Operators({"": 21}, {}), {"w"}, ())
        >>> [name for name in "cwxy" if name in constants]
        ['c', 'w']
    """

    makers: Makers
    operators: Operators
    literals: Container[str]
    outer: Container[str]

    def __contains__(self, name: object) -> bool:
        if name in self.literals or name in self.outer:
            return True
        maker = self.makers.get(name) if isinstance(name, str) else None
        return maker is not None and self.operators.traits(maker).memory is Memory.MODEL


@frozen(eq=False)
class Lengths:
    """The tensors whose number of elements the file says by shapes and constants, whatever elements nodes compute.

    Attributes:
        makers: The nodes that compute the tensors.
        tensors: The tensors.
        operators: The rules of the nodes' operators.
        literals: The tensors that are constants.
        nested: The nodes so far that have graphs inside, which may make tensors of other ranks.
        apply: Applies a node to inputs.
    """

    makers: Makers
    tensors: Mapping[str, Tensor]
    operators: Operators
    literals: Container[str]
    nested: Collection[Node]
    apply: Callable[[Node, list[Tensor | None]], Application]

    def are_known(self, name: str) -> bool:
        """Whether a tensor is one of them, by a few nodes back to `Shape`; graphs inside nodes aren't looked into."""
        if self.nested and name not in self.literals:
            return False
        ahead, seen = [name], set[str]()
        while ahead:
            name = ahead.pop()
            if name in seen or name in self.literals:
                continue
            seen.add(name)
            node = self.makers.get(name)
            rule = self.operators[node.domain, node.op] if node is not None else None
            if node is None or not isinstance(rule, Rule) or rule.nested or len(seen) > MOST:
                return False
            if not rule.of_shape:
                reads = {*node.reads[1:]} if self.operators.traits(node).in_any_order else set()
                if any(other not in self.literals for other in reads):
                    return False  # the rule of a Reshape knows more than the file says
                made = dict(zip(node.outputs, self.apply(node, [*map(self._blank, node.inputs)]).outputs, strict=True))
                if made[name].shape is None or made[name].numel.constant is None:
                    return False
                ahead += node.reads
        return True

    def _blank(self, name: str) -> Tensor | None:
        """Return a tensor without its elements, unless it is a constant; None for the name of none."""
        if not name or name in self.literals:
            return self.tensors.get(name)
        return tensor(self.tensors[name].dtype, self.tensors[name].shape)
