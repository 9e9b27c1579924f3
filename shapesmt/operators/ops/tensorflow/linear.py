"""Matrix products, diagonals, decompositions, systems of equations, and Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.math.linear import einsum_axes, split_term, transpose_dims
from shapesmt.operators.ops.shared.bridge import constants_of, result
from shapesmt.operators.ops.shared.follows import apart_from, each_of_first, product_axes
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_same, require_shape
from shapesmt.operators.ops.tensorflow.common import DOMAIN, first, numbers, open_bias, require_numbers, require_order
from shapesmt.operators.rules import Follows, RuleContext, Shape, Tensor, Traits, rule
from shapesmt.prover.algebra import Dim, any_of, at_least, equal, maximum, minimum, select

# Products


TURNED = (("transpose_a", "adj_x"), ("transpose_b", "adj_y"))


def turned_product(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """As for a product of matrices, of which either may be transposed."""
    plain = product_axes(ctx, outputs)
    pairs = zip((letters or () for letters in plain.inputs), TURNED, strict=False)
    turned = (
        (*read[:-2], *read[:-3:-1]) if any(map(ctx.flag, flags)) and len(read) > 1 else read for read, flags in pairs
    )
    return plain._replace(inputs=tuple(turned))


@rule("MatMul", "SparseMatMul", "_FusedMatMul", domain=DOMAIN, traits=Traits.MIXED, follows=turned_product)
def matmul(ctx: RuleContext) -> Tensor:
    """Multiply matrices: `[M, K] x [K, N] -> [M, N]`; attributes transpose operands, a fused bias has N elements."""
    a = transpose_dims(ctx.input(0, rank=2), ctx.integer("transpose_a", 0))
    b = transpose_dims(ctx.input(1, rank=2), ctx.integer("transpose_b", 0))
    ctx.require_equal(a[1], b[0], laws.INNER_SIZES_EQUAL)
    if ctx.node.op == "_FusedMatMul" and "BiasAdd" in ctx.attributes.get("fused_ops", ()):  # type: ignore[operator]  # a list
        open_bias(ctx, 2, b[1], laws.BIAS_PER_COLUMN)
    return ctx.tensor([a[0], b[1]], "float32" if ctx.node.op == "SparseMatMul" else None)


@rule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", domain=DOMAIN, traits=Traits.MIXED, follows=turned_product)
def batch_matmul(ctx: RuleContext) -> Tensor:
    """Multiply matrices: `[..., M, K] x [..., K, N] -> [..., M, N]`; batches broadcast, except in the first version."""
    x, y = ctx.input(0, least=2), ctx.input(1, least=2)
    a, b = transpose_dims(x, ctx.integer("adj_x", 0)), transpose_dims(y, ctx.integer("adj_y", 0))
    ctx.require_equal(a[-1], b[-2], laws.INNER_SIZES_EQUAL)
    if ctx.node.op == "BatchMatMul":
        ctx.require_agree(ctx.tensor(a[:-2]), ctx.tensor(b[:-2]), law=laws.OPERANDS_SAME_BATCH_AXES)
    batch = ctx.broadcast(a[:-2], b[:-2], law=laws.BATCH_SIZES_BROADCAST)
    return ctx.tensor([*batch, a[-2], b[-1]], ctx.text("Tout", x.dtype))


EQUATION_ONE_ARROW = laws.SM308.law("the equation has one '->'")
EQUATION_TERM_PER_ONE_OR_TWO_INPUTS = laws.SM308.law("the equation has a term for each of one input or two")
OUTPUT_ELLIPSIS_WHERE_INPUTS_HAVE_AXES = laws.SM308.law("the output has an ellipsis where the inputs have axes for it")


@rule("Einsum", domain=DOMAIN, traits=Traits.MIXED, follows=einsum_axes)
def einsum(ctx: RuleContext) -> Tensor:
    """Contract by an equation: equal letters have equal sizes; only the axes of ellipses broadcast."""
    left, *right = ctx.text("equation").split("->")
    terms = [split_term(term) for term in (*left.split(","), *right)]
    ctx.check(len(right) == 1 and all(term.count("...") <= 1 for term in terms), EQUATION_ONE_ARROW)
    ctx.check(len(terms) - 1 == len(ctx.inputs) <= 2, EQUATION_TERM_PER_ONE_OR_TWO_INPUTS)
    sizes: dict[str, Dim] = {}
    hidden = [_ellipsis_axes(ctx, ctx.input(i), term, sizes) for i, term in enumerate(terms[:-1])]
    ctx.check(sizes.keys() >= set(terms[-1]) - {"..."}, laws.OUTPUT_LETTERS_AMONG_INPUTS)
    common = ctx.broadcast(*hidden)
    ctx.check("..." in terms[-1] or not common, OUTPUT_ELLIPSIS_WHERE_INPUTS_HAVE_AXES)
    return ctx.tensor([d for letter in terms[-1] for d in (common if letter == "..." else (sizes[letter],))])


EQUATION_TERM_AXES = laws.SM308.law("the term '{term}' has {rank} axes")
EQUATION_LETTER_ONE_SIZE = laws.SM308.law("each letter of the equation is one size, '{letter}' too")


def _ellipsis_axes(ctx: RuleContext, x: Tensor, term: list[str], sizes: dict[str, Dim]) -> Shape:
    """Return the axes of `x` that the ellipsis in `term` stands for.

    Add each letter's size to `sizes`; it must be the same in all operands.
    """
    named, at = len(term) - term.count("..."), term.index("...") if "..." in term else len(term)
    law = EQUATION_TERM_AXES.of(term="".join(term), rank=x.rank)
    ctx.check(x.rank >= named if "..." in term else x.rank == named, law)
    behind = x.rank - (named - at)
    letters = zip((*term[:at], *term[at + 1 :]), (*x.dims[:at], *x.dims[behind:]), strict=True)
    for letter, d in letters:
        ctx.require_equal(sizes.setdefault(letter, d), d, EQUATION_LETTER_ONE_SIZE.of(letter=letter))
    return x.dims[at:behind]


@rule("Cross", domain=DOMAIN)
def cross(ctx: RuleContext) -> Tensor:
    """Return the cross product of 3-vectors along the last axis."""
    x = ctx.input(0)
    ctx.require_agree(x, ctx.input(1), law=laws.OPERANDS_SAME_SHAPE)
    ctx.require_rank(x, 1, least=True)
    ctx.require_equal(x[-1], 3, laws.VECTORS_3_ELEMENTS)
    return ctx.tensor(x.dims)


# Diagonals


DIAGONAL_COUNTS_ONE_NUMBER_EACH = laws.SM401.law("the numbers of diagonals are one number each")
SIDE_DIAGONALS_IN_MATRIX = laws.SM301.law("the {side} diagonals are those of the matrix")


@rule("MatrixBandPart", domain=DOMAIN, follows=each_of_first)
def band_part(ctx: RuleContext) -> Tensor:
    """Set elements outside a band to 0; the band must lie inside the matrices, whose shape stays."""
    x = ctx.input(0, least=2)
    require_shape(ctx, (1, 2), (), DIAGONAL_COUNTS_ONE_NUMBER_EACH)
    for index, axis, side in ((1, -2, "lower"), (2, -1, "upper")):
        count = first(ctx, index)
        if count is not None:
            ctx.require_at_least(x[axis], count, SIDE_DIAGONALS_IN_MATRIX.of(side=side))
    return ctx.tensor(x.dims)


@rule("Diag", "MatrixDiag", domain=DOMAIN)
def diagonal(ctx: RuleContext) -> Tensor:
    """Put a tensor on a diagonal: `[m, n] -> [m, n, m, n]`, or for `MatrixDiag` only its last axis: `[m, n, n]`."""
    x = ctx.input(0, least=1)
    return ctx.tensor([*x.dims, *(x.dims if ctx.node.op == "Diag" else x.dims[-1:])])


RANK_EVEN_AND_POSITIVE = laws.SM303.law("the rank is even and positive, not {rank}")
SECOND_HALF_REPEATS_FIRST = laws.SM107.law("the second half of the sizes repeats the first")


@rule("DiagPart", domain=DOMAIN)
def diagonal_part(ctx: RuleContext) -> Tensor:
    """Return the diagonal of a tensor whose sizes repeat in its second half: `[m, n, m, n] -> [m, n]`."""
    x = ctx.input(0)
    half = x.rank // 2
    ctx.check(x.rank == 2 * half > 0, RANK_EVEN_AND_POSITIVE.of(rank=x.rank))
    require_same(ctx, x.dims, x.dims[half:], SECOND_HALF_REPEATS_FIRST)
    return ctx.tensor(x.dims[:half])


@rule("MatrixDiagPart", domain=DOMAIN)
def matrix_diag_part(ctx: RuleContext) -> Tensor:
    """Return the diagonals of matrices: `[..., m, n] -> [..., min(m, n)]`."""
    x = ctx.input(0, least=2)
    return ctx.tensor([*x.dims[:-2], minimum(x[-2], x[-1])])


DIAGONAL_IS_THAT_OF_MATRICES = laws.SM107.law("the diagonal is that of the matrices")


@rule("MatrixSetDiag", domain=DOMAIN)
def matrix_set_diag(ctx: RuleContext) -> Tensor:
    """Replace the diagonals `[..., min(m, n)]` of matrices `[..., m, n]`."""
    x, law = ctx.input(0, least=2), DIAGONAL_IS_THAT_OF_MATRICES
    ctx.require_agree(ctx.input(1), ctx.tensor([*x.dims[:-2], minimum(x[-2], x[-1])]), law=law)
    return ctx.tensor(x.dims)


DIAGONALS_NUMBER_OR_LOWEST_AND_HIGHEST = laws.SM401.law("the diagonals are one number, or the lowest and the highest")
DIAGONALS_NUMBER_OR_LIST_OF_TWO = laws.SM401.law("the diagonals are one number, or a list of two")
LOWEST_DIAGONAL_BELOW_HIGHEST = laws.SM301.law("the lowest diagonal is no higher than the highest")


def diagonals(ctx: RuleContext, index: int) -> tuple[int, int] | None:
    """Return the lowest and highest diagonal from input `index`, with 0 for the main one; None if unknown."""
    offsets = constants_of(ctx, index, "the diagonals")
    ctx.check(offsets is None or 1 <= len(offsets) <= 2, DIAGONALS_NUMBER_OR_LOWEST_AND_HIGHEST)
    ctx.check(ctx.input(index).rank <= 1, DIAGONALS_NUMBER_OR_LIST_OF_TWO)
    if offsets is None:
        return None
    ctx.check(offsets[0] <= offsets[-1], LOWEST_DIAGONAL_BELOW_HIGHEST)
    return offsets[0], offsets[-1]


@rule("MatrixDiagPartV2", "MatrixDiagPartV3", domain=DOMAIN)
def band(ctx: RuleContext) -> Tensor:
    """Return the diagonals `lo..hi` of `[..., m, n]`, padded to the length of the longest."""
    ends, x = diagonals(ctx, 1), ctx.input(0, least=2)
    require_numbers(ctx, 2)
    return ctx.tensor(None) if ends is None else _band(ctx, x, *ends)


DIAGONALS_IN_MATRIX = laws.SM301.law("the diagonals are those of the matrix")


def _band(ctx: RuleContext, x: Tensor, low: int, high: int) -> Tensor:
    """Return the diagonals `low..high` of matrices, and require that they are inside them."""
    for k in (low, high):
        inside = at_least(x[-1], k + 1) if k > 0 else at_least(x[-2], 1 - k) if k < 0 else at_least(0, 0)
        ctx.require(inside, DIAGONALS_IN_MATRIX, k)
    longest = minimum(x[-2] + min(high, 0), x[-1] - max(low, 0))
    count = [high - low + 1] if high > low else []
    return ctx.tensor([*x.dims[:-2], *count, longest])


DIAGONALS_SHAPED_AS_THOSE_OF_MATRICES = laws.SM107.law("the diagonals have the shape of those of the matrices")


@rule("MatrixSetDiagV2", "MatrixSetDiagV3", domain=DOMAIN)
def set_band(ctx: RuleContext) -> Tensor:
    """Replace the diagonals `lo..hi` of matrices by those of an input, which has the shape that `band` returns."""
    ends, x = diagonals(ctx, 2), ctx.input(0, least=2)
    if ends is not None:
        ctx.require_agree(ctx.input(1), _band(ctx, x, *ends), law=DIAGONALS_SHAPED_AS_THOSE_OF_MATRICES)
    return ctx.tensor(x.dims)


ROW_PER_DIAGONAL = laws.SM116.law("there is a row for each diagonal")


@rule("MatrixDiagV2", "MatrixDiagV3", domain=DOMAIN)
def from_band(ctx: RuleContext) -> Tensor:
    """Return matrices with the diagonals `lo..hi`, of the requested sizes, or as small as possible."""
    x, ends = ctx.input(0), diagonals(ctx, 1)
    require_numbers(ctx, 2, 3, 4)
    if ends is None:
        return ctx.tensor(None)
    low, high = ends
    many = int(high > low)
    ctx.require_rank(x, 1 + many, least=True)
    if many:
        ctx.require_equal(x[-2], high - low + 1, ROW_PER_DIAGONAL)
    return ctx.tensor([*x.dims[: -1 - many], *_sides(ctx, x[-1] - min(high, 0), x[-1] + max(low, 0))])


MATRIX_AS_LARGE_AS_DIAGONALS = laws.SM107.law("the matrix is as large as its diagonals need")


def _sides(ctx: RuleContext, rows: Dim, columns: Dim) -> list[Dim]:
    """Return the output's rows and columns, at least these minimums and one of them equal; -1 requests the minimum.

    Rows or columns must be the minimum that the diagonals need.
    """
    requested = [first(ctx, i) for i in (2, 3)]
    if all(d is not None and d.constant == -1 for d in requested):
        return [maximum(rows, columns)] * 2
    sides = complete_sizes(
        ctx,
        [n if d is not None and d.constant == -1 else d for d, n in zip(requested, (rows, columns), strict=True)],
    )
    law = MATRIX_AS_LARGE_AS_DIAGONALS
    for size, least in zip(sides, (rows, columns), strict=True):
        ctx.require_at_least(size, least, law)
    ctx.require(any_of(equal(sides[0], rows), equal(sides[1], columns)), law)
    return sides


# Decompositions


@rule(
    "Cholesky",
    "MatrixExponential",
    "MatrixInverse",
    "MatrixLogarithm",
    "MatrixSquareRoot",
    domain=DOMAIN,
    follows=apart_from(lambda _, x: {x.rank - 2, x.rank - 1}),
)
def square(ctx: RuleContext) -> Tensor:
    """Compute a function of square matrices; the shape is unchanged."""
    x = ctx.input(0, least=2)
    ctx.require_equal(x[-2], x[-1], laws.MATRICES_SQUARE)
    return ctx.tensor(x.dims)


@rule("MatrixDeterminant", "LogMatrixDeterminant", domain=DOMAIN)
def determinant(ctx: RuleContext) -> list[Tensor]:
    """Return a determinant for each square matrix, or its sign and logarithm."""
    return [result(ctx, "Det", ctx.input(0))] * 2


@rule("Lu", domain=DOMAIN)
def lu(ctx: RuleContext) -> list[Tensor]:
    """Return both triangles in one matrix, and the permutation of its rows."""
    x = square(ctx)
    return [x, ctx.tensor(x.dims[:-1], ctx.text("output_idx_type", "int32"))]


@rule("MatrixSolve", "MatrixTriangularSolve", domain=DOMAIN)
def solve(ctx: RuleContext) -> Tensor:
    """Solve systems: `[..., m, m]` and right sides `[..., m, k]` -> solutions `[..., m, k]`."""
    a, b = ctx.input(0, least=2), ctx.input(1, least=2)
    ctx.require_equal(a[-2], a[-1], laws.MATRICES_SQUARE)
    ctx.require_equal(a[-2], b[-2], laws.RIGHT_SIDES_HAVE_ROWS_OF_MATRICES)
    if ctx.node.op == "MatrixSolve":
        ctx.require_agree(ctx.tensor(a.dims[:-2]), ctx.tensor(b.dims[:-2]), law=laws.OPERANDS_SAME_BATCH_AXES)
    return ctx.tensor([*ctx.broadcast(a.dims[:-2], b.dims[:-2]), *b.dims[-2:]])


@rule("Svd", domain=DOMAIN)
def svd(ctx: RuleContext) -> list[Tensor]:
    """Decompose `[..., m, n]` to singular values `[..., p]` and the vectors of both sides, p = min(m, n)."""
    x = ctx.input(0, least=2)
    batch, (m, n), p = x.dims[:-2], x.dims[-2:], minimum(x[-2], x[-1])
    whole = bool(ctx.integer("full_matrices", 0))
    sides = [(*batch, m, m if whole else p), (*batch, n, n if whole else p)]
    vectors = sides if ctx.integer("compute_uv", 1) else [None, None]
    return [ctx.tensor([*batch, p]), *map(ctx.tensor, vectors)]


@rule("Eig", "SelfAdjointEigV2", domain=DOMAIN)
def eigenvalues(ctx: RuleContext) -> list[Tensor]:
    """Return the eigenvalues `[..., n]` and the eigenvectors of square matrices."""
    x = ctx.input(0, least=2)
    ctx.require_equal(x[-2], x[-1], laws.MATRICES_SQUARE)
    dtype = ctx.text("Tout", x.dtype)
    return [ctx.tensor(x.dims[:-1], dtype), ctx.tensor(x.dims if ctx.integer("compute_v", 1) else None, dtype)]


@rule("Qr", domain=DOMAIN)
def qr(ctx: RuleContext) -> list[Tensor]:
    """Decompose `[..., m, n]` to orthogonal and triangular matrices."""
    x = ctx.input(0, least=2)
    batch, (m, n) = x.dims[:-2], x.dims[-2:]
    p = m if ctx.integer("full_matrices", 0) else minimum(m, n)
    return [ctx.tensor([*batch, m, p]), ctx.tensor([*batch, p, n])]


REGULARIZER_NOT_NEGATIVE = laws.SM309.law("the regularizer isn't negative")


@rule("MatrixSolveLs", domain=DOMAIN)
def solve_least_squares(ctx: RuleContext) -> Tensor:
    """Solve systems by least squares: `[..., m, n]` and right sides `[..., m, k]` -> `[..., n, k]`."""
    a, b = ctx.input(0, least=2), ctx.input(1, least=2)
    require_numbers(ctx, 2)
    for regularizer in numbers(ctx, 2):
        require_order(ctx, 0, regularizer, REGULARIZER_NOT_NEGATIVE)
    ctx.require_equal(a[-2], b[-2], laws.RIGHT_SIDES_HAVE_ROWS_OF_MATRICES)
    ctx.require_agree(ctx.tensor(a.dims[:-2]), ctx.tensor(b.dims[:-2]), law=laws.OPERANDS_SAME_BATCH_AXES)
    return ctx.tensor([*a.dims[:-2], a[-1], b[-1]])


THREE_DIAGONALS = laws.SM401.law("there are three diagonals")


@rule("TridiagonalSolve", domain=DOMAIN)
def solve_tridiagonal(ctx: RuleContext) -> Tensor:
    """Solve systems of three diagonals `[..., 3, m]` with right sides `[..., m, k]`: solutions `[..., m, k]`."""
    a, b = ctx.input(0, least=2), ctx.input(1, least=2)
    ctx.require_equal(a[-2], 3, THREE_DIAGONALS)
    ctx.require_equal(a[-1], b[-2], laws.RIGHT_SIDES_HAVE_ROWS_OF_MATRICES)
    ctx.require_agree(ctx.tensor(a.dims[:-2]), ctx.tensor(b.dims[:-2]), law=laws.OPERANDS_SAME_BATCH_AXES)
    return ctx.tensor(b.dims)


# Fourier transforms


@rule("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D", domain=DOMAIN)
def fourier(ctx: RuleContext) -> Tensor:
    """Compute the Fourier transform along the last axes; the shape is unchanged."""
    x = ctx.input(0)
    ctx.require_rank(x, _transformed(ctx), least=True)
    return ctx.tensor(x.dims)


def _transformed(ctx: RuleContext) -> int:
    """Return the number of transformed axes."""
    return 3 if "3D" in ctx.node.op else 2 if "2D" in ctx.node.op else 1


@rule("RFFT", "RFFT2D", "RFFT3D", domain=DOMAIN)
def real_fourier(ctx: RuleContext) -> Tensor:
    """Transform real numbers, cut to the lengths n in an input; the last axis gets `n // 2 + 1` frequencies."""
    lengths = _lengths(ctx)
    half = select(equal(lengths[-1], 0), 0, lengths[-1] // 2 + 1)
    kept = ctx.input(0).dims[: -len(lengths)]
    return ctx.tensor([*kept, *lengths[:-1], half], ctx.text("Tcomplex", "complex64"))


@rule("IRFFT", "IRFFT2D", "IRFFT3D", domain=DOMAIN)
def inverse_real_fourier(ctx: RuleContext) -> Tensor:
    """Transform back to real numbers; the transformed axes get the lengths in an input."""
    lengths = _lengths(ctx)
    return ctx.tensor([*ctx.input(0).dims[: -len(lengths)], *lengths], ctx.text("Treal", "float32"))


LENGTHS_NOT_NEGATIVE = laws.SM309.law("lengths are not negative")
LAST_LENGTH_POSITIVE = laws.SM204.law("the last length is positive")
INPUT_HAS_TRANSFORMED_LENGTHS = laws.SM207.law("the input has the lengths that are transformed")


def _lengths(ctx: RuleContext) -> list[Dim]:
    """Return the lengths of the transformed axes, and require that the input is at least as long."""
    x, count, op = ctx.input(0), _transformed(ctx), ctx.node.op
    ctx.require_rank(x, count, least=True)
    lengths = complete_sizes(ctx, ctx.sizes(1, count, "lengths"))
    require_least(ctx, lengths, 0, LENGTHS_NOT_NEGATIVE)
    ctx.require(any_of(at_least(lengths[-1], 1), equal(x.numel, 0)), LAST_LENGTH_POSITIVE, lengths[-1])
    for i, (d, n) in enumerate(zip(x.dims[-count:], lengths, strict=True)):
        needed = n // 2 + 1 if op.startswith("I") and i == count - 1 else n
        enough = any_of(equal(d, 0), at_least(d, needed))
        ctx.require(enough, INPUT_HAS_TRANSFORMED_LENGTHS, needed, d)
    return lengths
