"""Doubt: signs that a remedy works around an error of the model, rather than correcting the ranges that were given.

Such a remedy leaves one value of a size, or under a quarter of its range, or it relates the sizes of one input so that
few of them remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shapesmt.analysis.verify import Examined, valid_share
from shapesmt.network.declarations import Range
from shapesmt.prover.algebra import Formula
from shapesmt.reports.answers import SymbolRange, facts

FEW = 4  # a remedy is in doubt if it leaves less than one part in so many


def doubt_of(
    ranges: Mapping[str, Range], assumed: Iterable[Formula], a: Examined, *, every: bool = True, exact: bool = True
) -> facts.Doubt | None:
    """Return what is in doubt about a remedy; None if nothing is.

    Args:
        ranges: The ranges of the remedy, by the names of their sizes.
        assumed: The relations of the remedy.
        a: The problem with the ranges that were given, and the examination, which tells how many of them run.
        every: Whether the remedy is for all that run, rather than for those at which the model does what it is for.
        exact: Whether it is known exactly what runs; otherwise the remedy may be narrower than it need be.
    """
    given, inputs = a.problem.ranges, a.problem.inputs
    single = tuple(n for n, r in ranges.items() if r.lo == r.hi and given[n].min != given[n].max)
    small = tuple(n for n, r in ranges.items() if n not in single and _is_small(r, given[n]))
    shapes = [frozenset(s for d in t.dims for s in d.symbols) for t in inputs.values() if t.shape is not None]
    related = [f for f in assumed if len(f.symbols) > 1 and any(f.symbols <= own for own in shapes)]
    counted = valid_share(a) if single or small or related else None
    share = None if counted is None else (counted.valid, counted.admissible)
    few = share is not None and share[0] * FEW < share[1]
    equal = tuple(map(str, related if few else [f for f in related if f.op == "eq" and share is None]))
    if not every and not few:
        share = None  # it doesn't count those
    if share is None and not exact:
        return None
    many = share is not None and share[0] * 2 > share[1]  # the remedy is narrower than it need be
    if not (few or (single and not many) or (share is None and (small or equal))):
        return None
    return facts.Doubt(single, small, equal, share)


def _is_small(left: Range, given: SymbolRange) -> bool:
    """Whether under a quarter of an interval is left; multiples of a step count as the interval that they span."""
    if left.hi is None or given.max is None:
        return False
    return (left.hi - left.lo + left.step) * FEW < given.max - given.min + given.step
