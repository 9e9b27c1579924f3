"""Question: the options of an analysis, including the caller's declarations about the inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from time import monotonic
from typing import TypeVar

from shapesmt.base.deadline import Deadline, seconds
from shapesmt.base.errors import UsageError, printable
from shapesmt.base.frozen import frozen
from shapesmt.network.declarations import Origin, RangeLike, ShapeLike, ValueLike

Content = TypeVar("Content")
TIMEOUT = 60.0
"""The default time limit in seconds; requirements left after it are reported as undecided."""


GUARDS = ("check", "ignore")
"""The options for a program's guards: "check" them like requirements of nodes, or "ignore" them."""

SESSIONS = ("default", "file")
"""A question is about the file and ONNX Runtime's default session, which rewrites some nodes, or the file alone."""

_HOLDS = {
    "dims": 'ranges, as {"batch": "1..32"}',
    "shapes": 'shapes, as {"image": "[1,3,h,w]"}',
    "values": 'elements, as {"sr": 16000}',
}


class Claims(str, Enum):
    """The use of the shapes that the file declares for intermediate tensors and outputs."""

    CHECK = "check"  # compared with the inferred shapes
    TRUST = "trust"  # used for tensors of unknown rank
    IGNORE = "ignore"  # not used
    OVERRIDE = "override"  # replaced by the inferred shapes


@frozen()
class Question:
    """The options of an analysis; those from `declared` on matter to some analyses only.

    Attributes:
        dims: The range of each named input dimension.
        shapes: Shapes of inputs, which take precedence over the file's.
        values: Elements of small inputs, by the name of the input or of the element.
        assume: Relations between dimensions; a mapping has the origin of each.
        timeout: The time limit in seconds; requirements left after it are reported as undecided.
        declared: The use of the shapes that the file declares, as the text of a `Claims`; None ignores them.
        certify: Whether the solver decides the complete system as well.
        strict: Whether a warning counts as a failure.
        replay: Whether every counterexample is run in a runtime.
        target: The runtime that a model is written for.
        written: The tensors whose shapes are written into it: "all", "outputs" or "none".
        guards: The use of the conditions that a program checks before a run: "check" or "ignore".
        session: What is asked about: "default", the file and ONNX Runtime's default session, or "file" (None) alone.
        samples: The dimensions that count samples, which have to stay apart; a single name may be a text.
        started: When the question was asked; the time limit counts from then.

    >>> Question({"batch": "1..32"}, declared="trust").claims is Claims.TRUST
    True
    """

    dims: Mapping[str, RangeLike] | None = None
    shapes: Mapping[str, ShapeLike] | None = None
    values: Mapping[str, ValueLike] | None = None
    assume: Iterable[str] | Mapping[str, Origin] | None = None
    timeout: float = TIMEOUT
    declared: str | None = None
    certify: bool = False
    strict: bool = False
    replay: bool = False
    target: str | None = None
    written: str | None = None
    guards: str = "check"
    session: str | None = None
    samples: Iterable[str] = ()
    started: float = field(default_factory=monotonic, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse arguments of a wrong type, naming them."""
        for name, holds in _HOLDS.items():
            _require_mapping(name, getattr(self, name), holds)
        if isinstance(self.assume, str):
            object.__setattr__(self, "assume", (self.assume,))
        elif self.assume is not None and not isinstance(self.assume, Iterable):
            raise UsageError(f"assume lists relations; it isn't {printable(repr(self.assume), 60)}")
        elif not isinstance(self.assume, (Mapping, type(None))):
            object.__setattr__(self, "assume", tuple(self.assume))
        if not isinstance(self.samples, Iterable):
            raise UsageError(f"samples lists names of dimensions; it isn't {printable(repr(self.samples), 60)}")
        names = (self.samples,) if isinstance(self.samples, str) else tuple(self.samples)
        object.__setattr__(self, "samples", names)
        if self.guards not in GUARDS:
            raise UsageError(f"guards is one of {', '.join(GUARDS)}, not {printable(repr(self.guards))}")
        if self.session not in (*SESSIONS, None):
            raise UsageError(f"session is one of {', '.join(SESSIONS)}, not {printable(repr(self.session))}")
        timeout: object = self.timeout
        if not isinstance(timeout, (int, float)):
            raise UsageError(f"timeout is a number of seconds, not {printable(repr(timeout), 60)}")

    @property
    def deadline(self) -> Deadline:
        """The deadline that the timeout sets.

        Raises:
            UsageError: The timeout is negative.
        """
        return Deadline(seconds(self.timeout), self.started)

    def read(self, work: Callable[[], Content]) -> Content:
        """Return the result of `work`, which reads a model, within the timeout.

        Raises:
            OutOfTimeError: Reading takes longer.
        """
        return self.deadline.require(work, "the model isn't read")

    def resumed(self, since: float) -> Question:
        """Return the same question, without the time from `since`, a `monotonic()` time, until now in its limit."""
        return replace(self, started=self.started + monotonic() - since)

    def again(self) -> Question:
        """Return the same question, asked now."""
        return replace(self, started=monotonic())

    @property
    def poses(self) -> str:
        """The options on which the examination of the nodes depends, as text, so that the sizes 1 and 1.0 differ."""
        trust = self.claims is Claims.TRUST
        inputs = self.dims, self.shapes, self.values, self.assume
        return repr((*inputs, self.guards, self.session == SESSIONS[0], trust))

    @property
    def claims(self) -> Claims:
        """The use of declared shapes.

        Raises:
            UsageError: `declared` is not the text of a `Claims`.
        """
        try:
            return Claims.IGNORE if self.declared is None else Claims(self.declared)
        except ValueError:
            words = ", ".join(claims.value for claims in Claims)
            raise UsageError(f"declared is one of {words}, not {printable(repr(self.declared))}") from None


def _require_mapping(name: str, argument: object, holds: str) -> None:
    """Refuse an argument that isn't a mapping of names."""
    if argument is None:
        return
    if not isinstance(argument, Mapping):
        raise UsageError(f"{name} maps names to {holds}; it isn't {printable(repr(argument), 60)}")
    strange = next((key for key in argument if not isinstance(key, str)), None)
    if strange is not None:
        raise UsageError(f"{name} maps names; {printable(repr(strange), 60)} is none")


NO_OPTIONS = Question()
"""The question without options: only the file's own declarations apply."""
