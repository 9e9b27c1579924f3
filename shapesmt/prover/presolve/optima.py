"""Extent: the minimum and maximum of an expression over a domain, without a solver.

>>> from shapesmt.prover.algebra import symbol
>>> h = symbol("h", 1, 512)
>>> low, high = extent(Domain([h]), h - 2 * (h // 2))
>>> low.value, low.witness == {h.as_symbol(): 2}, high.value, high.witness == {h.as_symbol(): 1}
(0, True, 1, True)
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from math import inf

from shapesmt.prover.algebra import Dim, End, Evaluator, memo, substitute, symbol, tight
from shapesmt.prover.algebra.growth import monotone
from shapesmt.prover.presolve.domain import Domain, compute_once
from shapesmt.prover.presolve.everywhere import extremes

_EXTENTS: dict[Hashable, tuple[End, End] | None] = memo("extents", {})


def extent(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """Return the minimum and maximum of an expression over the domain; None if only a solver can tell."""
    return compute_once(_EXTENTS, domain, dim, lambda: _extent(domain, dim))


def _extent(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    dim = domain.eliminate(dim)
    if not dim.symbols:
        end = End(Evaluator({}).dim(dim), {})
        return end, end
    with suppress(OverflowError):  # positions of a fold at the ends
        if (ends := _at_ends(domain, dim)) is not None:
            return ends
    return _by_enumeration(domain, dim) or extremes(domain, dim)


def _at_ends(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """Return the extent if the symbols' own bounds attain it, as for most sizes; else None.

    No other method covers ranges with more than 2**62 values. For smaller ranges it is faster than cells.
    """
    symbols, facts = domain.closure(dim.symbols)
    ends = {s: domain.ends(s) for s in symbols}
    listed = [values for s in symbols if (values := domain.value_list(s)) is not None]
    if any(lo == -inf or lo > hi for lo, hi in ends.values()) or not all(map(len, listed)):
        return None
    low = {s: int(lo) for s, (lo, _) in ends.items()}
    high = {s: int(hi - (hi - lo) % s.step) for s, (lo, hi) in ends.items() if hi < inf}
    endless, rises = len(high) < len(low), monotone(dim) == 1
    if facts and (endless or not all(Evaluator(at).formula(fact) for at in (low, high) for fact in facts)):
        return None
    least, most = int(Evaluator(low).dim(dim)), None if endless else int(Evaluator(high).dim(dim))
    if not rises or endless:
        within = tight(substitute(dim, {s: symbol(s.name, *end, fold=False) for s, end in ends.items()}))
        if (within[1] < inf or not rises) if endless else (least, most) != within:
            return None
    return End(least, low), End(None) if endless else End(most, high)


def _by_enumeration(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """Return the extent by evaluating every admissible assignment; None if they are too many or none."""
    points = domain.points(dim.symbols) if domain.fits(dim) else None
    if points is None or not points.count:
        return None
    sizes = points.sizes(dim)
    lo, hi = int(sizes.min()), int(sizes.max())
    return End(lo, points.where(dim, lo)), End(hi, points.where(dim, hi))
