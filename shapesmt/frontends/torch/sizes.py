"""The sizes of a program's inputs: their names, PyTorch's requirements, and the declared sizes of other tensors.

A size that PyTorch calls `s53` is named after the first axis that has it, `x_dim2`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shapesmt.frontends.torch.arguments import DTYPES, NUMBER_TYPES, kinds_of
from shapesmt.frontends.torch.fields import MisfitError, entries, integer, natural, optional, record, text, variant
from shapesmt.frontends.torch.symbols import factors, parse, symbols_in
from shapesmt.network.graph import STATED_RANKS, STATED_TYPES, AttributeValue, Declared

Size = int | str
"""A number, or Sympy's text."""

_MOST_RANK = 64


def size_of(value: object) -> Size:
    """Return a size as stored in the archive."""
    kind, content = variant(value)
    if kind == "as_int":
        return natural(content)
    return text(record(content).get("expr_str"))


def shape_of(meta: Mapping[str, Any]) -> tuple[Size, ...]:
    """Return the sizes of a tensor as stored in the archive."""
    sizes = entries(meta.get("sizes"))
    if len(sizes) > _MOST_RANK:
        raise MisfitError(f"a tensor has {len(sizes):,} axes")
    return tuple(map(size_of, sizes))


def dtype_of(meta: Mapping[str, Any]) -> str:
    """Return the element type of a tensor."""
    number = integer(meta.get("dtype"))
    return DTYPES[number] if 0 <= number < len(DTYPES) else ""


def recorded(outputs: object, metas: Mapping[str, Any]) -> dict[str, AttributeValue]:
    """Return the attributes with the element type and the rank of each output of a node, as far as they are stored.

    Otherwise the type is "" and the rank -1.

    >>> metas = {"y": {"dtype": 7, "sizes": [{"as_int": 2}]}}
    >>> recorded([{"as_tensor": {"name": "y"}}, {"as_sym_float": {"as_name": "s"}}, {"as_none": True}], metas)
    {'@types': ('float32', 'float64', ''), '@ranks': (1, 0, -1)}
    """
    found = [_recorded(kind, name, metas) for kind, name in kinds_of(outputs)]
    types, ranks = tuple(dtype for dtype, _ in found), tuple(rank for _, rank in found)
    return {STATED_TYPES: types, STATED_RANKS: ranks} if found else {}


def _recorded(kind: str, name: str, metas: Mapping[str, Any]) -> tuple[str, int]:
    if kind in NUMBER_TYPES:
        return NUMBER_TYPES[kind], 0
    meta = metas.get(name)
    return ("", -1) if meta is None else (dtype_of(record(meta)), len(entries(record(meta).get("sizes"))))


def memory_of(meta: Mapping[str, Any]) -> dict[str, tuple[int, ...]] | None:
    """Return the memory layout if it isn't row-major: its axes from the outermost, or its strides, or {}; else None.

    >>> sizes = [{"as_int": 2}, {"as_expr": {"expr_str": "Symbol('s0')"}}]
    >>> memory_of({"sizes": sizes, "strides": [{"as_int": 1}, {"as_int": 2}]})
    {'order': (1, 0)}
    """
    sizes, steps = shape_of(meta), tuple(map(size_of, entries(optional(meta, "strides", []))))
    if len(steps) != len(sizes) or 0 in sizes:
        return None
    order = _order(sizes, steps)
    if order == (*range(len(sizes)),):
        return None
    if order is not None:
        return {"order": order}
    numbers = tuple(step for step in steps if isinstance(step, int))
    return {"strides": numbers} if len(numbers) == len(steps) else {}


def _order(sizes: Sequence[Size], steps: Sequence[Size]) -> tuple[int, ...] | None:
    """Return the axes of a tensor without gaps in memory, from the outermost inwards; None for other tensors."""
    left, order = [*range(len(sizes))][::-1], list[int]()
    number, others = 1, list[str]()  # the product of the sizes of inner axes
    while left:
        reached = number, sorted(others)
        axis = next((axis for axis in left if sizes[axis] == 1 or _factors(steps[axis]) == reached), None)
        if axis is None:
            return None
        left.remove(axis)
        order.insert(0, axis)
        own, texts = _factors(sizes[axis])
        number, others = number * own, [*others, *texts]
    return tuple(order)


def _factors(size: Size) -> tuple[int, list[str]]:
    return (size, []) if isinstance(size, int) else factors(size)


@dataclass
class Sizes:
    """Names of the dimensions that stand for PyTorch's size symbols, and sizes as expressions over them."""

    names: dict[str, str] = field(default_factory=dict)
    """The dimension for each PyTorch symbol."""
    _read: dict[str, str | None] = field(default_factory=dict)

    def name(self, tensor: str, shape: tuple[Size, ...]) -> None:
        """Name each symbol that is a whole size of the input `tensor`: `s53` at axis 2 of x is `x_dim2`."""
        for axis, size in enumerate(shape):
            symbol = alone(size)
            if symbol:
                self.names.setdefault(symbol, f"{tensor}_dim{axis}")

    def input(self, shape: tuple[Size, ...]) -> tuple[int | str | None, ...]:
        """Return a tensor's sizes as numbers and expressions over dimensions; None for an inexpressible size."""
        return tuple(size if isinstance(size, int) else self.expression(size) for size in shape)

    def declaration(self, meta: object) -> Declared:
        """Return the type and shape that the file declares for a tensor."""
        content = record(meta)
        return Declared(dtype_of(content), self.input(shape_of(content)))

    def expression(self, size: str) -> str | None:
        """Return Sympy's text of a size over dimensions, such as `2 * x_dim0`; None if it can't be expressed."""
        if size not in self._read:
            self._read[size] = parse(size, self.names)
        return self._read[size]


def alone(size: Size) -> str:
    """Return the symbol if a size consists of it alone; "" for other sizes.

    >>> alone("Symbol('s77', positive=True, integer=True)"), alone("Integer(2)")
    ('s77', '')
    """
    if isinstance(size, int) or not (size.startswith("Symbol(") or size.isidentifier()):
        return ""
    return next(iter(symbols_in(size)), "")
