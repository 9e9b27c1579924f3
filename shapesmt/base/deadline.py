"""Deadlines that stop long-running work, and a stopwatch that measures the stages of a call.

Long-running work runs inside `limit` and often calls `look`, which raises `TimeUp` after the deadline. The stage that
set the deadline catches it and reports its result as "not known". `measure_stages` returns the seconds of each stage.

Only the user's timeout is one of the clock. The limits inside it (`within`) are of processor time, so that answers on a
busy machine are those on a quiet one.

    >>> from contextlib import suppress
    >>> with suppress(TimeUp), limit(Deadline(0)):
    ...     look()
    ...     print("never")
    >>> with measure_stages() as stopwatch:
    ...     with stage("reading"), stage("looking up"):
    ...         pass
    >>> sorted(stopwatch.seconds)
    ['everything else, such as starting up', 'looking up', 'reading']

The time of an inner stage doesn't count for the outer one, so that the times add up to the total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from threading import local
from time import monotonic, perf_counter, thread_time
from typing import TypeVar

from shapesmt.base.errors import OutOfTimeError, UsageError, printable

ENDLESS = 1e18  # seconds; longer timeouts are shortened to this
Answer = TypeVar("Answer")


class TimeUp(BaseException):
    """The current deadline has passed."""


class TooLargeError(TimeUp, OverflowError):
    """Numbers are too large to compute with, or too many to try: to stages around it, the same as `TimeUp`."""


class Deadline:
    """The moment at which work must stop: `seconds` after `since`, a `monotonic()` time (default: now); None is never.

    Attributes:
        end: The moment, by the clock.
        work: The `processor_time()` at which it must stop even before; inf if that isn't limited.

    >>> Deadline(0).expired, Deadline(None).remaining
    (True, inf)
    """

    __slots__ = ("end", "work")

    def __init__(self, seconds: float | None, since: float | None = None) -> None:
        self.end = inf if seconds is None else (monotonic() if since is None else since) + seconds
        self.work = inf

    @property
    def remaining(self) -> float:
        """The seconds of the clock that are left, at least 0."""
        return max(0.0, self.end - monotonic())

    @property
    def working(self) -> float:
        """The seconds of processor time that are left, at least 0; inf if they aren't limited."""
        return self.work if self.work == inf else max(0.0, self.work - processor_time())

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return monotonic() >= self.end or (self.work < inf and processor_time() >= self.work)

    def within(self, seconds: float) -> Deadline:
        """Return this deadline, or one that passes after `seconds` of processor time if that is earlier."""
        sooner = Deadline(None)
        sooner.end, sooner.work = self.end, min(self.work, processor_time() + seconds)
        return sooner

    def attempt(self, work: Callable[[], Answer], otherwise: Answer) -> Answer:
        """Call `work` and return its result, or `otherwise` if the deadline passes first.

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
        """Call `work` and return its result; unlike `attempt`, raise an error if the deadline passes first.

        Raises:
            OutOfTimeError: The deadline passes first; the message begins with `what`.
        """
        try:
            with limit(self):
                return work()
        except TimeUp:
            raise OutOfTimeError(f"{what} in the time given; a longer --timeout may do") from None


def seconds(timeout: float) -> float:
    """Return a user's timeout in seconds as a float; above `ENDLESS`, return `ENDLESS`.

    Raises:
        UsageError: The timeout is negative or not a number.

    >>> seconds(2.5)
    2.5
    """
    if timeout >= 0:
        return float(min(timeout, ENDLESS))
    raise UsageError(f"a timeout is a number of seconds, not {printable(repr(timeout))}")


class _Spent(local):
    """The seconds of processor time that other processes worked for a thread."""

    seconds = 0.0


_SPENT = _Spent()


def processor_time() -> float:
    """Return the seconds of processor time of this thread, and of what other processes worked for it (`spend`)."""
    return thread_time() + _SPENT.seconds


def spend(seconds: float) -> None:
    """Count the processor time that another process worked for this thread."""
    _SPENT.seconds += seconds


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def limit(deadline: Deadline | None) -> Iterator[None]:
    """Make `deadline` the current one inside the block, instead of the enclosing block's; None means no deadline."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def look(*, hopeless: bool = False) -> None:
    """Raise `TimeUp` if the current deadline has passed or, with `hopeless`, if there is a deadline at all.

    Callers set `hopeless` for work that is known to take too long; without a deadline it runs nevertheless.

    Raises:
        TimeUp: The deadline has passed, or the work can't meet it.
    """
    deadline = _CURRENT.get()
    if deadline is not None and (hopeless or deadline.expired):
        raise TimeUp


def remaining() -> float:
    """Return the seconds until the current deadline; inf without one."""
    deadline = _CURRENT.get()
    return inf if deadline is None else deadline.remaining


REST = "everything else, such as starting up"


class Stopwatch:
    """Measures the seconds spent in each stage so far (`seconds`), and counts how often it was entered (`times`)."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {REST: 0.0}
        self.times: Counter[str] = Counter()
        self._open = [REST]
        self._since = perf_counter()

    def enter(self, name: str) -> None:
        """Begin a stage, and stop the clock of the stage around it."""
        self._count()
        self._open.append(name)
        self.times[name] += 1

    def leave(self) -> None:
        """End the stage that began last."""
        self._count()
        self._open.pop()

    def _count(self) -> None:
        now, name = perf_counter(), self._open[-1]
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now

    def lines(self) -> list[str]:
        """Return a line for each stage, the longest first, and a line with the sum."""
        order = sorted(self.seconds, key=lambda name: -self.seconds[name])
        often = {name: f", {count:,} times" for name, count in self.times.items() if count > 1}
        rows = [f"{self.seconds[name]:8.3f} s  {name}{often.get(name, '')}" for name in order]
        return [*rows, f"{sum(self.seconds.values()):8.3f} s  together"]


_STOPWATCH: ContextVar[Stopwatch | None] = ContextVar("stopwatch", default=None)


@contextmanager
def measure_stages() -> Iterator[Stopwatch]:
    """Yield a `Stopwatch` that measures each `stage` entered inside the block."""
    stopwatch = Stopwatch()
    token = _STOPWATCH.set(stopwatch)
    try:
        yield stopwatch
    finally:
        stopwatch.leave()
        _STOPWATCH.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Add the time inside the block to the stage `name`; do nothing outside of `measure_stages`."""
    stopwatch = _STOPWATCH.get()
    if stopwatch is None:
        yield
        return
    stopwatch.enter(name)
    try:
        yield
    finally:
        stopwatch.leave()
