"""Helpers of TensorFlow's rules: attributes, layouts, scalar inputs, and requirements on known elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from shapesmt.base.errors import RejectedError
from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import known_axis
from shapesmt.operators.ops.shared.require import open_unless
from shapesmt.operators.rules import Elements, Field, RuleContext, Tensor, tensor, uniform
from shapesmt.prover.algebra import FALSE, TRUE, Dim, Formula, any_of, as_dim, equal, negate
from shapesmt.prover.algebra.numeric import Float, float_at_least, literal

DOMAIN = "tensorflow"

LAYOUTS = ("NHWC", "NCHW", "NDHWC", "NCDHW")


def one_of(ctx: RuleContext, name: str, *values: str) -> str:
    """Return the text attribute `name`; require that it is one of `values`, of which the first is the default."""
    value = ctx.text(name, values[0])
    listed = " or ".join(filter(None, values))
    ctx.check(value in values, laws.ATTRIBUTE_ONE_OF_TEXTS.of(name=name, values=listed, value=value))
    return value


def least(ctx: RuleContext, name: str, minimum: int, default: int | None = None) -> int:
    """Return the integer attribute `name`, or `default` if it is omitted; require that it is at least `minimum`."""
    value = ctx.integer(name, default)
    ctx.check(value >= minimum, laws.ATTRIBUTE_AT_LEAST.of(name=name, least=minimum, value=value))
    return value


def require_numbers(ctx: RuleContext, *indices: int) -> None:
    """Require that the inputs at `indices`, unless omitted or of unknown rank, are scalars."""
    for index in indices:
        if ctx.has(index) and ctx.input(index).shape is not None:
            ctx.require_rank(ctx.input(index), 0)


def axis_of(ctx: RuleContext, index: int) -> int | None:
    """Return the axis in the scalar input `index`; if it is unknown, return None and leave the node undecided."""
    require_numbers(ctx, index)
    return known_axis(ctx, index)


def require_most(ctx: RuleContext, x: Tensor, rank: int) -> None:
    """Require that `x` has at most `rank` axes, the number that kernels are compiled for."""
    ctx.check(x.rank <= rank, laws.RANK_AT_MOST.of(most=rank, rank=x.rank))


def numbers(ctx: RuleContext, index: int) -> list[Dim | Float]:
    """Return the known elements of input `index`, integers and floats; assume that the unknown ones are valid."""
    ctx.assume_valid(index)
    value = ctx.input(index).value
    return [item for item in value.items if item is not None] if isinstance(value, Elements) else []


def require_order(
    ctx: RuleContext, low: Dim | Float | float, high: Dim | Float | float, law: laws.Law, *, apart: bool = False
) -> None:
    """Require `low <= high`, or `low < high` with `apart`, of two integers or two floats; other pairs are accepted."""
    a, b = (literal(float(x), "float32") if isinstance(x, (int, float)) else x for x in (low, high))
    if isinstance(a, Dim) and isinstance(b, Dim):
        ctx.require_at_least(b, a + apart, law)
    elif isinstance(a, Float) and isinstance(b, Float):
        condition = float_at_least(a, b) if apart else float_at_least(b, a)
        ctx.require(TRUE if condition is None else negate(condition) if apart else condition, law)


def open_bias(ctx: RuleContext, index: int, size: Dim, law: laws.Law) -> None:
    """Leave a node undecided unless its bias has shape `[size]`: without oneDNN, TensorFlow reads past its end."""
    bias = ctx.input(index)
    open_unless(ctx, law, equal(bias[0], size) if bias.rank == 1 else FALSE)


def leave_open(ctx: RuleContext, law: laws.Law) -> NoReturn:
    """End the rule and leave the node undecided: unless the law holds, it isn't known whether the node runs."""
    ctx.leave("unsupported", law)
    raise RejectedError


def with_type(x: Tensor, dtype: str) -> Tensor:
    """Return the tensor with another element type and the same elements."""
    return tensor(dtype, x.shape, x.value, x.ndim if x.shape is None else None)


def require_each(
    ctx: RuleContext, x: Tensor, good: Callable[[Dim], Formula], law: laws.Law, used: Dim | int = 1
) -> None:
    """Require that `good` holds for each known integer in `x`, unless the size `used` is 0."""
    ctx.assume_elements(x)
    items = x.value.items if isinstance(x.value, Elements) else (uniform(x.value),)
    for item in dict.fromkeys(items):
        if isinstance(item, Dim):
            ctx.require(any_of(good(item), equal(used, 0)), law, item)


def first(ctx: RuleContext, index: int) -> Dim | None:
    """Return the only integer in input `index`; None if it is unknown or there are several."""
    ctx.assume_valid(index)
    items = ctx.items(index)
    return items[0] if items and len(items) == 1 else None


CHANNELS_NOT_IN_BLOCKS = laws.SM502.law("channels aren't in blocks, as with {layout}")
DATA_FORMAT_KNOWN = laws.SM401.law("'data_format' is one of {layouts}, not '{layout}'")


def channels_first(ctx: RuleContext) -> bool:
    """Whether channels are the second axis (`NCHW`) rather than the last (`NHWC`, the default)."""
    layout = ctx.text("data_format", "NHWC")
    if layout.endswith("VECT_C"):
        leave_open(ctx, CHANNELS_NOT_IN_BLOCKS.of(layout=layout))
    ctx.check(layout in LAYOUTS, DATA_FORMAT_KNOWN.of(layouts=", ".join(LAYOUTS), layout=layout))
    return layout.startswith("NC")


def channel(ctx: RuleContext, x: Tensor) -> Dim:
    """Return the number of channels of `x`."""
    return x[1 if channels_first(ctx) else -1]


def with_sizes(x: Tensor, sizes: Mapping[int, Dim | int]) -> Tensor:
    """Return `x` with new sizes, by axis; the rule's requirements make them equal to those of `x`."""
    dims = [as_dim(sizes.get(axis, d)) for axis, d in enumerate(x.dims)]
    return tensor(x.dtype, dims, x.value if isinstance(x.value, Field) or tuple(dims) == x.dims else None)
