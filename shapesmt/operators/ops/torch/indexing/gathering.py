"""Operators that gather elements along an axis, from the flattened tensor, or by several index tensors and masks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.operators.ops.layout.indexing import picked_elements
from shapesmt.operators.ops.layout.shape import broadcast_value
from shapesmt.operators.ops.shared.fields import element_of, reshape_elements
from shapesmt.operators.ops.shared.follows import PICKED, aligned
from shapesmt.operators.ops.shared.indices import any_of_known, require_inside
from shapesmt.operators.ops.shared.require import require_broadcast_to
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.following import beside_dim, looked_up
from shapesmt.operators.rules import (
    Decided,
    Follows,
    Letters,
    RuleContext,
    Shape,
    Tensor,
    Traits,
    Value,
    position,
    tensor,
)
from shapesmt.prover.algebra import ONE, Dim, any_of, at_least, equal, select


def length(x: Tensor, axis: int) -> Dim:
    """Return the size of an axis; 1 for a scalar."""
    return x[axis] if x.rank else ONE


def require_list(call: Call, index: Tensor) -> None:
    """Require that an index tensor has rank 0 or 1."""
    call.ctx.check(index.rank <= 1, laws.RANK_AT_MOST_1.of(rank=index.rank))


@operator("index_select.default", follows=looked_up(0, 1))
def index_select(call: Call) -> Tensor:
    """Return the slices at the given indices of `dim`: `[m, n]` and index `[k]` -> `[k, n]` for axis 0."""
    x, index = call.tensor("self"), call.tensor("index")
    axis = call.axis(x)
    require_list(call, index)
    require_inside(call.ctx, index, length(x, axis), index=call.place("index"), from_end=False)
    if not x.rank:
        call.ctx.require_equal(index.numel, 1, laws.INDEX_ONE_NUMBER)
        return tensor(x.dtype, ())
    if index.rank == 1:
        return call.ctx.delegate("Gather", [x, index], version=22, attributes={"axis": axis})[0]
    return x.replace(axis, 1)


def require_no_larger(call: Call, index: Tensor, x: Tensor, axis: int | None, law: laws.Law) -> None:
    """Require that `index` has the rank of `x` and no larger size on any axis but `axis`, unless `index` is empty.

    If `axis` is None, no axis is excepted; `law` is the requirement on the sizes.
    """
    none = equal(index.numel, 0)
    if index.rank != x.rank and max(index.rank, 1) != max(x.rank, 1):
        call.ctx.require(none, laws.TENSORS_ONE_RANK.of(rank=x.rank, other=index.rank))
        return
    for i in range(min(index.rank, x.rank)):
        if i != axis:
            call.ctx.require(any_of(none, at_least(x[i], index[i])), law, index[i], x[i])


@operator("gather.default", follows=beside_dim)
def gather(call: Call) -> Tensor:
    """Gather elements along `dim` at the indices in `index`; the output has `index`'s shape."""
    x, index = call.tensor("self"), call.tensor("index")
    axis = call.axis(x)
    require_no_larger(call, index, x, axis, laws.INDICES_NO_LARGER_THAN_DATA)
    require_inside(call.ctx, index, length(x, axis), index=call.place("index"), from_end=False)
    return tensor(x.dtype, index.dims, picked_elements(x, index, axis) if x.rank == index.rank > 0 else None)


@operator("take_along_dim.default")
def take_along_dim(call: Call) -> Tensor:
    """Gather along `dim`; the other axes of input and indices broadcast. Without `dim`, flatten both."""
    ctx, x, index = call.ctx, call.tensor("self"), call.tensor("indices")
    if "dim" not in call:
        require_inside(ctx, index, x.numel, index=call.place("indices"), from_end=False)
        return tensor(x.dtype, [index.numel], _picked_of_all(x, as_vector(index)))
    ctx.same_rank(x, index)
    axis = ctx.normal(call.integer("dim"), x.rank)
    shape = list(ctx.broadcast(x.replace(axis, 1).dims, index.replace(axis, 1).dims))
    wide = [x[axis] if i == axis else d for i, d in enumerate(shape)]
    shape[axis] = index[axis]
    nothing = any_of(*(equal(d, 0) for d in shape))
    require_inside(ctx, index, x[axis], nothing, index=call.place("indices"), from_end=False)
    rows, places = (tensor(t.dtype, dims, broadcast_value(t, tuple(dims))) for t, dims in ((x, wide), (index, shape)))
    return tensor(x.dtype, shape, picked_elements(rows, places, axis))


@operator("take.default")
def take(call: Call) -> Tensor:
    """Return the elements at the given indices of the flattened tensor."""
    x, index = call.tensor("self"), call.tensor("index")
    require_inside(call.ctx, index, x.numel, index=call.place("index"))
    return tensor(x.dtype, index.dims, _picked_of_all(x, index))


def _picked_of_all(x: Tensor, index: Tensor) -> Value | None:
    """Return the elements at a vector of indices of the flattened tensor; None for other indices."""
    return picked_elements(as_vector(x), index, 0) if index.rank == 1 else None


def as_vector(x: Tensor) -> Tensor:
    """Return the flattened tensor."""
    return tensor(x.dtype, [x.numel], reshape_elements(x, [x.numel]))


# Advanced indexing: several index tensors and masks; axes without an index stay whole


MASKS = ("bool", "uint8")


class Index(NamedTuple):
    """An index tensor or a mask: the axes that it indexes, and its input index in the node."""

    tensor: Tensor
    axes: range
    place: int

    @property
    def is_mask(self) -> bool:
        """Whether the tensor is a mask, which marks elements instead of naming them."""
        return self.tensor.dtype in MASKS


AN_INDEX = laws.SM405.law("there is an index at least")


def indices_of(call: Call, x: Tensor) -> list[Index]:
    """Return the indices, each with its axes; a None in the list skips an axis."""
    found, axis = [], 0
    places = call.ctx.integers("@indices", ())
    for given, place in zip(call.tensors("indices"), places, strict=True):
        count = given.rank if given is not None and given.dtype in MASKS else 1
        if given is not None:
            found.append(Index(given, range(axis, axis + count), place))
        axis += count
    call.ctx.check(axis <= x.rank, laws.INDEX_TUPLE_AT_MOST.of(most=x.rank))
    call.ctx.check(bool(found), AN_INDEX)
    return found


def count_marked(ctx: RuleContext, index: Index) -> Dim:
    """Return the data-dependent number of elements that a mask marks."""
    total = index.tensor.numel
    how = Decided((index.place,), total=total, free=True)
    return ctx.fresh(f"count{index.place}", 0, total, how=how)


def joint(call: Call, found: list[Index]) -> Shape:
    """Return the shape to which all indices broadcast; a mask counts as the list of indices that it marks."""
    ctx = call.ctx
    shape = ctx.broadcast((), *(i.tensor.dims for i in found if not i.is_mask))
    masks = [i for i in found if i.is_mask]
    if not masks:
        return shape
    for index in masks:
        (ctx.only_sizes if len(found) == 1 else ctx.assume_valid)(index.place)
    count = count_marked(ctx, masks[0])
    return (*shape[:-1], select(equal(shape[-1], 1), count, shape[-1])) if shape else (count,)


MASK_SHAPED_AS_AXES = laws.SM107.law("a mask has the sizes of the axes that it indexes")


def indexed_shape(call: Call, x: Tensor, *, clamped: bool = False) -> Shape:
    """Return the shape of `x` indexed by the node's indices: `x[:, i, j]` of `[a, b, c]` and indices `[n]` -> `[a, n]`.

    The joint axes of the indices replace the indexed axes, or come first if other axes lie between those. `clamped`:
    indices outside an axis are moved inside.
    """
    ctx, found = call.ctx, indices_of(call, x)
    shape = joint(call, found)
    nothing = any_of(*(equal(d, 0) for d in shape))
    for index in found:
        if index.is_mask:
            for axis, d in zip(index.axes, index.tensor.dims, strict=True):
                ctx.require_equal(d, x[axis], MASK_SHAPED_AS_AXES)
        elif not clamped:
            require_inside(ctx, index.tensor, x[index.axes[0]], nothing, index=index.place)
    gone = [axis for index in found for axis in index.axes]
    kept = [d for axis, d in enumerate(x.dims) if axis not in gone]
    together = all(b.axes.start == a.axes.stop for a, b in pairwise(found))
    front = found[0].axes.start if together else 0
    return (*kept[:front], *shape, *kept[front:])


def indexed(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
    """Axes without an index are kept; the indexed ones give way to those of the indices. None with a mask."""
    call, own = Call(ctx), tuple(range(ctx.input(0).rank))
    found = indices_of(call, ctx.input(0))
    if any(index.is_mask for index in found):
        return None
    read: list[Letters] = [()] * len(ctx.inputs)
    letters: list[Hashable] = list(own)
    for index in found:
        places, chosen = aligned(index.tensor), element_of(index.tensor)
        read[index.place] = tuple(("index", back) for back in places)
        same = (back for back in range(1, index.tensor.rank + 1) if chosen is position(back))
        letters[index.axes[0]] = next((("index", back) for back in same), PICKED)
    axes = [index.axes[0] for index in found]
    picks = max((read[index.place] for index in found), key=len)
    kept = [axis for axis in own if axis not in axes]
    front = axes[0] if axes == [*range(axes[0], axes[0] + len(axes))] else 0
    read[0] = tuple(letters)
    return Follows(tuple(read), ((*kept[:front], *picks, *kept[front:]),) * len(outputs))


@operator("index.Tensor", "_unsafe_index.Tensor", follows=indexed)
def index_tensor(call: Call) -> Tensor:
    """Return the elements at the given indices, as `x[i, :, j]` and `x[mask]` do."""
    x = call.tensor("self")
    found = indices_of(call, x)
    if len(found) == 1 and not found[0].is_mask:  # known elements stay known
        attributes = {"axis": found[0].axes.start}
        return call.ctx.delegate("Gather", [x, found[0].tensor], version=22, attributes=attributes)[0]
    shape = indexed_shape(call, x)
    masked = len(found) == 1 and not x.dtype.startswith(("float", "bool", "bfloat", "complex"))
    return tensor(x.dtype, shape, any_of_known(call.ctx, x, shape) if masked else None)


VALUES_BROADCAST_TO_INDEXED = laws.SM101.law("the values broadcast to what is indexed")


def put_by_mask(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
    """Elements stay at their positions if a mask marks those that are written; None for other indices."""
    own = tuple(range(ctx.input(0).rank))
    found = indices_of(Call(ctx), ctx.input(0))
    if not all(index.is_mask for index in found):
        return None
    read: list[Letters] = [own, *[()] * (len(ctx.inputs) - 1)]
    for index in found:
        read[index.place] = tuple(index.axes)
    return Follows(tuple(read), (own,) * len(outputs))


@operator("index_put.default", "index_put_.default", traits=Traits.COPIED, follows=put_by_mask)
@operator("_index_put_impl_.default", "_unsafe_index_put.default", traits=Traits.COPIED, follows=put_by_mask)
def index_put(call: Call) -> Tensor:
    """Write values at the given indices; the values broadcast to the indexed shape."""
    x, values = call.tensor("self"), call.tensor("values")
    shape = indexed_shape(call, x)
    require_broadcast_to(call.ctx, values, shape, VALUES_BROADCAST_TO_INDEXED)
    return tensor(x.dtype, x.dims)


# Masked


@operator("_unsafe_masked_index.default")
def masked_index(call: Call) -> Tensor:
    """Return the elements at the given indices where the mask is true, else a number; indices and mask broadcast."""
    x = call.tensor("self")
    call.open_if_broken(at_least(x.numel, 1), laws.INPUT_NOT_EMPTY)
    return tensor(x.dtype, call.ctx.broadcast(indexed_shape(call, x, clamped=True), call.tensor("mask").dims))


@operator("_unsafe_masked_index_put_accumulate.default")
def masked_index_put(call: Call) -> Tensor:
    """Add values at the given indices where the mask is true; values and mask broadcast. An empty tensor stays."""
    x, ctx = call.tensor("self"), call.ctx
    if not ctx.holds(equal(x.numel, 0)):
        values = tensor("", ctx.broadcast(call.tensor("values").dims, call.tensor("mask").dims))
        require_broadcast_to(ctx, values, indexed_shape(call, x, clamped=True), VALUES_BROADCAST_TO_INDEXED)
    return tensor(x.dtype, x.dims)
