"""Remedy: narrower ranges and relations under which a model that depends on its input is proved to run.

The conditions of the valid region become a `--dim` where ranges can say them, or most of what they say (then a note
says what else runs); relations between sizes become an `--assume`. A remedy is proven: within it some input is left,
and the valid region (where that is exact, which is a proof of its own), else every condition that was reported, holds.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import replace
from math import gcd, lcm

from shapesmt.algebra import (
    NAME,
    TRUE,
    Dim,
    Evaluator,
    Formula,
    Verdict,
    all_of,
    at_least,
    at_most,
    divides,
    equal,
    maximum,
    memo,
    name_text,
    negate,
    of_atom,
    text_name,
)
from shapesmt.deadline import stage
from shapesmt.examine import DEFAULT, Examination, Judge, Problem
from shapesmt.language import LARGEST, Range, parse_formula, parse_range
from shapesmt.lazy import np
from shapesmt.report import Precondition, Remedy, SymbolRange

_REMEDIES: dict[Hashable, Remedy | None] = memo("remedies", {})
MAX_TRIED = 64  # values of a range at which its neighbours are tried, before that is proven
_COMPARED = re.compile(r"[<>=] ([0-9]+)")
_SIMPLE = re.compile(rf"(?:([0-9]+) <= )?({NAME}) (?:% ([0-9]+) == ([0-9]+)|(>=|<=|==) ([0-9]+))")


@stage("what would help")
def remedy(problem: Problem, examination: Examination, judge: Judge, region: Precondition) -> Remedy | None:
    """The remedy for a model that runs for some inputs; None where none is proven before the deadline."""
    if examination.verdict is not Verdict.DEPENDS or not examination.decided or "False" in region.text:
        return None
    if any(int(number) > LARGEST for text in region.text for number in _COMPARED.findall(text)):
        return None  # no size is as large
    return judge.deadline.attempt(lambda: _known(problem, examination, judge, region), None)


def _known(problem: Problem, examination: Examination, judge: Judge, region: Precondition) -> Remedy | None:
    """The remedy, sought once for equal conditions on equal inputs."""
    conditions, elements = [j.condition for j in examination.judgements], _elements(problem)
    inputs = *problem.dims.items(), *problem.ranges.items(), elements
    about = (region, *conditions, examination.domain.key, *inputs)
    return judge.once(
        _REMEDIES, examination.admissible(problem), about, lambda *_: _remedy(problem, examination, judge, region)
    )


def _elements(problem: Problem) -> frozenset[str]:
    """The names of the elements of small inputs."""
    return frozenset(name for small in problem.small.values() for name in small.names)


def _remedy(problem: Problem, examination: Examination, judge: Judge, region: Precondition) -> Remedy | None:
    conditions, elements = [j.condition for j in examination.judgements], _elements(problem)
    needed = [parse_formula(text, problem.dims) for text in region.text] if region.exact else conditions
    exactly = declared(region.text, problem.ranges, elements)
    left = [parse_formula(text, problem.dims) for text in exactly.assume] if region.exact else conditions
    by_inputs = not any(s.universal for f in left for s in f.symbols)  # sizes that data decides can't be declared
    plain = in_a_box(exactly if region.exact else Remedy({}), left, problem) if by_inputs else None
    if plain is not None and _suffices(plain, needed, problem, examination, judge):
        return replace(plain, note=_note(plain, needed, problem, examination, judge))
    if _suffices(exactly, needed, problem, examination, judge):
        return exactly
    one_input = declared(_at_one_input(problem, examination, judge), problem.ranges, elements)
    return one_input if _suffices(one_input, conditions, problem, examination, judge) else None


def in_a_box(remedy: Remedy, conditions: Sequence[Formula], problem: Problem) -> Remedy | None:
    """A remedy with ranges for further conditions, and those assumed that compare sizes; None where there is no box."""
    if not conditions:
        return None
    from shapesmt.region import Progression, box_of, readable_text, relates

    known = {}
    for name, size in problem.dims.items():
        symbol, r = size.as_symbol(), problem.ranges[name]
        element = any(name in small.names for small in problem.small.values())
        if symbol is not None and symbol.name == name and r.source != "--shape" and not element:
            declared = parse_range(remedy.dims.get(name, Range(r.min, r.max, r.step)))
            known[symbol] = Progression(declared.lo, declared.hi, declared.step)
    said = {c for c in conditions if c.symbols <= known.keys() and not relates(c)}
    found = box_of(said, known) if said else None
    if found is None:
        return None
    narrowed = {s.name: str(Range(*r)) for s, r in found.items() if r != known[s]}
    assumed = tuple([str(c) for c in conditions if c not in said])
    return Remedy({**remedy.dims, **narrowed}, assumed, remedy.values) if all(map(readable_text, assumed)) else None


def declared(
    conditions: Sequence[str], symbols: Mapping[str, SymbolRange], elements: AbstractSet[str] = frozenset()
) -> Remedy:
    """Conditions as ranges where one symbol decides, else as assumptions; `elements` are those of small inputs.

    >>> declared(["height % 16 == 0", "total == past + seq"], {"height": SymbolRange(65, 512)}).to_dict()
    {'dims': {'height': '80..512:16'}, 'assume': ['total == past + seq']}
    """
    ranges: dict[str, Range] = {}
    assumed: list[str] = []
    for condition in conditions:
        name, narrowed = _narrowed(condition, symbols, ranges)
        narrowed = None if narrowed is not None and narrowed.lo < 0 and name not in elements else narrowed
        if narrowed is None:
            assumed.append(condition)
        else:
            ranges[name] = narrowed
    values = {name: _open(interval, symbols[name]) for name, interval in ranges.items() if name in elements}
    dims = {name: str(interval) for name, interval in ranges.items() if name not in elements}
    return Remedy(dims, tuple(assumed), values)


def _open(interval: Range, known: SymbolRange) -> str:
    """A range of an element as text, without the ends that its type has anyway."""
    text = str(interval)
    text = text.removeprefix(str(known.min)) if text.startswith(f"{known.min}..") and known.source == DEFAULT else text
    return text.removesuffix(str(known.max)) if text.endswith(f"..{known.max}") and known.source == DEFAULT else text


def _narrowed(
    condition: str, symbols: Mapping[str, SymbolRange], ranges: Mapping[str, Range]
) -> tuple[str, Range | None]:
    """The symbol that a condition restricts, with its range; None if a range can't express the condition."""
    match = _SIMPLE.fullmatch(condition)
    name = text_name(match[2]) if match else ""
    known = symbols.get(name)
    if match is None or known is None or known.source == "--shape":
        return name, None
    old = ranges.get(name) or Range(known.min, known.max, known.step)
    low, high, step = old.lo, old.hi, old.step
    if match[3]:
        modulus, rest = int(match[3]), int(match[4])
        shared = gcd(step, modulus)
        if rest >= modulus or (rest - low) % shared:
            return name, None
        low += (rest - low) // shared * pow(step // shared, -1, modulus // shared) % (modulus // shared) * step
        step = lcm(step, modulus)
    else:
        least = max(low, int(match[1] or low), int(match[6]) if match[5] != "<=" else low)
        low += max(0, -((low - least) // step)) * step
        if match[5] != ">=":
            high = int(match[6]) if high is None else min(high, int(match[6]))
    if high is not None and low > high:
        return name, None
    return name, Range(low, None if high is None else high - (high - low) % step, step)


def _suffices(
    remedy: Remedy, needed: Sequence[Formula], problem: Problem, examination: Examination, judge: Judge
) -> bool:
    """Whether the remedy admits some input, and the requirements hold for all that it admits."""
    return _holds_within([*_meanings(remedy, problem.dims)], needed, problem, examination, judge)


def _holds_within(
    narrower: Sequence[Formula], needed: Sequence[Formula], problem: Problem, examination: Examination, judge: Judge
) -> bool:
    within = examination.admissible(problem)
    within.assume(all_of(*narrower))
    if judge.deadline.expired or not judge.satisfiable(within):
        return False
    return all(judge.proves(within, formula) for formula in needed)


def _meanings(remedy: Remedy, dims: Mapping[str, Dim]) -> Iterator[Formula]:
    for name, text in (*remedy.dims.items(), *remedy.values.items()):
        ends, _, step = text.partition(":")
        low, between, high = ends.partition("..")
        if low:
            yield at_least(dims[name], int(low)) if between else equal(dims[name], int(low))
        if high:
            yield at_most(dims[name], int(high))
        if step:
            yield divides(int(step), dims[name] - int(low or 0))
    for text in remedy.assume:
        yield parse_formula(text, dims)


def _note(plain: Remedy, needed: Sequence[Formula], problem: Problem, examination: Examination, judge: Judge) -> str:
    """What runs beside the sizes of a box, in words: "up to 7 less also works"."""
    ranges = {name: parse_range(text) for name, text in plain.dims.items()}
    slack = {name: _slack(problem.dims[name], r, needed) for name, r in ranges.items() if r.lo != r.hi}
    slack = {name: around for name, around in slack.items() if any(around)}
    looser = [_loose(problem.dims[name], r, *slack.get(name, (0, 0))) for name, r in ranges.items()]
    looser += [parse_formula(text, problem.dims) for text in plain.assume]
    if slack and not _holds_within(looser, needed, problem, examination, judge):
        return ""
    valid = examination.admissible(problem)
    valid.assume(all_of(*needed))
    valid.assume(negate(all_of(*looser)))
    others = judge.inhabited(valid)
    words = dict.fromkeys(_around(*around) for around in slack.values())
    if len(words) == 1:
        return f"{next(iter(words))} also works" + (", and so do other sizes" if others else "")
    each = ", ".join(f"{name_text(name)} {_around(*around)}" for name, around in slack.items())
    return "; ".join(filter(None, (f"also {each}" if each else "", "other sizes run too" if others else "")))


def _around(less: int, more: int) -> str:
    return " or ".join(f"up to {n} {way}" for n, way in ((less, "less"), (more, "more")) if n)


def _slack(size: Dim, interval: Range, conditions: Sequence[Formula]) -> tuple[int, int]:
    """By how much less and more each value of a range by steps may be, by the conditions on this size alone."""
    symbol = size.as_symbol()
    own = all_of(*(c for c in conditions if c.symbols == {symbol}))
    if symbol is None or interval.step == 1 or own is TRUE:
        return 0, 0

    last = interval.lo + interval.step * MAX_TRIED
    tried = np.arange(interval.lo, min(interval.hi or last, last) + 1, interval.step)

    def runs(away: int) -> bool:
        return bool(np.all(Evaluator({symbol: tried + away}).formula(own)))

    less = next((k for k in range(interval.step) if not runs(-k - 1)), 0)
    return less, next((k for k in range(interval.step - less) if not runs(k + 1)), 0)


def _loose(size: Dim, interval: Range, less: int, more: int) -> Formula:
    """A size is in a range, or so much less or more."""
    steps = at_most((size - (interval.lo - less)) % interval.step, less + more)
    end = TRUE if interval.hi is None else at_most(size, interval.hi + more)
    return all_of(at_least(size, interval.lo - less), steps, end)


def _at_one_input(problem: Problem, examination: Examination, judge: Judge) -> list[str]:
    """One input for which the model runs, with small sizes if possible: a value of each symbol in the conditions."""
    deciding = [s for s in problem.domain.symbols if any(s in j.condition.symbols for j in examination.judgements)]
    sizes = [of_atom(s) for s in deciding]
    if judge.deadline.expired or not sizes:
        return []
    within = examination.domain.copy()
    least = judge.extent(within, maximum(*sizes))[0].value or 0
    within.assume(all_of(*(at_most(d, least) for d in sizes)))
    values = judge.complete(within if judge.satisfiable(within) else examination.domain, {}) or {}
    return [f"{name_text(s.name)} == {values[s]}" for s in deciding if s in values]
