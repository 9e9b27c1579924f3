"""Quantities: the sizes that a message prints, as a condition on the inputs of the node that raises it.

The conditions are necessary: unknown shapes and elements add none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import prod
from operator import sub
from typing import NamedTuple

from shapesmt.algebra import FALSE, TRUE, Dim, Formula, all_of, any_of, as_dim, at_least, equal, maximum, negate
from shapesmt.messages.forms import Form
from shapesmt.rules import Elements, Requirement, Tensor

__all__ = ["Site", "likely", "past_end", "printed_sizes"]

_INPUT = re.compile(r"i(\d)(?:a(\d)|(s))?")


class Site(NamedTuple):
    """A node that may have raised a message: its inputs as far as they are known, and its requirements.

    Attributes:
        axis: Its attribute `axis`, 0 by default; None if that isn't one integer.
        group: Its attribute `group`, 1 by default.
        outputs: The number of its outputs.
        loose: Whether an optimizer may have reordered its axes.
        merged: Whether an optimizer has computed the elements of input 1, perhaps with -1 for one of them.
    """

    inputs: Sequence[Tensor | None]
    requirements: Sequence[Requirement]
    axis: int | None = None
    group: int = 1
    outputs: int = 1
    loose: bool = False
    merged: bool = False

    def shape(self, index: int) -> Sequence[Dim] | None:
        """Return the shape of an input; None if it isn't known."""
        t = self.inputs[index] if index < len(self.inputs) else None
        return None if t is None else t.shape

    @property
    def elements(self) -> list[Dim] | None:
        """The elements of input 1; None if one of them isn't known as a formula."""
        t = self.inputs[1] if len(self.inputs) > 1 else None
        items = t.value.items if t is not None and isinstance(t.value, Elements) else (None,)
        known = [item for item in items if isinstance(item, Dim)]
        return known if len(known) == len(items) else None

    @property
    def shapes(self) -> list[Sequence[Dim]]:
        """The known shapes of its inputs."""
        return [t.shape for t in self.inputs if t is not None and t.shape is not None]

    @property
    def whole(self) -> bool:
        """Whether the shapes of all inputs are known."""
        return all(t is not None and t.shape is not None for t in self.inputs)


def printed_sizes(site: Site, form: Form, said: Mapping[str, str]) -> Formula:
    """Return the condition under which the node's sizes equal the numbers in `said`, which the message prints."""
    conditions = [_pair(site, form, said)] if "a" in _numbers(said) else []
    conditions += [_of(site, form, group, said) for group in said if group not in ("a", "b", "axis", "input")]
    return all_of(*conditions)


def likely(site: Site, form: Form, said: Mapping[str, str], *, ordered: bool, alone: bool) -> Formula:
    """Return a condition that usually holds too when the node raises the message.

    With `alone`, only one requirement fails; with `ordered`, the two printed sizes are in the order of the law's sides.
    """
    numbers, cases = _numbers(said), []
    for r in _stated(site, form):
        order = TRUE
        if r.left is not None and r.right is not None and "a" in numbers:
            a, b = numbers["a"], numbers.get("b", 0)
            order = all_of(equal(r.left, a), equal(r.right, b)) if ordered else _same(r.left, r.right, a, b)
        elif r.right is not None and "index" in numbers:
            order = equal(r.right, numbers["index"])
        others = [o.formula for o in site.requirements if o is not r] if alone else []
        cases.append(all_of(negate(r.formula), order, *others))
    return any_of(*cases) if cases else TRUE


def past_end(site: Site, earlier: Iterable[Requirement], said: Mapping[str, str]) -> Formula:
    """Return the condition under which a lookup before the node has passed the end of its table without an error.

    The lookup then returns as many rows as the table has from the first index on.
    """
    numbers, cases = _numbers(said), []
    sizes = dict.fromkeys(d for shape in site.shapes for d in shape)
    for r in earlier:
        if r.left is None or r.right is None:
            continue
        rows = [(d, maximum(r.right - r.left + d - 1, 0)) for d in sizes]
        if "a" in numbers:
            cases += [all_of(negate(r.formula), _same(d, left, numbers["a"], numbers.get("b", 0))) for d, left in rows]
    return any_of(*cases)


def _numbers(said: Mapping[str, str]) -> dict[str, int]:
    names = {"low": "a", "high": "b"}
    return {names.get(key, key): int(text) for key, text in said.items() if re.fullmatch(r"-?\d+", text)}


def _stated(site: Site, form: Form) -> list[Requirement]:
    """Return the node's requirements under the laws of the form."""
    return [r for r in site.requirements if r.law.code in form.codes]


def _pair(site: Site, form: Form, said: Mapping[str, str]) -> Formula:
    """Return the condition that the printed sizes `a` and `b` clash, in a requirement or on one axis of two inputs."""
    numbers = _numbers(said)
    a, b, axis = numbers["a"], numbers.get("b", 0), None if site.loose else numbers.get("axis")
    cases, open_sides = [], not site.whole
    deepest = max((len(shape) for shape in site.shapes), default=0)
    if a == b or (a > b and "low" in said) or (site.whole and numbers.get("axis", -1) >= deepest):
        return FALSE
    for r in _stated(site, form):
        if r.left is None or r.right is None:
            open_sides |= r.formula is not TRUE
        elif axis is None or not site.whole or _along(site, r, axis):
            cases.append(all_of(negate(r.formula), _same(r.left, r.right, a, b)))
    if len(site.inputs) > 2:  # of more operands, a runtime may compare others than the rule does
        cases += [_same(x, y, a, b) for x, y in _facing(site.shapes, axis)]
    return TRUE if open_sides else any_of(*cases)


def _along(site: Site, r: Requirement, axis: int) -> bool:
    """Whether both sides of the requirement `r` are sizes of inputs on `axis`."""
    sizes = [shape[axis] for shape in site.shapes if axis < len(shape)]
    return any(r.left is d for d in sizes) and any(r.right is d for d in sizes)


def _facing(shapes: Sequence[Sequence[Dim]], axis: int | None) -> Iterator[tuple[Dim, Dim]]:
    """Yield the pairs of sizes that broadcasting aligns, for any two shapes; only those on `axis` if it isn't None."""
    for i, first in enumerate(shapes):
        for second in shapes[i + 1 :]:
            for k, (x, y) in enumerate(zip(reversed(first), reversed(second), strict=False), 1):
                if axis in (None, len(first) - k):
                    yield x, y


def _same(x: Dim, y: Dim, a: int, b: int) -> Formula:
    return any_of(all_of(equal(x, a), equal(y, b)), all_of(equal(x, b), equal(y, a)))


def _of(site: Site, form: Form, group: str, said: Mapping[str, str]) -> Formula:
    """Return the condition that the text of `group` states; `i0a1` has the size of input 0 along axis 1."""
    placed = _INPUT.fullmatch(group)
    if placed is not None:
        index, axis, spatial = int(placed[1]), placed[2], bool(placed[3])
        shape = site.shape(index)
        if shape is None:
            return TRUE
        if axis is not None:
            return equal(shape[int(axis)], int(said[group])) if int(axis) < len(shape) else FALSE
        return _shape(shape[2:] if spatial else shape, _list(said[group]), loose=site.loose)
    read = _GROUPS.get(group)
    return read(site, form, said) if read is not None else TRUE


def _list(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", text)]


def _shape(shape: Sequence[Dim], sizes: Sequence[int], *, loose: bool) -> Formula:
    """Return the condition that a shape has these sizes, in any order if `loose`."""
    if len(shape) != len(sizes):
        return TRUE if loose else FALSE
    if loose:
        return all_of(*(any_of(*(equal(d, size) for d in shape)) for size in sizes))
    return all_of(*map(equal, shape, sizes))


def _elements(site: Site, _: Form, said: Mapping[str, str]) -> Formula:
    """Return the condition that input 1 has the printed elements; a 0 may be printed as the size that it copies."""
    sizes, copied, items = _list(said["e1"]), site.shape(0) or (), site.elements
    if "i0" in said and _fit(_list(said["i0"]), sizes):
        return FALSE
    if items is None:
        return TRUE
    if len(items) != len(sizes):
        return FALSE
    parts = []
    for place, (item, size) in enumerate(zip(items, sizes, strict=True)):
        copies = all_of(equal(item, 0), equal(copied[place], size)) if place < len(copied) else FALSE
        parts.append(TRUE if site.merged and size == -1 else any_of(equal(item, size), copies))
    return all_of(*parts)


def _fit(shape: Sequence[int], target: Sequence[int]) -> bool:
    """Whether a tensor of this shape can be reshaped to `target`: `[2, 6]` to `[3, -1]`, but not to `[5, -1]`."""
    given = prod(size for size in target if size != -1)
    return (given > 0 and prod(shape) % given == 0) if -1 in target else prod(shape) == given


def _count(site: Site, _: Form, said: Mapping[str, str]) -> Formula:
    t = site.inputs[0] if site.inputs else None
    return TRUE if t is None or t.shape is None else equal(t.numel, int(said["count"]))


def _some_size(site: Site, form: Form, said: Mapping[str, str]) -> Formula:
    """Return the condition that an axis of some input, or a side of a requirement, has the printed size."""
    if not site.whole:
        return TRUE
    sides = [side for r in _stated(site, form) for side in (r.left, r.right) if side is not None]
    sizes = dict.fromkeys([d for shape in site.shapes for d in shape] + sides)
    return any_of(*(equal(d, int(said["size"])) for d in sizes))


def _last(site: Site, _: Form, said: Mapping[str, str]) -> Formula:
    shape, size = site.shape(0), int(said["last"]) + 1
    if int(said["first"]) != -size:
        return FALSE
    if shape is None:
        return TRUE
    own = [] if site.loose or site.axis is None else shape[site.axis : site.axis + 1 or None]
    return any_of(*(equal(d, size) for d in own or shape))


def _rest(site: Site, _: Form, said: Mapping[str, str]) -> Formula:
    """Return the condition that an element of input 1 is `part`, and those before it leave `rest` of the axis."""
    shape, items, axis = site.shape(0), site.elements, site.axis
    if items is None or shape is None or site.loose or axis is None or axis >= len(shape):
        return TRUE
    left = accumulate(items, sub, initial=shape[axis])
    part, rest = int(said["part"]), int(said["rest"])
    return any_of(*(all_of(equal(d, part), equal(r, rest)) for d, r in zip(items, left, strict=False)))


def _parts(site: Site, _: Form, said: Mapping[str, str]) -> Formula:
    items = site.elements
    if items is None:
        return TRUE
    return all_of(equal(sum(items, as_dim(0)), int(said["total"])), equal(as_dim(len(items)), int(said["parts"])))


def _own_axis(site: Site, _: Form, said: Mapping[str, str]) -> Formula:
    shape, axis = site.shape(0), site.axis
    if shape is None or axis is None:
        return TRUE
    if site.loose:
        return TRUE if int(said["own"]) < len(shape) else FALSE
    return TRUE if int(said["own"]) == axis % max(len(shape), 1) else FALSE


def _at(site: Site, _: Form, said: Mapping[str, str]) -> Formula:
    shape, axis = site.shape(0), int(said["axis"])
    if shape is None or site.loose:
        return TRUE
    return equal(shape[axis], int(said["at"])) if -len(shape) <= axis < len(shape) else FALSE


def _outside(site: Site, form: Form, said: Mapping[str, str]) -> Formula:
    """Return the condition that the printed index occurs: that it is an element of input 1.

    If its elements aren't known: that it lies between the size of the axis and the largest index.
    """
    index, own = int(said["index"]), [r for r in _stated(site, form) if r.formula is not TRUE]
    if (items := site.elements) is not None:
        return any_of(*(equal(item, index) for item in items))
    if index < 0 or not own or any(r.left is None or r.right is None for r in own):
        return TRUE
    sides = [(r.left, r.right) for r in own if r.left is not None and r.right is not None]
    return any_of(*(all_of(at_least(x, index), at_least(as_dim(index), y)) for x, y in sides))


_GROUPS: dict[str, Callable[[Site, Form, Mapping[str, str]], Formula]] = {
    "e1": _elements,
    "count": _count,
    "size": _some_size,
    "last": _last,
    "at": _at,
    "index": _outside,
    "rest": _rest,
    "total": _parts,
    "own": _own_axis,
    "one": lambda _, __, said: TRUE if int(said["one"]) == 1 else FALSE,
    "group": lambda site, _, said: TRUE if site.group == int(said["group"]) else FALSE,
    "outputs": lambda site, _, said: TRUE if site.outputs == int(said["outputs"]) else FALSE,
}
