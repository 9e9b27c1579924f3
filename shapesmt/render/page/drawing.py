"""Drawings of a page, as SVG: the chain of a finding, and the valid region."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from shapesmt.errors import printable
from shapesmt.render.page.layers import Item, arranged
from shapesmt.render.page.markup import Content, Markup, tag
from shapesmt.render.text.words import name
from shapesmt.report import Axis, CauseGraph, Cell, Link, Raster, Step

__all__ = ["cause_graph", "region"]

_CHARACTER = 7.3  # the width of a character in a label
_BOX, _LABEL = 30.0, 32.0  # heights of a box and of a label
_ABOVE, _BELOW = 16.0, 20.0  # the space above and below a label
_MOST = 30  # the most characters of a name in a drawing
_SIDE = 400.0  # the length of a side of a grid


def cause_graph(shown: CauseGraph) -> Markup:
    """The cause graph: steps as boxes from top to bottom, tensors as labels on the arrows between them."""
    labels = [_label(link) for link in shown.links]
    boxes = [_box(step) for step in shown.steps]
    widths = [_width(line) + 28 for line in boxes]
    edges = [
        (link.source, link.target, max(_width(line) for line in lines) + 12)
        for link, lines in zip(shown.links, labels, strict=True)
    ]
    layout = arranged(widths, edges)
    height = max(_top(box.rank) for box in layout.boxes) + _BOX
    drawn = [
        *(_arrow(way) for way in layout.ways),
        *(_labelled(way[-2], lines) for way, lines in zip(layout.ways, labels, strict=True)),
        *(_boxed(box, step, line) for box, step, line in zip(layout.boxes, shown.steps, boxes, strict=True)),
    ]
    title = f"How the sizes come to {name(shown.steps[-1].name)}"
    return _svg(layout.width + 4, height + 4, tag("g", drawn, transform="translate(2 2)"), title, "chain")


Part = tuple[str, str]  # text and its class
Line = list[Part]


def _box(step: Step) -> Line:
    attributes = f"  {printable(step.attributes, _MOST)}" if step.attributes else ""
    kind = printable(step.op_type, _MOST) if step.op_type else "input"
    return [(kind, "op"), (f"  {printable(step.name, _MOST)}", "name"), (attributes, "faint")]


def _label(link: Link) -> list[Line]:
    between = f"  via {link.between} node{'s' if link.between > 1 else ''}" if link.between else ""
    title = [(printable(link.tensor, _MOST), "tensor"), (between, "faint")]
    if link.sizes is None:
        return [title, [("rank unknown", "faint")]]
    shape: Line = []
    for size in link.sizes:
        text = printable(size.expr, _MOST) if size.value is None else str(size.value)
        shape += [(" \u00d7 " if shape else "", "faint"), (text, size.role or "size")]
    traced = next((s for s in link.sizes if s.role and s.value is not None and s.expr != str(s.value)), None)
    if traced is not None:
        shape.append((f"   {printable(traced.expr, _MOST)} = {traced.value}", f"{traced.role} formula"))
    return [title, shape or [("scalar", "faint")]]


def _width(line: Line) -> float:
    return sum(len(text) for text, _ in line) * _CHARACTER


def _top(rank: int) -> float:
    return rank // 2 * (_BOX + _ABOVE + _LABEL + _BELOW) + rank % 2 * (_BOX + _ABOVE)


def _arrow(way: Sequence[Item]) -> Markup:
    """An arrow that passes through the middle of the ranks between its ends."""
    points = [(way[0].x, _top(way[0].rank) + _BOX)]
    for item in way[1:-1]:
        top = _top(item.rank)
        points += [(item.x, top), (item.x, top + (_BOX if item.rank % 2 == 0 else _LABEL))]
    points.append((way[-1].x, _top(way[-1].rank) - 5))
    path = f"M{_at(points[0])}"
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (y0 + y1) / 2
        path += f"L{_at((x1, y1))}" if x0 == x1 else f"C{_at((x0, middle))} {_at((x1, middle))} {_at((x1, y1))}"
    x, y = points[-1]
    head = f"M{_at((x - 4, y - 3))}L{_at((x, y + 4))}L{_at((x + 4, y - 3))}Z"
    return Markup(tag("path", d=path, class_="edge") + tag("path", d=head, class_="head"))


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _labelled(item: Item, lines: Sequence[Line]) -> Markup:
    top = _top(item.rank)
    plate = tag("rect", x=item.x - item.width / 2, y=top, width=item.width, height=_LABEL, class_="plate")
    return Markup(plate + "".join(_text(line, item.x, top + 14 + 16 * i) for i, line in enumerate(lines)))


def _boxed(item: Item, step: Step, line: Line) -> Markup:
    top = _top(item.rank)
    kind = "failing" if step.failing else "given" if not step.op_type else "node"
    frame = tag("rect", x=item.x - item.width / 2, y=top, width=item.width, height=_BOX, rx=8, class_=f"box {kind}")
    return Markup(frame + _text(line, item.x, top + 20))


def _text(line: Line, x: float, y: float) -> Markup:
    parts = [tag("tspan", text, class_=role) for text, role in line if text]
    return tag("text", parts, x=x, y=y, text_anchor="middle")


def _svg(width: float, height: float, content: Content, title: str, kind: str) -> Markup:
    return tag(
        "svg", tag("title", title), content, viewBox=f"0 0 {width:.0f} {height:.0f}", width=round(width),
        height=round(height), role="img", class_=kind,
    )  # fmt: skip


def region(raster: Raster) -> Markup:
    """The raster as a grid or a strip of cells, coloured by whether all, some or none of their inputs run."""
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
    areas += [_mark(raster, mark, cell, height) for mark in raster.marks]
    frame = tag("rect", width=width, height=height, class_="frame")
    drawn = tag("g", areas, frame, transform=f"translate({left:.0f} {top:.0f})", id="cells")
    ticks = [*_ticks_across(across, left, top + height, width)]
    if up is not None:
        ticks += _ticks_up(up, left, top, height)
    title = f"Where the model runs, by {' and '.join(name(a.name) for a in raster.axes)}"
    return _svg(left + width + 24, top + height + 44, [_hatch(), drawn, ticks], title, "region")


def _hatch() -> Markup:
    """The hatching of cells that fail, which is visible without colour too."""
    under, stroke = tag("rect", width=6, height=6, class_="under"), tag("path", d="M0 6L6 0", class_="stroke")
    return tag("defs", tag("pattern", under, stroke, id="hatch", width=6, height=6, patternUnits="userSpaceOnUse"))


def _cells(rows: Sequence[str], letter: str, cell: tuple[float, float], height: float) -> Iterator[str]:
    """The outlines of adjacent cells with that letter, the first row at the bottom."""
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
    """A few values of an axis for its ticks, including both ends."""
    cells = axis.cells
    count = min(cells - 1, 4)
    return [axis.first] if not count else [_round(axis, i / count) for i in range(count + 1)]


def _round(axis: Axis, share: float) -> int:
    return axis.first + round(share * (axis.count - 1)) * axis.step


def _ticks_across(axis: Axis, left: float, y: float, width: float) -> Iterator[Markup]:
    for value in _ticks(axis):
        x = left + axis.cell(value) / axis.cells * width
        yield tag("path", d=f"M{x:.1f} {y:.1f}v5", class_="tick")
        yield tag("text", str(value), x=x, y=y + 18, text_anchor="middle", class_="tick-label")
    yield tag("text", printable(axis.name, _MOST), x=left + width / 2, y=y + 38, text_anchor="middle", class_="axis")


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
