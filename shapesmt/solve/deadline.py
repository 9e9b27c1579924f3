"""Deadline: when to give up, handed down from the caller to every query."""

from __future__ import annotations

from time import monotonic


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
