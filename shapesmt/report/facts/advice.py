"""Facts about what an answer leaves out, and about what runs beside a remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from shapesmt.report.finding import SymbolRange


class Hints(NamedTuple):
    """Cases that an answer leaves out; names come with the ranges that leave them out.

    Attributes:
        missing: The data that the file lacks, as a sentence; "" if it lacks none.
        caches: Lengths of a decoder's cache that start at 1, which leaves out its first step.
        from_two: Dimensions that start at 2 in the file's metadata.
        one_value: Dimensions that have one value there.
        by_version: Operators that other versions of the runtime run differently.
        version: The version that is followed.
    """

    missing: str
    caches: tuple[str, ...]
    from_two: Mapping[str, SymbolRange]
    one_value: Mapping[str, SymbolRange]
    by_version: tuple[str, ...]
    version: tuple[int, ...]


class Nearby(NamedTuple):
    """By how much each size of a remedy may be less and more, and whether sizes further away run too."""

    slack: Mapping[str, tuple[int, int]]
    others: bool
