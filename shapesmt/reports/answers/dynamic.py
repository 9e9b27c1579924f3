"""DynamicShapes: the sizes of a program that may vary, as the text that `torch.export` takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.data import OMIT_EMPTY, Answer, Data, words
from shapesmt.reports.answers.finding import SymbolRange
from shapesmt.reports.answers.report import Precondition


@frozen()
class StaticAxis(Data):
    """An input axis that was to vary but is a number in the program; `node` is "" if only the trace needs that."""

    input: str
    axis: int
    size: int
    node: str = field(default="", metadata=OMIT_EMPTY)
    source: str = field(default="", metadata=OMIT_EMPTY)
    """The line of Python that the node comes from."""
    or_one: bool = field(default=False, metadata=OMIT_EMPTY)
    """Whether the node also runs for a size of 1, which it broadcasts."""

    @property
    def word(self) -> str:
        """The severity: a note if a node needs the number, as weights need their channels; else a warning."""
        return "note" if self.node else "warning"

    @property
    def words(self) -> str:
        """The axis, and the node or trace that needs its size, in a sentence."""
        return str(words(self))


@frozen()
class DynamicShapes(Answer):
    """The answer of `dynamic_shapes`: Python text for `torch.export.export`, for the largest region that is proven.

    `verified` says whether PyTorch accepts the text and no size in the exported program is known to fail; it is None if
    there is no module to export.

    >>> DynamicShapes("m.pt2", Verdict.PROVED, "dynamic_shapes = {}").to_dict()["schema"]
    'shapesmt/dynamic-shapes/1'
    """

    schema: ClassVar[str] = "shapesmt/dynamic-shapes/1"

    model: str
    verdict: Verdict
    """Whether the program runs for every size that the text admits."""
    content: str = ""
    """The text; "" if no size is known to run."""
    region: Precondition | None = None
    """The sizes for which the program runs as it was exported; None if unknown."""
    verified: bool | None = None
    exports: int = 0
    """The number of exports until PyTorch accepted the text."""
    admitted: Mapping[str, SymbolRange] = field(default_factory=dict)
    """The sizes that the text admits, by dimension name; sizes that don't vary are numbers."""
    assume: tuple[str, ...] = ()
    """Further conditions on these sizes, which `torch.export` finds by itself."""
    static: tuple[StaticAxis, ...] = ()
    seconds: float = 0.0

    @property
    def exit_status(self) -> int:
        """0 if the text is proven to run, 1 if there is none, else 3."""
        if not self.content:
            return 1
        return 0 if self.verdict is Verdict.PROVED else 3
