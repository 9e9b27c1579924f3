"""Number lines: for which values of one dimension a condition holds, as runs of consecutive values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from math import inf

from shapesmt.algebra import Atom, Evaluator, Formula, all_of, fits_int64, lowest, substitute, symbol
from shapesmt.algebra.growth import window
from shapesmt.lazy import np
from shapesmt.presolve import Domain, Values
from shapesmt.region import Truth
from shapesmt.report import NumberLine, Run

__all__ = ["number_line"]

MOST_VALUES = 1 << 20
FEW = 4096  # values that are looked at where a condition isn't known to repeat
MOST_PARTS = 8  # the most runs that are listed
MOST_REPEATED = 12  # the most runs of one period


def number_line(condition: Formula, s: Atom, domain: Domain) -> NumberLine | None:
    """The line of a condition on one symbol; None where it can't be evaluated at enough values."""
    known = domain.values(s)
    facts = all_of(*(f for f in domain.facts if f.symbols == {s}))
    values, repeats = (known, True) if known is not None else _first_values(condition, facts, s)
    truth = _truth(condition, s, values)
    if truth is None:
        return None
    parts = _runs(values, truth)
    endless = known is None
    last = None if s.hi == inf else int(domain.ends(s)[1])
    counts = None if endless else (int(truth.sum()), len(values))
    period = _period(parts) if repeats and (endless or len(parts) > MOST_PARTS) else None
    if period is not None:
        listed, length = period
        return NumberLine(s.name, tuple(parts[:listed]), s.step, length, last, 0, counts)
    shown = parts[:MOST_PARTS]
    if endless and repeats and len(parts) <= MOST_PARTS:
        shown[-1] = replace(shown[-1], last=last)
    return NumberLine(s.name, tuple(shown), s.step, None, last, len(parts) - len(shown), counts)


def _first_values(condition: Formula, facts: Formula, s: Atom) -> tuple[Values, bool]:
    """The first admissible values of a range that is too long to list, and whether after them all only repeats."""
    low, count = lowest(s), FEW
    once = window([condition, facts], s, low)
    beyond = None if once is None else once + 1 + (low - once - 1) % s.step
    end = None if beyond is None else window([condition, facts], s, beyond)
    if end is not None and beyond is not None:
        count = (end - low) // s.step + 1 + 2 * (end - beyond + 1) // s.step
    repeats = end is not None and count <= MOST_VALUES
    values = np.arange(min(count, MOST_VALUES), dtype=np.int64) * s.step + low
    admitted = _truth(facts, s, values)
    return (values, False) if admitted is None else (values[admitted], repeats)


def _truth(condition: Formula, s: Atom, values: Values) -> Truth | None:
    """Whether the condition holds, for each value; None where the arithmetic doesn't fit machine words."""
    twin = symbol(s.name, int(values[0]), int(values[-1]), fold=False) if len(values) else None
    holds = condition if twin is None else substitute(condition, {s: twin})
    if twin is None or not fits_int64(holds):
        return None
    (atom,) = twin.symbols
    return np.broadcast_to(np.asarray(Evaluator({atom: values}).formula(holds), dtype=np.bool_), values.shape)


def _runs(values: Values, truth: Truth) -> list[Run]:
    runs = []
    start = 0
    for holds, group in groupby(truth):
        end = start + sum(1 for _ in group)
        runs.append(Run(int(values[start]), int(values[end - 1]), bool(holds)))
        start = end
    return runs


def _period(parts: Sequence[Run]) -> tuple[int, int] | None:
    """How many runs to list before they repeat, and the length of what repeats; None where they don't.

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
    """How many runs to skip and how many are repeated, the fewest first; what repeats comes twice at least."""
    pairs = [(skipped, length) for length in range(2, MOST_REPEATED + 1, 2) for skipped in range(MOST_PARTS)]
    return ((s, n) for s, n in sorted(pairs, key=sum) if s + 2 * n <= count)


def _repeats(one: Run, other: Run, distance: int, *, whole: bool) -> bool:
    """Whether a run is another one moved; the last one may be cut short."""
    if one.last is None or other.last is None or one.runs != other.runs or other.first != one.first + distance:
        return False
    return one.last + distance == other.last if whole else other.last <= one.last + distance
