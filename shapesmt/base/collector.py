"""Collector: pause Python's garbage collector in stages that build many objects and no cycles."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock, local

LOCK = RLock()


class _Own(local):
    """The number of active pauses of the current thread."""

    pauses = 0


class _State:
    """The state that all threads share: the active pauses, and the thresholds to restore after the last."""

    pauses = 0
    """The number of pauses."""
    threshold = (0, 0, 0)
    """The collector's thresholds before the first pause."""


_OWN = _Own()


def _resume_if_none() -> None:
    if not _State.pauses and not gc.get_threshold()[0]:
        gc.set_threshold(*_State.threshold)


def _after_fork() -> None:
    """Drop the pauses of other threads: a forked process has only the thread that forked."""
    if _State.pauses:
        _State.pauses = _OWN.pauses
        _resume_if_none()
    LOCK.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=_after_fork)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector inside the block: for stages that build many small objects and no cycles among them.

    It sets the collection threshold to 0, and restores it after the last pause of any thread. So `gc.enable()` and
    `gc.disable()` in other code keep their effect, and a threshold that other code sets during a pause stays.

    >>> with gc_paused():
    ...     gc.get_threshold()[0]
    0
    """
    counted = False
    try:
        with LOCK:
            if not _State.pauses:
                _State.threshold = gc.get_threshold()
                gc.set_threshold(0)
            _State.pauses += 1
            _OWN.pauses += 1
            counted = True
        yield
    finally:
        if counted:
            with LOCK:
                _State.pauses -= 1
                _OWN.pauses -= 1
                _resume_if_none()
