"""Provenance: what has a part in elements that aren't known, and what is known of elements made of such ones.

>>> word, table = (frozenset({frozenset({Cause(kind, kind)})}) for kind in ("data", "unread"))
>>> bad(computed(word, table)), [cause.what for cause in bad(together(word, table))]
(frozenset(), ['unread'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from shapesmt.graph import Literal, Node

MOST_PARTS = 16  # of an origin inside a function


class Cause(NamedTuple):
    """What has a part in elements that aren't known.

    `kind` is "data", "given" (to a function, as the input that `what` numbers), "start" (of a loop whose first trip is
    judged by itself), "unread" (a constant), "sizes" (which an operator doesn't follow) or "operator" (without a rule).
    """

    kind: str
    what: str = ""
    literal: Literal | None = None


Causes: TypeAlias = frozenset[Cause]
"""All that have a part in one element; none in one that is known."""
Origin: TypeAlias = frozenset[Causes]
"""The causes of each of a tensor's elements; which element has which isn't kept."""


FOLLOWED: Origin = frozenset({frozenset()})
DATA_CAUSE: Causes = frozenset({Cause("data")})
DATA: Origin = frozenset({DATA_CAUSE})
STARTED: Causes = frozenset({Cause("start")})


def data(_name: str) -> Origin:
    """The origin of what a whole model is given."""
    return DATA


def handed(index: int) -> Origin:
    """The origin of what a function is given as that input."""
    return frozenset({frozenset({Cause("given", str(index))})})


def of(kind: str, what: str, literal: Literal | None = None) -> Origin:
    """The origin of elements that no data decide."""
    return frozenset({frozenset({Cause(kind, what, literal)})})


def together(*origins: Origin) -> Origin:
    """The origin of elements that lie side by side: some are of the one, others of the other."""
    return _simple(frozenset().union(*origins))


def computed(*origins: Origin) -> Origin:
    """The origin of elements computed from one element of each; where one is data, so is the outcome."""
    found = FOLLOWED
    for origin in dict.fromkeys(origins):
        if origin != FOLLOWED:
            found = _simple(frozenset(a | b for a in found for b in origin))
    return found


def _simple(parts: Iterable[Causes]) -> Origin:
    kept: set[Causes] = set()
    lost: Causes = frozenset()
    for part in parts:
        kinds = {cause.kind for cause in part}
        if "data" in kinds:
            kept.add(DATA_CAUSE)
        elif part and "given" not in kinds and part != STARTED:
            lost |= part
        else:
            kept.add(part)
    if len(kept) > MOST_PARTS:
        kept = {frozenset({cause}) for part in kept for cause in part}
    return frozenset(kept | {lost} if lost else kept)


def bad(origin: Origin) -> Causes:
    """What decides some of the elements though it is no data."""
    return frozenset().union(*(p for p in origin if p != STARTED and not {c.kind for c in p} & {"data", "given"}))


def passed(origin: Origin) -> frozenset[Causes]:
    """The parts of which only a function's caller knows what they are."""
    return frozenset(part for part in origin if any(cause.kind == "given" for cause in part))


def left(origin: Origin, node: Node) -> Origin:
    """The origin where no element is followed: of those that were, the node has lost the track."""
    return together(origin - FOLLOWED, of("sizes", title(node))) if origin & FOLLOWED else origin


def resolved(origin: Origin, caller: Callable[[int], Origin]) -> Origin:
    """The origin with those of a function's inputs put in."""
    parts = []
    for part in origin:
        inputs = [cause for cause in part if cause.kind == "given"]
        parts.append(computed(frozenset({part.difference(inputs)}), *(caller(int(c.what)) for c in inputs)))
    return together(*parts)


def title(node: Node) -> str:
    """What to call a node in a law."""
    return f"{node.op} (node '{node.name}')"
