"""Deadline: when to give up, handed down from the caller to every query, and kept by all work in between.

Work that may take long stands inside `limit`, and looks at the clock now and then (`look`). When time is up it ends
with `TimeUp`, which the stage that began it takes as "not known".

    >>> with suppress(TimeUp), limit(Deadline(0)):
    ...     look()
    ...     print("never")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import TypeVar

from shapesmt.errors import OutOfTimeError, UsageError, printable

__all__ = ["Deadline", "TimeUp", "limit", "look", "seconds", "suppress"]


ENDLESS = 1e18  # seconds: so much is no limit
Answer = TypeVar("Answer")


class TimeUp(BaseException):
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

    def attempt(self, work: Callable[[], Answer], otherwise: Answer) -> Answer:
        """What the work gives; `otherwise` where it isn't done by then.

        >>> Deadline(None).attempt(lambda: 6 * 7, 0), Deadline(0).attempt(lambda: 6 * 7, 0)
        (42, 0)
        """
        try:
            with limit(self):
                look()
                return work()
        except TimeUp:
            return otherwise

    def require(self, work: Callable[[], Answer], what: str) -> Answer:
        """What the work gives, without which there is no answer.

        Raises:
            OutOfTimeError: It isn't done by then.
        """
        try:
            with limit(self):
                return work()
        except TimeUp:
            raise OutOfTimeError(f"{what} in the time given; a longer --timeout may do") from None


def seconds(timeout: float) -> float:
    """A time to wait, as a user gives it.

    Raises:
        UsageError: It is none.

    >>> seconds(2.5)
    2.5
    """
    if timeout >= 0:
        return float(min(timeout, ENDLESS))
    raise UsageError(f"a timeout is a number of seconds, not {printable(repr(timeout))}")


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def limit(deadline: Deadline | None) -> Iterator[None]:
    """What runs inside has until then; with None it has no limit, whatever is outside."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def look(*, hopeless: bool = False) -> None:
    """End the work that the current deadline limits, if it has passed or (`hopeless`) can't be kept.

    Raises:
        TimeUp: It has.
    """
    deadline = _CURRENT.get()
    if deadline is not None and (hopeless or monotonic() >= deadline.end):
        raise TimeUp
