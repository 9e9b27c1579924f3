"""Chains: every step and every tensor of a cause graph, drawn and listed, and names that stay text."""

import xml.etree.ElementTree as Xml

from shapesmt.reports.answers import CauseGraph, Link, Size, Step
from shapesmt.reports.render.page.drawings.chain import cause_graph

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
    figure = drawn(cause_graph(GRAPH))
    (svg,) = figure.iter("svg")
    assert [r.get("class") for r in svg.iter("rect")].count("plate") == len(GRAPH.links)
    boxes = [r.get("class") for r in svg.iter("rect") if r.get("class").startswith("box")]
    assert boxes == ["box given", "box node", "box failing"]
    assert texts(svg) == [
        *("image", "3 \u00d7 65   height = 65", "d  via 2 nodes", "33   (height + 1)//2 = 33", "image", "rank unknown"),
        *("input  image", "Conv  down  stride 2", "Concat  <join>"),
    ]


def test_the_list_says_what_the_drawing_says():
    figure = drawn(cause_graph(GRAPH))
    items = [["".join(p.itertext()) for p in item.iter("p")] for item in figure.iter("li")]
    assert items == [
        ["input  image"],
        ["Conv  down  stride 2", "image", "3 \u00d7 65   height = 65"],
        ["Concat  <join>", "d  via 2 nodes", "33   (height + 1)//2 = 33", "image", "rank unknown"],
    ]


def test_what_is_wider_than_any_page_is_only_listed():
    steps = tuple(Step(f"{'long' * 10}{i}", "Conv", "kernel 3, stride 2") for i in range(8))
    wide = CauseGraph((*steps, Step("join", "Concat", failing=True)), tuple(Link(i, 8, "x", ()) for i in range(8)))
    figure = drawn(cause_graph(wide))
    assert not [*figure.iter("svg")]
    assert len([*figure.iter("li")]) == 9
