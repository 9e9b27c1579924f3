"""Phrases: conditions on sizes in plain English.

>>> from shapesmt.prover.algebra import symbol
>>> from shapesmt.prover.regions import Interval, Residue
>>> (n,), (m,) = symbol("n").symbols, symbol("m").symbols
>>> in_words([Residue(n, 32, (0, *range(25, 32))), Residue(m, 4, (0, 3))])
'n is a multiple of 32 or up to 7 less and m is a multiple of 4 or 1 less'
>>> in_words([Residue(n, 16, (0,)), Residue(m, 16, (0,)), Interval(m, None, 512)])
'n and m are multiples of 16 and m is at most 512'
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Atom
from shapesmt.prover.regions import Conjunct, Interval, Relation, Residue

_MOST_PARTS = 4


def in_words(conditions: Sequence[Conjunct]) -> str | None:
    """Word the conjunction of conditions as the end of a sentence that begins with "when"; None if one has no words."""
    words, rest = word_conditions(conditions)
    return None if rest else words


def word_conditions(conditions: Sequence[Conjunct]) -> tuple[str, list[Conjunct]]:
    """Return the conditions that can be worded, in words, and the others; "" and all if they are too many."""
    phrases: dict[tuple[str, str], list[str]] = {}
    relations: list[str] = []
    rest: list[Conjunct] = []
    for condition in conditions:
        match condition:
            case Relation(one, other):
                relations.append(f"{_plain(one)} equals {_plain(other)}")
            case Interval(symbol=s) | Residue(symbol=s) if said := _about_one(condition):
                phrases.setdefault(said, []).append(_plain(s))
            case _:
                rest.append(condition)
    texts = [
        f"{english_list(names)} {'is' if len(names) == 1 else 'are'} {one if len(names) == 1 else many}"
        for (one, many), names in phrases.items()
    ]
    texts += relations
    return (english_list(texts), rest) if len(texts) <= _MOST_PARTS else ("", list(conditions))


def _about_one(condition: Interval | Residue) -> tuple[str, str] | None:
    """Word a condition on a size, for one size and for several; None if it has no words."""
    match condition:
        case Interval(lo=lo, hi=hi) if lo is None or hi is None:
            return (f"at most {hi}" if lo is None else f"at least {lo}",) * 2
        case Interval(lo=lo, hi=hi):
            return (f"{lo}" if lo == hi else f"from {lo} to {hi}",) * 2
        case Residue(modulus=2, rests=(rest,)):
            return ("odd" if rest else "even",) * 2
        case Residue(modulus=k, rests=(rest,)) if rest:
            return (f"{rest} more than a multiple of {k}",) * 2
        case Residue(modulus=k, rests=rests, window=(shift, lo, hi)) if 0 in rests:
            return _near(k, shift, hi - shift)
    return None


def _near(k: int, less: int, more: int) -> tuple[str, str]:
    """Word a multiple of `k`, or up to `less` below or `more` above one; for one size and for several.

    >>> _near(32, 7, 0)[0], _near(4, 1, 1)[1]
    ('a multiple of 32 or up to 7 less', 'multiples of 4 or 1 less or 1 more')
    """
    parts = [f"{'up to ' if n > 1 else ''}{n} {way}" for n, way in ((less, "less"), (more, "more")) if n]
    one, many = (" or ".join([text, *parts]) for text in (f"a multiple of {k}", f"multiples of {k}"))
    return one, many


def english_list(texts: Sequence[str]) -> str:
    """Concatenate texts to an English list.

    >>> english_list("a"), english_list("ab"), english_list("abc")
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(texts[:-1]), "".join(texts[-1:]))))


def _plain(s: Atom) -> str:
    return printable(s.name, 60)
