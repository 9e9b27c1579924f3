"""The content of a model's page, as frozen data: report, bounds, cause graphs of findings, raster of valid inputs."""

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
    """An edge of a cause graph between two of its steps: the tensor that arrives, and the number of nodes between.

    `sizes` is None where the rank is unknown.
    """

    source: int
    target: int
    tensor: str
    sizes: tuple[Size, ...] | None
    between: int = 0


@dataclass(frozen=True, slots=True)
class CauseGraph:
    """The nodes that computed the clashing sizes: steps in topological order, and the edges between them."""

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
        """The greatest value in the raster."""
        return self.first + (self.count - 1) * self.step

    def span(self, cell: int) -> tuple[int, int]:
        """The least and the greatest value of a cell.

        >>> Axis("height", 64, 2, 10, 10, block=4).span(2)
        (80, 82)
        """
        ends = cell * self.block, min((cell + 1) * self.block, self.count) - 1
        return self.first + ends[0] * self.step, self.first + ends[1] * self.step

    def cell(self, value: int) -> float:
        """The position of a value, in cells from the first.

        >>> Axis("height", 64, 2, 10, 10, block=4).cell(80)
        2.125
        """
        return ((value - self.first) / self.step + 0.5) / self.block


class Cell(str, Enum):
    """Whether the inputs in a cell of a raster run, as one letter."""

    RUNS = "g"  # all run
    FAILS = "r"  # all fail
    MIXED = "m"  # some run
    NONE = "n"  # none is admissible


@dataclass(frozen=True, slots=True)
class Raster:
    """Where a model runs, over one symbol or two.

    Attributes:
        axes: From left to right, then from bottom to top.
        rows: A text for each cell of the second axis (one text without it), with the letter of a `Cell` for each of the
            first.
        fixed: The values of the other symbols.
        marks: The counterexamples.
        counts: The numbers of inputs that run and of all inputs, if all were evaluated; None for a sample.
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
        cause_graphs: The cause graph of each finding, by its position among the report's `judged`.
        producers: The node and the operator that compute each tensor; "" and "input" or "constant" for the others.
    """

    report: Report
    bounds: Bounds
    cause_graphs: Mapping[int, CauseGraph] = field(default_factory=dict)
    raster: Raster | None = None
    producers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
