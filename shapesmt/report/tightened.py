"""Tightened: where the annotated model was written, or why it wasn't."""

from __future__ import annotations

from dataclasses import dataclass

from shapesmt.algebra import Verdict
from shapesmt.report.data import Answer, Json
from shapesmt.report.report import Bounds, Remedy
from shapesmt.report.simplified import Simplified


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

    @property
    def verdict(self) -> Verdict | None:
        """Whether the model runs for every admissible input."""
        return self.bounds.verdict

    def to_dict(self) -> Json:
        """The JSON of the bounds, with the path."""
        remedy = {} if self.remedy is None else {"remedy": self.remedy.to_dict()}
        nodes = self.simplified.to_dict() if self.simplified is not None else {}
        rewrites = {key: nodes[key] for key in ("nodes_before", "nodes_after", "rewrites") if nodes}
        return {**self.bounds.to_dict(), "written": self.written, **remedy, **rewrites}

    @property
    def exit_status(self) -> int:
        """1 where nothing is written, 3 when some end isn't exact, else 0."""
        return 1 if self.written is None else self.bounds.exit_status
