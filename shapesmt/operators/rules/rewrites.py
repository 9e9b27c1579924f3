"""Rewrites: nodes that ONNX Runtime's default session runs instead of nodes of the file.

A `Rewrite` is one record: the pattern, its condition, the nodes that the session makes, and the versions in which this
was seen. `shapesmt.operators.ops.session` has the records, `operators.inference.session` applies them to a graph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import field

from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Literal, Node
from shapesmt.operators.rules.tensors import Tensor


class Site(ABC):
    """A graph as the session sees it before it rewrites it: equal nodes are one, nodes without effect are gone.

    Attributes:
        opset: The version of ONNX's operator set.
    """

    opset: int

    @abstractmethod
    def tensor(self, name: str) -> Tensor:
        """Return a tensor as far as it is known."""

    @abstractmethod
    def maker(self, name: str) -> Node | None:
        """Return the node that computes a tensor; None if there is none."""

    @abstractmethod
    def only_reader(self, name: str) -> bool:
        """Whether one node reads the tensor, once, and the model doesn't return it."""

    @abstractmethod
    def returned(self, name: str, *, renamed: bool = False) -> bool:
        """Whether the tensor is an output of the model; if `renamed`, also whether a removed node returns it as one."""

    @abstractmethod
    def constant(self, name: str) -> tuple[int, ...] | None:
        """Return the integers of a tensor that the session has as a constant; None for any other tensor."""

    @abstractmethod
    def same_size(self, name: str, other: str, axis: int) -> bool:
        """Whether two tensors have the same size on an axis, by the numbers and names that the session knows."""


@frozen()
class Made:
    """The nodes that replace the last node of a pattern, with the constants that they read."""

    nodes: tuple[Node, ...]
    literals: Mapping[str, Literal] = field(default_factory=dict)


@frozen()
class Rewrite:
    """A pattern of two nodes in a row, of which the session replaces the last.

    Attributes:
        says: The rewrite in words: "a lookup of consecutive rows is a slice".
        ops: The operators that the last node may have.
        place: The index of the input that the other node computes.
        feeds: The operators that the other node may have; None if there needn't be one, which then is the last again.
        fixed: A function of the last node that names a tensor whose sizes have to be numbers; None if none has to.
        make: A function of the last node and the other one, which returns what replaces the last one; None if the
            session leaves it. Nodes that nothing reads any more are removed.
        agrees: A function of the same nodes: whether the new nodes run and give the same wherever the file's run.
        seen: The versions of ONNX Runtime in which runs showed it.
        alone: Whether no node but the last may read the other one's output.
        domain: The domain of both operators.
        stage: When the session looks for the pattern: once no rewrite of an earlier stage applies any more. It goes
            back to earlier ones afterwards, except from stage 2.
    """

    says: str
    ops: frozenset[str]
    place: int
    feeds: frozenset[str] | None
    make: Callable[[Site, Node, Node], Made | None]
    agrees: Callable[[Site, Node, Node], bool]
    seen: tuple[str, ...]
    fixed: Callable[[Node], str] | None = None
    alone: bool = True
    domain: str = ""
    stage: int = 0

    def feed(self, site: Site, node: Node) -> Node | None:
        """Return the other node of the pattern if `node` is the last one; None if there is no match."""
        if node.domain != self.domain or node.op not in self.ops or len(node.inputs) <= self.place:
            return None
        feed = node if self.feeds is None else site.maker(node.inputs[self.place])
        if feed is None or (self.feeds is not None and (feed.domain != self.domain or feed.op not in self.feeds)):
            return None
        sizes = () if self.fixed is None else site.tensor(self.fixed(node)).shape
        known = sizes is not None and all(d.constant is not None for d in sizes)
        return feed if known and (not self.alone or site.only_reader(node.inputs[self.place])) else None
