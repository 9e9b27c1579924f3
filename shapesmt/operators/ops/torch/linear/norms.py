"""Norms of vectors and matrices, condition numbers and ranks, and distances of vectors."""

from __future__ import annotations

from math import inf

from shapesmt.network import laws
from shapesmt.operators.ops.math.reduction import without
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import as_float, real_part, require_not_negative, result_type
from shapesmt.operators.ops.torch.linear.decompositions import REAL, require_symmetric
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import ONE, Dim, equal, minimum


def real(call: Call, x: Tensor) -> str:
    """Return the element type of norms, which are real."""
    kind = call.text("dtype") if "dtype" in call else x.dtype
    return REAL.get(kind, kind)


def order(call: Call, name: str = "ord") -> float | str:
    """Return the order of the norm, a number or a name; 2 by default."""
    number = call.number(name)
    if number is not None:
        return number
    text = call.text(name)
    return {"inf": inf, "-inf": -inf}.get(text, text or 2.0)


def axes_of(call: Call, x: Tensor) -> tuple[int, ...]:
    """Return the axes in `dim`; all if it is missing or empty."""
    return call.ctx.normals(call.integers("dim"), max(x.rank, 1)) or tuple(range(x.rank))


def require_elements(call: Call, x: Tensor, axes: tuple[int, ...], which: float | str) -> None:
    """Require nonempty axes for a norm of order inf or of any negative order, which an empty axis doesn't have."""
    if which == inf or (not isinstance(which, str) and which < 0):
        for axis in axes:
            call.ctx.require_at_least(x[axis], 1, laws.EXTREME_AXIS_HAS_ELEMENT)


@operator("linalg_vector_norm.default", "linalg__powsum.default", "norm.Scalar", "norm.ScalarOpt_dim")
@operator("norm.ScalarOpt_dim_dtype", "norm.ScalarOpt_dtype", "frobenius_norm.dim")
def vector_norm(call: Call) -> Tensor:
    """Return the norm along some axes, or of all elements."""
    x = call.tensor("self")
    axes = axes_of(call, x)
    require_elements(call, x, tuple(axis for axis in axes if axis < x.rank), order(call, "p" if "p" in call else "ord"))
    return tensor(real(call, x), without(x.dims, axes, keep="keepdim" in call and call.flag("keepdim")))


AXES_OF_MATRIX = laws.SM303.law("a matrix has 2 axes, not {count}")


def matrix_norm_of(call: Call, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the norm of matrices along two axes."""
    ctx, which = call.ctx, order(call)
    ctx.require_rank(x, 2, least=True)
    ctx.check(len(axes) == 2, AXES_OF_MATRIX.of(count=len(axes)))
    rows, columns = (x[axis] for axis in axes)
    extremes: dict[float | str, Dim] = {-1: columns, -inf: rows, -2: minimum(rows, columns)}
    if which in extremes:
        ctx.require_at_least(extremes[which], 1, laws.EXTREME_AXIS_HAS_ELEMENT)
    return tensor(real(call, x), without(x.dims, axes, keep=call.flag("keepdim")))


@operator("linalg_matrix_norm.default", "linalg_matrix_norm.str_ord")
def matrix_norm(call: Call) -> Tensor:
    """Return the norm of matrices, by default along the last two axes."""
    x = call.tensor("self")
    return matrix_norm_of(call, x, call.ctx.normals(call.integers("dim") or (-2, -1), x.rank))


@operator("linalg_norm.default", "linalg_norm.ord_str")
def norm(call: Call) -> Tensor:
    """Return a norm of vectors or matrices, by the number of axes; without `ord`, the 2-norm of all elements."""
    x = call.tensor("self")
    axes = axes_of(call, x)
    if "ord" in call and (len(axes) == 2 or isinstance(order(call), str)):
        return matrix_norm_of(call, x, axes)
    call.ctx.check("dim" in call or "ord" not in call or x.rank <= 2, AXES_OF_MATRIX.of(count=x.rank))
    require_elements(call, x, tuple(axis for axis in axes if axis < x.rank), order(call))
    return tensor(real(call, x), without(x.dims, axes, keep=call.flag("keepdim")))


@operator("linalg_cond.default", "linalg_cond.p_str")
def condition(call: Call) -> Tensor:
    """Return condition numbers: `[..., m, n] -> [...]`; matrices are square except for the 2-norm."""
    x = call.tensor("self", least=2)
    if order(call, "p") not in (2, -2):
        call.ctx.require_equal(x[-2], x[-1], laws.MATRICES_SQUARE)
    return tensor(REAL.get(x.dtype, x.dtype), x.dims[:-2])


@operator("linalg_pinv.atol_rtol_tensor", "linalg_pinv.rcond_tensor")
def pseudo_inverse(call: Call) -> Tensor:
    """Return pseudo-inverses: `[..., m, n] -> [..., n, m]`; tolerances broadcast with the batch."""
    ctx, x = call.ctx, call.tensor("self", least=2)
    if call.flag("hermitian"):
        require_symmetric(call)
    tolerances = (t.dims for t in map(call.optional, ("atol", "rtol", "rcond")) if t is not None)
    return tensor(x.dtype, [*ctx.broadcast(x.dims[:-2], *tolerances), x[-1], x[-2]])


@operator("linalg_matrix_rank.default", "linalg_matrix_rank.atol_rtol_float", "linalg_matrix_rank.atol_rtol_tensor")
def matrix_rank(call: Call) -> Tensor:
    """Return ranks of matrices: `[..., m, n] -> [...]`; tolerances broadcast with the batch."""
    ctx, x = call.ctx, call.ctx.input(0, least=2)
    shape = x.dims[:-2]
    if ctx.holds(equal(x.numel, 0)):  # nothing else is checked then
        return tensor("int64", shape)
    if call.flag("hermitian"):
        ctx.require_equal(x[-2], x[-1], laws.MATRICES_SQUARE)
    for name in ("atol", "rtol"):
        tolerance = call.optional(name)
        shape = shape if tolerance is None else ctx.broadcast(shape, tolerance.dims)
    return tensor("int64", shape)


# Distances and similarities of vectors


@operator("cdist.default", "_cdist_forward.default", "_euclidean_dist.default")
def cdist(call: Call) -> Tensor:
    """Return the distances of all pairs of rows: `[..., m, k]`, `[..., n, k]` -> `[..., m, n]`."""
    ctx, a, b = call.ctx, call.tensor("x1", least=2), call.tensor("x2", least=2)
    ctx.require_equal(a[-1], b[-1], laws.VECTORS_OF_ONE_LENGTH)
    require_not_negative(call, "p")
    return tensor(a.dtype, [*ctx.broadcast(a.dims[:-2], b.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), a[-2], b[-2]])


@operator("pdist.default", "_pdist_forward.default")
def pdist(call: Call) -> Tensor:
    """Return the distance of each pair of rows: `[n, m] -> [n*(n - 1)/2]`."""
    x = call.tensor("self", 2)
    require_not_negative(call, "p")
    return tensor(x.dtype, [x[0] * (x[0] - 1) // 2])


@operator("pairwise_distance.default")
def pairwise_distance(call: Call) -> Tensor:
    """Return the distance of vectors along the last axis of two operands, which broadcast."""
    ctx, a, b = call.ctx, call.tensor("x1"), call.tensor("x2")
    shape, dtype = ctx.broadcast(a.dims, b.dims), as_float(real_part(result_type([(a, False), (b, False)])))
    require_elements(call, tensor("", shape), (len(shape) - 1,) if shape else (), order(call, "p"))
    return tensor(dtype, without(shape, (len(shape) - 1,), keep=call.flag("keepdim")))


@operator("cosine_similarity.default")
def cosine_similarity(call: Call) -> Tensor:
    """Return the cosine similarity of vectors along an axis of two operands, which broadcast."""
    ctx, a, b = call.ctx, call.tensor("x1"), call.tensor("x2")
    require_not_negative(call, "eps")
    shape = ctx.broadcast(a.dims, b.dims)
    axis = ctx.normal(call.integer("dim"), max(len(shape), 1))
    return tensor(a.dtype, without(shape, (axis,), keep=False))


@operator("dist.default")
def dist(call: Call) -> Tensor:
    """Return the norm of the difference of two operands, which broadcast."""
    a, b = call.tensor("self"), call.tensor("other")
    call.ctx.broadcast(a.dims, b.dims)
    return tensor("", ())


WEIGHT_PER_OBSERVATION = laws.SM116.law("there is a weight for each observation")
AN_OBSERVATION = laws.SM204.law("there is an observation")


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
            ctx.require_equal(weights.numel, observations, WEIGHT_PER_OBSERVATION)
            ctx.require_at_least(observations, 1, AN_OBSERVATION)
            ctx.assume_valid(call.place(name))
    return tensor("", () if x.rank < 2 or ctx.holds(equal(x[0], 1)) else (x[0], x[0]))
