"""Page: the text of `memory`, and its charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.reports.render.page.document import page_document, section
from shapesmt.reports.render.page.markup import Markup, tag
from shapesmt.reports.render.page.memory.drawing import draw_chart
from shapesmt.reports.render.text.memory import amount, memory_text
from shapesmt.reports.render.text.words import name

if TYPE_CHECKING:
    from shapesmt.reports.answers import Chart, Memory


def memory_page(memory: Memory) -> str:
    """Return the page as one HTML text.

    >>> from shapesmt.reports.answers import Memory, Peak
    >>> page = memory_page(Memory("<m>.onnx", "live", Peak(512, True, {"n": 64}, "a", "Abs", "8*n")))
    >>> "<h1>&lt;m&gt;.onnx: 512 bytes of activations at most</h1>" in page
    True
    """
    first, *rest = [str(row) for row in memory_text(memory)]
    limit = None if memory.budget is None else memory.budget.bytes
    figures = [_figure(chart, limit, number) for number, chart in enumerate(memory.charts)]
    title, _, about = first.partition("; ")
    words = tag("section", tag("pre", [(row, Markup("\n")) for row in rest]))
    body = [
        tag("header", tag("h1", title), tag("p", about, class_="lead") if about else None),
        tag("main", words, section("Over the sizes", tag("div", figures, class_="charts")) if figures else None),
    ]
    return page_document(f"{name(memory.model)}: memory", body)


def _figure(chart: Chart, limit: int | None, number: int) -> Markup:
    """Return a drawing with a caption: the range of bytes, the fixed sizes, the number of points that fit the limit."""
    rows = [[size for size in row if size is not None] for row in chart.bytes]
    sizes = [size for row in rows for size in row]
    over = " and ".join(name(n) for n in chart.values)
    notes = [tag("p", f"{amount(min(sizes, default=0))} to {amount(max(sizes, default=0))} over {over}")]
    if chart.fixed:
        notes.append(tag("p", "at " + ", ".join(f"{name(n)}={value}" for n, value in chart.fixed.items())))
    if limit is not None:
        fits = sum(size <= limit for size in sizes)
        notes.append(tag("p", f"{fits:,} of the {len(sizes):,} drawn fit {amount(limit)}"))
    return tag("figure", draw_chart(chart, limit, number), tag("figcaption", notes), class_="picture")
