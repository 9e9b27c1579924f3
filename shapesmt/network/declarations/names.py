"""Detect misspelt names, which differ from a known one by a single slip."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

_SHORTEST = 4  # letters; in a shorter name a slip likely makes another name


def misspelt(name: str, known: Iterable[str]) -> bool:
    """Whether a name differs from a known one only in capitals, hyphens, one letter or two swapped letters.

    A different first or last letter, digit, or whole word between underscores makes another name.

    >>> misspelt("hieght", ["batch", "height"]), misspelt("Batch-Size", ["batch_size"])
    (True, True)
    >>> misspelt("seq_q_len", ["seq_k_len"]), misspelt("past_1", ["past_2"]), misspelt("token", ["tokens"])
    (False, False, False)
    """
    return any(_fold_name(name) == _fold_name(other) or _one_slip(name, other) for other in known)


def _fold_name(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def _one_slip(name: str, other: str) -> bool:
    if abs(len(name) - len(other)) > 1 or min(len(name), len(other)) < _SHORTEST:
        return False
    start = _common(name, other)
    end = _common(name[start:][::-1], other[start:][::-1])
    ours, theirs = name[start : len(name) - end], other[start : len(other) - end]
    if any(c.isdigit() for c in ours + theirs):
        return False
    if len(ours) == len(theirs) == len("ab"):
        return ours == theirs[::-1]
    inside = start > 0 and end > 0 and not name[start - 1] == "_" == name[len(name) - end]
    return inside and len(ours) <= 1 and len(theirs) <= 1


def _common(name: str, other: str) -> int:
    """Return the number of letters that two names begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, other, strict=False)))
