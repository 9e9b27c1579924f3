"""Tensor: what inference knows of one edge of the graph, interned so that a rule's memo key is identities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from shapesmt.dim import Dim, as_dim, product
from shapesmt.graph import Literal
from shapesmt.real import literal as real_literal
from shapesmt.value import Value, elements

Shape: TypeAlias = tuple[Dim, ...]

MAX_FLOATS = 16  # float literals beyond it are weights, not shape arithmetic
FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})

_TENSORS: dict[tuple[str, Shape | None, Value | None], Tensor] = {}
_LITERALS: dict[Literal, Tensor] = {}


class Tensor:
    """Element type ("" = unknown), shape (None = unknown rank) and, where known, the elements.

    >>> from shapesmt.dim import symbol
    >>> x = tensor("float32", (symbol("n", 1), 3))
    >>> x, x.rank, x[-1], x is tensor("float32", [symbol("n", 1), 3])
    (Tensor(float32[n, 3]), 2, Dim('3'), True)
    """

    __slots__ = ("dtype", "shape", "value")

    dtype: str
    shape: Shape | None
    value: Value | None

    @property
    def rank(self) -> int:
        """The number of dimensions, where the shape is known."""
        return len(self.dims)

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor, and no sequence or optional value."""
        return "(" not in self.dtype

    @property
    def dims(self) -> Shape:
        """The shape, where it is known."""
        assert self.shape is not None
        return self.shape

    @property
    def numel(self) -> Dim:
        """The number of elements."""
        return product(self.dims)

    def __getitem__(self, axis: int) -> Dim:
        return self.dims[axis]

    def replace(self, axis: int, dim: Dim | int) -> Tensor:
        """The same with another size along one axis, elements unknown."""
        dims = list(self.dims)
        dims[axis] = as_dim(dim)
        return tensor(self.dtype, dims)

    def __repr__(self) -> str:
        dims = "?" if self.shape is None else ", ".join(map(str, self.shape))
        return f"Tensor({self.dtype}[{dims}]{'' if self.value is None else f' = {self.value}'})"


def tensor(dtype: str, shape: Sequence[Dim | int] | None, value: Value | None = None) -> Tensor:
    """The interned tensor."""
    dims = None if shape is None else tuple([d if isinstance(d, Dim) else as_dim(d) for d in shape])
    key = (dtype, dims, value)
    found = _TENSORS.get(key)
    if found is None:
        found = _TENSORS[key] = Tensor.__new__(Tensor)
        found.dtype, found.shape, found.value = key
    return found


def from_literal(literal: Literal) -> Tensor:
    """A constant tensor, its elements where they are few."""
    found = _LITERALS.get(literal)
    if found is None:
        found = _LITERALS[literal] = tensor(literal.dtype, literal.shape, _listed(literal))
    return found


def _listed(literal: Literal) -> Value | None:
    if literal.values is None or literal.dtype.startswith(("complex", "string", "float8", "float4", "float6")):
        return None
    if literal.dtype in FLOATS:
        if len(literal.values) > MAX_FLOATS:
            return None
        return elements(literal.shape, [real_literal(float(v), literal.dtype) for v in literal.values])
    return elements(literal.shape, [as_dim(int(v)) for v in literal.values])
