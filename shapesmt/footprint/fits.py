"""Fits: the inputs at which no point holds more than so many bytes, or no tensor has more than so many elements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import inf
from typing import NamedTuple

from shapesmt.algebra import (
    TRUE,
    Atom,
    Dim,
    End,
    Formula,
    Kind,
    all_of,
    any_of,
    as_dim,
    at_most,
    equal,
    negate,
    of_atom,
    substitute,
)
from shapesmt.examine import Judge
from shapesmt.footprint.points import Point
from shapesmt.footprint.redundant import Samples, beneath, follows
from shapesmt.presolve import Domain, monotone
from shapesmt.region import readable_text

PATIENCE = 3.0  # seconds to prove that conditions follow from others
UNFOLLOWED = (Kind.OPEN, Kind.LOST)


class Fit(NamedTuple):
    """Where a limit is kept: the conditions that together say so, and the same for people.

    `exact` is proven both ways. Without `text` it is kept by every input of the domain.
    """

    conditions: tuple[Formula, ...]
    text: tuple[str, ...]
    exact: bool

    @property
    def universal(self) -> bool:
        """Whether data or a loop's trip takes part."""
        return any(s.universal for condition in self.conditions for s in condition.symbols)


def fits(points: Sequence[Point], limit: int, domain: Domain, judge: Judge) -> Fit:
    """The inputs of a domain at which each point holds at most `limit`; points that others decide are left out."""
    deciding = _deciding([p for p in points if p.bytes.hi > limit], limit, domain, judge)
    few = [c for c in deciding if len(c.symbols) < 2 or (c.symbols and domain.points(c.symbols) is not None)]
    region = judge.region(domain, all_of(*few))
    other = [c for c in deciding if c not in few]
    if region.text == ("False",):
        return Fit(tuple(deciding), region.text, region.exact)
    readable = [
        c for c in other if readable_text(str(c)) and all(s.kind in (Kind.INPUT, Kind.VALUE) for s in c.symbols)
    ]
    text = (*region.text, *map(str, readable))
    followed = not any(s.kind in UNFOLLOWED for condition in deciding for s in condition.symbols)
    return Fit(tuple(deciding), text, region.exact and len(readable) == len(other) and followed)


def _deciding(points: Sequence[Point], limit: int, domain: Domain, judge: Judge) -> list[Formula]:
    """The conditions that together keep a limit, without those that are seen to follow from others."""
    quick = Judge(judge.deadline.within(PATIENCE))
    samples = Samples(domain, {s for p in points for s in p.bytes.symbols})
    kept: list[tuple[Point, Formula]] = []
    inside = domain.copy()
    for point in points:
        condition = _kept(point, limit)
        others = [p.bytes for p, _ in kept if p.runs in (TRUE, point.runs)]
        if not samples.shows([c for _, c in kept], condition) and (
            _implied(point.bytes, others, limit) or quick.proves(inside, condition)
        ):
            continue
        kept.append((point, condition))
        inside.assume(condition)
    return [condition for _, condition in kept]


def _implied(bytes_: Dim, others: Sequence[Dim], limit: int) -> bool:
    """Whether a formula is seen to keep a limit that others keep."""
    if any(beneath(bytes_, other, limit) for other in others):
        return True
    return any(follows(bytes_, *pair, limit) for pair in combinations_with_replacement(others, 2))


def highest(size: Dim, fit: Fit, domain: Domain, judge: Judge) -> End | None:
    """The greatest value of a size where a limit is kept, with a witness; None where no input keeps it.

    Where what is limited only rises with each symbol, the others have their least values.
    """
    involved = frozenset[Atom]().union(size.symbols, *(c.symbols for c in fit.conditions))
    ends = {s: domain.ends(s) for s in involved}
    apart = not domain.cone(involved)[1] and all(lo > -inf for lo, _ in ends.values())
    inside, least = domain.copy(), dict[Atom, int]()
    if apart and size.as_symbol() is not None and all(_falls(c) for c in fit.conditions):
        least = {s: int(lo) for s, (lo, _) in ends.items() if s is not size.as_symbol()}
        for s, value in least.items():
            inside.assume(equal(of_atom(s), value))
    for condition in fit.conditions:
        inside.assume(substitute(condition, {s: as_dim(value) for s, value in least.items()}))
    if not judge.satisfiable(inside):
        return None
    end = judge.extent(inside, size)[1]
    if end.value is None:
        return end
    inside.assume(equal(size, end.value))
    return end._replace(witness=judge.complete(inside, {}))


def _falls(condition: Formula) -> bool:
    """Whether a condition that holds at some sizes holds at all smaller ones as well."""
    dim = condition.dim
    return condition.op == "ge" and dim is not None and all(monotone(dim, s) in (0, -1) for s in dim.symbols)


def _kept(point: Point, limit: int) -> Formula:
    """The condition under which a point holds at most so much, or doesn't come about."""
    return any_of(negate(_ever(point)), at_most(point.bytes, limit))


def _ever(point: Point) -> Formula:
    """When a point comes about in some trip: of `trip <= trips - 1` the first one tells, if the bytes don't change."""
    runs = point.runs
    for index in sorted((s for s in runs.symbols - point.bytes.symbols if s.kind is Kind.TRIP), key=lambda s: s.name):
        (part, *others) = [c for c in runs.conjuncts if index in c.symbols]
        falls = part.op == "ge" and part.dim is not None and index not in (part.dim + of_atom(index)).symbols
        if falls and not others:
            runs = substitute(runs, {index: as_dim(int(index.lo))})
    return runs
