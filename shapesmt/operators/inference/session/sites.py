"""Sites: a graph as the file has it, and as the session knows it before it rewrites it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Function, Graph, Node
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.ops import PASSING, RENAMING, passes
from shapesmt.operators.rules import Elements, Site, Tensor, tensor
from shapesmt.prover.algebra import Dim, Kind

UNKNOWN = tensor("", None)
SHARED = 8  # elements of the largest constants that the session compares


class File(Site):
    """The file's graph with inferred tensors; nodes without effect are skipped, equal ones are counted apart."""

    def __init__(self, graph: Graph, tensors: Mapping[str, Tensor]) -> None:
        self.graph, self.tensors, self.opset = graph, tensors, graph.opsets.get("", 1)
        self.operators = Operators(graph.opsets, graph.functions)

    def tensor(self, name: str) -> Tensor:
        """Return an inferred tensor; an unknown one if it wasn't inferred."""
        return self.tensors.get(name, UNKNOWN)

    def maker(self, name: str) -> Node | None:
        """Return the node that computes a tensor, or the one that its input comes from if that has no effect."""
        index = self.graph.producer(name)
        node = None if index is None else self.graph.nodes[index]
        return self.maker(node.inputs[0]) if node is not None and self.passed(node) else node

    def passed(self, node: Node) -> bool:
        """Whether the session removes a node because it returns its first input."""
        named = node.op in PASSING and not node.domain and node.outputs[0] not in self.graph.outputs
        return named and passes(self, node)

    def only_reader(self, name: str) -> bool:
        """Whether one node reads the tensor, or several that are equal, but for nodes that may become constants."""
        readers = (node for i in self.graph.consumers(name) if not self.folded(node := self.graph.nodes[i]))
        equal = ((n.op, n.attributes, n.inputs) == (r.op, r.attributes, r.inputs) for n, r in pairwise(readers))
        return bool(self.graph.consumers(name)) and name not in self.graph.outputs and all(equal)

    def folded(self, node: Node) -> bool:
        """Whether the session replaces a node by constants, as it knows all elements of the outputs."""
        known = (not self.returned(name) and self.constant(name) is not None for name in node.outputs)
        return not node.attributes.graphs and all(known)

    def returned(self, name: str, *, renamed: bool = False) -> bool:
        """Whether the tensor is an output of the model; if `renamed`, also whether a removed node returns it as one."""
        readers = [self.graph.nodes[i] for i in self.graph.consumers(name)] if renamed else []
        only = readers[0] if len(readers) == 1 and readers[0].op in RENAMING and not readers[0].domain else None
        return name in self.graph.outputs or (only is not None and self.returned(only.outputs[0], renamed=True))

    def constant(self, name: str) -> tuple[int, ...] | None:
        """Return the integers of a tensor if all are known."""
        t = self.tensor(name)
        items = t.value.items if isinstance(t.value, Elements) else (None,)
        known = [item.constant if isinstance(item, Dim) else None for item in items]
        return None if None in known else tuple(int(n) for n in known if n is not None)

    def same_size(self, name: str, other: str, axis: int) -> bool:
        """Whether two tensors have the same size on an axis."""
        sizes = [dims[axis] for t in map(self.tensor, (name, other)) if axis < len(dims := t.shape or ())]
        return len(sizes) == len((name, other)) and sizes[0] is sizes[1] and self._is_named(sizes[0])

    def _is_named(self, d: Dim) -> bool:  # noqa: ARG002 - a formula may have a name in the file
        """Whether the session may know a size by its number or its name in the file."""
        return True


class Session(File):
    """The graph as the session knows it when it loads the file: by declared sizes and names, and constants."""

    def __init__(self, graph: Graph, loaded: Mapping[str, Tensor]) -> None:
        super().__init__(graph, loaded)
        self._same: dict[str, str] = {}  # for each tensor that an earlier one equals, that one

    def only_reader(self, name: str) -> bool:
        """Whether one node reads the tensor or an equal one, once; equal nodes are one."""
        return self._reads[self._name(name)] == 1 and self._name(name) not in self._returned

    def _is_named(self, d: Dim) -> bool:
        own = d.as_symbol()
        return d.constant is not None or (own is not None and own.kind is not Kind.LOST)

    def _name(self, name: str) -> str:
        return self._same.get(name, name)

    @cached_property
    def _returned(self) -> frozenset[str]:
        return frozenset(map(self._name, self.graph.outputs))

    @cached_property
    def _reads(self) -> Counter[str]:
        """The number of times that each tensor is read, after equal nodes became one."""
        first: dict[object, Node] = {}
        shared: dict[Tensor, str] = {}
        reads: Counter[str] = Counter()
        for name, t in self.tensors.items():
            small = isinstance(t.value, Elements) and len(t.value.items) <= SHARED and not self.returned(name)
            if small and self.constant(name) is not None:
                self._same[name] = shared.setdefault(t, name)
        for node in in_session_order(self.graph):
            names = tuple(map(self._name, node.inputs))
            rule = self.operators[node.domain, node.op]
            if self.passed(node):
                self._same[node.outputs[0]] = names[0]
                continue
            repeats = (
                rule is not None and not isinstance(rule, Function) and rule.repeats and not node.attributes.graphs
            )
            if repeats:
                same = first.setdefault((node.op, node.domain, node.attributes, names, len(node.outputs)), node)
                if same is not node and not any(map(self.returned, node.outputs)):
                    self._same.update(
                        pair for pair in zip(node.outputs, same.outputs, strict=True) if pair[0] not in self._same
                    )
                    continue
            if not self.folded(node):
                reads.update(map(self._name, node.reads))
        return reads


def in_session_order(graph: Graph) -> list[Node]:
    """Return the nodes in the session's topological order, in which the first of several equal nodes is retained."""
    done, seen = list[int](), set[int]()
    stack = [
        (i, False) for i, node in enumerate(graph.nodes) if not any(map(graph.consumers, filter(None, node.outputs)))
    ]
    while stack:
        index, left = stack.pop()
        if left:
            done.append(index)
        elif index not in seen:
            seen.add(index)
            makers = {i for name in graph.nodes[index].reads if (i := graph.producer(name)) is not None}
            stack += [(index, True), *((i, False) for i in sorted(makers))]
    return [graph.nodes[index] for index in done]
