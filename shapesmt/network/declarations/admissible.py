"""The inputs for which a written model is valid, as its metadata state them: `n=1..8; total == past + seq`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import gcd, lcm
from typing import NamedTuple

from shapesmt.base.errors import ModelError
from shapesmt.network.declarations.ranges import Range

ADMISSIBLE = "shapesmt.admissible"
"""The key of this entry in the metadata."""
_ENTRIES = re.compile(r"(?:`[^`]*`|[^;`])+")
_RANGE = re.compile(r"\s*(`[^`]+`|[^`<>=!]+?)\s*=\s*(-?\d{1,19})(?:(\.\.)(-?\d{1,19})?(?::(\d{1,19}))?)?\s*")
_PLAIN = re.compile(r"[^`<>=!;\s]+")


class Admissible(NamedTuple):
    """The ranges of sizes and elements by name, and relations between them."""

    ranges: Mapping[str, Range]
    relations: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "; ".join([*(f"{_quote_name(name)}={r}" for name, r in self.ranges.items()), *self.relations])


def _quote_name(name: str) -> str:
    """Write a name so that `parse_admissible` can read it."""
    return name if _PLAIN.fullmatch(name) else f"`{name.replace('`', '')}`"


def parse_admissible(text: str) -> Admissible:
    """Parse the ranges and relations of a text written by `str`.

    >>> parse_admissible("n=2..8:2; `Batch Size`=1..; m == n").ranges["n"]
    Range(lo=2, hi=8, step=2)
    """
    ranges: dict[str, Range] = {}
    relations = []
    for entry in _ENTRIES.findall(text):
        match = _RANGE.fullmatch(entry)
        if match is None:
            relations += [entry.strip()] if entry.strip() else []
            continue
        low = int(match[2])
        high = int(match[4]) if match[4] else None if match[3] else low
        ranges[match[1].strip("`")] = Range(low, high, int(match[5] or 1))
    return Admissible(ranges, tuple(dict.fromkeys(relations)))


def both(one: Admissible, other: Admissible) -> Admissible:
    """Return the conjunction of two models' admissible inputs: intersected ranges, and the relations of both.

    >>> str(both(parse_admissible("n=1..64:3; m == n"), parse_admissible("n=2..20:2; k=4")))
    'n=4..16:6; k=4; m == n'

    Raises:
        ModelError: Two ranges of the same name have no number in common.
    """
    ranges = {**one.ranges}
    for name, r in other.ranges.items():
        ranges[name] = _common(name, ranges[name], r) if name in ranges else r
    return Admissible(ranges, tuple(dict.fromkeys((*one.relations, *other.relations))))


def _common(name: str, one: Range, other: Range) -> Range:
    """Return the intersection of two ranges of `name`: `1..64:3` and `2..20:2` give `4..16:6`."""
    step, shared = lcm(one.step, other.step), gcd(one.step, other.step)
    away, left = divmod(other.lo - one.lo, shared)
    apart = other.step // shared
    first = one.lo + (away * pow(one.step // shared, -1, apart) % apart) * one.step
    first += max(0, -((first - max(one.lo, other.lo)) // step)) * step
    ends = [r.hi for r in (one, other) if r.hi is not None]
    if left or (ends and first > min(ends)):
        raise ModelError(f"no {name} is both in {other} and in {one}, for which the file's metadata say it was written")
    last = min(ends) - (min(ends) - first) % step if ends else None
    return Range(first, last, 1 if first == last else step)
