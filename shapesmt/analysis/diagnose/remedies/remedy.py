"""Remedy: narrower ranges and relations under which a model that depends on its input is proven to run.

The conditions of the valid region become `--dim` options if ranges can state them or most of them; in the latter case a
note names other sizes that run. Relations between sizes become `--assume`. A remedy is proven: it admits some input,
and for all that it admits, the conditions of an exact valid region hold, or else every reported condition. It leaves
out inputs that warnings are about, if there are others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from math import gcd, lcm
from typing import NamedTuple

from shapesmt.analysis.diagnose.remedies.doubt import doubt_of
from shapesmt.analysis.diagnose.remedies.goal import Goal, broadcast_of, decided_where, goal_of, meant_inputs
from shapesmt.analysis.verify import DEFAULT, Examined, Problem
from shapesmt.base.deadline import stage
from shapesmt.network.declarations import LARGEST, Range
from shapesmt.prover.algebra import (
    TRUE,
    Dim,
    Formula,
    Verdict,
    all_of,
    at_least,
    at_most,
    divides,
    maximum,
    memo,
    negate,
    numbers,
    of_atom,
)
from shapesmt.prover.regions import Conjunct, Interval, Residue, conjunct_of
from shapesmt.reports.answers import Precondition, Remedy, SymbolRange, altered, facts

NOTHING = facts.Nearby({}, False)
NOT_GIVEN = (DEFAULT, "default", "model", "metadata")  # sources of ranges that the caller did not give
_REMEDIES: dict[Hashable, Remedy | None] = memo("remedies", {})


@stage("what would help")
def find_remedy(a: Examined, region: Precondition) -> Remedy | None:
    """Return the remedy for a model that runs for some inputs; None if none is proven before the deadline."""
    if a.examination.verdict not in (Verdict.DEPENDS, Verdict.UNKNOWN) or region.nowhere:
        return None
    if not a.examination.decided and not decided_where(a):
        return None
    if any(number > LARGEST for said in region.conjuncts for number in numbers(said.formula)):
        return None  # no declared size may be that large
    return a.judge.deadline.attempt(lambda: _cached_remedy(a, region), None)


def _cached_remedy(a: Examined, region: Precondition) -> Remedy | None:
    """Return the remedy, computed once for equal conditions on equal inputs; None if none is proven."""
    conditions, elements = [j.condition for j in a.examination.judgements], _elements(a.problem)
    inputs, meant = (*a.problem.dims.items(), *a.problem.ranges.items(), elements), meant_inputs(a)
    about = (region, meant.condition, *conditions, *(decided_where(a) or ()), a.examination.domain.key, *inputs)
    return a.judge.once(_REMEDIES, a.admissible(), about, lambda *_: _remedy(a, region, goal_of(a, region, meant)))


def _elements(problem: Problem) -> frozenset[str]:
    """Return the names of the elements of small inputs."""
    return frozenset(name for small in problem.small.values() for name in small.names)


def _remedy(a: Examined, region: Precondition, goal: Goal) -> Remedy | None:
    found = _narrowed(a, goal)
    if found is None:
        return None
    (narrowed, beside), ranges = found, a.problem.ranges
    assumed = [said.formula for said in narrowed.assumed]
    exact = goal.exact or bool(region.data)
    doubt = doubt_of(narrowed.ranges, assumed, a, every=goal.meant.condition is TRUE, exact=exact)
    if doubt is None and any(ranges[name].source not in NOT_GIVEN for name in narrowed.ranges):
        beside = beside._replace(narrowed=True)
    if doubt is not None and doubt.single and doubt.share is None:  # it says that one value is left
        beside = beside._replace(others=False)
    beside = beside._replace(broadcast=broadcast_of(a, region, goal))
    note, doubted = "" if beside == NOTHING else beside, "" if doubt is None else doubt
    return altered(narrowed.remedy(ranges, _elements(a.problem)), note=note, doubt=doubted)


def _narrowed(a: Examined, goal: Goal) -> tuple[Narrowed, facts.Nearby] | None:
    """Return the ranges and relations of the remedy, and the sizes beside them that run."""
    problem, elements = a.problem, _elements(a.problem)
    exactly = as_declarations(goal.said, problem.ranges, elements)
    start = exactly if goal.exact else Narrowed({}, goal.needed)
    by_inputs = not any(s.universal for c in start.assumed for s in c.formula.symbols)  # data can't be declared
    plain = in_a_box(start, problem, elements) if by_inputs else None
    if plain is not None and _suffices(plain, goal, a):
        return plain, _note(plain, goal, a)
    if _suffices(exactly, goal, a):
        return exactly, NOTHING
    one_input = as_declarations(_at_one_input(a, goal.meant.condition), problem.ranges, elements)
    conditions = [*(j.condition for j in a.examination.judgements), *goal.meant.condition.conjuncts]
    goal = goal._replace(needed=tuple(map(conjunct_of, conditions)))
    return (one_input, NOTHING) if _suffices(one_input, goal, a) else None


class Narrowed(NamedTuple):
    """Narrower ranges by the names of their sizes, and additional assumptions."""

    ranges: Mapping[str, Range]
    assumed: tuple[Conjunct, ...]

    def formulas(self, dims: Mapping[str, Dim]) -> Iterator[Formula]:
        """Yield the ranges and assumptions as conditions."""
        for name, r in self.ranges.items():
            yield at_least(dims[name], r.lo)
            yield TRUE if r.hi is None else at_most(dims[name], r.hi)
            yield divides(r.step, dims[name] - r.lo)
        yield from (said.formula for said in self.assumed)

    def remedy(self, symbols: Mapping[str, SymbolRange], elements: AbstractSet[str] = frozenset()) -> Remedy:
        """Return the ranges and assumptions as text; `elements` are the names of the elements of small inputs."""
        values = {name: _open(r, symbols[name]) for name, r in self.ranges.items() if name in elements}
        dims = {name: str(r) for name, r in self.ranges.items() if name not in elements}
        return Remedy(dims, tuple(map(str, self.assumed)), values)


def in_a_box(narrowed: Narrowed, problem: Problem, elements: AbstractSet[str]) -> Narrowed | None:
    """Replace assumptions by ranges, except those that compare sizes; None if there is no box."""
    if not narrowed.assumed:
        return None
    from shapesmt.prover.regions import Progression, box_of, readable, relates

    known = {}
    for name, size in problem.dims.items():
        symbol, r = size.as_symbol(), problem.ranges[name]
        if symbol is not None and symbol.name == name and r.source != "--shape" and name not in elements:
            now = narrowed.ranges.get(name) or Range(r.min, r.max, r.step)
            known[symbol] = Progression(now.lo, now.hi, now.step)
    said = {c.formula for c in narrowed.assumed if c.formula.symbols <= known.keys() and not relates(c.formula)}
    found = box_of(said, known) if said else None
    if found is None:
        return None
    ranges = {s.name: Range(*r) for s, r in found.items() if r != known[s]}
    assumed = tuple([c for c in narrowed.assumed if c.formula not in said])
    return Narrowed({**narrowed.ranges, **ranges}, assumed) if all(map(readable, assumed)) else None


def as_declarations(
    conjuncts: Iterable[Conjunct], symbols: Mapping[str, SymbolRange], elements: AbstractSet[str] = frozenset()
) -> Narrowed:
    """Return conjuncts on one symbol as ranges if possible, others as assumptions; `elements` as in `remedy`."""
    ranges: dict[str, Range] = {}
    assumed: list[Conjunct] = []
    for said in conjuncts:
        match said:
            case Interval(symbol=s) | Residue(symbol=s) if s.name in symbols and symbols[s.name].source != "--shape":
                known = symbols[s.name]
                narrowed = _narrow(said, ranges.get(s.name) or Range(known.min, known.max, known.step))
                if narrowed is not None and (narrowed.lo >= 0 or s.name in elements):
                    ranges[s.name] = narrowed
                    continue
        assumed.append(said)
    return Narrowed(ranges, tuple(assumed))


def _open(interval: Range, known: SymbolRange) -> str:
    """Return the range of an element as text, without the bounds of its type."""
    if interval.lo == interval.hi or known.source != DEFAULT:
        return str(interval)
    low, high = ("" if end == of_type else end for end, of_type in ((interval.lo, known.min), (interval.hi, known.max)))
    return f"{low}..{high}" + (f":{interval.step}" if interval.step > 1 else "")


def _narrow(said: Interval | Residue, old: Range) -> Range | None:
    """Return the part of a range in which a conjunct holds; None if a range can't express that, or it is empty."""
    low, high, step = old.lo, old.hi, old.step
    match said:
        case Residue(modulus=modulus, rests=(rest,)):
            shared = gcd(step, modulus)
            if (rest - low) % shared:
                return None
            low += (rest - low) // shared * pow(step // shared, -1, modulus // shared) % (modulus // shared) * step
            step = lcm(step, modulus)
        case Interval(lo=lo, hi=hi):
            low += max(0, -((low - (low if lo is None else lo)) // step)) * step
            high = high if hi is None else hi if high is None else min(high, hi)
        case _:
            return None
    if high is not None and low > high:
        return None
    last = None if high is None else high - (high - low) % step
    return Range(low, last, 1 if low == last else step)


def _suffices(narrowed: Narrowed, goal: Goal, a: Examined) -> bool:
    """Whether a remedy is proven to admit some input, and the conditions to hold for all that it admits."""
    return _holds_within([*narrowed.formulas(a.problem.dims)], goal, a)


def _holds_within(narrower: Sequence[Formula], goal: Goal, a: Examined) -> bool:
    within = a.admissible()
    within.assume(all_of(*narrower))
    if a.judge.deadline.expired or not (goal.meant.holds_at(narrower) or a.judge.satisfiable(within)):
        return False
    return all(a.judge.proves(within, said.formula) for said in goal.needed)


def _note(plain: Narrowed, goal: Goal, a: Examined) -> facts.Nearby:
    """Return the sizes outside a box that run too, as far as they are proven."""
    boxed = {name: r for name, r in plain.ranges.items() if name not in _elements(a.problem)}
    slack = {name: around for name, r in boxed.items() if any(around := _slack(name, r, goal.needed))}
    looser = [_loose(a.problem.dims[name], r, *slack.get(name, (0, 0))) for name, r in boxed.items()]
    looser += [said.formula for said in plain.assumed]
    if slack and not _holds_within(looser, goal, a):
        return NOTHING
    needed = [said.formula for said in goal.needed]
    others = any(_runs_beyond(part, needed, a) for f in looser for part in f.conjuncts if part not in needed)
    return facts.Nearby(slack, others)


def _runs_beyond(part: Formula, needed: Sequence[Formula], a: Examined) -> bool:
    """Whether an input is known for which the conditions hold, and a part of a box doesn't."""
    beyond = a.admissible()
    beyond.assume(all_of(*needed, negate(part)))
    return a.judge.is_inhabited(beyond)


def _slack(name: str, r: Range, said: Iterable[Conjunct]) -> tuple[int, int]:
    """Return by how much each value of a range may be less and more without violating a residue; (0, 0) if unknown."""
    for c in said:
        match c:
            case Residue(s, m, rests) if s.name == name and r.step % m == 0 and r.lo != r.hi:
                less = next(k for k in range(m) if (r.lo - k - 1) % m not in rests)
                return less, next(k for k in range(m) if (r.lo + k + 1) % m not in rests)
    return 0, 0


def _loose(size: Dim, interval: Range, less: int, more: int) -> Formula:
    """State that a size is at most `less` below or `more` above a value of a range."""
    steps = at_most((size - (interval.lo - less)) % interval.step, less + more)
    end = TRUE if interval.hi is None else at_most(size, interval.hi + more)
    return all_of(at_least(size, interval.lo - less), steps, end)


def _at_one_input(a: Examined, meant: Formula) -> list[Conjunct]:
    """Return a valid input, with small sizes if possible: a value of each symbol in the conditions; [] if none."""
    examination, judge = a.examination, a.judge
    conditions = (*(j.condition for j in examination.judgements), meant)
    deciding = [s for s in a.problem.domain.symbols if any(s in condition.symbols for condition in conditions)]
    sizes = [of_atom(s) for s in deciding]
    if judge.deadline.expired or not sizes:
        return []
    valid = examination.domain.copy()
    valid.assume(meant)
    within = valid.copy()
    least = judge.extent(within, maximum(*sizes))[0].value or 0
    within.assume(all_of(*(at_most(d, least) for d in sizes)))
    values = judge.complete(within if judge.satisfiable(within) else valid, {}) or {}
    return [Interval(s, values[s], values[s]) for s in deciding if s in values]
