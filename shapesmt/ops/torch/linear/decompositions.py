"""Decompositions, inverses and determinants of matrices."""

from __future__ import annotations

from collections.abc import Iterable

from shapesmt import laws
from shapesmt.algebra import FALSE, TRUE, ZERO, any_of, equal, minimum
from shapesmt.ops.shared.require import require_same
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import Tensor, tensor

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
        call.ctx.grant(0)


@operator("_linalg_check_errors.default")
def check_errors(call: Call) -> None:
    """Assume that no decomposition failed, which only matrix elements decide."""
    call.ctx.grant(call.place("info"))


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
    """Return a tensor of that shape and type; require that matrices declared symmetric are square, unless empty."""
    x = call.tensor("self", least=2)
    call.ctx.require(any_of(equal(x[-2], x[-1]), equal(x.numel, 0)), laws.MATRICES_SQUARE, x[-2], x[-1])
    return tensor(x.dtype, x.dims)


@operator("cholesky.default")
def cholesky(call: Call) -> Tensor:
    """Return a triangular matrix; an empty input needn't be square."""
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
    """Return an orthogonal and a triangular matrix."""
    return of_matrices(call, {"complete": "mm, mn", "r": "0, kn"}.get(call.text("mode"), "mk, kn"))


@operator("lu_unpack.default")
def lu_unpack(call: Call) -> list[Tensor]:
    """Return a permutation and two triangular matrices; parts that aren't unpacked are empty."""
    x, pivots = call.tensor("LU_data"), call.tensor("LU_pivots")
    parts = "mk, kn" if call.flag("unpack_data") else "0, 0"
    outputs = of_matrices(call, ("mm, " if call.flag("unpack_pivots") else "0, ") + parts)
    if call.flag("unpack_pivots"):
        shape = tensor("", [*x.dims[:-2], minimum(x[-2], x[-1])])
        one_rank = TRUE if pivots.rank == shape.rank else FALSE
        call.unchecked(one_rank, laws.TENSORS_ONE_RANK.of(rank=shape.rank, other=pivots.rank))
        for size, expected in zip(pivots.dims, shape.dims, strict=False):
            call.unchecked(equal(size, expected), laws.PIVOT_PER_ROW)
        call.ctx.grant(call.place("LU_pivots"))
    return outputs


@operator("linalg_householder_product.default", "orgqr.default")
def householder_product(call: Call) -> Tensor:
    """Return the product of the reflections in the first columns of `[..., m, n]`, one per element of `tau`; m >= n."""
    ctx, x, tau = call.ctx, call.ctx.input(0, least=2), call.ctx.input(1)
    ctx.check(tau.rank == x.rank - 1, laws.TENSORS_ONE_RANK.of(rank=x.rank - 1, other=tau.rank))
    ctx.require_at_least(x[-2], x[-1], laws.REFLECTIONS_FIT_MATRIX)
    ctx.require_at_least(x[-1], tau[-1], laws.REFLECTIONS_FIT_MATRIX)
    require_same(ctx, x.dims[:-2], tau.dims[:-1], laws.OPERANDS_SAME_BATCH_AXES)
    return tensor(x.dtype, x.dims)


@operator("ormqr.default")
def ormqr(call: Call) -> Tensor:
    """Multiply a matrix by the reflections from `geqrf`; its shape stays."""
    ctx, x, tau, other = call.ctx, call.tensor("self", least=2), call.tensor("input2"), call.tensor("input3", least=2)
    rows = other[-2 if call.flag("left") else -1]
    ctx.check(x.rank == other.rank == tau.rank + 1, laws.TENSORS_ONE_RANK.of(rank=x.rank, other=other.rank))
    ctx.require_equal(tau[-1], minimum(rows, x[-1]), laws.REFLECTIONS_FIT_MATRIX)
    ctx.require_equal(x[-2], rows, laws.INNER_SIZES_EQUAL)
    for a, b, c in zip(x.dims[:-2], tau.dims[:-1], other.dims[:-2], strict=True):
        ctx.require_equal(a, b, laws.OPERANDS_SAME_BATCH_AXES)
        ctx.require_equal(a, c, laws.OPERANDS_SAME_BATCH_AXES)
    return tensor(other.dtype, other.dims)
