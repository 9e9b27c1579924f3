"""Operators that join tensors: along an axis, along a new one, on a diagonal, or in all combinations."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from shapesmt.network import laws
from shapesmt.operators.ops.layout.joining import concatenate
from shapesmt.operators.ops.layout.shape import broadcast_value
from shapesmt.operators.ops.shared.fields import reshape_elements
from shapesmt.operators.ops.shared.require import require_ranks
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import cast, result_type
from shapesmt.operators.ops.torch.elementwise.single import base
from shapesmt.operators.ops.torch.layout import lay_out
from shapesmt.operators.ops.torch.views.axes import NEW_AXES
from shapesmt.operators.rules import Shape, Tensor, Traits, Value, tensor
from shapesmt.prover.algebra import ONE, ZERO, Dim, as_dim, ceil_divide, equal, product, total

A_TENSOR_TO_JOIN = laws.SM103.law("there is at least one tensor to join")


def listed_tensors(call: Call) -> list[Tensor]:
    """Return the listed tensors, converted to their common element type; require at least one."""
    given = [t for t in call.tensors("tensors") if t is not None]
    call.ctx.check(bool(given), A_TENSOR_TO_JOIN)
    dtype = result_type((t, False) for t in given)
    return [cast(t, dtype) if dtype else tensor("", t.dims, layout=t.layout) for t in given]


def as_joined(call: Call, given: Sequence[Tensor], axis: int) -> Tensor:
    """Return the tensors concatenated along `axis`; require equal sizes on every other axis."""
    first, ctx = given[0], call.ctx
    ctx.require_agree(*given, but=axis, law=laws.JOINED_MATCH_OFF_AXIS)
    dims = [total(t[i] for t in given) if i == axis else d for i, d in enumerate(first.dims)]
    return tensor(
        first.dtype, dims, concatenate(given, axis, dims) if any(t.value is not None for t in given) else None
    )


JOINED_LIST_IS_EMPTY = laws.SM103.law("a list is joined with tensors of more axes only if it is empty")


@operator("cat.default", "concat.default", "concatenate.default", traits=Traits.CONCATENATED)
def cat(call: Call) -> Tensor:
    """Concatenate along `dim`: `[a, n]`, `[b, n]` -> `[a + b, n]`; vectors of size 0 are ignored, whatever the rank."""
    ctx, given = call.ctx, listed_tensors(call)
    ctx.check(all(t.rank for t in given), laws.RANK_AT_LEAST_1)
    others = [t for t in given if t.rank > 1]
    kept = others or [t for t in given if t[0] is not ZERO] or given[:1]
    for t in given if others else ():
        if t.rank == 1:
            ctx.require(equal(t[0], 0), JOINED_LIST_IS_EMPTY, t[0], 0)
    return as_joined(call, kept, ctx.normal(call.integer("dim"), kept[0].rank))


@operator("stack.default", traits=Traits.STACKED)
def stack(call: Call) -> Tensor:
    """Stack `k` tensors of the same shape along a new axis `dim`: `[m, n]` -> `[k, m, n]` for dim 0."""
    given, ctx = listed_tensors(call), call.ctx
    axis = ctx.normal(call.integer("dim"), given[0].rank, end=1)
    ctx.require_agree(*given, law=laws.STACKED_SAME_SHAPE)
    sliced = [with_ones(t, (axis,)) for t in given]
    dims: list[Dim] = [*given[0].dims[:axis], as_dim(len(given)), *given[0].dims[axis:]]
    known = any(t.value is not None for t in given)
    return tensor(given[0].dtype, dims, concatenate(sliced, axis, dims) if known else None)


def with_ones(x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the tensor with axes of size 1 inserted one after the other: `[n]` and `(0, 2)` -> `[1, n, 1]`."""
    dims = list(x.dims)
    for axis in axes:
        dims.insert(axis, ONE)
    return tensor(x.dtype, dims, reshape_elements(x, dims))


@operator("hstack.default", "vstack.default", "row_stack.default", traits=Traits.STACKED)
@operator("dstack.default", "column_stack.default", traits=Traits.STACKED)
def stack_along(call: Call) -> Tensor:
    """Concatenate along the first, second or third axis after adding missing axes.

    For example, `vstack` makes `[2, n]` of `[n]` and `[n]`.
    """
    given, name = listed_tensors(call), base(call)
    least = {"hstack": 1, "dstack": 3}.get(name, 2)
    given = [_column(t) for t in given] if name == "column_stack" else given
    given = [with_ones(t, NEW_AXES.get((least, t.rank), ())) for t in given]
    if name == "hstack":
        kept = [t for t in given if t.rank != 1 or t[0] is not ZERO] or given[:1]
        return as_joined(call, kept, int(given[0].rank > 1))
    return as_joined(call, given, {"column_stack": 1, "dstack": 2}.get(name, 0))


def _column(x: Tensor) -> Tensor:
    """Return a scalar or a vector `[n]` as a column `[n, 1]`; other tensors stay."""
    dims = (x.numel, ONE)
    return tensor(x.dtype, dims, reshape_elements(x, dims)) if x.rank <= 1 else x


@operator("_chunk_cat.default", traits=Traits.COPIED)
def chunk_cat(call: Call) -> Tensor:
    """Split `dim` of each tensor into `num_chunks` padded parts, flatten them and concatenate those of equal index."""
    given, ctx, count, dim = listed_tensors(call), call.ctx, call.integer("num_chunks"), call.integer("dim")
    ctx.check(count >= 1, laws.A_PART)
    ctx.check(len({t.dtype for t in call.tensors("tensors") if t is not None}) == 1, laws.OPERANDS_ONE_TYPE)
    if dim < 0:
        ctx.same_rank(*given)
    axis = min(ctx.normal(dim, t.rank) for t in given)
    for t in given:
        ctx.require_at_least(t.numel, 1, laws.INPUT_NOT_EMPTY)
        ctx.require_agree(*(tensor("", s.dims[:axis]) for s in (given[0], t)), law=laws.JOINED_MATCH_OFF_AXIS)
    flat = (ceil_divide(t[axis], count) * product(t.dims[axis + 1 :]) for t in given)
    return tensor(given[0].dtype, [*given[0].dims[:axis], as_dim(count), total(flat)])


@operator("block_diag.default", traits=Traits.COPIED)
def block_diag(call: Call) -> Tensor:
    """Return a matrix with the given matrices on its diagonal: `[a, b]`, `[c, d]` -> `[a + c, b + d]`."""
    given = listed_tensors(call)
    call.ctx.check(all(t.rank <= 2 for t in given), laws.RANK_AT_MOST_2.of(rank=max(t.rank for t in given)))
    shapes = [(ONE, ONE, *t.dims)[-2:] for t in given]
    return tensor(given[0].dtype, [total(s[0] for s in shapes), total(s[1] for s in shapes)])


# Combinations


@operator("meshgrid.default", "meshgrid.indexing", memory="view", traits=Traits.COPIED)
def meshgrid(call: Call) -> list[Tensor]:
    """Expand vectors `[m]`, `[n]` to grids `[m, n]`, one per vector; "xy" indexing swaps the first two axes."""
    given, ctx = [t for t in call.tensors("tensors") if t is not None], call.ctx
    ctx.check(bool(given), A_TENSOR_TO_JOIN)
    ctx.check(all(t.rank <= 1 for t in given), laws.RANK_AT_MOST_1.of(rank=max(t.rank for t in given)))
    ctx.check(len({t.dtype for t in given}) == 1, laws.OPERANDS_ONE_TYPE)
    how = (call.text("indexing") if "indexing" in call.names else "") or "ij"
    named = {"name": "indexing", "values": "ij or xy", "value": how}
    ctx.check(how in ("ij", "xy"), laws.ATTRIBUTE_ONE_OF_TEXTS.of(**named))
    sizes = [t.numel for t in given]
    order = [*range(len(sizes))]
    if how == "xy" and len(sizes) > 1:
        order[:2] = 1, 0
    shape = tuple(sizes[i] for i in order)
    return [lay_out(tensor(t.dtype, shape, _along(t, shape, order.index(i))), None) for i, t in enumerate(given)]


def _along(vector: Tensor, shape: Shape, axis: int) -> Value | None:
    """Return the elements of a vector, or of a number, along one axis of a shape, the same on all others."""
    dims = [ONE] * len(shape)
    dims[axis] = vector.numel
    return broadcast_value(tensor(vector.dtype, dims, reshape_elements(vector, dims)), shape)


@operator("cartesian_prod.default", traits=Traits.COPIED)
def cartesian_prod(call: Call) -> Tensor:
    """Return every combination of the vectors' elements, one per row: `[m]`, `[n]` -> `[m*n, 2]`."""
    given, ctx = listed_tensors(call), call.ctx
    require_ranks(ctx, 1, *given)
    if len(given) == 1:
        return given[0]
    return tensor(given[0].dtype, (product(t[0] for t in given), len(given)))


@operator("combinations.default", traits=Traits.COPIED)
def combinations(call: Call) -> Tensor:
    """Return every choice of `r` elements of a vector, one per row: `[n] -> [n*(n - 1)/2, 2]` for r = 2."""
    ctx, r, x = call.ctx, call.integer("r"), call.tensor("self", 1)
    ctx.check(r >= 0, laws.NAMED_ATTRIBUTE_NOT_NEGATIVE.of(name="r"))
    if r == 0:
        return tensor(x.dtype, (ZERO,))
    again = call.flag("with_replacement")
    ways: list[Dim] = [x[0] + (i if again else -i) for i in range(r)]
    return tensor(x.dtype, (product(ways) // factorial(r), r))
