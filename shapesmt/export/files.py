"""Outputs written whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from shapesmt.errors import UsageError, printable

if TYPE_CHECKING:
    import os

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that at every moment it has its old content or the new, keeping its links and permissions.

    Raises:
        UsageError: The path can't be written.
    """
    try:
        target = Path(path).resolve()  # a link stays a link, to the new content
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a pipe or a device; a folder raises
        else:
            _replace(target, content)
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path, links in a circle
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write {printable(str(path))}: {reason}") from None


def _replace(target: Path, content: bytes) -> None:
    part = target.with_name(f".{target.name[:40]}.{token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
