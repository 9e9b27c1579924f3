"""Where boxes and labels stand: nothing lies on anything else, and every edge leads down."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, strategies as st

from shapesmt.reports.render.page.drawings.layers import arrange


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[float], list[tuple[int, int, float]]]:
    """Boxes, each but the last with an edge to a later one, and some edges more."""
    count = draw(st.integers(2, 9))
    width = st.floats(10, 200)
    edges = [(i, draw(st.integers(i + 1, count - 1)), draw(width)) for i in range(count - 1)]
    for _ in range(draw(st.integers(0, 5))):
        source = draw(st.integers(0, count - 2))
        edges.append((source, draw(st.integers(source + 1, count - 1)), draw(width)))
    return [draw(width) for _ in range(count)], edges


@given(graphs())
def test_nothing_overlaps_and_edges_lead_down(graph) -> None:
    boxes, edges = graph
    layout = arrange(boxes, edges)
    assert [box.width for box in layout.boxes] == boxes
    for (source, target, width), way in zip(edges, layout.ways, strict=True):
        assert way[0] is layout.boxes[source]
        assert way[-1] is layout.boxes[target]
        assert [item.rank for item in way] == list(range(way[0].rank, way[-1].rank + 1))
        assert way[-2].width == width
    items = {id(item): item for item in [*layout.boxes, *(item for way in layout.ways for item in way)]}.values()
    for rank in {item.rank for item in items}:
        side_by_side = sorted((item for item in items if item.rank == rank), key=lambda item: item.x)
        for left, right in pairwise(side_by_side):
            assert left.x + left.width / 2 <= right.x - right.width / 2 + 1e-6
    assert min(item.x - item.width / 2 for item in items) >= -1e-6
    assert max(item.x + item.width / 2 for item in items) <= layout.width + 1e-6
