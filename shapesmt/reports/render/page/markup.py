"""Build HTML and SVG from elements, so that text from a file is escaped and never becomes markup."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import TypeAlias, Union

from shapesmt.base.errors import printable

_MOST = 4000  # the most characters of one text
_EXACT = 1 << 53
_VOID = frozenset({"input", "meta"})  # elements that have no end tag


class Markup(str):
    """Text that is markup already; any other text is escaped."""

    __slots__ = ()


Content: TypeAlias = Union[str, int, "Iterable[Content]", None]


def tag(element: str, *content: Content, **attributes: str | float | None) -> Markup:
    """Return an element; `class_` stands for the attribute `class`, `data_x` for `data-x`; None omits an attribute.

    >>> tag("p", "a < b", tag("b", "!"), class_="note", id=None)
    '<p class="note">a &lt; b<b>!</b></p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    ending = "" if element in _VOID else f"{_concatenate(content)}</{element}>"
    return Markup(f"<{element}{written}>{ending}")


def svg(width: float, height: float, content: Content, title: str, kind: str) -> Markup:
    """Return a drawing that scales with its frame, with a title for those who can't see it."""
    return tag(
        "svg", tag("title", title), content, viewBox=f"0 0 {width:.0f} {height:.0f}", width=round(width),
        height=round(height), role="img", class_=kind,
    )  # fmt: skip


def data(identity: str, value: object) -> Markup:
    r"""Return data for scripts: JSON in which no character can end the element or start a comment.

    >>> data("names", ["</script>"])
    '<script type="application/json" id="names">["\\u003c/script\\u003e"]</script>'
    """
    text = json.dumps(value, separators=(",", ":"))  # ASCII: line separators are escaped
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json" id="{_escape(identity)}">{text}</script>')


def exact(number: int) -> int | str:
    """Return a number for scripts, as text if it is too large to be exact in JavaScript.

    >>> exact(7), exact(1 << 60)
    (7, '1152921504606846976')
    """
    return number if abs(number) < _EXACT else str(number)


def _concatenate(content: Content) -> str:
    if content is None:
        return ""
    if isinstance(content, str | int):
        return content if isinstance(content, Markup) else _escape(str(content))
    return "".join(map(_concatenate, content))


def _escape(text: str) -> str:
    return escape(printable(text, _MOST))


def _number(value: str | float) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
