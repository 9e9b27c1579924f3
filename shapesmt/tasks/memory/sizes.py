"""Sizes: the bytes of a tensor, as a formula over the sizes of the inputs."""

from __future__ import annotations

from math import prod

from shapesmt.network.graph import BITS, Attributes, Graph, Literal
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Memory, Tensor
from shapesmt.prover.algebra import Dim, as_dim, ceil_divide, product, select

BYTE = 8
SEQUENCE = "seq("


def bytes_of(t: Tensor) -> Dim | None:
    """Return the bytes of a tensor or a sequence of tensors; None if they aren't known.

    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.operators.rules import tensor
    >>> n = symbol("n", 1)
    >>> bytes_of(tensor("float32", [n, 3])), bytes_of(tensor("int4", [n, 3])), bytes_of(tensor("string", [n]))
    (Dim('12*n'), Dim('n + (n + 1)//2'), None)
    """
    if t.shape is None:
        return _of_cases(t)
    dtype = t.dtype[len(SEQUENCE) : -1] if t.dtype.startswith(SEQUENCE) else t.dtype
    bits = BITS.get(dtype)
    return None if bits is None else byte_count(product(t.shape), bits)


def byte_count(count: Dim, bits: int) -> Dim:
    """Return the bytes of `count` elements of `bits` bits."""
    return count * (bits // BYTE) if bits >= BYTE else ceil_divide(count * bits, BYTE)


def _of_cases(t: Tensor) -> Dim | None:
    """Return the bytes of a tensor whose rank depends on a condition; None if some case has unknown bytes."""
    each = [(case.condition, bytes_of(case.tensor)) for case in t.cases]
    sizes = [size for _, size in each if size is not None]
    if not sizes or len(sizes) < len(each):
        return None
    size = sizes[-1]
    for (condition, _), other in zip(reversed(each[:-1]), reversed(sizes[:-1]), strict=True):
        size = select(condition, other, size)
    return size


def weights_of(graph: Graph) -> int | None:
    """Return the bytes of a model's constants, in inner graphs and functions too; None if one isn't known."""
    literals, operators = [*graph.literals.values()], Operators(graph.opsets, graph.functions)
    for node in graph.every_node():
        literals += [literal for inner in node.attributes.graphs for literal in inner.literals.values()]
        if operators.traits(node).memory is Memory.MODEL:
            literals += _constants(node.attributes)
    sizes = [_bytes(literal) for literal in literals]
    return None if None in sizes else sum(filter(None, sizes))


def _constants(attributes: Attributes) -> list[Literal]:
    """Return the constant of a `Constant` node, which is a tensor, a number or a list of numbers."""
    found = []
    for value in attributes.values():
        numbers = value if isinstance(value, tuple) else (value,)
        if isinstance(value, Literal):
            found.append(value)
        elif numbers and all(isinstance(number, int | float) for number in numbers):
            found.append(Literal("int64" if isinstance(numbers[0], int) else "float32", (len(numbers),)))
    return found


def _bytes(literal: Literal) -> int | None:
    bits = BITS.get(literal.dtype)
    return None if bits is None else byte_count(as_dim(prod(literal.shape)), bits).constant
