"""Everywhere: what holds for all sizes, with or without upper ends, from the cells on which nothing changes.

>>> from shapesmt.algebra import at_least, equal, symbol
>>> h, w = symbol("h", 1), symbol("w", 1)
>>> domain = Domain([h.as_symbol(), w.as_symbol()], [at_least(h, 4)])
>>> failing, holds = decided(domain, equal((h // 4) * w, (h * w) // 4))
>>> sorted((s.name, size) for s, size in failing.items()), holds
([('h', 6), ('w', 2)], True)
"""

from __future__ import annotations

from math import inf
from typing import TypeAlias

import numpy as np

from shapesmt.algebra import (
    Assignment,
    Atom,
    Dim,
    Evaluator,
    Formula,
    Kind,
    all_of,
    at_least,
    divides,
    lowest,
)
from shapesmt.presolve.cells import Axis, Grid, truth_of
from shapesmt.presolve.domain import Domain

MAX_SYMBOLS = 4

Problem: TypeAlias = "tuple[dict[Atom, Axis], list[Formula], dict[Atom, Dim]]"


def decided(domain: Domain, condition: Formula) -> tuple[Assignment | None, bool] | None:
    """The smallest admissible sizes at which a condition fails, and whether it holds at any; None where unknown."""
    problem = _problem(domain, condition.symbols)
    if problem is None:
        return None
    axes, facts, meanings = problem
    fact, condition = all_of(*facts), domain.eliminate(condition)
    grid = Grid(axes, (fact, condition))
    cells, best, holds = grid.cells(), None, False
    low = np.array([lowest(s) for s in grid.symbols], dtype=np.int64)[:, None]
    while cells is not None and cells.first.size:
        known = grid.bounds(cells)
        if known is None:
            return None
        number = cells.first.shape[1]
        given, asked, settled = (
            truth_of(fact, known, number),
            truth_of(condition, known, number),
            grid.settled(known, number),
        )
        failing, passing = given.first & ~asked.first, given.first & asked.first
        holds |= bool(passing.any())
        off = np.abs(cells.first - low)
        distance = np.stack([np.count_nonzero(off, axis=0), off.sum(axis=0)])
        if failing.any():
            rows = np.concatenate([distance, cells.first])[:, failing]
            nearest = tuple(rows[:, np.lexsort(rows[::-1])[0]].tolist())
            best = nearest if best is None else min(best, nearest)
        may_fail = ~failing & ~(settled & (given.never | asked.always))
        if best is not None:
            may_fail &= (distance[0] < best[0]) | ((distance[0] == best[0]) & (distance[1] < best[1]))
        may_hold = ~passing & ~(settled & (given.never | asked.never)) & (not holds)
        cells = grid.split(cells, known, may_fail | may_hold)
    if cells is None:
        return None
    point = None if best is None else dict(zip(grid.symbols, best[2:], strict=True))
    return point and _completed(point, meanings), holds


def _completed(point: Assignment, meanings: dict[Atom, Dim]) -> Assignment:
    at = Evaluator(point)
    return point | {s: int(at.dim(meaning)) for s, meaning in meanings.items()}


def _problem(domain: Domain, symbols: frozenset[Atom]) -> Problem | None:
    """The free symbols with their values, the facts about them, and what equalities make of others."""
    tied, facts = domain.cone(symbols)
    meanings = {s: domain.meanings[s] for s in tied if s in domain.meanings}
    facts = [domain.eliminate(fact) for fact in facts]
    axes: dict[Atom, Axis] = {}
    for s in tied:
        axis = _axis(domain, s)
        if axis is None or s.kind is Kind.TRIP:
            return None
        if s in meanings:
            meaning, (first, step, length) = meanings[s], axis
            facts += [at_least(meaning, first), *([divides(step, meaning - first)] if step > 1 else [])]
            facts += [at_least(first + step * int(length - 1), meaning)] if length < inf else []
        else:
            axes[s] = axis
    return (axes, facts, meanings) if 0 < len(axes) <= MAX_SYMBOLS else None


def _axis(domain: Domain, s: Atom) -> Axis | None:
    """The values of a symbol, if they are a progression."""
    (lo, hi), values = domain.ends(s), domain.listed(s)
    if lo == -inf or lo > hi:
        return None
    if values is None:
        return Axis(int(lo), s.step, inf if hi == inf else (int(hi) - int(lo)) // s.step + 1)
    steps = np.diff(values)
    if not len(values) or (steps != steps[:1]).any():
        return None
    return Axis(int(values[0]), int(steps[0]) if len(steps) else 1, len(values))
