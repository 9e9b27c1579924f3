"""Region: what is said of a condition, as text."""

from __future__ import annotations

from typing import NamedTuple

from shapesmt.algebra import conjunction


class Region(NamedTuple):
    """The conjuncts as text, and whether together they are exactly the condition.

    `partial`: some of the condition has no text, so that it may not hold where the text does.
    """

    text: tuple[str, ...]
    exact: bool
    partial: bool = False

    @property
    def whole(self) -> str:
        """The conjuncts as one formula."""
        return conjunction(self.text) or "True"
