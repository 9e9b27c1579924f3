"""Interning: tables in which equal things are one object, whichever thread asks, and which can be forgotten.

    >>> table = Table("texts by their length", len)
    >>> "abc" if table.get(3) is None else "there"
    'abc'
    >>> table.make(3, str, "abc"), table.make(3, str, "xyz"), table.get(3)
    ('abc', 'abc', 'abc')
    >>> TABLES.remove(table)

What is there is looked up without a lock (`get`); what isn't is made under the one lock of all tables (`make`), whole
before another thread sees it. A `WeakTable` keeps what somebody holds, for objects that files bring along and that may
be large. Tables that only save work (`memo`) need no lock: the same answer twice does no harm.

`forget` drops what nobody holds any more: whoever keeps an expression finds it, and all that it is made of, to be the
same objects afterwards.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Generic, TypeVar, cast
from weakref import WeakValueDictionary, ref

from shapesmt.deadline import look
from shapesmt.memory import gc_paused

__all__ = ["LIMIT", "Table", "WeakTable", "entries_of", "forget", "memo", "one_call", "sizes"]

LIMIT = 250_000
"""Entries of all tables together that are kept from one call for the next: some 200 MB."""
BETWEEN_LOOKS = 64  # entries of a table that are made from one look at the clock to the next
LOCK = RLock()

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


class Table(dict[Key, Entry], Generic[Key, Entry]):
    """The objects of one kind, called `name`, by what they are made of; `key` says that of an object.

    `parts` gives what an object refers to by number only, where there is any; it is kept with it (as `held`).
    """

    def __init__(self, name: str, key: Callable[[Entry], Key], parts: Callable[[Entry], object] | None = None) -> None:
        super().__init__()
        self.name = name
        self.key = key
        self.parts = parts
        TABLES.append(self)

    def make(self, key: Key, build: Callable[..., Entry], *parts: Any) -> Entry:
        """The object of that key; where there is none, the one that is built of these parts."""
        if not len(self) % BETWEEN_LOOKS:
            look()
        with LOCK:
            entry = self.get(key)
            if entry is None:
                entry = self[key] = build(*parts)
            return entry

    def hold(self) -> None:
        """Have every object keep its parts."""
        if self.parts is not None:
            for entry in self.values():
                cast("Any", entry).held = self.parts(entry)

    def restore(self, entries: Iterable[Entry]) -> None:
        """Take back what somebody holds."""
        for entry in entries:
            self[self.key(entry)] = entry
            if self.parts is not None:
                del cast("Any", entry).held


class WeakTable(WeakValueDictionary[Key, Entry], Generic[Key, Entry]):
    """The objects of one kind, called `name`, that somebody holds, by what they are made of."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        WEAK_TABLES.append(self)

    def make(self, key: Key, build: Callable[..., Entry], *parts: Any) -> Entry:
        """The object of that key; where there is none, the one that is built of these parts."""
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
    """A dictionary or a set that only saves work: it is emptied where tables are forgotten.

    `count` says how many entries it has, where its values are tables.
    """
    assert name not in MEMOS, name
    MEMOS[name] = empty, count
    return empty


def entries_of(tables: dict[Any, dict[Any, Any]]) -> int:
    """How many entries several tables have together."""
    return sum(map(len, tables.values()))


def sizes() -> dict[str, int]:
    """How many entries each table has."""
    tables = {table.name: len(table) for table in TABLES} | {table.name: len(table) for table in WEAK_TABLES}
    return tables | {name: count(remembered) for name, (remembered, count) in MEMOS.items()}


def forget() -> None:
    """Drop what is remembered of earlier calls and what nobody holds; no other thread may be inside a call."""
    with LOCK:
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
    """The calls of the library that are under way, in all threads."""

    count = 0


@contextmanager
def one_call() -> Iterator[None]:
    """One call of the library: nothing is collected inside, and the first of those under way starts with little kept.

    >>> with one_call():
    ...     gc.isenabled()
    False
    """
    with LOCK:
        if not _Calls.count and sum(sizes().values()) > LIMIT:
            forget()
        _Calls.count += 1
    try:
        with gc_paused():
            yield
    finally:
        with LOCK:
            _Calls.count -= 1
