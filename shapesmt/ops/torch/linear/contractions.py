"""Contractions: einsum and tensordot."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.ops.math.linear import joint_sizes, parse_equation, spelt
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import Tensor, tensor


def _names(count: int) -> list[str]:
    """Return names for the axes that an ellipsis stands for."""
    return [f"...{i}" for i in range(count, 0, -1)]


@operator("einsum.default")
def einsum(call: Call) -> Tensor:
    """Contract by an equation: equal letters have equal sizes, or 1; `...` are any axes, aligned from the right."""
    ctx, operands = call.ctx, [x for x in call.tensors("tensors") if x is not None]
    terms, result = parse_equation(call.text("equation"))
    ctx.check(len(terms) == len(operands), laws.EQUATION_TERM_PER_INPUT)
    hidden = [max(x.rank - len(term) + 1, 0) * ("..." in term) for term, x in zip(terms, operands, strict=True)]
    sizes = joint_sizes(ctx, [spelt(*pair) for pair in zip(terms, map(_names, hidden), strict=True)], operands)
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
