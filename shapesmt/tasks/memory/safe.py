"""Safe: readable conditions that certainly imply a limit, for limits whose exact conditions aren't readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf

from shapesmt.prover.algebra import FALSE, Atom, Formula, Kind, all_of, at_most, name_text, of_atom
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.prover.regions import Conjunct

MOST_POINTS = 4096  # inputs; more aren't evaluated one by one
MOST_LISTED = 600  # characters; a longer list of inputs isn't shown
FAR = 1 << 20  # largest value that is tried of an unbounded size
HALVED = 21  # attempts to find a box, each with half the ranges of the one before

Point = tuple[int, ...]


def safe_conditions(
    condition: Formula, said: Sequence[Conjunct], domain: Domain, judge: Judge
) -> tuple[tuple[str, ...], bool]:
    """Return readable conditions that imply `condition`, and whether they are equivalent to it.

    If the conjuncts in `said` imply it, those are returned; otherwise a list of few inputs, or else a box.
    """
    if condition is FALSE:
        return ("False",), True
    inside = domain.copy()
    inside.assume(all_of(*(c.formula for c in said)))
    if judge.proves(inside, condition):
        return tuple(map(str, said)), False
    listed = _list_inputs(condition, domain)
    return (_box(condition, domain, judge), False) if listed is None else ((listed,) if listed else (), True)


def _list_inputs(condition: Formula, domain: Domain) -> str | None:
    """Return the condition as a list of the inputs for which it holds; None if that is too long or depends on data."""
    if any(s.kind not in (Kind.INPUT, Kind.VALUE) for s in condition.symbols):
        return None
    points = domain.points(condition.symbols)
    if points is None or not points.fits(condition):
        return None
    truth = points.truth(condition)
    if truth.size > MOST_POINTS:
        return None
    symbols = sorted(condition.symbols, key=domain.order)
    at = points.at(truth | True)
    every = [*zip(*(map(int, at[s]) for s in symbols), strict=True)]
    good = {point for point, holds in zip(every, truth.ravel(), strict=True) if holds}
    text = _separating_condition([name_text(s.name) for s in symbols], good, {*every} - good)
    return text if len(text) <= MOST_LISTED else None


def _separating_condition(names: Sequence[str], good: set[Point], bad: set[Point]) -> str:
    """Return a condition that holds at all good points and at no bad one.

    "" if there are no bad points, "False" if there are no good ones.
    """
    if not good or not bad:
        return "" if good else "False"
    values = sorted({point[0] for point in (*good, *bad)})
    rests = {v: [{p[1:] for p in points if p[0] == v} for points in (good, bad)] for v in values}
    told = {v: _separating_condition(names[1:], *rest) for v, rest in rests.items()}
    parts = []
    for text, group in groupby(values, key=told.__getitem__):
        run = _run(names[0], [*group], values)
        if text != "False":
            parts.append(" and ".join(filter(None, [run, f"({text})" if " or " in text else text])))
    return " or ".join(parts)


def _run(name: str, run: Sequence[int], values: Sequence[int]) -> str:
    """Return a condition for the consecutive values `run` among the sorted `values`, such as `n >= 2 and n <= 5`."""
    low, high = run[0], run[-1]
    if low == high:
        return f"{name} == {low}"
    ends = [f"{name} >= {low}"] * (low > values[0]) + [f"{name} <= {high}"] * (high < values[-1])
    return " and ".join(ends)


def _box(condition: Formula, domain: Domain, judge: Judge) -> tuple[str, ...]:
    """Return upper bounds of sizes within which the condition is proven; "False" if none are found."""
    symbols = sorted((s for s in condition.symbols if s.kind in (Kind.INPUT, Kind.VALUE)), key=domain.order)
    ends = {s: domain.ends(s) for s in symbols}
    spans = {s: FAR if high == inf else int(high - low) for s, (low, high) in ends.items() if low > -inf}
    for halved in range(HALVED if len(spans) == len(ends) else 0):
        box = {s: int(ends[s][0]) + (span >> halved) for s, span in spans.items()}
        if _is_safe(box, condition, domain, judge):
            return tuple(f"{name_text(s.name)} <= {high}" for s, high in box.items() if high < ends[s][1])
    return ("False",)


def _is_safe(box: Mapping[Atom, int], condition: Formula, domain: Domain, judge: Judge) -> bool:
    inside = domain.copy()
    inside.assume(all_of(*(at_most(of_atom(s), high) for s, high in box.items())))
    return judge.proves(inside, condition) and judge.satisfiable(inside)
