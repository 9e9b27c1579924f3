"""Read and write elements by index: slices by masks, gathers with batch axes, scatters, TopK."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.layout.indexing import gathered_elements, gathered_tuples
from shapesmt.operators.ops.openvino.bridge import careless, dtype_of, integers
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.bridge import anything, as_list, constants_of, known_axis, result, results
from shapesmt.operators.ops.shared.follows import apart_from, as_a_whole, gathered_along
from shapesmt.operators.ops.shared.indices import require_inside
from shapesmt.operators.ops.shared.require import (
    open_unless,
    require_least,
    require_same,
    require_shape,
    require_vector,
)
from shapesmt.operators.ops.shared.strided import slice_by_masks
from shapesmt.operators.rules import Keeps, RuleContext, Tensor, Traits, tensor
from shapesmt.prover.algebra import TRUE, Dim, all_of, at_least, less, maximum, product

# Slices


@operator("Slice", traits=Traits.PART)
def cut(ctx: RuleContext) -> Tensor:
    """Slice along each listed axis: `x[start:stop:step]`."""
    return result(ctx, "Slice", *(ctx.input(i) for i in (0, 1, 2)), ctx.input(4) if ctx.has(4) else None, ctx.input(3))


MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")

MASK_0_AND_1 = laws.SM502.law("a mask lists 0 and 1")
MASKS_SAME_LENGTH = laws.SM502.law("masks are of the same length")
STEPS_AS_MANY_AS_STARTS = laws.SM116.law("there are as many steps as starts")


@operator("StridedSlice", traits=Traits.PART)
def strided_slice(ctx: RuleContext) -> Tensor:
    """Slice; masks say which entries are slices, an ellipsis, new axes or single elements."""
    masks = {name: integers(ctx, f"{name}_mask") for name in MASKS}
    ctx.check(all(m in (0, 1) for mask in masks.values() for m in mask), MASK_0_AND_1)
    ctx.check(len({len(mask) for mask in masks.values() if mask}) <= 1, MASKS_SAME_LENGTH)
    if ctx.has(3):
        ctx.require_equal(ctx.input(3).numel, ctx.input(1).numel, STEPS_AS_MANY_AS_STARTS)
    return slice_by_masks(ctx, lambda name, i: i < len(masks[name]) and masks[name][i] == 1)


# Gathers and scatters


BATCH_DIMS_INDEX_AXIS = laws.SM302.law("batch_dims is an axis of the indices")


@operator("Gather", traits=Traits.LOOKUP, follows=gathered_along)
def gather(ctx: RuleContext) -> Tensor:
    """Gather along an axis: data `[a, n, b]`, indices `[i, j]`, axis 1 -> `[a, i, j, b]`.

    The first `batch_dims` axes of data and indices are the same batch axes.
    """
    x, indices, signed_axis = ctx.input(0), ctx.input(1), known_axis(ctx, 2)
    if signed_axis is None:
        return ctx.tensor([ctx.fresh(f"size{i}") for i in range(x.rank + indices.rank - 1)])
    axis = ctx.normal(signed_axis, x.rank)
    batch = ctx.integer("batch_dims", 0)
    batch += indices.rank if batch < 0 else 0
    if batch < 0:
        open_unless(ctx, BATCH_DIMS_INDEX_AXIS)
        return ctx.tensor(None)
    ctx.check(batch <= min(axis, indices.rank), laws.BATCH_DIMS_AT_MOST_AXIS)
    if not batch:
        return _gather(ctx, x, indices, axis)
    require_same(ctx, x.dims[:batch], indices.dims, laws.DATA_AND_INDICES_SAME_BATCH)
    return ctx.tensor([*x.dims[:axis], *indices.dims[batch:], *x.dims[axis + 1 :]])


def _gather(ctx: RuleContext, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Gather without requiring indices inside the axis, as OpenVINO reads zeros for those outside.

    Known elements are retained only if all indices are proven inside.
    """
    before = len(ctx.requirements)
    gathered = result(ctx, "Gather", x, indices, axis=axis)
    inside = all(r.formula is TRUE for r in ctx.requirements[before:])
    del ctx.requirements[before:]
    return gathered if inside else ctx.tensor(gathered.shape)


DATA_AND_INDICES_SAME_SHAPE_OFF_AXIS = laws.SM107.law("data and indices have the same shape off the axis")


@operator("GatherElements", traits=Traits.LOOKUP, follows=gathered_elements)
def gather_elements(ctx: RuleContext) -> Tensor:
    """Gather elements; the output has the indices' shape, which equals the data's shape on every axis but `axis`."""
    x, indices = ctx.input(0), ctx.input(1)
    axis = ctx.axis(x.rank, 0)
    ctx.require_agree(x, indices, but=axis, law=DATA_AND_INDICES_SAME_SHAPE_OFF_AXIS)
    return result(ctx, "GatherElements", x, indices, axis=axis)


@operator("GatherND", traits=Traits.LOOKUP, follows=gathered_tuples)
def gather_nd(ctx: RuleContext) -> Tensor:
    """Gather elements or slices by the index tuples along the indices' last axis; data and indices share batch axes."""
    x, indices, batch = ctx.input(0), ctx.input(1), ctx.integer("batch_dims", 0)
    for t in (x, indices):
        ctx.require_rank(t, batch + 1, least=True)
    require_same(ctx, x.dims[:batch], indices.dims, laws.DATA_AND_INDICES_SAME_BATCH)
    return careless(ctx, "GatherND", x, indices, batch_dims=batch)


@operator("GatherND-5")
def gather_nd_5(ctx: RuleContext) -> Tensor:
    """Gather as later versions do, then flatten the batch axes into one."""
    batch, elements = ctx.integer("batch_dims", 0), gather_nd(ctx)
    if batch < 2 or elements.shape is None:
        return elements
    return ctx.tensor([product(elements.dims[:batch]), *elements.dims[batch:]])


@operator("ScatterUpdate", traits=Traits.COPIED)
def scatter_update(ctx: RuleContext) -> Tensor:
    """Replace slices of an axis; updates have the data's shape with that axis replaced by the indices' axes."""
    x, indices, updates, signed_axis = ctx.input(0), ctx.input(1), ctx.input(2), known_axis(ctx, 3)
    if signed_axis is None:
        return ctx.tensor(x.dims)
    axis = ctx.normal(signed_axis, x.rank)
    require_inside(ctx, indices, x[axis], from_end=False)
    if x.rank == 1 and indices.rank <= 1 and updates.rank <= 1:
        return result(ctx, "ScatterElements", x, as_list(indices), as_list(updates), axis=0)
    shape = (*x.dims[:axis], *indices.dims, *x.dims[axis + 1 :])
    require_shape(ctx, 2, shape, laws.UPDATES_SHAPED_AS_REPLACED)
    return ctx.tensor(x.dims)


REDUCTIONS = {"none": "none", "sum": "add", "prod": "mul", "min": "min", "max": "max"}


@operator("ScatterElementsUpdate", traits=Traits.COPIED)
def scatter_elements(ctx: RuleContext) -> Tensor:
    """Write updates at indices along an axis; indices and updates have the same shape and the data's rank."""
    axis, reduction = known_axis(ctx, 3), REDUCTIONS.get(ctx.text("reduction", "none"))
    if axis is None:
        return ctx.tensor(ctx.input(0).dims)
    scattered = careless(ctx, "ScatterElements", *ctx.inputs[:3], axis=axis, reduction=reduction or "none")
    return scattered if reduction else ctx.tensor(scattered.shape)


@operator("ScatterNDUpdate", traits=Traits(Keeps.COPIED, tuples=True))
def scatter_nd(ctx: RuleContext) -> Tensor:
    """Write an element or a slice at each index tuple."""
    reduction = REDUCTIONS.get(ctx.text("reduction", "none"))
    scattered = result(ctx, "ScatterND", *ctx.inputs[:3], reduction=reduction or "none")
    return scattered if reduction else ctx.tensor(scattered.shape)


# Choices


K_AT_LEAST_1 = laws.SM502.law("k is at least 1")


@operator("TopK", traits=Traits.MIXED, follows=apart_from(lambda ctx, x: {ctx.axis(x.rank)}))
def top_k(ctx: RuleContext) -> list[Tensor]:
    """Return the `k` largest or smallest elements along an axis, and their indices."""
    attributes = {"axis": ctx.integer("axis"), "largest": int(ctx.text("mode", "max") == "max")}
    ordered = int(ctx.text("sort", "value") == "value")
    require_least(ctx, ctx.items(1), 1, K_AT_LEAST_1)
    best, places = results(ctx, "TopK", ctx.input(0), as_list(ctx.input(1)), sorted=ordered, **attributes)
    return [best, tensor(dtype_of(ctx, "index_element_type", "i32"), places.shape, places.value)]


@operator("NonZero", any_rank=True)
def non_zero(ctx: RuleContext) -> Tensor:
    """Return the indices of nonzero elements, `[rank, count]`."""
    places, dtype = result(ctx, "NonZero", ctx.input(0)), dtype_of(ctx, "output_type")
    return tensor(dtype, places.shape, places.value)


@operator("Unique", follows=as_a_whole)
def unique(ctx: RuleContext) -> list[Tensor]:
    """Return the distinct elements or slices, the indices of their first occurrences, inverse indices and counts."""
    axis = constants_of(ctx, 1, "the axis") if ctx.has(1) else ()
    if axis is None:
        return [anything(ctx, ctx.input(0)), *(ctx.tensor([ctx.fresh(f"count{i}")], "int64") for i in range(3))]
    ctx.check(not ctx.has(1) or len(axis) == 1, laws.AXIS_ONE_NUMBER)
    outputs = results(ctx, "Unique", ctx.input(0), **({"axis": axis[0]} if axis else {}))
    indices, counts = (dtype_of(ctx, name) for name in ("index_element_type", "count_element_type"))
    places = [tensor(dtype, t.shape) for dtype, t in zip((indices, indices, counts), outputs[1:], strict=False)]
    return [outputs[0], *places]


@operator("SliceScatter")
def slice_scatter(ctx: RuleContext) -> Tensor:
    """Replace a slice of the data by updates of the same shape."""
    x, axes = ctx.input(0), ctx.input(5) if ctx.has(5) else None
    replaced = result(ctx, "Slice", x, ctx.input(2), ctx.input(3), axes, ctx.input(4))
    if replaced.shape is not None:
        ctx.require_agree(replaced, ctx.input(1), law=laws.UPDATES_SHAPED_AS_REPLACED)
    return ctx.tensor(x.dims)


STEPS_AND_PARENTS_SAME_SHAPE = laws.SM107.law("steps and parents have the same shape")


@operator("GatherTree")
def gather_tree(ctx: RuleContext) -> Tensor:
    """Trace beams back through steps and parents, `[time, batch, beams]` each; each sample has its own length."""
    steps = ctx.input(0)
    ctx.require_agree(steps, ctx.input(1), law=STEPS_AND_PARENTS_SAME_SHAPE)
    require_vector(ctx, 2, steps[1], laws.LENGTH_PER_BATCH_ELEMENT)
    return ctx.tensor(steps.dims)


ROW_SEGMENTS_IN_ORDER = laws.SM116.law("the segments of the rows are in order")
NUMBER_OF_SEGMENTS_NOT_NEGATIVE = laws.SM309.law("the number of segments is not negative")


@operator("SegmentMax")
def segment_max(ctx: RuleContext) -> Tensor:
    """Return the maximum of the rows in each segment: `[n, ...]` -> `[segments, ...]`."""
    x = ctx.input(0)
    require_vector(ctx, 1, x[0], laws.SEGMENT_PER_ROW)
    ids = ctx.constants(1) or ()
    ctx.check(list(ids) == sorted(ids), ROW_SEGMENTS_IN_ORDER)
    requested = ctx.items(2) if ctx.has(2) else None
    segments = requested[0] if requested and requested[0] is not None else ctx.fresh("segments")
    open_unless(ctx, NUMBER_OF_SEGMENTS_NOT_NEGATIVE, at_least(segments, 0))
    return ctx.tensor([maximum(segments, 0), *x.dims[1:]])


ROW_AND_COLUMN_PER_VALUE = laws.SM116.law("each value has a row and a column")


@operator("SparseFillEmptyRows")
def fill_empty_rows(ctx: RuleContext) -> list[Tensor]:
    """Fill the empty rows of a sparse matrix, which has values `[n]` at indices `[n, 2]`.

    The outputs are the new indices and values, and a flag for each row that was empty.
    """
    values, places = ctx.input(0), ctx.input(2)
    require_shape(ctx, 2, (values[0], 2), ROW_AND_COLUMN_PER_VALUE)
    rows, columns = ctx.sizes(1, 2)
    require_least(ctx, (rows, columns), 0, laws.SIZES_NOT_NEGATIVE)
    _require_inside(ctx, rows, columns)
    filled = ctx.fresh("filled")
    first = ctx.fresh("rows") if rows is None else maximum(rows, 0)
    return [tensor(places.dtype, (filled, 2)), tensor(values.dtype, (filled,)), tensor("bool", (first,))]


def _require_inside(ctx: RuleContext, rows: Dim | None, columns: Dim | None) -> None:
    """Require that the known (row, column) indices in input 2 are inside the matrix; None for an unknown size."""
    for i, place in enumerate(ctx.items(2) or ()):
        size = columns if i % 2 else rows
        if place is not None and size is not None and size.lo >= 0:
            ctx.require(all_of(at_least(place, 0), less(place, size)), laws.INDICES_INSIDE_AXIS, place, size)
