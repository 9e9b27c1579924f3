"""Far away: sizes at which expressions are beyond what tensors have, tried before a solver is asked.

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

COMPOSITE = 2**80 * lcm(*range(1, 33))  # so much more that quotients by usual numbers are beyond tensors' sizes too
POWERS = range(56, 90)  # of 2
MAX_STARTS = 3  # models from which one far away is looked for
MAX_ALONE = 4  # symbols that are tried one by one


def best(
    dim: Dim, end: int, facts: list[Formula], symbols: Iterable[Atom], models: Iterable[Assignment]
) -> Assignment | None:
    """Of some sizes at which the facts hold those with the least value; the first with no more than `end`.

    Evaluating takes less time than solving: of `-n` under `4*k == n*m`, where all may be 0, it shows `k == m == 0`.
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
    except (ArithmeticError, ValueError):  # a float that is no number
        return inf


def _far_away(dim: Dim, start: Assignment, powers: Iterable[int]) -> Iterator[Assignment]:
    """Sizes with symbols of an expression, or with all, far up from some sizes.

    Adding a multiple of many numbers keeps remainders; some powers of 2 as factors keep ratios, as floats need it.
    """
    inner = dict.fromkeys((s for s in start if s in dim.symbols), 1)
    outer = dict.fromkeys((s for s in start if s not in inner), 8)
    moves = [{s: 1} for s in [*inner][:MAX_ALONE]] + [inner, dict.fromkeys(start, 1), inner | outer]
    for times in (*moves, *(inner | {s: 8} for s in [*outer][:MAX_ALONE])):
        yield {s: n + times.get(s, 0) * s.step * COMPOSITE for s, n in start.items()}
        for power in powers:
            yield {s: n * ((times.get(s, 0) << power) or 1) for s, n in start.items()}
