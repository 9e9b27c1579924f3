"""Excerpt: an answer as a part of another page, such as a notebook: verdict, findings, advice."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from shapesmt.reports.render.text.advice import as_python
from shapesmt.reports.render.text.text import lines

if TYPE_CHECKING:
    from shapesmt.reports.answers import AnyResult
    from shapesmt.reports.render.text.words import Line

_COLOURS = {"green": "#187a3c", "yellow": "#8a5a00", "red": "#b3261e", "magenta": "#8e2f8e", "cyan": "#0b6572"}
_MOST_LINES = 200


def excerpt_html(answer: AnyResult) -> str:
    """Return the text of an answer as HTML, coloured as on a terminal, escaped, and folded to the width of the cell.

    Options are shown as arguments of Python.
    """
    rows = []
    with as_python():
        for number, row in enumerate(lines(answer)):
            if number == _MOST_LINES:
                rows.append("...")
                break
            rows.append("".join(_pieces(row)) or "&nbsp;")  # in Markdown, an empty line would end the HTML
    style = "white-space:pre-wrap;font-family:ui-monospace,monospace;line-height:1.4;overflow-wrap:anywhere"
    return f'<div class="shapesmt" style="{style}">' + "\n".join(rows) + "</div>"


def _pieces(row: Line) -> Iterator[str]:
    yield " " * row.indent
    for text, style in row.parts:
        css = [f"color:{_COLOURS[word]}" for word in style.split() if word in _COLOURS]
        css += ["font-weight:bold"] * ("bold" in style) + ["opacity:.65"] * ("dim" in style)
        yield f'<span style="{";".join(css)}">{escape(text)}</span>' if css else escape(text)
