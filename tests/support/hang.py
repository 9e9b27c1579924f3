"""Limits for code that may be slow, in processor time, and for code that may never end, which a busy machine meets too.

The clock says how busy the machine is: no test measures with it how long something takes.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time

from shapesmt.prover.smt import process

PATIENCE = 600  # seconds of the clock after which something counts as never ending, on the busiest machine


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


def processor_time() -> float:
    """Return the seconds of processor time of this thread and of all processes that have ended; stop Z3's first."""
    process._CHILD.stop()
    others = os.times()
    return thread_time() + others.children_user + others.children_system
