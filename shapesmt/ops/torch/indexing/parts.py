"""Operators that replace a part of a tensor (slice, diagonal, one index of an axis), and copies into another tensor."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import maximum, minimum
from shapesmt.ops.shared.bridge import listed, result
from shapesmt.ops.shared.require import require_broadcast_to
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import Tensor, Traits, tensor

FURTHEST = 2**63 - 1


def replaced(call: Call, part: Tensor) -> Tensor:
    """Return the tensor after replacing `part`, and require that the source has the shape of that part."""
    x = call.tensor("self")
    call.ctx.require_agree(call.tensor("src"), part, law=laws.UPDATES_SHAPED_AS_REPLACED)
    return tensor(x.dtype, x.dims)


@operator("select_scatter.default", traits=Traits.COPIED)
def select_scatter(call: Call) -> Tensor:
    """Replace the slice at one index of an axis."""
    ctx, x, index = call.ctx, call.tensor("self"), call.size("index")
    axis = ctx.normal(call.integer("dim"), x.rank)
    if index is not None:
        ctx.require_within(index, x[axis], laws.INDEX_INSIDE_AXIS)
    return replaced(call, tensor(x.dtype, [d for i, d in enumerate(x.dims) if i != axis]))


@operator("slice_scatter.default", traits=Traits.COPIED)
def slice_scatter(call: Call) -> Tensor:
    """Replace a slice of an axis."""
    x = call.tensor("self")
    axis = call.ctx.normal(call.integer("dim"), x.rank)
    ends = {"start": 0, "end": FURTHEST}
    start, end = (call.size(name) if name in call else default for name, default in ends.items())
    part = result(call.ctx, "Slice", x, *map(listed, (start, end, axis, call.size("step"))))
    return replaced(call, part)


@operator("diagonal_scatter.default", traits=Traits.COPIED)
def diagonal_scatter(call: Call) -> Tensor:
    """Replace a diagonal of two axes."""
    x, offset = call.tensor("self"), call.integer("offset")
    first, second = call.ctx.normals((call.integer("dim1"), call.integer("dim2")), x.rank)
    kept = [d for i, d in enumerate(x.dims) if i not in (first, second)]
    rows, columns = x[first] + min(offset, 0), x[second] - max(offset, 0)
    return replaced(call, tensor(x.dtype, [*kept, maximum(minimum(rows, columns), 0)]))


@operator("copy.default", "copy_.default", traits=Traits.COPIED)
def copy(call: Call) -> Tensor:
    """Copy the source, which broadcasts to the target's shape, into another tensor."""
    x, source = call.tensor("self"), call.tensor("src")
    require_broadcast_to(call.ctx, source, x.dims, laws.SOURCE_BROADCASTS_TO_TENSOR)
    value = source.value if source.dims == x.dims and source.dtype == x.dtype else None
    return tensor(x.dtype, x.dims, value)
