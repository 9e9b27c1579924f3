"""Strided slices: entries cut an axis, pick one element of it, insert a new axis or skip axes, according to masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import result, vector
from shapesmt.operators.rules import Field, RuleContext, Tensor, tensor
from shapesmt.prover.algebra import ONE, Dim, as_dim, equal, select

FURTHEST = 2**63 - 1

Masked: TypeAlias = "Callable[[str, int], bool]"  # whether an entry is in the mask of that name


class Part(NamedTuple):
    """One entry of a strided slice: what it does, and its axis (the output's for "new", else the input's)."""

    kind: Literal["cut", "one", "new"]
    axis: int
    begin: Dim | None
    end: Dim | None
    step: Dim | None


def slice_by_masks(ctx: RuleContext, masked: Masked) -> Tensor:
    """Slice input 0 by begins, ends and steps (inputs 1 to 3), whose entries masks may change.

    `masked(name, i)` tells whether entry `i` is in the begin, end, ellipsis, new_axis or shrink_axis mask.
    """
    x, parts = ctx.input(0), _parts(ctx, masked)
    if parts is None:
        return ctx.tensor(None)
    cuts = [p for p in parts if p.kind != "new"]
    columns = [vector(*column) for column in zip(*(p[1:] for p in cuts), strict=True)]
    for p in cuts:
        if p.kind == "one":
            ctx.require_within(0 if p.begin is None else p.begin, x[p.axis], laws.INDEX_INSIDE_AXIS)
    if columns:
        axes, begins, ends, steps = columns
        x = result(ctx, "Slice", x, begins, ends, axes, steps)
    gone = [p.axis for p in cuts if p.kind == "one"]
    if gone:
        x = _drop_axes(ctx, x, gone)
    new = [p.axis for p in parts if p.kind == "new"]
    return result(ctx, "Unsqueeze", x, vector(*new)) if new else x


def _drop_axes(ctx: RuleContext, x: Tensor, axes: list[int]) -> Tensor:
    """Drop the axes that have one element left."""
    dims = [ONE if axis in axes else d for axis, d in enumerate(x.dims)]
    value = x.value if isinstance(x.value, Field) or tuple(dims) == x.dims else None
    return result(ctx, "Squeeze", tensor(x.dtype, dims, value), vector(*axes))


SLICE_AXIS_INSIDE_RANK = laws.SM302.law("slice {axis} is inside a tensor of rank {rank}")


def _parts(ctx: RuleContext, masked: Masked) -> list[Part] | None:
    """Return the entries, each with its axis; None if begins or ends aren't known."""
    begins, ends = ctx.sizes(1), ctx.sizes(2)
    if begins is None or ends is None:
        return None
    steps = ctx.sizes(3, len(begins), "steps") if ctx.has(3) else [ONE] * len(begins)
    ctx.check(len(begins) == len(ends), laws.ENDS_AS_MANY_AS_STARTS)
    count = range(len(begins))
    plain = sum(not masked("ellipsis", i) and not masked("new_axis", i) for i in count)
    skipped = ctx.input(0).rank - plain
    ctx.check(skipped >= 0, SLICE_AXIS_INSIDE_RANK.of(axis=plain - 1, rank=ctx.input(0).rank))
    ctx.check(sum(masked("ellipsis", i) for i in count) <= 1, laws.ONE_ELLIPSIS_AT_MOST)
    parts, axis, place = [], 0, 0
    for i, (begin, end, step) in enumerate(zip(begins, ends, steps, strict=True)):
        if masked("ellipsis", i):
            axis, place = axis + skipped, place + skipped
        elif masked("new_axis", i):
            parts.append(Part("new", place, None, None, None))
            place += 1
        elif masked("shrink_axis", i):
            after = None if begin is None else select(equal(begin, -1), FURTHEST, begin + 1)
            parts.append(Part("one", axis, begin, after, ONE))
            axis += 1
        else:
            back = step is not None and step.hi < 0
            begin = as_dim(FURTHEST if back else 0) if masked("begin", i) else begin
            end = as_dim(-FURTHEST if back else FURTHEST) if masked("end", i) else _clamp_end(end)
            parts.append(Part("cut", axis, begin, end, step))
            axis, place = axis + 1, place + 1
    return parts


def _clamp_end(end: Dim | None) -> Dim | None:
    """Return a huge end as one that backward slices clamp too; ONNX Runtime reads the largest integers as no end."""
    return as_dim(FURTHEST // 2) if end is not None and end.lo >= 2**31 - 1 else end
