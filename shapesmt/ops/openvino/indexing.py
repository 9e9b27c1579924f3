"""Operators that pick and place elements: slices by masks, gathers with batch axes, scatters, TopK, NMS."""

from __future__ import annotations

from shapesmt.context import InferenceContext
from shapesmt.dim import ONE, product
from shapesmt.formula import TRUE
from shapesmt.ops.bridge import anything, as_list, result, results
from shapesmt.ops.openvino.bridge import DOMAIN, dtype_of, integers, known, known_axis
from shapesmt.ops.registry import rule
from shapesmt.ops.strided import strided
from shapesmt.tensor import Tensor, tensor

# Slices


@rule("Slice", domain=DOMAIN)
def cut(ctx: InferenceContext) -> Tensor:
    """`x[start:stop:step]` along each listed axis."""
    return result(ctx, "Slice", *(ctx.input(i) for i in (0, 1, 2)), ctx.input(4) if ctx.has(4) else None, ctx.input(3))


MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


@rule("StridedSlice", domain=DOMAIN)
def strided_slice(ctx: InferenceContext) -> Tensor:
    """Entries are slices, an ellipsis, new axes and single elements, as the masks say."""
    masks = {name: integers(ctx, f"{name}_mask") for name in MASKS}
    return strided(ctx, lambda name, i: i < len(masks[name]) and masks[name][i] == 1)


# Gathers and scatters


@rule("Gather", domain=DOMAIN)
def gather(ctx: InferenceContext) -> Tensor:
    """The indexed elements along an axis; the first `batch_dims` axes are common to both."""
    x, indices, named = ctx.input(0), ctx.input(1), known_axis(ctx, 2)
    if named is None:
        count = x.rank + indices.rank - 1
        return ctx.tensor([ctx.fresh(f"size{i}") for i in range(count)])
    axis = ctx.normal(named, x.rank)
    batch = ctx.integer("batch_dims", 0)
    batch += indices.rank if batch < 0 else 0
    ctx.check(0 <= batch <= min(axis, indices.rank), "batch_dims is at most the axis and the rank of the indices")
    if not batch:
        return _gathered(ctx, x, indices, axis)
    for left, right in zip(x.dims[:batch], indices.dims, strict=False):
        ctx.require_equal(left, right, "data and indices have the same batch axes")
    return ctx.tensor([*x.dims[:axis], *indices.dims[batch:], *x.dims[axis + 1 :]])


def _gathered(ctx: InferenceContext, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """What ONNX gathers, without its law: an index outside the axis gathers zeros."""
    before = len(ctx.requirements)
    made = result(ctx, "Gather", x, indices, axis=axis)
    inside = all(r.formula is TRUE for r in ctx.requirements[before:])
    del ctx.requirements[before:]
    return made if inside else ctx.tensor(made.shape)


@rule("GatherElements", domain=DOMAIN)
def gather_elements(ctx: InferenceContext) -> Tensor:
    """The indices' shape, which off the axis is the data's."""
    x, indices = ctx.input(0), ctx.input(1)
    axis = ctx.axis(x.rank, 0)
    ctx.require_agree(x, indices, but=axis, law="data and indices have the same shape off the axis")
    return result(ctx, "GatherElements", x, indices, axis=axis)


@rule("GatherND-5", domain=DOMAIN)
def gather_nd_5(ctx: InferenceContext) -> Tensor:
    """As later versions, but with the batch axes made one."""
    batch = ctx.integer("batch_dims", 0)
    found = result(ctx, "GatherND", ctx.input(0), ctx.input(1), batch_dims=batch)
    if batch < 2 or found.shape is None:
        return found
    return ctx.tensor([product(found.dims[:batch]), *found.dims[batch:]])


@rule("ScatterUpdate", domain=DOMAIN)
def scatter_update(ctx: InferenceContext) -> Tensor:
    """The shape is kept; updates are `[*before, *indices, *behind]` about the axis."""
    x, indices, updates, named = ctx.input(0), ctx.input(1), ctx.input(2), known_axis(ctx, 3)
    if named is None:
        return ctx.tensor(x.dims)
    axis = ctx.normal(named, x.rank)
    if x.rank == 1 and indices.rank <= 1 and updates.rank <= 1:
        return result(ctx, "ScatterElements", x, as_list(indices), as_list(updates), axis=0)
    shape = (*x.dims[:axis], *indices.dims, *x.dims[axis + 1 :])
    ctx.check(updates.rank == len(shape), "updates have the shape of what they replace")
    for size, place in zip(updates.dims, shape, strict=True):
        ctx.require_equal(size, place, "updates have the shape of what they replace")
    return ctx.tensor(x.dims)


REDUCTIONS = {"none": "none", "sum": "add", "prod": "mul", "min": "min", "max": "max"}


@rule("ScatterElementsUpdate", domain=DOMAIN)
def scatter_elements(ctx: InferenceContext) -> Tensor:
    """The shape is kept; indices and updates have one shape, and the rank of the data."""
    axis, reduction = known_axis(ctx, 3), REDUCTIONS.get(ctx.text("reduction", "none"))
    if axis is None:
        return ctx.tensor(ctx.input(0).dims)
    made = result(ctx, "ScatterElements", *ctx.inputs[:3], axis=axis, reduction=reduction or "none")
    return made if reduction else ctx.tensor(made.shape)


@rule("ScatterNDUpdate", domain=DOMAIN)
def scatter_nd(ctx: InferenceContext) -> Tensor:
    """The shape is kept; indices name elements or slices, and there is an update for each."""
    reduction = REDUCTIONS.get(ctx.text("reduction", "none"))
    made = result(ctx, "ScatterND", *ctx.inputs[:3], reduction=reduction or "none")
    return made if reduction else ctx.tensor(made.shape)


# Choices


@rule("TopK", domain=DOMAIN)
def top_k(ctx: InferenceContext) -> list[Tensor]:
    """The `k` largest or smallest along an axis, and their places."""
    attributes = {"axis": ctx.integer("axis"), "largest": int(ctx.text("mode", "max") == "max")}
    ordered = int(ctx.text("sort", "value") == "value")
    best, places = results(ctx, "TopK", ctx.input(0), as_list(ctx.input(1)), sorted=ordered, **attributes)
    return [best, tensor(dtype_of(ctx, "index_element_type", "i32"), places.shape, places.value)]


@rule("NonMaxSuppression", domain=DOMAIN)
def non_max_suppression(ctx: InferenceContext) -> list[Tensor]:
    """Boxes `[b, n, 4]`, scores `[b, c, n]`: the indices and the scores of those selected, `[selected, 3]` each."""
    chosen = result(ctx, "NonMaxSuppression", *ctx.inputs[:3])
    dtype = dtype_of(ctx, "output_type")
    return [tensor(dtype, chosen.shape), tensor("float32", chosen.shape), tensor(dtype, (ONE,))]


@rule("Unique", domain=DOMAIN)
def unique(ctx: InferenceContext) -> list[Tensor]:
    """The distinct elements or slices, where each first occurs, the way back, and their counts."""
    axis = known(ctx, 1, "the axis") if ctx.has(1) else ()
    if axis is None:
        return [anything(ctx, ctx.input(0)), *(ctx.tensor([ctx.fresh(f"count{i}")], "int64") for i in range(3))]
    found = results(ctx, "Unique", ctx.input(0), **({"axis": axis[0]} if axis else {}))
    indices, counts = (dtype_of(ctx, name) for name in ("index_element_type", "count_element_type"))
    places = [tensor(dtype, t.shape) for dtype, t in zip((indices, indices, counts), found[1:], strict=False)]
    return [found[0], *places]
