"""Phrases: conditions on sizes as a person would say them.

>>> in_words(["height % 16 == 0", "width % 16 == 0", "seq <= 512"])
'height and width are multiples of 16 and seq is at most 512'
>>> in_words(["n * m <= 100"]) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from shapesmt.errors import printable

__all__ = ["in_words", "joined"]

_NAME = r"(`[^`]+`|[^\W\d]\w*)"
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
    one, many = _multiple(k)
    return f"{one} or at most {most} more", f"{many} or at most {most} more"


def _below(less: str, k: str, most: str) -> tuple[str, str] | None:
    one, many = _multiple(k)
    return (f"{one} or at most {most} less", f"{many} or at most {most} less") if less == most else None


def _listed(k: str, rests: str) -> tuple[str, str] | None:
    values = [int(r) for r in rests.split(",")]
    return _beyond(k, str(values[-1])) if values == [*range(len(values))] else None


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
    phrases: dict[tuple[str, str], list[str]] = {}
    relations: list[str] = []
    for condition in conditions:
        named = _about_one(condition)
        if named is not None:
            phrases.setdefault(named[1], []).append(named[0])
        elif match := re.fullmatch(rf"{_NAME} == {_NAME}", condition):
            relations.append(f"{_plain(match[1])} equals {_plain(match[2])}")
        else:
            return None
    texts = [
        f"{joined(names)} {'is' if len(names) == 1 else 'are'} {one if len(names) == 1 else many}"
        for (one, many), names in phrases.items()
    ]
    return joined([*texts, *relations]) if 0 < len(texts) + len(relations) <= _MOST_PARTS else None


def joined(texts: Sequence[str]) -> str:
    """Texts as a list.

    >>> joined("a"), joined("ab"), joined("abc")
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


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
    return printable(name.strip("`"), 60)
