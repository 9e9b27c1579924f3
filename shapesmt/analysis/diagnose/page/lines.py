"""Number lines: the values of one dimension that satisfy a condition, as runs of consecutive values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from math import inf

from shapesmt.prover.algebra import (
    Atom,
    Dim,
    Formula,
    Substitution,
    Verdict,
    all_of,
    implies,
    negate,
    substitute,
    symbol,
)
from shapesmt.prover.presolve import Domain, Values, decide, truth_at, values_of
from shapesmt.prover.regions import Truth
from shapesmt.reports.answers import NumberLine, Run

__all__ = ["number_line"]

MOST_PARTS = 8  # runs that are listed; others are counted
MOST_REPEATED = 12  # runs in one period; longer periods aren't found


def number_line(condition: Formula, s: Atom, domain: Domain) -> NumberLine | None:
    """Return the line of a condition on one symbol; None if it can't be evaluated at any value."""
    values = domain.values(s)
    listed = values is not None
    facts = all_of(*(f for f in domain.facts if f.symbols == {s}))
    if values is None:
        values = values_of(domain, s)
    truth = truth_at(condition, {s: values})
    if truth is None or not len(values):
        return None
    parts = _runs(values, truth)
    last = None if s.hi == inf else int(domain.ends(s)[1])
    counts = (int(truth.sum()), len(values)) if listed else None
    count, period = (_period(parts) if not listed or len(parts) > MOST_PARTS else None) or (0, 0)
    if count and (listed or _goes_on(condition, facts, s, parts[count - 1].first - period, period)):
        return NumberLine(s.name, tuple(parts[:count]), s.step, period, last, 0, counts)
    shown = parts[:MOST_PARTS]
    if not listed and len(parts) <= MOST_PARTS and _stays(parts[-1], condition, facts, s):
        shown[-1] = replace(shown[-1], last=last)
    return NumberLine(s.name, tuple(shown), s.step, None, last, len(parts) - len(shown), counts)


def _goes_on(condition: Formula, facts: Formula, s: Atom, first: int, period: int) -> bool:
    """Whether a condition and the facts are proven to repeat with a period from the value `first` on."""
    x = symbol(s.name, first, s.hi - period, step=s.step, kind=s.kind)
    now, then = Substitution({s: x}), Substitution({s: x + period})
    pairs = [(now.apply(f), then.apply(f)) for f in (condition, facts)]
    return _always_holds(all_of(*(p for one, other in pairs for p in (implies(one, other), implies(other, one)))), x)


def _stays(run: Run, condition: Formula, facts: Formula, s: Atom) -> bool:
    """Whether all admissible values from the start of a run are proven to run or fail as it does."""
    x = symbol(s.name, run.first, s.hi, step=s.step, kind=s.kind)
    return _always_holds(substitute(implies(facts, condition if run.runs else negate(condition)), {s: x}), x)


def _always_holds(condition: Formula, x: Dim) -> bool:
    decision = decide(Domain(x.symbols), condition)
    return decision is not None and decision.verdict is Verdict.PROVED


def _runs(values: Values, truth: Truth) -> list[Run]:
    runs = []
    start = 0
    for holds, group in groupby(truth):
        end = start + sum(1 for _ in group)
        runs.append(Run(int(values[start]), int(values[end - 1]), bool(holds)))
        start = end
    return runs


def _period(parts: Sequence[Run]) -> tuple[int, int] | None:
    """Return the number of runs to list before they repeat, and the period in values; None if they don't repeat.

    >>> _period([Run(1, 3, False), *(Run(n, n + (n % 4 != 0) * 2, n % 4 == 0) for n in (4, 5, 8, 9, 12, 13, 16))])
    (3, 4)
    """
    for skipped, length in islice(_candidates(len(parts)), MOST_REPEATED * MOST_PARTS):
        block, after = parts[skipped : skipped + length], parts[skipped + length :]
        period = after[0].first - block[0].first
        if all(_repeats(block[i % length], run, period * (1 + i // length), whole=i + 1 < len(after))
               for i, run in enumerate(after)):  # fmt: skip
            return skipped + length + 1, period
    return None


def _candidates(count: int) -> Iterator[tuple[int, int]]:
    """Yield how many runs to skip and how many repeat, the smallest sums first; two repetitions have to fit."""
    pairs = [(skipped, length) for length in range(2, MOST_REPEATED + 1, 2) for skipped in range(MOST_PARTS)]
    return ((s, n) for s, n in sorted(pairs, key=sum) if s + 2 * n <= count)


def _repeats(one: Run, other: Run, distance: int, *, whole: bool) -> bool:
    """Whether `other` is `one` moved by `distance`; unless `whole`, it may be shorter."""
    if one.last is None or other.last is None or one.runs != other.runs or other.first != one.first + distance:
        return False
    return one.last + distance == other.last if whole else other.last <= one.last + distance
