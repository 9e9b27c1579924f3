"""Sizes at which models are run: the ends of ranges first, then random ones, all of them admissible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, product
from math import inf
from random import Random

from shapesmt.analysis.analysis import Analysis
from shapesmt.prover.algebra import Assignment, Atom, Evaluator, all_of, equal, negate, of_atom
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain

FAR = 64  # steps above its minimum up to which an unbounded size is tried
TRIED = 400  # combinations of sizes that `sample` evaluates
LISTED = 24  # sizes of one symbol among which `sample` draws
ALTERNATIVES = 8  # ways in which a fact can hold, of which each is tried
SOLVED = 4  # points that `sample` asks a solver for, if evaluation finds too few


def assignments(a: Analysis) -> Iterator[Assignment]:
    """Yield admissible sizes: the corners of the ranges, as far as relations admit them, then random sizes.

    It ends at the deadline, or when there are no symbols to draw sizes for.
    """
    domain, random = a.problem.domain, Random(0)  # noqa: S311 - repeatable
    free = [s for s in domain.symbols if not s.universal]
    ends = [_ends(domain, s) for s in free]
    corners = product(*(dict.fromkeys(pair) for pair in ends))
    drawn = ([random.randint(low, high) for low, high in ends] for _ in iter(int, 1))
    for wanted in chain(corners, drawn if free else ()):
        point = _near(domain, a.judge, free, wanted)
        if a.judge.deadline.expired:
            return
        if point is not None:
            yield point


def sample(domain: Domain, judge: Judge, count: int) -> list[Assignment]:
    """Return up to `count` points of a domain, its smallest first; all of them if it has few.

    Facts about sizes that depend on data are ignored.
    """
    first = judge.complete(domain, {})
    if first is None:
        return []
    random = Random(0)  # noqa: S311 - repeatable
    free = [s for s in domain.symbols if not s.universal]
    axes = [_values(domain, s, first[s], random) for s in free]
    lines = [[n if s is t else first[t] for t in free] for s, axis in zip(free, axes, strict=True) for n in axis]
    corners = islice(product(*(dict.fromkeys((axis[0], axis[-1])) for axis in axes)), TRIED)
    drawn = ([random.choice(axis) for axis in axes] for _ in range(TRIED))
    found = {_key(free, first): first}
    for wanted in chain(random.sample(lines, len(lines)), corners, drawn):
        point = {**first, **dict(zip(free, wanted, strict=True))}
        facts = (f for f in domain.facts if f.symbols <= point.keys())
        if len(found) < 8 * count and all(map(Evaluator(point).formula, facts)):
            found[_key(free, point)] = point
    for _ in range(SOLVED if len(found) < count and domain.relations else 0):
        solved = _near(domain, judge, free, [random.choice(axis) for axis in axes])
        found.update({} if solved is None else {_key(free, solved): solved})
    telling = [first, *_alternatives(domain, judge)]
    others = random.sample([*found.values()], min(count, len(found)))
    every = {_key(free, point): point for point in (*telling, *others)}
    return [*every.values()][:count]


def _alternatives(domain: Domain, judge: Judge) -> Iterator[Assignment]:
    """Yield a point for each way in which a fact can hold: of `n <= 2 or n == 199`, one for each side alone."""
    for fact in domain.facts:
        failing = negate(fact).conjuncts
        for way in failing if 1 < len(failing) <= ALTERNATIVES else ():
            trial = domain.copy()
            trial.assume(all_of(negate(way), *(other for other in failing if other is not way)))
            point = judge.complete(trial, {}) if judge.is_inhabited(trial) else None
            if point is not None:
                yield point


def _key(symbols: list[Atom], point: Assignment) -> tuple[int, ...]:
    return tuple(point[s] for s in symbols)


def _values(domain: Domain, s: Atom, first: int, random: Random) -> list[int]:
    """Return sizes of a symbol in ascending order: `first`, its ends, and others between them."""
    listed = domain.values(s)
    low, high = _ends(domain, s)
    every = range(low, high + 1, s.step) if listed is None else [int(n) for n in listed]
    some = every if len(every) <= LISTED else random.sample(every, LISTED)
    return sorted({first, *every[:1], *every[1:2], *every[-1:], *some})


def _ends(domain: Domain, s: Atom) -> tuple[int, int]:
    low, high = domain.ends(s)
    low = 0 if low == -inf else int(low)
    return low, low + FAR * s.step if high == inf else int(high)


def _near(domain: Domain, judge: Judge, symbols: list[Atom], wanted: Iterable[int]) -> Assignment | None:
    """Return admissible sizes; each symbol in turn gets its wanted value if that is admissible with the earlier ones.

    None if no sizes are found before the deadline.
    """
    domain = domain.copy()
    for s, value in zip(symbols, wanted, strict=True):
        trial = domain.copy()
        trial.assume(equal(of_atom(s), value))
        if (value - int(max(s.lo, 0))) % s.step == 0 and judge.satisfiable(trial):
            domain = trial
    return judge.complete(domain, {})
