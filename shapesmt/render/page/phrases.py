"""Phrases: conditions on sizes as a person would say them.

>>> in_words(["(height + 7) % 32 <= 7", "width % 4 in {0, 3}"])
'height is a multiple of 32 or up to 7 less and width is a multiple of 4 or 1 less'
>>> in_words(["height % 16 == 0", "width % 16 == 0", "seq <= 512"])
'height and width are multiples of 16 and seq is at most 512'
>>> in_words(["n * m <= 100"]) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from shapesmt.algebra import NAME, text_name
from shapesmt.errors import printable

__all__ = ["in_words", "joined", "phrased"]

_NAME = f"({NAME})"
_NUMBER = r"(\d+)"
_MOST_PARTS = 4


def _multiple(k: str) -> tuple[str, str]:
    return ("even", "even") if k == "2" else (f"a multiple of {k}", f"multiples of {k}")


def _residue(k: str, rest: str) -> tuple[str, str]:
    if rest == "0":
        return _multiple(k)
    if (k, rest) == ("2", "1"):
        return "odd", "odd"
    return (f"{rest} more than a multiple of {k}",) * 2


def _beyond(k: str, most: str) -> tuple[str, str]:
    return _near(k, 0, int(most))


def _below(less: str, k: str, most: str) -> tuple[str, str] | None:
    return _near(k, int(less), 0) if less == most else None


def _listed(k: str, rests: str) -> tuple[str, str] | None:
    """Remainders around 0: those from it on, and those up to it."""
    rest, modulus = {int(r) for r in rests.split(",")}, int(k)
    above = next((n for n in range(modulus) if n + 1 not in rest), 0)
    under = len(rest) - above - 1
    around = {n % modulus for n in range(-under, above + 1)}
    return _near(k, under, above) if 0 in rest and rest == around else None


def _near(k: str, less: int, more: int) -> tuple[str, str]:
    """A multiple, or somewhat less or more.

    >>> _near("32", 7, 0)[0], _near("4", 1, 1)[1]
    ('a multiple of 32 or up to 7 less', 'multiples of 4 or 1 less or 1 more')
    """
    parts = [f"{'up to ' if n > 1 else ''}{n} {way}" for n, way in ((less, "less"), (more, "more")) if n]
    one, many = (" or ".join([text, *parts]) for text in _multiple(k))
    return one, many


def _same(text: str) -> Callable[..., tuple[str, str]]:
    return lambda *numbers: (text.format(*numbers),) * 2


_FORMS: tuple[tuple[str, Callable[..., tuple[str, str] | None]], ...] = (
    (rf"{_NAME} % {_NUMBER} == {_NUMBER}", _residue),
    (rf"{_NAME} % {_NUMBER} <= {_NUMBER}", _beyond),
    (rf"{_NAME} % {_NUMBER} in \{{([\d, ]+)\}}", _listed),
    (rf"\({_NAME} \+ {_NUMBER}\) % {_NUMBER} <= {_NUMBER}", _below),
    (rf"{_NAME} == {_NUMBER}", _same("{}")),
    (rf"{_NAME} <= {_NUMBER}", _same("at most {}")),
    (rf"{_NAME} >= {_NUMBER}", _same("at least {}")),
    (rf"{_NAME} != {_NUMBER}", _same("not {}")),
    (rf"{_NUMBER} <= {_NAME} <= {_NUMBER}", _same("from {} to {}")),
)


def in_words(conditions: Sequence[str]) -> str | None:
    """Conditions that all hold, as the end of a sentence that begins with "when"; None where there are no words."""
    words, rest = phrased(conditions)
    return None if rest else words


def phrased(conditions: Sequence[str]) -> tuple[str, list[str]]:
    """Those of the conditions for which there are words, in words, and the others.

    >>> phrased(["n == m", "n >= 2", "m >= 2", "n * m <= 100"])
    ('n and m are at least 2 and n equals m', ['n * m <= 100'])
    """
    phrases: dict[tuple[str, str], list[str]] = {}
    relations: list[str] = []
    rest = []
    for condition in conditions:
        named = _about_one(condition)
        if named is not None:
            phrases.setdefault(named[1], []).append(named[0])
        elif match := re.fullmatch(rf"{_NAME} == {_NAME}", condition):
            relations.append(f"{_plain(match[1])} equals {_plain(match[2])}")
        else:
            rest.append(condition)
    texts = [
        f"{joined(names)} {'is' if len(names) == 1 else 'are'} {one if len(names) == 1 else many}"
        for (one, many), names in phrases.items()
    ]
    texts += relations
    return (joined(texts), rest) if len(texts) <= _MOST_PARTS else ("", list(conditions))


def joined(texts: Sequence[str]) -> str:
    """Texts as a list.

    >>> joined("a"), joined("ab"), joined("abc")
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(texts[:-1]), "".join(texts[-1:]))))


def _about_one(condition: str) -> tuple[str, tuple[str, str]] | None:
    """The name in a condition on one size, and what it says of it: for one name, and for several."""
    for form, phrase in _FORMS:
        match = re.fullmatch(form, condition)
        if match:
            groups = match.groups()
            place = next(i for i, g in enumerate(groups) if not g[0].isdigit())
            name, said = groups[place], phrase(*groups[:place], *groups[place + 1 :])
            return None if said is None else (_plain(name), said)
    return None


def _plain(name: str) -> str:
    return printable(text_name(name), 60)
