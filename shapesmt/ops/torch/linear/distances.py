"""Distances and similarities of vectors."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import ONE, equal
from shapesmt.ops.math.reduction import without
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.elementwise.promotion import as_float, real_part, result_type
from shapesmt.ops.torch.linear.norms import order, require_elements
from shapesmt.rules import Tensor, tensor


@operator("cdist.default", "_cdist_forward.default", "_euclidean_dist.default")
def cdist(call: Call) -> Tensor:
    """Return the distances of all pairs of rows: `[..., m, k]`, `[..., n, k]` -> `[..., m, n]`."""
    ctx, a, b = call.ctx, call.tensor("x1", least=2), call.tensor("x2", least=2)
    ctx.require_equal(a[-1], b[-1], laws.VECTORS_OF_ONE_LENGTH)
    return tensor(a.dtype, [*ctx.broadcast(a.dims[:-2], b.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), a[-2], b[-2]])


@operator("pdist.default", "_pdist_forward.default")
def pdist(call: Call) -> Tensor:
    """Return the distance of each pair of rows."""
    x = call.tensor("self", 2)
    return tensor(x.dtype, [x[0] * (x[0] - 1) // 2])


@operator("pairwise_distance.default")
def pairwise_distance(call: Call) -> Tensor:
    """Return the distance along the last axis of operands that broadcast."""
    ctx, a, b = call.ctx, call.tensor("x1"), call.tensor("x2")
    shape, dtype = ctx.broadcast(a.dims, b.dims), as_float(real_part(result_type([(a, False), (b, False)])))
    require_elements(call, tensor("", shape), (len(shape) - 1,) if shape else (), order(call, "p"))
    return tensor(dtype, without(shape, (len(shape) - 1,), keep=call.flag("keepdim")))


@operator("cosine_similarity.default")
def cosine_similarity(call: Call) -> Tensor:
    """Return the cosine similarity along an axis of operands that broadcast."""
    ctx, a, b = call.ctx, call.tensor("x1"), call.tensor("x2")
    shape = ctx.broadcast(a.dims, b.dims)
    axis = ctx.normal(call.integer("dim"), max(len(shape), 1))
    return tensor(a.dtype, without(shape, (axis,), keep=False))


@operator("dist.default")
def dist(call: Call) -> Tensor:
    """Return the norm of the difference of operands that broadcast."""
    a, b = call.tensor("self"), call.tensor("other")
    call.ctx.broadcast(a.dims, b.dims)
    return tensor("", ())


@operator("cov.default", "corrcoef.default")
def covariance(call: Call) -> Tensor:
    """Return a covariance or correlation matrix: `[variables, observations] -> [variables, variables]`.

    A list is one variable, whose result is a scalar.
    """
    ctx, x = call.ctx, call.tensor("self")
    ctx.check(x.rank <= 2, laws.RANK_AT_MOST_2.of(rank=x.rank))
    observations = x[-1] if x.rank else ONE
    for name in ("fweights", "aweights"):
        weights = call.optional(name) if "cov" in ctx.node.op else None
        if weights is not None:
            ctx.check(weights.rank <= 1, laws.RANK_AT_MOST_1.of(rank=weights.rank))
            ctx.require_equal(weights.numel, observations, laws.WEIGHT_PER_OBSERVATION)
            ctx.require_at_least(observations, 1, laws.AN_OBSERVATION)
            ctx.grant(call.place(name))
    return tensor("", () if x.rank < 2 or ctx.holds(equal(x[0], 1)) else (x[0], x[0]))
