"""Site: a node that may have raised a message, with its inputs and requirements, and the sizes that a form names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

from shapesmt.network.declarations import names_in, parse_dim, parse_formula
from shapesmt.network.graph import AttributeValue
from shapesmt.operators.rules import Elements, Item, Requirement, Tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, Formula, all_of, any_of, as_dim, equal
from shapesmt.tasks.runtime_errors.forms import Form, Stop

__all__ = ["SIZE", "Site", "as_tuple", "computed", "in_order", "numbers_of"]
__all__ += ["same", "size_of", "stated", "stops", "where"]

LISTS = ("size", "shape", "sizes", "split_sizes", "normalized_shape")
"""The arguments that PyTorch's operators have instead of an input with elements."""


SIZE = re.compile(r"(?:i(\d)|o(\d))(?:a(\d)|z(\d)|(?P<at>at))|r(\d)|n(\d)|e(\d)a(\d)|p(\d)|attr_(\w+)")
"""The names of sizes, such as `i0a1`: input 0's size along axis 1."""
_AXIS = ("axis", "dim", "dimension")
_OTHERWISE = re.compile(r"(\w+)_or_(\d)")
Size: TypeAlias = Dim | Formula | None
"""A size; `FALSE` if the node has no such input or axis, None if it isn't known."""


class Site(NamedTuple):
    """A node that may have raised a message: its inputs as far as they are known, and its requirements.

    Attributes:
        open: Whether it may have other requirements, which aren't known.
        attributes: Its attributes.
        names: The names of its inputs, "" for an optional one that it doesn't have.
        outputs: Its outputs.
        loose: Whether an optimizer may have reordered its axes.
        merged: Whether an optimizer has computed the elements of input 1, perhaps with -1 for one of them.
        blocked: Whether an optimizer may have stored channels in blocks, as one more axis at the end.
        foreign: Whether another runtime says it, which may name two sizes in another order.
    """

    inputs: Sequence[Tensor | None]
    requirements: Sequence[Requirement]
    open: bool = False
    attributes: Mapping[str, AttributeValue] = {}
    names: Sequence[str] = ()
    outputs: Sequence[Tensor | None] = ()
    loose: bool = False
    merged: bool = False
    blocked: bool = False
    foreign: bool = False

    @property
    def axis(self) -> int | None:
        """Its own axis, 0 by default; None if that isn't one integer."""
        return self._integer(_AXIS, 0)

    @property
    def states_axis(self) -> bool:
        """Whether its own axis is among its attributes."""
        return any(self.attributes.get(name) is not None for name in _AXIS)

    @property
    def group(self) -> int | None:
        """The number of its groups, 1 by default; None if that isn't one integer."""
        return self._integer(("group", "groups", "num_groups"), 1)

    def _integer(self, names: Sequence[str], default: int) -> int | None:
        value = next((v for n in names if (v := self.attributes.get(n)) is not None), default)
        return value if isinstance(value, int) else None

    def lacks(self, index: int) -> bool:
        """Whether it has no input of this index."""
        return bool(self.names) and not (index < len(self.names) and self.names[index])

    def shape(self, index: int, of: Sequence[Tensor | None] | None = None) -> Sequence[Dim] | None:
        """Return the shape of an input, or of one of these tensors; None if it isn't known, or it is a sequence."""
        tensors = self.inputs if of is None else of
        t = tensors[index] if index < len(tensors) else None
        return None if t is None or not t.is_tensor else t.shape

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
        return [shape for index in range(len(self.inputs)) if (shape := self.shape(index)) is not None]

    @property
    def whole(self) -> bool:
        """Whether the shapes of all inputs are known."""
        return all(self.shape(index) is not None or self.lacks(index) for index in range(len(self.inputs)))

    @property
    def quantities(self) -> list[Dim]:
        """The sizes, the sides of requirements, and the elements that requirements are about."""
        found = [d for shape in self.shapes for d in shape]
        found += [side for r in self.requirements for side in (r.left, r.right) if side is not None]
        read = {s for r in self.requirements for s in r.formula.symbols}
        items = (item for index in range(len(self.inputs)) for item in self.elements(index) or ())
        return list(dict.fromkeys([*found, *(item for item in items if not read.isdisjoint(item.symbols))]))


def as_tuple(value: object) -> tuple[object, ...]:
    """Return an attribute as a tuple, of one element if it isn't a list; () if there is none."""
    return value if isinstance(value, tuple) else () if value is None else (value,)


def numbers_of(said: Mapping[str, str]) -> dict[str, int]:
    """Return the numbers that a message prints, by the name of their group; `low` and `high` are `a` and `b`."""
    names = {"low": "a", "high": "b"}
    return {names.get(key, key): int(text) for key, text in said.items() if re.fullmatch(r"-?\d+", text)}


def stated(site: Site, form: Form) -> list[Requirement]:
    """Return the node's requirements under the laws of the form, or all of them if it has none, as they are checked."""
    stated = [r for r in site.requirements if not form.laws or form.states(r.law)]
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


def size_of(site: Site, name: re.Match[str], said: Mapping[str, str]) -> Size:
    """Return the size with a name, such as the first element of input 1 for `e1a0`."""
    given, made, first, last, at, rank, count, vector, place, factors, attribute = name.groups()
    if attribute is not None:
        value = site.attributes.get(attribute)
        return as_dim(value) if isinstance(value, int) else None
    index = int(given or made or rank or count or vector or factors)
    if made is None and site.lacks(index):
        return FALSE
    if vector is not None or factors is not None:
        items = site.elements(index)
        if items is None or vector is None:
            return None if items is None else prod(items, start=as_dim(1))
        return items[int(place)] if int(place) < len(items) else FALSE
    shape = site.shape(index, of=site.inputs if made is None else site.outputs)
    if shape is None or (at and site.loose):
        return None
    if rank is not None:
        return as_dim(len(shape))
    if count is not None:
        t = site.inputs[index]
        return t.numel if t is not None else None
    axis = int(said["axis"]) if at else int(first) if first is not None else -int(last)
    return shape[axis] if -len(shape) <= axis < len(shape) else FALSE


def where(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that a form implies at a node; None if one of its sizes isn't known."""
    if not form.where:
        return TRUE
    sizes = _sizes(site, form.where, said)
    if any(size is FALSE for size in sizes.values()):
        return FALSE
    known = {name: size for name, size in sizes.items() if isinstance(size, Dim)}
    return parse_formula(form.where, known) if len(known) == len(sizes) else None


def computed(site: Site, text: str, number: int, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that an expression over sizes has a value; None if one isn't known."""
    sizes = _sizes(site, text, said)
    known = {name: size for name, size in sizes.items() if isinstance(size, Dim)}
    return equal(parse_dim(text, known), number) if len(known) == len(sizes) else None


def _sizes(site: Site, text: str, said: Mapping[str, str]) -> dict[str, Size]:
    """Return the sizes that `text` names; one such as `i4a2_or_0` is 0 if the node has no such input or axis."""
    sizes: dict[str, Size] = {}
    for name in names_in(text):
        otherwise = _OTHERWISE.fullmatch(name)
        found = SIZE.fullmatch(name if otherwise is None else otherwise[1])
        size = None if found is None else size_of(site, found, said)
        sizes[name] = as_dim(int(otherwise[2])) if size is FALSE and otherwise is not None else size
    return sizes
