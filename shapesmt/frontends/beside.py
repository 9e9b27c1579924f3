"""Read the external files to which a model refers, and record what was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from shapesmt.base.errors import pass_on
from shapesmt.network.graph import Absence


class SideRead(NamedTuple):
    """A read of an external file: `size` bytes from `offset` of the file `location` in the model's folder.

    `digest` is the SHA-256 of these bytes; "" if they couldn't be read.
    """

    location: str
    offset: int
    size: int
    digest: str

    def is_unchanged(self, folder: str | None) -> bool:
        """Whether the same read in `folder` still gives the same bytes, or still fails; without a folder it fails."""
        return self.digest == (_digest(_content(folder, *self[:3])) if folder is not None else "")


_READS: ContextVar[list[SideRead] | None] = ContextVar("reads", default=None)


@contextmanager
def side_reads() -> Iterator[list[SideRead]]:
    """Yield a list to which `content_inside` adds each read of an external file inside the block."""
    reads: list[SideRead] = []
    token = _READS.set(reads)
    try:
        yield reads
    finally:
        _READS.reset(token)


def content_inside(folder: str, location: str, offset: int, size: int) -> bytes | None:
    """Return `size` bytes from `offset` of the file `location` in `folder`; None if they can't be read.

    That is the case if the file is missing, too short, or outside the folder; links are followed.
    """
    content = _content(folder, location, offset, size)
    reads = _READS.get()
    if reads is not None:
        reads.append(SideRead(location, offset, size, _digest(content)))
    return content


def absent(locations: Iterable[str], folder: str | None) -> dict[str, Absence]:
    """Return the files among `locations` that can't be opened, each with the reason."""
    if folder is None:
        return dict.fromkeys(locations, Absence.FOLDER)
    return {name: Absence.FILE for name in locations if content_inside(folder, name, 0, 0) is None}


def _content(folder: str, location: str, offset: int, size: int) -> bytes | None:
    if not location or Path(location).is_absolute() or ".." in re.split(r"[\\/]", location):
        return None
    try:
        path = Path(folder, location).resolve(strict=True)
        if not path.is_relative_to(Path(folder).resolve()) or not path.is_file():
            return None
        with path.open("rb") as file:
            file.seek(offset)
            content = file.read(size)
    except (OSError, ValueError, RuntimeError, OverflowError) as error:  # RuntimeError: cyclic links
        pass_on(error)
        return None
    return content if len(content) == size else None


def _digest(content: bytes | None) -> str:
    from hashlib import sha256

    return "" if content is None else sha256(content).hexdigest()
