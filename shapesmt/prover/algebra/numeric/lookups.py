"""Lookups: the element of a list of known integers at an index, as an expression.

>>> from shapesmt.prover.algebra.dim import symbol
>>> from shapesmt.prover.algebra.evaluation import evaluate
>>> i = symbol("i", 0, 2)
>>> element = lookup(np.array([5, 3, 8]), i)
>>> element.lo, element.hi, evaluate(element, {i.as_symbol(): 2})
(3, 8, 8)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from shapesmt.base.lazy import np
from shapesmt.prover.algebra.dim import Atom, Dim, const, make_atom
from shapesmt.prover.algebra.interning import Table
from shapesmt.prover.algebra.operations import Operation, Values as Point

Integers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"


class Lookup:
    """The element of a list of int64 numbers, given as `data`, at an index; beyond the ends it is the nearest one."""

    __slots__ = ("__weakref__", "args", "array", "data", "depth", "symbols")

    args: tuple[Dim]
    array: Integers
    symbols: frozenset[Atom]

    def __init__(self, data: bytes, index: Dim) -> None:
        self.data, self.array, self.args = data, np.frombuffer(data, np.int64), (index,)
        self.symbols, self.depth = index.symbols, index.depth + 1

    def value(self, evaluator: Point) -> Any:
        """Return the number (or an array of numbers) at concrete sizes."""
        found = self.array[np.clip(evaluator.dim(self.args[0]), 0, len(self.array) - 1)]
        return found if isinstance(found, np.ndarray) else int(found)

    def rebuild(self, args: Sequence[Dim]) -> Dim:
        """Return the element of the same list at another index."""
        return _at(self.data, args[0])

    def __str__(self) -> str:
        from hashlib import sha256  # few formulas have lookups

        return f"constant_{sha256(self.data).hexdigest()[:16]}[{self.args[0]}]"


def lookup(numbers: Integers, index: Dim) -> Dim:
    """Return the element of a list of int64 numbers at an index of the list, which isn't empty."""
    return _at(numbers.tobytes(), index)


def _at(data: bytes, index: Dim) -> Dim:
    key = data, index
    found = _LOOKUPS.get(key) or _LOOKUPS.make(key, Lookup, *key)
    if index.constant is not None:
        return const(int(found.array[min(max(index.constant, 0), len(found.array) - 1)]))
    return make_atom(LOOKUP, (found,))


_LOOKUPS: Table[tuple[bytes, Dim], Lookup] = Table("lookups", lambda found: (found.data, *found.args))

LOOKUP = Operation(
    "lookup",
    bounds=lambda found: (int(found.array.min()), int(found.array.max())),
    evaluate=lambda at, found: found.value(at),
    text=lambda _, found: (str(found), True),
    opaque=True,
)
LOOKUP.defines(lambda rebuilt: rebuilt)  # `Lookup.rebuild` looks up anew
