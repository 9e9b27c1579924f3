"""Computed: the tensors that the nodes of a graph have computed so far, by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shapesmt.graph import Nodes
from shapesmt.rules import Tensor

BEHIND = object()
"""Stands behind the tensors that one node reads."""


class Computed:
    """The tensors by number, which `name` adds to those by name: in large models few nodes are looked at by name.

    Attributes:
        values: The tensors by number, those from outside included, and `BEHIND` by the number `END`.
        read: The next tensor that some node reads, or `BEHIND`.
        count: How many have been computed.
    """

    def __init__(self, nodes: Nodes, tensors: dict[str, Tensor]) -> None:
        self._outputs, self._tensors = nodes.outputs, tensors
        self.values: list[Any] = [*[None] * len(nodes.outputs), *map(tensors.get, nodes.outer), BEHIND]
        self.read: Callable[[], Any] = map(self.values.__getitem__, nodes.reads).__next__
        self.count = self._named = 0

    def name(self) -> None:
        """Add those to the tensors by name that aren't there yet."""
        if self._named < self.count:
            new = slice(self._named, self.count)
            self._tensors.update(zip(self._outputs[new], self.values[new], strict=True))
            self._tensors.pop("", None)
            self._named = self.count
