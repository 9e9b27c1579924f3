"""Chain: the cause graph of a finding as a drawing, steps as boxes and tensors as labels between them.

If it is wider than its place, a list of the same steps is shown instead: a drawing isn't shrunk or clipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shapesmt.base.errors import printable
from shapesmt.reports.answers import CauseGraph, Link, Step
from shapesmt.reports.render.page.drawings.layers import Item, arrange
from shapesmt.reports.render.page.markup import Markup, svg, tag
from shapesmt.reports.render.text.words import name

_CHARACTER = 7.3  # the width of a character in a label
_BOX, _LABEL = 30.0, 32.0  # heights of a box and of a label
_ABOVE, _BELOW = 16.0, 20.0  # the space above and below a label
_MOST = 30  # the most characters of a name in a drawing
_MOST_LISTED = 200  # and in a list
_WIDTHS = (400, 520, 640, 880, 1040)  # widths of places for a drawing, as in the stylesheet


Part = tuple[str, str]  # text and its class
Line = list[Part]


def cause_graph(shown: CauseGraph) -> Markup:
    """Return the drawing and the list; the stylesheet shows the one that fits."""
    drawn, width = _drawing(shown)
    needed = next((w for w in _WIDTHS if w >= width), None)
    listed = tag("ol", [_step(shown, place) for place in range(len(shown.steps))], class_="steps")
    frame = None if needed is None else tag("div", drawn, class_=f"wide needs-{needed}")
    return tag("figure", frame, listed, class_="causes-drawn")


def _step(shown: CauseGraph, place: int) -> Markup:
    """Return a step as an entry of a list, with the tensors that arrive there."""
    step = shown.steps[place]
    kind = "failing" if step.failing else "node" if step.op_type else "given"
    arriving = [line for link in shown.links if link.target == place for line in _label(link, _MOST_LISTED)]
    named = tag("p", _spans(_box(step, _MOST_LISTED)), class_="box")
    return tag("li", named, [tag("p", _spans(line)) for line in arriving], class_=kind)


def _spans(line: Line) -> list[Markup]:
    return [tag("span", text, class_=role) for text, role in line if text]


def _drawing(shown: CauseGraph) -> tuple[Markup, float]:
    """Return the drawing and its width: steps as boxes from top to bottom, tensors as labels on the arrows."""
    labels = [_label(link) for link in shown.links]
    boxes = [_box(step) for step in shown.steps]
    widths = [_width(line) + 28 for line in boxes]
    edges = [
        (link.source, link.target, max(_width(line) for line in lines) + 12)
        for link, lines in zip(shown.links, labels, strict=True)
    ]
    layout = arrange(widths, edges)
    height = max(_top(box.rank) for box in layout.boxes) + _BOX
    drawn = [
        *(_arrow(way) for way in layout.ways),
        *(_draw_label(way[-2], lines) for way, lines in zip(layout.ways, labels, strict=True)),
        *(_draw_box(box, step, line) for box, step, line in zip(layout.boxes, shown.steps, boxes, strict=True)),
    ]
    title = f"How the sizes come to {name(shown.steps[-1].name)}"
    moved = tag("g", drawn, transform="translate(2 2)")
    return svg(layout.width + 4, height + 4, moved, title, "chain"), layout.width + 4


def _box(step: Step, most: int = _MOST) -> Line:
    attributes = f"  {printable(step.attributes, most)}" if step.attributes else ""
    kind = printable(step.op_type, most) if step.op_type else "input"
    return [(kind, "op"), (f"  {printable(step.name, most)}", "name"), (attributes, "faint")]


def _label(link: Link, most: int = _MOST) -> list[Line]:
    between = f"  via {link.between} node{'s' if link.between > 1 else ''}" if link.between else ""
    title = [(printable(link.tensor, most), "tensor"), (between, "faint")]
    if link.sizes is None:
        return [title, [("rank unknown", "faint")]]
    shape: Line = []
    for size in link.sizes:
        text = printable(size.expr, most) if size.value is None else str(size.value)
        shape += [(" \u00d7 " if shape else "", "faint"), (text, size.role or "size")]
    traced = next((s for s in link.sizes if s.role and s.value is not None and s.expr != str(s.value)), None)
    if traced is not None:
        text = f"   {printable(traced.expr, most)} = {traced.value}"
        shape.append((text, f"{traced.role} formula"))
    return [title, shape or [("scalar", "faint")]]


def _width(line: Line) -> float:
    return sum(len(text) for text, _ in line) * _CHARACTER


def _top(rank: int) -> float:
    return rank // 2 * (_BOX + _ABOVE + _LABEL + _BELOW) + rank % 2 * (_BOX + _ABOVE)


def _arrow(way: Sequence[Item]) -> Markup:
    """Return an arrow that passes through the middle of the ranks between its ends."""
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


def _draw_label(item: Item, lines: Sequence[Line]) -> Markup:
    top = _top(item.rank)
    plate = tag("rect", x=item.x - item.width / 2, y=top, width=item.width, height=_LABEL, class_="plate")
    return Markup(plate + "".join(_text(line, item.x, top + 14 + 16 * i) for i, line in enumerate(lines)))


def _draw_box(item: Item, step: Step, line: Line) -> Markup:
    top = _top(item.rank)
    kind = "failing" if step.failing else "given" if not step.op_type else "node"
    frame = tag("rect", x=item.x - item.width / 2, y=top, width=item.width, height=_BOX, rx=8, class_=f"box {kind}")
    title = tag("title", " ".join(filter(None, (step.op_type, step.name, step.attributes))))
    return tag("g", title, frame, _text(line, item.x, top + 20))


def _text(line: Line, x: float, y: float) -> Markup:
    parts = [tag("tspan", text, class_=role) for text, role in line if text]
    return tag("text", parts, x=x, y=y, text_anchor="middle")
