"""What a page shows of one model, as frozen data: its report and bounds, how its failures come about, where it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from shapesmt.report.report import Bounds, Report

__all__ = ["Axis", "CauseGraph", "Cell", "Link", "PageData", "Raster", "Size", "Step"]


@dataclass(frozen=True, slots=True)
class Size:
    """One dimension on an edge: its formula, and its value at the counterexample.

    `role` is "traced" where the graph is about it, "clash" where it is one of the sides that don't fit.
    """

    expr: str
    value: int | None = None
    role: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A box of a cause graph: a node, or an input (then without `op_type`); `failing` where the law is broken."""

    name: str
    op_type: str = ""
    attributes: str = ""
    failing: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """An edge of a cause graph between two of its steps: the tensor that arrives, and how many nodes lie between.

    `sizes` is None where the rank is unknown.
    """

    source: int
    target: int
    tensor: str
    sizes: tuple[Size, ...] | None
    between: int = 0


@dataclass(frozen=True, slots=True)
class CauseGraph:
    """How the sizes that clash came to be: steps in topological order, and the edges between them."""

    steps: tuple[Step, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a raster: the values `first, first + step, ...`, `block` of them in each of `cells` cells.

    `count` values are shown of `total` (None: without end); only every `stride`-th of them was looked at.
    """

    name: str
    first: int
    step: int
    count: int
    total: int | None
    block: int = 1
    stride: int = 1

    @property
    def cells(self) -> int:
        """The number of cells.

        >>> Axis("height", 64, 1, 449, 449, block=4).cells
        113
        """
        return -(-self.count // self.block)

    @property
    def last(self) -> int:
        """The greatest value that is shown."""
        return self.first + (self.count - 1) * self.step

    def span(self, cell: int) -> tuple[int, int]:
        """The least and the greatest value of a cell.

        >>> Axis("height", 64, 2, 10, 10, block=4).span(2)
        (80, 82)
        """
        ends = cell * self.block, min((cell + 1) * self.block, self.count) - 1
        return self.first + ends[0] * self.step, self.first + ends[1] * self.step

    def cell(self, value: int) -> float:
        """Where a value stands, in cells from the first.

        >>> Axis("height", 64, 2, 10, 10, block=4).cell(80)
        2.125
        """
        return ((value - self.first) / self.step + 0.5) / self.block


class Cell(str, Enum):
    """What the inputs in a cell of a raster do, as one letter."""

    RUNS = "g"  # all
    FAILS = "r"  # all
    MIXED = "m"  # some run
    NONE = "n"  # no input of it is admissible


@dataclass(frozen=True, slots=True)
class Raster:
    """Where a model runs, over one symbol or two.

    Attributes:
        axes: From left to right, then from bottom to top.
        rows: A text for each cell of the second axis (one text without it), with the letter of a `Cell` for each of the
            first.
        fixed: The values of the other symbols.
        marks: The counterexamples.
        counts: How many inputs run, and of how many, where all were looked at.
    """

    axes: tuple[Axis, ...]
    rows: tuple[str, ...]
    fixed: Mapping[str, int] = field(default_factory=dict)
    marks: tuple[tuple[int, ...], ...] = ()
    counts: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PageData:
    """Everything that a page shows.

    Attributes:
        cause_graphs: By the place of their finding among the report's that are judged.
        producers: Of each tensor the node and the operator that make it; "" and "input" or "constant" where none does.
    """

    report: Report
    bounds: Bounds
    cause_graphs: Mapping[int, CauseGraph] = field(default_factory=dict)
    raster: Raster | None = None
    producers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
