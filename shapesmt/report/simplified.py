"""Simplified: the rewrites that made a model smaller, or why nothing was written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from shapesmt.algebra import Verdict
from shapesmt.report.data import OMIT_EMPTY, Answer, Data
from shapesmt.report.report import Precondition, Remedy


@dataclass(frozen=True, slots=True)
class Rewritten(Data):
    """One node that was removed or changed, by which rule, and the identity that the rule rests on.

    >>> Rewritten("identity", "copy", "Identity", "Identity returns its input").to_dict()["rule"]
    'identity'
    """

    rule: str
    node: str
    op: str
    reason: str


@dataclass(frozen=True)
class Simplified(Answer):
    """The answer of `simplify`: the nodes before and after, each rewrite, and the path of the file.

    `written` is None where nothing was written: of a model that fails for some admissible input, unless only the valid
    ones are meant. `precondition` then says which they are, and `remedy` with which ranges it is written. Constants
    don't count as nodes.

    >>> Simplified("m.onnx", Verdict.DEPENDS, None).exit_status
    1
    """

    schema: ClassVar[str] = "shapesmt/simplify/1"
    model: str
    verdict: Verdict
    written: str | None
    before: int = field(default=0, metadata={"key": "nodes_before"})
    after: int = field(default=0, metadata={"key": "nodes_after"})
    seconds: float = 0.0
    rewrites: tuple[Rewritten, ...] = ()
    precondition: Precondition | None = field(default=None, metadata=OMIT_EMPTY)
    remedy: Remedy | None = field(default=None, metadata=OMIT_EMPTY)
    runs: int = field(default=0, metadata={"key": "runs_compared"})
    """The number of sizes at which both files were run."""
    exact: bool = field(default=True, metadata={"key": "bits_compared"})
    """Whether these gave the same bits; with floats of 16 bits, about the same numbers."""

    @property
    def exit_status(self) -> int:
        """1 where nothing is written, else 0."""
        return 1 if self.written is None else 0
