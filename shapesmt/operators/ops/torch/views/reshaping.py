"""Operators that keep the elements, in their order, and change the sizes."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.layout.reshape import divide_products, uncommon_products
from shapesmt.operators.ops.shared.fields import reshape_elements
from shapesmt.operators.ops.shared.require import require_least
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import real_part
from shapesmt.operators.ops.torch.elementwise.single import base
from shapesmt.operators.ops.torch.layout import (
    OPEN,
    is_plain,
    lay_out,
    nesting_of,
    storage_of,
    strides_of,
    view_of,
    viewable,
)
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Decided, Tensor, Traits, tensor
from shapesmt.prover.algebra import ONE, ZERO, Dim, all_of, any_of, as_dim, at_least, differs, divides, equal, product

BITS = {
    "bool": 8,
    "complex32": 32,
    "bcomplex32": 32,
    "complex64": 64,
    "complex128": 128,
    "bfloat16": 16,
    **{f"{kind}{bits}": bits for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)},
}


# Sizes


def resolve_sizes(call: Call, whole: Sequence[Dim], items: Sequence[Dim | None]) -> list[Dim]:
    """Return the new sizes for a tensor of sizes `whole`: `(-1, 4)` for `[2, 6]` -> `[3, 4]`.

    Require that the number of elements stays; -1 stands for the remaining size, None for an unknown one.
    """
    ctx = call.ctx
    wild = [i for i, d in enumerate(items) if d is not None and d.constant == -1]
    ctx.check(len(wild) <= 1, laws.AT_MOST_ONE_MINUS_1)
    sizes = [ONE if i in wild else _size(call, i, d) for i, d in enumerate(items)]
    unknown = [i for i, d in enumerate(items) if d is None]
    if wild or (len(unknown) == 1 and all(d.lo >= 1 for i, d in enumerate(sizes) if i not in unknown)):
        place = (wild or unknown)[0]
        known = [d for i, d in enumerate(sizes) if i != place]
        remaining, exact = divide_products(whole, known)
        fits = all_of(*(differs(d, 0) for d in known), exact)
        ctx.require(fits, laws.GIVEN_SIZES_DIVIDE_ELEMENT_COUNT, product(whole), product(known))
        return [remaining if i == place else d for i, d in enumerate(sizes)]
    ctx.require_equal(*uncommon_products(whole, sizes), laws.ELEMENT_COUNT_KEPT)
    return sizes


def _size(call: Call, index: int, d: Dim | None) -> Dim:
    """Return `d`, entry `index` of the new sizes, or a new symbol for None; require that it isn't negative.

    If it may be -1, the node is undecided in that case.
    """
    if d is None:
        return call.ctx.fresh(f"size{index}", 0, how=Decided(free=True))
    if d.lo == -1 and d.constant is None:
        call.ctx.leave("elements", laws.SIZES_NOT_NEGATIVE, branch=equal(d, -1))
    call.ctx.require_at_least(d, -1 if d.lo == -1 else 0, laws.SIZES_NOT_NEGATIVE)
    return d


# Views and copies


VIEW_FITS_MEMORY = laws.SM104.law("the sizes of a view fit how the elements are in memory")


def as_view(call: Call, x: Tensor, dims: Sequence[Dim]) -> Tensor:
    """Return `x` viewed with sizes `dims`; require that PyTorch needs no copy."""
    result = tensor(x.dtype, dims, reshape_elements(x, dims))
    fits = viewable(x, dims)
    if strides_of(x) is None and fits.op != "true":
        call.ctx.leave("layout", VIEW_FITS_MEMORY)
    else:
        call.ctx.require(fits, VIEW_FITS_MEMORY)
    return view_of(x, result)


def as_reshaped(x: Tensor, dims: Sequence[Dim]) -> Tensor:
    """Return the tensor with sizes `dims`: a view if it needs no copy, otherwise a contiguous copy."""
    result = tensor(x.dtype, dims, reshape_elements(x, dims))
    fits = viewable(x, dims)
    if fits.op == "true":
        return view_of(x, result)
    return result if fits.op == "false" else tensor(x.dtype, dims, result.value, layout=OPEN)


@operator("view.default", "_unsafe_view.default", "view_as.default", memory="view", traits=Traits.ORDERED)
def view(call: Call) -> Tensor:
    """View a tensor with the listed sizes, or with those of another tensor."""
    x, other = call.tensor("self"), call.optional("other")
    return as_view(call, x, resolve_sizes(call, x.dims, call.sizes("size") if other is None else other.dims))


@operator("reshape.default", "view_copy.default", memory="view", traits=Traits.ORDERED)
@operator("_reshape_copy.default", "reshape_as.default", memory="view", traits=Traits.ORDERED)
def reshape(call: Call) -> Tensor:
    """Return the tensor with the listed sizes, or with those of another tensor."""
    x, other, name = call.tensor("self"), call.optional("other"), "shape" if "shape" in call.names else "size"
    dims = resolve_sizes(call, x.dims, call.sizes(name) if other is None else other.dims)
    if base(call) == "view_copy":
        copy = as_view(call, x, dims)
        return tensor(copy.dtype, copy.dims, copy.value)
    return as_reshaped(x, dims)


@operator("flatten.using_ints", "ravel.default", memory="view", traits=Traits.ORDERED)
def flatten(call: Call) -> Tensor:
    """Merge axes `start_dim` to `end_dim` into one: `[a, b, c] -> [a, b*c]` for 1 and 2."""
    x, ctx = call.tensor("self"), call.ctx
    first, last = (call.integer("start_dim"), call.integer("end_dim")) if "start_dim" in call.names else (0, -1)
    first, last = (ctx.normal(axis, max(x.rank, 1)) for axis in (first, last))
    ctx.check(first <= last, laws.AXIS_BEFORE_END_AXIS.of(first=first, last=last))
    return as_reshaped(x, [*x.dims[:first], product(x.dims[first : last + 1]), *x.dims[last + 1 :]])


@operator("unflatten.int", memory="view", traits=Traits.ORDERED)
def unflatten(call: Call) -> Tensor:
    """Split axis `dim` into several: `[a, 6] -> [a, 2, 3]` for sizes `(2, 3)`."""
    x, ctx = call.tensor("self"), call.ctx
    axis, sizes = ctx.normal(call.integer("dim"), x.rank), call.sizes("sizes")
    ctx.check(bool(sizes), laws.A_PART)
    new = resolve_sizes(call, [x[axis]], sizes)
    return as_view(call, x, [*x.dims[:axis], *new, *x.dims[axis + 1 :]])


LAST_AXIS_FITS_TYPE = laws.SM104.law("the last axis is a whole number of elements of the other type")


@operator("view.dtype", memory="view")
def view_type(call: Call) -> Tensor:
    """View the memory as elements of another type; the size of the last axis changes with the width of an element."""
    x, dtype = call.tensor("self"), call.text("dtype")
    before, after = BITS.get(x.dtype, 0), BITS.get(dtype, 0)
    if before == after and before:
        return tensor(dtype, x.dims, layout=x.layout)
    call.ctx.check(x.rank > 0, laws.RANK_AT_LEAST_1)
    if not before or not after or not is_plain(x):
        call.ctx.leave("layout", VIEW_FITS_MEMORY)
        return tensor(dtype, [call.ctx.fresh(f"size{i}") for i in range(x.rank)])
    if after > before:
        call.ctx.require(divides(as_dim(after // before), x[-1]), LAST_AXIS_FITS_TYPE, x[-1], after // before)
        return tensor(dtype, [*x.dims[:-1], x[-1] // (after // before)])
    return tensor(dtype, [*x.dims[:-1], x[-1] * (before // after)])


INPUT_COMPLEX = laws.SM501.law("the input is complex")


@operator("view_as_real.default", "view_as_real_copy.default", memory="view")
def view_as_real(call: Call) -> Tensor:
    """View complex numbers as real and imaginary parts along a new last axis."""
    x, strides = call.tensor("self"), strides_of(call.tensor("self"))
    call.ctx.check(real_part(x.dtype) != x.dtype, INPUT_COMPLEX)
    result = tensor(real_part(x.dtype), (*x.dims, 2))
    order = nesting_of(x)
    apart = None if strides is None else [*(2 * d for d in strides), ONE]
    storage = storage_of(x)
    return lay_out(result, apart, None if order is None else (*order, x.rank), None if storage is None else 2 * storage)


REAL_AND_IMAGINARY_PARTS = laws.SM104.law("the last axis has real and imaginary parts")


@operator("view_as_complex.default", "view_as_complex_copy.default", memory="view")
def view_as_complex(call: Call) -> Tensor:
    """View real and imaginary parts, along the last axis, as complex numbers."""
    x, ctx = call.tensor("self"), call.ctx
    ctx.check(x.dtype in COMPLEX_OF, laws.FOLDS_FLOATS)
    ctx.check(x.rank > 0, laws.RANK_AT_LEAST_1)
    ctx.require_equal(x[-1], 2, REAL_AND_IMAGINARY_PARTS)
    result = tensor(COMPLEX_OF.get(x.dtype, ""), x.dims[:-1])
    if not is_plain(x) or storage_of(x) is not x.numel:
        ctx.leave("layout", VIEW_FITS_MEMORY)
        return lay_out(result, None)
    return result


COMPLEX_OF = {"float32": "complex64", "float64": "complex128", "float16": "complex32"}


@operator(*overloads("resize", "resize_as"), memory="view")
def resize(call: Call) -> Tensor:
    """Resize the tensor to any sizes; elements beyond its memory are undefined."""
    x, template = call.tensor("self"), call.optional("the_template")
    sizes = call.sizes("size") if template is None else list(template.dims)
    dims = [_size(call, i, d) for i, d in enumerate(sizes)]
    require_least(call.ctx, dims, 0, laws.SIZES_NOT_NEGATIVE)
    return tensor(x.dtype, dims)


# Explicit strides


VIEW_INSIDE_STORAGE = laws.SM104.law("a view by strides is inside the tensor's memory")


@operator("as_strided.default", "as_strided_.default", "as_strided_copy.default", memory="view", traits=Traits.COPIED)
def strided(call: Call) -> Tensor:
    """Return a view with the listed sizes and strides; require that it lies inside the tensor's memory."""
    x, ctx, offset = call.tensor("self"), call.ctx, call.size("storage_offset")
    sizes, strides = call.sizes("size"), call.sizes("stride")
    ctx.check(len(sizes) == len(strides), laws.STRIDE_PER_SIZE)
    dims = [_size(call, i, d) for i, d in enumerate(sizes)]
    require_least(ctx, (*dims, *strides, ZERO if offset is None else offset), 0, laws.STRIDES_NOT_NEGATIVE)
    storage, known = storage_of(x), [s for s in strides if s is not None]
    if storage is None or len(known) < len(strides):
        ctx.leave("layout", VIEW_INSIDE_STORAGE)
        return lay_out(tensor(x.dtype, dims), None)
    last = sum(((d - 1) * s for d, s in zip(dims, known, strict=True)), ZERO if offset is None else offset)
    inside = any_of(*(equal(d, 0) for d in dims), at_least(storage, last + 1))
    ctx.require(inside, VIEW_INSIDE_STORAGE, last + 1, storage)
    if base(call) == "as_strided_copy":
        return tensor(x.dtype, dims)
    return lay_out(tensor(x.dtype, dims), known, None, storage if offset is None or offset is ZERO else None)


@operator("as_strided_scatter.default", traits=Traits.COPIED)
def as_strided_scatter(call: Call) -> Tensor:
    """Replace the elements that a view with the listed sizes and strides covers."""
    x, part = call.tensor("self"), strided(call)
    call.ctx.require_agree(part, call.tensor("src"), law=laws.UPDATES_SHAPED_AS_REPLACED)
    _require_apart(call, part)
    return tensor(x.dtype, x.dims)


WRITTEN_ELEMENTS_APART = laws.SM104.law("no two elements that are written share their memory")


def _require_apart(call: Call, part: Tensor) -> None:
    """Require that no written element overlaps another."""
    empty = [equal(d, 0) for d in part.dims]
    for d, stride in zip(part.dims, call.sizes("stride"), strict=True):
        if stride is not None:
            apart = any_of(at_least(stride, 1), at_least(1, d), *empty)
            call.ctx.require(apart, WRITTEN_ELEMENTS_APART, stride, 1)


@operator("_reshape_alias.default", memory="view")
def reshape_alias(call: Call) -> Tensor:
    """View a tensor with other sizes and with the listed strides."""
    x, strides = call.tensor("self"), call.sizes("stride")
    dims = resolve_sizes(call, x.dims, call.sizes("size"))
    known = [s for s in strides if s is not None]
    return lay_out(tensor(x.dtype, dims), known if len(known) == len(dims) else None, None, storage_of(x))
