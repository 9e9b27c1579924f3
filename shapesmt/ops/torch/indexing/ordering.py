"""Operators that sort elements, or select the greatest, the middle or the most frequent."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.ops.math.reduction import without
from shapesmt.ops.shared.indices import any_places
from shapesmt.ops.shared.require import sized
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.indexing.gathering import length
from shapesmt.rules import Shape, Tensor, Traits, tensor


def places(call: Call, x: Tensor, axis: int, dims: Shape) -> Tensor:
    """Return data-dependent indices on an axis, as a tensor of sizes `dims`."""
    return tensor("int64", dims, any_places(call.ctx, dims, length(x, axis)))


@operator("sort.default", "sort.stable", "cummax.default", "cummin.default", traits=Traits.MIXED)
def sort(call: Call) -> list[Tensor]:
    """Sort along an axis, or take cumulative extremes; return the elements and their indices in the input."""
    x = call.tensor("self")
    return [tensor(x.dtype, x.dims), places(call, x, call.axis(x), x.dims)]


@operator("argsort.default", "argsort.stable", traits=Traits.MIXED)
def argsort(call: Call) -> Tensor:
    """Return the indices that sort an axis."""
    x = call.tensor("self")
    return places(call, x, call.axis(x), x.dims)


@operator("msort.default")
def msort(call: Call) -> Tensor:
    """Sort along the first axis."""
    x = call.tensor("self")
    return tensor(x.dtype, x.dims)


@operator("topk.default", traits=Traits.MIXED)
def topk(call: Call) -> list[Tensor]:
    """Return the `k` greatest elements along an axis and their indices."""
    x, [k] = call.tensor("self"), sized(call.ctx, [call.size("k")])
    axis = call.axis(x)
    call.ctx.require_at_least(k, 0, laws.K_NOT_NEGATIVE)
    call.ctx.require_at_least(length(x, axis), k, laws.K_AT_MOST_AXIS)
    shape = x.replace(axis, k).dims if x.rank else ()
    return [tensor(x.dtype, shape), places(call, x, axis, shape)]


@operator("kthvalue.default", "mode.default", "median.dim", "nanmedian.dim")
def kth(call: Call) -> list[Tensor]:
    """Select one element of each row along an axis, and its index; no row may be empty."""
    x = call.tensor("self")
    axis, k = call.axis(x), call.integer("k") if "k" in call else 0
    call.ctx.check(k > 0 or "k" not in call, laws.K_POSITIVE)
    call.ctx.require_at_least(length(x, axis), k, laws.K_AT_MOST_AXIS)
    call.ctx.require_at_least(length(x, axis), 1, laws.ROW_HAS_ELEMENT)
    shape = without(x.dims, (axis,), keep=call.flag("keepdim"))
    return [tensor(x.dtype, shape), places(call, x, axis, shape)]
