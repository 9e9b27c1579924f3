"""Extremes: the minimum and the maximum of several expressions, without those that can never be the result.

>>> from shapesmt.prover.algebra.dim import symbol
>>> s = symbol("s", 1, 512)
>>> minimum(s, 1024), minimum(s, 100), maximum(s, 1)
(Dim('s'), Dim('min(s, 100)'), Dim('s'))
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.prover.algebra.dim import Dim, as_dim, make_atom
from shapesmt.prover.algebra.operations import MAX, MIN, Operation
from shapesmt.prover.algebra.relaxation import nonnegative


@MIN.defines
def minimum(*dims: Dim | int) -> Dim:
    """Return the minimum of several expressions."""
    return _extreme(MIN, dims)


@MAX.defines
def maximum(*dims: Dim | int) -> Dim:
    """Return the maximum of several expressions."""
    return _extreme(MAX, dims)


def _extreme(op: Operation, operands: Sequence[Dim | int]) -> Dim:
    flat: dict[Dim, None] = {}  # min(min(x, y), z) == min(x, y, z)
    for d in map(as_dim, operands):
        atom = d.as_atom()
        flat.update(dict.fromkeys(atom.args if atom is not None and atom.op is op else (d,)))
    candidates: list[Dim] = []  # min(x, y) == x if x <= y
    for d in flat:
        if not any(_dominates(op, other, d) for other in candidates):
            candidates = [other for other in candidates if not _dominates(op, d, other)]
            candidates.append(d)
    if len(candidates) == 1:  # min(x) == x
        return candidates[0]
    return make_atom(op, tuple(sorted(candidates, key=lambda d: d.terms)))


def _dominates(op: Operation, a: Dim, b: Dim) -> bool:
    """Whether `b` can never be the extreme, since `a` is always at most (for `max`, at least) `b`."""
    if op is MIN:
        a, b = b, a
    return a.lo >= b.hi or nonnegative(a - b)
