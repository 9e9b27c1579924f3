"""Points: the minimum, usual and maximum input of a domain, for a compiler that takes sizes as a box.

A corner of the box of all sizes need not be valid: if `past + seq <= 100`, the maximum of `past` and that of `seq`
exclude each other. The point is then one at which all sizes are at the same fraction of their range.

    >>> from shapesmt.prover.algebra import at_least, symbol
    >>> past, seq = symbol("past", 1, 99), symbol("seq", 1, 99)
    >>> domain = Domain([past, seq], [at_least(100, past + seq)])
    >>> three = Points(domain, [past, seq], Judge()).three()
    >>> three.least, three.usual, three.greatest
    ((1, 1), (7, 7), (50, 50))
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import NamedTuple, TypeAlias

from shapesmt.base.errors import OutOfTimeError, UsageError
from shapesmt.prover.algebra import (
    Assignment,
    Dim,
    Evaluator,
    Formula,
    absolute,
    all_of,
    at_least,
    at_most,
    equal,
    evaluate,
    negate,
)
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain

PARTS = 1 << 20  # a fraction of a range is a multiple of 1/PARTS

Sizes: TypeAlias = tuple[int, ...]
OpenSizes: TypeAlias = tuple[int | None, ...]


class Three(NamedTuple):
    """The sizes at the three points, and the inputs themselves.

    Attributes:
        least, usual, greatest: The sizes at each point; None in `greatest` for an unbounded size.
        inputs: The inputs at the points; None for the greatest if a size is unbounded.
        left_out: A valid input outside the box; None if none is known.
    """

    least: Sizes
    usual: Sizes
    greatest: OpenSizes
    inputs: tuple[Assignment, Assignment, Assignment | None]
    left_out: Assignment | None


class Points:
    """Finds the minimum, usual and maximum input of a domain for the given sizes."""

    def __init__(self, domain: Domain, sizes: Sequence[Dim], judge: Judge) -> None:
        self.domain, self.sizes, self._judge = domain, sizes, judge
        ends = [judge.extent(domain, size) for size in sizes]
        self.lows = [low.value or 0 for low, _ in ends]
        self.highs = [high.value for _, high in ends]

    def valid(self, facts: Sequence[Formula]) -> Assignment | None:
        """Return an input of the domain for which `facts` hold as well; None if none is known."""
        within = self.domain.copy()
        within.assume(all_of(*facts))
        if not self._judge.satisfiable(within):
            return None
        values = self._judge.complete(within, {})
        if values is None:
            return None
        known = [f for f in (*self.domain.facts, *facts) if f.symbols <= values.keys()]
        return values if all(map(Evaluator(values).formula, known)) else None

    def three(self, wanted: Sequence[Formula] = ()) -> Three:
        """Return the minimum, usual and maximum point; the usual one satisfies `wanted`.

        Within that, each usual size in turn is as near as possible to the geometric mean of its minimum and maximum.

        Raises:
            OutOfTimeError: A point isn't found in time.
            UsageError: No valid input between minimum and maximum satisfies `wanted`.
        """
        least, first = self._end([])
        above = [at_least(size, low) for size, low in zip(self.sizes, first, strict=True)]
        greatest, last = self._end(above, upwards=True)
        tops = [(s, high) for s, high, end in zip(self.sizes, last, self.highs, strict=True) if end is not None]
        inside = [*above, *(at_most(size, high) for size, high in tops)]
        ends = [high if high is not None else low for low, high in zip(first, self.highs, strict=True)]
        if wanted and self.valid([*inside, *wanted]) is None:
            text = ", ".join(f"{size} in {lo}..{hi}" for size, lo, hi in zip(self.sizes, first, last, strict=True))
            raise UsageError(f"the sizes that opt gives lie outside the profile, which has {text}")
        middle, usual = self._usual([*inside, *wanted], first, [min(e, t) for e, t in zip(ends, last, strict=True)])
        closed = all(high is not None for high in self.highs)
        tallest = tuple(None if end is None else high for end, high in zip(self.highs, last, strict=True))
        return Three(first, usual, tallest, (least, middle, greatest if closed else None), self._outside(inside))

    def _outside(self, inside: Sequence[Formula]) -> Assignment | None:
        """Return an input of the domain that violates `inside`; None if none is known."""
        if self._judge.proves(self.domain, all_of(*inside)):
            return None
        return self.valid([negate(all_of(*inside))])

    def _at(self, values: Assignment) -> Sizes:
        return tuple([int(evaluate(size, values)) for size in self.sizes])

    def _end(self, facts: list[Formula], *, upwards: bool = False) -> tuple[Assignment, Sizes]:
        """Return the input with all sizes minimal (or maximal), or `_balance`'s if it isn't valid, and its sizes."""
        ends = zip(self.sizes, self.highs if upwards else self.lows, strict=True)
        corner = [equal(size, end) for size, end in ends if end is not None]
        found = self.valid([*facts, *corner]) or self._balance(facts, upwards=upwards)
        return found, self._at(found)

    def _balance(self, facts: list[Formula], *, upwards: bool) -> Assignment:
        """Return a valid input near the maximum (`upwards`) or minimum of all sizes.

        First all sizes move the same fraction of their range, as far as the facts allow. Then each in turn moves on
        alone. Unbounded sizes don't take part in the first step.
        """
        found, parts = self._satisfy(facts), 0
        low, high = 0, PARTS
        while low < high:
            parts = (low + high + 1) // 2
            further = self.valid([*facts, *self._beyond(parts, upwards=upwards)])
            found, low, high = (found, low, parts - 1) if further is None else (further, parts, high)
        facts = [*facts, *self._beyond(low, upwards=upwards)]
        for size, end in zip(self.sizes, self.highs, strict=True):
            if upwards and end is None:
                continue
            within = self.domain.copy()
            within.assume(all_of(*facts))
            best = self._judge.extent(within, size)[upwards].value
            further = None if best is None else self.valid([*facts, equal(size, best)])
            found = found if further is None else further
            facts.append(equal(size, int(evaluate(size, found))))
        return found

    def _beyond(self, parts: int, *, upwards: bool) -> list[Formula]:
        """Return the facts that put every size at least `parts` of its range (in 1/PARTS) away from the other bound."""
        ranges = [(s, lo, hi) for s, lo, hi in zip(self.sizes, self.lows, self.highs, strict=True) if hi is not None]
        if upwards:
            return [at_least(s, lo + parts * (hi - lo) // PARTS) for s, lo, hi in ranges]
        return [at_most(s, hi - parts * (hi - lo) // PARTS) for s, lo, hi in ranges]

    def _usual(self, facts: list[Formula], least: Sizes, greatest: Sequence[int]) -> tuple[Assignment, Sizes]:
        """Return a valid input and its sizes, each in turn as near as possible to the geometric mean of its bounds."""
        found = self._satisfy(facts)
        for size, low, high in zip(self.sizes, least, greatest, strict=True):
            middle = (low + high) // 2 if low < 0 else isqrt(max(low, 1) * high)
            within = self.domain.copy()
            within.assume(all_of(*facts))
            distance = self._judge.extent(within, absolute(size - middle))[0].value
            nearer = None if distance is None else self.valid([*facts, equal(absolute(size - middle), distance)])
            found = found if nearer is None else nearer
            facts.append(equal(size, int(evaluate(size, found))))
        return found, self._at(found)

    def _satisfy(self, facts: Sequence[Formula]) -> Assignment:
        found = self.valid(facts)
        if found is None:
            raise OutOfTimeError("no valid input is known for a profile in the time given; a longer --timeout may do")
        return found


def split(domain: Domain, sizes: Sequence[Dim], judge: Judge, number: int) -> list[Points]:
    """Split the domain into at most `number` parts, each time halving the part with the widest range of a size.

    >>> from shapesmt.prover.algebra import symbol
    >>> seq = symbol("seq", 1, 1024)
    >>> parts = split(Domain([seq]), [seq], Judge(), 2)
    >>> [(part.lows, part.highs) for part in parts]
    [([1], [32]), ([33], [1024])]
    """
    parts = [Points(domain, sizes, judge)]
    while len(parts) < number:
        widest = max(parts, key=_width)
        if _width(widest) <= 1:
            break
        place = parts.index(widest)
        parts[place : place + 1] = _halves(widest, judge)
    return parts


def _halves(part: Points, judge: Judge) -> list[Points]:
    """Return the parts below and above the geometric middle of the widest range."""
    place = max(range(len(part.sizes)), key=lambda i: _ratio(part, i))
    low, high = part.lows[place], part.highs[place] or 0
    middle = (low + high) // 2 if low < 0 else min(isqrt(max(low, 1) * high), high - 1)
    halves = []
    for fact in (at_most(part.sizes[place], middle), at_least(part.sizes[place], middle + 1)):
        within = part.domain.copy()
        within.assume(fact)
        halves.append(Points(within, part.sizes, judge))
    return halves


def _width(part: Points) -> float:
    return max((_ratio(part, i) for i in range(len(part.sizes))), default=1)


def _ratio(part: Points, place: int) -> float:
    """Return (maximum + 1) / minimum of size number `place`; 1 if its range can't be split."""
    low, high = part.lows[place], part.highs[place]
    cut = high is not None and high != low and len(part.sizes[place].symbols) == 1
    return ((high or 0) + 1) / max(low, 1) if cut else 1
