"""The whole graph of a page: a map of its nodes or, if there are many, blocks that open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import PageData, PlacedNode
from shapesmt.reports.render.page.document import section
from shapesmt.reports.render.page.graph.blocks import Block, blocks_of
from shapesmt.reports.render.page.markup import Content, Markup, data, tag
from shapesmt.reports.render.text.words import count

MOST_DRAWN = 300
"""The number of nodes above which a graph is shown as blocks."""


def graph_section(page: PageData) -> Markup | None:
    """Return the map of the graph, or its blocks; None without nodes."""
    nodes = page.calculator.nodes
    if not nodes:
        return None
    here = tag("label", tag("input", type="checkbox", id="map-here"), "at the chosen sizes")
    whole = tag("button", "Show the whole graph", type="button", id="map-whole", hidden="")
    controls = [tag("ul", class_="legend", id="map-legend"), here if page.calculator.sliders else None, whole]
    shown = _map(len(nodes)) if len(nodes) <= MOST_DRAWN else _blocks(nodes)
    return section("The whole graph", tag("div", controls, class_="controls"), shown, number=len(nodes))


def _map(number: int) -> Content:
    """Return the place for the drawing."""
    return [
        tag("p", "The nodes from left to right as they run, under the parts of their names.", class_="faint"),
        tag("canvas", id="map", role="img", aria_label=f"map of {count(number, 'node')}"),
        tag("noscript", tag("p", "The map needs scripts.")),
        tag("p", class_="readout", id="map-readout", aria_live="polite"),
    ]


def _blocks(nodes: Sequence[PlacedNode]) -> Content:
    """Return the list of the blocks, which the script replaces by blocks that open, and their parts."""
    blocks = blocks_of([node.name for node in nodes])
    listed = [
        tag("li", tag("bdi", printable(block.label, 200)), tag("small", ", ".join(_counts(block, nodes))))
        for block in blocks
    ]
    return [tag("ul", listed, id="blocks", class_="blocks"), data("block-data", [*map(_written, blocks)])]


def _counts(block: Block, nodes: Sequence[PlacedNode]) -> Iterator[str]:
    """Yield the number of nodes in a block, and the numbers of those that fail or depend on the input."""
    yield count(len(block.nodes), "node")
    found = [nodes[n].verdict for n in block.nodes if nodes[n].judged and nodes[n].reached]
    for verdict, text in ((Verdict.FAILS, "failing"), (Verdict.DEPENDS, "depending on the input")):
        if verdict in found:
            yield f"{found.count(verdict)} {text}"


def _written(block: Block) -> list[object]:
    """Return a block for the script: its label, and its parts or else the ends of the runs of its nodes."""
    parts = map(_written, block.parts) if block.parts else _runs(block.nodes)
    return [printable(block.label, 200), *parts]


def _runs(nodes: Iterable[int]) -> Iterator[int]:
    """Yield the first and the last of consecutive nodes.

    >>> [*_runs([3, 4, 5, 9])]
    [3, 5, 9, 9]
    """
    ends = [-2, *nodes, -2]
    for (before, node), after in zip(pairwise(ends), ends[2:], strict=False):
        if node != before + 1:
            yield node
        if after != node + 1:
            yield node
