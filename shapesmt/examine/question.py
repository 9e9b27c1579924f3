"""Question: what a caller asks of a model, and what he says of its inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from shapesmt.errors import UsageError, printable
from shapesmt.examine.inputs import ValueLike
from shapesmt.language import Origin, RangeLike, ShapeLike

TIMEOUT = 60.0
"""Seconds after which what is undecided is reported as undecided."""


class Claims(str, Enum):
    """What becomes of the shapes that the file declares of inner tensors and outputs."""

    CHECK = "check"  # they are compared with what is inferred
    TRUST = "trust"  # they count where nothing could be inferred
    IGNORE = "ignore"  # nobody looks at them
    OVERRIDE = "override"  # what is inferred takes their place


@dataclass(frozen=True)
class Question:
    """The options of every question; those from `declared` on matter to some questions only.

    Attributes:
        dims: The range of each named input dimension.
        shapes: Shapes of inputs, over the file's.
        values: Elements of small inputs, by the input or the element.
        assume: Relations between dimensions; a mapping has the origin of each.
        timeout: Seconds after which what is undecided is reported as undecided.
        declared: What becomes of the shapes that the file declares, as text.
        certify: Whether the solver decides the complete system as well.
        strict: Whether a warning fails.
        replay: Whether every counterexample is run.

    >>> Question({"batch": "1..32"}, declared="trust").claims is Claims.TRUST
    True
    """

    dims: Mapping[str, RangeLike] | None = None
    shapes: Mapping[str, ShapeLike] | None = None
    values: Mapping[str, ValueLike] | None = None
    assume: Iterable[str] | Mapping[str, Origin] | None = None
    timeout: float = TIMEOUT
    declared: str = Claims.IGNORE.value
    certify: bool = False
    strict: bool = False
    replay: bool = False

    @property
    def claims(self) -> Claims:
        """What becomes of declared shapes.

        Raises:
            UsageError: `declared` is no such thing.
        """
        try:
            return Claims(self.declared)
        except ValueError:
            words = ", ".join(claims.value for claims in Claims)
            raise UsageError(f"declared is one of {words}, not {printable(repr(self.declared))}") from None


NO_OPTIONS = Question()
"""Nothing but what the file says."""
