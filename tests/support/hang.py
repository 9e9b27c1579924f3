"""A timeout for code that might never end; it is too long to tell whether the code is slow."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 120  # seconds, on the busiest machine


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail if the block runs for more than `PATIENCE` seconds; without effect on systems without alarms (Windows)."""
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
