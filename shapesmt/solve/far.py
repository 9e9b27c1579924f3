"""Try sizes beyond 2**63 that satisfy the facts, before asking the solver.

>>> from shapesmt.algebra import at_least, symbol
>>> past, total = symbol("past", 1), symbol("total", 1)
>>> model = best(-past, -(2**63), [at_least(total, 2 * past + 1)], [s.as_symbol() for s in (past, total)], [])
>>> [s.name for s, value in model.items() if value > 2**63]
['past', 'total']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from math import inf, lcm

from shapesmt.algebra import Assignment, Atom, Dim, Formula, at_most, evaluate
from shapesmt.solve.nearby import complete, holds
from shapesmt.solve.smtlib import script

COMPOSITE = 2**80 * lcm(*range(1, 33))  # even quotients of it by common divisors exceed 2**63
POWERS = range(56, 90)  # exponents of 2
MAX_STARTS = 3  # models from which the search starts
MAX_ALONE = 4  # symbols that are moved one by one


def best(
    dim: Dim, end: int, facts: list[Formula], symbols: Iterable[Atom], models: Iterable[Assignment]
) -> Assignment | None:
    """Return the model with the least value of `dim` among those tried; the search stops at a value of at most `end`.

    The facts hold in it; None if they hold in no model tried. Evaluating is faster than solving: for `-n` under
    `4*k == n*m`, where all may be 0, it finds `k == m == 0`.
    """
    starts = [complete({s: model[s] for s in symbols if s in model}, symbols) for model in ({}, *models)]
    known = [model for model in starts if holds(facts, model)]
    powers = POWERS if script([at_most(dim, end), *facts]).opaque else ()
    far = (far for start in (starts[0], *known[:MAX_STARTS]) for far in _far_away(dim, start, powers))
    least, best = None, inf
    for model in chain(known, (model for model in far if holds(facts, model))):
        size = _size(dim, model)
        if size < best:
            least, best = model, size
        if best <= end:
            break
    return least


def _size(dim: Dim, model: Assignment) -> float:
    try:
        return int(evaluate(dim, model))
    except (ArithmeticError, ValueError):  # the float is NaN or infinite
        return inf


def _far_away(dim: Dim, start: Assignment, powers: Iterable[int]) -> Iterator[Assignment]:
    """Yield models far above `start`, with the symbols of `dim` moved, or all symbols.

    Adding a multiple of many numbers keeps remainders; multiplying by a power of 2 keeps ratios, which floats need.
    """
    inner = dict.fromkeys((s for s in start if s in dim.symbols), 1)
    outer = dict.fromkeys((s for s in start if s not in inner), 8)
    moves = [{s: 1} for s in [*inner][:MAX_ALONE]] + [inner, dict.fromkeys(start, 1), inner | outer]
    for times in (*moves, *(inner | {s: 8} for s in [*outer][:MAX_ALONE])):
        yield {s: n + times.get(s, 0) * s.step * COMPOSITE for s, n in start.items()}
        for power in powers:
            yield {s: n * ((times.get(s, 0) << power) or 1) for s, n in start.items()}
