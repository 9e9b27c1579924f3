"""Operators that move elements: joined, cut, padded, gathered, scattered, given another shape."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tests.oracle.second.node import MOST, Node, Operators, T, Undecided, broadcast, counted, fail, need

op = Operators()


def moved(t: T, shape: tuple[int, ...], value: Any = None) -> T:
    """A tensor of the same type with another shape."""
    return T(t.dtype, tuple(int(d) for d in shape), value if value is not None and np.size(value) <= MOST else None)


@op("Reshape")
def reshape(n: Node) -> T:
    """The number of elements is kept; -1 is what remains, 0 copies a size unless `allowzero`."""
    target = n.numbers(1)
    need(target is not None and n[1].rank == 1, "the target is a list")
    assert target is not None
    zero = n.get("allowzero", 0) == 1
    need(target.count(-1) <= 1 and all(d >= -1 for d in target), "sizes are -1 once, or more")
    need(not (zero and 0 in target and -1 in target), "0 and -1 together")
    need(zero or all(d or i < n[0].rank for i, d in enumerate(target)), "0 copies a size that isn't there")
    sizes = [d if d or zero else n[0].shape[i] for i, d in enumerate(target)]
    if -1 in sizes:
        rest = prod(d for d in sizes if d != -1)
        need(rest and n[0].size % rest == 0, "the rest doesn't divide the elements") if n[0].size or rest else fail(
            "0/0"
        )
        sizes[sizes.index(-1)] = n[0].size // rest
    need(prod(sizes) == n[0].size, f"{n[0].size} elements, not {prod(sizes)}")
    return moved(n[0], tuple(sizes), None if n[0].value is None else np.reshape(n[0].value, sizes))


@op("Flatten")
def flatten(n: Node) -> T:
    """Two axes: what is before the axis, and the rest."""
    axis, rank = n.get("axis", 1), n[0].rank
    need((-rank if n.version >= 11 else 0) <= axis <= rank, "the axis is outside the rank")
    axis += rank if axis < 0 else 0
    shape = (prod(n[0].shape[:axis]), prod(n[0].shape[axis:]))
    return moved(n[0], shape, None if n[0].value is None else np.reshape(n[0].value, shape))


@op("Squeeze")
def squeeze(n: Node) -> T:
    """Axes of size 1 go: those listed, or all."""
    axes = n.numbers(1, "axes")
    listed = [i for i, d in enumerate(n[0].shape) if d == 1] if axes is None else [counted(a, n[0].rank) for a in axes]
    need(all(n[0].shape[i] == 1 for i in listed), "an axis isn't of size 1")
    shape = tuple(d for i, d in enumerate(n[0].shape) if i not in listed)
    return moved(n[0], shape, None if n[0].value is None else np.reshape(n[0].value, shape))


@op("Unsqueeze")
def unsqueeze(n: Node) -> T:
    """Axes of size 1 come, counted in the output."""
    axes = n.numbers(1, "axes") or []
    rank = n[0].rank + len(axes)
    places = [counted(a, rank) for a in axes]
    need(len(set(places)) == len(places), "an axis is named twice")
    rest = iter(n[0].shape)
    shape = tuple(1 if i in places else next(rest) for i in range(rank))
    return moved(n[0], shape, None if n[0].value is None else np.reshape(n[0].value, shape))


@op("Transpose")
def transpose(n: Node) -> T:
    """The axes in another order."""
    order = list(n.get("perm", range(n[0].rank)[::-1]))
    need(sorted(order) == list(range(n[0].rank)), "perm isn't a permutation")
    return moved(n[0], tuple(n[0].shape[i] for i in order), None if n[0].value is None else n[0].value.transpose(order))


@op("Expand")
def expand(n: Node) -> T:
    """Broadcast with a shape."""
    need(n[1].rank == 1, "a shape is a list")
    target = n.numbers(1) or []
    need(all(d >= 0 for d in target), "a size is negative")
    shape = broadcast(n[0].shape, target)
    small = n[0].value is not None and prod(shape) <= MOST
    return moved(n[0], shape, np.broadcast_to(n[0].value, shape) if small else None)


@op("Tile")
def tile(n: Node) -> T:
    """Each size times its number of repeats."""
    need(n[1].shape == (n[0].rank,), "a number for each axis")
    repeats = n.numbers(1) or []
    need(all(r >= 0 for r in repeats), "a number of repeats is negative")
    shape = tuple(d * r for d, r in zip(n[0].shape, repeats, strict=True))
    small = n[0].value is not None and prod(shape) <= MOST
    return moved(n[0], shape, np.tile(n[0].value, repeats) if small else None)


@op("Concat")
def concat(n: Node) -> T:
    """One after the other along an axis; all other sizes are equal."""
    parts = [n[i] for i in range(len(n.ins))]
    axis = n.axis(parts[0].rank)
    need(all(p.rank == parts[0].rank for p in parts), "ranks differ")
    sizes = {p.shape[:axis] + p.shape[axis + 1 :] for p in parts}
    need(len(sizes) == 1, "sizes differ off the axis")
    shape = (*parts[0].shape[:axis], sum(p.shape[axis] for p in parts), *parts[0].shape[axis + 1 :])
    every = all(p.value is not None for p in parts) and prod(shape) <= MOST
    return moved(parts[0], shape, np.concatenate([p.value for p in parts], axis) if every else None)


@op("Split")
def split(n: Node) -> list[T]:
    """Parts of the given sizes, or of equal size with a smaller last one (since version 18)."""
    axis, count = n.axis(n[0].rank, 0), len(n.proto.output)
    size, sizes = n[0].shape[axis], n.numbers(1, "split")
    if sizes is None:
        count = n.get("num_outputs", count) if n.version >= 18 else count
        need("num_outputs" in n.attributes or n.version < 18, "sizes or their number is given")
        need(count >= 1 and (n.version >= 18 or size % count == 0), "equal parts don't cover the axis")
        chunk = -(-size // count)
        sizes = [min(chunk, size - i * chunk) for i in range(count)]
    need(len(sizes) == len(n.proto.output) and sum(sizes) == size and min(sizes) >= 0, "sizes don't add up")
    shapes = [(*n[0].shape[:axis], d, *n[0].shape[axis + 1 :]) for d in sizes]
    values: list[Any] = [None] * len(sizes)
    if n[0].value is not None:
        values = np.split(n[0].value, np.cumsum(sizes)[:-1], axis)
    return [moved(n[0], shape, value) for shape, value in zip(shapes, values, strict=True)]


@op("Slice")
def cut(n: Node) -> T:
    """`x[start:end:step]` along each listed axis, both ends clamped."""
    starts, ends = n.numbers(1, "starts") or [], n.numbers(2, "ends") or []
    need(len(starts) == len(ends), "a start for each end")
    axes, steps = n.numbers(3, "axes"), n.numbers(4)
    axes, steps = list(range(len(starts))) if axes is None else axes, steps or [1] * len(starts)
    need(len(axes) == len(steps) == len(starts), "an axis and a step for each start")
    places = [counted(a, n[0].rank) for a in axes]
    need(len(set(places)) == len(places), "an axis is named twice")
    shape, parts = list(n[0].shape), [slice(None)] * n[0].rank
    for axis, start, end, step in zip(places, starts, ends, steps, strict=True):
        need(step != 0, "a step is 0")
        size = n[0].shape[axis]
        first, last = (p + size if p < 0 else p for p in (start, end))
        low, high = (0, size) if step > 0 else (-1, size - 1)
        first, last = min(max(first, max(low, 0)), high), min(max(last, low), high)
        shape[axis] = max(0, -(-(last - first) // step))
        parts[axis] = slice(first, None if last < 0 else last, step)
    return moved(n[0], tuple(shape), None if n[0].value is None else n[0].value[tuple(parts)])


@op("Pad")
def pad(n: Node) -> T:
    """Each axis with so many places before and behind, or cut by them."""
    pads, axes = n.numbers(1, "pads") or [], n.numbers(3)
    places = list(range(n[0].rank)) if axes is None else [counted(a, n[0].rank) for a in axes]
    need(len(pads) == 2 * len(places), "two numbers for each axis")
    shape, mode = list(n[0].shape), n.get("mode", "constant")
    for axis, before, behind in zip(places, pads, pads[len(places) :], strict=False):
        size = shape[axis]
        need(mode != "reflect" or max(before, behind) < max(size, 1), "more is reflected than there is")
        need(mode == "constant" or size or max(before, behind) <= 0, "nothing to repeat")
        shape[axis] += before + behind
    need(min(shape, default=0) >= 0, "more is cut than there is")
    return moved(n[0], tuple(shape))


def inside(n: Node, index: int, size: int) -> None:
    """State that the indices, where they are known, are in an axis of that size, also from its end."""
    value = n[index].value
    if value is not None:
        need(((value >= -size) & (value < size)).all(), f"an index is outside {size}")
    elif n[index].size and not size:
        fail("an index into nothing")


@op("Gather")
def gather(n: Node) -> T:
    """The slices at the indices."""
    axis = n.axis(n[0].rank, 0)
    inside(n, 1, n[0].shape[axis])
    shape = n[0].shape[:axis] + n[1].shape + n[0].shape[axis + 1 :]
    both = n[0].value is not None and n[1].value is not None and prod(shape) <= MOST
    return moved(n[0], shape, np.take(n[0].value, n[1].value, axis) if both else None)


@op("GatherElements")
def gather_elements(n: Node) -> T:
    """The indices' shape; off the axis they are no larger than the data."""
    axis = n.axis(n[0].rank, 0)
    need(n[1].rank == n[0].rank, "ranks differ")
    pairs = [(i, d) for k, (i, d) in enumerate(zip(n[1].shape, n[0].shape, strict=True)) if k != axis]
    need(all(i <= d for i, d in pairs), "indices are larger than the data")
    inside(n, 1, n[0].shape[axis])
    return moved(n[0], n[1].shape)


@op("GatherND")
def gather_nd(n: Node) -> T:
    """Elements or slices at index tuples, within common batch axes."""
    batch = n.get("batch_dims", 0)
    need(n[0].rank >= 1 and n[1].rank >= 1 and 0 <= batch < min(n[0].rank, n[1].rank), "too many batch axes")
    need(n[0].shape[:batch] == n[1].shape[:batch], "batches differ")
    many = n[1].shape[-1]
    need(many >= 1, "a tuple has no numbers")
    need(many <= n[0].rank - batch, "a tuple is longer than the rank")
    _tuples(n, n[0].shape[batch : batch + many])
    return moved(n[0], n[1].shape[:-1] + n[0].shape[batch + many :])


def _tuples(n: Node, sizes: tuple[int, ...]) -> None:
    value = n[1].value
    if value is not None:
        for i, size in enumerate(sizes):
            need(((value[..., i] >= -size) & (value[..., i] < size)).all(), "an index is outside")


@op("Scatter", "ScatterElements")
def scatter_elements(n: Node) -> T:
    """The shape is kept; updates and indices have one shape, off the axis no larger than the data."""
    axis = n.axis(n[0].rank, 0)
    need(n[1].rank == n[0].rank and n[1].shape == n[2].shape, "updates and indices have one shape, and the data's rank")
    need(
        all(i <= d for k, (i, d) in enumerate(zip(n[1].shape, n[0].shape, strict=True)) if k != axis),
        "larger than data",
    )
    inside(n, 1, n[0].shape[axis])
    return moved(n[0], n[0].shape)


@op("ScatterND")
def scatter_nd(n: Node) -> T:
    """The shape is kept; there is an update for each index tuple."""
    need(n[0].rank >= 1 and n[1].rank >= 1 and n[1].shape[-1] <= n[0].rank, "a tuple is longer than the rank")
    need(n[2].shape == n[1].shape[:-1] + n[0].shape[n[1].shape[-1] :], "an update for each tuple")
    _tuples(n, n[0].shape[: n[1].shape[-1]])
    return moved(n[0], n[0].shape)


@op("Compress")
def compress(n: Node) -> T:
    """The slices, or elements, that conditions choose."""
    need(n[1].rank == 1, "conditions are a list")
    axis = n.axis(n[0].rank) if "axis" in n.attributes else None
    size = n[0].size if axis is None else n[0].shape[axis]
    if n[1].value is None:
        raise Undecided("how many conditions hold")
    need(n[1].shape[0] <= size, "more conditions than places")
    count = int(n[1].value.sum())
    return moved(n[0], (count,) if axis is None else (*n[0].shape[:axis], count, *n[0].shape[axis + 1 :]))


@op("DepthToSpace", "SpaceToDepth")
def blocks(n: Node) -> T:
    """Channels become blocks of the image, or the other way round."""
    need(n[0].rank == 4, "the rank is 4")
    b, (batch, c, h, w) = n.get("blocksize", 0), n[0].shape
    need(b > 0, "blocksize is positive")
    if n.op == "DepthToSpace":
        need(c % (b * b) == 0, "channels don't split")
        return moved(n[0], (batch, c // (b * b), h * b, w * b))
    need(h % b == 0 and w % b == 0, "the image doesn't split")
    return moved(n[0], (batch, c * b * b, h // b, w // b))


@op("ReverseSequence")
def reverse_sequence(n: Node) -> T:
    """The shape is kept; a length for each sample."""
    time, batch = n.get("time_axis", 0), n.get("batch_axis", 1)
    need(n[0].rank >= 2 and {time, batch} == {0, 1}, "time and batch are the first two axes")
    need(n[1].shape == (n[0].shape[batch],), "a length for each sample")
    if n[1].value is not None:
        need(((n[1].value >= 0) & (n[1].value <= n[0].shape[time])).all(), "a length is outside the axis")
    return moved(n[0], n[0].shape)


@op("CenterCropPad")
def center_crop_pad(n: Node) -> T:
    """The listed axes get the sizes in a list."""
    sizes, axes = n.numbers(1) or [], n.get("axes")
    places = list(range(n[0].rank)) if axes is None else [counted(a, n[0].rank) for a in axes]
    need(len(sizes) == len(places) == len(set(places)), "a size for each axis")
    need(min(sizes, default=0) >= 0, "a size is negative")
    shape = list(n[0].shape)
    for axis, size in zip(places, sizes, strict=True):
        shape[axis] = size
    return moved(n[0], tuple(shape))
