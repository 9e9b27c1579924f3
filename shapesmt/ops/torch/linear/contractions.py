"""Contractions: einsum and tensordot."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import ONE, Dim
from shapesmt.ops.math.linear import diagonal_sizes, parse_equation, spelt
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import RuleContext, Tensor, tensor


def _names(count: int) -> list[str]:
    """Return names for the axes that an ellipsis stands for."""
    return [f"...{i}" for i in range(count, 0, -1)]


def _joint(ctx: RuleContext, terms: list[list[str]], operands: list[Tensor]) -> dict[str, Dim]:
    """Return the size of each letter over all operands, which broadcast."""
    sizes: dict[str, Dim] = {}
    for term, x in zip(terms, operands, strict=True):
        ctx.check(len(term) == x.rank, laws.EQUATION_TERM_LETTER_PER_AXIS.of(term="".join(term), rank=x.rank))
        for letter, d in diagonal_sizes(ctx, term, x).items():
            law = laws.LETTER_SIZES_BROADCAST.of(letter=letter[0])
            sizes[letter] = ctx.broadcast_sizes(sizes.get(letter, ONE), d, law)
    return sizes


@operator("einsum.default")
def einsum(call: Call) -> Tensor:
    """Contract by an equation: equal letters have equal sizes, or 1; `...` are any axes, aligned from the right."""
    ctx, operands = call.ctx, [x for x in call.tensors("tensors") if x is not None]
    terms, result = parse_equation(call.text("equation"))
    ctx.check(len(terms) == len(operands), laws.EQUATION_TERM_PER_INPUT)
    hidden = [max(x.rank - len(term) + 1, 0) * ("..." in term) for term, x in zip(terms, operands, strict=True)]
    sizes = _joint(ctx, [spelt(*pair) for pair in zip(terms, map(_names, hidden), strict=True)], operands)
    letters = spelt(result, _names(max(hidden)))
    ctx.check(sizes.keys() >= set(letters), laws.OUTPUT_LETTERS_AMONG_INPUTS)
    ctx.check(len(set(letters)) == len(letters), laws.OUTPUT_LETTERS_ONCE)
    return tensor(operands[0].dtype, [sizes[letter] for letter in letters])


@operator("tensordot.default")
def tensordot(call: Call) -> Tensor:
    """Sum over pairs of axes, whose sizes are equal or 1; keep the other axes of both operands."""
    ctx, a, b = call.ctx, call.tensor("self"), call.tensor("other")
    first, second = ctx.normals(call.integers("dims_self"), a.rank), ctx.normals(call.integers("dims_other"), b.rank)
    ctx.check(len(first) == len(second), laws.AXES_AS_MANY_IN_BOTH)
    for i, j in zip(first, second, strict=True):
        ctx.broadcast_sizes(a[i], b[j], laws.INNER_SIZES_EQUAL)
    left = [d for i, d in enumerate(a.dims) if i not in first]
    return tensor(a.dtype, [*left, *(d for j, d in enumerate(b.dims) if j not in second)])
