"""Writes files atomically: a file is complete, or as it was before."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from time import time
from typing import IO

from shapesmt.errors import UsageError, pass_on, printable

__all__ = ["write_whole"]

LOCKS = os.name == "posix"  # whether files can be locked, and renamed while they are open
YOUNG = 1.0  # seconds in which a temporary file may not be locked yet by its process


def write_whole(path: str | os.PathLike[str], content: bytes, *, own: bool = False) -> None:
    """Write a file so that at every moment it has its old content or the new, keeping its links and permissions.

    With `own`, the file's name is shapesmt's choice, not the caller's: a link of that name is replaced, not followed,
    as it may be somebody else's.

    Raises:
        UsageError: The path can't be written.
    """
    try:
        target = Path(path).parent.resolve() / Path(path).name if own else Path(path).resolve()
        if target.exists() and not target.is_file() and not (own and target.is_symlink()):
            target.write_bytes(content)  # a pipe or a device; a folder raises
        else:
            _replace(target, content)
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path, links in a circle
        pass_on(error)
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write {printable(str(path))}: {reason}") from None


def _replace(target: Path, content: bytes) -> None:
    start = f".{target.name[:40]}."
    with suppress(OSError):
        _sweep(target.parent, start)
    part = target.with_name(f"{start}{token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            with suppress(OSError):  # not every file system has locks
                _lock(file)
            file.write(content)
            file.flush()
            if target.exists():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            if not LOCKS:
                file.close()
            part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _sweep(folder: Path, start: str) -> None:
    """Remove the temporary files, no longer locked, of processes that were killed while they wrote."""
    parts = (part for part in folder.iterdir() if part.name.startswith(start) and part.name.endswith(".part"))
    for part in parts if LOCKS else ():
        if stat.S_ISREG(part.lstat().st_mode) and time() - part.lstat().st_mtime > YOUNG:
            with suppress(OSError), part.open("rb") as file:
                _lock(file)
                part.unlink()


def _lock(file: IO[bytes]) -> None:
    """Lock a file as long as it is open.

    Raises:
        BlockingIOError: Another process does.
    """
    if LOCKS:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
