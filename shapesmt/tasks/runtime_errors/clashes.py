"""Clashes: the ways in which a node fails and prints two sizes, or one, as the sides of a requirement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from shapesmt.operators.rules import Requirement
from shapesmt.prover.algebra import TRUE, Dim, Formula, all_of, any_of, at_least, equal, maximum, negate
from shapesmt.tasks.runtime_errors.forms import Fork, Form
from shapesmt.tasks.runtime_errors.site import Site, in_order, numbers_of, same, stated, stops

__all__ = ["SIDES", "Clash", "batches", "clashes_of", "fork"]

SIDES = {"a", "b", "low", "high", "axis", "short_axis", "phase", "operand"}
"""Groups that are read together: the sides that clash, and where."""


class Clash(NamedTuple):
    """A way in which a node fails: the requirement that does, and the condition that it does with the printed sides.

    The requirement is None if it isn't known. Those in `before` hold, or the runtime would stop there.
    """

    requirement: Requirement | None
    condition: Formula
    before: Sequence[Requirement] = ()


def clashes_of(site: Site, form: Form, said: Mapping[str, str]) -> list[Clash]:
    """Return the ways in which the node fails with the printed sizes `a` and `b` as sides, along the printed axis."""
    numbers, stop = numbers_of(said), stops(site, form)
    a, b, axis = numbers.get("a"), numbers.get("b"), _axis(site, numbers)
    if (a is not None and a == b) or ("low" in said and int(said["low"]) > int(said["high"])):
        return []
    if site.whole and axis is not None and axis >= max((len(shape) for shape in site.shapes), default=0):
        return []
    clashes: list[Clash] = []
    failing, sided = stated(site, form), _sided(form, said)
    for place, r in enumerate(failing):
        sides: Formula = TRUE
        if r.formula is not TRUE and sided:
            if r.left is None or r.right is None:
                return [Clash(None, TRUE)]
            if "axis" in sided and axis is not None and site.whole and not _along(site, r, axis):
                if "operand" in said:  # a product may take its matrices along other axes
                    clashes.append(Clash(None, negate(r.formula)))
                continue
            sides = _printed_sides(site, form, r, a, b, either="low" in said)
            sides = all_of(sides, _phase(site, r, said), _operand(r.left, r.right, said.get("operand", "")))
        before = [] if stop is None or site.loose or site.foreign else failing[:place]
        clashes.append(Clash(r, all_of(negate(r.formula), sides), before))
    if site.open:
        clashes.append(Clash(None, TRUE))
    if a is not None and b is not None and len(site.inputs) > 2 and stop is None:
        # of more operands, a runtime may compare others than the rule does
        clashes += [Clash(None, same(x, y, a, b)) for x, y in _facing(site.shapes, axis)]
    return clashes


def _axis(site: Site, numbers: Mapping[str, int]) -> int | None:
    """Return the axis of the clash, counted from the front of the broadcast shape; None if it isn't known."""
    ranks = [len(shape) for shape in site.shapes]
    if site.loose or "short_axis" not in numbers or not ranks:
        return None if site.loose else numbers.get("axis")
    return numbers["short_axis"] + max(ranks) - min(ranks)


def fork(form: Form, site: Site, r: Requirement | None) -> Formula:
    """Return a condition on which it depends which line of the runtime's source says it."""
    if form.fork is Fork.INNER and r is not None:
        return _inner(site, r)
    if form.fork is Fork.BATCHES:
        return batches(site)
    return equal(r.right, 0) if form.fork is Fork.EMPTY and r is not None and r.right is not None else TRUE


def _sided(form: Form, said: Mapping[str, str]) -> set[str]:
    """Return the groups that are about sides; the axis isn't if another number is the size along it.

    It is if the runtime stops at one of several requirements: which one tells the axis.
    """
    sized = form.stop is None and any(group.endswith("at") for group in said)
    return (SIDES & said.keys()) - ({"axis"} if sized else set())


def _printed_sides(site: Site, form: Form, r: Requirement, a: int | None, b: int | None, *, either: bool) -> Formula:
    """Return the condition that a requirement's sides are the printed sizes, in any order if `either`."""
    if r.left is None or r.right is None:
        return TRUE
    unordered = either or site.foreign or site.loose or form.stop is None or not in_order(site, r)
    if a is not None and b is not None and unordered:
        return same(r.left, r.right, a, b)
    return all_of(*(equal(d, size) for d, size in ((r.left, a), (r.right, b)) if size is not None))


def _along(site: Site, r: Requirement, axis: int) -> bool:
    """Whether both sides of the requirement `r` are sizes on `axis` of inputs, whose last axes are aligned."""
    back = axis - max(len(shape) for shape in site.shapes)
    sizes = [shape[back] for shape in site.shapes if -back <= len(shape)]
    return any(r.left is d for d in sizes) and any(r.right is d for d in sizes)


def batches(site: Site) -> Formula:
    """Return the condition that the last operand has another number of matrices than one."""
    return any_of(*(negate(equal(d, 1)) for d in site.shapes[-1][:-2])) if site.shapes else TRUE


def _phase(site: Site, r: Requirement, said: Mapping[str, str]) -> Formula:
    """Return the condition that ONNX Runtime broadcasts the first axis with several elements, or that it's past it."""
    if "phase" not in said or len(site.shapes) != 2 or site.blocked:
        return TRUE
    return negate(_inner(site, r)) if said["phase"] == "Init" else _inner(site, r)


def _operand(left: Dim, right: Dim, told: str) -> Formula:
    """Return the condition that ONNX Runtime's matrix product blames the operand: the smaller one that isn't empty."""
    least = any_of(equal(right, 0), all_of(at_least(left, 1), at_least(right, left + 1)))
    return {"left": least, "right": negate(least)}.get(told, TRUE)


def _inner(site: Site, r: Requirement) -> Formula:
    """Return the condition that an axis after that of the two sides has several elements."""
    inner: list[Formula] = []
    for sizes in zip(*map(reversed, site.shapes), strict=False):
        if any(d is r.left for d in sizes) and any(d is r.right for d in sizes):
            break
        inner.append(at_least(maximum(*sizes), 2))
    return any_of(*inner)


def _facing(shapes: Sequence[Sequence[Dim]], axis: int | None) -> Iterator[tuple[Dim, Dim]]:
    """Yield the pairs of sizes that broadcasting aligns, for any two shapes; only those on `axis` if it isn't None."""
    for i, first in enumerate(shapes):
        for second in shapes[i + 1 :]:
            for k, (x, y) in enumerate(zip(reversed(first), reversed(second), strict=False), 1):
                if axis in (None, len(first) - k):
                    yield x, y
