"""Extremes: the minimum and the maximum of several expressions, without those that can never be the result.

>>> from shapesmt.prover.algebra.dim import symbol
>>> s = symbol("s", 1, 512)
>>> minimum(s, 1024), minimum(s, 100), maximum(s, 1)
(Dim('s'), Dim('min(s, 100)'), Dim('s'))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapesmt.prover.algebra.dim import ATOMS, Dim, as_dim, make_atom
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
    candidates = _undominated(op, map(as_dim, operands))
    inner = [case for d in candidates for case in _cases(op, d)]  # min(min(x, y) + 2, z) == min(x + 2, y + 2, z)
    if len(inner) > len(candidates) > 1:
        candidates = _undominated(op, inner)
    if len(candidates) == 1:  # min(x) == x
        return candidates[0]
    return make_atom(op, tuple(sorted(candidates, key=lambda d: d.terms)))


def _cases(op: Operation, dim: Dim) -> list[Dim]:
    parts = spread(dim)
    return [dim] if parts is None or parts[0] is not op else parts[1]


def spread(dim: Dim) -> tuple[Operation, list[Dim]] | None:
    """Return `3 - max(x, y)` as the minimum of `3 - x` and `3 - y`; None for expressions of another form.

    >>> from shapesmt.prover.algebra.dim import symbol
    >>> spread(3 - maximum(symbol("s", 1) - 7, 0))
    (Operation('min'), [Dim('3'), Dim('-s + 10')])
    """
    last, factor = dim.terms[-1] if dim.terms else ((), 0)
    atom = ATOMS[last[0]] if len(last) == 1 and len(dim.terms) == (2 if dim.shift else 1) else None
    if atom is None or atom.op not in (MIN, MAX):
        return None
    return (atom.op if factor > 0 else MAX if atom.op is MIN else MIN), [factor * x + dim.shift for x in atom.args]


def _undominated(op: Operation, dims: Iterable[Dim]) -> list[Dim]:
    candidates: list[Dim] = []  # min(x, y) == x if x <= y
    for d in dict.fromkeys(dims):
        if not any(_dominates(op, other, d) for other in candidates):
            candidates = [other for other in candidates if not _dominates(op, d, other)]
            candidates.append(d)
    return candidates


def _dominates(op: Operation, a: Dim, b: Dim) -> bool:
    """Whether `b` can never be the extreme, since `a` is always at most (for `max`, at least) `b`."""
    if op is MIN:
        a, b = b, a
    return a.lo >= b.hi or nonnegative(a - b)
