"""Interning: tables in which equal objects are one object, in all threads, and whose unused entries can be dropped.

    >>> table = Table("texts by their length", len)
    >>> "abc" if table.get(3) is None else "there"
    'abc'
    >>> table.make(3, str, "abc"), table.make(3, str, "xyz"), table.get(3)
    ('abc', 'abc', 'abc')
    >>> TABLES.remove(table)

Existing entries are looked up without a lock (`get`); new ones are built under the lock that all tables share (`make`),
so that no other thread sees an incomplete one. A `WeakTable` retains only objects that are referenced elsewhere: for
constants from files, which may be large. Caches (`memo`) need no lock: computing a result twice does no harm.

`forget` drops the entries that nothing else references, as soon as no call is running. An expression that is still
referenced, and all its parts, remain the same objects.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock, get_ident
from typing import Any, ClassVar, Generic, TypeVar, cast
from weakref import WeakValueDictionary, ref

from shapesmt.base.collector import gc_paused
from shapesmt.base.deadline import look

LIMIT = 250_000
"""The maximum entries of all tables together, about 200 MB; above it, the next call drops unused ones first."""
BETWEEN_LOOKS = 64  # new entries of a table between two checks of the deadline
LOCK = RLock()
PATIENCE = 10.0
"""The seconds that a new call waits for a pending `forget`; if earlier calls take longer, it starts before."""

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


class Table(dict[Key, Entry], Generic[Key, Entry]):
    """The objects of one kind by their key, such as operation and arguments.

    Args:
        name: The name of the kind, in `sizes`.
        key: Computes the key of an object.
        parts: Returns the objects that an object refers to only by number, which `hold` keeps alive; None if none.
    """

    def __init__(self, name: str, key: Callable[[Entry], Key], parts: Callable[[Entry], object] | None = None) -> None:
        super().__init__()
        self.name = name
        self.key = key
        self.parts = parts
        TABLES.append(self)

    def make(self, key: Key, build: Callable[..., Entry], *parts: Any) -> Entry:
        """Return the object with that key; if there is none, build it from `parts` and enter it."""
        if not len(self) % BETWEEN_LOOKS:
            look()
        with LOCK:
            entry = self.get(key)
            if entry is None:
                entry = self[key] = build(*parts)
            return entry

    def hold(self) -> None:
        """Let every object reference its parts by its attribute `held`."""
        if self.parts is not None:
            for entry in self.values():
                cast("Any", entry).held = self.parts(entry)

    def restore(self, entries: Iterable[Entry]) -> None:
        """Enter these objects again, and undo `hold`."""
        for entry in entries:
            self[self.key(entry)] = entry
            if self.parts is not None:
                del cast("Any", entry).held


class WeakTable(WeakValueDictionary[Key, Entry], Generic[Key, Entry]):
    """The objects of one kind by their key, as long as they are referenced elsewhere."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        WEAK_TABLES.append(self)

    def make(self, key: Key, build: Callable[..., Entry], *parts: Any) -> Entry:
        """Return the object with that key; if there is none, build it from `parts` and enter it."""
        with LOCK:
            entry = self.get(key)
            if entry is None:
                entry = self[key] = build(*parts)
            return entry


TABLES: list[Table[Any, Any]] = []
WEAK_TABLES: list[WeakTable[Any, Any]] = []
MEMOS: dict[str, tuple[Any, Callable[[Any], int]]] = {}

AnyMemo = TypeVar("AnyMemo", bound="dict[Any, Any] | set[Any]")


def memo(name: str, empty: AnyMemo, count: Callable[[AnyMemo], int] = len) -> AnyMemo:
    """Register the dictionary or set `empty` as a cache that `forget` empties, and return it; `sizes` lists its name.

    `count` returns its number of entries, which isn't its length if its values are tables.
    """
    assert name not in MEMOS, name
    MEMOS[name] = empty, count
    return empty


def entries_of(tables: dict[Any, dict[Any, Any]]) -> int:
    """Return the number of entries of several tables together."""
    return sum(map(len, tables.values()))


def sizes() -> dict[str, int]:
    """Return the number of entries of each table and cache, by name."""
    tables = {table.name: len(table) for table in TABLES} | {table.name: len(table) for table in WEAK_TABLES}
    return tables | {name: count(remembered) for name, (remembered, count) in MEMOS.items()}


def forget() -> None:
    """Empty the caches and drop unreferenced entries: at once, or when the last of the running calls ends.

    Calls that start in the meantime wait for it (`PATIENCE`), so that overlapping calls can't put it off for ever.
    """
    with LOCK:
        _Calls.forgetting = bool(_Calls.running)
        if not _Calls.forgetting:
            _forget()
            _Calls.forgot.notify_all()


def _forget() -> None:
    """Empty the caches and drop unreferenced entries now; no call may be running."""
    for remembered, _ in MEMOS.values():
        remembered.clear()
    for table in TABLES:
        table.hold()
    entries = [(table, [*map(ref, table.values())]) for table in TABLES]
    for table in TABLES:
        table.clear()
    gc.collect()
    for table, references in entries:
        table.restore(filter(None, (reference() for reference in references)))


class _Calls:
    """The running calls of the library, of all threads."""

    running: ClassVar[Counter[int]] = Counter()
    """The number of running calls in each thread that has any."""
    forgetting = False
    """Whether the last call to end calls `forget`."""
    forgot: ClassVar[Condition] = Condition(LOCK)
    """The condition that `forget` notifies after dropping entries."""


def _after_fork() -> None:
    """Drop the calls of other threads in a forked process, which has only the thread that forked."""
    _Calls.running &= Counter({get_ident(): _Calls.running[get_ident()]})
    LOCK.release()


if hasattr(os, "register_at_fork"):  # no table is half-changed at a fork, and the lock is free
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=_after_fork)


def forget_between(most: int) -> None:
    """Call `forget` if tables and caches have more than `most` entries together, unless a call is running."""
    with LOCK:
        if not _Calls.running and sum(sizes().values()) > most:
            forget()


@contextmanager
def one_call() -> Iterator[None]:
    """Run the block as one call of the library, with garbage collection paused; `forget` unused entries first.

    Entries are dropped only if there are more than `LIMIT` and no other call is running.

    >>> with one_call():
    ...     gc.get_threshold()[0]
    0
    """
    counted, thread = False, get_ident()
    try:
        with LOCK:
            if not _Calls.running[thread]:
                _Calls.forgot.wait_for(lambda: not (_Calls.forgetting and _Calls.running), PATIENCE)
            forget_between(LIMIT)
            _Calls.running[thread] += 1
            counted = True
        with gc_paused():
            yield
    finally:
        if counted:
            with LOCK:
                _Calls.running[thread] -= 1
                _Calls.running += Counter()  # drops threads without calls
                if _Calls.forgetting and not _Calls.running:
                    forget()
