"""Given: the node and the tensors of a context by itself, as texts, lists and numbers spell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, TypeAlias

import numpy as np

from shapesmt.algebra import Atom, Dim, Formula, as_dim, of_atom, symbol
from shapesmt.algebra.numeric import literal
from shapesmt.errors import UsageError
from shapesmt.graph import Attributes, Node
from shapesmt.language import Range, ShapeLike, parse_shape, quoted
from shapesmt.rules.registry import signatures
from shapesmt.rules.tensor import FLOATS, Tensor, rank_symbol, tensor
from shapesmt.rules.value import elements

__all__ = ["Nested", "constant", "given_shapes", "miscounted", "node_of", "solved"]

Nested: TypeAlias = "float | Sequence[Nested]"


def given_shapes(shapes: Sequence[ShapeLike | Tensor | None], dtypes: Sequence[str]) -> tuple[Tensor | None, ...]:
    """The inputs of these shapes and types, of which the last may be left out."""
    types = [*dtypes, *[""] * (len(shapes) - len(dtypes))]
    return tuple(given_shape(shape, i, types[i]) for i, shape in enumerate(shapes))


def constant(value: Nested, like: Tensor) -> Tensor:
    """A tensor of these numbers: one, a list, a matrix, ..."""
    array = np.asarray(value, None if np.size(value) else int)
    kind = {"b": "bool", "f": "float32"}.get(array.dtype.kind, "int64")
    if array.dtype.kind not in "bif":
        raise UsageError(f"{quoted(value)} isn't a tensor of numbers")
    dtype = like.dtype or kind
    flat = array.ravel().tolist()
    items = [literal(float(v), dtype) for v in flat] if dtype in FLOATS else [as_dim(int(v)) for v in flat]
    return tensor(dtype, array.shape, elements(array.shape, items))


def given_shape(shape: ShapeLike | Tensor | None, index: int, dtype: str = "") -> Tensor | None:
    """The input of that shape: its names are symbols, each `?` is one of its own, and "?" alone is any shape."""
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
    """A node by itself, its tensors named by their places; ONNX's attributes that it leaves out are the schema's."""
    reads, writes = ([f"{kind}{i}" for i in range(n)] for kind, n in zip(("input", "output"), sides, strict=True))
    frozen = {key: tuple(value) if isinstance(value, list) else value for key, value in attributes.items()}
    defaults = signatures(domain).default_attributes(domain, op, version)
    return Node(op, domain, name or op, reads, writes, Attributes({**defaults, **frozen}))


def miscounted(node: Node, version: int) -> str:
    """What is wrong with the number of a node's inputs; "" where nothing is, or nothing is known of it."""
    count = len(node.inputs)
    least, most = signatures(node.domain).input_counts(node.domain, node.op, version)
    expected = least if count < least else most
    return "" if least <= count <= most else f"Wrong number of inputs passed: {count} while {expected} expected"


def solved(formula: Formula) -> dict[Atom, Dim]:
    """The symbol that an equality says to be a number."""
    difference = formula.dim if formula.op == "eq" else None
    atom = next(iter(difference.symbols), None) if difference is not None and len(difference.symbols) == 1 else None
    if difference is None or atom is None:
        return {}
    number = of_atom(atom) - difference, of_atom(atom) + difference
    return next(({atom: d} for d in number if d.constant is not None), {})
