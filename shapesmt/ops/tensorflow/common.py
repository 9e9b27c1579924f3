"""What TensorFlow's rules have in common: element types, layouts, and what is said of known elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from shapesmt.dim import Dim, as_dim
from shapesmt.formula import any_of, equal
from shapesmt.ops.bridge import grant
from shapesmt.tensor import tensor
from shapesmt.value import Elements, Field, uniform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shapesmt.context import InferenceContext
    from shapesmt.formula import Formula
    from shapesmt.tensor import Tensor

DOMAIN = "tensorflow"

Good: TypeAlias = "Callable[[Dim], Formula]"


def dtype_of(ctx: InferenceContext, name: str, default: str) -> str:
    """An attribute that names an element type."""
    return ctx.text(name, default)


def typed(x: Tensor, dtype: str) -> Tensor:
    """The same with another name for the type of its elements, whose numbers stay."""
    return tensor(dtype, x.shape, x.value, x.ndim if x.shape is None else None)


def require_each(
    ctx: InferenceContext, x: Tensor, good: Callable[[Dim], Formula], law: str, used: Dim | int = 1
) -> None:
    """State something of every known integer of a tensor, unless nothing is `used`."""
    grant(ctx, x)
    items = x.value.items if isinstance(x.value, Elements) else (uniform(x.value),)
    for item in dict.fromkeys(items):
        if isinstance(item, Dim):
            ctx.require(any_of(good(item), equal(used, 0)), law, item)


def first(ctx: InferenceContext, index: int) -> Dim | None:
    """The one integer that an input holds, where it is known."""
    ctx.grant(index)
    items = ctx.items(index)
    return items[0] if items and len(items) == 1 else None


def channels_first(ctx: InferenceContext) -> bool:
    """Whether the channels are the second axis; they are the last one unless the node says so."""
    return ctx.text("data_format", "NHWC").startswith("NC")


def channel(ctx: InferenceContext, x: Tensor) -> Dim:
    """The number of channels."""
    return x[1 if channels_first(ctx) else -1]


def resized(x: Tensor, sizes: Mapping[int, Dim | int]) -> Tensor:
    """The same with sizes of its axes that what is stated makes certain."""
    dims = [as_dim(sizes.get(axis, d)) for axis, d in enumerate(x.dims)]
    return tensor(x.dtype, dims, x.value if isinstance(x.value, Field) or tuple(dims) == x.dims else None)
