"""Lists of tensors, in which TensorFlow's loops collect the results of their iterations.

A list is a `Tensor` of element type "list(float32)" whose first size is its length and whose other sizes are those of
each element: `list(float32)[n, 3]` holds n vectors of 3. While no element is set, it is `unset(float32)[n]`. If a list
is created with all sizes of its elements, it is a `list(float32):==[n, 3, 4]` from the beginning: its elements are
zeros until they are set. If it is created with some sizes, `[-1, 4]`, it is an `unset(float32):?=[n, 0, 4]`, then a
`list(float32):?=`. A list whose elements may differ in shape is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable

from shapesmt.network import laws
from shapesmt.network.graph import Declared
from shapesmt.operators.ops.shared.require import require_least, require_same
from shapesmt.operators.ops.tensorflow.common import DOMAIN, first, leave_open
from shapesmt.operators.rules import Keeps, RuleContext, Tensor, Traits, elements, field, rule, tensor
from shapesmt.prover.algebra import FALSE, ONE, TRUE, ZERO, Dim, all_of, any_of, as_dim, at_least, equal, maximum


def unset(ctx: RuleContext, length: Dim | int) -> Tensor:
    """Return a list of `length` elements, none of them set; the first input holds the element shape."""
    dtype, sizes = ctx.text("element_dtype", ""), requested_shape(ctx, 0)
    if sizes is None:
        return tensor(f"unset({dtype})", [as_dim(length)], field(ZERO))
    marks = "".join("?" if d is None else "=" for d in sizes)
    dims = [as_dim(length), *(ZERO if d is None else d for d in sizes)]
    return tensor(f"{'unset' if '?' in marks else 'list'}({dtype}):{marks}", dims, field(ZERO))


def list_of(dtype: str, length: Dim, sizes: Iterable[Dim], marks: str | None = None) -> Tensor:
    """Return a list of `length` tensors of shape `sizes`; `marks` as in `marks_of`."""
    return tensor(f"list({dtype})" if marks is None else f"list({dtype}):{marks}", [length, *sizes])


def marks_of(handle: Tensor) -> str | None:
    """Return a mark per axis of the list's initial element shape: "=" for a size, "?" for none; None without one."""
    _, colon, marks = handle.dtype.partition(":")
    return marks if colon else None


def own_sizes(handle: Tensor) -> list[Dim | None] | None:
    """Return the element shape that the list was created with, None per unknown size; None if any shape will do."""
    marks = marks_of(handle)
    return None if marks is None else [d if m == "=" else None for m, d in zip(marks, handle.dims[1:], strict=True)]


def merge_sizes(own: list[Dim | None] | None, requested: list[Dim | None] | None) -> list[Dim | None] | None:
    """Return the element shape `own`, with its unknown sizes taken from `requested`; None if both are None."""
    if own is None or requested is None or len(own) != len(requested):
        return requested if own is None else own
    return [size if d is None else d for d, size in zip(own, requested, strict=True)]


def is_sized(handle: Tensor) -> bool:
    """Whether the list was created with all sizes of its elements."""
    marks = marks_of(handle)
    return marks is not None and "?" not in marks


def known_sizes(shape: list[Dim | None] | None) -> list[Dim] | None:
    """Return the sizes of a shape if all are known, otherwise None."""
    known = [d for d in shape or () if d is not None]
    return known if shape is not None and len(known) == len(shape) else None


INPUT_LIST_FOLLOWED = laws.SM502.law("input {index} is a list that is followed")
INPUT_OF_TYPE_LIST = laws.SM501.law("input {index} is of type list")


def input_list(ctx: RuleContext) -> Tensor:
    """Return the list in the first input; the node is undecided if an operator without a rule returns that list."""
    handle = ctx.input(0)
    if not handle.dtype:
        leave_open(ctx, INPUT_LIST_FOLLOWED.of(index=0))
    ctx.check(handle.dtype.startswith(("list(", "unset(")) and handle.rank > 0, INPUT_OF_TYPE_LIST.of(index=0))
    return handle


ELEMENTS_HAVE_REQUESTED_SHAPE = laws.SM107.law("elements have the shape that is asked for")
LIST_ELEMENTS_ONE_SHAPE = laws.SM107.law("all elements of the list have one shape")


def with_element(ctx: RuleContext, handle: Tensor, length: Dim, x: Tensor) -> Tensor:
    """Return the list with `length` elements after one is set to `x`, which must have the shape of the others."""
    own, sizes, law = own_sizes(handle), x.dims, ELEMENTS_HAVE_REQUESTED_SHAPE
    if own is not None:
        ctx.check(len(own) == x.rank, law)
        sizes = tuple(d if size is None else size for size, d in zip(own, x.dims, strict=True))
        require_same(ctx, x.dims, sizes, law)
    if handle.dtype.startswith("list("):
        old, new = handle.dims[1:], sizes
        alike = len(old) == len(new) and all(equal(a, b) is TRUE for a, b in zip(old, new, strict=True))
        if not alike:
            ctx.leave("unsupported", LIST_ELEMENTS_ONE_SHAPE)
    return list_of(x.dtype, length, sizes, marks_of(handle))


def require_shape(ctx: RuleContext, handle: Tensor, index: int) -> Tensor:
    """Return the list; require that its elements have the shape that input `index` requests."""
    shape = requested_shape(ctx, index)
    element_sizes(ctx, handle, shape, ONE)
    dtype = handle.dtype.removeprefix("list(").removesuffix(")")
    marks = None if known_sizes(shape) is None else "=" * (handle.rank - 1)
    return list_of(dtype, handle[0], handle.dims[1:], marks)


def requested_shape(ctx: RuleContext, index: int) -> list[Dim | None] | None:
    """Return the element shape in input `index`, with None for each unknown size; None if any shape will do."""
    x, items = ctx.input(index), ctx.items(index)
    if x.shape is None or x.rank != 1 or items is None:
        ctx.assume_valid(index)
        return None
    return [d if d is not None and d.lo >= 0 else None for d in items]


def attribute_shape(ctx: RuleContext) -> list[Dim | None] | None:
    """Return the element shape in the attribute `element_shape`, in the form of `requested_shape`."""
    declared = ctx.attribute("element_shape")
    shape = declared.shape if isinstance(declared, Declared) else None
    return None if shape is None else [as_dim(d) if isinstance(d, int) else None for d in shape]


def stored_sizes(ctx: RuleContext, handle: Tensor, sizes: list[Dim | None] | None) -> list[Dim] | None:
    """Return the shape of an element, None if unknown; an element that was never set has the requested `sizes`."""
    if handle.dtype.startswith("list("):
        return list(handle.dims[1:])
    own, law = own_sizes(handle), ELEMENTS_HAVE_REQUESTED_SHAPE
    if own is not None and sizes is not None:
        ctx.check(len(sizes) == len(own), law)
        for d, size in zip(own, sizes, strict=True):
            ctx.require(TRUE if d is None or size is None else equal(size, d), law, size, d)
    known = known_sizes(merge_sizes(own, sizes))
    if known is None:
        ctx.leave("unsupported", "some element of the list is set")
    return known


LIST_NOT_EMPTY_OR_SHAPE_KNOWN = laws.SM204.law("the list isn't empty, or the shape of its elements is known")


def require_shape_or_elements(
    ctx: RuleContext, handle: Tensor, shape: list[Dim | None] | None, used: Dim, *, axes: int = 0
) -> None:
    """Require `used >= 1` elements, unless the element shape is known without them.

    The element shape is `shape`, the requested one, or the list's own; its first `axes` sizes may be unknown.
    """
    sizes = merge_sizes(own_sizes(handle), shape)
    if sizes is None or any(d is None for d in sizes[axes:]):
        ctx.require_at_least(used, 1, LIST_NOT_EMPTY_OR_SHAPE_KNOWN)


def element_sizes(ctx: RuleContext, handle: Tensor, requested: list[Dim | None] | None, used: Dim) -> list[Dim] | None:
    """Return the sizes of the list's elements; require the `requested` ones unless `used`, the number read, is 0.

    The sizes that the list was created with must be the requested ones in any case.
    """
    actual = stored_sizes(ctx, handle, requested)
    if actual is None or requested is None:
        return actual
    unused = FALSE if is_sized(handle) else equal(used, 0)
    ctx.require(unused if len(actual) != len(requested) else TRUE, ELEMENTS_HAVE_REQUESTED_SHAPE)
    if len(actual) != len(requested):
        return [ctx.fresh(f"size{i}") if size is None else size for i, size in enumerate(requested)]
    for d, size in zip(actual, requested, strict=True):
        if size is not None:
            ctx.require(any_of(equal(d, size), unused), ELEMENTS_HAVE_REQUESTED_SHAPE, d, size)
    return [d if size is None else size for d, size in zip(actual, requested, strict=True)]


POSITION_INSIDE_LIST = laws.SM301.law("the position is inside the list")


def position(ctx: RuleContext, index: int, length: Dim | None) -> Dim | None:
    """Return the position in input `index`, None if unknown; require that it is inside a list of `length` elements."""
    ctx.require_rank(ctx.input(index), 0)
    k = first(ctx, index)
    if k is None:
        ctx.require_at_least(1 if length is None else length, 1, POSITION_INSIDE_LIST)
    _require_position(ctx, index, k, length)
    return k


def _require_position(ctx: RuleContext, index: int, k: Dim | None, length: Dim | None) -> None:
    """Require that position `k` is inside a list of `length` elements (None: any); if `k` is None, assume it."""
    if k is None:
        ctx.assume_valid(index)
        return
    inside = TRUE if length is None else at_least(length, k + 1)
    ctx.require(all_of(at_least(k, 0), inside), POSITION_INSIDE_LIST, k, length)


@rule("TensorListReserve", domain=DOMAIN, traits=Traits.COPIED)
def reserve(ctx: RuleContext) -> Tensor:
    """Create a list with as many elements as an input says; they are set later."""
    count = first(ctx, 1)
    if count is None:
        return unset(ctx, ctx.fresh("length"))
    ctx.require_at_least(count, 0, laws.SIZES_NOT_NEGATIVE)
    return unset(ctx, count)


@rule("EmptyTensorList", domain=DOMAIN, any_rank=True, total=True)
def empty(ctx: RuleContext) -> Tensor:
    """Create a list without elements."""
    return unset(ctx, ZERO)


@rule("TensorListFromTensor", domain=DOMAIN, traits=Traits.COPIED)
def from_tensor(ctx: RuleContext) -> Tensor:
    """Create a list of the slices of a tensor along its first axis."""
    x = ctx.input(0, least=1)
    return require_shape(ctx, list_of(x.dtype, x[0], x.dims[1:]), 1)


@rule("TensorListSetItem", domain=DOMAIN, traits=Traits.COPIED)
def set_item(ctx: RuleContext) -> Tensor:
    """Set the element at a position; with `resize_if_index_out_of_bounds` the list grows if it is too short."""
    handle = input_list(ctx)
    grows = bool(ctx.integer("resize_if_index_out_of_bounds", 0))
    k = position(ctx, 1, None if grows else handle[0])
    length = handle[0] if not grows else ctx.fresh("length") if k is None else maximum(handle[0], k + 1)
    return with_element(ctx, handle, length, ctx.input(2))


@rule("TensorListPushBack", domain=DOMAIN, traits=Traits.COPIED)
def push_back(ctx: RuleContext) -> Tensor:
    """Append a tensor to the list."""
    handle = input_list(ctx)
    return with_element(ctx, handle, handle[0] + 1, ctx.input(1))


LIST_NOT_EMPTY = laws.SM204.law("the list isn't empty")


@rule("TensorListPopBack", domain=DOMAIN)
def pop_back(ctx: RuleContext) -> list[Tensor]:
    """Return the list without its last tensor, and this tensor."""
    handle = input_list(ctx)
    ctx.require_at_least(handle[0], 1, LIST_NOT_EMPTY)
    sizes = stored_sizes(ctx, handle, requested_shape(ctx, 1))
    return [tensor(handle.dtype, [handle[0] - 1, *handle.dims[1:]]), ctx.tensor(sizes, ctx.text("element_dtype", ""))]


@rule("TensorListGetItem", domain=DOMAIN, traits=Traits.COPIED)
def get_item(ctx: RuleContext) -> Tensor:
    """Return the tensor at a position."""
    handle = input_list(ctx)
    position(ctx, 1, handle[0])
    return ctx.tensor(stored_sizes(ctx, handle, requested_shape(ctx, 2)), ctx.text("element_dtype", ""))


LIST_LENGTH_AS_DECLARED = laws.SM116.law("the list has as many elements as the node says")


@rule("TensorListStack", domain=DOMAIN, traits=Traits(Keeps.COPIED, stateful=True))
def stack(ctx: RuleContext) -> Tensor:
    """Stack all tensors along a new first axis."""
    handle, count = input_list(ctx), ctx.integer("num_elements", -1)
    if count >= 0:
        ctx.require_equal(handle[0], count, LIST_LENGTH_AS_DECLARED)
    shape = requested_shape(ctx, 1)
    sizes = element_sizes(ctx, handle, shape, handle[0])
    require_shape_or_elements(ctx, handle, shape, handle[0])
    return ctx.tensor(None if sizes is None else [handle[0], *sizes], ctx.text("element_dtype", ""))


ELEMENTS_AT_LEAST_ONE_AXIS = laws.SM303.law("the elements have at least one axis")


@rule("TensorListConcat", "TensorListConcatV2", domain=DOMAIN, traits=Traits.COPIED)
def concat(ctx: RuleContext) -> list[Tensor]:
    """Concatenate all tensors along their first axis; also return the size of each along it."""
    handle, dtype = input_list(ctx), ctx.text("element_dtype", "")
    shape = attribute_shape(ctx) if ctx.node.op == "TensorListConcat" else requested_shape(ctx, 1)
    sizes = element_sizes(ctx, handle, shape, handle[0]) if handle.dtype.startswith("list(") else None
    require_shape_or_elements(ctx, handle, shape, handle[0], axes=1)
    ctx.check(sizes is None or len(sizes) > 0, ELEMENTS_AT_LEAST_ONE_AXIS)
    joined = None if sizes is None else [handle[0] * sizes[0], *sizes[1:]]
    return [ctx.tensor(joined, dtype), ctx.tensor([handle[0]], "int64")][: ctx.outputs]


@rule("TensorListGather", domain=DOMAIN)
def gather(ctx: RuleContext) -> Tensor:
    """Stack the tensors at several positions along a new first axis."""
    handle, indices, shape = input_list(ctx), ctx.input(1, rank=1), requested_shape(ctx, 2)
    for k in ctx.items(1) or (None,):
        _require_position(ctx, 1, k, handle[0])
    sizes = element_sizes(ctx, handle, shape, indices[0])
    require_shape_or_elements(ctx, handle, shape, indices[0])
    return ctx.tensor(None if sizes is None else [indices[0], *sizes], ctx.text("element_dtype", ""))


@rule("TensorListLength", domain=DOMAIN, any_rank=True, total=True, of_shape=True)
def length(ctx: RuleContext) -> Tensor:
    """Return the number of elements in the list."""
    handle = ctx.input(0)
    return ctx.tensor((), "int32", elements((), [handle[0]]) if handle.shape else None)


@rule("TensorListResize", domain=DOMAIN)
def resize(ctx: RuleContext) -> Tensor:
    """Cut the list to a length, or extend it with zeros."""
    handle, size = input_list(ctx), first(ctx, 1)
    length = ctx.fresh("length") if size is None else maximum(size, 0)
    return tensor(handle.dtype, [length, *handle.dims[1:]], handle.value)


POSITION_PER_SLICE = laws.SM116.law("there is a position for each slice")


def scattered_length(ctx: RuleContext, x: Tensor, index: int, length: Dim | None) -> Dim:
    """Return the length of a list after the slices of `x` are written to the positions in input `index`.

    It is at least `length`.
    """
    ctx.require_rank(x, 1, least=True)
    ctx.require_equal(x[0], ctx.input(index, rank=1)[0], POSITION_PER_SLICE)
    positions = [None] if (items := ctx.items(index)) is None else [*items]
    known = [k for k in positions if k is not None]
    require_least(ctx, known, 0, POSITION_INSIDE_LIST)
    least = maximum(ZERO if length is None else length, *(k + 1 for k in known))
    return least if len(known) == len(positions) else ctx.fresh("length", 0) + least


@rule("TensorListScatter", "TensorListScatterV2", domain=DOMAIN)
def scatter(ctx: RuleContext) -> Tensor:
    """Create a list with a tensor's slices at several positions; a length of -1 means the largest position plus 1."""
    x, count = ctx.input(0), as_dim(-1) if ctx.node.op == "TensorListScatter" else first(ctx, 3)
    length = scattered_length(ctx, x, 1, None)
    if count is None or (count.constant is None and count.lo < 0):
        length = ctx.fresh("count")
    elif count.constant != -1:
        ctx.require_at_least(count, length, POSITION_INSIDE_LIST)
        length = count
    return require_shape(ctx, list_of(x.dtype, length, x.dims[1:]), 2)


@rule("TensorListScatterIntoExistingList", domain=DOMAIN)
def scatter_into(ctx: RuleContext) -> Tensor:
    """Write a tensor's slices to several positions of a list, which grows if a position is outside."""
    handle, x = input_list(ctx), ctx.input(1)
    return with_element(ctx, handle, scattered_length(ctx, x, 2, handle[0]), tensor(x.dtype, x.dims[1:]))


@rule("TensorListSplit", domain=DOMAIN)
def split(ctx: RuleContext) -> Tensor:
    """Split a tensor along its first axis into a list of parts; unequal lengths of the parts are undecided."""
    x, lengths = ctx.input(0, least=1), ctx.input(2, rank=1)
    sizes = ctx.items(2) or (None,)
    if sizes[0] is None or any(d is not sizes[0] for d in sizes):
        leave_open(ctx, LIST_ELEMENTS_ONE_SHAPE)
    ctx.require_equal(sizes[0] * len(sizes), x[0], laws.LENGTHS_ADD_UP_TO_AXIS)
    return require_shape(ctx, list_of(x.dtype, lengths[0], [sizes[0], *x.dims[1:]]), 1)
