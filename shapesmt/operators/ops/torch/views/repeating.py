"""Operators that repeat elements, or move them to other positions of the same axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import result, vector
from shapesmt.operators.ops.shared.fields import Array, reshape_elements, view_elements
from shapesmt.operators.ops.shared.follows import apart_from, each
from shapesmt.operators.ops.shared.require import complete_sizes, require_broadcast_to, require_least
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import FLOAT, kind
from shapesmt.operators.ops.torch.elementwise.single import base
from shapesmt.operators.ops.torch.following import moved_dims
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Decided, Elements, Tensor, Traits, elements, position, tensor
from shapesmt.prover.algebra import ONE, Dim, any_of, as_dim, equal, maximum

# Repeated


def repeat_axes(call: Call, x: Tensor, counts: list[Dim | None]) -> Tensor:
    """Return the tensor repeated along its axes: `[m, n]` with counts `(2, 3)` -> `[2*m, 3*n]`.

    If there are more counts than axes, new axes come first.
    """
    require_least(call.ctx, counts, 0, laws.REPEATS_NOT_NEGATIVE)
    dims = [ONE] * (len(counts) - x.rank) + list(x.dims)
    padded = tensor(x.dtype, dims, reshape_elements(x, dims))
    if x.value is not None and dims:
        return result(call.ctx, "Tile", padded, vector(*counts))
    return tensor(x.dtype, [d * count for d, count in zip(dims, complete_sizes(call.ctx, counts), strict=True)])


REPEAT_COUNT_PER_AXIS = laws.SM502.law("there are at least as many repeats as axes")


@operator("repeat.default", traits=Traits.REPEATED)
def repeat(call: Call) -> Tensor:
    """Repeat the tensor along each axis: `[n]` with counts `(2, 3)` -> `[2, 3*n]`.

    There are at least as many counts as axes.
    """
    x, counts = call.tensor("self"), call.sizes("repeats")
    call.ctx.check(len(counts) >= x.rank, REPEAT_COUNT_PER_AXIS)
    return repeat_axes(call, x, counts)


@operator("tile.default", traits=Traits.REPEATED)
def tile(call: Call) -> Tensor:
    """Repeat the tensor along each axis; if there are fewer counts than axes, the first axes stay."""
    x, counts = call.tensor("self"), call.sizes("dims")
    return repeat_axes(call, x, [*[ONE] * (x.rank - len(counts)), *counts])


REPEATS_ADD_UP = laws.SM110.law("the repeats add up to the size that is named")


@operator("repeat_interleave.self_int", traits=Traits.PART)
def repeat_each(call: Call) -> Tensor:
    """Repeat every element `repeats` times along `dim`, or in the flattened tensor: `[n] -> [n*repeats]`."""
    x, ctx, count = call.tensor("self"), call.ctx, call.size("repeats")
    require_least(ctx, [count], 0, laws.REPEATS_NOT_NEGATIVE)
    (times,) = complete_sizes(ctx, [count])
    dims = [x.numel] if "dim" not in call else list(x.dims) or [ONE]
    axis = ctx.normal(call.integer("dim"), len(dims)) if "dim" in call else 0
    if call.size("output_size") is not None:
        ctx.require_equal(call.size("output_size") or 0, dims[axis] * times, REPEATS_ADD_UP)
    if "dim" in call and not x.rank:
        return tensor(x.dtype, (times,))
    shape = [d * times if i == axis else d for i, d in enumerate(dims)]
    if len(dims) != x.rank:
        return tensor(x.dtype, shape)
    return rearranged(x, shape, {axis: lambda at: at // maximum(times, 1)})


REPEAT_COUNT_PER_ELEMENT = laws.SM110.law("there is one number of repeats, or one for each element of the axis")


@operator("repeat_interleave.self_Tensor", "repeat_interleave.Tensor", traits=Traits.COPIED)
def repeat_by(call: Call) -> Tensor:
    """Repeat every element as often as the tensor `repeats` says; the sum of the counts is data-dependent."""
    counts, ctx = call.tensor("repeats"), call.ctx
    own = call.tensor("self") if "self" in call.names else None
    ctx.assume_valid(call.place("repeats"))
    size = call.size("output_size")
    length = ctx.fresh("length", how=Decided((call.place("repeats"),))) if size is None else size
    if own is None:
        ctx.require_rank(counts, 1)
        return tensor(counts.dtype, (length,))
    ctx.check(counts.rank <= 1, laws.RANK_AT_MOST_1.of(rank=counts.rank))
    dims = [own.numel] if "dim" not in call else list(own.dims) or [ONE]
    axis = ctx.normal(call.integer("dim"), len(dims)) if "dim" in call else 0
    fits = any_of(equal(counts.numel, 1), equal(counts.numel, dims[axis]))
    ctx.require(fits, REPEAT_COUNT_PER_ELEMENT, counts.numel, dims[axis])
    return tensor(own.dtype, [length if i == axis else d for i, d in enumerate(dims)])


# Rearranged


def rearranged(x: Tensor, dims: Sequence[Dim], moved: Mapping[int, Callable[[Dim], Dim]]) -> Tensor:
    """Return a tensor `dims` with the elements of `x` at other places of the same axes.

    `moved` has, by axis, the place in `x` of the element at a place of the output; on other axes it is the same.
    """

    def view(array: Array) -> Array:
        for axis, place in moved.items():
            array = np.take(array, [int(place(as_dim(i)).lo) for i in range(int(dims[axis].lo))], axis)
        return array

    def at(back: int) -> Dim:
        place = moved.get(len(dims) - back)
        return position(back) if place is None else place(position(back))

    return tensor(x.dtype, dims, view_elements(x, dims, view, at))


@operator("flip.default", memory="dense", traits=Traits.REARRANGED, follows=apart_from(moved_dims))
@operator("fliplr.default", "flipud.default", memory="dense", traits=Traits.REARRANGED)
def flip(call: Call) -> Tensor:
    """Reverse the axes in `dims`; the shape is unchanged."""
    x, name = call.tensor("self"), base(call)
    if name == "flip":
        axes = call.ctx.normals(call.integers("dims"), max(x.rank, 1)) if x.rank else ()
    else:
        call.ctx.require_rank(x, 2 if name == "fliplr" else 1, least=True)
        axes = (int(name == "fliplr"),)
    return rearranged(x, x.dims, {axis: partial(_from_end, x[axis]) for axis in axes})


def _from_end(size: Dim, at: Dim) -> Dim:
    return size - 1 - at


@operator("roll.default", traits=Traits.REARRANGED, follows=apart_from(moved_dims))
def roll(call: Call) -> Tensor:
    """Rotate elements along the named axes, or in the flattened tensor; the shape is unchanged."""
    x, ctx, shifts, value = call.tensor("self"), call.ctx, call.sizes("shifts"), call.ctx.attribute("dims")
    axes = (value,) if isinstance(value, int) else call.integers("dims")
    ctx.check(bool(shifts) and len(shifts) == (len(axes) or 1), laws.SHIFT_PER_AXIS)
    places = [ctx.normal(axis, x.rank) for axis in axes] or [0]
    known = [shift for shift in shifts if shift is not None and not (shift.symbols and isinstance(x.value, Elements))]
    if len({*places}) < len(known) or len(known) < len(shifts) or (not axes and x.rank != 1):
        return tensor(x.dtype, x.dims)
    return rearranged(x, x.dims, {i: partial(_rolled, x[i], by) for i, by in zip(places, known, strict=True)})


def _rolled(size: Dim, shift: Dim, at: Dim) -> Dim:
    return (at - shift) % maximum(size, 1)


PLANE_OF_TWO_AXES = laws.SM502.law("a plane has two axes")


@operator("rot90.default", traits=Traits.REARRANGED)
def rot90(call: Call) -> Tensor:
    """Rotate the plane of two axes by `k` right angles: `[m, n] -> [n, m]` for odd `k`."""
    x, ctx, axes = call.tensor("self"), call.ctx, call.integers("dims")
    ctx.check(len(axes) == 2, PLANE_OF_TWO_AXES)
    ctx.require_rank(x, 2, least=True)
    a, b = ctx.normals(axes, x.rank)
    dims = list(x.dims)
    if call.integer("k") % 2:
        dims[a], dims[b] = dims[b], dims[a]
    return tensor(x.dtype, dims)


@operator(*overloads("tril", "triu"), traits=Traits.COPIED, follows=each)
def triangle(call: Call) -> Tensor:
    """Set the elements above (`tril`) or below (`triu`) a diagonal to 0; the shape is unchanged."""
    x, ctx, shift = call.tensor("self", least=2), call.ctx, call.size("diagonal")
    upper = int(base(call) == "triu")
    if x.value is not None and shift is not None and kind(x.dtype) < FLOAT and not ctx.node.op.endswith("_.default"):
        k = tensor("int64", (), elements((), [shift]))
        return result(ctx, "Trilu", x, k, upper=upper)
    return tensor(x.dtype, x.dims)


@operator("sum_to_size.default")
def sum_to_size(call: Call) -> Tensor:
    """Sum along axes so that the result has the requested size: `[m, n]` and `(1, n)` -> `[1, n]`."""
    x, ctx = call.tensor("self"), call.ctx
    output = tensor(x.dtype, complete_sizes(ctx, call.sizes("size")))
    require_broadcast_to(ctx, output, x.dims, laws.EXPANDS_FROM_1_OR_STAYS)
    return tensor("" if x.dtype and kind(x.dtype) < FLOAT else x.dtype, output.dims)  # sums of integers become int64
