"""The content of a model's page, as frozen data: report, bounds, causes, regions, and formulas to compute with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import NamedTuple

from shapesmt.base.frozen import frozen
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers.bounds import Bounds
from shapesmt.reports.answers.report import Report


@frozen()
class Size:
    """One dimension on an edge: its formula, and its value at the counterexample.

    `role` is "traced" for a size that the graph explains, "clash" for a side of the clash, else "".
    """

    expr: str
    value: int | None = None
    role: str = ""


@frozen()
class Step:
    """A box of a cause graph: a node, or an input (then without `op_type`); `failing` if it breaks the law."""

    name: str
    op_type: str = ""
    attributes: str = ""
    failing: bool = False


@frozen()
class Link:
    """An edge between two steps of a cause graph: the tensor that arrives, and the number of nodes skipped in between.

    `sizes` is None if the rank is unknown.
    """

    source: int
    target: int
    tensor: str
    sizes: tuple[Size, ...] | None
    between: int = 0


@frozen()
class CauseGraph:
    """The nodes that computed the clashing sizes: steps in topological order, and the edges between them."""

    steps: tuple[Step, ...]
    links: tuple[Link, ...]


@frozen()
class Axis:
    """One axis of a raster: the values `first, first + step, ...`, `block` of them in each of `cells` cells.

    It shows `count` of `total` values (None: unbounded); only every `stride`-th of them was evaluated.
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
        """The largest value in the raster."""
        return self.first + (self.count - 1) * self.step

    def span(self, cell: int) -> tuple[int, int]:
        """Return the smallest and the largest value of a cell.

        >>> Axis("height", 64, 2, 10, 10, block=4).span(2)
        (80, 82)
        """
        ends = cell * self.block, min((cell + 1) * self.block, self.count) - 1
        return self.first + ends[0] * self.step, self.first + ends[1] * self.step

    def cell(self, value: int) -> float:
        """Return the position of a value, in cells from the first.

        >>> Axis("height", 64, 2, 10, 10, block=4).cell(80)
        2.125
        """
        return ((value - self.first) / self.step + 0.5) / self.block


class Cell(str, Enum):
    """Whether the model runs for the inputs in a cell of a raster, as one letter."""

    RUNS = "g"  # all run
    FAILS = "r"  # all fail
    MIXED = "m"  # some run
    NONE = "n"  # none is admissible


@frozen()
class Raster:
    """The region where a model runs, over one symbol or two.

    Attributes:
        axes: The axis from left to right, then the one from bottom to top.
        rows: A text for each cell of the second axis (one text without it), with a letter of `Cell` for each cell of
            the first.
        fixed: The values of the other symbols.
        marks: The counterexamples.
        counts: The numbers of inputs that run and of all inputs, if all were evaluated; None for a sample.
    """

    axes: tuple[Axis, ...]
    rows: tuple[str, ...]
    fixed: Mapping[str, int] = field(default_factory=dict)
    marks: tuple[tuple[int, ...], ...] = ()
    counts: tuple[int, int] | None = None


@frozen()
class Run:
    """Consecutive values of a dimension that all run or all fail; `last` is None if they are unbounded."""

    first: int
    last: int | None
    runs: bool


@frozen()
class NumberLine:
    """The values of one dimension for which a model runs.

    Attributes:
        name: The dimension.
        parts: Runs of values, in ascending order.
        step: The difference between neighbouring values.
        period: The last `period` values of the parts repeat after them; None if nothing follows or nothing repeats.
        last: The largest value; None if unbounded.
        more: The number of parts that are left out.
        counts: The number of values that run and of all values; None if unbounded.
    """

    name: str
    parts: tuple[Run, ...]
    step: int = 1
    period: int | None = None
    last: int | None = None
    more: int = 0
    counts: tuple[int, int] | None = None


@frozen()
class Slider:
    """A slider for one dimension: values `first, first + step, ...` to `last` (None: unbounded), initially `start`."""

    name: str
    first: int
    last: int | None
    step: int
    start: int


@frozen()
class PlacedNode:
    """A node of the graph, for the calculator.

    `reads` are the indices of the nodes that it reads from, `condition` is the entry of the condition under which it
    runs (None: always). `verdict` is the node's over all admissible inputs; `judged` is false if it depends on unknown
    values, `reached` is false downstream of a node that runs for no input.
    """

    name: str
    op_type: str
    reads: tuple[int, ...]
    condition: int | None = None
    verdict: Verdict = Verdict.PROVED
    judged: bool = True
    reached: bool = True


@frozen()
class Shape:
    """The sizes of a tensor in one case, as indices of entries; None if they are unknown.

    `condition` is the entry of the condition for this case; None if it always holds.
    """

    condition: int | None
    sizes: tuple[int, ...] | None


class Elements(NamedTuple):
    """The minimum and maximum number of a tensor's elements (None: unbounded), and whether each is proven."""

    least: int
    greatest: int | None
    least_proven: bool = True
    greatest_proven: bool = True


@frozen()
class TensorData:
    """A tensor: the node that computes it (its index, or "input" or "constant"), its shape by cases, and its elements.

    `elements` is None if nothing is known about their number.
    """

    maker: int | str
    shapes: tuple[Shape, ...]
    elements: Elements | None = None


@frozen()
class Calculator:
    """The data that a program needs to compute shapes and verdicts at chosen sizes.

    Attributes:
        entries: Expressions and conditions; each refers to earlier entries and to sliders by index.
        sliders: The dimensions to choose.
        dims: The entry of each declared name, also of computed ones.
        facts: The assumptions: as text, and the entry.
        nodes: The graph, in topological order.
        tensors: Each tensor by its name.
        outputs: The names of the model's outputs.
        running: Inputs for which the nodes run that depend on the named dimensions; a search starts from them.
    """

    entries: tuple[object, ...] = ()
    sliders: tuple[Slider, ...] = ()
    dims: Mapping[str, int] = field(default_factory=dict)
    facts: tuple[tuple[str, int], ...] = ()
    nodes: tuple[PlacedNode, ...] = ()
    tensors: Mapping[str, TensorData] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    running: tuple[Mapping[str, int], ...] = ()


@frozen()
class PageData:
    """The complete content of a page.

    Attributes:
        cause_graphs: The cause graph of each finding, by its index in the report's `judged`.
        regions: The sizes for which the model runs: a line for each dimension that decides alone, a raster for others.
    """

    report: Report
    bounds: Bounds
    cause_graphs: Mapping[int, CauseGraph] = field(default_factory=dict)
    regions: tuple[NumberLine | Raster, ...] = ()
    calculator: Calculator = field(default_factory=Calculator)
