"""Integrals of samples along an axis, by trapezoids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt import laws
from shapesmt.algebra import maximum
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import tensor

if TYPE_CHECKING:
    from shapesmt.rules import Shape, Tensor


def between(call: Call, y: Tensor, axis: int) -> Shape:
    """The shape of what is between samples next to each other, at places that broadcast with them."""
    inner = y.replace(axis, maximum(y[axis] - 1, 0))
    x = call.optional("x")
    if x is None:
        return inner.dims
    if x.rank == 1:
        call.ctx.require_equal(x[0], y[axis], laws.PLACE_PER_SAMPLE)
        return inner.dims
    call.ctx.check(0 < x.rank <= y.rank and axis >= y.rank - x.rank, laws.PLACE_PER_SAMPLE)
    return call.ctx.broadcast(inner.dims, x.replace(axis - y.rank, maximum(x[axis - y.rank] - 1, 0)).dims)


@operator("cumulative_trapezoid.dx", "cumulative_trapezoid.x")
def cumulative_trapezoid(call: Call) -> Tensor:
    """One less than there are samples."""
    y = call.tensor("y")
    axis = call.ctx.normal(call.integer("dim"), y.rank)
    return tensor(y.dtype, between(call, y, axis))
