"""Drawing: bytes over one dimension as a curve, or over two as shades; values beyond a budget are marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shapesmt.reports.render.page.drawings.grid import hatch, ticks_across
from shapesmt.reports.render.page.markup import Markup, svg, tag
from shapesmt.reports.render.text.memory import amount
from shapesmt.reports.render.text.words import name

if TYPE_CHECKING:
    from shapesmt.reports.answers import Chart

_WIDTH, _HEIGHT, _LEFT, _TOP = 400.0, 240.0, 84.0, 12.0
_SHADES = 8


def draw_chart(chart: Chart, budget: int | None, number: int) -> Markup:
    """Return the drawing of a chart; the first of a page's drawings (`number`) defines the hatching for all."""
    names = list(chart.values)
    most = max((size for row in chart.bytes for size in row if size is not None), default=0)
    height = _HEIGHT if len(names) == 1 else _WIDTH
    areas = list(_curve(chart, budget, most) if len(names) == 1 else _shades(chart, budget, most))
    frame = tag("rect", width=_WIDTH, height=height, class_="frame")
    drawn = tag("g", areas, frame, transform=f"translate({_LEFT:.0f} {_TOP:.0f})", class_="cells")
    ticks = [*ticks_across(name(names[0]), _ticks(chart.values[names[0]]), _LEFT, _TOP + height, _WIDTH)]
    if len(names) == 1:
        ticks += [_label(amount(size), _TOP + height - share * height) for size, share in ((0, 0.0), (most, 1.0))]
    else:
        ticks += _up(names[1], chart.values[names[1]], height)
    title = f"Bytes of activations by {' and '.join(map(name, names))}"
    content = [hatch() if number == 0 else None, drawn, ticks]
    return svg(_LEFT + _WIDTH + 24, _TOP + height + 44, content, title, "region")


def _curve(chart: Chart, budget: int | None, most: int) -> Iterator[Markup]:
    """Yield the bytes as bars without gaps, and the budget as a line."""
    ((_, values),) = chart.values.items()
    cell, top = _WIDTH / len(values), max(most, 1)
    for fits, role in ((True, "good"), (False, "bad")):
        path = "".join(
            f"M{i * cell:.2f} {_HEIGHT:.2f}v{-size / top * _HEIGHT:.2f}h{cell:.2f}V{_HEIGHT:.2f}z"
            for i, size in enumerate(chart.bytes[0])
            if size is not None and (budget is None or size <= budget) is fits
        )
        if path:
            yield tag("path", d=path, class_=role)
    if budget is not None and budget <= most:
        y = _HEIGHT - budget / top * _HEIGHT
        yield tag("path", d=f"M0 {y:.2f}h{_WIDTH:.0f}", class_="tick")
        yield tag("text", f"budget {amount(budget)}", x=6, y=max(y - 5, 14.0), class_="tick-label")


def _shades(chart: Chart, budget: int | None, most: int) -> Iterator[Markup]:
    """Yield the heat map of two dimensions: a background, then one path of cells per shade.

    Cells with more bytes are darker, up to `most`; those above `budget` are hatched. Cells without a byte count stay
    blank.
    """
    rows, top = chart.bytes, max(most, 1)
    width, height = _WIDTH / len(rows[0]), _WIDTH / len(rows)
    paths: dict[int, list[str]] = {}
    for j, row in enumerate(rows):
        for i, size in enumerate(row):
            if size is not None:
                shade = 0 if budget is not None and size > budget else 1 + min(size * _SHADES // top, _SHADES - 1)
                corner = f"M{i * width:.2f} {_WIDTH - (j + 1) * height:.2f}"
                paths.setdefault(shade, []).append(f"{corner}h{width:.2f}v{height:.2f}h{-width:.2f}z")
    yield tag("rect", width=_WIDTH, height=_WIDTH, class_="none")
    for shade, cells in sorted(paths.items()):
        opacity = f"{0.12 + 0.88 * shade / _SHADES:.2f}" if shade else None
        yield tag("path", d="".join(cells), class_="good" if shade else "bad", fill_opacity=opacity)


def _up(label: str, values: tuple[int, ...], height: float) -> Iterator[Markup]:
    yield from (_label(str(value), _TOP + height - share * height) for share, value in _ticks(values))
    y = _TOP + height / 2
    yield tag(
        "text", name(label), x=14.0, y=y, text_anchor="middle", class_="axis", transform=f"rotate(-90 14 {y:.0f})"
    )


def _label(text: str, y: float) -> Markup:
    return tag("text", text, x=_LEFT - 9, y=y + 4, text_anchor="end", class_="tick-label")


def _ticks(values: tuple[int, ...]) -> list[tuple[float, int]]:
    """Return a few values, each with the position of its cell's middle as a fraction of the width."""
    places = sorted({round(k * (len(values) - 1) / 4) for k in range(5)})
    return [((place + 0.5) / len(values), values[place]) for place in places]
