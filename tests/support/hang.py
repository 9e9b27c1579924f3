"""A guard against code that never ends, which says nothing of how long it takes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 120  # seconds, on the busiest machine


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail where the body hasn't ended after a time in which anything ends (where the system has alarms)."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(*_: object) -> None:
        raise AssertionError(f"it hasn't ended after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
