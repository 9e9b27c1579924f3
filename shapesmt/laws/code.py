"""Code: what one kind of finding is called, which laws belong to it, and what helps against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Code"]

HEADER = '<ir_version: 8, opset_import: ["": 18]>\n'


@dataclass(frozen=True)
class Code:
    """One entry of the catalogue.

    Attributes:
        code: `SM` and three digits, of which the first says the group.
        title: What it is called, in a word or two.
        law: What has to hold, and where one meets it.
        remedy: How people usually fix it.
        model: A model, as text, that breaks it; with its header where that isn't the usual one.
        phrases: A law belongs to the entry of which it contains the longest phrase; `^` and `$` stand for the law's
            beginning and end.
        dims: The ranges under which the model breaks it.
        assume: The assumptions under which it does.
        kind: The kind of the finding or warning, where that alone decides.
    """

    code: str
    title: str
    law: str
    remedy: str
    model: str = ""
    phrases: tuple[str, ...] = ()
    dims: Mapping[str, str] = field(default_factory=dict)
    assume: tuple[str, ...] = ()
    kind: str = ""

    @property
    def example(self) -> str:
        """The model as a whole file; "" where there is none."""
        return self.model if not self.model or self.model.startswith("<") else HEADER + self.model

    def likeness(self, law: str) -> int:
        """The length of the longest of its phrases that a law contains.

        >>> Code("SM303", "rank", "", "", "", ("one rank", "^the rank is ")).likeness("the rank is 2, not 3")
        13
        """
        marked = f"^{law}$"
        return max((len(phrase) for phrase in self.phrases if phrase in marked), default=0)
