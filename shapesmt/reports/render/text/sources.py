"""The line of Python that a node comes from, as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.reports.render.places import checked_out

if TYPE_CHECKING:
    from shapesmt.reports.answers import Source


def position(source: Source | None) -> str:
    """Return file and line, the file as a path from the working directory or else its name; "" if they aren't known.

    >>> from shapesmt.reports.answers import Source
    >>> position(Source("/home/me/model.py", 10)), position(Source(module="up"))
    ('model.py:10', '')
    """
    if source is None or not source.file:
        return ""
    return f"{printable(checked_out(source) or _short(source.file), 80)}:{source.line}"


def _short(file: str) -> str:
    """Return the name of a file; for a file of an installed package, its path below `site-packages`.

    >>> _short("/v/site-packages/timm/models/resnet.py"), _short("/home/me/model.py")
    ('timm/models/resnet.py', 'model.py')
    """
    installed = re.split(r"[\\/](?:site|dist)-packages[\\/]", file)
    return installed[-1].replace("\\", "/") if len(installed) > 1 else re.split(r"[\\/]", file)[-1]


def quotation(source: Source | None, node: str = "") -> str:
    """Return the line of Python that a node comes from; if unknown, its module unless the node is named after it.

    >>> from shapesmt.reports.answers import Source
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
    file, _, line = source.caller.rpartition(":")
    caller = f"  (called from {printable(_short(file), 80)}:{line})" if file else ""
    return f"at {position(source)}{function}{code}{caller}"
