"""Ranks that ONNX Runtime infers from declarations when it loads a model."""

from __future__ import annotations

from collections.abc import Container, Sequence

from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.graph import Graph, Node

RANK_FROM = {
    **dict.fromkeys(("BlackmanWindow", "ConstantOfShape", "HammingWindow", "HannWindow", "MelWeightMatrix"), 0),
    **dict.fromkeys(("AffineGrid", "Col2Im", "Expand", "GatherND", "Reshape", "Squeeze", "STFT", "Unsqueeze"), 1),
    **dict.fromkeys(("Conv", "ConvInteger", "ConvTranspose", "DeformConv"), 1),
    **dict.fromkeys(("ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"), 1),
    **dict.fromkeys(("ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"), 1),
    "MaxUnpool": 2,
    "Pad": 3,
    "QLinearConv": 3,
}
"""Operators whose output rank ONNX Runtime infers if their inputs from this index on are constants."""
RANK_UNKNOWN = frozenset(
    {
        *("Attention", "CausalConvWithState", "ConcatFromSequence", "GreaterOrEqual", "ImageDecoder", "LessOrEqual"),
        *("MeanVarianceNormalization", "NonMaxSuppression", "OptionalGetElement", "SequenceAt", "SwiGLU"),
    }
)
"""Operators whose output rank ONNX Runtime doesn't infer from the ranks of their inputs, in some version."""


@frozen(eq=False)
class Loaded(Container[str]):
    """The tensors whose ranks ONNX Runtime surely infers when it loads the model.

    Attributes:
        graph: The graph of these tensors.
        outer: Such tensors of the graphs around it.
        given: Pairs of an input of the graph without a declared rank and the outer tensor from which it gets one.

    Example:
        >>> from shapesmt.frontends import load
        >>> graph = load(b'<ir_version: 8, opset_import: ["": 18]> g (float[n] x) => (b) { a = Neg(x) b = Squeeze(a) }')
        >>> [name for name in "xab" if name in Loaded(graph)]
        ['x', 'a']
    """

    graph: Graph
    outer: Container[str] = ()
    given: Sequence[tuple[str, str]] = ()

    def __contains__(self, name: object) -> bool:
        return name in self._inside or name in self.outer

    @cached_property
    def _inside(self) -> set[str]:
        graph = self.graph
        constants = graph.literals.keys() - graph.declared.keys()  # an input may override a declared one
        inside = {name for name, d in graph.inputs.items() if d.shape is not None}
        inside.update(own for own, other in self.given if other in self.outer)
        inside.update(graph.literals)
        for node in graph.nodes:
            if node.op == "Constant" and not node.domain:
                constants.update(node.outputs)
            if self._infers(node, inside, constants):
                inside.update(node.outputs)
        return inside

    def _infers(self, node: Node, inside: set[str], constants: Container[str]) -> bool:
        if node.domain or node.op in RANK_UNKNOWN or node.attributes.graphs:
            return False
        first = RANK_FROM.get(node.op, len(node.inputs))
        unnamed = node.op == "Squeeze" and len(node.inputs) < 2 and "axes" not in node.attributes
        ranks = all(name in inside or name in self.outer for name in node.inputs if name)
        return ranks and not unnamed and all(name in constants for name in node.inputs[first:] if name)


def names_with_ranks(around: Sequence[Graph]) -> Container[str]:
    """Return the tensors whose ranks ONNX Runtime infers when loading, for nested graphs, the innermost first."""
    known: Container[str] = ()
    for graph in reversed(around):
        known = Loaded(graph, known)
    return known


__all__ = ["RANK_FROM", "RANK_UNKNOWN", "Loaded", "names_with_ranks"]
