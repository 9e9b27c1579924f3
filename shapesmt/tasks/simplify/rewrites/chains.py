"""Chains: merge a node with its producer."""

from __future__ import annotations

from shapesmt.network.graph import Attributes
from shapesmt.operators.rules import Shape
from shapesmt.tasks.simplify.rewrites.site import Change, Site, rewrite

_BROADCASTING = (
    *("Add", "Sub", "Mul", "Div", "Mod", "And", "Or", "Xor", "Equal", "Greater", "Less", "GreaterOrEqual"),
    *("LessOrEqual", "Where", "Mean", "Sum", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor"),
)
"""Operators that broadcast, without Pow, Max and Min, whose ONNX Runtime kernels compute other bits for some scalars
(`x ** 3`, -0.0)."""


@rewrite("Transpose")
def transpose_of_transpose(site: Site) -> Change:
    """One permutation after another is one permutation."""
    inner = site.producer(0, "Transpose")
    if inner is None or len(site.readers(site.name(0))) > 1:
        return None
    first, second = inner.attributes.get("perm"), site.node.attributes.get("perm")
    if not (isinstance(first, tuple) and isinstance(second, tuple)) or site.draft.is_output(site.name(0)):
        return None
    perm = tuple(p for i in second if isinstance(i, int) and isinstance(p := first[i], int))
    return site.node._replace(inputs=[inner.inputs[0]], attributes=Attributes({"perm": perm}))


@rewrite(*_BROADCASTING)
def expand_before_broadcast(site: Site) -> Change:
    """The operator stretches its operand by itself: the other operands have each size that Expand gave it."""
    made = site.made.shape
    for index in range(len(site.node.inputs)):
        inner = site.producer(index, "Expand")
        if made is None or inner is None or not inner.inputs[0]:
            continue
        others = [site.read(i).shape for i in range(len(site.node.inputs)) if i != index]
        shapes = [site.draft.facts_of(inner.inputs[0]).shape, *others]
        if all(any(_has(s, i - len(made), d) for s in shapes) for i, d in enumerate(made)):
            names = [*site.node.inputs]
            names[index] = inner.inputs[0]
            return site.node._replace(inputs=names)
    return None


def _has(shape: Shape | None, axis: int, dim: object) -> bool:
    """Whether a shape has this size on an axis counted from the end."""
    return shape is not None and len(shape) >= -axis and shape[axis] is dim
