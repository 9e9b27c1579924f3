"""Meanings: the condition that each number of a message puts on the node, by the name of its group in the form."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, zip_longest
from math import prod
from operator import sub

from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Dim,
    Formula,
    Kind,
    all_of,
    any_of,
    as_dim,
    at_least,
    equal,
    negate,
    product,
    select,
)
from shapesmt.tasks.runtime_errors.forms import Form
from shapesmt.tasks.runtime_errors.site import SIZE, Site, as_tuple, computed, size_of, stated, where

__all__ = ["INEXACT", "implied", "meaning", "nearly"]

INEXACT = re.compile(r"size\d?|shape\d?")
"""Groups that are about one of the inputs, which one isn't known."""
_INPUT = re.compile(r"i(\d)([stpb])?")
_ELEMENT = re.compile(r"e(\d)at")


def meaning(site: Site, form: Form, group: str, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the text of `group` states, such as `i0a1`: input 0's size along axis 1.

    None if what it is about isn't known.
    """
    placed, size, element = _INPUT.fullmatch(group), SIZE.fullmatch(group), _ELEMENT.fullmatch(group)
    known: Formula | None
    if group in (expressions := dict(form.computed)):
        known = computed(site, expressions[group], int(said[group]), said)
    elif group.startswith("attr_"):
        known = _attribute(site, group.removeprefix("attr_"), said[group])
    elif INEXACT.fullmatch(group):
        known = (_some_size if group.startswith("size") else _some_shape)(site, form, said[group])
    elif element is not None:
        known = _first_outside(site, int(element[1]), said)
    elif size is not None:
        found = size_of(site, size, said)
        known = equal(found, int(said[group])) if isinstance(found, Dim) else found
        shape = site.shape(int(size[1])) if site.loose and size["at"] else None
        if shape is not None:
            known = any_of(*(equal(d, int(said[group])) for d in shape))
    else:
        known = _GROUPS[group](site, form, said) if placed is None else _input(site, placed, said[group])
    return None if known is None or _unknown(known) else known


def implied(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the text implies; None if what it is about isn't known."""
    known = where(site, form, said)
    return None if known is None or _unknown(known) else known


def _unknown(condition: Formula) -> bool:
    return any(s.kind in (Kind.OPEN, Kind.LOST) for s in condition.symbols)


def _input(site: Site, placed: re.Match[str], text: str) -> Formula | None:
    """Return the condition that an input has the shape in `text`."""
    index, part, sizes = int(placed[1]), placed[2], _list(text)
    shape = site.shape(index)
    if shape is None and site.lacks(index):
        return FALSE if sizes else TRUE
    if shape is None:
        return None
    if part in ("p", "b"):
        return _padded(shape, sizes, 1 if part == "b" else len(sizes) + len(shape), loose=site.loose)
    parts = {"s": shape[2:], "t": shape[max(len(shape) - len(sizes), 0) :]}
    return _shape(parts.get(part, shape), sizes, loose=site.loose)


def _padded(shape: Sequence[Dim], sizes: list[int], most: int, *, loose: bool) -> Formula:
    """Return the condition that a shape has these sizes, up to `most` axes of size 1 in front."""
    front = len(sizes) - len(shape)
    if abs(front) > most or any(size != 1 for size in sizes[: max(front, 0)]):
        return FALSE
    ones = [equal(d, 1) for d in shape[: max(-front, 0)]]
    return all_of(*ones, _shape(shape[max(-front, 0) :], sizes[max(front, 0) :], loose=loose))


def _list(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", text)]


def _shape(shape: Sequence[Dim], sizes: Sequence[int], *, loose: bool) -> Formula:
    """Return the condition that a shape has these sizes, in any order if `loose`."""
    if len(shape) != len(sizes):
        return TRUE if loose else FALSE
    if loose:
        return all_of(*(any_of(*(equal(d, size) for d in shape)) for size in sizes))
    return all_of(*map(equal, shape, sizes))


def _elements(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that input 1 has the printed elements; a 0 may be printed as the size that it copies."""
    sizes, copied, items = _list(said["e1"]), site.shape(0) or (), site.elements()
    if "i0" in said and "SM104" in form.laws and _fit(_list(said["i0"]), sizes):
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


def _target(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the elements of input 1 multiply to the printed number; a 0 may copy a size."""
    items, copied = site.elements(), site.shape(0) or ()
    if items is None or any(item.lo < 0 for item in items):
        return None
    sizes = [
        select(equal(item, 0), copied[place], item) if place < len(copied) else item for place, item in enumerate(items)
    ]
    return any_of(*(equal(product(each), int(said["target"])) for each in (sizes, items)))


def _folded(side: str, others: str) -> Callable[[Site, Form, Mapping[str, str]], Formula | None]:
    """Return the meaning of the other sizes of the matrix that has the side of a requirement as its inner size."""

    def condition(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
        found = [
            product([*shape[:place], *shape[place + 1 :]])
            for inner in {getattr(r, side) for r in stated(site, form)}
            for shape in site.shapes
            for place, d in enumerate(shape)
            if d is inner
        ]
        return equal(found[0], int(said[others])) if len(found) == 1 else None

    return condition


def _batch(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the batches of two operands fit, broadcast if need be, and are as many as printed."""
    first, second = site.shape(0), site.shape(1)
    if first is None or second is None or min(len(first), len(second)) < 3:
        return None
    pairs = list(zip_longest(reversed(first[:-2]), reversed(second[:-2]), fillvalue=as_dim(1)))
    fit = [r.formula for r in site.requirements if (r.left, r.right) in pairs or (r.right, r.left) in pairs]
    return all_of(*fit, equal(product([select(equal(x, 1), y, x) for x, y in pairs]), int(said["batch"])))


def _numbered(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the input with the printed number is the first that differs from input 0.

    They may differ on the printed axis `own`.
    """
    number, own = int(said["number"]), int(said["own"]) if "own" in said else None
    if number >= len(site.inputs):
        return FALSE
    shapes = [shape for shape in map(site.shape, range(number + 1)) if shape is not None]
    if len(shapes) <= number or len(set(map(len, shapes))) > 1:
        return None
    alike = [
        all_of(*(equal(x, y) for axis, (x, y) in enumerate(zip(shapes[0], shape, strict=True)) if axis != own))
        for shape in shapes[1:]
    ]
    return all_of(*alike[:-1], negate(alike[-1])) if alike else FALSE


def _target_axis(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that a requirement fails on the printed axis of the listed shape that input 0 expands to."""
    shape, items, axis = site.shape(0), site.elements(), int(said["target_axis"])
    if shape is None or items is None:
        return None
    place = axis - len(items) + len(shape)
    if not 0 <= place < len(shape) or axis >= len(items):
        return FALSE
    own = [r for r in stated(site, form) if r.left is shape[place] and r.right is items[axis]]
    return any_of(*(negate(r.formula) for r in own))


def _that(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the input with the printed number has the printed shape."""
    number = int(said["number"])
    shape = site.shape(number)
    return _shape(shape, _list(said["that"]), loose=site.loose) if shape is not None else None


def _all_shapes(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the inputs have the printed shapes; of a node that is rewritten, just the first one."""
    printed = [_list(text) for text in re.findall(r"[\[{]([\d, ]*)[\]}]", said["inputs"])]
    first = site.shape(0)
    if site.foreign and len(printed) != len(site.inputs):
        return None if first is None or not printed else _shape(first, printed[0], loose=True)
    if len(printed) != len(site.inputs):
        return FALSE
    known = [(t.shape, sizes) for t, sizes in zip(site.inputs, printed, strict=True) if t is not None and t.shape]
    return all_of(*(_shape(shape, sizes, loose=site.loose) for shape, sizes in known))


def _along(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that input 0 has the printed size on the node's own axis."""
    shape, axis = site.shape(0), site.axis
    if shape is None or site.loose or axis is None or not -len(shape) <= axis < len(shape):
        return None
    return equal(shape[axis], int(said["along"]))


def _padded_image(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that input 0's last axes, padded at both ends, have the printed sizes."""
    shape, sizes = site.shape(0), _list(said["padded"])
    pads = [pad for pad in as_tuple(site.attributes.get("padding", 0)) if isinstance(pad, int)]
    pads = pads * len(sizes) if len(pads) == 1 else pads
    if shape is None or len(pads) != len(sizes) or len(shape) < len(sizes):
        return None
    return all_of(*(equal(d + 2 * p, size) for d, p, size in zip(shape[-len(sizes) :], pads, sizes, strict=True)))


def _attribute(site: Site, name: str, text: str) -> Formula | None:
    """Return whether the node's own attribute is the printed number; None if it isn't a constant, or counts back."""
    known = site.attributes.get(name) if f"@{name}" not in site.attributes else None
    return None if not isinstance(known, int) or known < 0 else TRUE if known == int(text) else FALSE


def _guard(site: Site, form: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the printed guard of a program fails, and those before it hold."""
    printed, guards = _tree(said["guard"]), [r.formula for r in stated(site, form)]
    written = [_tree(str(text)) for text in as_tuple(site.attributes.get("written"))]
    if len(guards) != len(written):
        return None
    place = written.index(printed) if printed in written else -1
    return all_of(*guards[:place], negate(guards[place])) if place >= 0 else FALSE


def _tree(guard: str) -> str:
    """Return a guard in a form that is the same for `L['x'].size()[0]` and `x.size()[0]`, whatever its parentheses."""
    text = re.sub(r"\bL\['(\w+)'\]", r"\1", guard.strip())
    try:
        return ast.dump(ast.parse(text, mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _some_shape(site: Site, _: Form, text: str) -> Formula | None:
    """Return the condition that an input has the printed shape."""
    sizes = _list(text)
    return any_of(*(_shape(shape, sizes, loose=site.loose) for shape in site.shapes)) if site.whole else None


def _some_size(site: Site, form: Form, text: str) -> Formula | None:
    """Return the condition that an axis of some input, or a side of a requirement, has the printed size."""
    if not site.whole:
        return None
    sides = [side for r in stated(site, form) for side in (r.left, r.right) if side is not None]
    sizes = dict.fromkeys([d for shape in site.shapes for d in shape] + sides)
    return any_of(*(equal(d, int(text)) for d in sizes))


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
    if items is None or shape is None or axis is None or not -len(shape) <= axis < len(shape):
        return None
    part, rest = int(said["part"]), int(said["rest"])
    ways = [accumulate(items, sub, initial=size) for size in (shape if site.loose else [shape[axis]])]
    pairs = (pair for left in ways for pair in zip(items, left, strict=False))
    return any_of(*(all_of(equal(d, part), equal(r, rest)) for d, r in pairs))


def _parts(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    items = site.elements()
    if items is None:
        return None
    return all_of(equal(sum(items, as_dim(0)), int(said["total"])), equal(as_dim(len(items)), int(said["parts"])))


def _own_axis(site: Site, _: Form, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that the node's own axis is the printed one, which may count from the end.

    None if it isn't stated, and the printed one isn't 0: some operators have the last axis by default.
    """
    shape, axis, told = site.shape(0), site.axis, int(said["own"])
    if shape is None or axis is None:
        return None
    rank = max(len(shape), 1)
    if site.loose:
        return TRUE if -rank <= told < rank else FALSE
    if not site.states_axis and told % rank:
        return None
    return TRUE if told % rank == axis % rank and -rank <= told < rank else FALSE


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


def _first_outside(site: Site, index: int, said: Mapping[str, str]) -> Formula | None:
    """Return the condition that an input's element has the printed value, and that those before it are in the range."""
    items, place, value = site.elements(index), int(said["place"]), int(said[f"e{index}at"])
    if items is None:
        return None
    if place >= len(items):
        return FALSE
    inside = (all_of(at_least(item, 0), at_least(int(said["top"]) - 1 - item, 0)) for item in items[:place])
    return all_of(equal(items[place], value), *inside)


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
    "target": _target,
    "rows": _folded("left", "rows"),
    "columns": _folded("right", "columns"),
    "batch": _batch,
    "number": _numbered,
    "that": _that,
    "inputs": _all_shapes,
    "along": _along,
    "padded": _padded_image,
    "target_axis": _target_axis,
    "guard": _guard,
    "last": _last,
    "first": lambda _, __, ___: TRUE,  # read with `last`
    "index": _outside,
    "rest": _rest,
    "part": lambda _, __, ___: TRUE,  # read with `rest`
    "total": _parts,
    "parts": lambda _, __, ___: TRUE,  # read with `total`
    "own": _own_axis,
    "place": lambda _, __, ___: TRUE,  # read with the element
    "line": lambda _, __, ___: TRUE,  # read by `resembling`
    "zero": lambda _, __, said: TRUE if int(said["zero"]) == 0 else FALSE,
    "one": lambda _, __, said: TRUE if int(said["one"]) == 1 else FALSE,
    "group": lambda site, _, said: TRUE if (site.group or 1) == int(said["group"]) else FALSE,
    "outputs": lambda site, _, said: TRUE if len(site.outputs) == int(said["outputs"]) else FALSE,
}
