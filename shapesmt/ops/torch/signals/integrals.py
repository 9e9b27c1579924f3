"""Gradients of samples along axes, and integrals by the trapezoidal rule."""

from __future__ import annotations

from itertools import zip_longest

from shapesmt import laws
from shapesmt.algebra import equal, maximum
from shapesmt.ops.math.reduction import without
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.elementwise.promotion import as_float, result_type
from shapesmt.rules import Shape, Tensor, tensor


@operator("gradient.scalarint", "gradient.scalararray", "gradient.array")
@operator("gradient.scalarrayint", "gradient.scalarrayarray", "gradient.tensorarrayint", "gradient.tensorarray")
def gradient(call: Call) -> list[Tensor]:
    """Return the gradient along each named axis, or along all."""
    x, ctx, order = call.tensor("self"), call.ctx, call.integer("edge_order")
    axes = ctx.normals(call.integers("dim"), x.rank) if "dim" in call else tuple(range(x.rank))
    ctx.check(order in (1, 2), laws.ATTRIBUTE_ONE_OF.of(name="edge_order", values="1 or 2", value=order))
    places = call.tensors("spacing")
    if places or call.numbers("spacing"):
        ctx.check(len(places or call.numbers("spacing")) == len(axes), laws.NUMBER_PER_AXIS)
    for axis, place in zip_longest(axes, places):
        ctx.require_at_least(x[axis], order + 1, laws.SAMPLES_FOR_SLOPE.of(least=order + 1))
        if place is not None:
            ctx.require_rank(place, 1)
            call.unchecked(equal(place[0], x[axis]), laws.PLACE_PER_SAMPLE)
    return [tensor(as_float(x.dtype) if not places else "", x.dims)] * len(axes)


# Integrals


def between(call: Call, y: Tensor, axis: int) -> Shape:
    """Return the shape of the intervals between neighbouring samples; the coordinates `x` broadcast with them."""
    inner = y.replace(axis, maximum(y[axis] - 1, 0))
    x = call.optional("x")
    call.ctx.check("bool" not in (y.dtype, x and x.dtype), laws.SAMPLES_ARE_NUMBERS)
    if x is None:
        return inner.dims
    if x.rank == 1:
        call.ctx.require_equal(x[0], y[axis], laws.PLACE_PER_SAMPLE)
        return inner.dims
    if not (0 < x.rank <= y.rank and axis >= y.rank - x.rank):
        call.open("x")
    return call.ctx.broadcast(inner.dims, x.replace(axis - y.rank, maximum(x[axis - y.rank] - 1, 0)).dims)


def integrated(call: Call, y: Tensor) -> str:
    """Return the element type of an integral."""
    x = call.optional("x")
    return as_float(y.dtype if x is None else result_type([(y, False), (x, False)]))


@operator("cumulative_trapezoid.dx", "cumulative_trapezoid.x")
def cumulative_trapezoid(call: Call) -> Tensor:
    """Return the cumulative integral along an axis, one element shorter than the samples."""
    y = call.tensor("y")
    return tensor(integrated(call, y), between(call, y, call.ctx.normal(call.integer("dim"), y.rank)))


@operator("trapezoid.dx", "trapezoid.x", "trapz.dx", "trapz.x")
def trapezoid(call: Call) -> Tensor:
    """Integrate along an axis, which is dropped; without samples the result is 0, whatever their coordinates."""
    y = call.tensor("y")
    axis = call.ctx.normal(call.integer("dim"), y.rank)
    dtype = integrated(call, y) if y[axis].lo >= 1 or integrated(call, y) == y.dtype else ""
    if call.ctx.holds(equal(y[axis], 0)):
        return tensor(dtype, without(y.dims, (axis,), keep=False))
    return tensor(dtype, without(between(call, y, axis), (axis,), keep=False))
