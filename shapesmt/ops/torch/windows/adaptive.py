"""Adaptive pooling, which fits the windows to the output size."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import FALSE, TRUE, all_of, equal, negate
from shapesmt.ops.shared.require import require_least, sized
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.windows.pooling import spatial
from shapesmt.rules import Shape, Tensor, tensor


def pooled(call: Call, x: Tensor, *, mean: bool = False) -> Shape:
    """Return the input's shape with the requested spatial sizes; with `mean`, a single window may be empty."""
    count, sizes = spatial(call), sized(call.ctx, call.sizes("output_size"))
    sole = all_of(*(equal(size, 1) for size in sizes)) if mean else FALSE
    if sole is not TRUE:
        call.ctx.check(x.rank in (count + 1, count + 2), laws.RANK_WITH_OR_WITHOUT_BATCH.of(axes=count, rank=x.rank))
        only_spatial = "avg" in call.ctx.node.op and count < 3  # the others count the first axis as a batch
        with call.ctx.where(negate(sole)):
            require_least(call.ctx, x.dims[-count:] if only_spatial else x.dims[1:], 1, laws.ONLY_BATCH_EMPTY)
    call.ctx.check(len(sizes) == count, laws.ATTRIBUTE_ENTRIES.of(name="output_size", count=count))
    require_least(call.ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    return (*x.dims[:-count], *sizes)


@operator("adaptive_avg_pool1d.default", "adaptive_avg_pool2d.default", "adaptive_avg_pool3d.default")
@operator("_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default")
def adaptive_avg_pool(call: Call) -> Tensor:
    """Return the average of each window; unless the operator's name begins with "_", a single window may be empty."""
    x = call.tensor("self")
    return tensor(x.dtype, pooled(call, x, mean="aten._" not in call.ctx.node.op))


@operator("adaptive_max_pool1d.default", "adaptive_max_pool2d.default", "adaptive_max_pool3d.default")
def adaptive_max_pool(call: Call) -> list[Tensor]:
    """Return the maximum of each window and its index."""
    x = call.tensor("self")
    shape = pooled(call, x)
    return [tensor(x.dtype, shape), tensor("int64", shape)]
