"""Makers: the node that computes each tensor, and the tensors that are constants."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence

from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Node
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.rules import Memory


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
