"""Operators that write elements at given indices, or replace a part of a tensor."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import result, vector
from shapesmt.operators.ops.shared.follows import each
from shapesmt.operators.ops.shared.indices import require_inside
from shapesmt.operators.ops.shared.require import require_broadcast_to
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.following import beside_dim
from shapesmt.operators.ops.torch.indexing.gathering import length, require_list, require_no_larger
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Tensor, Traits, tensor
from shapesmt.prover.algebra import Formula, any_of, equal, maximum, minimum


def others_empty(x: Tensor, axis: int) -> Formula:
    """Return the condition that `x` has size 0 on an axis other than `axis`."""
    return any_of(*(equal(d, 0) for i, d in enumerate(x.dims) if i != axis))


INDICES_NO_LARGER_THAN_SOURCE = laws.SM301.law("indices are no larger than the source")


@operator(*overloads("scatter", "scatter_add", "scatter_reduce"), traits=Traits.COPIED, follows=beside_dim)
def scatter(call: Call) -> Tensor:
    """Write source elements: `index` gives the position of each along `dim`, its positions on other axes stay."""
    x, index, source = call.tensor("self"), call.tensor("index"), call.optional("src")
    axis = call.axis(x)
    require_no_larger(call, index, x, axis, laws.INDICES_NO_LARGER_THAN_DATA)
    if source is not None:
        require_no_larger(call, index, source, None, INDICES_NO_LARGER_THAN_SOURCE)
    require_inside(call.ctx, index, length(x, axis), index=call.place("index"), from_end=False)
    return tensor(x.dtype, x.dims)


UPDATE_PER_INDEX = laws.SM116.law("there is an update for each index")


@operator(*overloads("index_add", "index_copy", "index_reduce"), traits=Traits.COPIED)
def index_add(call: Call) -> Tensor:
    """Add, copy or reduce slices into `self` at the given indices of an axis, one slice per index."""
    ctx, x, index, source = call.ctx, call.tensor("self"), call.tensor("index"), call.tensor("source")
    axis = call.axis(x)
    require_list(call, index)
    ctx.check(axis < max(source.rank, 1), laws.UPDATES_SHAPED_AS_REPLACED)
    ctx.require_equal(index.numel, length(source, axis), UPDATE_PER_INDEX)
    if x.rank and source.rank:
        ctx.require_agree(x, source, but=axis, law=laws.UPDATES_SHAPED_AS_REPLACED)
    nothing = equal(x.numel, 0) if x.rank > 1 and "index_add" in ctx.node.op else others_empty(x, axis)
    require_inside(ctx, index, length(x, axis), nothing, index=call.place("index"), from_end=False)
    return tensor(x.dtype, x.dims)


@operator(*overloads("index_fill"), traits=Traits.COPIED)
def index_fill(call: Call) -> Tensor:
    """Write a number at the given indices of an axis."""
    x, index, value = call.tensor("self"), call.tensor("index"), call.optional("value")
    axis = call.axis(x)
    require_list(call, index)
    if value is not None:
        call.ctx.require_rank(value, 0)
    require_inside(call.ctx, index, length(x, axis), others_empty(x, axis), index=call.place("index"))
    return tensor(x.dtype, x.dims)


@operator(*overloads("put"), traits=Traits.COPIED)
def put(call: Call) -> Tensor:
    """Write elements at the given indices of the flattened tensor."""
    x, index, source = call.tensor("self"), call.tensor("index"), call.tensor("source")
    call.ctx.require_equal(index.numel, source.numel, UPDATE_PER_INDEX)
    require_inside(call.ctx, index, x.numel, equal(index.numel, 0), index=call.place("index"))
    return tensor(x.dtype, x.dims)


# Parts


FURTHEST = 2**63 - 1


def replace_part(call: Call, part: Tensor) -> Tensor:
    """Return the tensor after `src` replaces `part` of it; require that `src` has the shape of `part`."""
    x = call.tensor("self")
    call.ctx.require_agree(call.tensor("src"), part, law=laws.UPDATES_SHAPED_AS_REPLACED)
    return tensor(x.dtype, x.dims)


@operator("select_scatter.default", traits=Traits.COPIED)
def select_scatter(call: Call) -> Tensor:
    """Replace the slice at one index of an axis by `src`."""
    ctx, x, index = call.ctx, call.tensor("self"), call.size("index")
    axis = ctx.normal(call.integer("dim"), x.rank)
    if index is not None:
        ctx.require_within(index, x[axis], laws.INDEX_INSIDE_AXIS)
    return replace_part(call, tensor(x.dtype, [d for i, d in enumerate(x.dims) if i != axis]))


@operator("slice_scatter.default", traits=Traits.COPIED)
def slice_scatter(call: Call) -> Tensor:
    """Replace a slice of an axis by `src`."""
    x = call.tensor("self")
    axis = call.ctx.normal(call.integer("dim"), x.rank)
    ends = {"start": 0, "end": FURTHEST}
    start, end = (call.size(name) if name in call else default for name, default in ends.items())
    part = result(call.ctx, "Slice", x, *map(vector, (start, end, axis, call.size("step"))))
    return replace_part(call, part)


@operator("diagonal_scatter.default", traits=Traits.COPIED)
def diagonal_scatter(call: Call) -> Tensor:
    """Replace a diagonal of two axes by `src`."""
    x, offset = call.tensor("self"), call.integer("offset")
    first, second = call.ctx.normals((call.integer("dim1"), call.integer("dim2")), x.rank)
    kept = [d for i, d in enumerate(x.dims) if i not in (first, second)]
    rows, columns = x[first] + min(offset, 0), x[second] - max(offset, 0)
    return replace_part(call, tensor(x.dtype, [*kept, maximum(minimum(rows, columns), 0)]))


SOURCE_BROADCASTS_TO_TENSOR = laws.SM101.law("the source broadcasts to the tensor that it is copied to")


@operator("copy.default", "copy_.default", traits=Traits.COPIED, follows=each)
def copy(call: Call) -> Tensor:
    """Copy the source, which broadcasts to the target's shape, into another tensor."""
    x, source = call.tensor("self"), call.tensor("src")
    require_broadcast_to(call.ctx, source, x.dims, SOURCE_BROADCASTS_TO_TENSOR)
    value = source.value if source.dims == x.dims and source.dtype == x.dtype else None
    return tensor(x.dtype, x.dims, value)
