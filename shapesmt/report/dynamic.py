"""DynamicShapes: which sizes of a program may vary, as the text that `torch.export` takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from shapesmt.algebra import Verdict
from shapesmt.report.data import OMIT_EMPTY, Answer, Data
from shapesmt.report.finding import SymbolRange
from shapesmt.report.report import Precondition

__all__ = ["DynamicShapes", "StaticAxis"]


@dataclass(frozen=True, slots=True)
class StaticAxis(Data):
    """An axis of an input that was to vary and is a number in the program; no `node` where only the trace needs it."""

    input: str
    axis: int
    size: int
    node: str = field(default="", metadata=OMIT_EMPTY)
    source: str = field(default="", metadata=OMIT_EMPTY)
    """The line of Python that the node comes from."""
    or_one: bool = field(default=False, metadata=OMIT_EMPTY)
    """Whether the node runs for a size of 1 as well, which it broadcasts."""

    @property
    def word(self) -> str:
        """How grave that is: weights need channels to be numbers, which is no surprise."""
        return "note" if self.node else "warning"

    @property
    def words(self) -> str:
        """The axis, and what needs it.

        >>> StaticAxis("x", 1, 7).words
        'x axis 1 is 7 in the program: no node needs it, only the trace'
        >>> StaticAxis("x", 1, 7, "mm", or_one=True).words
        'x axis 1 is 7 in the program: mm needs 7 (or 1)'
        """
        needed = f"{self.size} (or 1)" if self.or_one else "it"
        why = f"{self.node} needs {needed}" if self.node else "no node needs it, only the trace"
        line = f", {self.source}" if self.source else ""
        fixed = "; PyTorch makes every 0 and 1 of the example a number" if self.size in (0, 1) else ""
        return f"{self.input} axis {self.axis} is {self.size} in the program: {why}{line}{fixed}"


@dataclass(frozen=True)
class DynamicShapes(Answer):
    """The answer of `dynamic_shapes`: Python text for `torch.export.export`, for the largest region that is proven.

    `verified` says that PyTorch accepts the text, and that no size in what it exported is known to fail; it is None
    where there is no module to export.

    >>> DynamicShapes("m.pt2", Verdict.PROVED, "dynamic_shapes = {}").to_dict()["schema"]
    'shapesmt/dynamic-shapes/1'
    """

    schema: ClassVar[str] = "shapesmt/dynamic-shapes/1"

    model: str
    verdict: Verdict
    """Whether the program runs for every size inside."""
    content: str = ""
    """The text; "" where no size is known to run."""
    region: Precondition | None = None
    """The sizes for which the program as it was exported runs."""
    verified: bool | None = None
    exports: int = 0
    """How often PyTorch exported the module until it accepted."""
    admitted: Mapping[str, SymbolRange] = field(default_factory=dict)
    """The sizes inside, by the names of the dimensions; those that don't vary are numbers."""
    assume: tuple[str, ...] = ()
    """What else holds inside, which `torch.export` finds by itself."""
    static: tuple[StaticAxis, ...] = ()
    seconds: float = 0.0

    @property
    def exit_status(self) -> int:
        """0 where the text is proven to run, 1 where there is none, else 3."""
        if not self.content:
            return 1
        return 0 if self.verdict is Verdict.PROVED else 3
