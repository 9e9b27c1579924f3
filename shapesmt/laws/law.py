"""Law: a sentence that says what a node needs, with the code of the findings that report it broken."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["OWN", "Law", "as_law"]

OWN = "SM199"
_CODED = re.compile(r"([A-Z]{2,12}[0-9]{1,6}): (.+)", re.DOTALL)


class Law(NamedTuple):
    """One sentence in the present tense, and its code in the catalogue.

    `sides` name the two sizes that it compares, for those that no input's axis has; `broken` is the sentence that says
    how it is broken, with the values of the two sides as `{left}` and `{right}`.

    A law about particular numbers is a template, whose fields are filled where it is stated:

        >>> AXIS_INSIDE_RANK = Law("SM302", "axis {axis} is inside a tensor of rank {rank}")
        >>> law = AXIS_INSIDE_RANK.of(axis=3, rank=2)
        >>> str(law), law.code, law.template
        ('axis 3 is inside a tensor of rank 2', 'SM302', 'axis {axis} is inside a tensor of rank {rank}')
    """

    code: str
    sentence: str
    template: str = ""
    sides: tuple[str, str] = ("", "")
    broken: str = ""

    def of(self, **fields: object) -> Law:
        """The law with its fields filled."""
        return self._replace(sentence=self.sentence.format_map(fields), template=self.sentence)

    def __str__(self) -> str:
        return self.sentence


def as_law(stated: Law | str) -> Law:
    """A law as it is; the text of a rule of yours as a law, under its own code where it begins with one.

    >>> as_law("ACME7: sizes are odd")
    Law(code='ACME7', sentence='sizes are odd', template='', sides=('', ''), broken='')
    >>> as_law("sizes are odd").code
    'SM199'
    """
    if isinstance(stated, Law):
        return stated
    coded = _CODED.fullmatch(stated)
    return Law(coded[1], coded[2]) if coded else Law(OWN, stated)
