"""Worst: the point that holds the most bytes over a set of inputs, without computing every point's maximum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from shapesmt.analysis.verify import Examination
from shapesmt.prover.algebra import (
    TRUE,
    Assignment,
    Dim,
    Formula,
    Kind,
    at_most,
    common_factor,
    divide_terms,
    from_terms,
)
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.tasks.memory.points import Point


class Summit(NamedTuple):
    """The maximum of some formulas.

    Attributes:
        value: The maximum; None if it is unbounded or unknown.
        exact: Whether it is proven and attained at the witness; if it is None, whether unboundedness is proven.
        witness: An input with this maximum; None if none is known.
        point: The point with the maximum.
    """

    value: int | None
    exact: bool
    witness: Assignment | None
    point: Point


def drop_dominated(points: Iterable[Point]) -> list[Point]:
    """Remove points that never hold more than another one, and return the others, the largest first.

    >>> from shapesmt.prover.algebra import symbol
    >>> n = symbol("n", 1)
    >>> at = lambda size: Point("", "", size, TRUE)
    >>> [p.bytes for p in drop_dominated([at(4 * n), at(8 * n), at(6 * n + 2), at(6 * n + 3)])]
    [Dim('8*n'), Dim('6*n + 3')]
    """
    distinct: dict[tuple[Dim, Formula], Point] = {}
    for point in points:
        distinct.setdefault((point.bytes, point.runs), point)
    kept: list[Point] = []
    for point in sorted(distinct.values(), key=lambda p: size_key(p.bytes)):
        if not any(q.runs in (TRUE, point.runs) and _covers(q.bytes, point.bytes) for q in kept):
            kept.append(point)
    return kept


def size_key(size: Dim) -> tuple[float, int, int, int]:
    """Return a sort key: large upper bounds come first; among unbounded sizes, those of the highest degree."""
    terms = [(len(factors), coefficient) for factors, coefficient in size.products()]
    rising = sum(coefficient for degree, coefficient in terms if degree)
    return -size.hi, -max((degree for degree, _ in terms), default=0), -rising, -sum(c for _, c in terms)


def _covers(first: Dim, second: Dim) -> bool:
    """Whether bounds show that `first >= second`, if necessary after factoring: `b*n - b` is `b*(n - 1)`."""
    difference = first - second
    if difference.lo >= 0 or len(difference.terms) < 2:
        return difference.lo >= 0
    number, shared = common_factor((difference,))
    return bool(shared) and from_terms({shared: 1}).lo >= 0 and divide_terms(difference, number, shared).lo >= 0


def summit(points: Sequence[Point], domain: Domain, examination: Examination, judge: Judge) -> Summit | None:
    """Return the point that holds the most bytes, and their maximum; None if no input reaches any point."""
    best: Summit | None = None
    for point in points:
        if best is not None and best.value is not None and point.bytes.hi <= best.value:
            continue
        where = within(domain, point.runs, judge)
        if where is None or (best is not None and best.value is not None and _below(where, point, best.value, judge)):
            continue
        found = _highest(where, point, examination, judge)
        if best is None or _above(found, best):
            best = found
        if best.value is None:
            break
    return best


def within(domain: Domain, runs: Formula, judge: Judge) -> Domain | None:
    """Return the domain restricted to the inputs for which `runs` holds; None if there are none."""
    if runs is TRUE:
        return domain
    narrowed = domain.copy()
    narrowed.assume(runs)
    return narrowed if judge.satisfiable(narrowed) else None


def _below(domain: Domain, point: Point, value: int, judge: Judge) -> bool:
    """Whether a point is proven to hold at most `value` bytes."""
    return judge.proves(domain, at_most(point.bytes, value))


def _above(first: Summit, second: Summit) -> bool:
    """Whether the first maximum is larger; one without a value (unbounded or unknown) counts as infinite."""
    return (inf if first.value is None else first.value) > (inf if second.value is None else second.value)


def _highest(domain: Domain, point: Point, examination: Examination, judge: Judge) -> Summit:
    """Return the maximum of the point's bytes over `domain`, the inputs for which the point occurs."""
    end = judge.extent(domain, point.bytes)[1]
    tied = domain.closure(point.bytes.symbols | point.runs.symbols)[0]
    known = not any(s.kind in (Kind.OPEN, Kind.LOST, Kind.PLACE) for s in tied) and examination.independent(tied)
    exact, witness = end.proven and examination.decided and known, end.witness
    if point.bytes.constant is not None:
        exact, witness = (True, {}) if point.runs is TRUE else (exact and domain.is_empty() is False, {})
    if point.runs is not TRUE and end.value is not None:
        witness = judge.complete(domain, witness)
    return Summit(end.value, exact, witness, point)
