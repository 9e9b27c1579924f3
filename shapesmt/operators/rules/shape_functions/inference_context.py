"""InferenceContext: a rule's context with TensorFlow's interface for shape functions, in a graph or by itself.

>>> from shapesmt.operators.rules import resolve
>>> matmul = resolve("", "MatMul", 13)
>>> ctx = InferenceContext.of("MatMul", ["[2,3]", "[3,n]"], version=13)
>>> print(ctx.debug_string(ctx.run(matmul.apply)[0]))
[2,?]
>>> InferenceContext.of("MatMul", ["[2,3]", "[4,n]"], version=13).run(matmul.apply)
Traceback (most recent call last):
  ...
shapesmt.base.errors.ShapeMismatch: inner sizes of a matrix product are equal: 3 and 4 for '{{node MatMul}} =
MatMul[](input0, input1)' with input shapes: [2,3], [4,?].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from shapesmt.network.declarations import Range, ShapeLike, parse_shape
from shapesmt.network.graph import Attributes, AttributeValue, Node
from shapesmt.operators.rules.context import RuleContext, RunGraph
from shapesmt.operators.rules.registry import signatures
from shapesmt.operators.rules.shape_functions.methods import ShapeAndType, ShapeFunctions
from shapesmt.operators.rules.tensors import Nested, Tensor, rank_symbol, tensor
from shapesmt.prover.algebra import symbol


class InferenceContext(RuleContext, ShapeFunctions):
    """The context through which a rule reads one node and states requirements; `of` makes one without a model.

    >>> from shapesmt.operators.rules.registry import rule
    >>> @rule("Twice", domain="com.example")
    ... def twice(ctx):
    ...     '''The last axis, twice as long.'''
    ...     return ctx.tensor([*ctx.input(0).dims[:-1], 2 * ctx.input(0)[-1]])
    >>> InferenceContext.of("Twice", ["[n,3]"], domain="com.example").run(twice)
    (Tensor([n, 6]),)
    """

    def __init__(self, node: Node, inputs: Sequence[Tensor | None], version: int, run: RunGraph | None = None) -> None:
        RuleContext.__init__(self, node, inputs, version, run)
        ShapeFunctions.__init__(self)

    @classmethod
    def of(
        cls,
        op: str,
        inputs: Sequence[ShapeLike | Tensor | None] = (),
        outputs: int = 1,
        *,
        attributes: Mapping[str, AttributeValue] | None = None,
        name: str = "",
        domain: str = "",
        version: int = 1,
        names: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
        dtypes: Sequence[str] = (),
        tensors: Sequence[Nested | None] = (),
        tensors_as_shapes: Sequence[Tensor | None] = (),
        handles: Sequence[Sequence[ShapeAndType] | None] = (),
    ) -> InferenceContext:
        """Return a context for a single node, in which a requirement that can't hold raises `ShapeMismatch`.

        Args:
            op: The operator.
            inputs: Their shapes, as text (`"[2,?]"`), as lists, or as the tensors of another context.
            outputs: Their number.
            attributes: The node's attributes.
            name: The node's name; by default the operator's.
            domain: The operator's domain.
            version: The version of its operator set.
            names: The names of inputs and outputs in order, each with the number of tensors it stands for.
            dtypes: The element types of the first inputs, "" for an unknown one.
            tensors: The elements of the first inputs: a number, a list, a matrix, ...; None if they aren't constants.
            tensors_as_shapes: The shapes that the elements of the first inputs list.
            handles: For each input that is a handle, the shapes and types that it refers to.

        Raises:
            ShapeMismatch: The number of inputs isn't that of the names or handles.
        """
        ctx = cls(node_of(op, name, domain, version, (len(inputs), outputs), attributes or {}), (), version)
        ctx.alone, ctx._names = True, names
        ctx.inputs = input_tensors(inputs, dtypes)
        ctx.set_input_handles(handles)
        ctx.set_input_tensors(tensors)
        ctx.set_input_tensors_as_shapes(tensors_as_shapes)
        return ctx

    def outputs_set(self) -> Iterable[Tensor]:
        """Return the outputs that a rule set instead of returning them."""
        return [self.output(i) for i in range(self.outputs)] if self._set else ()


def input_tensors(shapes: Sequence[ShapeLike | Tensor | None], dtypes: Sequence[str]) -> tuple[Tensor | None, ...]:
    """Return the inputs with these shapes and types; missing types are unknown."""
    types = [*dtypes, *[""] * (len(shapes) - len(dtypes))]
    return tuple(input_tensor(shape, i, types[i]) for i, shape in enumerate(shapes))


def input_tensor(shape: ShapeLike | Tensor | None, index: int, dtype: str = "") -> Tensor | None:
    """Return an input of a shape: each name is a symbol, each `?` a new one, and "?" alone an unknown shape."""
    if shape is None or isinstance(shape, Tensor):
        return shape
    dims = None if shape == "?" else parse_shape(shape)
    if dims is None:
        return tensor(dtype, None, ndim=rank_symbol(f"input{index}"))
    named = [f"input{index}_dim{axis}" if not isinstance(d, str) else d for axis, d in enumerate(dims)]
    ranges = [d if isinstance(d, Range) else Range(0) for d in dims]
    return tensor(dtype, [symbol(n, r.lo, inf if r.hi is None else r.hi) for n, r in zip(named, ranges, strict=True)])


def node_of(
    op: str, name: str, domain: str, version: int, sides: tuple[int, int], attributes: Mapping[str, Any]
) -> Node:
    """Return a single node with tensors named by their index; omitted attributes have the schema's defaults."""
    reads, writes = ([f"{kind}{i}" for i in range(n)] for kind, n in zip(("input", "output"), sides, strict=True))
    frozen = {key: tuple(value) if isinstance(value, list) else value for key, value in attributes.items()}
    defaults = signatures(domain).default_attributes(domain, op, version)
    return Node(op, domain, name or op, reads, writes, Attributes({**defaults, **frozen}))
