"""Decompositions, inverses and determinants of matrices, and systems of linear equations."""

from __future__ import annotations

from collections.abc import Iterable

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import require_ranks, require_same
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.rules import RuleContext, Shape, Tensor, tensor
from shapesmt.prover.algebra import FALSE, ONE, TRUE, ZERO, all_of, any_of, at_least, equal, minimum

COMPLEX = {"float32": "complex64", "float64": "complex128", "float16": "complex32"}
REAL = {complex_type: real for real, complex_type in COMPLEX.items()}

SQUARE = {
    "cholesky_inverse": "nn",
    "det": "",
    "inverse": "nn",
    "linalg_cholesky": "nn",
    "linalg_cholesky_ex": "nn, int32:",
    "linalg_det": "",
    "_linalg_det": ", nn, int32:n",
    "linalg_eig": "complex:n, complex:nn",
    "linalg_eigh": "real:n, nn",
    "linalg_eigvals": "complex:n",
    "_linalg_eigvals": "complex:n",
    "linalg_eigvalsh": "real:n",
    "linalg_inv": "nn",
    "linalg_inv_ex": "nn, int32:",
    "linalg_ldl_factor": "nn, int32:n",
    "linalg_ldl_factor_ex": "nn, int32:n, int32:",
    "linalg_matrix_exp": "nn",
    "linalg_matrix_power": "nn",
    "linalg_slogdet": ", real:",
    "_linalg_slogdet": ", real:, nn, int32:n",
    "logdet": "",
    "matrix_exp": "nn",
    "matrix_power": "nn",
    "slogdet": ", real:",
}
"""Outputs for square matrices `[..., n, n]`: element type, if it differs from the input's, and axes after the batch."""

ANY = {
    "geqrf": "mn, k",
    "linalg_lu_factor": "mn, int32:k",
    "linalg_lu_factor_ex": "mn, int32:k, int32:",
    "_lu_with_info": "mn, int32:k, int32:",
    "linalg_pinv": "nm",
    "linalg_svdvals": "real:k",
    "pinverse": "nm",
}
"""Outputs for matrices `[..., m, n]` with `k = min(m, n)`, as in `SQUARE`."""


def of_matrices(call: Call, template: str, *, square: bool = False) -> list[Tensor]:
    """Return the outputs that a template such as "nn, int32:" describes; `square` requires square matrices."""
    ctx, x = call.ctx, call.ctx.input(0, least=2)
    if square:
        ctx.require_equal(x[-2], x[-1], laws.MATRICES_SQUARE)
    sizes = {"m": x[-2], "n": x[-1], "k": minimum(x[-2], x[-1]), "0": ZERO}
    types = {"": x.dtype, "real": REAL.get(x.dtype, x.dtype), "complex": COMPLEX.get(x.dtype, x.dtype)}
    outputs = []
    for part in template.split(","):
        kind, _, letters = part.strip().rpartition(":")
        batch = () if "0" in letters else x.dims[:-2]
        outputs.append(tensor(types.get(kind, kind), [*batch, *(sizes[letter] for letter in letters)]))
    return outputs


FALLIBLE = (
    *(
        "cholesky",
        "cholesky_inverse",
        "inverse",
        "linalg_cholesky",
        "linalg_inv",
        "linalg_lu_factor",
        "linalg_matrix_power",
    ),
    *("linalg_solve", "linalg_tensorinv", "linalg_tensorsolve", "matrix_power"),
)
"""Operators that refuse some matrices, such as singular ones; others do so only with `check_errors`."""
OVERLOADS = {"linalg_pinv": ("atol_rtol_float", "default")}


def grant_matrices(call: Call) -> None:
    """Assume that the matrices can be decomposed, if the operator refuses others."""
    if call.ctx.node.op.split(".")[1] in FALLIBLE or ("check_errors" in call and call.flag("check_errors")):
        call.ctx.assume_valid(0)


@operator("_linalg_check_errors.default")
def check_errors(call: Call) -> None:
    """Assume that no decomposition failed, since that depends only on the matrices' elements."""
    call.ctx.assume_valid(call.place("info"))


def _names(table: Iterable[str]) -> list[str]:
    return [f"{name}.{overload}" for name in table for overload in OVERLOADS.get(name, ("default",))]


@operator(*_names(SQUARE))
def of_square(call: Call) -> list[Tensor]:
    """Return the outputs that `SQUARE` lists for the operator."""
    grant_matrices(call)
    return of_matrices(call, SQUARE[call.ctx.node.op.split(".")[1]], square=True)


@operator(*_names(ANY))
def of_any(call: Call) -> list[Tensor]:
    """Return the outputs that `ANY` lists for the operator."""
    grant_matrices(call)
    if "hermitian" in call and call.flag("hermitian"):
        require_symmetric(call)
    return of_matrices(call, ANY[call.ctx.node.op.split(".")[1]])


def require_symmetric(call: Call) -> Tensor:
    """Return a tensor of the input's shape and type; require that its symmetric matrices are square, unless empty."""
    x = call.tensor("self", least=2)
    call.ctx.require(any_of(equal(x[-2], x[-1]), equal(x.numel, 0)), laws.MATRICES_SQUARE, x[-2], x[-1])
    return tensor(x.dtype, x.dims)


@operator("cholesky.default")
def cholesky(call: Call) -> Tensor:
    """Return triangular matrices of the input's shape; an empty input needn't be square."""
    grant_matrices(call)
    return require_symmetric(call)


BY_FLAG = {
    "_linalg_eigh": ("compute_v", "real:n, nn", "real:n, 0"),
    "linalg_lu": ("pivot", "mm, mk, kn", "0, mk, kn"),
    "qr": ("some", "mk, kn", "mm, mn"),
}
"""The flag that decides between two templates, the one for a set flag first."""


@operator(*_names(BY_FLAG))
def by_flag(call: Call) -> list[Tensor]:
    """Return the outputs that `BY_FLAG` lists for the operator; eigenvalues are those of square matrices."""
    name = call.ctx.node.op.split(".")[1]
    flag, given, otherwise = BY_FLAG[name]
    return of_matrices(call, given if call.flag(flag) else otherwise, square=name == "_linalg_eigh")


@operator("linalg_svd.default", "_linalg_svd.default")
def svd(call: Call) -> list[Tensor]:
    """Return `u`, `s` and the transpose of `v`; `full_matrices` decides whether `u` and `v` are square."""
    if "compute_uv" in call and not call.flag("compute_uv"):
        return of_matrices(call, "0, real:k, 0")
    return of_matrices(call, "mm, real:k, nn" if call.flag("full_matrices") else "mk, real:k, kn")


@operator("svd.default")
def svd_in_columns(call: Call) -> list[Tensor]:
    """Return `u`, `s` and `v`; without `compute_uv`, `u` and `v` are square matrices of zeros."""
    all_columns = not (call.flag("some") and call.flag("compute_uv"))
    return of_matrices(call, "mm, real:k, nn" if all_columns else "mk, real:k, nk")


@operator("linalg_qr.default")
def qr(call: Call) -> list[Tensor]:
    """Return orthogonal and triangular matrices."""
    return of_matrices(call, {"complete": "mm, mn", "r": "0, kn"}.get(call.text("mode"), "mk, kn"))


PIVOT_PER_ROW = laws.SM116.law("there is a pivot for each row")


@operator("lu_unpack.default")
def lu_unpack(call: Call) -> list[Tensor]:
    """Return a permutation and two triangular matrices; parts that aren't unpacked are empty."""
    x, pivots = call.tensor("LU_data"), call.tensor("LU_pivots")
    parts = "mk, kn" if call.flag("unpack_data") else "0, 0"
    outputs = of_matrices(call, ("mm, " if call.flag("unpack_pivots") else "0, ") + parts)
    if call.flag("unpack_pivots"):
        shape = tensor("", [*x.dims[:-2], minimum(x[-2], x[-1])])
        one_rank = TRUE if pivots.rank == shape.rank else FALSE
        call.open_if_broken(one_rank, laws.TENSORS_ONE_RANK.of(rank=shape.rank, other=pivots.rank))
        for size, expected in zip(pivots.dims, shape.dims, strict=False):
            call.open_if_broken(equal(size, expected), PIVOT_PER_ROW)
        call.ctx.assume_valid(call.place("LU_pivots"))
    return outputs


REFLECTIONS_FIT_MATRIX = laws.SM102.law("there are no more reflections than columns, nor columns than rows")


@operator("linalg_householder_product.default", "orgqr.default")
def householder_product(call: Call) -> Tensor:
    """Return the product of the reflections in the first columns of `[..., m, n]`, one per element of `tau`; m >= n."""
    ctx, x, tau = call.ctx, call.ctx.input(0, least=2), call.ctx.input(1)
    ctx.check(tau.rank == x.rank - 1, laws.TENSORS_ONE_RANK.of(rank=x.rank - 1, other=tau.rank))
    ctx.require_at_least(x[-2], x[-1], REFLECTIONS_FIT_MATRIX)
    ctx.require_at_least(x[-1], tau[-1], REFLECTIONS_FIT_MATRIX)
    require_same(ctx, x.dims[:-2], tau.dims[:-1], laws.OPERANDS_SAME_BATCH_AXES)
    return tensor(x.dtype, x.dims)


@operator("ormqr.default")
def ormqr(call: Call) -> Tensor:
    """Multiply a matrix by the reflections from `geqrf`; its shape stays."""
    ctx, x, tau, other = call.ctx, call.tensor("self", least=2), call.tensor("input2"), call.tensor("input3", least=2)
    rows = other[-2 if call.flag("left") else -1]
    ctx.check(x.rank == other.rank == tau.rank + 1, laws.TENSORS_ONE_RANK.of(rank=x.rank, other=other.rank))
    ctx.require_equal(tau[-1], minimum(rows, x[-1]), REFLECTIONS_FIT_MATRIX)
    ctx.require_equal(x[-2], rows, laws.INNER_SIZES_EQUAL)
    for a, b, c in zip(x.dims[:-2], tau.dims[:-1], other.dims[:-2], strict=True):
        ctx.require_equal(a, b, laws.OPERANDS_SAME_BATCH_AXES)
        ctx.require_equal(a, c, laws.OPERANDS_SAME_BATCH_AXES)
    return tensor(other.dtype, other.dims)


# Systems of linear equations


def is_vector(ctx: RuleContext, a: Tensor, b: Tensor) -> bool:
    """Whether right sides are vectors: a single one, or one per matrix of the batch."""
    if b.rank == 1 or b.rank != a.rank - 1:
        return b.rank == 1
    return ctx.holds(all_of(*(equal(x, y) for x, y in zip(a.dims[:-1], b.dims, strict=True)))) is True


def solution_shape(ctx: RuleContext, a: Tensor, b: Tensor, *, left: bool = True) -> Shape:
    """Return the shape of `x` in `a x = b` (`x a = b` unless `left`) for square matrices, whose batches broadcast."""
    require_ranks(ctx, 2, a, b, least=True)
    ctx.require_equal(a[-2], a[-1], laws.MATRICES_SQUARE)
    ctx.require_equal(a[-2], b[-2 if left else -1], laws.RIGHT_SIDES_HAVE_ROWS_OF_MATRICES)
    return (*ctx.broadcast(a.dims[:-2], b.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), *b.dims[-2:])


VECTORS_ON_RIGHT_SIDE = laws.SM303.law("vectors are on the right side")


def solution(call: Call) -> Shape:
    """Return the shape of the solution of `A X = B` (`X A = B` unless `left`) for matrices or vectors."""
    grant_matrices(call)
    ctx, a, b = call.ctx, call.tensor("A", least=2), call.tensor("B")
    if not is_vector(ctx, a, b):
        return solution_shape(ctx, a, b, left=call.flag("left"))
    ctx.check(call.flag("left"), VECTORS_ON_RIGHT_SIDE)
    return solution_shape(ctx, a, tensor("", [*b.dims, ONE]))[:-1]


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
    return tensor(a.dtype, solution_shape(call.ctx, a, call.tensor("B"), left=call.flag("left")))


@operator("triangular_solve.default")
def triangular_solve(call: Call) -> list[Tensor]:
    """Solve triangular systems; also return the matrices."""
    a, b = call.tensor("A"), call.tensor("self")
    shape = solution_shape(call.ctx, a, b)
    return [tensor(b.dtype, shape), tensor(a.dtype, [*shape[:-2], *a.dims[-2:]])]


@operator("cholesky_solve.default")
def cholesky_solve(call: Call) -> Tensor:
    """Solve systems from the Cholesky factors of their matrices."""
    b = call.tensor("self")
    return tensor(b.dtype, solution_shape(call.ctx, call.tensor("input2"), b))


@operator("linalg_lu_solve.default", "lu_solve.default", "linalg_ldl_solve.default")
def lu_solve(call: Call) -> Tensor:
    """Solve systems from the LU or LDL factors of their matrices; there is a pivot per row."""
    ctx, old = call.ctx, "aten.lu_solve" in call.ctx.node.op
    names = ("LU_data", "LU_pivots", "self") if old else ("LD" if "ldl" in ctx.node.op else "LU", "pivots", "B")
    lu, pivots, b = map(call.tensor, names)
    left = call.flag("left") if "left" in call else True
    shape = solution_shape(ctx, lu, b, left=left)
    ctx.require_agree(pivots, tensor("", lu.dims[:-1]), law=PIVOT_PER_ROW)
    ctx.assume_valid(call.place(names[1]))
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
        call.open_if_broken(at_least(right[-1], 1), laws.VECTORS_NOT_EMPTY)
    shape = (*ctx.broadcast(a.dims[:-2], right.dims[:-2], law=laws.BATCH_SIZES_BROADCAST), a[-1], right[-1])
    others = [tensor("", None) for _ in range(3)]
    return [tensor(a.dtype, shape[:-1] if vector else shape), *others]


@operator("linalg_tensorinv.default")
def tensorinv(call: Call) -> Tensor:
    """Return the inverse of a tensor whose first `ind` axes have as many elements as its others."""
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
