"""Find the Python file of a source in the working directory, where a reader can open it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shapesmt.reports.answers import Source

_LARGEST = 1 << 22  # the most bytes of a file that is compared with the source


def checked_out(source: Source | None) -> str:
    """Return the path of a source file relative to the working directory, with slashes; "" if it isn't found below it.

    If the model was exported elsewhere, return the longest suffix of the path that is a file here with the same code in
    that line.

    >>> from shapesmt.reports.answers import Source
    >>> checked_out(Source("/nowhere/else.py", 3))
    ''
    """
    if source is None or not source.file:
        return ""
    try:
        return next((path.as_posix() for path in _candidates(source.file) if _has(path, source)), "")
    except (OSError, ValueError, RuntimeError):  # a path that the system refuses
        return ""


def _candidates(file: str) -> Iterator[Path]:
    """Yield the ends of a path that are files inside the working directory, the longest first."""
    parts = [part for part in re.split(r"[\\/]", file) if part]
    if ".." in parts:
        return
    here = Path.cwd()
    for first in range(len(parts)):
        path = Path(*parts[first:])
        if not path.is_absolute() and path.is_file() and path.resolve().is_relative_to(here.resolve()):
            yield path


def _has(path: Path, source: Source) -> bool:
    """Whether a file is the one that the source names, or has the same code in that line."""
    if Path(source.file) in (path, path.absolute()):
        return True
    if not source.code or path.stat().st_size > _LARGEST:
        return False
    lines = path.read_bytes().decode(errors="replace").splitlines()
    return source.line <= len(lines) and lines[source.line - 1].strip() == source.code
