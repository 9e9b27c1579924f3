"""Pages of documentation: laid out and coloured on a terminal, as Markdown anywhere else."""

from __future__ import annotations

from typing import TextIO

WIDEST = 110  # columns: longer lines of prose are hard to read


def write_markdown(text: str, stream: TextIO) -> None:
    r"""Write a Markdown text, laid out if `stream` is a terminal.

    >>> import sys
    >>> write_markdown("# Limits\n", sys.stdout)
    # Limits
    """
    if not stream.isatty():
        stream.write(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(file=stream)
    console.print(Markdown(text), width=min(console.width, WIDEST))
