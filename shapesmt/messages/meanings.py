"""Meanings: the condition that each number of a message puts on the node, by the name of its group in the form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import prod
from operator import sub

from shapesmt.algebra import FALSE, TRUE, Dim, Formula, Kind, all_of, any_of, as_dim, at_least, equal
from shapesmt.messages.forms import Form
from shapesmt.messages.site import Site, stated

__all__ = ["meaning", "nearly"]

_INPUT = re.compile(r"i(\d)(?:a(\d)|(s))?")


def meaning(site: Site, form: Form, group: str, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the text of `group` states, such as `i0a1`: input 0's size along axis 1.

    None if what it is about isn't known.
    """
    placed = _INPUT.fullmatch(group)
    known = _GROUPS[group](site, form, said) if placed is None else _input(site, placed, said[group])
    return None if known is None or any(s.kind in (Kind.OPEN, Kind.LOST) for s in known.symbols) else known


def _input(site: Site, placed: re.Match[str], text: str) -> Formula | None:
    """Return the condition that an input has the shape in `text`, or that its axis has the size."""
    index, axis, spatial = int(placed[1]), placed[2], bool(placed[3])
    shape = site.shape(index)
    if shape is None:
        return None
    if axis is not None:
        return equal(shape[int(axis)], int(text)) if int(axis) < len(shape) else FALSE
    return _shape(shape[2:] if spatial else shape, _list(text), loose=site.loose)


def _list(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", text)]


def _shape(shape: Sequence[Dim], sizes: Sequence[int], *, loose: bool) -> Formula:
    """Return the condition that a shape has these sizes, in any order if `loose`."""
    if len(shape) != len(sizes):
        return TRUE if loose else FALSE
    if loose:
        return all_of(*(any_of(*(equal(d, size) for d in shape)) for size in sizes))
    return all_of(*map(equal, shape, sizes))


def _elements(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that input 1 has the printed elements; a 0 may be printed as the size that it copies."""
    sizes, copied, items = _list(said["e1"]), site.shape(0) or (), site.elements()
    if "i0" in said and _fit(_list(said["i0"]), sizes):
        return FALSE
    if items is None:
        return None
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


def _count(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    t = site.inputs[0] if site.inputs else None
    return None if t is None or t.shape is None else equal(t.numel, int(said["count"]))


def _some_size(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that an axis of some input, or a side of a requirement, has the printed size."""
    if not site.whole:
        return None
    sides = [side for r in stated(site, form) for side in (r.left, r.right) if side is not None]
    sizes = dict.fromkeys([d for shape in site.shapes for d in shape] + sides)
    return any_of(*(equal(d, int(said["size"])) for d in sizes))


def _last(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    shape, size = site.shape(0), int(said["last"]) + 1
    if int(said["first"]) != -size:
        return FALSE
    if shape is None:
        return None
    own = [] if site.loose or site.axis is None else shape[site.axis : site.axis + 1 or None]
    return any_of(*(equal(d, size) for d in own or shape))


def _rest(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that an element of input 1 is `part`, and those before it leave `rest` of the axis."""
    shape, items, axis = site.shape(0), site.elements(), site.axis
    if items is None or shape is None or site.loose or axis is None or not -len(shape) <= axis < len(shape):
        return None
    left = accumulate(items, sub, initial=shape[axis])
    part, rest = int(said["part"]), int(said["rest"])
    return any_of(*(all_of(equal(d, part), equal(r, rest)) for d, r in zip(items, left, strict=False)))


def _parts(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    items = site.elements()
    if items is None:
        return None
    return all_of(equal(sum(items, as_dim(0)), int(said["total"])), equal(as_dim(len(items)), int(said["parts"])))


def _own_axis(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the node's own axis is the printed one, which may count from the end."""
    shape, axis, told = site.shape(0), site.axis, int(said["own"])
    if shape is None or axis is None:
        return None
    rank = max(len(shape), 1)
    if site.loose:
        return TRUE if -rank <= told < rank else FALSE
    return TRUE if told % rank == axis % rank and -rank <= told < rank else FALSE


def _at(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    shape, axis = site.shape(0), int(said["axis"])
    if shape is None or site.loose:
        return None
    return equal(shape[axis], int(said["at"])) if -len(shape) <= axis < len(shape) else FALSE


def _outside(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the printed index is the first element of input 1 outside the axis.

    If its elements aren't known: that it lies between the size of the axis and the largest index.
    """
    index, axes, items = int(said["index"]), {r.right for r in stated(site, form)}, site.elements()
    if items is not None and len(axes) == 1 and (size := axes.pop()) is not None:
        inside = [all_of(at_least(item, -size), at_least(size, item + 1)) for item in items]
        first = (all_of(equal(item, index), *inside[:place]) for place, item in enumerate(items))
        return any_of(*first)
    return None


def nearly(site: Site, form: Form, said: Mapping[str, str]) -> Formula:
    """Return a condition that holds where an index is printed whose place among the elements isn't known."""
    if "index" not in said:
        return TRUE
    index, own, items = int(said["index"]), [r for r in stated(site, form) if r.formula is not TRUE], site.elements()
    if items is not None:
        return any_of(*(equal(item, index) for item in items))
    if index < 0 or not own or any(r.left is None or r.right is None for r in own):
        return TRUE
    sides = [(r.left, r.right) for r in own if r.left is not None and r.right is not None]
    return any_of(*(all_of(at_least(x, index), at_least(as_dim(index), y)) for x, y in sides))


_GROUPS: dict[str, Callable[[Site, Form, Mapping[str, str]], Formula | None]] = {
    "e1": _elements,
    "count": _count,
    "size": _some_size,
    "last": _last,
    "first": lambda _, __, ___: TRUE,  # read with `last`
    "at": _at,
    "index": _outside,
    "rest": _rest,
    "part": lambda _, __, ___: TRUE,  # read with `rest`
    "total": _parts,
    "parts": lambda _, __, ___: TRUE,  # read with `total`
    "own": _own_axis,
    "line": lambda _, __, ___: TRUE,  # read by `resembling`
    "one": lambda _, __, said: TRUE if int(said["one"]) == 1 else FALSE,
    "group": lambda site, _, said: TRUE if site.group == int(said["group"]) else FALSE,
    "outputs": lambda site, _, said: TRUE if site.outputs == int(said["outputs"]) else FALSE,
}
