"""Layers: the positions of the boxes and labels of a small directed graph, in ranks from top to bottom.

Edges go through a label on the rank above their target and through bends on the ranks between, so that nothing
overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from shapesmt.base.frozen import frozen

GAP = 18.0  # between neighbours of one rank
SWEEPS = 8


@dataclass(eq=False)
class Item:
    """A box, a label or a bend: its width and, once it is arranged, its rank and the position `x` of its middle."""

    width: float
    rank: int = 0
    x: float = 0.0
    above: list[Item] = field(default_factory=list, repr=False)
    below: list[Item] = field(default_factory=list, repr=False)


@frozen(eq=False)
class Layout:
    """The boxes in their order, the items on each edge (source, bends, label, target), and the whole width."""

    boxes: list[Item]
    ways: list[list[Item]]
    width: float


def arrange(boxes: Sequence[float], labels: Sequence[tuple[int, int, float]]) -> Layout:
    """Return the layout of boxes of these widths and of edges, each with its source, its target and its label's width.

    Every edge leads to a later box. Boxes are on even ranks, labels on odd ones.

    >>> layout = arrange([40, 40, 40], [(0, 1, 10), (1, 2, 10), (0, 2, 10)])
    >>> [box.rank for box in layout.boxes], [[item.rank for item in way] for way in layout.ways]
    ([0, 2, 4], [[0, 1, 2], [2, 3, 4], [0, 1, 2, 3, 4]])
    """
    items = [Item(width) for width in boxes]
    for source, target, _ in sorted(labels, key=lambda edge: edge[1]):
        items[target].rank = max(items[target].rank, items[source].rank + 2)
    for source in reversed(range(len(items))):  # as close as possible to the first box that they lead to
        targets = [items[t].rank for s, t, _ in labels if s == source]
        if targets and not any(t == source for _, t, _ in labels):
            items[source].rank = min(targets) - 2
    ways = []
    for source, target, width in labels:
        between = [Item(0.0, rank) for rank in range(items[source].rank + 1, items[target].rank)]
        between[-1].width = width
        way = [items[source], *between, items[target]]
        for upper, lower in pairwise(way):
            upper.below.append(lower)
            lower.above.append(upper)
        ways.append(way)
    every = list(dict.fromkeys([*items, *(item for way in ways for item in way)]))
    ranks = [[i for i in every if i.rank == rank] for rank in range(max(i.rank for i in every) + 1)]
    for sweep in range(SWEEPS):
        for rank in ranks if sweep % 2 == 0 else ranks[::-1]:
            _place(rank, downwards=sweep % 2 == 0)
    left = min(i.x - i.width / 2 for i in every)
    for item in every:
        item.x -= left
    return Layout(items, ways, max(i.x + i.width / 2 for i in every))


def _place(rank: list[Item], *, downwards: bool) -> None:
    """Move the items of a rank to the mean position of their neighbours, without overlaps."""
    if not rank:
        return
    positions = {}
    for item in rank:
        near = (item.above if downwards else item.below) or [item]
        positions[item] = sum(n.x for n in near) / len(near)
    rank.sort(key=lambda item: positions[item])  # stable: equal ones keep their order
    end = float("-inf")
    for item in rank:
        item.x = max(positions[item], end + item.width / 2)
        end = item.x + item.width / 2 + GAP
    drift = sum(item.x - positions[item] for item in rank) / len(rank)
    for item in rank:
        item.x -= drift
