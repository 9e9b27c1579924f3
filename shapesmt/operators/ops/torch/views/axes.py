"""Operators that change the axes: their order, axes of size 1, and broadcast axes."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.layout.shape import broadcast_value
from shapesmt.operators.ops.shared.bridge import result, vector
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.single import base
from shapesmt.operators.ops.torch.layout import lay_out, nesting_of, storage_of, strides_of
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Tensor, Traits, tensor
from shapesmt.prover.algebra import ONE, ZERO, Dim, any_of, equal, select

# Order


def permute_axes(call: Call, x: Tensor, order: Sequence[int]) -> Tensor:
    """Return the tensor with its axes in `order`: a view, or for `_copy` operators a contiguous copy."""
    output = result(call.ctx, "Transpose", x, perm=tuple(order)) if x.rank else x
    if "_copy" in call.ctx.node.op:
        return tensor(output.dtype, output.dims, output.value)
    strides, places = strides_of(x), nesting_of(x)
    apart = None if strides is None else [strides[axis] for axis in order]
    nested = None if places is None else [list(order).index(axis) for axis in places]
    return lay_out(output, apart, nested, storage_of(x))


@operator("permute.default", "permute_copy.default", memory="view", traits=Traits.REARRANGED)
def permute(call: Call) -> Tensor:
    """Permute the axes into the listed order: `[a, b, c]` and `(2, 0, 1)` -> `[c, a, b]`."""
    x, order = call.tensor("self"), call.integers("dims")
    call.ctx.check(len(order) == x.rank, laws.ORDER_NAMES_AXES_ONCE)
    return permute_axes(call, x, call.ctx.normals(order, x.rank))


@operator(*overloads("transpose", "transpose_copy", "swapaxes", "swapdims"), memory="view", traits=Traits.REARRANGED)
def transpose(call: Call) -> Tensor:
    """Swap two axes: `[a, b, c] -> [c, b, a]` for axes 0 and 2."""
    x = call.tensor("self")
    a, b = (call.ctx.normal(call.integer(name), max(x.rank, 1)) for name in call.names[1:3])
    order = list(range(x.rank))
    if x.rank:
        order[a], order[b] = b, a
    return permute_axes(call, x, order)


@operator(*overloads("t", "t_copy"), memory="view", traits=Traits.REARRANGED)
def t(call: Call) -> Tensor:
    """Transpose a matrix; a vector or a number stays."""
    x = call.tensor("self")
    call.ctx.check(x.rank <= 2, laws.RANK_AT_MOST_2.of(rank=x.rank))
    return permute_axes(call, x, range(x.rank)[::-1])


@operator(*overloads("numpy_T", "matrix_H", "mT", "mH", "adjoint"), memory="view")
def transposed(call: Call) -> Tensor:
    """Reverse all axes (`numpy_T`), or swap the last two."""
    x, name, ctx = call.tensor("self"), base(call), call.ctx
    order = list(range(x.rank))
    if name == "numpy_T":
        return permute_axes(call, x, order[::-1])
    if name == "matrix_H":
        ctx.check(x.rank in (0, 2), laws.RANK_2.of(rank=x.rank))
    elif x.rank or name != "adjoint":
        ctx.require_rank(x, 2, least=True)
    return permute_axes(call, x, [*order[:-2], *order[-2:][::-1]])


AXES_MOVE_TO_AS_MANY = laws.SM302.law("axes move to as many places")


@operator(*overloads("movedim", "moveaxis"), memory="view", traits=Traits.REARRANGED)
def movedim(call: Call) -> Tensor:
    """Move the axes `source` to the positions `destination`; the other axes keep their order."""
    x, rank = call.tensor("self"), max(call.tensor("self").rank, 1)
    lists = []
    for name in ("source", "destination"):
        value = call.ctx.attribute(name)
        lists.append(call.ctx.normals((value,) if isinstance(value, int) else call.integers(name), rank))
    sources, targets = lists
    call.ctx.check(len(sources) == len(targets), AXES_MOVE_TO_AS_MANY)
    places = dict(zip(targets, sources, strict=True))
    others = iter([axis for axis in range(x.rank) if axis not in sources])
    return permute_axes(call, x, [places[i] if i in places else next(others) for i in range(x.rank)])


# Axes of size 1


@operator(*overloads("squeeze", "squeeze_copy"), memory="view", traits=Traits.ORDERED)
def squeeze(call: Call) -> Tensor:
    """Remove the axes of size 1, among those in `dim` if it is given; the rank is unknown if sizes decide it."""
    x, ctx = call.tensor("self"), call.ctx
    value = ctx.attribute("dim")
    named = (value,) if isinstance(value, int) else call.integers("dim") if "dim" in call.names else range(x.rank)
    axes = ctx.normals(named, max(x.rank, 1))
    gone = [axis for axis in axes if axis < x.rank and ctx.holds(equal(x[axis], 1))]
    if any(axis < x.rank and ctx.holds(equal(x[axis], 1)) is None for axis in axes):
        return tensor(x.dtype, None)
    return without(call, x, gone)


def without(call: Call, x: Tensor, gone: Sequence[int]) -> Tensor:
    """Return the tensor without the axes `gone`, which have size 1."""
    if not gone:
        return x
    ones = [ONE if axis in gone else d for axis, d in enumerate(x.dims)]
    output = result(call.ctx, "Squeeze", tensor(x.dtype, ones, x.value), vector(*gone))
    strides, places = strides_of(x), nesting_of(x)
    kept = [axis for axis in range(x.rank) if axis not in gone]
    apart = None if strides is None else [strides[axis] for axis in kept]
    nested = None if places is None else [kept.index(axis) for axis in places if axis in kept]
    return lay_out(output, apart, nested, storage_of(x))


@operator(*overloads("unsqueeze", "unsqueeze_copy"), memory="view", traits=Traits.ORDERED)
def unsqueeze(call: Call) -> Tensor:
    """Insert an axis of size 1 at position `dim`: `[m, n] -> [m, 1, n]` for 1."""
    x = call.tensor("self")
    return with_axis(call, x, call.ctx.normal(call.integer("dim"), x.rank, end=1))


def with_axis(call: Call, x: Tensor, axis: int) -> Tensor:
    """Return the tensor with a new axis of size 1 at position `axis`: `[m, n] -> [m, 1, n]` for axis 1."""
    output = result(call.ctx, "Unsqueeze", x, vector(axis))
    strides, places = strides_of(x), nesting_of(x)
    apart = None
    if strides is not None:
        new = ONE if axis == x.rank else strides[axis] * x.dims[axis]
        apart = [*strides[:axis], new, *strides[axis:]]
    nested = None
    if places is not None:
        moved = [a + (a >= axis) for a in places]
        at = moved.index(axis + 1) if axis < x.rank else len(moved)
        nested = [*moved[:at], axis, *moved[at:]]
    return lay_out(output, apart, nested, storage_of(x))


@operator("atleast_1d.default", "atleast_2d.default", "atleast_3d.default", memory="view", traits=Traits.ORDERED)
@operator("atleast_1d.Sequence", "atleast_2d.Sequence", "atleast_3d.Sequence", memory="view")
def at_least_axes(call: Call) -> Tensor | list[Tensor]:
    """Insert axes of size 1 until the rank is at least the number in the operator's name."""
    least = int(base(call)[len("atleast_")])
    given = [t for t in call.tensors("tensors") if t is not None] if "tensors" in call.names else [call.tensor("self")]
    outputs = []
    for x in given:
        outputs.append(x)
        for axis in NEW_AXES.get((least, x.rank), ()):
            outputs[-1] = with_axis(call, outputs[-1], axis)
    return outputs if "tensors" in call.names else outputs[0]


NEW_AXES = {(1, 0): (0,), (2, 0): (0, 0), (2, 1): (0,), (3, 0): (0, 0, 0), (3, 1): (0, 2), (3, 2): (2,)}
"""The positions of the axes to insert, by required rank and present rank."""


# Broadcast axes


def expand_sizes(call: Call, x: Tensor, items: Sequence[Dim | None]) -> Tensor:
    """Return the tensor broadcast to the sizes `items`: `[3, 1]` to `(2, -1, 4)` -> `[2, 3, 4]`.

    -1 keeps a size; None is an unknown size.
    """
    ctx, new = call.ctx, len(items) - x.rank
    ctx.check(new >= 0, laws.RANK_AT_MOST_THAT_OF_SHAPE.of(most=len(items), rank=x.rank))
    strides = strides_of(x)
    dims: list[Dim] = []
    apart: list[Dim] = []
    for i, item in enumerate(items):
        own = x[i - new] if i >= new else ONE
        size = own if i >= new and item is not None and item.constant == -1 else item
        size = ctx.fresh(f"size{i}") if size is None else size
        ctx.require_at_least(size, 0, laws.SIZES_NOT_NEGATIVE)
        ctx.require(any_of(equal(own, size), equal(own, 1)), laws.EXPANDS_FROM_1_OR_STAYS, own, size)
        dims.append(size)
        step = ZERO if i < new or strides is None else strides[i - new]
        apart.append(step if own is size else select(equal(own, size), step, 0))
    output, order = tensor(x.dtype, dims, broadcast_value(x, tuple(dims))), nesting_of(x)
    repeats = all(step is ZERO or step is own for step, own in zip(apart[new:], strides or (), strict=False))
    nested = (*range(new), *(axis + new for axis in order)) if order is not None and repeats else None
    return lay_out(output, None if strides is None else apart, nested, storage_of(x))


@operator("expand.default", "broadcast_to.default", "expand_copy.default", memory="view", traits=Traits.REPEATED)
def expand(call: Call) -> Tensor:
    """Broadcast the tensor to the listed sizes: `[3, 1]` to `(2, -1, 4)` -> `[2, 3, 4]`."""
    output = expand_sizes(call, call.tensor("self"), call.sizes("size"))
    return tensor(output.dtype, output.dims, output.value) if base(call) == "expand_copy" else output


@operator("expand_as.default", memory="view", traits=Traits.REPEATED)
def expand_as(call: Call) -> Tensor:
    """Broadcast the tensor to the sizes of another tensor."""
    return expand_sizes(call, call.tensor("self"), call.tensor("other").dims)


@operator("broadcast_tensors.default", memory="view", traits=Traits.COPIED)
def broadcast_tensors(call: Call) -> list[Tensor]:
    """Broadcast all tensors to their common shape."""
    given = [t for t in call.tensors("tensors") if t is not None]
    if not given:
        return []
    shape = call.ctx.broadcast(*(t.dims for t in given))
    before = len(call.ctx.requirements)
    outputs = [expand_sizes(call, t, shape) for t in given]
    del call.ctx.requirements[before:]  # `broadcast` has stated them
    return outputs
