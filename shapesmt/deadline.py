"""Deadline: when to give up, handed down from the caller to every query, and kept by all work in between.

Work that may take long stands inside `limit`, and looks at the clock now and then (`look`). When time is up it ends
with `TimeUp`, which the stage that began it takes as "not known".

    >>> with suppress(TimeUp), limit(Deadline(0)):
    ...     look()
    ...     print("never")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import monotonic

__all__ = ["Deadline", "TimeUp", "limit", "look", "suppress"]


class TimeUp(Exception):  # noqa: N818 - no error: work that was to end by then
    """The current deadline has passed."""


class Deadline:
    """The moment at which to stop.

    >>> Deadline(0).expired, Deadline(None).remaining
    (True, inf)
    """

    __slots__ = ("end",)

    def __init__(self, seconds: float | None) -> None:
        self.end = float("inf") if seconds is None else monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Seconds left, not below 0."""
        return max(0.0, self.end - monotonic())

    @property
    def expired(self) -> bool:
        """Whether it is over."""
        return monotonic() >= self.end

    def within(self, seconds: float) -> Deadline:
        """The earlier of this one and that many seconds from now."""
        sooner = Deadline(seconds)
        return sooner if sooner.end < self.end else self


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def limit(deadline: Deadline | None) -> Iterator[None]:
    """What runs inside has until then; with None it has no limit, whatever is outside."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def look() -> None:
    """End the work that the current deadline limits, if it has passed.

    Raises:
        TimeUp: It has.
    """
    deadline = _CURRENT.get()
    if deadline is not None and monotonic() >= deadline.end:
        raise TimeUp
