"""Where a node was written in Python, as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shapesmt.errors import printable
from shapesmt.render.places import checked_out

if TYPE_CHECKING:
    from shapesmt.report import Source

__all__ = ["position", "quotation"]


def position(source: Source | None) -> str:
    """The file, as a path from the working directory or else its name, and the line; "" where they aren't known.

    >>> from shapesmt.report import Source
    >>> position(Source("/home/me/model.py", 10)), position(Source(module="up"))
    ('model.py:10', '')
    """
    if source is None or not source.file:
        return ""
    file = checked_out(source) or re.split(r"[\\/]", source.file)[-1]
    return f"{printable(file, 80)}:{source.line}"


def quotation(source: Source | None, node: str = "") -> str:
    """The line of Python that a node comes from; of a node that isn't named after its module, at least that.

    >>> from shapesmt.report import Source
    >>> quotation(Source("/home/me/model.py", 10, "forward", "return torch.cat([a, u], 1)"))
    'at model.py:10 in forward: return torch.cat([a, u], 1)'
    >>> quotation(Source(module="up.0"), "node_cat_1"), quotation(Source(module="up.0"), "/up/up.0/Concat")
    ('in module up.0', '')
    """
    if source is None:
        return ""
    if not source.file:
        named = source.module.rpartition(".")[2] in node
        return "" if named else f"in module {printable(source.module, 200)}"
    function = f" in {printable(source.function)}" if source.function else ""
    code = f": {printable(source.code)}" if source.code else ""
    return f"at {position(source)}{function}{code}"
