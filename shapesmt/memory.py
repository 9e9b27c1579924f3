"""Memory: when Python's garbage collector only costs time, and what is kept from one call for the next."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

__all__ = ["gc_paused", "one_call"]

LOCK = RLock()


class _State:
    """Who is inside, over all threads."""

    pauses = 0
    """Those that want no collection."""
    enabled = False
    """Whether the first of them found the collector at work."""
    calls = 0
    """Calls of the library."""


@contextmanager
def gc_paused() -> Iterator[None]:
    """Nothing is collected inside: for stages that build many small objects and no cycles among them.

    Example:
        >>> with gc_paused():
        ...     gc.isenabled()
        False
    """
    with LOCK:
        if not _State.pauses:
            _State.enabled = gc.isenabled()
        _State.pauses += 1
        gc.disable()
    try:
        yield
    finally:
        with LOCK:
            _State.pauses -= 1
            if not _State.pauses and _State.enabled:
                gc.enable()


@contextmanager
def one_call() -> Iterator[None]:
    """One call of the library: nothing is collected inside; the first of those at work finds little kept."""
    from shapesmt.algebra import LIMIT, forget, sizes

    with LOCK:
        if not _State.calls and sum(sizes().values()) > LIMIT:
            forget()
        _State.calls += 1
    try:
        with gc_paused():
            yield
    finally:
        with LOCK:
            _State.calls -= 1
