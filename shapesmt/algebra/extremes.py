"""Extremes: the least and the greatest of several expressions; those that can't be it are dropped.

>>> from shapesmt.algebra.dim import symbol
>>> s = symbol("s", 1, 512)
>>> minimum(s, 1024), minimum(s, 100), maximum(s, 1)
(Dim('s'), Dim('min(s, 100)'), Dim('s'))
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.algebra.dim import Dim, as_dim, make_atom
from shapesmt.algebra.operations import MAX, MIN, Operation
from shapesmt.algebra.relaxation import tight


@MIN.defines
def minimum(*dims: Dim | int) -> Dim:
    """The least of them."""
    return _extreme(MIN, dims)


@MAX.defines
def maximum(*dims: Dim | int) -> Dim:
    """The greatest of them."""
    return _extreme(MAX, dims)


def _extreme(op: Operation, operands: Sequence[Dim | int]) -> Dim:
    flat: dict[Dim, None] = {}
    for d in map(as_dim, operands):
        atom = d.as_atom()
        flat.update(dict.fromkeys(atom.args if atom is not None and atom.op is op else (d,)))
    kept: list[Dim] = []
    for d in flat:
        if not any(_dominates(op, other, d) for other in kept):
            kept = [other for other in kept if not _dominates(op, d, other)]
            kept.append(d)
    if len(kept) == 1:
        return kept[0]
    return make_atom(op, tuple(sorted(kept, key=lambda d: d.terms)))


def _dominates(op: Operation, a: Dim, b: Dim) -> bool:
    """True when b never decides the extreme because a is there."""
    if op is MIN:
        a, b = b, a
    return a.lo >= b.hi or tight(a - b)[0] >= 0
