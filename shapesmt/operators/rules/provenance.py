"""Provenance: the sources from which unknown elements are computed, and whether data is among them.

>>> word, table = DATA, of("unread", "table")
>>> bad(combine_origins(word, table)), [cause.what for cause in bad(together(word, table))]
(frozenset(), ['table'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal as OneOf, NamedTuple, TypeAlias

from shapesmt.network.graph import Literal, Node

MOST_PARTS = 16  # alternatives in an origin inside a function


Kind: TypeAlias = OneOf["data", "argument", "start", "unread", "sizes", "operator"]


class Cause(NamedTuple):
    """One source of unknown elements.

    `kind` is "data", "argument" (input number `what` of a function), "start" (of a loop, whose first iteration is
    checked separately), "unread" (a constant), "sizes" (in an operator whose rule doesn't compute them) or "operator"
    (one without a rule).
    """

    kind: Kind
    what: str = ""
    literal: Literal | None = None

    @property
    def absent(self) -> bool:
        """Whether it is a constant in an external file that couldn't be read."""
        return self.literal is not None and bool(self.literal.file) and self.literal.source is None

    @property
    def prevails(self) -> bool:
        """Whether elements computed from it and from data count as unread, not as data: it is a number of that file.

        Floats are weights, which only change what the data are.
        """
        return self.literal is not None and bool(self.literal.file) and "float" not in self.literal.dtype


Causes: TypeAlias = frozenset[Cause]
"""All sources of one element; empty for an element that is known."""
Origin: TypeAlias = frozenset[Causes]
"""The causes of a tensor's elements as a set; it doesn't record which element has which."""


FOLLOWED: Origin = frozenset({frozenset()})
DATA_CAUSE: Causes = frozenset({Cause("data")})
DATA: Origin = frozenset({DATA_CAUSE})
STARTED: Causes = frozenset({Cause("start")})


def data(_name: str) -> Origin:
    """Return the origin of a model's inputs."""
    return DATA


def argument_origin(index: int) -> Origin:
    """Return the origin of input `index` of a function."""
    return frozenset({frozenset({Cause("argument", str(index))})})


def of(kind: Kind, what: str, literal: Literal | None = None) -> Origin:
    """Return the origin of unknown elements with a single cause, such as an unread constant named `what`."""
    return frozenset({frozenset({Cause(kind, what, literal)})})


def together(*origins: Origin) -> Origin:
    """Return the origin of a tensor whose elements are taken from several: each has one of these origins."""
    return _simple(frozenset().union(*origins))


def combine_origins(*origins: Origin) -> Origin:
    """Return the origin of elements computed from one element of each tensor; if one is data, so is the result."""
    product = FOLLOWED
    for origin in dict.fromkeys(origins):
        if origin != FOLLOWED:
            product = _simple(frozenset(a | b for a in product for b in origin))
    return product


def _simple(parts: Iterable[Causes]) -> Origin:
    kept: set[Causes] = set()
    lost: Causes = frozenset()
    for part in parts:
        kinds = {cause.kind for cause in part}
        if any(cause.prevails for cause in part) and "argument" not in kinds:
            lost |= frozenset(cause for cause in part if cause.kind != "data")
        elif "data" in kinds:
            kept.add(DATA_CAUSE)
        elif part and "argument" not in kinds and part != STARTED:
            lost |= part
        else:
            kept.add(part)
    if len(kept) > MOST_PARTS:
        kept = {frozenset({cause}) for part in kept for cause in part}
    return frozenset(kept | {lost} if lost else kept)


def bad(origin: Origin) -> Causes:
    """Return the causes, other than data, of unknown elements."""
    return frozenset().union(*(p for p in origin if p != STARTED and not {c.kind for c in p} & {"data", "argument"}))


def argument_causes(origin: Origin) -> frozenset[Causes]:
    """Return the causes that depend on a function's inputs, which only the caller knows."""
    return frozenset(part for part in origin if any(cause.kind == "argument" for cause in part))


def unfollowed_origin(origin: Origin, node: Node) -> Origin:
    """Return the origin of elements that a node computes but its rule doesn't: known elements become unknown sizes."""
    return together(origin - FOLLOWED, of("sizes", title(node))) if origin & FOLLOWED else origin


def resolve_arguments(origin: Origin, caller: Callable[[int], Origin]) -> Origin:
    """Return the origin with a function's inputs replaced by the caller's origins for them."""
    parts = []
    for part in origin:
        inputs = [cause for cause in part if cause.kind == "argument"]
        parts.append(combine_origins(frozenset({part.difference(inputs)}), *(caller(int(c.what)) for c in inputs)))
    return together(*parts)


def title(node: Node) -> str:
    """Return a node's name as laws show it, such as `Reshape (node 'r1')`."""
    return f"{node.op} (node '{node.name}')"
