"""Code: what one kind of finding is called, and what helps against it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["Code"]

HEADER = '<ir_version: 8, opset_import: ["": 18]>\n'


class Code(NamedTuple):
    """One entry of the catalogue.

    Attributes:
        code: `SM` and three digits, of which the first says the group.
        title: What it is called, in a word or two.
        law: What has to hold, and where one meets it.
        remedy: How people usually fix it.
        model: A model, as text, that breaks it; with its header where that isn't the usual one.
        dims: The ranges under which the model breaks it.
        assume: The assumptions under which it does.
        kind: The kind of the finding or warning, where that alone decides.
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
        """The model as a whole file; "" where there is none."""
        return self.model if not self.model or self.model.startswith("<") else HEADER + self.model
