"""Slice: starts and ends are clamped to the axis as the ONNX standard defines."""

from __future__ import annotations

from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.operators.ops.shared.fields import term_of, value_of
from shapesmt.operators.ops.shared.follows import apart_from
from shapesmt.operators.rules import (
    Decided,
    Elements,
    RuleContext,
    Tensor,
    Traits,
    Value,
    elements,
    move_positions,
    position,
    rule,
)
from shapesmt.prover.algebra import ONE, ZERO, Dim, as_dim, at_least, ceil_divide, differs, maximum, minimum, select

ALL_THE_WAY = 2**31 - 1  # as an end: the end of the axis, for ONNX Runtime also in 64-bit lists
LONGEST = 2**62  # no axis has more elements


class Cut(NamedTuple):
    """The elements kept along one axis: `size` elements, the i-th at `first + i*step`; None if unknown."""

    size: Dim
    first: Dim | None
    step: Dim | None


def cut_axes(ctx: RuleContext, x: Tensor) -> tuple[int, ...] | None:
    """Return the axes that are cut; None if they aren't known."""
    counts = {len(v) for v in (ctx.sizes(n if ctx.version < 10 else i) for i, n in ((1, "starts"),)) if v is not None}
    return _axes(ctx, x, counts)


@rule("Slice", traits=Traits.PART, follows=apart_from(cut_axes))
def cut(ctx: RuleContext) -> Tensor:
    """Slice along each axis in `axes`: `out = x[start:end:step]`."""
    x = ctx.input(0)
    ctx.only_sizes(1, 2)
    starts, ends = (ctx.sizes(name if ctx.version < 10 else i) for i, name in ((1, "starts"), (2, "ends")))
    _require_lengths(ctx, x)
    counts = {len(v) for v in (starts, ends) if v is not None}
    ctx.check(len(counts) <= 1, laws.ENDS_AS_MANY_AS_STARTS)
    axes = _axes(ctx, x, counts)
    if axes is None:
        return ctx.tensor([ctx.fresh(f"size{i}", 0, d, how=Decided((1, 2, 3, 4))) for i, d in enumerate(x.dims)])
    cuts = _cuts(ctx, x, axes, starts, ends)
    dims = [cuts[axis].size if axis in cuts else d for axis, d in enumerate(x.dims)]
    if any(c.first is None or c.step is None for c in cuts.values()):
        return ctx.tensor(dims)
    return ctx.tensor(dims, value=cut_elements(x, dims, cuts))


ENDS_AXES_STEPS_AS_MANY_AS_STARTS = laws.SM307.law("there are as many ends, axes and steps as starts")
CUT_AXES_IN_TENSOR = laws.SM302.law("the axes that are cut are the tensor's")


def _require_lengths(ctx: RuleContext, x: Tensor) -> None:
    """Require that there are as many ends, axes and steps as starts, if their numbers are symbolic."""
    lists = [ctx.input(i, rank=1) for i in range(1, 5) if ctx.version >= 10 and ctx.has(i)]
    lengths = [t[0] for t in lists if t.shape is not None]
    for length in lengths[1:]:
        if length is not lengths[0]:
            ctx.ensure_equal(length, lengths[0], ENDS_AXES_STEPS_AS_MANY_AS_STARTS)
    if lengths and lengths[0].constant is None:
        ctx.require_at_least(x.rank, lengths[0], CUT_AXES_IN_TENSOR)


def _cuts(
    ctx: RuleContext,
    x: Tensor,
    axes: tuple[int, ...],
    starts: list[Dim | None] | None,
    ends: list[Dim | None] | None,
) -> dict[int, Cut]:
    """Return, by axis, the elements that a slice keeps on each of `axes`; unknown starts and ends are None."""
    unknown = [None] * len(axes)
    steps = [as_dim(1)] * len(axes) if not ctx.has(4) else ctx.sizes(4) or unknown
    steps = steps if len(steps) == len(axes) else unknown  # in a case that contradicts the lengths
    bounds = zip(axes, starts or unknown, ends or unknown, steps, strict=True)
    return {axis: _cut(ctx, axis, x[axis], start, end, step) for axis, start, end, step in bounds}


AXES_AS_MANY_AS_STARTS = laws.SM307.law("there are as many axes as starts")


def _axes(ctx: RuleContext, x: Tensor, counts: set[int]) -> tuple[int, ...] | None:
    """Return the axes that are cut; None if they aren't known. `counts` has the known numbers of starts and ends."""
    has_axes = ctx.has(3) or "axes" in ctx.attributes
    axes = ctx.constants(3, "axes") if has_axes else None
    if axes is None:
        known = [axis for axis in (ctx.sizes(3) or () if has_axes else ()) if axis is not None]
        for i, axis in enumerate(known):
            ctx.require_within(axis, x.rank, CUT_AXES_IN_TENSOR)
            for other in known[:i] if x.rank else ():
                ctx.require(differs((axis - other) % x.rank, 0), laws.AXES_NAMED_ONCE, axis, other)
        if has_axes or not counts:
            return None
        axes = tuple(range(*counts))
    ctx.check(not counts or {len(axes)} == counts, AXES_AS_MANY_AS_STARTS)
    return ctx.normals(axes, x.rank)


def _cut(ctx: RuleContext, axis: int, size: Dim, start: Dim | None, end: Dim | None, step: Dim | None) -> Cut:
    if step is not None:
        ctx.require(differs(step, 0), laws.STEP_NOT_0, step, 0)
    if start is None or end is None or step is None:
        open_ = start is None and (end is None or end.lo >= ALL_THE_WAY)
        free = open_ or (step is ONE and start is ZERO and end is None)
        axis_cut = Cut(ctx.fresh(f"size{axis}", 0, size, how=Decided((1, 2, 3, 4), free=free)), None, None)
    elif step.lo >= 1:
        axis_cut = _forwards(size, start, end, step)
    elif step.hi <= -1:
        axis_cut = _backwards(size, start, end, step)
    else:
        up, down = _forwards(size, start, end, step), _backwards(size, start, end, step)
        forth = at_least(step, 1)
        assert up.first is not None
        assert down.first is not None
        axis_cut = Cut(select(forth, up.size, down.size), select(forth, up.first, down.first), step)
    return axis_cut


def _forwards(size: Dim, start: Dim, end: Dim, step: Dim) -> Cut:
    first = _clamp(start, size, 0, size)
    stop = size if end.constant == ALL_THE_WAY else _clamp(end, size, 0, size)
    return Cut(maximum(ceil_divide(stop - first, step), 0), first, step)


def _backwards(size: Dim, start: Dim, end: Dim, step: Dim) -> Cut:
    first = _clamp(start, size, 0, size - 1)
    # ONNX Runtime reads the largest integers as "to the end" in this direction too.
    stop = as_dim(-1) if end.constant in (ALL_THE_WAY, 2**63 - 1) else _clamp(end, size, -1, size - 1)
    return Cut(maximum(ceil_divide(first - stop, -step), 0), first, step)


def _clamp(index: Dim, size: Dim, least: int, most: Dim) -> Dim:
    """Return `index` counted from the front and clamped to `least..most`; a negative index counts from the end."""
    if index.lo >= LONGEST:
        return most
    if index.hi <= -LONGEST:
        return minimum(least, most)
    from_front = minimum(index, most)
    from_end = minimum(maximum(index + size, least), most)
    return select(at_least(index, 0), from_front, from_end)


def cut_elements(x: Tensor, dims: list[Dim], cuts: dict[int, Cut]) -> Value | None:
    """Return the elements of `x` that remain after `cuts`, by axis, in sizes `dims`; None if they aren't known."""
    ranges = {axis: [c.first, c.step, c.size] for axis, c in cuts.items()}
    constants = {a: [d.constant for d in r if d is not None and d.constant is not None] for a, r in ranges.items()}
    if isinstance(x.value, Elements) and all(len(r) == 3 for r in constants.values()):
        known = x.value.listed
        for axis, (first, step, size) in constants.items():
            known = known.take(axis, [first + i * step for i in range(size)])
        return elements(*known)

    def moved(back: int) -> Dim:
        axis = cuts.get(x.rank - back)
        if axis is None or axis.first is None or axis.step is None:
            return position(back)
        return axis.first + axis.step * position(back)

    element = term_of(x)
    return None if element is None else value_of(dims, move_positions(element, moved))
