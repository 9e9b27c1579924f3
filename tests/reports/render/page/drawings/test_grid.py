"""Grids: every cell of a raster, its marks, and the ends of its axes."""

import xml.etree.ElementTree as Xml

from shapesmt.reports.answers import Axis, Raster
from shapesmt.reports.render.page.drawings.grid import drawing


def texts(svg: Xml.Element) -> list[str]:
    return ["".join(text.itertext()) for text in svg.iter("text")]


def test_a_raster_shows_cells_marks_and_the_ends_of_its_axes():
    axes = (Axis("n", 1, 1, 4, 4), Axis("m", 2, 2, 2, 2))
    svg = Xml.fromstring(drawing(Raster(axes, ("grnm", "gggg"), {}, ((2, 2),))))
    classes = [element.get("class") for element in svg.iter() if element.get("class")]
    assert {"good", "bad", "some", "mark"} <= {*classes}
    assert {"1", "4", "2", "n", "m"} <= {*texts(svg)}


def test_a_strip_has_one_axis():
    svg = Xml.fromstring(drawing(Raster((Axis("n", 1, 1, 3, 3),), ("grg",))))
    assert {"1", "3", "n"} <= {*texts(svg)}
    assert float(svg.get("height")) < float(svg.get("width"))


def test_few_marks_are_drawn():
    raster = Raster((Axis("n", 1, 1, 9, 9), Axis("m", 1, 1, 9, 9)), ("r" * 9,) * 9, {}, tuple((i, i) for i in range(9)))
    assert drawing(raster).count('class="mark"') == 3
