"""Boxes: split the valid inputs at the size with the widest range; each part has three points of its own.

>>> from shapesmt.algebra import symbol
>>> from shapesmt.deadline import Deadline
>>> seq = symbol("seq", 1, 1024)
>>> parts = split(Domain([seq.as_symbol()]), [seq], Judge(Deadline(None)), 2)
>>> [(part.lows, part.highs) for part in parts]
[([1], [32]), ([33], [1024])]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from shapesmt.algebra import Dim, at_least, at_most
from shapesmt.examine import Judge
from shapesmt.presolve import Domain
from shapesmt.profiles.points import Points


def split(domain: Domain, sizes: Sequence[Dim], judge: Judge, number: int) -> list[Points]:
    """Split the domain into at most `number` parts; the part with the widest range is halved next."""
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
    """Return the ratio of the maximum of a size to its minimum; 1 if its range can't be split."""
    low, high = part.lows[place], part.highs[place]
    cut = high is not None and high != low and len(part.sizes[place].symbols) == 1
    return ((high or 0) + 1) / max(low, 1) if cut else 1
