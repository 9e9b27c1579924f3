"""Lists of tensors, in which TensorFlow's loops collect what their trips make.

A list is a `Tensor` of element type "list(float32)" whose first size is its length and whose other sizes are those of
each element. While nothing is in it, it is "unset(float32)" and has its length alone. A list whose elements may differ
in shape isn't judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt import laws
from shapesmt.algebra import ONE, TRUE, ZERO, Dim, all_of, any_of, as_dim, at_least, equal, maximum
from shapesmt.ops.tensorflow.common import DOMAIN, first, leave_open
from shapesmt.rules import Tensor, Unjudged, elements, field, rule, tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapesmt.rules import RuleContext


def unset(ctx: RuleContext, length: Dim | int) -> Tensor:
    """A list without elements, or with none that is set yet: what is read of it is 0."""
    return tensor(f"unset({ctx.text('element_dtype', '')})", [as_dim(length)], field(ZERO))


def listed(dtype: str, length: Dim, sizes: Iterable[Dim]) -> Tensor:
    """A list of tensors of these sizes."""
    return tensor(f"list({dtype})", [length, *sizes])


def given(ctx: RuleContext, index: int = 0) -> Tensor:
    """The list that a node reads; one that an operator without a rule makes isn't known to be one."""
    found = ctx.input(index)
    if not found.dtype:
        leave_open(ctx, laws.INPUT_LIST_FOLLOWED.of(index=index))
    ctx.check(found.dtype.startswith(("list(", "unset(")) and found.rank > 0, laws.INPUT_OF_TYPE_LIST.of(index=index))
    return found


def with_element(ctx: RuleContext, found: Tensor, length: Dim, x: Tensor) -> Tensor:
    """The list with a tensor put into it, which has to be like the others."""
    if found.dtype.startswith("list("):
        old, new = found.dims[1:], x.dims
        alike = len(old) == len(new) and all(equal(a, b) is TRUE for a, b in zip(old, new, strict=True))
        if not alike:
            ctx.unjudged.append(Unjudged("", ctx.node.op, "unsupported", laws.LIST_ELEMENTS_ONE_SHAPE.sentence))
    return listed(x.dtype, length, x.dims)


def fitted(ctx: RuleContext, made: Tensor, index: int) -> Tensor:
    """A list, whose elements have the shape that an input lists."""
    fitting(ctx, made, asked(ctx, index), ONE)
    return made


def asked(ctx: RuleContext, index: int) -> list[Dim | None] | None:
    """The shape that an input lists for elements, None for each unknown size; None where any will do."""
    x, items = ctx.input(index), ctx.items(index)
    if x.shape is None or x.rank != 1 or items is None:
        ctx.grant(index)
        return None
    return [d if d is not None and d.lo >= 0 else None for d in items]


def element(ctx: RuleContext, found: Tensor, sizes: list[Dim | None] | None) -> list[Dim] | None:
    """The sizes of an element, None where they aren't known; those never set are zeros of the sizes asked for."""
    if found.dtype.startswith("list("):
        return list(found.dims[1:])
    known = None if sizes is None else [d for d in sizes if d is not None]
    if known is None or sizes is None or len(known) < len(sizes):
        ctx.unjudged.append(Unjudged("", ctx.node.op, "unsupported", "some element of the list is set"))
        return None
    return known


def fitting(ctx: RuleContext, found: Tensor, sizes: list[Dim | None] | None, used: Dim) -> list[Dim] | None:
    """The sizes of elements, which are those asked for unless none is `used`."""
    made = element(ctx, found, sizes)
    if made is None or sizes is None:
        return made
    none = equal(used, 0)
    ctx.require(none if len(made) != len(sizes) else TRUE, laws.ELEMENTS_HAVE_REQUESTED_SHAPE)
    if len(made) != len(sizes):
        return [ctx.fresh(f"size{i}") if size is None else size for i, size in enumerate(sizes)]
    for d, size in zip(made, sizes, strict=True):
        if size is not None:
            ctx.require(any_of(equal(d, size), none), laws.ELEMENTS_HAVE_REQUESTED_SHAPE, d, size)
    return [d if size is None else size for d, size in zip(made, sizes, strict=True)]


def place(ctx: RuleContext, index: int, length: Dim | None) -> Dim | None:
    """The position that an input gives, None where unknown; it is inside a list of that length."""
    ctx.require_rank(ctx.input(index), 0)
    k = first(ctx, index)
    if k is None:
        ctx.grant(index)
        ctx.require_at_least(1 if length is None else length, 1, laws.POSITION_INSIDE_LIST)
    else:
        inside = TRUE if length is None else at_least(length, k + 1)
        ctx.require(all_of(at_least(k, 0), inside), laws.POSITION_INSIDE_LIST, k, length)
    return k


@rule("TensorListReserve", domain=DOMAIN)
def reserve(ctx: RuleContext) -> Tensor:
    """A list of that many elements, to be set later."""
    length = first(ctx, 1)
    if length is None:
        return unset(ctx, ctx.fresh("length"))
    ctx.require_at_least(length, 0, laws.SIZES_NOT_NEGATIVE)
    return unset(ctx, length)


@rule("EmptyTensorList", domain=DOMAIN, any_rank=True, total=True)
def empty(ctx: RuleContext) -> Tensor:
    """A list without elements."""
    return unset(ctx, ZERO)


@rule("TensorListFromTensor", domain=DOMAIN)
def from_tensor(ctx: RuleContext) -> Tensor:
    """The slices of a tensor along its first axis."""
    x = ctx.input(0)
    ctx.require_rank(x, 1, least=True)
    return fitted(ctx, listed(x.dtype, x[0], x.dims[1:]), 1)


@rule("TensorListSetItem", domain=DOMAIN)
def set_item(ctx: RuleContext) -> Tensor:
    """The list with another tensor at a position; it grows to there if the node says so."""
    found = given(ctx)
    grows = bool(ctx.integer("resize_if_index_out_of_bounds", 0))
    k = place(ctx, 1, None if grows else found[0])
    length = found[0] if not grows else ctx.fresh("length") if k is None else maximum(found[0], k + 1)
    return with_element(ctx, found, length, ctx.input(2))


@rule("TensorListPushBack", domain=DOMAIN)
def push_back(ctx: RuleContext) -> Tensor:
    """The list with a tensor behind its last."""
    found = given(ctx)
    return with_element(ctx, found, found[0] + 1, ctx.input(1))


@rule("TensorListPopBack", domain=DOMAIN)
def pop_back(ctx: RuleContext) -> list[Tensor]:
    """The list without its last tensor, and that tensor."""
    found = given(ctx)
    ctx.require_at_least(found[0], 1, laws.LIST_NOT_EMPTY)
    sizes = element(ctx, found, asked(ctx, 1))
    return [tensor(found.dtype, [found[0] - 1, *found.dims[1:]]), ctx.tensor(sizes, ctx.text("element_dtype", ""))]


@rule("TensorListGetItem", domain=DOMAIN)
def get_item(ctx: RuleContext) -> Tensor:
    """The tensor at a position."""
    found = given(ctx)
    place(ctx, 1, found[0])
    return ctx.tensor(element(ctx, found, asked(ctx, 2)), ctx.text("element_dtype", ""))


@rule("TensorListStack", domain=DOMAIN)
def stack(ctx: RuleContext) -> Tensor:
    """All tensors, along a new first axis."""
    found, count = given(ctx), ctx.integer("num_elements", -1)
    if count >= 0:
        ctx.require_equal(found[0], count, laws.LIST_LENGTH_AS_DECLARED)
    wanted = asked(ctx, 1)
    sizes = fitting(ctx, found, wanted, found[0])
    if wanted is None or None in wanted:
        ctx.require_at_least(found[0], 1, laws.LIST_NOT_EMPTY_OR_SHAPE_KNOWN)
    return ctx.tensor(None if sizes is None else [found[0], *sizes], ctx.text("element_dtype", ""))


@rule("TensorListConcat", "TensorListConcatV2", domain=DOMAIN)
def concat(ctx: RuleContext) -> list[Tensor]:
    """All tensors joined along their first axis, and how long each is."""
    found, dtype = given(ctx), ctx.text("element_dtype", "")
    sizes = found.dims[1:] if found.dtype.startswith("list(") else None
    ctx.require_at_least(found[0], 1, laws.LIST_NOT_EMPTY_OR_SHAPE_KNOWN)
    ctx.check(sizes is None or len(sizes) > 0, laws.ELEMENTS_AT_LEAST_ONE_AXIS)
    joined = None if sizes is None else [found[0] * sizes[0], *sizes[1:]]
    return [ctx.tensor(joined, dtype), ctx.tensor([found[0]], "int64")][: ctx.outputs]


@rule("TensorListGather", domain=DOMAIN)
def gather(ctx: RuleContext) -> Tensor:
    """The tensors at several positions, along a new first axis."""
    found, indices = given(ctx), ctx.input(1, rank=1)
    for k in ctx.items(1) or (None,):
        if k is None:
            ctx.grant(1)
        else:
            ctx.require(all_of(at_least(k, 0), at_least(found[0], k + 1)), laws.POSITION_INSIDE_LIST, k, found[0])
    sizes = fitting(ctx, found, asked(ctx, 2), indices[0])
    return ctx.tensor(None if sizes is None else [indices[0], *sizes], ctx.text("element_dtype", ""))


@rule("TensorListLength", domain=DOMAIN, any_rank=True, total=True, of_shape=True)
def length(ctx: RuleContext) -> Tensor:
    """The number of elements."""
    found = ctx.input(0)
    return ctx.tensor((), "int32", elements((), [found[0]]) if found.shape else None)


@rule("TensorListResize", domain=DOMAIN)
def resize(ctx: RuleContext) -> Tensor:
    """The list shortened, or with zeros behind it."""
    found, size = given(ctx), first(ctx, 1)
    length = ctx.fresh("length") if size is None else maximum(size, 0)
    return tensor(found.dtype, [length, *found.dims[1:]], found.value)


def reached(ctx: RuleContext, x: Tensor, index: int, length: Dim | None) -> Dim:
    """How long a list is that holds the slices of a tensor at positions that an input lists; `length` or more."""
    ctx.require_rank(x, 1, least=True)
    ctx.require_equal(x[0], ctx.input(index, rank=1)[0], laws.POSITION_PER_SLICE)
    positions = [None] if (items := ctx.items(index)) is None else [*items]
    known = [k for k in positions if k is not None]
    for k in known:
        ctx.require_at_least(k, 0, laws.POSITION_INSIDE_LIST)
    least = maximum(ZERO if length is None else length, *(k + 1 for k in known))
    return least if len(known) == len(positions) else ctx.fresh("length", 0) + least


@rule("TensorListScatter", "TensorListScatterV2", domain=DOMAIN)
def scatter(ctx: RuleContext) -> Tensor:
    """A list with the slices of a tensor at several positions; -1 elements are as many as that takes."""
    x, count = ctx.input(0), as_dim(-1) if ctx.node.op == "TensorListScatter" else first(ctx, 3)
    length = reached(ctx, x, 1, None)
    if count is None or (count.constant is None and count.lo < 0):
        length = ctx.fresh("count")
    elif count.constant != -1:
        ctx.require_at_least(count, length, laws.POSITION_INSIDE_LIST)
        length = count
    return fitted(ctx, listed(x.dtype, length, x.dims[1:]), 2)


@rule("TensorListScatterIntoExistingList", domain=DOMAIN)
def scatter_into(ctx: RuleContext) -> Tensor:
    """The same in a list that there is, which grows where that is needed."""
    found, x = given(ctx), ctx.input(1)
    return with_element(ctx, found, reached(ctx, x, 2, found[0]), tensor(x.dtype, x.dims[1:]))


@rule("TensorListSplit", domain=DOMAIN)
def split(ctx: RuleContext) -> Tensor:
    """Pieces of a tensor along its first axis, as long as listed; they are one list where they are equally long."""
    x, lengths = ctx.input(0), ctx.input(2, rank=1)
    ctx.require_rank(x, 1, least=True)
    sizes = ctx.items(2) or (None,)
    if sizes[0] is None or any(d is not sizes[0] for d in sizes):
        leave_open(ctx, laws.LIST_ELEMENTS_ONE_SHAPE)
    ctx.require_equal(sizes[0] * len(sizes), x[0], laws.LENGTHS_ADD_UP_TO_AXIS)
    ctx.require_at_least(sizes[0], 0, laws.SIZES_NOT_NEGATIVE)
    return fitted(ctx, listed(x.dtype, lengths[0], [sizes[0], *x.dims[1:]]), 1)
