"""Drawings: every step and every tensor of a cause graph, every cell of a raster, and names that stay text."""

import xml.etree.ElementTree as Xml

from shapesmt.render.page.drawing import cause_graph, region
from shapesmt.report import Axis, CauseGraph, Link, Raster, Size, Step

GRAPH = CauseGraph(
    (Step("image"), Step("down", "Conv", "stride 2"), Step("<join>", "Concat", failing=True)),
    (
        Link(0, 1, "image", (Size("3"), Size("height", 65, "traced"))),
        Link(1, 2, "d", (Size("(height + 1)//2", 33, "clash"),), between=2),
        Link(0, 2, "image", None),
    ),
)


def drawn(markup: str) -> Xml.Element:
    return Xml.fromstring(markup)


def texts(svg: Xml.Element) -> list[str]:
    return ["".join(text.itertext()) for text in svg.iter("text")]


def test_a_cause_graph_shows_each_step_and_each_tensor():
    svg = drawn(cause_graph(GRAPH))
    assert [r.get("class") for r in svg.iter("rect")].count("plate") == len(GRAPH.links)
    boxes = [r.get("class") for r in svg.iter("rect") if r.get("class").startswith("box")]
    assert boxes == ["box given", "box node", "box failing"]
    assert texts(svg) == [
        *("image", "3 \u00d7 65   height = 65", "d  via 2 nodes", "33   (height + 1)//2 = 33", "image", "rank unknown"),
        *("input  image", "Conv  down  stride 2", "Concat  <join>"),
    ]


def test_a_raster_shows_cells_marks_and_the_ends_of_its_axes():
    axes = (Axis("n", 1, 1, 4, 4), Axis("m", 2, 2, 2, 2))
    svg = drawn(region(Raster(axes, ("grnm", "gggg"), {}, ((2, 2),))))
    classes = [element.get("class") for element in svg.iter() if element.get("class")]
    assert {"good", "bad", "some", "mark"} <= {*classes}
    assert {"1", "4", "2", "n", "m"} <= {*texts(svg)}


def test_a_strip_has_one_axis():
    svg = drawn(region(Raster((Axis("n", 1, 1, 3, 3),), ("grg",))))
    assert {"1", "3", "n"} <= {*texts(svg)}
    assert float(svg.get("height")) < float(svg.get("width"))
