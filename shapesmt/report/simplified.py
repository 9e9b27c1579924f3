"""What was written of a model, or why nothing was: with fewer nodes by `simplify`, with its shapes by `tighten`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from shapesmt.algebra import Verdict
from shapesmt.report.bounds import Bounds
from shapesmt.report.data import OMIT_EMPTY, Answer, Data, Json
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
    admissible: str = field(default="", metadata=OMIT_EMPTY)
    """The inputs for which alone the file is right, as its metadata say; "" if it is for all that it declares."""
    defaults: tuple[str, ...] = field(default=(), metadata=OMIT_EMPTY)
    """The inputs with a value that a caller may replace."""
    trusted: bool = field(default=False, metadata=OMIT_EMPTY)
    """Whether rewrites rest on the ranges and relations given, and on these values."""

    @property
    def exit_status(self) -> int:
        """1 where nothing is written, else 0."""
        return 1 if self.written is None else 0


@dataclass(frozen=True)
class Tightened(Answer):
    """The answer of `tighten`: the bounds, and the path of the file; None where nothing was written.

    Nothing is written of a model that fails for some admissible input, unless only the valid ones are meant: a compiler
    that trusts the shapes would accept inputs that fail. `remedy` says with which ranges it is written.

    >>> refused = Tightened(Bounds("m.onnx", {}, {}, verdict=Verdict.DEPENDS), None)
    >>> refused.to_dict()["written"], refused.exit_status
    (None, 1)
    """

    bounds: Bounds
    written: str | None
    remedy: Remedy | None = None
    simplified: Simplified | None = None
    """The rewrites of its nodes, where these were asked for."""
    admissible: str = ""
    """The inputs for which alone the file is right, as its metadata say; "" if it is for all that it declares."""

    @property
    def verdict(self) -> Verdict | None:
        """Whether the model runs for every admissible input."""
        return self.bounds.verdict

    def to_dict(self) -> Json:
        """The JSON of the bounds, with the path."""
        remedy = {} if self.remedy is None else {"remedy": self.remedy.to_dict()}
        nodes = self.simplified.to_dict() if self.simplified is not None else {}
        rewrites = {key: nodes[key] for key in ("nodes_before", "nodes_after", "rewrites") if nodes}
        only = {"admissible": self.admissible} if self.admissible else {}
        return {**self.bounds.to_dict(), "written": self.written, **only, **remedy, **rewrites}

    @property
    def exit_status(self) -> int:
        """1 where nothing is written, 3 when some end isn't exact, else 0."""
        return 1 if self.written is None else self.bounds.exit_status
