"""Extent: the least and the greatest value of an expression over a domain, without a solver.

>>> from shapesmt.algebra import symbol
>>> h = symbol("h", 1, 512)
>>> low, high = extent(Domain([h.as_symbol()]), h - 2 * (h // 2))
>>> low.value, low.witness == {h.as_symbol(): 2}, high.value, high.witness == {h.as_symbol(): 1}
(0, True, 1, True)
"""

from __future__ import annotations

from collections.abc import Hashable
from math import inf, prod

from shapesmt.algebra import (
    TRUE,
    Assignment,
    Atom,
    Dim,
    End,
    Evaluator,
    Formula,
    Interval,
    Kind,
    all_of,
    fits_int64,
    memo,
    substitute,
    symbol,
    tight,
)
from shapesmt.algebra.growth import growth, joint, monotone, repetition, window
from shapesmt.lazy import np
from shapesmt.presolve.domain import MAX_VALUES, Domain, remembered
from shapesmt.presolve.enumeration import MANY, distance
from shapesmt.presolve.everywhere import extremes

_EXTENTS: dict[Hashable, tuple[End, End] | None] = memo("extents", {})


def extent(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """The least and the greatest value of an expression; None where only a solver can tell."""
    return remembered(_EXTENTS, domain, dim, lambda: _extent(domain, dim))


def _extent(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    dim = domain.eliminate(dim)
    if not dim.symbols:
        end = End(Evaluator({}).dim(dim), {})
        return end, end
    ends = _by_limit(domain, dim) or _at_corners(domain, dim) or _on_frontier(domain, dim)
    ends = ends or _by_enumeration(domain, dim) or _by_repetition(domain, dim) or _without_upper_end(domain, dim)
    return ends or extremes(domain, dim)


def _by_limit(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """The extent of a size that data decides, and that a single fact relates to the inputs: `count <= h*w`."""
    size = dim.as_symbol()
    about = [domain.simplified(f) for f in (*domain.limits, *domain.relations) if size in f.symbols]
    about = [f for f in dict.fromkeys(about) if f is not TRUE]
    if size is None or not size.universal or len(about) != 1 or about[0].op != "ge" or about[0].dim is None:
        return None
    most = about[0].dim + dim
    ends = None if size in most.symbols or size.lo == -inf else extent(domain, most)
    limit, point, _ = End(None) if ends is None else ends[1]
    if limit is None or point is None:
        return None
    (lo, hi), values = domain.ends(size), domain.listed(size)
    last = min(limit, hi) if values is None else max((v for v in values.tolist() if v <= limit), default=-inf)
    if lo > last:
        return None
    return End(int(lo), {**point, size: int(lo)}), End(int(last), {**point, size: int(last)})


def _at_corners(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """The extent where the symbols' least and greatest values attain the bounds of interval arithmetic."""
    symbols, facts = domain.cone(dim.symbols)
    if not symbols:
        return None
    low: Assignment = {}
    high: Assignment = {}
    for s in symbols:
        lo, hi = domain.ends(s)
        values = domain.listed(s)
        if lo == -inf or hi == inf or (values is not None and not len(values)):
            return None
        low[s], high[s] = int(lo), int(hi)
    least, most = Evaluator(low), Evaluator(high)
    if not all(e.formula(fact) for e in (least, most) for fact in facts):
        return None
    first, last = least.dim(dim), most.dim(dim)
    return (End(first, low), End(last, high)) if (first, last) == tight(dim) else None


def _on_frontier(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """The extent of an expression that rises with two symbols, where facts that do so too leave out their small values.

    The least value is attained where the second symbol is as small as the first one lets it be.
    """
    symbols, facts = domain.cone(dim.symbols)
    holds = all_of(*facts)
    if len(symbols) != 2 or not _rise(dim, facts, symbols) or not (fits_int64(dim) and fits_int64(holds)):
        return None
    axes = [values for s in symbols if (values := domain.values(s)) is not None and len(values)]
    if len(axes) < 2 or prod(map(len, axes)) < MANY:
        return None
    first, second = axes
    low, high = np.zeros(len(first), dtype=np.int64), np.full(len(first), len(second))
    while (low < high).any():
        middle = (low + high) // 2
        at = Evaluator({symbols[0]: first, symbols[1]: second[np.minimum(middle, len(second) - 1)]})
        truth = at.formula(holds) & (middle < len(second))
        low, high = np.where(truth | (low == high), low, middle + 1), np.where(truth, middle, high)
    inside = low < len(second)
    if not inside.any():
        return None
    rows = np.stack([first[inside], second[low[inside]]])
    sizes = np.broadcast_to(Evaluator(dict(zip(symbols, rows, strict=True))).dim(dim), rows.shape[1:])
    least = [dict(zip(symbols, map(int, row), strict=True)) for row in rows[:, sizes == sizes.min()].T]
    most = {s: int(axis[-1]) for s, axis in zip(symbols, axes, strict=True)}
    return End(int(sizes.min()), min(least, key=distance)), End(int(Evaluator(most).dim(dim)), most)


def _rise(dim: Dim, facts: list[Formula], symbols: list[Atom]) -> bool:
    """Whether an expression never falls as a symbol grows, nor facts that hold become false."""
    sizes = [dim, *(f.dim for f in facts if f.op == "ge" and f.dim is not None)]
    known = len(sizes) == 1 + len(facts) > 1 and not any(s.universal for s in symbols)
    return known and all(monotone(size, s) in (0, 1) for size in sizes for s in symbols)


def _by_enumeration(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """The extent from the values at every admissible assignment."""
    points = domain.points(dim.symbols) if domain.fits(dim) else None
    if points is None or not points.count:
        return None
    sizes = points.sizes(dim)
    lo, hi = int(sizes.min()), int(sizes.max())
    return End(lo, points.where(dim, lo)), End(hi, points.where(dim, hi))


def _by_repetition(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """The extent over one symbol without an upper end, from the values after which everything repeats with a gain."""
    (s, *others), facts = domain.cone(dim.symbols)
    lo, hi = domain.ends(s)
    if others or s.kind is Kind.TRIP or lo == -inf or hi < inf:
        return None
    change, repeats = growth(dim, int(lo)), repetition(facts, s, int(lo))
    whole = joint(change, repeats) if repeats is not None else None
    if whole is None or whole.start + whole.period - lo >= MAX_VALUES:
        return None
    x = symbol(s.name, int(lo), whole.start + whole.period - 1, step=s.step, kind=s.kind, fold=False)
    twins = {s: x}
    points = Domain(x.symbols, [substitute(f, twins) for f in facts]).points(x.symbols)
    sizes = substitute(dim, twins)
    if points is None or not points.count or not fits_int64(sizes):
        return None
    values, (twin,) = points.sizes(sizes), x.symbols
    gain = whole.gain if points.sizes(x).max() >= whole.start else 0
    low, high = (End(int(v), {s: points.where(sizes, int(v))[twin]}) for v in (values.min(), values.max()))
    return None if gain < 0 else (low, End(None) if gain else high)


def _without_upper_end(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """The extent of an expression that rises with its symbols, where some of these have no upper end."""
    symbols, facts = domain.cone(dim.symbols)
    if all(domain.ends(s)[1] < inf for s in symbols) or any(len(f.symbols) > 1 for f in facts) or monotone(dim) != 1:
        return None
    reached = {s: _reached(s, domain.ends(s), [f for f in facts if s in f.symbols]) for s in symbols}
    least = {s: int(r[0]) for s, r in reached.items() if r is not None}
    most = {s: int(r[1]) for s, r in reached.items() if r is not None and r[1] < inf}
    if len(least) < len(symbols):
        return None
    low = End(int(Evaluator(least).dim(dim)), least)
    if len(most) == len(symbols):
        return low, End(int(Evaluator(most).dim(dim)), most)
    limited = substitute(dim, {s: symbol(s.name, least[s], hi, fold=False) for s, hi in most.items()})
    return None if tight(limited)[1] < inf else (low, End(None))


def _reached(s: Atom, ends: Interval, facts: list[Formula]) -> Interval | None:
    """The least and the greatest value of a symbol under facts about it alone; None where they aren't known.

    Such facts repeat from some value on. Where none of the values that repeat satisfies them, the symbol has a
    greatest value.
    """
    lo, hi = ends
    if lo == -inf or not facts or hi < inf:
        return None if lo == -inf or facts else ends
    last = window(facts, s, int(lo))
    beyond = None if last is None else last + 1 + (int(lo) - last - 1) % s.step
    end = None if beyond is None else window(facts, s, beyond)
    if beyond is None or end is None or (end - lo) // s.step >= MANY:
        return None
    twin = symbol(s.name, int(lo), end, step=s.step, fold=False)
    holds, values = substitute(all_of(*facts), {s: twin}), np.arange(int(lo), end + 1, s.step)
    if not fits_int64(holds):
        return None
    (atom,) = twin.symbols
    truth = np.broadcast_to(Evaluator({atom: values}).formula(holds), values.shape)
    admitted = values[truth]
    if not len(admitted):
        return None
    return int(admitted[0]), (inf if admitted[-1] >= beyond else int(admitted[-1]))
