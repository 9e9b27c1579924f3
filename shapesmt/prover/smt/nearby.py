"""Nearby and far: find models by evaluating conditions, before asking the solver.

Most counterexamples have a single symbol slightly off its low end: the bound of its range that is nearest to 0.

    >>> from shapesmt.prover.algebra import at_least, symbol
    >>> b, h, w = symbol("b", 1), symbol("h", 1), symbol("w", 1, 4)
    >>> conditions = [at_least(b * h * w, 6), at_least(h, b)]
    >>> of_each = nearby_models(conditions, [s.as_symbol() for s in (b, h, w)])
    >>> [model and sorted((s.name, value) for s, value in model.items()) for model in of_each]
    [[('b', 1), ('h', 6), ('w', 1)]]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import inf, lcm

from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Assignment,
    Atom,
    Dim,
    Evaluator,
    Formula,
    Substitution,
    all_of,
    as_dim,
    at_most,
    evaluate,
    lowest,
)
from shapesmt.prover.smt.smtlib import script

TRIED = 32  # values tried for a symbol
LARGEST = 2**63  # one more than the largest size of a tensor


def relevant(conditions: Sequence[Formula]) -> list[Formula]:
    """Return a subset of the conditions: if it holds, all hold with every symbol outside it at its low end.

    >>> from shapesmt.prover.algebra import at_least, symbol
    >>> h, count, row = symbol("h", 1), symbol("count", 0), symbol("row", 0)
    >>> relevant([at_least(h, 3), at_least(h, count), at_least(h, row + 1)])
    [Formula('h >= 3')]
    """
    symbols = frozenset[Atom]().union(*(f.symbols for f in conditions))
    evaluator, kept = Evaluator(complete({}, symbols)), set[Atom]()
    ahead = [f for f in conditions if not all_hold(evaluator, (f,))]
    while ahead:
        kept.update(*(f.symbols for f in ahead))
        low = Substitution({s: as_dim(lowest(s)) for s in symbols - kept})
        tied = (f for f in conditions if not kept.issuperset(f.symbols) and not kept.isdisjoint(f.symbols))
        ahead = [f for f in tied if low.apply(f) is not TRUE]
    return [f for f in conditions if kept.issuperset(f.symbols)]


def nearby_models(conditions: Sequence[Formula], symbols: Sequence[Atom]) -> Iterator[Assignment | None]:
    """Yield the model with all symbols at their low ends if the conditions hold there, else models with one moved.

    Symbols are moved in reverse order, each to its value nearest to its low end; None stands for a symbol for which
    it isn't known whether there is such a model. `symbols` must contain all symbols of the conditions.
    """
    start = complete({}, symbols)
    evaluator = Evaluator(start)
    broken = [f for f in conditions if not all_hold(evaluator, (f,))]
    if not broken:
        yield start
        return
    movable = broken[0].symbols.intersection(*(f.symbols for f in broken[1:]))
    for s in reversed(symbols):
        if s in movable:
            yield from (None if value is None else {**start, s: value} for value in nearest(conditions, start, s))


def nearest(conditions: Iterable[Formula], at: Assignment, symbol: Atom) -> Iterator[int | None]:
    """Yield the value of `symbol` nearest to its low end for which the conditions hold, the other symbols as in `at`.

    Yield nothing if there is none, and None if that isn't known.
    """
    about = [f for f in conditions if symbol in f.symbols]
    others = Substitution({s: as_dim(value) for s, value in at.items() if s is not symbol})
    values = _values(symbol, all_of(*map(others.apply, about)))
    value = next((v for v in values[:TRIED] if all_hold(Evaluator({**at, symbol: v}), about)), None)
    if value is not None or values[TRIED:] or symbol.lo == -inf:
        yield value


def _values(symbol: Atom, condition: Formula) -> range:
    """Return the values of a symbol, without those that linear conjuncts of the condition exclude."""
    first, last = lowest(symbol), min(symbol.hi, LARGEST)
    for part in condition.conjuncts:
        terms = dict(part.dim.terms) if part.op == "ge" and part.dim is not None else {}
        constant, factor = terms.pop((), 0), terms.pop((symbol.number,), 0)
        if factor < 0 and not terms:
            last = min(last, constant // -factor)
        elif factor > 0 and not terms:
            first = max(first, -(constant // factor))
    last = first - 1 if condition is FALSE else last
    return range(first + (lowest(symbol) - first) % symbol.step, int(last) + 1, symbol.step)


def complete(values: Assignment, symbols: Iterable[Atom]) -> dict[Atom, int]:
    """Return values for all the symbols; a symbol without a value gets the bound of its range nearest to 0."""
    completed = dict(values)
    for atom in symbols:
        if atom not in completed:
            completed[atom] = lowest(atom)
    return completed


def holds(formulas: Iterable[Formula], values: Assignment) -> bool:
    """Whether all the conditions hold at these sizes, inside the symbols' ranges."""
    inside = all(a.lo <= v <= a.hi and (a.step == 1 or (v - a.lo) % a.step == 0) for a, v in values.items())
    return inside and all_hold(Evaluator(values), formulas)


def all_hold(evaluator: Evaluator, conditions: Iterable[Formula]) -> bool:
    """Whether all conditions hold; False if one can't be evaluated, such as a comparison with NaN."""
    try:
        return all(evaluator.formula(f) for f in conditions)
    except (ArithmeticError, ValueError, KeyError):  # NaN has no integer, an element no value
        return False


COMPOSITE = 2**80 * lcm(*range(1, 33))  # even quotients of it by common divisors exceed 2**63
POWERS = range(56, 90)  # exponents of 2
MAX_STARTS = 3  # models from which the search starts
MAX_ALONE = 4  # symbols that are moved one by one


def best(
    dim: Dim, end: int, facts: list[Formula], symbols: Iterable[Atom], models: Iterable[Assignment]
) -> Assignment | None:
    """Return the model of `facts` with the smallest value of `dim` among those tried; None if none satisfies them.

    Tried are the symbols' low ends, `models`, and sizes far above these, until a value is at most `end`. Evaluating
    is faster than solving: for `-n` under `4*k == n*m`, where all may be 0, it finds `k == m == 0`.

    >>> from shapesmt.prover.algebra import at_least, symbol
    >>> past, total = symbol("past", 1), symbol("total", 1)
    >>> model = best(-past, -(2**63), [at_least(total, 2 * past + 1)], [s.as_symbol() for s in (past, total)], [])
    >>> [s.name for s, value in model.items() if value > 2**63]
    ['past', 'total']
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

    Adding a multiple of many numbers keeps remainders. Multiplying by 2 to the power of each of `powers` keeps ratios,
    which floats need.
    """
    inner = dict.fromkeys((s for s in start if s in dim.symbols), 1)
    outer = dict.fromkeys((s for s in start if s not in inner), 8)
    moves = [{s: 1} for s in [*inner][:MAX_ALONE]] + [inner, dict.fromkeys(start, 1), inner | outer]
    for times in (*moves, *(inner | {s: 8} for s in [*outer][:MAX_ALONE])):
        yield {s: n + times.get(s, 0) * s.step * COMPOSITE for s, n in start.items()}
        for power in powers:
            yield {s: n * ((times.get(s, 0) << power) or 1) for s, n in start.items()}
