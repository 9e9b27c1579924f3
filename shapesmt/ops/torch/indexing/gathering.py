"""Operators that gather elements along an axis, or from the flattened tensor."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import ONE, Dim, any_of, at_least, equal
from shapesmt.ops.shared.indices import require_inside
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import Tensor, tensor


def length(x: Tensor, axis: int) -> Dim:
    """Return the size of an axis; 1 for a scalar."""
    return x[axis] if x.rank else ONE


def require_list(call: Call, index: Tensor) -> None:
    """Require that an index tensor is a list or one number."""
    call.ctx.check(index.rank <= 1, laws.RANK_AT_MOST_1.of(rank=index.rank))


@operator("index_select.default")
def index_select(call: Call) -> Tensor:
    """Return the slices at the given indices of an axis."""
    x, index = call.tensor("self"), call.tensor("index")
    axis = call.axis(x)
    require_list(call, index)
    require_inside(call.ctx, index, length(x, axis), index=call.place("index"), from_end=False)
    if not x.rank:
        call.ctx.require_equal(index.numel, 1, laws.INDEX_ONE_NUMBER)
        return tensor(x.dtype, ())
    if index.rank == 1:
        return call.ctx.delegate("Gather", [x, index], version=22, attributes={"axis": axis})[0]
    return x.replace(axis, 1)


def require_no_larger(call: Call, index: Tensor, x: Tensor, axis: int | None, law: laws.Law) -> None:
    """Require that a nonempty index tensor is no larger than `x` on any axis except `axis` (None: no exception)."""
    none = equal(index.numel, 0)
    if index.rank != x.rank and max(index.rank, 1) != max(x.rank, 1):
        call.ctx.require(none, laws.TENSORS_ONE_RANK.of(rank=x.rank, other=index.rank))
        return
    for i in range(min(index.rank, x.rank)):
        if i != axis:
            call.ctx.require(any_of(none, at_least(x[i], index[i])), law, index[i], x[i])


@operator("gather.default")
def gather(call: Call) -> Tensor:
    """Gather elements along `dim` at the indices in `index`; the output has `index`'s shape."""
    x, index = call.tensor("self"), call.tensor("index")
    axis = call.axis(x)
    require_no_larger(call, index, x, axis, laws.INDICES_NO_LARGER_THAN_DATA)
    require_inside(call.ctx, index, length(x, axis), index=call.place("index"), from_end=False)
    return tensor(x.dtype, index.dims)


@operator("take_along_dim.default")
def take_along_dim(call: Call) -> Tensor:
    """Gather with operands that broadcast off the axis; without an axis, from the flattened tensor."""
    ctx, x, index = call.ctx, call.tensor("self"), call.tensor("indices")
    if "dim" not in call:
        require_inside(ctx, index, x.numel, index=call.place("indices"), from_end=False)
        return tensor(x.dtype, [index.numel])
    ctx.same_rank(x, index)
    axis = ctx.normal(call.integer("dim"), x.rank)
    shape = list(ctx.broadcast(x.replace(axis, 1).dims, index.replace(axis, 1).dims))
    shape[axis] = index[axis]
    nothing = any_of(*(equal(d, 0) for d in shape))
    require_inside(ctx, index, x[axis], nothing, index=call.place("indices"), from_end=False)
    return tensor(x.dtype, shape)


@operator("take.default")
def take(call: Call) -> Tensor:
    """Return the elements at the given indices of the flattened tensor."""
    x, index = call.tensor("self"), call.tensor("index")
    require_inside(call.ctx, index, x.numel, index=call.place("index"))
    return tensor(x.dtype, index.dims)
