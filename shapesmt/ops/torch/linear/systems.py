"""Systems of linear equations."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import ONE, all_of, any_of, at_least, equal
from shapesmt.ops.shared.require import require_ranks
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.linear.decompositions import grant_matrices
from shapesmt.rules import RuleContext, Shape, Tensor, tensor


def is_vector(ctx: RuleContext, a: Tensor, b: Tensor) -> bool:
    """Whether right sides are vectors: a single one, or one per matrix of the batch."""
    if b.rank == 1 or b.rank != a.rank - 1:
        return b.rank == 1
    return ctx.holds(all_of(*(equal(x, y) for x, y in zip(a.dims[:-1], b.dims, strict=True)))) is True


def solved(ctx: RuleContext, a: Tensor, b: Tensor, *, left: bool = True) -> Shape:
    """Return the shape of `x` in `a x = b` (`x a = b` unless `left`) for square matrices, whose batches broadcast."""
    require_ranks(ctx, 2, a, b, least=True)
    ctx.require_equal(a[-2], a[-1], laws.MATRICES_SQUARE)
    ctx.require_equal(a[-2], b[-2 if left else -1], laws.RIGHT_SIDES_HAVE_ROWS_OF_MATRICES)
    return (*ctx.broadcast(a.dims[:-2], b.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), *b.dims[-2:])


def solution(call: Call) -> Shape:
    """Return the shape of the solution of `A X = B` (`X A = B` unless `left`) for matrices or vectors."""
    grant_matrices(call)
    ctx, a, b = call.ctx, call.tensor("A", least=2), call.tensor("B")
    if not is_vector(ctx, a, b):
        return solved(ctx, a, b, left=call.flag("left"))
    ctx.check(call.flag("left"), laws.VECTORS_ON_RIGHT_SIDE)
    return solved(ctx, a, tensor("", [*b.dims, ONE]))[:-1]


@operator("linalg_solve.default")
def solve(call: Call) -> Tensor:
    """Solve square systems."""
    return tensor(call.tensor("A").dtype, solution(call))


@operator("linalg_solve_ex.default", "_linalg_solve_ex.default")
def solve_ex(call: Call) -> list[Tensor]:
    """Solve square systems; `_linalg_solve_ex` also returns factors and pivots, both return error codes."""
    a = call.tensor("A")
    factors = [tensor(a.dtype, a.dims), tensor("int32", a.dims[:-1])] if "aten._" in call.ctx.node.op else []
    return [tensor(a.dtype, solution(call)), *factors, tensor("int32", a.dims[:-2])]


@operator("linalg_solve_triangular.default")
def solve_triangular(call: Call) -> Tensor:
    """Solve triangular systems."""
    a = call.tensor("self")
    return tensor(a.dtype, solved(call.ctx, a, call.tensor("B"), left=call.flag("left")))


@operator("triangular_solve.default")
def triangular_solve(call: Call) -> list[Tensor]:
    """Solve triangular systems; also return the matrices."""
    a, b = call.tensor("A"), call.tensor("self")
    shape = solved(call.ctx, a, b)
    return [tensor(b.dtype, shape), tensor(a.dtype, [*shape[:-2], *a.dims[-2:]])]


@operator("cholesky_solve.default")
def cholesky_solve(call: Call) -> Tensor:
    """Solve systems from the Cholesky factors of their matrices."""
    b = call.tensor("self")
    return tensor(b.dtype, solved(call.ctx, call.tensor("input2"), b))


@operator("linalg_lu_solve.default", "lu_solve.default", "linalg_ldl_solve.default")
def lu_solve(call: Call) -> Tensor:
    """Solve systems from the LU or LDL factors of their matrices; there is a pivot per row."""
    ctx, old = call.ctx, "aten.lu_solve" in call.ctx.node.op
    names = ("LU_data", "LU_pivots", "self") if old else ("LD" if "ldl" in ctx.node.op else "LU", "pivots", "B")
    lu, pivots, b = map(call.tensor, names)
    left = call.flag("left") if "left" in call else True
    shape = solved(ctx, lu, b, left=left)
    ctx.require_agree(pivots, tensor("", lu.dims[:-1]), law=laws.PIVOT_PER_ROW)
    ctx.grant(call.place(names[1]))
    return tensor(b.dtype, shape)


@operator("linalg_lstsq.default")
def least_squares(call: Call) -> list[Tensor]:
    """Solve systems `[..., m, n]` by least squares: the solution is `[..., n, k]`; the other outputs are unknown."""
    ctx, a, b = call.ctx, call.tensor("self", least=2), call.tensor("b")
    vector = is_vector(ctx, a, b)
    right = tensor("", [*b.dims, ONE]) if vector else b
    ctx.require_rank(right, 2, least=True)
    ctx.require_equal(a[-2], right[-2], laws.RIGHT_SIDES_HAVE_ROWS_OF_MATRICES)
    if call.text("driver") == "gelss":
        call.unchecked(at_least(right[-1], 1), laws.VECTORS_NOT_EMPTY)
    batch = ctx.broadcast(a.dims[:-2], right.dims[:-2], law=laws.BATCH_SIZES_BROADCAST)
    shape = (*batch, a[-1], right[-1])
    others = [tensor("", None) for _ in range(3)]
    return [tensor(a.dtype, shape[:-1] if vector else shape), *others]


@operator("linalg_tensorinv.default")
def tensorinv(call: Call) -> Tensor:
    """Return the inverse of a tensor whose first `ind` axes have as many elements as the others."""
    grant_matrices(call)
    ctx, x, count = call.ctx, call.tensor("self"), call.integer("ind")
    ctx.check(count > 0, laws.STEP_POSITIVE.of(step=count))
    first, second = tensor("", x.dims[:count]), tensor("", x.dims[count:])
    ctx.require_equal(first.numel, second.numel, laws.MATRICES_SQUARE)
    return tensor(x.dtype, [*second.dims, *first.dims])


@operator("linalg_tensorsolve.default")
def tensorsolve(call: Call) -> Tensor:
    """Return the tensor `x` for which `a`, summed with it over its last axes, is `b`."""
    grant_matrices(call)
    ctx, a, b = call.ctx, call.tensor("self"), call.tensor("other")
    moved = ctx.normals(call.integers("dims"), a.rank)
    dims = [*(d for i, d in enumerate(a.dims) if i not in moved), *(a[i] for i in moved)]
    ctx.require_equal(tensor("", dims[b.rank :]).numel, b.numel, laws.RIGHT_SIDES_HAVE_ROWS_OF_MATRICES)
    rows = tensor("", dims[: b.rank]).numel
    ctx.require(any_of(equal(rows, b.numel), equal(b.numel, 0)), laws.MATRICES_SQUARE, rows, b.numel)
    return tensor(a.dtype, dims[b.rank :])
