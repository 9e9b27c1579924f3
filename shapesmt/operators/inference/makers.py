"""Makers: the node that computes each tensor, the tensors that are constants, and those of a known length."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Node
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.rules import Application, Memory, Rule, Tensor, tensor


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


@dataclass
class Lengths:
    """The tensors whose number of elements the file says by shapes and constants, whatever elements nodes compute.

    Attributes:
        makers: The nodes that compute the tensors.
        tensors: The tensors.
        operators: The rules of the nodes' operators.
        literals: The tensors that are constants.
        nested: The nodes so far that have graphs inside, which may make tensors of other ranks.
        apply: Applies a node to inputs.
        seen: The tensors whose length, or else whose rank, has been looked at.
    """

    makers: Makers
    tensors: Mapping[str, Tensor]
    operators: Operators
    literals: Container[str]
    nested: Collection[Node]
    apply: Callable[[Node, list[Tensor | None]], Application]
    seen: set[tuple[str, bool]] = field(default_factory=set)

    def are_known(self, name: str) -> bool:
        """Whether a tensor is one of them, as far as nodes without graphs inside say."""
        if self.nested and name not in self.literals:
            return False
        ahead = [(name, True)]
        while ahead:
            name, length = ahead.pop()
            if (name, length) in self.seen or name in self.literals:
                continue
            node = self.makers.get(name)
            if node is None and (length or self.tensors[name].shape is None):
                return False
            reads = [(read, self._is_list(read)) for read in node.reads] if node is not None else []
            if node is not None and length and not self._says_length(node, name):
                return False
            self.seen.add((name, length))
            ahead += reads
        return True

    def _says_length(self, node: Node, name: str) -> bool:
        """Whether a node makes a tensor of a known number of elements, whatever elements nodes compute."""
        rule = self.operators[node.domain, node.op]
        if not isinstance(rule, Rule) or rule.of_shape:
            return isinstance(rule, Rule)
        traits = self.operators.traits(node)
        listed = traits.in_any_order and any(read not in self.literals for read in node.reads[1:])
        looked_up = self.tensors[name].shape == () and any(self.tensors[node.inputs[i]].shape for i in traits.indices)
        if listed or looked_up:
            return False  # the rules of Reshape and GatherND know more than ONNX infers
        inputs = [self._blank(read, sizes=not traits.copied) for read in node.inputs]
        made = dict(zip(node.outputs, self.apply(node, inputs).outputs, strict=True))
        return made[name].shape is not None and made[name].numel.constant is not None

    def _is_list(self, name: str) -> bool:
        t = self.tensors[name]
        return t.shape is not None and t.rank <= 1 and t.numel.constant is not None

    def _blank(self, name: str, *, sizes: bool) -> Tensor | None:
        """Return a tensor without its elements, unless it is a constant or, with `sizes`, those of another tensor.

        None is returned for the name of none.
        """
        maker = self.makers.get(name)
        rule = None if maker is None or not sizes else self.operators[maker.domain, maker.op]
        if not name or name in self.literals or (isinstance(rule, Rule) and rule.of_shape):
            return self.tensors.get(name)
        return tensor(self.tensors[name].dtype, self.tensors[name].shape)
