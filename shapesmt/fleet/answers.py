"""Answers: those that are kept in a folder, by keys, as rows of an SQLite database.

Any number of processes may read and write it at once, and one that is killed leaves the rows that it has written. Each
row has a digest, so that a damaged one is none; a damaged database is begun anew. Above `MOST` bytes the oldest rows
make room. Where `SHAPESMT_CACHE_KEY` is set, the digest is a signature with that key, and other rows are none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.errors import UsageError, printable

if TYPE_CHECKING:
    from sqlite3 import Connection, DatabaseError

__all__ = ["KEY", "Answers", "Entry", "answers", "prepared", "sum_of"]

MOST = 1 << 30  # bytes of the database
LARGEST = 1 << 26  # bytes of an answer that is kept
PATIENCE = 5.0  # seconds in which other processes have to end their writing
ROWS = 128  # that are written at once, at most
SECONDS = 1.0  # after which they are written even if they are fewer
KEY = "SHAPESMT_CACHE_KEY"
NAME = "answers-1.sqlite"  # another number for another layout
_PAGE = 4096
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, sum BLOB NOT NULL, text BLOB NOT NULL)"
_OLDEST = """DELETE FROM answers WHERE rowid <=
    (SELECT rowid FROM answers ORDER BY rowid LIMIT 1 OFFSET (SELECT count(*) FROM answers) / 4)"""
_TEMPORARY = ("locked", "readonly", "unable to open", "full")  # in SQLite's messages about what may pass


class Entry(NamedTuple):
    """An answer as it is kept."""

    key: bytes
    text: bytes


def prepared(folder: str) -> str:
    """The folder of a cache, which is created.

    Raises:
        UsageError: It can't be, or the key to sign with is empty.
    """
    if os.environ.get(KEY) == "":
        raise UsageError(f"{KEY} is empty, with which anybody signs: give it a key, or unset it")
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot make the folder {printable(folder)}: {reason}") from None
    return str(Path(folder).resolve())


def sum_of(*contents: bytes) -> bytes:
    """A digest of some bytes after others."""
    digest = sha256()
    for content in contents:
        digest.update(content)
    return digest.digest()


@contextmanager
def answers(folder: str, *, writing: bool = False) -> Iterator[Answers]:
    """The answers in a folder; those to be kept are written at the end at the latest.

    Raises:
        UsageError: Answers can't be kept there whenever it is tried: its file system has no locks, say.
    """
    opened = Answers(folder, writing=writing)
    try:
        yield opened
    finally:
        opened.close()


class Answers:
    """The answers in a folder, for one thread.

    Args:
        folder: The folder; "" for none, in which nothing is.
        writing: Whether answers are kept there.
    """

    def __init__(self, folder: str, *, writing: bool = False) -> None:
        self._path = Path(folder, NAME)
        self._writing = writing
        self._locked = False
        self._entries: list[Entry] = []
        self._written = time.monotonic()
        self._key = os.fsencode(os.environ.get(KEY, ""))
        self._database = self._connected() if folder else None
        error = self._write() if folder and writing else None
        if error is not None and not any(word in str(error) for word in _TEMPORARY):
            raise UsageError(f"cannot keep answers in {printable(str(self._path))}: {error}")

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The texts that are kept of these keys, some hundred at most."""
        if self._database is None or self._locked:
            return {}
        from sqlite3 import Error

        try:
            which = ",".join("?" * len(keys))
            rows = self._database.execute(f"SELECT key, sum, text FROM answers WHERE key IN ({which})", keys)  # noqa: S608
            return {k: text for k, stated, text in rows if stated == self._sum(k, text)}
        except (Error, TypeError, MemoryError) as error:  # it is damaged, or a row is none of ours
            self._locked = "locked" in str(error)  # which isn't waited for again
            return {}

    def keep(self, entry: Entry) -> None:
        """Keep an answer, which is written with others; where it can't be, it is an answer all the same."""
        if len(entry.text) <= LARGEST:
            self._entries.append(entry)
        if len(self._entries) >= ROWS or time.monotonic() > self._written + SECONDS:
            self._write()

    def close(self) -> None:
        """Write what isn't written."""
        if self._entries:
            self._write()
        if self._database is not None:
            self._database.close()

    def _write(self) -> DatabaseError | None:
        """Write what is to be written; where that fails, the error, after which nothing is."""
        rows = [(*entry, self._sum(*entry)) for entry in self._entries]
        self._entries, self._written = [], time.monotonic()
        error = self._insert(rows)
        if error is not None and self._mended(error):
            error = self._insert(rows)
        self._writing = error is None
        return error

    def _sum(self, key: bytes, text: bytes) -> bytes:
        """The digest of a row, signed where there is a key."""
        if not self._key:
            return sum_of(key, text)
        from hmac import digest

        return digest(self._key, key + text, "sha256")

    def _insert(self, rows: Sequence[tuple[bytes, bytes, bytes]]) -> DatabaseError | None:
        from sqlite3 import DatabaseError

        if self._writing and self._database is not None:
            try:
                with self._database as database:
                    database.execute(f"PRAGMA max_page_count = {MOST // _PAGE}")
                    database.execute("PRAGMA synchronous = OFF")  # rows have digests, should the machine fail
                    database.execute("BEGIN IMMEDIATE")
                    database.execute(_TABLE)
                    database.executemany("INSERT OR REPLACE INTO answers (key, text, sum) VALUES (?, ?, ?)", rows)
            except DatabaseError as error:
                return error
        return None

    def _mended(self, error: DatabaseError) -> bool:
        """Whether it may be tried again: there is room now, or a new database instead of a damaged one."""
        from sqlite3 import DatabaseError

        if type(error) is DatabaseError:  # damage; what else may happen has classes of its own
            self._remove()
            self._database = self._connected()
            return True
        with suppress(DatabaseError):
            return self._database is not None and "full" in str(error) and self._database.execute(_OLDEST).rowcount > 0
        return False

    def _connected(self) -> Connection | None:
        """The database; None where there is none to read, or something else is in its place."""
        # `Path.is_file` raises an error in a folder that may not be read
        if not os.path.isfile(self._path) and (not self._writing or os.path.lexists(self._path)):  # noqa: PTH113
            return None
        try:
            from sqlite3 import DatabaseError, connect
        except ImportError:
            if not self._writing:
                return None
            raise UsageError("answers are kept by SQLite, with which this Python wasn't built") from None
        with suppress(DatabaseError):
            where = f"{self._path.as_uri()}?mode={'rwc' if self._writing else 'rw'}"
            return connect(where, PATIENCE, isolation_level=None, uri=True)
        return None

    def _remove(self) -> None:
        if self._database is not None:
            self._database.close()
        for path in (self._path, self._path.with_name(f"{NAME}-journal")):
            with suppress(OSError):
                path.unlink()
