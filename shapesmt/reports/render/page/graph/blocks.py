"""Blocks: the nodes of a large graph in groups that open, by the scopes in their names, else in runs of equal length.

>>> names = [f"/encoder/layers.{n // 80}/{part}/Add_{n}" for n in range(160) for part in ("attn", "mlp")]
>>> [(block.label, len(block.nodes), [part.label for part in block.parts]) for block in blocks_of(names)]
[('/encoder/layers.0', 160, ['attn', 'mlp']), ('/encoder/layers.1', 160, ['attn', 'mlp'])]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

MOST_LISTED = 100
"""The number of nodes above which a block is divided."""
_MOST_RUNS = 40  # runs are longer if there would be more of them
_MOST_PARTS = 60  # the most scopes that are listed side by side
_DEEPEST = 12  # the most scopes of a name that are looked at
_SCOPE_END = re.compile(r"(?<=[^/.])(?:/|\.(?=\D))")  # `layers.0` is one scope


class Block(NamedTuple):
    """A group of nodes: its label, their indices, and the smaller blocks that it consists of, if it is divided."""

    label: str
    nodes: Sequence[int]
    parts: Sequence[Block] = ()


def blocks_of(names: Sequence[str]) -> list[Block]:
    """Return the blocks of a graph whose nodes have these names, in topological order."""
    scopes = [[name[: end.start()] for end in islice(_SCOPE_END.finditer(name), _DEEPEST)] for name in names]
    return _divided("", "", range(len(names)), scopes)


def _divided(scope: str, shown: str, nodes: Sequence[int], scopes: Sequence[Sequence[str]]) -> list[Block]:
    """Return the parts of a scope that is listed inside the block of `shown`; none if there are few nodes.

    The parts of an inner scope that has most of the nodes are listed in its place.
    """
    if len(nodes) <= MOST_LISTED:
        return []
    inner: dict[str, list[int]] = {}
    for node in nodes:
        inner.setdefault(next((s for s in scopes[node] if len(s) > len(scope)), ""), []).append(node)
    others = inner.pop("", [])
    if not 0 < len(inner) <= min(_MOST_PARTS, len(nodes) // 2):
        return _runs(nodes)
    label = _label(scope, shown)
    blocks = [Block(f"{label}: other nodes" if label else "other nodes", others, _runs(others))] if others else []
    for key, part in inner.items():
        label = _label(key, shown)
        if 2 * len(part) > len(nodes):
            blocks += _divided(key, shown, part, scopes) or [Block(label, part)]
        else:
            blocks.append(Block(label, part, _divided(key, key, part, scopes)))
    return sorted(blocks, key=lambda block: block.nodes[0])


def _label(scope: str, shown: str) -> str:
    """Return a scope without the part that the label of the block around it says."""
    return scope.removeprefix(shown).lstrip("/.") if shown else scope


def _runs(nodes: Sequence[int]) -> list[Block]:
    """Return runs of equal length; none if there are few nodes."""
    if len(nodes) <= MOST_LISTED:
        return []
    length = max(MOST_LISTED // 2, -(-len(nodes) // _MOST_RUNS))
    runs = [nodes[start : start + length] for start in range(0, len(nodes), length)]
    return [Block(f"nodes {run[0]} to {run[-1]}", run, _runs(run)) for run in runs]
