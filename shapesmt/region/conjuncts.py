"""Region: what is said of a condition, as text."""

from __future__ import annotations

from typing import NamedTuple


class Region(NamedTuple):
    """The conjuncts as text, and whether together they are exactly the condition."""

    text: tuple[str, ...]
    exact: bool

    @property
    def whole(self) -> str:
        """The conjuncts as one formula."""
        return " and ".join(f"({t})" if " or " in t and len(self.text) > 1 else t for t in self.text) or "True"
