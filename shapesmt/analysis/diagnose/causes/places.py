"""Places: properties of named tensors, and which of several tell where another one comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shapesmt.analysis.diagnose.causes.provenance import Part, Value
from shapesmt.operators.rules import Elements, Tensor
from shapesmt.prover.algebra import ONE, Atom, Dim

MOST = 3  # the most sizes that are traced where all of them are numbers


class Place(NamedTuple):
    """A property of a tensor: the size of an axis, an element, the rank or the type.

    The index of `part` is None for an element whose index isn't known.
    """

    tensor: str
    part: Part
    value: Value

    @property
    def symbols(self) -> frozenset[Atom]:
        """The symbols of a size; none for a rank and a type."""
        return self.value.symbols if isinstance(self.value, Dim) else frozenset()

    @property
    def axis(self) -> int | None:
        """The axis that has the size; None if it is none."""
        return self.part.index if self.part.kind == "axis" else None

    @property
    def element(self) -> int | None:
        """The index of the element; None if it is none, or isn't known."""
        return self.part.index if self.part.kind == "element" else None


def covering(value: Value, places: Sequence[Place]) -> list[Place]:
    """Return one of `places` with the same value, else some that together have its symbols, chosen greedily."""
    same = [p for p in places if p.value == value][:1]
    symbols = value.symbols if isinstance(value, Dim) else frozenset()
    missing, chosen = set() if same else set(symbols), same
    while missing:
        best = max(places, key=lambda p: (len(missing & p.symbols), -len(p.symbols - symbols)), default=None)
        if best is None or missing.isdisjoint(best.symbols):
            break
        missing -= best.symbols
        chosen.append(best)
    return chosen


def telling(value: Value, places: Sequence[Place]) -> list[Place]:
    """Return those of the places on which a value depends that tell most about it.

    These are places that together have its symbols; for a number, one with the same number, else a few that aren't 1.
    """
    chosen = covering(value, places)
    if chosen or not places:
        return chosen
    different = {p.value: p for p in places[::-1] if p.value is not ONE}
    return [p for p in places if p in different.values()][:MOST]


def moved(before: tuple[Part, Tensor], after: tuple[Part, Tensor]) -> bool:
    """Whether a size is on another axis afterwards, counted from the last one, or in another element."""
    (old, t), (new, u) = before, after
    if old.kind == new.kind == "axis":
        return t.rank - (old.index or 0) != u.rank - (new.index or 0)
    if old.kind == new.kind == "element":
        return (old.index, _count(t)) != (new.index, _count(u))
    return old.index != new.index


def _count(t: Tensor) -> int:
    return len(t.value.items) if isinstance(t.value, Elements) else 1
