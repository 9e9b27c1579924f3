"""Operators that create tensors: sequences, constants, identity matrices, and tensors like others."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import result
from shapesmt.operators.ops.shared.fields import concrete, value_of
from shapesmt.operators.ops.shared.follows import unread
from shapesmt.operators.ops.shared.items import INTEGERS
from shapesmt.operators.ops.shared.require import complete_sizes, require_direction, require_least, require_ranks
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import DEFAULT_FLOAT, as_float, cast, kind, operand, promote
from shapesmt.operators.ops.torch.elementwise.single import with_memory_format
from shapesmt.operators.ops.torch.layout import dense, lay_out
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import (
    FLOATS,
    MAX_ELEMENTS,
    MAX_FLOATS,
    Elements,
    Item,
    Tensor,
    Traits,
    Value,
    elements,
    position,
    tensor,
)
from shapesmt.prover.algebra import Dim, as_dim, differs, equal, select
from shapesmt.prover.algebra.numeric import Float

MOST_COUNTED = 1 << 12  # maximum rows of a triangle whose elements are counted


# Sequences


@operator("arange.default", "arange.start", "arange.start_step", memory="new")
def arange(call: Call) -> Tensor:
    """Return `start + i*step` up to `end` (exclusive); `end` has to lie in the direction of the step.

    Before PyTorch 2.14, numbers are truncated before an int64 range is counted.
    """
    ctx, ends = call.ctx, [operand(call, name) for name in ("start", "end", "step") if name in call]
    ctx.check(all(isfinite(call.number(name) or 0) for name in call.names[:3]), laws.RANGE_ENDS_FINITE)
    start, end, step = ([] if "start" in call else [_number(0)]) + ends + ([] if "step" in call else [_number(1)])
    whole = all(kind(x.dtype) < 2 for x in (start, end, step))
    dtype = call.text("dtype") or ("int64" if whole else DEFAULT_FLOAT)
    start, end, step = (cast(x, "int64" if whole else "float64") for x in (start, end, step))
    a, b, c = (_only(x) for x in (start, end, step))
    if isinstance(c, Dim):
        ctx.require(differs(c, 0), laws.STEP_NOT_0, c, 0)
    require_direction(ctx, a, b, c)
    truncated = not whole and dtype == "int64" and call.before(214)
    if truncated is None:
        return tensor(dtype, complete_sizes(ctx, [None]))
    counted = (cast(x, "int64") for x in (start, end, step)) if truncated else (start, end, step)
    return cast(result(ctx, "Range", *counted), dtype)


def _number(value: int) -> Tensor:
    return tensor("int64", (), elements((), [as_dim(value)]))


def _only(x: Tensor) -> Item:
    return x.value.items[0] if isinstance(x.value, Elements) and x.value.items else None


@operator(*overloads("linspace", "logspace"), memory="new")
def linspace(call: Call) -> Tensor:
    """Return a vector of `steps` evenly (or logarithmically) spaced numbers."""
    ends, steps = [operand(call, name) for name in ("start", "end")], call.size("steps")
    require_ranks(call.ctx, 0, *ends)
    require_least(call.ctx, [steps], 0, laws.SIZES_NOT_NEGATIVE)
    dtype = call.text("dtype") or as_float(promote(ends[0].dtype, ends[1].dtype))
    return tensor(dtype if call.text("dtype") or kind(dtype) > 2 else DEFAULT_FLOAT, complete_sizes(call.ctx, [steps]))


@operator(
    *overloads(*(f"{name}_window" for name in ("bartlett", "blackman", "hann", "hamming", "kaiser"))), memory="new"
)
def window(call: Call) -> Tensor:
    """Return the weights of a window function, a vector of `window_length` elements."""
    length = call.size("window_length")
    require_least(call.ctx, [length], 0, laws.SIZES_NOT_NEGATIVE)
    return tensor(call.text("dtype") or DEFAULT_FLOAT, complete_sizes(call.ctx, [length]))


# Constants


def filled(dims: Sequence[Dim], element: Item) -> Value | None:
    """Return the elements of a tensor of sizes `dims` filled with `element`; None if `element` is None (unknown)."""
    sizes = concrete(dims)
    most = MAX_FLOATS if isinstance(element, Float) else MAX_ELEMENTS
    if element is None or sizes is None:
        return None if element is None else value_of(tuple(dims), element)
    count = 1
    for size in sizes:
        count *= size
    return elements(sizes, [element] * count) if count <= most else value_of(tuple(dims), element)


def full_tensor(dims: Sequence[Dim], value: Tensor, dtype: str) -> Tensor:
    """Return a tensor of sizes `dims` filled with the number in `value`, converted to `dtype`."""
    number = cast(value, dtype)
    return tensor(dtype, dims, filled(dims, _only(number)))


def requested_sizes(call: Call) -> list[Dim]:
    """Return the sizes in the argument `size`; require that none is negative."""
    sizes = call.sizes("size")
    require_least(call.ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    return complete_sizes(call.ctx, sizes)


def default_type(value: Tensor) -> str:
    """Return the element type of a tensor filled with the number `value`: float32 for floats, else the number's own."""
    return value.dtype if value.dtype in ("bool", "int64") or kind(value.dtype) > 2 else DEFAULT_FLOAT


FILLS = {"zeros": 0, "ones": 1}


@operator("full.default", "scalar_tensor.default", memory="view", traits=Traits.COPIED)
@operator("new_full.default", "full_like.default", memory="view", traits=Traits.COPIED)
def full(call: Call) -> Tensor:
    """Return a tensor filled with a number, of the sizes in `size` or of another tensor."""
    value = operand(call, "s" if call.ctx.node.op == "aten.scalar_tensor.default" else "fill_value")
    like = call.optional("self")
    if call.ctx.node.op == "aten.scalar_tensor.default":
        return full_tensor((), value, call.text("dtype") or DEFAULT_FLOAT)
    dtype = call.text("dtype") or (default_type(value) if like is None else like.dtype)
    if like is not None and "size" not in call.names:
        return in_memory_of(call, full_tensor(like.dims, value, dtype), like)
    return full_tensor(requested_sizes(call), value, dtype)


@operator(
    *overloads("zeros", "ones", "new_zeros", "new_ones", "zeros_like", "ones_like"), memory="view", follows=unread
)
def constant(call: Call) -> Tensor:
    """Return a tensor of zeros or ones, of the sizes in `size` or of another tensor."""
    like, name = call.optional("self"), call.ctx.node.op.split(".")[1]
    dims = requested_sizes(call) if "size" in call.names else list(like.dims) if like is not None else []
    dtype = call.text("dtype") or (DEFAULT_FLOAT if like is None else like.dtype)
    value = _number(FILLS[name.removeprefix("new_").removesuffix("_like")])
    output = full_tensor(dims, value, dtype) if dtype in (*INTEGERS, "bool", *FLOATS) else tensor(dtype, dims)
    return in_memory_of(call, output, like) if name.endswith("_like") else output


@operator(
    "empty.memory_format",
    "new_empty.default",
    "empty_like.default",
    "empty_permuted.default",
    memory="view",
    follows=unread,
)
@operator("empty_strided.default", "new_empty_strided.default", memory="view", follows=unread)
def empty(call: Call) -> Tensor:
    """Return an uninitialized tensor, of the sizes in `size` or of another tensor."""
    like, ctx = call.optional("self"), call.ctx
    dims = requested_sizes(call) if "size" in call.names else list(like.dims) if like is not None else []
    output = tensor(call.text("dtype") or (DEFAULT_FLOAT if like is None else like.dtype), dims)
    if "stride" in call.names:
        strides = call.sizes("stride")
        ctx.check(len(strides) == len(dims), laws.STRIDE_PER_SIZE)
        require_least(ctx, strides, 0, laws.STRIDES_NOT_NEGATIVE)
        known = [s for s in strides if s is not None]
        return lay_out(output, known if len(known) == len(dims) else None)
    if "physical_layout" in call.names:
        order = call.integers("physical_layout")
        ctx.check(sorted(order) == list(range(len(dims))), laws.ORDER_NAMES_AXES_ONCE)
        return dense(output, order)
    return in_memory_of(call, output, like if "size" not in call.names else None)


def in_memory_of(call: Call, output: Tensor, like: Tensor | None) -> Tensor:
    """Return `output` in the requested memory format; by default in that of `like`, contiguous if `like` is None."""
    if like is None:
        return with_memory_format(call, output, "contiguous_format")
    return tensor(
        output.dtype, output.dims, output.value, layout=with_memory_format(call, like, "preserve_format").layout
    )


# Matrices


@operator("eye.default", "eye.m", memory="new")
def eye(call: Call) -> Tensor:
    """Return an identity matrix: `[n, m]`, or `[n, n]` without `m`."""
    sizes = [call.size(name) for name in ("n", "m") if name in call.names]
    require_least(call.ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    dims, dtype = complete_sizes(call.ctx, sizes * 2)[:2], call.text("dtype") or DEFAULT_FLOAT
    diagonal = select(equal(position(1), position(2)), 1, 0)
    return tensor(dtype, dims, value_of(tuple(dims), diagonal) if dtype in (*INTEGERS, "bool") else None)


@operator("tril_indices.default", "triu_indices.default", memory="new")
def triangle(call: Call) -> Tensor:
    """Return the row and column indices of the elements of a matrix's triangle: `[2, count]`."""
    rows, columns, offset = call.size("row"), call.size("col"), call.size("offset")
    require_least(call.ctx, [rows, columns], 0, laws.SIZES_NOT_NEGATIVE)
    dtype, lower = call.text("dtype") or "int64", call.ctx.node.op.startswith("aten.tril")
    height, width, shift = (None if d is None else d.constant for d in (rows, columns, offset))
    if height is None or width is None or shift is None or height > MOST_COUNTED:
        return tensor(dtype, (2, call.ctx.fresh("places")))
    below = sum(min(max(i + shift + (1 if lower else 0), 0), width) for i in range(height))
    return tensor(dtype, (2, below if lower else height * width - below))
