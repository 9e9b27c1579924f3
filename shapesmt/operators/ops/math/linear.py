"""Linear algebra: matrix products, contractions and determinants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import prod
from operator import mul

from shapesmt.network import laws
from shapesmt.network.graph import Runtime
from shapesmt.operators.ops.math.elementwise import combine
from shapesmt.operators.ops.math.reduction import fold_elements
from shapesmt.operators.ops.shared.fields import concrete
from shapesmt.operators.ops.shared.follows import apart_from, product_axes
from shapesmt.operators.ops.shared.require import require_broadcast_to
from shapesmt.operators.rules import (
    MAX_ELEMENTS,
    Elements,
    Follows,
    Keeps,
    Letters,
    RuleContext,
    Shape,
    Tensor,
    Traits,
    Value,
    from_array,
    rule,
    tensor,
)
from shapesmt.prover.algebra import FALSE, ONE, TRUE, Dim, Formula, all_of, any_of, at_least, differs, equal

# Matrix products


EMPTY_BATCH_MEETS_EMPTY_BATCH = laws.SM102.law("an empty batch meets an empty batch")


def matrix_product(ctx: RuleContext, a: Tensor, b: Tensor, *, turned: bool = False) -> Shape:
    """Return the shape of `[..., M, K] x [..., K, N]`; a vector is a row on the left and a column on the right.

    `turned`: the left operand is a transposed view, so that a runtime can't merge its batch and rows into one axis.
    """
    ctx.check(a.rank > 0 and b.rank > 0, laws.PRODUCT_OPERANDS_NOT_SCALAR)
    ctx.require_equal(a[-1], b.dims[-2:][0], laws.INNER_SIZES_EQUAL)
    batch = ctx.broadcast(a.dims[:-2], b.dims[:-2], law=laws.BATCH_SIZES_BROADCAST)
    if ctx.runtime is Runtime.ONNX and any(d.lo < 1 for d in a.dims[:-1] + b.dims[:-2]):
        needed = [stated for stated in _met_batches(a, b, turned=turned) if stated[0] is not TRUE]
        for formula, *sides in needed if needed and not ctx.since((1, 32)) else ():
            ctx.require(formula, EMPTY_BATCH_MEETS_EMPTY_BATCH, *sides)
    return batch + a.dims[-2:-1] + (b.dims[-1:] if b.rank > 1 else ())


def _met_batches(a: Tensor, b: Tensor, *, turned: bool) -> Iterator[tuple[Formula, Dim] | tuple[Formula, Dim, Dim]]:
    """Yield ONNX Runtime 1.31's requirements on empty operands: a batch of one doesn't broadcast to an empty one."""
    plain = all_of(*(equal(d, 1) for d in b.dims[:-2])) if a.rank >= b.rank > 1 and not turned else FALSE
    for x, y in zip(a.dims[:-2][::-1], b.dims[:-2][::-1], strict=False):
        yield any_of(at_least(y, 1), differs(x, 1)), x, y
        yield any_of(at_least(x, 1), differs(y, 1), plain), x, y
    for x in a.dims[: max(a.rank - b.rank, 0)]:
        yield any_of(at_least(x, 1), plain), x
    for y in b.dims[: max(b.rank - max(a.rank, 2), 0)]:
        yield at_least(y, 1), y


def gemm_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """`[m, k] x [k, n] + [m, n]`, or with transposed matrices."""
    left: Letters = (None, "m") if ctx.flag("transA") else ("m", None)
    right: Letters = ("n", None) if ctx.flag("transB") else (None, "n")
    bias = ctx.input(2) if ctx.has(2) else None
    added = ("m", "n")[2 - bias.rank :] if bias is not None and bias.rank <= 2 else ()
    return Follows((left, right, added), (("m", "n"),) * len(outputs))


def einsum_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Letters that the output lacks are summed."""
    terms, result = parse_equation(ctx.text("equation"))
    operands = [ctx.input(i) for i in range(len(ctx.inputs))]
    ranks = [x.rank - len(term) + 1 for term, x in zip(terms, operands, strict=True)]
    pairs = [*zip(terms, ranks, strict=True)]
    spelled = [expand_ellipsis(term, [f"...{i}" for i in range(rank, 0, -1)]) for term, rank in pairs]
    most = max((rank for term, rank in pairs if "..." in term), default=0)
    letters = expand_ellipsis(result, [f"...{i}" for i in range(most, 0, -1)])
    reads = tuple(tuple(letter if letter in letters else None for letter in term) for term in spelled)
    return Follows(reads, (tuple(letters),) * len(outputs))


@rule("MatMul", traits=Traits.MIXED, follows=product_axes)
def matmul(ctx: RuleContext) -> Tensor:
    """Multiply matrices: `[..., M, K] x [..., K, N] -> [..., M, N]` with broadcast batch axes."""
    a, b = ctx.input(0), ctx.input(1)
    shape = matrix_product(ctx, a, b)
    if a.value is None or b.value is None:
        return ctx.tensor(shape)
    batch = [str(i) for i in range(max(a.rank, b.rank) - 2)]
    left = [*batch, "row", "inner"][-a.rank :]
    right = [*batch, "inner", "column"][-b.rank :] if b.rank > 1 else ["inner"]
    out = [*batch, *["row"] * (a.rank > 1), *["column"] * (b.rank > 1)]
    sizes = {**dict(zip(out, shape, strict=True)), "inner": a[-1]}
    return ctx.tensor(shape, value=contract([(a, left), (b, right)], sizes, out))


def contract(
    terms: Sequence[tuple[Tensor, Sequence[str]]], sizes: Mapping[str, Dim], out: Sequence[str]
) -> Value | None:
    """Return the elements of an einsum; None if an operand's elements aren't listed.

    Each term is a tensor with a letter per axis; `sizes` has each letter's size. Letters that `out` lacks are summed.
    """
    every = [*out, *(letter for letter in sizes if letter not in out)]
    shape = tuple(sizes[letter] for letter in every)
    numbers, dtype = concrete(shape), terms[0][0].dtype
    known = all(isinstance(t.value, Elements) and len({*letters}) == len(letters) for t, letters in terms)
    if not known or numbers is None or prod(numbers) > MAX_ELEMENTS:
        return None
    joint, *factors = (_align(t, letters, every) for t, letters in terms)
    for factor in factors:
        joint = tensor(dtype, shape, combine(mul, (joint, factor), shape, dtype))
    return fold_elements("ReduceSum", joint, tuple(range(len(out), len(every))), keep=False)


def _align(t: Tensor, letters: Sequence[str], every: Sequence[str]) -> Tensor:
    """Transpose a tensor to the axis order `every`, with an axis of size 1 for each letter that it doesn't have."""
    assert isinstance(t.value, Elements)
    order = [letters.index(letter) for letter in every if letter in letters]
    sizes = [t.value.shape[letters.index(letter)] if letter in letters else 1 for letter in every]
    return tensor(t.dtype, sizes, from_array(t.value.array.transpose(order).reshape(sizes)))


@rule("Gemm", traits=Traits.MIXED, follows=gemm_axes)
def gemm(ctx: RuleContext) -> Tensor:
    """Compute `[M, K] x [K, N] + C -> [M, N]`; `C` broadcasts to the result."""
    a, b = ctx.input(0, rank=2), ctx.input(1, rank=2)
    m, inner = a.dims[::-1] if ctx.flag("transA") else a.dims
    k, n = b.dims[::-1] if ctx.flag("transB") else b.dims
    ctx.require_equal(inner, k, laws.INNER_SIZES_EQUAL)
    if ctx.has(2):
        require_broadcast_to(ctx, ctx.input(2), (m, n), laws.BIAS_BROADCASTS_TO_PRODUCT)
    return ctx.tensor((m, n))


@rule("MatMulInteger", dtype="int32", traits=Traits.MIXED, follows=product_axes)
def matmul_integer(ctx: RuleContext) -> Tensor:
    """Multiply quantized matrices; each has one zero point, but the second may have one per column."""
    a, b = ctx.input(0), ctx.input(1)
    shape = matrix_product(ctx, a, b)
    if ctx.has(2):
        require_one(ctx, 2, laws.FIRST_OPERAND_HAS_ONE_SCALE_AND_ZERO_POINT)
    if ctx.has(3):
        require_per_column(ctx, ctx.input(3), b)
    return ctx.tensor(shape, "int32")


@rule("QLinearMatMul", traits=Traits(Keeps.MIXED, operands=(0, 3)), follows=partial(product_axes, right=3))
def quantized_matmul(ctx: RuleContext) -> Tensor:
    """Multiply quantized matrices; scales and zero points are single, or one per column of the second operand."""
    a, b = ctx.input(0), ctx.input(3)
    shape = matrix_product(ctx, a, b)
    first, output = laws.FIRST_OPERAND_HAS_ONE_SCALE_AND_ZERO_POINT, laws.OUTPUT_HAS_ONE_SCALE_AND_ZERO_POINT
    for index, law in ((1, first), (2, first), (6, output), (7, output)):
        require_one(ctx, index, law)
    for index in (4, 5):
        require_per_column(ctx, ctx.input(index), b)
    return ctx.tensor(shape, ctx.input(7).dtype)


def require_one(ctx: RuleContext, index: int, law: laws.Law) -> None:
    """Require that a scale or zero point is a scalar or a vector of one; ONNX allows more, ONNX Runtime doesn't."""
    ctx.check(ctx.input(index).rank <= 1, law)
    ctx.require_equal(ctx.input(index).numel, 1, law)


def require_per_column(ctx: RuleContext, parameter: Tensor, operand: Tensor, *, any_rank: bool = False) -> None:
    """Require that a scale or zero point is single, or has one element per column of `operand`.

    A single one has to be a scalar or a vector unless `any_rank`.
    """
    fitting: list[Formula] = [equal(parameter.numel, 1)] if any_rank or parameter.rank <= 1 else []
    if parameter.rank == 1 and operand.rank == 2:
        fitting.append(equal(parameter[0], operand[-1]))
    elif parameter.rank == operand.rank > 1:
        fitting.append(all_of(*map(equal, parameter.dims, operand.replace(-2, 1).dims)))
    ctx.require(any_of(*fitting), laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN, parameter.numel, operand.dims[-1:][0])


def transpose_dims(x: Tensor, flag: int) -> Shape:
    """Return the shape of a matrix, or of its transpose if the flag is set; a vector stays."""
    return (*x.dims[:-2], x[-1], x[-2]) if flag and x.rank > 1 else x.dims


@rule("Det", follows=apart_from(lambda _, x: {x.rank - 2, x.rank - 1}))
def determinant(ctx: RuleContext) -> Tensor:
    """Compute determinants: `[..., M, M] -> [...]`."""
    x = ctx.input(0, least=2)
    ctx.require_equal(x[-2], x[-1], laws.MATRICES_SQUARE)
    return ctx.tensor(x.dims[:-2])


# Contractions


ELLIPSIS_SAME_AXES_EVERYWHERE = laws.SM308.law("an ellipsis stands for the same number of axes everywhere")
OUTPUT_ELLIPSIS_AS_INPUTS = laws.SM308.law("the output has an ellipsis as the inputs do")


@rule("Einsum", traits=Traits.MIXED, follows=einsum_axes)
def einsum(ctx: RuleContext) -> Tensor:
    """Contract inputs by an equation: each letter is one size (or 1), `...` the axes that broadcast."""
    terms, result = parse_equation(ctx.text("equation"))
    operands = einsum_operands(ctx, terms)
    ranks = {x.rank - len(term) + 1 for term, x in zip(terms, operands, strict=True) if "..." in term}
    ctx.check(len(ranks) <= 1, ELLIPSIS_SAME_AXES_EVERYWHERE)
    hidden = [f"...{i}" for i in range(max(ranks, default=0))]
    spelled = [expand_ellipsis(term, hidden) for term in terms]
    sizes = joint_sizes(ctx, spelled, operands)
    letters = expand_ellipsis(result, hidden)
    ctx.check(sizes.keys() >= set(letters), laws.OUTPUT_LETTERS_AMONG_INPUTS)
    ctx.check(len(set(letters)) == len(letters), laws.OUTPUT_LETTERS_ONCE)
    ctx.check(set(hidden) <= set(letters), OUTPUT_ELLIPSIS_AS_INPUTS)
    value = contract(list(zip(operands, spelled, strict=True)), sizes, letters)
    return ctx.tensor([sizes[letter] for letter in letters], value=value)


def einsum_operands(ctx: RuleContext, terms: list[list[str]]) -> list[Tensor]:
    """Return the inputs; require a term for each, and as many axes as letters if it has no ellipsis."""
    operands = [ctx.input(i) for i in range(len(ctx.inputs))]
    ctx.check(len(terms) == len(operands), laws.EQUATION_TERM_PER_INPUT)
    for term, x in zip(terms, operands, strict=True):
        if x.shape is None and "..." not in term:
            ctx.require_rank(x, len(term))
    return operands


EQUATION_TERM_LETTER_PER_AXIS = laws.SM308.law("the term '{term}' has a letter for each of {rank} axes")


def joint_sizes(ctx: RuleContext, terms: list[list[str]], operands: list[Tensor]) -> dict[str, Dim]:
    """Return the size of each letter over all inputs, which broadcast; a repeated letter is a diagonal."""
    sizes: dict[str, Dim] = {}
    for term, x in zip(terms, operands, strict=True):
        ctx.check(len(term) == x.rank, EQUATION_TERM_LETTER_PER_AXIS.of(term="".join(term), rank=x.rank))
        for letter, d in _diagonal_sizes(ctx, term, x).items():
            law = laws.LETTER_SIZES_BROADCAST.of(letter=letter[0])
            sizes[letter] = ctx.broadcast_sizes(sizes.get(letter, ONE), d, law)
    return sizes


def _diagonal_sizes(ctx: RuleContext, letters: list[str], x: Tensor) -> dict[str, Dim]:
    """Return the size of each letter in one input; a repeated letter is a diagonal."""
    sizes: dict[str, Dim] = {}
    for letter, d in zip(letters, x.dims, strict=True):
        ctx.require_equal(sizes.setdefault(letter, d), d, laws.DIAGONAL_SIZES_EQUAL)
    return sizes


def parse_equation(text: str) -> tuple[list[list[str]], list[str]]:
    """Split an einsum equation into the inputs' terms and the output's, by default the letters that occur once, sorted.

    >>> parse_equation("...ij, jk")
    ([['...', 'i', 'j'], ['j', 'k']], ['...', 'i', 'k'])
    """
    left, arrow, right = text.replace(" ", "").partition("->")
    if not arrow:
        letters = left.replace(".", "").replace(",", "")
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in letters if letters.count(c) == 1))
    return [split_term(term) for term in left.split(",")], split_term(right)


def split_term(term: str) -> list[str]:
    """Split a term into letters, `...` counting as one."""
    head, dots, tail = term.partition("...")
    return [*head, *([dots] if dots else []), *tail]


def expand_ellipsis(term: list[str], hidden: list[str]) -> list[str]:
    """Return the letters of a term with its ellipsis replaced by the letters `hidden`."""
    return [letter for part in term for letter in (hidden if part == "..." else [part])]
