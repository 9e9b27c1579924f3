"""Products of matrices and vectors, optionally added to a tensor, and contractions by equations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shapesmt.network import laws
from shapesmt.operators.ops.math.linear import expand_ellipsis, joint_sizes, parse_equation
from shapesmt.operators.ops.shared.follows import product_axes, row_wise
from shapesmt.operators.ops.shared.require import require_broadcast_to, require_least, require_ranks, require_same
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import FLOAT, kind, require_one_kind
from shapesmt.operators.ops.torch.elementwise.single import base
from shapesmt.operators.ops.torch.following import added_product
from shapesmt.operators.rules import Follows, Letters, RuleContext, Shape, Tensor, Traits, tensor
from shapesmt.prover.algebra import ONE, all_of, any_of, as_dim, differs, equal, select


def product_of(ctx: RuleContext, a: Tensor, b: Tensor) -> Shape:
    """Return the shape of `[..., m, k] x [..., k, n]`; a vector is a row on the left and a column on the right."""
    ctx.check(a.rank > 0 and b.rank > 0, laws.PRODUCT_OPERANDS_NOT_SCALAR)
    ctx.require_equal(a[-1], b.dims[-2:][0], laws.INNER_SIZES_EQUAL)
    batch = ctx.broadcast(a.dims[:-2], b.dims[:-2], law=laws.BATCH_SIZES_BROADCAST)
    return (*batch, *a.dims[-2:-1], *(b.dims[-1:] if b.rank > 1 else ()))


def strict_product(call: Call, names: Sequence[str], ranks: Sequence[int]) -> Shape:
    """Return the shape of the product of two arguments of exactly these ranks, whose batches are equal."""
    ctx, (a, b) = call.ctx, map(call.tensor, names, ranks)
    require_one_kind(call, a, b)
    ctx.require_equal(a[-1], b.dims[-2:][0], laws.INNER_SIZES_EQUAL)
    require_same(ctx, a.dims[:-2], b.dims[:-2], laws.OPERANDS_SAME_BATCH_AXES)
    return (*a.dims[:-1], *(b.dims[-1:] if b.rank > 1 else ()))


def add_product(call: Call, product: Shape) -> Tensor:
    """Return `self` plus a product of shape `product`, to which `self` broadcasts; in place, `self` must have it."""
    x = call.tensor("self")
    require_broadcast_to(call.ctx, x, product, laws.BIAS_BROADCASTS_TO_PRODUCT)
    if call.ctx.node.op.split(".")[1].endswith("_"):
        call.ctx.require_agree(x, tensor(x.dtype, product), law=laws.CHANGED_SHAPED_AS_RESULT)
    return tensor(x.dtype, product)


@operator("matmul.default", "linalg_matmul.default", memory="new", traits=Traits.MIXED, follows=product_axes)
def matmul(call: Call) -> Tensor:
    """Multiply matrices: `[..., m, k] x [..., k, n] -> [..., m, n]`; batches broadcast."""
    a = call.tensor("self")
    return tensor(a.dtype, product_of(call.ctx, a, call.tensor("other")))


RANKS = {"mm": (2, 2), "_int_mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1), "vdot": (1, 1)}
"""The ranks of both operands of a product."""


@operator("mm.default", "_int_mm.default", "bmm.default", memory="new", traits=Traits.MIXED, follows=product_axes)
@operator("mv.default", "dot.default", "vdot.default", traits=Traits.MIXED, follows=product_axes)
def product(call: Call) -> Tensor:
    """Multiply matrices, batches of them, or vectors: `[m, k] x [k, n] -> [m, n]`, `[m, k] x [k] -> [m]`."""
    name, first, second = base(call), *(call.tensor(name) for name in call.names[:2])
    if "dot" in name:
        call.ctx.check("" in (first.dtype, second.dtype) or first.dtype == second.dtype, laws.OPERANDS_ONE_TYPE)
    return tensor("" if "int" in name else first.dtype, strict_product(call, call.names[:2], RANKS[name]))


@operator("outer.default", "ger.default")
def outer(call: Call) -> Tensor:
    """Return the outer product: `[m] x [n] -> [m, n]`."""
    a, b = call.tensor("self", 1), call.tensor("vec2", 1)
    return tensor("", [a[0], b[0]])


@operator("addmm_.default", "baddbmm_.default", "addbmm.default", "addbmm_.default", follows=added_product)
@operator("addmm.default", "_addmm_activation.default", "baddbmm.default", memory="new", follows=added_product)
def addmm(call: Call) -> Tensor:
    """Multiply matrices or batches of them and add: `[m, k] x [k, n] + c -> [m, n]`; `addbmm` sums over the batch."""
    batches = "batch1" in call.names
    product = strict_product(call, call.names[1:3], (3, 3) if batches else (2, 2))
    return add_product(call, product[1:] if base(call) == "addbmm" else product)


@operator("addmv.default", "addmv_.default")
def addmv(call: Call) -> Tensor:
    """Multiply a matrix by a vector and add: `[m, k] x [k] + c -> [m]`; for an empty matrix, `c` keeps its size."""
    x, empty = call.tensor("self"), equal(call.tensor("mat").numel, 0)
    y = add_product(call, strict_product(call, ("mat", "vec"), (2, 1)))
    if not x.rank:
        return tensor(x.dtype, x.dims if call.ctx.holds(empty) else y.dims)
    return tensor(x.dtype, [select(empty, x[0], y[0])])


@operator("addr.default", "addr_.default")
def addr(call: Call) -> Tensor:
    """Return the outer product plus a matrix: `[m] x [n] + c -> [m, n]`."""
    a, b = call.tensor("vec1", 1), call.tensor("vec2", 1)
    return add_product(call, (a[0], b[0]))


WEIGHTS_MATRIX_OR_VECTOR = laws.SM303.law("the weights are a matrix or a vector, not of rank {rank}")


@operator("linear.default", memory="new", follows=row_wise())
def linear(call: Call) -> Tensor:
    """Apply a linear layer: `[..., k]` and weights `[n, k]` -> `[..., n]`; a weight vector `[k]` -> `[...]`."""
    ctx, x, w, bias = call.ctx, call.tensor("input"), call.tensor("weight"), call.optional("bias")
    ctx.check(x.rank > 0 and w.rank in (1, 2), WEIGHTS_MATRIX_OR_VECTOR.of(rank=w.rank))
    require_one_kind(call, x, w)
    ctx.require_equal(x[-1], w[-1], laws.LAST_AXIS_FITS_WEIGHTS)
    shape = (*x.dims[:-1], *w.dims[:-1])
    if bias is not None:
        require_broadcast_to(ctx, bias, shape, laws.BIAS_BROADCASTS_TO_PRODUCT)
    return tensor(x.dtype, shape)


SIZES_AGREE_BUT_LAST = laws.SM107.law("operands have the same shape but for the last axis")


@operator("bilinear.default")
def bilinear(call: Call) -> Tensor:
    """Apply a bilinear layer: `[..., i]`, `[..., j]` and weights `[n, i, j]` -> `[..., n]`."""
    ctx, x, y, w = call.ctx, call.tensor("input1", least=1), call.tensor("input2"), call.tensor("weight", 3)
    ctx.require_agree(x, y, but=x.rank - 1, law=SIZES_AGREE_BUT_LAST)
    ctx.require_equal(x[-1], w[1], laws.LAST_AXIS_FITS_WEIGHTS)
    ctx.require_equal(y[-1], w[2], laws.LAST_AXIS_FITS_WEIGHTS)
    require_least(ctx, w.dims[1:], 1, laws.VECTORS_NOT_EMPTY)
    call.require_vector("bias", w[0], laws.BIAS_PER_FILTER)
    return tensor(x.dtype, [*x.dims[:-1], w[0]])


@operator("inner.default")
def inner(call: Call) -> Tensor:
    """Multiply and sum over the last axes: `[*a, k] x [*b, k] -> [*a, *b]`; a scalar multiplies elementwise."""
    ctx, a, b = call.ctx, call.tensor("self"), call.tensor("other")
    if not a.rank or not b.rank:
        return tensor("", [*a.dims, *b.dims])
    ctx.require_equal(a[-1], b[-1], laws.INNER_SIZES_EQUAL)
    return tensor(a.dtype, [*a.dims[:-1], *b.dims[:-1]])


CHAIN_OF_MATRICES_AND_VECTORS = laws.SM303.law("all are matrices, or vectors")


@operator("linalg_multi_dot.default", "chain_matmul.default")
def multi_dot(call: Call) -> Tensor:
    """Multiply a chain of matrices, which may begin and end with a vector."""
    ctx = call.ctx
    chain = [x for x in call.tensors("tensors" if "multi" in ctx.node.op else "matrices") if x is not None]
    ctx.check(len(chain) > ("multi" in ctx.node.op), laws.AT_LEAST_TWO_TENSORS_TO_JOIN)
    require_ranks(ctx, 2, *chain[1:-1])
    ctx.check(all(x.rank in (1, 2) for x in chain), CHAIN_OF_MATRICES_AND_VECTORS)
    for a, b in pairwise(chain):
        ctx.require_equal(a[-1], b[0], laws.INNER_SIZES_EQUAL)
    return tensor(chain[0].dtype, [*chain[0].dims[:-1], *chain[-1].dims[1:]])


@operator("linalg_vecdot.default")
def vecdot(call: Call) -> Tensor:
    """Multiply operands that broadcast, and sum over an axis."""
    ctx = call.ctx
    a, b = call.tensor("x"), call.tensor("y")
    if a.rank == b.rank == 1:
        ctx.require_equal(a[0], b[0], laws.INNER_SIZES_EQUAL)
    shape = ctx.broadcast(a.dims, b.dims)
    axis = ctx.normal(call.integer("dim"), len(shape))
    return tensor(a.dtype, [*shape[:axis], *shape[axis + 1 :]])


@operator("cross.default", "linalg_cross.default")
def cross(call: Call) -> Tensor:
    """Return the cross product of 3-vectors along `dim`, by default the first axis of size 3."""
    ctx, a, b = call.ctx, call.tensor("self"), call.tensor("other")
    ctx.check(a.rank == b.rank > 0, laws.TENSORS_ONE_RANK.of(rank=a.rank, other=b.rank))
    shape = ctx.broadcast(a.dims, b.dims)
    if "dim" not in call:
        first = (all_of(*(differs(d, 3) for d in a.dims[:i]), equal(a[i], 3), equal(b[i], 3)) for i in range(a.rank))
        ctx.require(any_of(*first), laws.VECTORS_3_ELEMENTS)
        return tensor(a.dtype, shape)
    axis = ctx.normal(call.integer("dim"), a.rank)
    for x in (a, b):
        ctx.require_equal(x[axis], 3, laws.VECTORS_3_ELEMENTS)
    return tensor(a.dtype, shape)


@operator("kron.default")
def kron(call: Call) -> Tensor:
    """Return the Kronecker product: aligned from the right, sizes multiply."""
    a, b = call.tensor("self"), call.tensor("other")
    rank = max(a.rank, b.rank)
    pairs = zip((*(ONE,) * (rank - a.rank), *a.dims), (*(ONE,) * (rank - b.rank), *b.dims), strict=True)
    return tensor("", [m * n for m, n in pairs])


@operator("vander.default")
def powers(call: Call) -> Tensor:
    """Return a row of powers of each element of a list: `N` columns, by default as many as elements."""
    x = call.tensor("x", 1)
    count = as_dim(call.integer("N")) if "N" in call else x[0]
    call.ctx.require_at_least(count, 0, laws.SIZES_NOT_NEGATIVE)
    return tensor("int64" if x.dtype and kind(x.dtype) < FLOAT else x.dtype, [x[0], count])


TWO_POWERS = laws.SM204.law("there are two powers at least")


@operator("linalg_vander.default")
def vander(call: Call) -> Tensor:
    """Return powers of each element along a new last axis of size `N`, by default that of the last axis."""
    x = call.tensor("x")
    dims = x.dims or (ONE,)
    count = call.size("N") if "N" in call else dims[-1]
    count = call.ctx.fresh("powers") if count is None else count
    call.ctx.require_at_least(count, 2, TWO_POWERS)
    return tensor(x.dtype, [*dims, count])


# Contractions


def _names(count: int) -> list[str]:
    """Return names for the axes that an ellipsis stands for."""
    return [f"...{i}" for i in range(count, 0, -1)]


def einsum_axes(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Letters that the output lacks are summed."""
    call = Call(ctx)
    terms, result = parse_equation(call.text("equation"))
    places = ctx.integers("@tensors")
    ranks = [ctx.input(place).rank - len(term) + 1 for term, place in zip(terms, places, strict=True)]
    hidden = [_names(rank) if "..." in term else [] for term, rank in zip(terms, ranks, strict=True)]
    letters = expand_ellipsis(result, max(hidden, key=len))
    read: list[Letters] = [()] * len(ctx.inputs)
    for place, term, names in zip(places, terms, hidden, strict=True):
        read[place] = tuple(letter if letter in letters else None for letter in expand_ellipsis(term, names))
    return Follows(tuple(read), (tuple(letters),) * len(outputs))


@operator("einsum.default", follows=einsum_axes)
def einsum(call: Call) -> Tensor:
    """Contract by an equation: equal letters have equal sizes, or 1; `...` are any axes, aligned from the right."""
    ctx, operands = call.ctx, [x for x in call.tensors("tensors") if x is not None]
    terms, result = parse_equation(call.text("equation"))
    ctx.check(len(terms) == len(operands), laws.EQUATION_TERM_PER_INPUT)
    hidden = [max(x.rank - len(term) + 1, 0) * ("..." in term) for term, x in zip(terms, operands, strict=True)]
    sizes = joint_sizes(
        ctx, [expand_ellipsis(*pair) for pair in zip(terms, map(_names, hidden), strict=True)], operands
    )
    letters = expand_ellipsis(result, _names(max(hidden)))
    ctx.check(sizes.keys() >= set(letters), laws.OUTPUT_LETTERS_AMONG_INPUTS)
    ctx.check(len(set(letters)) == len(letters), laws.OUTPUT_LETTERS_ONCE)
    return tensor(operands[0].dtype, [sizes[letter] for letter in letters])


AXES_AS_MANY_IN_BOTH = laws.SM116.law("as many axes of both operands are summed over")


@operator("tensordot.default")
def tensordot(call: Call) -> Tensor:
    """Sum over pairs of axes, whose sizes are equal or 1; keep the other axes of both operands."""
    ctx, a, b = call.ctx, call.tensor("self"), call.tensor("other")
    first, second = ctx.normals(call.integers("dims_self"), a.rank), ctx.normals(call.integers("dims_other"), b.rank)
    ctx.check(len(first) == len(second), AXES_AS_MANY_IN_BOTH)
    for i, j in zip(first, second, strict=True):
        ctx.broadcast_sizes(a[i], b[j], laws.INNER_SIZES_EQUAL)
    left = [d for i, d in enumerate(a.dims) if i not in first]
    return tensor(a.dtype, [*left, *(d for j, d in enumerate(b.dims) if j not in second)])
