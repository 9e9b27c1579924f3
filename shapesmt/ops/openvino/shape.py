"""Operators that read and change shapes: what ONNX has as an attribute, OpenVINO often has as an input."""

from __future__ import annotations

from itertools import repeat

from shapesmt.context import InferenceContext
from shapesmt.dim import ONE, Dim
from shapesmt.ops.bridge import as_list, listed, result
from shapesmt.ops.fields import wanted
from shapesmt.ops.laws import require_least, sized
from shapesmt.ops.linear import require_broadcast_to
from shapesmt.ops.openvino.bridge import DOMAIN, dtype_of, known
from shapesmt.ops.registry import rule
from shapesmt.ops.shape import broadcast_value
from shapesmt.tensor import Shape, Tensor, tensor

STRETCHED = "a size expands from 1 or stays"


@rule("ShapeOf", domain=DOMAIN, any_rank=True, total=True, of_shape=True)
def shape_of(ctx: InferenceContext) -> Tensor:
    """The sizes of the input, as a list."""
    found = result(ctx, "Shape", ctx.input(0))
    return tensor(dtype_of(ctx, "output_type"), found.shape, found.value)


@rule("Reshape", domain=DOMAIN, any_rank=True)
def reshape(ctx: InferenceContext) -> Tensor:
    """The number of elements is kept; -1 is what remains, 0 copies a size with `special_zero`."""
    return result(ctx, "Reshape", ctx.input(0), ctx.input(1), allowzero=int(not ctx.integer("special_zero", 0)))


@rule("Squeeze", domain=DOMAIN, any_rank=True)
def squeeze(ctx: InferenceContext) -> Tensor:
    """Axes of size 1 are dropped: those listed, or all of them; a listed one that is never 1 stays."""
    x, axes = ctx.input(0), known(ctx, 1, "the axes") if ctx.has(1) else ()
    if not axes:
        return ctx.tensor(None) if axes is None else result(ctx, "Squeeze", x)
    dropped = [axis for axis in ctx.normals(axes, x.rank) if x[axis].lo <= 1 <= x[axis].hi]
    return result(ctx, "Squeeze", x, listed(*dropped)) if dropped else x


@rule("Unsqueeze", domain=DOMAIN, any_rank=True)
def unsqueeze(ctx: InferenceContext) -> Tensor:
    """Axes of size 1 are inserted."""
    return result(ctx, "Unsqueeze", ctx.input(0), as_list(ctx.input(1)))


@rule("Transpose", domain=DOMAIN, any_rank=True)
def transpose(ctx: InferenceContext) -> Tensor:
    """The axes in the order that is listed, reversed where none is."""
    order = known(ctx, 1, "the axes")
    x = ctx.input(0)
    if order is None:
        return ctx.tensor(None if x.shape is None else [ctx.fresh(f"size{i}") for i in range(x.rank)])
    return result(ctx, "Transpose", x, **({"perm": order} if order else {}))


@rule("Broadcast", domain=DOMAIN)
def broadcast(ctx: InferenceContext) -> Tensor:
    """The input stretched to the listed shape; along both with mode bidirectional, along named axes with explicit."""
    mode, x, target = ctx.text("mode", "numpy").lower(), ctx.input(0), wanted(ctx, 1)
    if mode == "bidirectional":
        return result(ctx, "Expand", x, ctx.input(1))
    if target is None:
        return ctx.tensor(None)
    require_least(ctx, target, 0, "sizes are not negative")
    dims = tuple(sized(ctx, target))
    if mode == "explicit" and ctx.has(2):
        return _placed(ctx, x, dims)
    if None not in target:
        require_broadcast_to(ctx, x, dims, STRETCHED)
    return ctx.tensor(dims, value=broadcast_value(x, dims))


def _placed(ctx: InferenceContext, x: Tensor, dims: Shape) -> Tensor:
    """The shape, in which each axis of the input has a place of its own."""
    axes = known(ctx, 2, "the axes")
    ctx.check(axes is None or len(axes) == x.rank, f"there are places for {x.rank} axes, not {len(axes or ())}")
    for axis, size in zip(axes or (), x.dims, strict=False):
        require_broadcast_to(ctx, tensor("", (size,)), (dims[ctx.normal(axis, len(dims))],), STRETCHED)
    return ctx.tensor(dims)


@rule("Tile", domain=DOMAIN)
def tile(ctx: InferenceContext) -> Tensor:
    """Every size times its number; the shorter of shape and list is completed by ones in front."""
    x, counts = ctx.input(0), wanted(ctx, 1)
    if counts is None:
        return ctx.tensor(None)
    rank = max(x.rank, len(counts))
    stretched = tensor(x.dtype, [*repeat(ONE, rank - x.rank), *x.dims], x.value if rank == x.rank else None)
    ones: list[Dim | None] = [ONE] * (rank - len(counts))
    return result(ctx, "Tile", stretched, listed(*ones, *counts))


@rule("Range", domain=DOMAIN, any_rank=True)
def sequence(ctx: InferenceContext) -> Tensor:
    """`start + i*step` up to `stop`."""
    found = result(ctx, "Range", ctx.input(0), ctx.input(1), ctx.input(2))
    return tensor(dtype_of(ctx, "output_type", "f32"), found.shape, found.value)


@rule("Eye", domain=DOMAIN, any_rank=True)
def eye(ctx: InferenceContext) -> Tensor:
    """`[*batch, rows, columns]`."""
    batch = wanted(ctx, 3) if ctx.has(3) else []
    if batch is None:
        return ctx.tensor(None, dtype_of(ctx, "output_type", "f32"))
    sizes = [*batch, *(items[0] if (items := ctx.items(i)) else None for i in (0, 1))]
    require_least(ctx, sizes, 0, "sizes are not negative")
    return ctx.tensor(sized(ctx, sizes), dtype_of(ctx, "output_type", "f32"))


@rule("OneHot", domain=DOMAIN)
def one_hot(ctx: InferenceContext) -> Tensor:
    """A new axis of size `depth`."""
    indices, depth = ctx.input(0), ctx.items(1)
    axis = ctx.axis(indices.rank + 1, -1)
    require_least(ctx, depth, 0, "depth is not negative")
    size = sized(ctx, depth or [None])[0]
    return ctx.tensor([*indices.dims[:axis], size, *indices.dims[axis:]], ctx.input(2).dtype)


@rule("RandomUniform", domain=DOMAIN, any_rank=True, random=True)
def random_uniform(ctx: InferenceContext) -> Tensor:
    """A tensor of the listed sizes."""
    sizes = wanted(ctx, 0)
    require_least(ctx, sizes, 0, "sizes are not negative")
    return ctx.tensor(None if sizes is None else sized(ctx, sizes), dtype_of(ctx, "output_type", "f32"))
