"""Patterns: short descriptions of a set of one symbol's values: an interval, remainders, a list."""

from __future__ import annotations

from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, TypeAlias

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import Atom
from shapesmt.prover.presolve import Values
from shapesmt.prover.regions.conjuncts import Conjunct, Interval, Listing, Residue, either

if TYPE_CHECKING:
    from numpy.typing import NDArray

Truth: TypeAlias = "NDArray[np.bool_]"
Residues = tuple[int, tuple[int, ...]]

MAX_LISTED = 8  # values that are listed one by one
MAX_MODULUS = 512
MAX_EXCEPTIONS = 4  # values at the lower end that may be exceptions to the residues
SAMPLE = 2048  # values tried if a symbol has too many


def describe_values(symbol: Atom, values: Values, truth: Truth, period: int = 1) -> list[Conjunct] | None:
    """Return conjuncts that exactly the values of the mask `truth` satisfy; [] if all values do, None if nothing fits.

    Tried in order: an interval, residues, a few intervals, a short list of values or of exceptions. Divisors of the
    period are the first moduli that are tried for residues: few values may have others by chance.
    """
    if not truth.any():
        return None
    first, last = int(truth.argmax()), len(truth) - 1
    if not truth[-1]:
        last -= int(truth[::-1].argmax())
    inside = slice(first, last + 1)
    lo, hi = int(values[first]), int(values[last])
    if truth[inside].all():
        return [] if last - first + 1 == len(values) else [_run(symbol, lo, hi, values)]
    residues = _residues(symbol, values[inside], truth[inside], period)
    if residues is not None:
        return [*_ends(symbol, values, residues, lo, hi), Residue(symbol, *residues)]
    good = values[truth]
    runs = _runs(values, truth)
    if len(runs) <= MAX_LISTED // 2:
        return [either(*([_run(symbol, a, b, values)] for a, b in runs))]
    if len(good) <= MAX_LISTED:
        return [Listing(symbol, tuple(good.tolist()))]
    bad = values[inside][~truth[inside]]
    if len(bad) <= MAX_LISTED:
        outer = [] if last - first + 1 == len(values) else [_run(symbol, lo, hi, values)]
        return [*outer, Listing(symbol, tuple(bad.tolist()), out=True)]
    return _with_exceptions(symbol, values, truth, period)


def _with_exceptions(symbol: Atom, values: Values, truth: Truth, period: int) -> list[Conjunct] | None:
    """Describe values by residues with a few additional values at the lower end; None if that doesn't fit."""
    residues = _residues(symbol, values[MAX_EXCEPTIONS:], truth[MAX_EXCEPTIONS:], period)
    if residues is None:
        return None
    usual = np.isin(values % residues[0], residues[1])
    extra = values[truth & ~usual]
    if (usual & ~truth).any() or not len(extra):
        return None
    return [either(*([Interval(symbol, int(v), int(v))] for v in extra), [Residue(symbol, *residues)])]


def evenly_spaced(symbol: Atom, values: Values) -> bool:
    """Whether the ascending `values` of a symbol form an arithmetic progression."""
    if len(values) < 3 or int(values[-1] - values[0]) == (len(values) - 1) * symbol.step:
        return True
    return bool((np.diff(values) == values[1] - values[0]).all())


def _residues(symbol: Atom, values: Values, truth: Truth, period: int) -> Residues | None:
    """Return `(m, residues)` if the truth depends only on the remainder by some `m`; else None."""
    first, sample_truth = values[:SAMPLE], truth[:SAMPLE]
    step = int(first[1] - first[0]) if len(first) > 1 and evenly_spaced(symbol, first) else 0
    if step and (sample_truth.all() or not sample_truth.any()):
        return None  # the sample shows no pattern
    pattern = sample_truth.tobytes()
    moduli = range(2, min(MAX_MODULUS, int(first[-1] - first[0]) // 2) + 1)
    for m in sorted(moduli, key=lambda m: period % m > 0):
        if step:  # a periodic pattern equals itself shifted by a period
            period = m // gcd(m, step)
            same = 2 * period <= len(pattern) and pattern.startswith(pattern[period:])
        else:
            passed, failed = np.zeros((2, m), dtype=np.bool_)
            passed[first[sample_truth] % m] = failed[first[~sample_truth] % m] = True
            same = not (passed & failed).any()
        if same:
            good = np.zeros(m, dtype=np.bool_)
            good[values[truth] % m] = True
            if not good[values[~truth] % m].any():
                return (m, tuple(np.flatnonzero(good).tolist()))
    return None


def _ends(symbol: Atom, values: Values, residues: Residues, lo: int, hi: int) -> list[Conjunct]:
    """Return the bounds that the residues need: those outside which a value has one of the residues."""

    def passes(outside: Values) -> bool:
        return bool(np.isin(outside % residues[0], residues[1]).any())

    below, above = passes(values[values < lo]), passes(values[values > hi])
    return [Interval(symbol, lo if below else None, hi if above else None)] if below or above else []


def _runs(values: Values, truth: Truth) -> list[tuple[int, int]]:
    """Return the first and last value of each maximal run of adjacent values at which the truth holds."""
    edges = np.flatnonzero(np.diff(truth.astype(np.int8)))
    bounds = [0, *(edges + 1).tolist(), len(values)]
    return [(int(values[a]), int(values[b - 1])) for a, b in pairwise(bounds) if truth[a]]


def _run(symbol: Atom, lo: int, hi: int, values: Values) -> Conjunct:
    """Return the interval from `lo` to `hi`, without bounds that all values satisfy."""
    if lo == hi:
        return Interval(symbol, lo, hi)
    return Interval(symbol, None if lo == values[0] else lo, None if hi == values[-1] and lo != values[0] else hi)
