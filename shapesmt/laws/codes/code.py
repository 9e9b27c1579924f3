"""Code: the name of one kind of finding, and its remedy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["Code"]

HEADER = '<ir_version: 8, opset_import: ["": 18]>\n'


class Code(NamedTuple):
    """One entry of the catalogue.

    Attributes:
        code: `SM` and three digits, the first for the group.
        title: Its name, in a word or two.
        law: What has to hold, and where one meets it.
        remedy: The usual fix.
        model: A model that breaks it, as text; with its own header if that isn't the usual one.
        dims: The ranges under which the model breaks it.
        assume: The assumptions under which the model breaks it.
        kind: The kind of finding or warning that always has this code; "" if there is none.
    """

    code: str
    title: str
    law: str
    remedy: str
    model: str = ""
    dims: Mapping[str, str] = MappingProxyType({})
    assume: tuple[str, ...] = ()
    kind: str = ""

    @property
    def example(self) -> str:
        """The model as a whole file; "" if there is none."""
        return self.model if not self.model or self.model.startswith("<") else HEADER + self.model
