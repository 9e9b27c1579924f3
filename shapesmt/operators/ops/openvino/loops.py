"""Nodes around the body of a loop: its trip count, the slice of an iteration, the concatenated slices."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.require import LARGEST
from shapesmt.operators.rules import RuleContext, Tensor, elements, tensor
from shapesmt.prover.algebra import FALSE, all_of, as_dim, at_least, divides, equal, negate, select

AXIS_SPLITS_INTO_SLICES = laws.SM110.law("the axis splits evenly into slices of {size}")


@operator("LoopTrips")
def trips(ctx: RuleContext) -> Tensor:
    """Return the trip count: input 0 (negative: unlimited), or the number of slices of `part_size` in input 1."""
    if ctx.has(1):
        x, size = ctx.input(1), ctx.integer("part_size")
        axis = ctx.axis(x.rank)
        ctx.require(divides(size, x[axis]), AXIS_SPLITS_INTO_SLICES.of(size=size), x[axis], size)
        return tensor("int64", (), elements((), [x[axis] // size]))
    return _limit(ctx)


def _limit(ctx: RuleContext) -> Tensor:
    """Return the trip count in an input, if it is known; a negative one means unlimited."""
    items = ctx.items(0)
    if not items or items[0] is None:
        return tensor("int64", ())
    count = items[0] if items[0].lo >= 0 else select(at_least(items[0], 0), items[0], LARGEST)
    return tensor("int64", (), elements((), [count]))


LOOPED_PART_INSIDE_AXIS = laws.SM301.law("the part that a loop goes through is inside the axis")


@operator("LoopPart")
def sliced_part(ctx: RuleContext) -> Tensor:
    """Return the part of an axis from `start` to `end` (-1: the axis' end), backwards with a negative stride."""
    x, axis = ctx.input(0), ctx.axis(ctx.input(0).rank)
    ends = [as_dim(n) + (x[axis] + 1 if n < 0 else 0) for n in (ctx.integer("start"), ctx.integer("end"))]
    first, last = ends if ctx.integer("stride") > 0 else reversed(ends)
    law = LOOPED_PART_INSIDE_AXIS
    ctx.require(all_of(at_least(first, 0), at_least(last, first + 1), at_least(x[axis], last)), law, last, x[axis])
    return x.replace(axis, last - first)


SLICE_PER_TRIP = laws.SM301.law("the indices are inside the axis: each trip has a slice")


@operator("LoopSlice")
def part(ctx: RuleContext) -> Tensor:
    """Return the slice of `part_size` along `axis` that an iteration reads; require that the axis has it."""
    x, trip, size = ctx.input(0), ctx.items(1), ctx.integer("part_size")
    axis = ctx.axis(x.rank)
    if trip and trip[0] is not None:
        ctx.require_at_least(x[axis], (trip[0] + 1) * size, SLICE_PER_TRIP)
    return x.replace(axis, size)


@operator("LoopCarried")
def carried(ctx: RuleContext) -> Tensor:
    """Return a state from the previous iteration; the node is undecided if its shape changes."""
    before, state = ctx.input(0), ctx.input(1)
    kept = all_of(*map(equal, before.dims, state.dims)) if before.rank == state.rank else FALSE
    ctx.leave("unsupported", laws.STATE_KEEPS_SHAPE, branch=negate(kept))
    return state


@operator("LoopJoined")
def joined(ctx: RuleContext) -> Tensor:
    """Concatenate slices `[trips, *sizes]` along one of their axes: `[3, 2, 5]` with axis 0 -> `[6, 5]`."""
    x = ctx.input(0, least=1)
    dims, axis = list(x.dims[1:]), ctx.axis(x.rank - 1)
    dims[axis] = dims[axis] * x[0]
    return ctx.tensor(dims)
