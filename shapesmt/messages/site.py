"""Site: a node that may have raised a message, with its inputs and requirements, and what is asked of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shapesmt.algebra import Dim, Formula, all_of, any_of, as_dim, equal
from shapesmt.graph import AttributeValue
from shapesmt.messages.forms import Form, Stop
from shapesmt.rules import Elements, Item, Requirement, Tensor

__all__ = ["Site", "as_tuple", "in_order", "numbers_of", "same", "stated", "stops"]


LISTS = ("size", "shape", "sizes", "split_sizes", "normalized_shape")
"""The arguments that PyTorch's operators have instead of an input with elements."""


class Site(NamedTuple):
    """A node that may have raised a message: its inputs as far as they are known, and its requirements.

    Attributes:
        open: Whether it may have other requirements, which aren't known.
        axis: Its attribute `axis`, 0 by default; None if that isn't one integer.
        group: Its attribute `group`, 1 by default.
        outputs: The number of its outputs.
        loose: Whether an optimizer may have reordered its axes.
        merged: Whether an optimizer has computed the elements of input 1, perhaps with -1 for one of them.
        blocked: Whether an optimizer may have stored channels in blocks, as one more axis at the end.
        foreign: Whether another runtime says it, which may name two sizes in another order.
        attributes: The node's attributes.
    """

    inputs: Sequence[Tensor | None]
    requirements: Sequence[Requirement]
    open: bool = False
    axis: int | None = None
    group: int = 1
    outputs: int = 1
    loose: bool = False
    merged: bool = False
    blocked: bool = False
    foreign: bool = False
    attributes: Mapping[str, AttributeValue] = {}

    def shape(self, index: int) -> Sequence[Dim] | None:
        """Return the shape of an input; None if it isn't known."""
        t = self.inputs[index] if index < len(self.inputs) else None
        return None if t is None else t.shape

    def elements(self, index: int = 1) -> list[Dim] | None:
        """Return the elements of an input; None if one of them isn't known as a formula."""
        t = self.inputs[index] if index < len(self.inputs) else None
        items: Sequence[Item] = t.value.items if t is not None and isinstance(t.value, Elements) else (None,)
        listed = next((name for name in LISTS if isinstance(self.attributes.get(name), tuple)), "")
        items = self.numbers(listed) if listed and index == 1 else items
        known = [item for item in items if isinstance(item, Dim)]
        return known if len(known) == len(items) else None

    def numbers(self, name: str) -> list[Dim | None]:
        """Return the integers of an attribute, also those that are inputs of a PyTorch node; None for unknown ones."""
        constants, places = (as_tuple(self.attributes.get(n)) for n in (name, f"@{name}"))
        items: list[Dim | None] = [as_dim(n) if isinstance(n, int) else None for n in constants]
        for at, place in enumerate(places[: len(items)]):
            if isinstance(place, int) and place >= 0:
                t = self.inputs[place] if place < len(self.inputs) else None
                known = t.value.items if t is not None and isinstance(t.value, Elements) else ()
                items[at] = known[0] if len(known) == 1 and isinstance(known[0], Dim) else None
        return items

    @property
    def shapes(self) -> list[Sequence[Dim]]:
        """The known shapes of its inputs."""
        return [t.shape for t in self.inputs if t is not None and t.shape is not None]

    @property
    def whole(self) -> bool:
        """Whether the shapes of all inputs are known."""
        return all(t is not None and t.shape is not None for t in self.inputs)

    @property
    def quantities(self) -> list[Dim]:
        """The sizes, the elements and the sides of requirements that are known."""
        found = [d for shape in self.shapes for d in shape]
        found += [side for r in self.requirements for side in (r.left, r.right) if side is not None]
        found += [item for index in range(len(self.inputs)) for item in self.elements(index) or ()]
        return list(dict.fromkeys(found))


def as_tuple(value: object) -> tuple[object, ...]:
    """Return an attribute as a tuple, of one element if it isn't a list; () if there is none."""
    return value if isinstance(value, tuple) else () if value is None else (value,)


def numbers_of(said: Mapping[str, str]) -> dict[str, int]:
    """Return the numbers that a message prints, by the name of their group; `low` and `high` are `a` and `b`."""
    names = {"low": "a", "high": "b"}
    return {names.get(key, key): int(text) for key, text in said.items() if re.fullmatch(r"-?\d+", text)}


def stated(site: Site, form: Form) -> list[Requirement]:
    """Return the node's requirements under the laws of the form, or all of them if it has none, as they are checked."""
    stated = [r for r in site.requirements if not form.codes or r.law.code in form.codes]
    return stated[::-1] if stops(site, form) is Stop.LAST else stated


def in_order(site: Site, r: Requirement) -> bool:
    """Whether the left side of a requirement isn't of a later input than the right one."""
    left, right = (
        next((place for place, t in enumerate(site.inputs) if t and t.shape and any(d is side for d in t.shape)), None)
        for side in (r.left, r.right)
    )
    return left is None or right is None or left <= right


def stops(site: Site, form: Form) -> Stop | None:
    """Return at which failing requirement of a law the runtime stops; None if that isn't known."""
    return None if form.stop is Stop.LAST and len(site.inputs) > 2 else form.stop


def same(x: Dim, y: Dim, a: int, b: int) -> Formula:
    """Return the condition that two sizes are these numbers, in any order."""
    return any_of(all_of(equal(x, a), equal(y, b)), all_of(equal(x, b), equal(y, a)))
