"""Read and change shapes; OpenVINO often has as an input what is an attribute in ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from shapesmt.network import laws
from shapesmt.operators.ops.layout.indexing import hot_axes
from shapesmt.operators.ops.layout.shape import stretched_to
from shapesmt.operators.ops.openvino.bridge import dtype_of, normalize_axes, require_sizes
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.bridge import constants_of, number_of, result, vector
from shapesmt.operators.ops.shared.fields import reshape_elements
from shapesmt.operators.ops.shared.require import (
    complete_sizes,
    open_unless,
    require_broadcast_to,
    require_least,
    require_single,
)
from shapesmt.operators.ops.windows.detection import known_number
from shapesmt.operators.rules import RuleContext, Shape, Tensor, Traits, tensor
from shapesmt.prover.algebra import ONE, TRUE, Dim, all_of, at_least, maximum


def clamp(sizes: Sequence[Dim | None]) -> list[Dim | None]:
    """Replace negative sizes by 0, as OpenVINO does."""
    return [None if d is None else maximum(d, 0) for d in sizes]


@operator("ShapeOf", "ShapeOf-1", any_rank=True, total=True, of_shape=True)
def shape_of(ctx: RuleContext) -> Tensor:
    """Return the shape of the input, as a vector."""
    sizes = result(ctx, "Shape", ctx.input(0))
    return tensor(dtype_of(ctx, "output_type"), sizes.shape, sizes.value)


@operator("Reshape", any_rank=True, traits=Traits.VIEW)
def reshape(ctx: RuleContext) -> Tensor:
    """Reshape to the same number of elements; -1 is inferred, and 0 copies the input's size with `special_zero`."""
    x, items, special = ctx.input(0), ctx.sizes(1), bool(ctx.integer("special_zero", 0))
    zeros = [] if items is None else [i for i, d in enumerate(items) if d is not None and d.constant == 0]
    if not zeros or x.shape is None or items is None:
        return result(ctx, "Reshape", x, ctx.input(1), allowzero=int(not special))
    if not special:
        ctx.require_equal(x.numel, 0, laws.ELEMENT_COUNT_KEPT)
        return ctx.tensor([ONE if d.constant == -1 else d for d in complete_sizes(ctx, items)])
    return _copy_sizes(ctx, x, items, zeros)


def _copy_sizes(ctx: RuleContext, x: Tensor, items: Sequence[Dim | None], zeros: Sequence[int]) -> Tensor:
    """Reshape to `items`, with the input's size at each index in `zeros`: `[2, 3, 4]` by `[0, -1]` -> `[2, 12]`.

    Without a -1, OpenVINO doesn't check the number of elements, and a wrong one leaves the node undecided.
    """
    ctx.check(zeros[-1] < x.rank, laws.ZERO_COPIES_INPUT_SIZE)
    left = tensor(x.dtype, [d for i, d in enumerate(x.dims) if i not in zeros])
    before = len(ctx.requirements)
    rest = iter(result(ctx, "Reshape", left, vector(*(d for i, d in enumerate(items) if i not in zeros))).dims)
    if all(d is None or d.lo >= 0 for d in items):
        broken = [r for r in ctx.requirements[before:] if r.formula is not TRUE]
        del ctx.requirements[before:]
        open_unless(ctx, laws.ELEMENT_COUNT_KEPT, all_of(*(r.formula for r in broken)))
    dims = [x[i] if i in zeros else next(rest) for i in range(len(items))]
    return ctx.tensor(dims, value=reshape_elements(x, dims))


@operator("Squeeze", any_rank=True, traits=Traits.VIEW)
def squeeze(ctx: RuleContext) -> Tensor:
    """Remove axes of size 1: those in an input, or all; listed axes whose size is never 1 are kept."""
    x, axes = ctx.input(0), constants_of(ctx, 1, "the axes") if ctx.has(1) else ()
    if not axes:
        return ctx.tensor(None) if axes is None else result(ctx, "Squeeze", x)
    if not x.rank:
        normalize_axes(ctx, axes, 0)
        return x
    dropped = [axis for axis in normalize_axes(ctx, axes, x.rank) if x[axis].lo <= 1 <= x[axis].hi]
    if ctx.integer("allow_axis_skip", 0) and any(x[axis].constant is None for axis in dropped):
        return ctx.tensor(None)  # the number of sizes of 1 isn't known
    return result(ctx, "Squeeze", x, vector(*dropped)) if dropped else x


@operator("Unsqueeze", any_rank=True, traits=Traits.VIEW)
def unsqueeze(ctx: RuleContext) -> Tensor:
    """Insert axes of size 1; an axis that is listed twice is inserted once."""
    axes = ctx.constants(1)
    if axes is None:
        return ctx.tensor(None)
    distinct = dict.fromkeys(ctx.normal(axis, ctx.input(0).rank + len(axes)) for axis in axes)
    rank = ctx.input(0).rank + len(distinct)
    return result(ctx, "Unsqueeze", ctx.input(0), vector(*(dict.fromkeys(ctx.normal(a, rank) for a in axes))))


@operator("Transpose", any_rank=True, traits=Traits.REARRANGED)
def transpose(ctx: RuleContext) -> Tensor:
    """Permute the axes to the order in an input, or reverse them if it is empty."""
    order = constants_of(ctx, 1, "the axes")
    x = ctx.input(0)
    if order is None:
        return ctx.tensor(None if x.shape is None else [ctx.fresh(f"size{i}") for i in range(x.rank)])
    return result(ctx, "Transpose", x, **({"perm": order} if order else {}))


@operator("Broadcast", "Broadcast-1", traits=Traits.REPEATED)
def broadcast(ctx: RuleContext) -> Tensor:
    """Broadcast the input to a shape.

    Mode `bidirectional` broadcasts both to a common shape; for mode `explicit`, input 2 maps the input's axes.
    """
    mode, x, target, first = ctx.text("mode", "numpy").lower(), ctx.input(0), ctx.sizes(1), ctx.node.op == "Broadcast-1"
    require_sizes(ctx, target)
    for size in target or ():
        open_unless(ctx, laws.SIZES_NOT_NEGATIVE, TRUE if size is None else at_least(size, -1))
    if mode == "bidirectional":
        return result(ctx, "Expand", x, ctx.input(1) if target is None else vector(*clamp(target)))
    if target is None:
        return ctx.tensor(None)
    dims = tuple(complete_sizes(ctx, clamp(target), index=1))
    if mode in ("explicit", "none") and (ctx.has(2) or not first):
        return _explicit(ctx, x, dims)
    return stretched_to(ctx, x, target, dims)


EXPLICIT_MODE_NEEDS_AXES = laws.SM302.law("the axes are given, as mode explicit needs them")
PLACES_FOR_AXES = laws.SM303.law("there are places for {rank} axes, not {count}")
AXES_FROM_FRONT = laws.SM302.law("the axes are counted from the front, not {axis}")


def _explicit(ctx: RuleContext, x: Tensor, dims: Shape) -> Tensor:
    """Return a tensor of shape `dims`; input 2 lists the axis of `dims` for each axis of `x`."""
    ctx.check(ctx.has(2), EXPLICIT_MODE_NEEDS_AXES)
    axes = constants_of(ctx, 2, "the axes")
    ctx.check(axes is None or len(axes) == x.rank, PLACES_FOR_AXES.of(rank=x.rank, count=len(axes or ())))
    ctx.check(min(axes or (0,)) >= 0, AXES_FROM_FRONT.of(axis=min(axes or (0,))))
    for axis, size in zip(axes or (), x.dims, strict=False):
        target = dims[ctx.normal(axis, len(dims))]
        require_broadcast_to(ctx, tensor("", (size,)), (target,), laws.EXPANDS_FROM_1_OR_STAYS)
    return ctx.tensor(dims)


@operator("Tile", traits=Traits.REPEATED)
def tile(ctx: RuleContext) -> Tensor:
    """Repeat each axis; the shorter of shape and counts is padded with ones in front."""
    x, counts = ctx.input(0), ctx.sizes(1)
    if counts is None:
        return ctx.tensor(None)
    rank = max(x.rank, len(counts))
    stretched = tensor(x.dtype, [*repeat(ONE, rank - x.rank), *x.dims], x.value if rank == x.rank else None)
    ones: list[Dim | None] = [ONE] * (rank - len(counts))
    return result(ctx, "Tile", stretched, vector(*ones, *clamp(counts)))


@operator("Range", "Range-1", any_rank=True)
def sequence(ctx: RuleContext) -> Tensor:
    """Return the numbers `start + i*step` before `stop`; all three are cast to the output's type first."""
    dtype = dtype_of(ctx, "output_type", "f32") if ctx.node.op == "Range" else ctx.input(0).dtype
    return result(ctx, "Range", *(result(ctx, "Cast", ctx.input(i), to=number_of(dtype)) for i in range(3)))


ROWS_COLUMNS_DIAGONAL_ONE_NUMBER_EACH = laws.SM401.law("rows, columns and diagonal are one number each")


@operator("Eye", any_rank=True)
def eye(ctx: RuleContext) -> Tensor:
    """Return identity matrices `[*batch, rows, columns]`."""
    for index in range(3):
        require_single(ctx, index, law=ROWS_COLUMNS_DIAGONAL_ONE_NUMBER_EACH)
    batch = ctx.sizes(3) if ctx.has(3) else []
    if batch is None:
        return ctx.tensor(None, dtype_of(ctx, "output_type", "f32"))
    sizes = [items[0] if (items := ctx.items(i)) else None for i in (0, 1)]
    require_least(ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    require_sizes(ctx, batch)
    return ctx.tensor(complete_sizes(ctx, [*clamp(batch), *sizes]), dtype_of(ctx, "output_type", "f32"))


ONE_HOT_DEPTH_NOT_NEGATIVE = laws.SM309.law("depth is not negative")


@operator("OneHot", traits=Traits.COPIED, follows=hot_axes)
def one_hot(ctx: RuleContext) -> Tensor:
    """Encode indices as one-hot vectors: `[*sizes]` -> `[*sizes, depth]`, with the new axis at `axis`."""
    indices, depth = ctx.input(0), ctx.items(1)
    axis = ctx.axis(indices.rank + 1, -1)
    require_least(ctx, depth, 0, ONE_HOT_DEPTH_NOT_NEGATIVE)
    size = complete_sizes(ctx, depth or [None])[0]
    return ctx.tensor([*indices.dims[:axis], size, *indices.dims[axis:]], ctx.input(2).dtype)


LEAST_AND_GREATEST_ONE_NUMBER_EACH = laws.SM401.law("the least and the greatest value are one number each")
LEAST_BELOW_GREATEST = laws.SM401.law("the least value is less than the greatest, not {least} and {greatest}")


@operator("RandomUniform", any_rank=True, random=True)
def random_uniform(ctx: RuleContext) -> Tensor:
    """Draw a random tensor whose shape is an input."""
    sizes, ends = ctx.sizes(0), [known_number(ctx.input(i)) for i in (1, 2)]
    require_single(ctx, 1, 2, law=LEAST_AND_GREATEST_ONE_NUMBER_EACH)
    ordered = ends[0] is None or ends[1] is None or ends[0] < ends[1]
    ctx.check(ordered, LEAST_BELOW_GREATEST.of(least=ends[0], greatest=ends[1]))
    require_sizes(ctx, sizes)
    dtype = dtype_of(ctx, "output_type", "f32")
    return ctx.tensor(None if sizes is None else complete_sizes(ctx, clamp(sizes)), dtype)
