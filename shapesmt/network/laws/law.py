"""`Law`: a sentence that states a requirement of a node; `Code`: what `explain` says about laws of one code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["OWN", "Code", "Law", "as_law"]

OWN = "SM199"
_SIDES = {"==": ("", "needed"), ">=": ("", "at least"), "": ("", "")}
_CODED = re.compile(r"([A-Z]{2,12}[0-9]{1,6}): (.+)", re.DOTALL)
_HEADER = '<ir_version: 8, opset_import: ["": 18]>\n'


class Law(NamedTuple):
    """One sentence in the present tense, and its code.

    `sides` name the two sizes that it compares, for sizes that aren't on an input's axis; `broken` is the sentence for
    a violated law, with the values of the two sides as `{left}` and `{right}`.

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
        """Return the law with its fields filled."""
        return self._replace(sentence=self.sentence.format_map(fields), template=self.sentence)

    def named_sides(self, relation: str) -> tuple[str, str]:
        """Return the names of the two sides, for sizes that no axis of an input has.

        >>> Law("SM201", "the window fits", sides=("the input", "the window")).named_sides("==")
        ('the input', 'the window')
        """
        return self.sides if any(self.sides) else _SIDES[relation]

    def __str__(self) -> str:
        return self.sentence


class Code(NamedTuple):
    """A code, and what `explain` says about it: the law in general, its remedy, and a model that violates it.

    Attributes:
        code: `SM` and three digits, the first for the group.
        title: Its name, in a word or two.
        sentence: The requirement, and when one meets it.
        remedy: The usual fix.
        model: A model that violates it, as text; with its own header if that isn't the usual one.
        dims: The ranges under which the model violates it.
        assume: The assumptions under which the model violates it.
        kind: The kind of finding or warning that always has this code; "" if there is none.
        samples: The dimension that counts samples, if the law is about these; "" for all others.
    """

    code: str
    title: str
    sentence: str
    remedy: str
    model: str = ""
    dims: Mapping[str, str] = MappingProxyType({})
    assume: tuple[str, ...] = ()
    kind: str = ""
    samples: str = ""

    def law(self, sentence: str, sides: tuple[str, str] = ("", ""), broken: str = "") -> Law:
        """Return a law with this code, about particular operators."""
        return Law(self.code, sentence, sides=sides, broken=broken)

    @property
    def example(self) -> str:
        """The model as a whole file; "" if there is none."""
        return self.model if not self.model or self.model.startswith("<") else _HEADER + self.model


def as_law(stated: Law | str) -> Law:
    """Return a law unchanged, or the text of a user's rule as a law, under the code that it begins with, if any.

    >>> as_law("ACME7: sizes are odd")
    Law(code='ACME7', sentence='sizes are odd', template='', sides=('', ''), broken='')
    >>> as_law("sizes are odd").code
    'SM199'
    """
    if isinstance(stated, Law):
        return stated
    coded = _CODED.fullmatch(stated)
    return Law(coded[1], coded[2]) if coded else Law(OWN, stated)
