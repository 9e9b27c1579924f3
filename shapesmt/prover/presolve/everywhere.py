"""Decide conditions over all sizes, bounded or not, by cells on which each expression is a polynomial.

>>> from shapesmt.prover.algebra import at_least, equal, symbol
>>> h, w = symbol("h", 1), symbol("w", 1)
>>> domain = Domain([h, w], [at_least(h, 4)])
>>> failing, holds = decide_on_cells(domain, equal((h // 4) * w, (h * w) // 4))
>>> sorted((s.name, size) for s, size in failing.items()), holds
([('h', 6), ('w', 2)], True)
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import TypeAlias

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import (
    Assignment,
    Atom,
    Dim,
    End,
    Evaluator,
    Formula,
    Kind,
    at_least,
    divides,
    lowest,
)
from shapesmt.prover.presolve.cells import Integers, Reals, Truth, truth_of
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.grid import Axis, Grid
from shapesmt.prover.presolve.limits import MAX_SYMBOLS, MAX_UNEVEN

BY_CALLER = (Kind.INPUT, Kind.VALUE)  # data-dependent sizes soon make too many cells, except for their own `extremes`

Problem: TypeAlias = "tuple[dict[Atom, Axis], list[Formula], dict[Atom, Dim]]"


def decide_on_cells(domain: Domain, condition: Formula) -> tuple[Assignment | None, bool] | None:
    """Return the smallest admissible sizes at which a condition fails (None if none), and whether it holds at any.

    The result is None if cells don't decide the condition.
    """
    if any(s.kind not in BY_CALLER for s in domain.closure(condition.symbols)[0]):
        return None
    problem = _problem(domain, condition.symbols)
    if problem is None:
        return None
    axes, facts, definitions = problem
    condition = domain.eliminate(condition)
    grid = Grid(axes, (condition,), facts=facts)
    cells, best, holds = grid.cells(), None, False
    while cells is not None and cells.number:
        known = grid.bounds(cells)
        if known is None:
            return None
        number = cells.number
        given, asked = (truth_of(f, known, number) for f in (grid.fact, condition))
        sure, clear = (grid.polynomial_cells(cells, known, f) for f in (grid.fact, condition))
        failing, passing = given.first & ~asked.first, given.first & asked.first
        holds |= bool(passing.any())
        distances = _distances(cells.first, grid.symbols)
        best = _nearest(np.concatenate([np.zeros((1, number), np.int64), distances, cells.first]), failing, best)
        nowhere = sure & given.never
        may_fail = ~failing & ~nowhere & ~(clear & asked.always) & _before(np.zeros(number), distances, best)
        may_hold = ~passing & ~nowhere & ~(clear & asked.never) & (not holds)
        cells = grid.split(cells, known, may_fail | may_hold)
    if cells is None:
        return None
    point = None if best is None else dict(zip(grid.symbols, best[3:], strict=True))
    return point and _with_definitions(point, definitions), holds


def extremes(domain: Domain, dim: Dim) -> tuple[End, End] | None:
    """Return the minimum and maximum of an expression over the domain; None if cells don't determine them.

    >>> from shapesmt.prover.algebra import equal, symbol
    >>> h, w = symbol("h", 1), symbol("w", 1)
    >>> low, high = extremes(Domain([h, w], [equal((h // 4) * w, 12)]), h * w)
    >>> low.value, high.value
    (48, 84)
    """
    problem = _problem(domain, dim.symbols)
    if problem is None or (dim.as_symbol() is None and any(s.kind not in BY_CALLER for s in problem[0])):
        return None
    axes, facts, definitions = problem
    dim = domain.eliminate(dim)
    grid = Grid(axes, (), (dim,), facts)
    cells, endless = grid.cells(), False
    least: tuple[int, ...] | None = None
    most: tuple[int, ...] | None = None
    while cells is not None and cells.number:
        known = grid.bounds(cells)
        if known is None:
            return None
        b, given = known[dim], truth_of(grid.fact, known, cells.number)
        sure, clear = (grid.polynomial_cells(cells, known, part) for part in (grid.fact, dim))
        always, last = sure & given.always, grid.last(cells)
        for places, chosen in ((cells.first, given.first), (last, always & (last <= grid.reach).all(axis=0))):
            sizes = grid.sizes(dim, np.where(chosen, places, cells.first))
            rows = np.concatenate([_distances(places, axes), places])
            least = _nearest(np.concatenate([sizes[None], rows]), chosen, least)
            most = _nearest(np.concatenate([-sizes[None], rows]), chosen, most)
        endless |= bool((always & clear & grid.rising(b, cells)).any())
        distances = _distances(cells.first, axes)
        matters = ~clear | _before(b.low, distances, least) | (_before(-b.high, distances, most) & (not endless))
        cells = grid.split(cells, known, matters & ~(sure & given.never))
    if cells is None or least is None or most is None:
        return None
    low, high = (_with_definitions(dict(zip(axes, at[3:], strict=True)), definitions) for at in (least, most))
    return End(least[0], low), End(None) if endless else End(-most[0], high)


def _distances(places: Integers, symbols: Iterable[Atom]) -> Integers:
    """Return, for each point, how many symbols differ from their lower bounds, and by how much in total.

    `places` has a row for each symbol and a column for each point; the result has two rows.
    """
    off = np.abs(places - np.array([lowest(s) for s in symbols], dtype=np.int64)[:, None])
    return np.stack([np.count_nonzero(off, axis=0), off.sum(axis=0)])


def _nearest(rows: Integers, chosen: Truth, best: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return the smallest of `best` and the chosen columns, in lexicographic order; None if there is none."""
    if not chosen.any():
        return best
    rows = rows[:, chosen]
    least: tuple[int, ...] = tuple(rows[:, np.lexsort(rows[::-1])[0]].tolist())
    return least if best is None else min(least, best)


def _before(low: Reals, distances: Integers, best: tuple[int, ...] | None) -> Truth:
    """Return a mask of the cells that may improve on `best`: a smaller size, or an equal one at a nearer point.

    `low` is a lower bound of the size on each cell, `distances` are those of the cells' first points.
    """
    if best is None:
        return np.ones(len(low), dtype=bool)
    size, off, far = best[:3]
    nearer = (distances[0] < off) | ((distances[0] == off) & (distances[1] < far))
    before: Truth = (low < size) | ((low == size) & nearer)
    return before


def _with_definitions(point: Assignment, definitions: dict[Atom, Dim]) -> Assignment:
    at = Evaluator(point)
    return point | {s: int(at.dim(definition)) for s, definition in definitions.items()}


def _problem(domain: Domain, symbols: frozenset[Atom]) -> Problem | None:
    """Return the free symbols with their values, their facts, and the definitions of the other symbols.

    None if there are more than `MAX_SYMBOLS` free symbols or none, or if the values of one are no `Axis`.
    """
    tied, facts = domain.closure(symbols)
    definitions = {s: domain.definitions[s] for s in tied if s in domain.definitions}
    facts = [domain.eliminate(fact) for fact in facts]
    axes: dict[Atom, Axis] = {}
    for s in tied:
        axis = _axis(domain, s)
        if axis is None or (s in definitions and axis.listed is not None):
            return None
        if s in definitions:
            definition, (first, step, length, _) = definitions[s], axis
            facts += [at_least(definition, first), *([divides(step, definition - first)] if step > 1 else [])]
            facts += [at_least(first + step * int(length - 1), definition)] if length < inf else []
        else:
            axes[s] = axis
    return (axes, facts, definitions) if 0 < len(axes) <= MAX_SYMBOLS else None


def _axis(domain: Domain, s: Atom) -> Axis | None:
    """Return the values of a symbol if they are a progression or few; else None."""
    (lo, hi), values = domain.ends(s), domain.value_list(s)
    if lo == -inf or lo > hi or (values is not None and not len(values)):
        return None
    if values is None:
        return Axis(int(lo), s.step, inf if hi == inf else (int(hi) - int(lo)) // s.step + 1)
    steps = np.diff(values)
    if (steps != steps[:1]).any():
        return Axis(int(values[0]), 1, 1, values) if len(values) <= MAX_UNEVEN else None
    return Axis(int(values[0]), int(steps[0]) if len(steps) else 1, len(values))
