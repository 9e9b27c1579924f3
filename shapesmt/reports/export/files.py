"""Write files atomically: a file is complete, or as it was before."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from time import time
from typing import IO

from shapesmt.base.errors import UsageError, pass_on, printable

LOCKS = os.name == "posix"  # whether files can be locked, and renamed while they are open
MAX_LINKS = 40  # links that operating systems follow in one path
YOUNG = 1.0  # seconds; a younger temporary file may not be locked yet by its process


def write_whole(path: str | os.PathLike[str], content: bytes, *, own: bool = False) -> None:
    """Write a file so that at every moment it has its old content or the new, keeping its links and permissions.

    A link is followed if root or the current user made it. With `own`, shapesmt chose the file's name, not the
    caller: a link of that name is replaced.

    Raises:
        UsageError: The path can't be written.
    """
    with _refusing(path):
        begin_whole(path, content, own=own).close()


def begin_whole(path: str | os.PathLike[str], content: bytes, *, own: bool = False) -> IO[bytes]:
    """Write a file as `write_whole` does, and return it open and unbuffered, so that more can be appended.

    Raises:
        OSError, ValueError, RuntimeError: The path can't be written.
    """
    # a link stays and leads to the new content, unless the file's name is our own
    target = Path(path).parent.resolve() / Path(path).name if own else Path(path).resolve()
    _refuse_foreign_links(Path(path), 0 if own else MAX_LINKS)
    if target.exists() and not target.is_file() and not (own and target.is_symlink()):
        opened = target.open("wb", buffering=0)  # a pipe or a device; a folder raises
        write_all(opened, content)
        return opened
    with replacing(target) as file:
        file.write(content)
        file.flush()
        if LOCKS:
            return os.fdopen(os.dup(file.fileno()), "ab", buffering=0)
    return target.open("ab", buffering=0)


def _refuse_foreign_links(path: Path, most: int) -> None:
    """Refuse a link that another user made, who could choose which of this user's files is overwritten."""
    for _ in range(most if hasattr(os, "geteuid") else 0):
        if not path.is_symlink():
            return
        if path.lstat().st_uid not in (os.geteuid(), 0):
            raise OSError(errno.EPERM, "another user made this link")
        path = path.parent / path.readlink()


def write_all(file: IO[bytes], content: bytes) -> None:
    """Write all of `content` to an open file that may accept only a part at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file next to `target`: it replaces `target` if the block succeeds and is deleted if it raises.

    The file has an unguessable name.
    """
    start = f".{target.name[:40]}."
    with suppress(OSError):
        _sweep(target.parent, start)
    part = target.with_name(f"{start}{token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            with suppress(OSError):  # not every file system has locks
                _lock(file)
            yield file
            file.flush()
            if target.exists():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            if not LOCKS:
                file.close()
            part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def only_writer(path: str | os.PathLike[str]) -> Iterator[None]:
    """Run the body only if no other process is inside for the same path; killed processes don't count.

    Only POSIX has such locks, and not on every file system; without them the body always runs.

    Raises:
        UsageError: Another process is inside, or the path can't be written.
    """
    target = Path(path).resolve()
    if not LOCKS or (target.exists() and not target.is_file()):
        yield
        return
    side = target.with_name(f"{hidden_start(target)}lock")
    with _refusing(path):
        file = _acquire(side)
    if file is None:
        shown = printable(str(path))
        raise UsageError(f"another process is writing {shown}: wait until it ends, or name another file")
    try:
        yield
    finally:
        with suppress(OSError):
            side.unlink()
        os.close(file)


def hidden_start(target: Path) -> str:
    """Return the beginning of the names of a target's hidden files, which no other target's files have."""
    return f".{target.name[:40]}.{sha256(os.fsencode(target.name)).hexdigest()[:8]}."


def _acquire(side: Path) -> int | None:
    """Return the descriptor of `side`, opened and locked; None if another process has locked it."""
    import fcntl

    while True:
        file = os.open(side, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        except OSError:  # not every file system has locks
            return file
        try:
            if os.path.samestat(os.fstat(file), side.lstat()):
                return file
        except FileNotFoundError:  # the process that held it has removed it in the meantime
            os.close(file)
        except BaseException:
            os.close(file)
            raise
        else:
            os.close(file)


@contextmanager
def _refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path, cyclic links
        pass_on(error)
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write {printable(str(path))}: {reason}") from None


def _sweep(folder: Path, start: str) -> None:
    """Remove temporary files whose names begin with `start`, left in a folder by processes killed while they wrote.

    A file that a process still has locked stays.
    """
    parts = (part for part in folder.iterdir() if part.name.startswith(start) and part.name.endswith(".part"))
    for part in parts if LOCKS else ():
        if stat.S_ISREG(part.lstat().st_mode) and time() - part.lstat().st_mtime > YOUNG:
            with suppress(OSError), part.open("rb") as file:
                _lock(file)
                part.unlink()


def _lock(file: IO[bytes]) -> None:
    """Lock a file as long as it is open.

    Raises:
        BlockingIOError: Another process has locked it.
    """
    if LOCKS:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
