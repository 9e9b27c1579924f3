"""Grid: the sizes at which a model runs, over one or two dimensions, as a drawing of cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from shapesmt.base.errors import printable
from shapesmt.reports.answers import Axis, Cell, Raster
from shapesmt.reports.render.page.markup import Markup, svg, tag
from shapesmt.reports.render.text.words import name

_SIDE = 400.0  # the length of a side
_MOST = 30  # the most characters of a name
_MOST_MARKS = 3


def drawing(raster: Raster, number: int = 0) -> Markup:
    """Return the raster as a grid or a strip of cells, coloured by whether all, some or none of their inputs run.

    The first of a page's drawings (`number`) defines the hatching for all.
    """
    across, up = raster.axes[0], raster.axes[1] if len(raster.axes) > 1 else None
    width = _SIDE
    height = _SIDE if up is not None else 56.0
    cell = (width / across.cells, height / len(raster.rows))
    left, top = (64.0, 8.0) if up is not None else (8.0, 8.0)
    areas = [tag("rect", width=width, height=height, class_="none")]
    for letter, role in ((Cell.FAILS, "bad"), (Cell.MIXED, "some"), (Cell.RUNS, "good")):
        path = "".join(_cells(raster.rows, letter, cell, height))
        if path:
            areas.append(tag("path", d=path, class_=role))
    areas += [_mark(raster, mark, cell, height) for mark in raster.marks[:_MOST_MARKS]]
    frame = tag("rect", width=width, height=height, class_="frame")
    chosen = tag("circle", r=6, class_="chosen")
    drawn = tag("g", areas, frame, chosen, transform=f"translate({left:.0f} {top:.0f})", class_="cells")
    places = [(across.cell(value) / across.cells, value) for value in _ticks(across)]
    ticks = [*ticks_across(printable(across.name, _MOST), places, left, top + height, width)]
    if up is not None:
        ticks += _ticks_up(up, left, top, height)
    title = f"Where the model runs, by {' and '.join(name(a.name) for a in raster.axes)}"
    return svg(left + width + 24, top + height + 44, [hatch() if number == 0 else None, drawn, ticks], title, "region")


def hatch() -> Markup:
    """Return the hatching of cells that fail, which is visible without colour too."""
    under, stroke = tag("rect", width=6, height=6, class_="under"), tag("path", d="M0 6L6 0", class_="stroke")
    return tag("defs", tag("pattern", under, stroke, id="hatch", width=6, height=6, patternUnits="userSpaceOnUse"))


def _cells(rows: Sequence[str], letter: str, cell: tuple[float, float], height: float) -> Iterator[str]:
    """Yield the outlines of adjacent cells with that letter, the first row at the bottom."""
    for row, text in enumerate(rows):
        start = 0
        for cell_letter, run in groupby(text):
            length = sum(1 for _ in run)
            if cell_letter == letter:
                x, y = start * cell[0], height - (row + 1) * cell[1]
                yield f"M{x:.2f} {y:.2f}h{length * cell[0]:.2f}v{cell[1]:.2f}h{-length * cell[0]:.2f}z"
            start += length


def _mark(raster: Raster, values: Sequence[int], cell: tuple[float, float], height: float) -> Markup:
    places = [axis.cell(value) for axis, value in zip(raster.axes, values, strict=True)]
    y = height - places[1] * cell[1] if len(places) > 1 else height / 2
    point = ", ".join(f"{name(a.name)} = {v}" for a, v in zip(raster.axes, values, strict=True))
    return tag("circle", tag("title", f"counterexample: {point}"), cx=places[0] * cell[0], cy=y, r=4, class_="mark")


def _ticks(axis: Axis) -> list[int]:
    """Return a few values of an axis for its ticks, including the first and the last."""
    cells = axis.cells
    count = min(cells - 1, 4)
    shares = [i / count for i in range(count + 1)] if count else [0]
    return [axis.first + round(share * (axis.count - 1)) * axis.step for share in shares]


def ticks_across(
    label: str, ticks: Iterable[tuple[float, int]], left: float, y: float, width: float
) -> Iterator[Markup]:
    """Draw a horizontal axis: its ticks, each a fraction of the width and a value, and its label."""
    for share, value in ticks:
        x = left + share * width
        yield tag("path", d=f"M{x:.1f} {y:.1f}v5", class_="tick")
        yield tag("text", str(value), x=x, y=y + 18, text_anchor="middle", class_="tick-label")
    yield tag("text", label, x=left + width / 2, y=y + 38, text_anchor="middle", class_="axis")


def _ticks_up(axis: Axis, x: float, top: float, height: float) -> Iterator[Markup]:
    for value in _ticks(axis):
        y = top + height - axis.cell(value) / axis.cells * height
        yield tag("path", d=f"M{x - 5:.1f} {y:.1f}h5", class_="tick")
        yield tag("text", str(value), x=x - 9, y=y + 4, text_anchor="end", class_="tick-label")
    middle = top + height / 2
    yield tag(
        "text", printable(axis.name, _MOST), x=14.0, y=middle, text_anchor="middle", class_="axis",
        transform=f"rotate(-90 14 {middle:.0f})",
    )  # fmt: skip
