"""Helpers for several formats: inputs at a point, and the one box of formats that hold no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shapesmt.base.errors import UsageError, printable
from shapesmt.network.declarations import quote
from shapesmt.reports.answers import Box, Profile, TensorProfile
from shapesmt.reports.render import shell


def open_inputs(box: Box) -> dict[str, TensorProfile]:
    """Return the inputs with a size that the file leaves open; for small inputs, their elements instead of sizes."""
    return {name: t for name, t in {**box.inputs, **box.values}.items() if name in box.values or not t.fixed}


def numbers(tensors: Mapping[str, TensorProfile], point: str) -> dict[str, tuple[int, ...]]:
    """Return the sizes of each tensor at a point: "min", "opt" or "max".

    Raises:
        UsageError: A size is unbounded.
    """
    require_bounds(tensors)
    return {name: tuple([size for size in t.at(point) if size is not None]) for name, t in tensors.items()}


def require_bounds(tensors: Mapping[str, TensorProfile]) -> None:
    """Refuse unbounded sizes.

    Raises:
        UsageError: A size is unbounded.
    """
    for name, t in tensors.items():
        for axis, high in enumerate(t.max):
            if high is None:
                size = t.sizes[axis].expr if t.sizes else f"element {axis}"
                how = "--dim batch=1..32" if t.sizes else shell("--value", printable(f"{name}=1..32"))
                what = f"{quote(size)}, in {quote(name)}, has no upper end, which this format needs"
                raise UsageError(f"{what}: declare one, as in {how}")


def one_box(profile: Profile) -> Box:
    """Return the box of a format that holds one: by default all boxes in one."""
    return profile.whole or joined(profile.boxes)


def joined(boxes: Sequence[Box]) -> Box:
    """Return one box around several, from the smallest sizes to the largest; the usual sizes are the first box's."""
    inputs = join_boxes([box.inputs for box in boxes])
    values, symbols = join_boxes([box.values for box in boxes]), join_boxes([box.symbols for box in boxes])
    return replace(boxes[0], inputs=inputs, values=values, symbols=symbols, left_out=None)


def join_boxes(boxes: Sequence[Mapping[str, TensorProfile]]) -> dict[str, TensorProfile]:
    """Return each tensor with its minimum and maximum sizes over several boxes; usual sizes are the first box's."""
    return {name: _join_tensor(t, [box[name] for box in boxes]) for name, t in boxes[0].items()}


def _join_tensor(first: TensorProfile, boxes: Sequence[TensorProfile]) -> TensorProfile:
    least = [min(sizes, key=_place) for sizes in zip(*(t.min for t in boxes), strict=True)]
    greatest = [max(sizes, key=_place) for sizes in zip(*(t.max for t in boxes), strict=True)]
    return TensorProfile(tuple(least), first.opt, tuple(greatest), first.dtype, first.sizes)


def _place(size: int | None) -> float:
    """Return the sort key of a size; an unbounded one comes last."""
    return float("inf") if size is None else size
