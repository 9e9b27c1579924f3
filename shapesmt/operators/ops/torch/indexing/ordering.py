"""Operators that sort elements, select the greatest, the middle or the most frequent, or look rows up."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.math.reduction import without
from shapesmt.operators.ops.shared.indices import any_places, require_inside
from shapesmt.operators.ops.shared.require import complete_sizes
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.following import along_dim, looked_up
from shapesmt.operators.ops.torch.indexing.gathering import length
from shapesmt.operators.rules import Shape, Tensor, Traits, tensor
from shapesmt.prover.algebra import Dim, equal


def places(call: Call, x: Tensor, axis: int, dims: Shape) -> Tensor:
    """Return a tensor of sizes `dims` whose elements are data-dependent indices into `axis` of `x`."""
    return tensor("int64", dims, any_places(call.ctx, dims, length(x, axis)))


@operator("sort.default", "sort.stable", "cummax.default", "cummin.default", traits=Traits.MIXED, follows=along_dim)
def sort(call: Call) -> list[Tensor]:
    """Sort along an axis, or take cumulative extremes; return the elements and their indices in the input."""
    x = call.tensor("self")
    return [tensor(x.dtype, x.dims), places(call, x, call.axis(x), x.dims)]


@operator("argsort.default", "argsort.stable", traits=Traits.MIXED, follows=along_dim)
def argsort(call: Call) -> Tensor:
    """Return the indices that sort an axis."""
    x = call.tensor("self")
    return places(call, x, call.axis(x), x.dims)


@operator("msort.default")
def msort(call: Call) -> Tensor:
    """Sort along the first axis."""
    x = call.tensor("self")
    return tensor(x.dtype, x.dims)


@operator("topk.default", traits=Traits.MIXED, follows=along_dim)
def topk(call: Call) -> list[Tensor]:
    """Return the `k` largest (or smallest) elements along `dim` and their indices: `[m, n] -> [m, k]`."""
    x, [k] = call.tensor("self"), complete_sizes(call.ctx, [call.size("k")])
    axis = call.axis(x)
    call.ctx.require_at_least(k, 0, laws.K_NOT_NEGATIVE)
    call.ctx.require_at_least(length(x, axis), k, laws.K_AT_MOST_AXIS)
    shape = x.replace(axis, k).dims if x.rank else ()
    return [tensor(x.dtype, shape), places(call, x, axis, shape)]


K_POSITIVE = laws.SM305.law("k is positive")


@operator("kthvalue.default", "mode.default", "median.dim", "nanmedian.dim", follows=along_dim)
def kth(call: Call) -> list[Tensor]:
    """Return the k-th smallest, the most frequent or the median element of each row along an axis, and its index.

    No row may be empty.
    """
    x = call.tensor("self")
    axis, k = call.axis(x), call.integer("k") if "k" in call else 0
    call.ctx.check(k > 0 or "k" not in call, K_POSITIVE)
    call.ctx.require_at_least(length(x, axis), k, laws.K_AT_MOST_AXIS)
    call.ctx.require_at_least(length(x, axis), 1, laws.ROW_HAS_ELEMENT)
    shape = without(x.dims, (axis,), keep=call.flag("keepdim"))
    return [tensor(x.dtype, shape), places(call, x, axis, shape)]


# Tables: embeddings, and searches in sorted lists


@operator("embedding.default", memory="new", follows=looked_up(0, 1))
@operator("embedding_renorm_.default", "embedding_renorm.default")
def embedding(call: Call) -> Tensor:
    """Return a table's row for each index: `[n, size]` and `[*sizes]` -> `[*sizes, size]`.

    The `renorm` operators instead return the table, with the indexed rows scaled down to a maximum norm.
    """
    table, indices = call.tensor(call.names[0], 2), call.tensor("indices")
    require_inside(call.ctx, indices, table[0], index=call.place("indices"), from_end=False)
    return tensor(table.dtype, table.dims if "renorm" in call.ctx.node.op else [*indices.dims, table[1]])


def insertion_indices(call: Call, count: Dim, dims: Shape) -> Tensor:
    """Return a tensor of sizes `dims` of insertion indices into a list of `count` elements, from 0 to `count`."""
    return tensor("int32" if call.flag("out_int32") else "int64", dims, any_places(call.ctx, dims, count + 1))


@operator("searchsorted.Tensor")
def searchsorted(call: Call) -> Tensor:
    """Return the insertion index of each element in a sorted list: one list for all, or one per row."""
    ctx, rows, x, sorter = call.ctx, call.tensor("sorted_sequence"), call.tensor("self"), call.optional("sorter")
    ctx.require_rank(rows, 1, least=True)
    if rows.rank > 1:
        ctx.check(x.rank == rows.rank, laws.TENSORS_ONE_RANK.of(rank=rows.rank, other=x.rank))
        ctx.require_agree(x, rows, but=x.rank - 1, law=laws.SORTED_LIST_PER_ROW)
    if sorter is not None:
        ctx.require_agree(rows, sorter, law=laws.VALUES_AND_INDICES_SAME_SHAPE)
        ctx.assume_valid(call.place("sorter"))
    return insertion_indices(call, rows[-1], x.dims)


@operator("searchsorted.Scalar", "bucketize.Tensor", "bucketize.Scalar")
def bucketize(call: Call) -> Tensor:
    """Return the insertion index of a number, or of each element, in a sorted list."""
    name = "boundaries" if "boundaries" in call.names else "sorted_sequence"
    table, x = call.tensor(name, 1), call.optional("self")
    return insertion_indices(call, table[0], () if x is None else x.dims)


# Bags


OFFSET_PER_BAG = laws.SM116.law("there is an offset for each bag, and one behind the last if it is included")


@operator("embedding_bag.default", "embedding_bag.padding_idx", "_embedding_bag.default")
@operator("_embedding_bag_forward_only.default")
def embedding_bag(call: Call) -> list[Tensor]:
    """Reduce the table's rows of each bag to one row; bags begin at the given offsets."""
    ctx, table, indices, offsets = call.ctx, *map(call.tensor, ("weight", "indices", "offsets"))
    weights = call.optional("per_sample_weights")
    ctx.require_rank(table, 2)
    if indices.rank == 2:
        call.open("the layout of indices")
    ctx.require_rank(indices, 1)
    ctx.require_rank(offsets, 1)
    if weights is not None:
        ctx.require_agree(weights, indices, law=laws.WEIGHT_PER_INDEX)
    last = call.flag("include_last_offset")
    ctx.require_at_least(offsets[0], 1 if last else 0, OFFSET_PER_BAG)
    no_bag = equal(offsets[0], 0)
    require_inside(ctx, indices, table[0], no_bag, index=call.place("indices"), from_end=False)
    ctx.assume_valid(call.place("offsets"))
    return _bags(call, offsets[0] - int(last))


MAX = 2  # mode that keeps the maximum of each column of a bag


def _bags(call: Call, bags: Dim) -> list[Tensor]:
    """Return `bags` reduced rows, the bag of each index, the bags' sizes, and the index of each bag's maxima."""
    table, indices, mode = call.tensor("weight"), call.tensor("indices"), call.integer("mode")
    plain = not call.flag("include_last_offset")
    unpadded = ".padding_idx" not in call.ctx.node.op or "padding_idx" not in call
    known = mode > 0 or (table.dtype == "float32" and plain and unpadded)
    members = tensor("int64", [indices[0] if mode else 0] if known else None)
    sizes = tensor("int64", [bags] if known else None)
    greatest = tensor("int64", [bags, table[1]]) if mode == MAX else sizes
    return [tensor(table.dtype, [bags, table[1]]), members, sizes, greatest]
