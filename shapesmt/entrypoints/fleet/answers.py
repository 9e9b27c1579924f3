"""Answers: a cache in a folder, as rows of an SQLite database that are found by their key.

Several processes may read and write it at once; a process that is killed leaves complete rows. Each row has a digest,
and a row with a wrong one is ignored. A damaged database is replaced by an empty one. When the database reaches `MOST`
bytes, its oldest rows are deleted. If `SHAPESMT_CACHE_KEY` is set, digests are signatures with that key.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.base.errors import UsageError, printable

if TYPE_CHECKING:
    from sqlite3 import Connection, DatabaseError

MOST = 1 << 30  # maximum size of the database in bytes
LARGEST = 1 << 26  # bytes; larger answers aren't cached
PATIENCE = 5.0  # seconds to wait until other processes have written
ROWS = 128  # queued rows that are written at once
SECONDS = 1.0  # seconds since the last write after which fewer rows are written too
KEY = "SHAPESMT_CACHE_KEY"
NAME = "answers-1.sqlite"  # the number changes with the layout
_PAGE = 4096
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, sum BLOB NOT NULL, text BLOB NOT NULL)"
_OLDEST = """DELETE FROM answers WHERE rowid <=
    (SELECT rowid FROM answers ORDER BY rowid LIMIT 1 OFFSET (SELECT count(*) FROM answers) / 4)"""
_TEMPORARY = ("locked", "readonly", "unable to open", "full")  # words in SQLite's messages about errors that may pass


class Entry(NamedTuple):
    """An answer in the cache: its key and its text."""

    key: bytes
    text: bytes


def prepare_folder(folder: str) -> str:
    """Create the folder of a cache and return its absolute path.

    Raises:
        UsageError: The folder can't be created, or the key for signatures is empty.
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
    """Return the SHA-256 digest of the concatenated `contents`."""
    digest = sha256()
    for content in contents:
        digest.update(content)
    return digest.digest()


@contextmanager
def open_answers(folder: str, *, writing: bool = False) -> Iterator[Answers]:
    """Open the answers in a folder for the block; queued ones are written when it ends.

    Raises:
        UsageError: `writing` can never succeed there, for example because the file system has no locks.
    """
    opened = Answers(folder, writing=writing)
    try:
        yield opened
    finally:
        opened.close()


class Answers:
    """The answers in a folder, for one thread.

    Args:
        folder: The folder; with "", nothing is found or written.
        writing: Whether `keep` writes to the folder.
    """

    def __init__(self, folder: str, *, writing: bool = False) -> None:
        self._path = Path(folder, NAME)
        self._writing = writing
        self._locked = False
        self._entries: list[Entry] = []
        self._written = time.monotonic()
        self._key = os.fsencode(os.environ.get(KEY, ""))
        self._database = self._connect() if folder else None
        error = self._write() if folder and writing else None
        if error is not None and not any(word in str(error) for word in _TEMPORARY):
            raise UsageError(f"cannot keep answers in {printable(str(self._path))}: {error}")

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the cached texts of some keys, a few hundred at most; {} if the database can't be read."""
        if self._database is None or self._locked:
            return {}
        from sqlite3 import Error

        try:
            which = ",".join("?" * len(keys))
            rows = self._database.execute(f"SELECT key, sum, text FROM answers WHERE key IN ({which})", keys)  # noqa: S608
            return {k: text for k, stated, text in rows if stated == self._sum(k, text)}
        except (Error, TypeError, MemoryError) as error:  # it is damaged, or has rows that shapesmt didn't write
            self._locked = "locked" in str(error)  # don't wait for the lock again
            return {}

    def keep(self, entry: Entry) -> None:
        """Queue an answer, and write the queue if it is long or old; if writing fails, nothing is cached any more."""
        if len(entry.text) <= LARGEST:
            self._entries.append(entry)
        if len(self._entries) >= ROWS or time.monotonic() > self._written + SECONDS:
            self._write()

    def close(self) -> None:
        """Write the queue and close the database."""
        if self._entries:
            self._write()
        if self._database is not None:
            self._database.close()

    def _write(self) -> DatabaseError | None:
        """Write the queue; if that fails, return the error and write nothing from then on."""
        rows = [(*entry, self._sum(*entry)) for entry in self._entries]
        self._entries, self._written = [], time.monotonic()
        error = self._insert(rows)
        if error is not None and self._repair(error):
            error = self._insert(rows)
        self._writing = error is None
        return error

    def _sum(self, key: bytes, text: bytes) -> bytes:
        """Return the digest of a row, or its signature if `SHAPESMT_CACHE_KEY` is set."""
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
                    database.execute("PRAGMA synchronous = OFF")  # digests show which rows a crash has damaged
                    database.execute("BEGIN IMMEDIATE")
                    database.execute(_TABLE)
                    database.executemany("INSERT OR REPLACE INTO answers (key, text, sum) VALUES (?, ?, ?)", rows)
            except DatabaseError as error:
                return error
        return None

    def _repair(self, error: DatabaseError) -> bool:
        """Remove a damaged database, or the oldest rows of a full one; return whether to write again."""
        from sqlite3 import DatabaseError

        if type(error) is DatabaseError:  # only damage raises the base class itself
            self._remove()
            self._database = self._connect()
            return True
        with suppress(DatabaseError):
            return self._database is not None and "full" in str(error) and self._database.execute(_OLDEST).rowcount > 0
        return False

    def _connect(self) -> Connection | None:
        """Connect to the database; None if there is none to read, or the path isn't a file."""
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
            return connect(where, timeout=PATIENCE, isolation_level=None, uri=True)
        return None

    def _remove(self) -> None:
        if self._database is not None:
            self._database.close()
        for path in (self._path, self._path.with_name(f"{NAME}-journal")):
            with suppress(OSError):
                path.unlink()
