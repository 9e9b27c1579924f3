"""Makers: which node computes a tensor."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from shapesmt.graph import Node


@dataclass(frozen=True, eq=False)
class Makers:
    """The node that computes each tensor of a graph, or of a function's body.

    They are listed when first asked for a tensor that may have one: most models ask for their inputs only.

    Attributes:
        nodes: The graph's.
        others: Tensors that none of them computes, such as its inputs and constants.

    Example:
        >>> relu = Node("Relu", "", "relu", ["x"], ["y"])
        >>> makers = Makers([relu], {"x"})
        >>> makers.get("y") is relu, makers.get("x"), makers.get("z")
        (True, None, None)
    """

    nodes: Sequence[Node]
    others: Collection[str]

    def get(self, name: str) -> Node | None:
        """The node that computes a tensor; None where none does."""
        return None if name in self.others else self._listed.get(name)

    @cached_property
    def _listed(self) -> dict[str, Node]:
        return {name: node for node in self.nodes for name in node.outputs if name}
