"""Fits: the inputs at which no point holds more than a number of bytes, or no tensor has more elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations_with_replacement
from typing import NamedTuple

from shapesmt.prover.algebra import (
    TRUE,
    Assignment,
    Atom,
    Dim,
    End,
    Formula,
    Kind,
    all_of,
    any_of,
    as_dim,
    at_least,
    at_most,
    equal,
    evaluate,
    negate,
    of_atom,
    substitute,
)
from shapesmt.prover.algebra.growth import monotone
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain
from shapesmt.prover.regions import NOWHERE, conjunct_of, readable
from shapesmt.tasks.memory.least import least_input
from shapesmt.tasks.memory.points import Point
from shapesmt.tasks.memory.redundant import Samples, beneath, follows
from shapesmt.tasks.memory.safe import safe_conditions

ASKS = 32  # questions to the solver whether conditions follow from others; a limit in seconds would make texts vary
FARTHEST = 1 << 40  # largest value that is tried of an unbounded size
UNFOLLOWED = (Kind.OPEN, Kind.LOST)


class Fit(NamedTuple):
    """The inputs that satisfy a limit, as conditions and as text.

    If `exact`, the text is proven to hold for these inputs and no others; otherwise it is sufficient. An empty `text`
    means every input of the domain.
    """

    conditions: tuple[Formula, ...]
    text: tuple[str, ...]
    exact: bool

    @property
    def universal(self) -> bool:
        """Whether the conditions depend on data or on the iteration of a loop."""
        return any(s.universal for condition in self.conditions for s in condition.symbols)


def fit_limit(points: Sequence[Point], limit: int, domain: Domain, judge: Judge) -> Fit:
    """Return the inputs at which every point holds at most `limit` bytes, without limits that follow from others."""
    deciding = _deciding([p for p in points if p.bytes.hi > limit], limit, domain, judge)
    few = [c for c in deciding if len(c.symbols) < 2 or (c.symbols and domain.points(c.symbols) is not None)]
    region = judge.region(domain, all_of(*few))
    other = [c for c in deciding if c not in few]
    if region.conjuncts == (NOWHERE,):
        return Fit(tuple(deciding), region.text, region.exact)
    of_inputs = [c for c in other if all(s.kind in (Kind.INPUT, Kind.VALUE) for s in c.symbols)]
    said = [*filter(readable, map(conjunct_of, of_inputs))]
    text = (*region.text, *map(str, said))
    followed = not any(s.kind in UNFOLLOWED for condition in deciding for s in condition.symbols)
    exact = region.exact and len(said) == len(other)
    if not (exact and followed):
        text, exact = safe_conditions(
            all_of(*deciding), (*region.conjuncts, *said), domain, Judge(judge.deadline, ASKS)
        )
    return Fit(tuple(deciding), text, exact and followed)


def _deciding(points: Sequence[Point], limit: int, domain: Domain, judge: Judge) -> list[Formula]:
    """Return each point's condition `bytes <= limit`, except conditions that are shown to follow from others."""
    quick = Judge(judge.deadline, ASKS)
    samples = Samples(domain, {s for p in points for s in p.bytes.symbols})
    kept: list[tuple[Point, Formula]] = []
    inside = domain.copy()
    for point in points:
        condition = _limit_condition(point, limit)
        others = [p.bytes for p, _ in kept if p.runs in (TRUE, point.runs)]
        if not samples.shows([c for _, c in kept], condition) and (
            quick.deadline.attempt(partial(_follows_from, point.bytes, others, limit), otherwise=False)
            or quick.proves(inside, condition)
        ):
            continue
        kept.append((point, condition))
        inside.assume(condition)
    return [condition for _, condition in kept]


def _follows_from(bytes_: Dim, others: Sequence[Dim], limit: int) -> bool:
    """Whether `bytes_ <= limit` is shown to follow from the same limit on one or two of the other formulas."""
    if any(beneath(bytes_, other, limit) for other in others):
        return True
    return any(follows(bytes_, *pair, limit) for pair in combinations_with_replacement(others, 2))


def highest(size: Dim, fit: Fit, domain: Domain, judge: Judge) -> End | None:
    """Return the maximum of `size` over the inputs that satisfy `fit`, with a witness; None if no input does."""
    involved = frozenset[Atom]().union(size.symbols, *(c.symbols for c in fit.conditions))
    first = least_input(domain, domain.closure(involved)[0], judge) if all(map(_falls, fit.conditions)) else None
    if first is not None:
        if not _holds(fit.conditions, first):
            return None
        farthest = _farthest(size, fit.conditions, domain, judge, first)
        if farthest is not None:
            return farthest
    inside = domain.copy()
    inside.assume(all_of(*fit.conditions))
    if not judge.satisfiable(inside):
        return None
    end = judge.extent(inside, size)[1]
    if end.value is None:
        return end
    inside.assume(equal(size, end.value))
    return end._replace(witness=judge.complete(inside, {}))


def largest(size: Dim, condition: Formula, domain: Domain, judge: Judge) -> int | None:
    """Return the maximum of `size` over the inputs that satisfy a condition; None if it has none or it isn't known."""
    end = highest(size, Fit(condition.conjuncts, (), False), domain, judge)
    return end.value if end is not None and end.proven else None


def _farthest(size: Dim, conditions: Sequence[Formula], domain: Domain, judge: Judge, found: Assignment) -> End | None:
    """Return the maximum of a size over the inputs that satisfy the conditions, with a witness; None if unknown.

    The conditions hold at the smallest input, `found`, and at all inputs smaller than one at which they hold. So for
    each size only the smallest input of at least that size is tried.
    """
    high = judge.extent(domain, size)[1].value
    low, last, step = int(evaluate(size, found)), FARTHEST if high is None else high, 1
    while low < last:
        tried = min(low + step, (low + last + 1) // 2)
        beyond = domain.copy()
        beyond.assume(at_least(size, tried))
        point = least_input(beyond, [*found], judge)
        if point is None and judge.satisfiable(beyond):
            return None
        if point is not None and _holds(conditions, point):
            found, low, step = point, int(evaluate(size, point)), 2 * step
        else:
            last = tried - 1
    return None if low == FARTHEST else End(low, judge.complete(domain, found))


def _holds(conditions: Sequence[Formula], point: Assignment) -> bool:
    return all(evaluate(condition, point) for condition in conditions)


def _falls(condition: Formula) -> bool:
    """Whether a condition that holds at some sizes holds at all smaller ones as well."""
    dim = condition.dim
    return condition.op == "ge" and dim is not None and all(monotone(dim, s) in (0, -1) for s in dim.symbols)


def _limit_condition(point: Point, limit: int) -> Formula:
    """Return the condition under which a point holds at most `limit` bytes, or doesn't occur."""
    return any_of(negate(_ever(point)), at_most(point.bytes, limit))


def _ever(point: Point) -> Formula:
    """Return the condition that a point occurs in some iteration: in the first, if the bytes are the same in all."""
    runs = point.runs
    for index in sorted(
        (s for s in runs.symbols - point.bytes.symbols if s.kind is Kind.ITERATION), key=lambda s: s.name
    ):
        (part, *others) = [c for c in runs.conjuncts if index in c.symbols]
        falls = part.op == "ge" and part.dim is not None and index not in (part.dim + of_atom(index)).symbols
        if falls and not others:
            runs = substitute(runs, {index: as_dim(int(index.lo))})
    return runs
