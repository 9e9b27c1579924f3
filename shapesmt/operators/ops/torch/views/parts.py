"""Operators that take parts of a tensor, on the same memory: slices, diagonals, windows, and lists of parts."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.base.lazy import np
from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import result, vector
from shapesmt.operators.ops.shared.fields import view_elements, within
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.single import base
from shapesmt.operators.ops.torch.layout import lay_out, nesting_of, strides_of
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Decided, Elements, Layout, Tensor, Traits, Value, position, tensor
from shapesmt.prover.algebra import (
    ONE,
    ZERO,
    Dim,
    any_of,
    as_dim,
    at_least,
    ceil_divide,
    equal,
    maximum,
    minimum,
    select,
)

END = 2**62  # an end that stands for the end of the axis

# One part


def part_of(x: Tensor, output: Tensor, factors: Sequence[Dim], *, copied: bool = False) -> Tensor:
    """Return `output`, a part of `x`, with the strides of `x` times `factors`; contiguous if it is `copied`."""
    strides = strides_of(x)
    if copied:
        return tensor(output.dtype, output.dims, output.value)
    if strides is None:
        return lay_out(output, None)
    return lay_out(output, [d * factor for d, factor in zip(strides, factors, strict=True)], nesting_of(x))


STEP_AT_LEAST_1 = laws.SM307.law("the step is at least 1")


@operator("slice.Tensor", "slice_copy.Tensor", memory="view", traits=Traits.PART)
def slice_(call: Call) -> Tensor:
    """Return every `step`-th element along `dim`, from `start` up to `end`, which are clamped to the axis."""
    x, ctx = call.tensor("self", least=1), call.ctx
    axis, step = ctx.normal(call.integer("dim"), x.rank), call.size("step")
    start = call.size("start") if "start" in call else ZERO
    end = call.size("end") if "end" in call else as_dim(END)
    if step is not None:
        ctx.require_at_least(step, 1, STEP_AT_LEAST_1)
    output = result(ctx, "Slice", x, vector(start), vector(end), vector(axis), vector(step))
    factors = [(step if step is not None else ONE) if i == axis else ONE for i in range(x.rank)]
    return part_of(x, output, factors, copied="_copy" in ctx.node.op)


@operator("narrow.default", "narrow_copy.default", memory="view", traits=Traits.PART)
def narrow(call: Call) -> Tensor:
    """Return `length` elements along an axis from index `start` on; all of them have to exist."""
    x, ctx = call.tensor("self", least=1), call.ctx
    axis, start, length = ctx.normal(call.integer("dim"), x.rank), call.size("start"), call.size("length")
    ctx.require_at_least(0 if length is None else length, 0, laws.LENGTH_NOT_NEGATIVE)
    dims = list(x.dims)
    if length is None or start is None:
        dims[axis] = ctx.fresh("length", 0, x[axis], how=Decided(free=True)) if length is None else length
        ctx.require_at_least(x[axis], dims[axis], laws.SLICES_INSIDE_AXIS)
        return part_of(x, tensor(x.dtype, dims), [ONE] * x.rank, copied="_copy" in ctx.node.op)
    first = within(start, x[axis])
    ctx.require_at_least(first, 0, laws.SLICES_INSIDE_AXIS)
    ctx.require_at_least(x[axis], first + length, laws.SLICES_INSIDE_AXIS)
    dims[axis] = length
    output = result(ctx, "Slice", x, vector(first), vector(first + length), vector(axis))
    return part_of(x, tensor(x.dtype, dims, output.value), [ONE] * x.rank, copied="_copy" in ctx.node.op)


@operator("narrow.Tensor", memory="view", traits=Traits.PART)
def narrow_from(call: Call) -> Tensor:
    """Return `length` elements along an axis, from the index that the tensor `start` holds."""
    x, ctx, length = call.tensor("self", least=1), call.ctx, call.size("length")
    ctx.require_rank(call.tensor("start"), 0)
    axis = ctx.normal(call.integer("dim"), x.rank)
    ctx.assume_valid(call.place("start"))
    length = ctx.fresh("length", 0, x[axis]) if length is None else length
    ctx.require_at_least(length, 0, laws.LENGTH_NOT_NEGATIVE)
    ctx.require_at_least(x[axis], length, laws.SLICES_INSIDE_AXIS)
    return part_of(x, x.replace(axis, length), [ONE] * x.rank)


@operator("select.int", "select_copy.int", memory="view", traits=Traits.PART)
def select_(call: Call) -> Tensor:
    """Return the slice at `index` of `dim`, an axis that is dropped: `[m, n] -> [n]` for axis 0."""
    x, ctx = call.tensor("self", least=1), call.ctx
    axis, index = ctx.normal(call.integer("dim"), x.rank), call.size("index")
    if index is not None:
        ctx.require_within(index, x[axis], laws.INDEX_INSIDE_AXIS)
    return pick_index(x, axis, index, copied="_copy" in ctx.node.op)


def pick_index(x: Tensor, axis: int, index: Dim | None, *, copied: bool = False) -> Tensor:
    """Return the slice of `x` at `index` of an axis, which is dropped; None: the index is unknown.

    The result is a view, or contiguous if `copied`.
    """
    dims = [*x.dims[:axis], *x.dims[axis + 1 :]]
    value = None if index is None else _value_at(x, axis, index, dims)
    output = tensor(x.dtype, dims, value)
    if copied:
        return output
    strides, order, _ = Layout(strides_of(x), nesting_of(x)).without(axis)
    return lay_out(output, strides, order)


def _value_at(x: Tensor, axis: int, index: Dim, dims: Sequence[Dim]) -> Value | None:
    """Return the elements of `x` at `index` of `axis`, in sizes `dims`; None if unknown or if the index is outside."""
    number, length, back = index.constant, x[axis].constant, x.rank - axis
    if number is not None and length is not None and not -length <= number < length:
        return None
    if number is None and isinstance(x.value, Elements):
        return None
    at = within(index, x[axis])

    def moved(b: int) -> Dim:
        return at if b == back else position(b - 1 if b > back else b)

    return view_elements(x, dims, lambda a: np.take(a, number or 0, axis), moved)


# Diagonals and windows


@operator("diagonal.default", "diagonal_copy.default", "linalg_diagonal.default", memory="view", traits=Traits.COPIED)
def diagonal(call: Call) -> Tensor:
    """Return the diagonal of axes `dim1` and `dim2` as a new last axis: `[n, n, c] -> [c, n]` for axes 0 and 1."""
    x, ctx = call.tensor("A" if "A" in call.names else "self"), call.ctx
    a, b = ctx.normals((call.integer("dim1"), call.integer("dim2")), x.rank)
    offset = call.integer("offset")
    size = minimum(x[a] + min(offset, 0), x[b] - max(offset, 0))
    kept = [i for i in range(x.rank) if i not in (a, b)]
    output = tensor(x.dtype, [*(x[i] for i in kept), maximum(size, 0)])
    strides = strides_of(x)
    if "_copy" in ctx.node.op:
        return output
    return lay_out(output, None if strides is None else [*(strides[i] for i in kept), strides[a] + strides[b]])


@operator("diag_embed.default", traits=Traits.COPIED)
def diag_embed(call: Call) -> Tensor:
    """Return matrices with the last axis on a diagonal: `[b, n] -> [b, n, n]`."""
    x, ctx = call.tensor("self", least=1), call.ctx
    a, b = ctx.normals((call.integer("dim1"), call.integer("dim2")), x.rank + 1)
    size = x[-1] + abs(call.integer("offset"))
    others = iter(x.dims[:-1])
    return tensor(x.dtype, [size if i in (a, b) else next(others) for i in range(x.rank + 1)])


@operator("diag.default", "diagflat.default", traits=Traits.COPIED)
def diag(call: Call) -> Tensor:
    """Return a matrix with a vector on a diagonal, `[n] -> [n, n]`, or the diagonal of a matrix."""
    x, ctx, flat = call.tensor("self"), call.ctx, base(call) == "diagflat"
    shift = call.integer("offset" if flat else "diagonal")
    ctx.check(flat or 1 <= x.rank <= 2, laws.RANK_1_OR_2.of(rank=x.rank))
    if not flat and x.rank == 2:
        return tensor(x.dtype, (maximum(minimum(x[0] + min(shift, 0), x[1] - max(shift, 0)), 0),))
    size = x.numel + abs(shift)
    return tensor(x.dtype, (size, size))


WINDOW_FITS_AXIS = laws.SM201.law("the window is no longer than the axis")


@operator("unfold.default", "unfold_copy.default", memory="view", traits=Traits.COPIED)
def unfold(call: Call) -> Tensor:
    """Return sliding windows of an axis along a new last axis: `[n] -> [(n - size)//step + 1, size]`."""
    x, ctx = call.tensor("self"), call.ctx
    axis, size, step = ctx.normal(call.integer("dimension"), max(x.rank, 1)), call.size("size"), call.size("step")
    if size is None or step is None:
        return tensor(x.dtype, [*x.dims, ctx.fresh("size")])
    length = x[axis] if x.rank else ONE
    ctx.require_at_least(size, 0, laws.SIZES_NOT_NEGATIVE)
    ctx.require_at_least(step, 1, STEP_AT_LEAST_1)
    ctx.require_at_least(length, size, WINDOW_FITS_AXIS)
    dims = [(length - size) // step + 1 if i == axis else d for i, d in enumerate(x.dims)]
    output, strides = tensor(x.dtype, [*dims, size]), strides_of(x)
    if "_copy" in ctx.node.op:
        return output
    if strides is None or not x.rank:
        return lay_out(output, None if x.rank else [ONE])
    return lay_out(output, [*(d * step if i == axis else d for i, d in enumerate(strides)), strides[axis]])


# Lists of parts


def cut(x: Tensor, axis: int, sizes: Sequence[Dim], *, copied: bool) -> list[Tensor]:
    """Return consecutive parts of `x` along `axis`, one for each of `sizes`; views, or contiguous if `copied`."""
    outputs, start = [], ZERO
    for size in sizes:
        dims = [size if i == axis else d for i, d in enumerate(x.dims)]
        output = tensor(x.dtype, dims, _value_from(x, axis, start, dims))
        outputs.append(part_of(x, output, [ONE] * x.rank, copied=copied))
        start = start + size
    return outputs


def _value_from(x: Tensor, axis: int, start: Dim, dims: Sequence[Dim]) -> Value | None:
    """Return the elements of a part of sizes `dims` that begins at index `start` of `axis`; None if unknown."""
    first, count, length, back = start.constant, dims[axis].constant, x[axis].constant, x.rank - axis
    inside = first is not None and count is not None and length is not None and 0 <= first <= first + count <= length
    if isinstance(x.value, Elements) and not inside:
        return None
    places = range(first or 0, (first or 0) + (count or 0))

    def moved(b: int) -> Dim:
        return position(b) + start if b == back else position(b)

    return view_elements(x, dims, lambda a: a.take(places, axis), moved)


def required_axis(call: Call, x: Tensor) -> int:
    """Return the axis `dim` along which to split; require at least one axis."""
    call.ctx.require_rank(x, 1, least=True)
    return call.ctx.normal(call.integer("dim"), x.rank)


SPLITS = ("split.sizes", "split.default")

OUTPUT_PER_PART = laws.SM110.law("there are at least {count} parts, as the node names outputs")


@operator(
    *overloads("split_with_sizes", "split_with_sizes_copy", "unsafe_split_with_sizes"),
    *SPLITS,
    memory="view",
    traits=Traits.COPIED,
)
def split_with_sizes(call: Call) -> list[Tensor]:
    """Split axis `dim` into parts of the listed sizes, which have to add up to the size of the axis."""
    x, ctx = call.tensor("self"), call.ctx
    axis, items = required_axis(call, x), call.sizes("split_sizes" if "split_sizes" in call.names else "split_size")
    ctx.check(ctx.outputs <= len(items), OUTPUT_PER_PART.of(count=ctx.outputs))
    for d in items:
        ctx.require_at_least(0 if d is None else d, 0, laws.PART_SIZES_NOT_NEGATIVE)
    sizes = [ctx.fresh(f"size{i}", 0, x[axis]) if d is None else d for i, d in enumerate(items)]
    ctx.require_equal(sum(sizes, ZERO), x[axis], laws.SIZES_ADD_UP_TO_AXIS)
    return cut(x, axis, sizes, copied="_copy" in ctx.node.op)


EMPTY_PARTS_OF_EMPTY_AXIS = laws.SM110.law("parts are empty only of an axis that is")


@operator("split.Tensor", "split_copy.Tensor", "unsafe_split.Tensor", memory="view", traits=Traits.PART)
def split(call: Call) -> list[Tensor]:
    """Split axis `dim` into parts of one size; the last may be smaller: size 5 by 2 gives 2, 2, 1."""
    x, ctx = call.tensor("self"), call.ctx
    axis, size = required_axis(call, x), call.size("split_size")
    if size is None:
        return _any_parts(call, x, axis)
    ctx.require_at_least(size, 0, laws.PART_SIZES_NOT_NEGATIVE)
    ctx.require(any_of(at_least(size, 1), equal(x[axis], 0)), EMPTY_PARTS_OF_EMPTY_AXIS, size, x[axis])
    return equal_parts(call, x, axis, size)


@operator("chunk.default", "unsafe_chunk.default", memory="view", traits=Traits.PART)
def chunk(call: Call) -> list[Tensor]:
    """Split axis `dim` into at most `chunks` parts of one size; the last may be smaller: 5 in 3 parts gives 2, 2, 1."""
    x, ctx = call.tensor("self"), call.ctx
    axis, count = required_axis(call, x), call.integer("chunks")
    ctx.check(count > 0, laws.A_PART)
    ctx.check(ctx.outputs <= count, OUTPUT_PER_PART.of(count=ctx.outputs))
    return equal_parts(call, x, axis, ceil_divide(x[axis], count), empty=True)


def equal_parts(call: Call, x: Tensor, axis: int, size: Dim, *, empty: bool = False) -> list[Tensor]:
    """Return as many parts of one size as the node has outputs; the last may be smaller.

    No part may be empty; with `empty`, all parts of an empty axis may be.
    """
    ctx, n = call.ctx, call.ctx.outputs
    if n > 1:
        needed = size * (n - 1) + 1
        least = select(at_least(0, x[axis]), 0, needed) if empty else needed
        ctx.require_at_least(x[axis], least, OUTPUT_PER_PART.of(count=n))
    sizes = [maximum(minimum(size, x[axis] - size * i), 0) for i in range(n)]
    return cut(x, axis, sizes, copied="_copy" in ctx.node.op)


@operator(*overloads("unbind", "unbind_copy"), memory="view", traits=Traits.PART)
def unbind(call: Call) -> list[Tensor]:
    """Return the slices of an axis, which is dropped: `[2, n]` -> `[n]` and `[n]` for axis 0."""
    x, ctx = call.tensor("self"), call.ctx
    axis = required_axis(call, x)
    ctx.require_at_least(x[axis], ctx.outputs, laws.OUTPUT_PER_AXIS_ELEMENT)
    return [pick_index(x, axis, as_dim(i), copied="_copy" in ctx.node.op) for i in range(ctx.outputs)]


@operator(*overloads("hsplit", "vsplit", "dsplit"), *overloads("tensor_split"), memory="view", traits=Traits.COPIED)
def tensor_split(call: Call) -> list[Tensor]:
    """Split an axis into parts of nearly the same size, or at the listed indices."""
    x, ctx, name = call.tensor("self"), call.ctx, base(call)
    if call.optional("tensor_indices_or_sections") is not None:
        axis = required_axis(call, x)
        ctx.assume_valid(call.place("tensor_indices_or_sections"))
        places = call.tensor("tensor_indices_or_sections")
        if places.rank == 1:
            ctx.require_at_least(places[0] + 1, ctx.outputs, OUTPUT_PER_PART.of(count=ctx.outputs))
        return _any_parts(call, x, axis)
    least = {"hsplit": 1, "vsplit": 2, "dsplit": 3}.get(name, 1)
    ctx.require_rank(x, least, least=True)
    axis = {"hsplit": int(x.rank > 1), "vsplit": 0, "dsplit": 2}.get(name, -1)
    axis = ctx.normal(call.integer("dim"), x.rank) if axis < 0 else axis
    if "indices" in call.names:
        return _between(call, x, axis, call.sizes("indices"))
    sections = call.size("sections")
    ctx.require_at_least(1 if sections is None else sections, 1, laws.A_PART)
    ctx.require_at_least(
        ctx.outputs if sections is None else sections, ctx.outputs, OUTPUT_PER_PART.of(count=ctx.outputs)
    )
    if sections is None or sections.constant is None:
        return _any_parts(call, x, axis)
    count = sections.constant
    if name != "tensor_split":
        ctx.require_equal(x[axis] % count, 0, laws.AXIS_SPLITS_EVENLY.of(parts=count))
    sizes = [(x[axis] + count - 1 - i) // count for i in range(ctx.outputs)]
    return cut(x, axis, sizes, copied=False)


def _any_parts(call: Call, x: Tensor, axis: int) -> list[Tensor]:
    """Return parts of `x` along `axis`, of unknown sizes: one per output of the node."""
    sizes = [call.ctx.fresh(f"size{i}", 0, x[axis]) for i in range(call.ctx.outputs)]
    return [part_of(x, tensor(x.dtype, [*x.dims[:axis], d, *x.dims[axis + 1 :]]), [ONE] * x.rank) for d in sizes]


def _between(call: Call, x: Tensor, axis: int, places: Sequence[Dim | None]) -> list[Tensor]:
    """Return the parts of `axis` between the indices `places`: 2 and 5 on size 9 give parts of sizes 2, 3 and 4."""
    ctx = call.ctx
    ctx.check(ctx.outputs <= len(places) + 1, OUTPUT_PER_PART.of(count=ctx.outputs))
    outputs: list[Tensor] = []
    before: Dim | None = ZERO
    for place in [*places, as_dim(END)][: ctx.outputs]:
        output = result(ctx, "Slice", x, vector(before), vector(place), vector(axis))
        outputs.append(part_of(x, output, [ONE] * x.rank))
        before = place
    return outputs
