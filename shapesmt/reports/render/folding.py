"""Lines of text in a width: folded at spaces, and outside commands to paste, options and quotations.

A terminal narrower than `WIDEST` gets lines that fit, whatever they contain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Literal, TextIO

from shapesmt.reports.render.text.words import CODE, COMMAND, Line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment

WIDEST = 100  # columns of a line, unless it is a row of a table
_CHUNK = 1000  # the number of lines that are written at once
_HANGING = 4  # columns of additional indentation for the rest of a folded line
_WORDS = re.compile(r"""(?:[^\s"]+ in (?=[\d.])|--[\w-]+ (?:"[^"]*"|'[^']*'|\S+)|"[^"]*"|[^\s"]+|")+\s*|\s+""")
_CONDITIONS = re.compile(r".+?(?: and | or |$)")


def fold(row: Line, width: int = WIDEST, measure: Callable[[str], int] = len) -> Iterator[Line]:
    r"""Yield a line as one or more of at most `width` columns.

    From `WIDEST` on, a command or word that doesn't fit is longer, and a command stays behind a few words on its line.

    >>> from shapesmt.reports.render.text.words import line
    >>> print(*fold(line(2, "pad the input to a multiple, or crop the skip connection"), 30), sep="\n")
      pad the input to a multiple,
          or crop the skip
          connection
    """
    if row.whole or measure(str(row)) <= width:
        yield row
        return
    narrow, hanging = width < WIDEST, min(row.indent + _HANGING, width // 2)
    indent, parts, used = row.indent, list[tuple[str, str]](), row.indent
    for word, style in _pieces(row, width - hanging, measure) if narrow else _words(row, width - hanging):
        if parts and used + measure(word.rstrip()) > width and (narrow or style != COMMAND or used > width // 2):
            yield _piece(indent, parts)
            indent, parts, used = hanging, [], hanging
        parts.append((word, style))
        used += measure(word)
    yield _piece(indent, parts)


def _piece(indent: int, parts: list[tuple[str, str]]) -> Line:
    """Return a line without spaces at its end."""
    *before, (text, style) = parts
    return Line(indent, (*before, (text.rstrip(), style)))


def _words(row: Line, most: int) -> Iterator[tuple[str, str]]:
    """Yield the commands, conditions, options, quotations and words of a line, with the spaces behind them.

    A condition of more than so many columns is broken at its spaces.
    """
    for text, style in row.parts:
        for part in _CONDITIONS.findall(text) if style == CODE else [text]:
            whole = style == COMMAND or (style == CODE and len(part) <= most)
            yield from [(part, style)] if whole else ((word, style) for word in _WORDS.findall(part))


def _pieces(row: Line, most: int, measure: Callable[[str], int]) -> Iterator[tuple[str, str]]:
    """Yield the words of a line with the spaces behind them, in pieces of at most so many columns."""
    for text, style in row.parts:
        for word in re.findall(r"\S*\s*", text):
            piece = ""
            for character in word:
                if measure((piece + character).rstrip()) > most:
                    yield piece, style
                    piece = ""
                piece += character
            yield piece, style


def write(rows: Iterable[Line], stream: TextIO) -> None:
    """Write lines: coloured and folded to its width on a terminal, plain elsewhere."""
    if stream.isatty() or os.environ.get("FORCE_COLOR"):
        _write_rich(iter(rows), stream)
    else:
        stream.writelines(f"{piece}\n" for row in rows for piece in fold(row))


def _write_rich(rows: Iterator[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.segment import Segments

    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"  # None: no bold text either
    console = Console(file=stream, highlight=False, markup=False, emoji=False, color_system=colours)
    while chunk := list(islice(rows, _CHUNK)):
        console.print(Segments([s for row in chunk for s in _segments(row, console)]), soft_wrap=True, end="")


def _segments(row: Line, console: Console) -> Iterator[Segment]:
    """Yield the pieces of a line, folded to the console's width."""
    from rich.cells import cell_len
    from rich.segment import Segment

    for piece in fold(row._replace(whole=False), min(console.width, max(WIDEST, row.whole * console.width)), cell_len):
        plain = " " * piece.indent + "".join(text for text, _ in piece.parts)
        if str(piece) != plain.rstrip():  # it would begin like a command of GitHub's workflows
            yield Segment(str(piece))
        else:
            yield Segment(" " * piece.indent)
            for text, style in piece.parts:
                yield Segment(text, console.get_style(style) if style else None)
        yield Segment.line()
