"""Release: the inputs for which a failing model would run without the numbers that `--dim` gives to dimensions.

Example: for a position table with 512 rows and `--dim seq=600`, it reports `seq <= 512`, nearest 512.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from shapesmt.analysis.diagnose.findings import precondition
from shapesmt.analysis.verify import Claims, Examined, Question, examine_problem, pose_problem
from shapesmt.base.deadline import look
from shapesmt.base.errors import UsageError
from shapesmt.prover.algebra import (
    Assignment,
    Dim,
    Evaluator,
    Formula,
    Verdict,
    absolute,
    all_of,
    at_least,
    at_most,
    equal,
    total,
)
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import Precondition, Release

MAX_AWAY = 1 << 12  # the distance from the given number that is searched, halved for each dimension
MIN_AWAY = 1 << 5  # but at least this
SECONDS = 0.5  # for the search in one direction


def find_release(question: Question, a: Examined) -> Release | None:
    """Return the inputs for which a failing model would run without its `--dim` numbers; None if none is known."""
    if a.examination.verdict is not Verdict.FAILS or not a.examination.fails:
        return None
    pinned = {n: r.min for n, r in a.problem.ranges.items() if n in (question.dims or {}) and r.min == r.max}
    found = a.judge.deadline.attempt(lambda: _without(pinned, question, a), None) if pinned else None
    moved = {n: size for n, size in pinned.items() if found and any(at[n] != size for at in found.nearest)}
    if not found or len(moved) in (0, len(pinned)):
        return found
    return a.judge.deadline.attempt(lambda: _without(moved, question, a), None) or found


def _without(pinned: Mapping[str, int], question: Question, a: Examined) -> Release | None:
    """Return the inputs for which a model runs without these numbers; None if it always fails or none is admissible."""
    dims = {name: r for name, r in (question.dims or {}).items() if name not in pinned}
    try:
        problem = pose_problem(a.problem.graph, replace(question, dims=dims), a.judge)
        freed = examine_problem(problem, a.judge, trust=question.claims is Claims.TRUST)
    except UsageError:  # the assumptions contradict the default ranges
        return None
    if freed.examination.fails:
        return None
    region = precondition(freed)
    return Release(pinned, region, _nearest(pinned, region, freed))


def _nearest(pinned: Mapping[str, int], region: Precondition, a: Examined) -> tuple[dict[str, int], ...]:
    """Return the nearest sizes at which a model runs: for one dimension, the next smaller and the next greater."""
    problem = a.problem
    if not a.examination.decided or region.data is not None:
        return ()
    named = {s.name for said in region.conjuncts for s in said.formula.symbols}
    sizes = {name: problem.dims[name] for name in pinned if name in problem.dims}
    if len(sizes) < len(pinned):  # the name is a formula, and no size of its own without its number
        return ()
    near = max(MAX_AWAY >> len(pinned), MIN_AWAY)
    windows = [[(1, near), (-near, -1)]] if len(pinned) == 1 else [[(-near, near)]] * len(pinned)
    found = []
    for ways in zip(*windows, strict=True):
        within, judge = a.examination.domain.copy(), a.judge.within(SECONDS)
        away = [size - pinned[name] for name, size in sizes.items()]
        within.assume(
            all_of(*(f for d, (lo, hi) in zip(away, ways, strict=True) for f in (at_least(d, lo), at_most(d, hi))))
        )
        values = judge.deadline.attempt(partial(_at_nearest, sizes, pinned, away, within, judge), None)
        if values is not None:
            symbols = problem.counterexample(values).symbols
            found.append({name: size for name, size in symbols.items() if name in pinned or name in named})
    return tuple(sorted(found, key=lambda at: [at[n] for n in pinned]))


def _at_nearest(
    sizes: Mapping[str, Dim], pinned: Mapping[str, int], away: Sequence[Dim], within: Domain, judge: Judge
) -> Assignment | None:
    """Return the inputs of a domain whose sizes are nearest; None if there are none, or if they aren't known."""
    least = None if within.is_empty() else _each_nearest(sizes, pinned, within)
    if least is None and judge.is_inhabited(within):
        least = _least_moved(away, within, judge)
    return judge.complete(within, least)


def _each_nearest(sizes: Mapping[str, Dim], pinned: Mapping[str, int], within: Domain) -> Assignment | None:
    """Return the nearest value of each size, the smaller of two; None if conditions relate some size to another."""
    nearest = {}
    for name, size in sizes.items():
        s = size.as_symbol()
        tied, facts = within.closure(() if s is None else (s,))
        values = within.values(s) if s is not None and tied == [s] else None
        if s is None or values is None:
            return None
        near = sorted(map(int, values), key=lambda value: (abs(value - pinned[name]), value))
        value = next((value for value in near if _all_hold(facts, {s: value})), None)
        if value is None:
            return None
        nearest[s] = value
    return nearest


def _all_hold(facts: Sequence[Formula], at: Assignment) -> bool:
    look()  # some formulas take long
    return all(map(Evaluator(at).formula, facts))


def _least_moved(away: Sequence[Dim], within: Domain, judge: Judge) -> Assignment | None:
    """Return the sizes with the smallest sum of distances; of several such, ones at which the last dimensions stay."""
    moved = total(map(absolute, away))
    least = judge.extent(within, moved)[0]
    if not least.proven or least.value is None:
        return least.witness
    for size in away[:0:-1]:
        same = within.copy()
        same.assume(all_of(at_most(moved, least.value), equal(size, 0)))
        if judge.is_inhabited(same):
            within = same
    return judge.extent(within, moved)[0].witness
