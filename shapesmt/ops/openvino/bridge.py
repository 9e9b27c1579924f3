"""What OpenVINO's attributes and missing weights need on the way to ONNX's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.ops import bridge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.context import InferenceContext

DOMAIN = "openvino"
REMEDY = ": are the weights, a .bin file, beside the model?"
_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "boolean": "bool"}
_TYPES |= {f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (4, 8, 16, 32, 64)}


def integers(ctx: InferenceContext, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
    """An attribute that lists integers; the file has a single one without a list around it."""
    value = ctx.attribute(name)
    return (value,) if isinstance(value, int) else ctx.integers(name, default)


def dtype_of(ctx: InferenceContext, name: str, default: str = "i64") -> str:
    """An attribute that names an element type."""
    return _TYPES.get(ctx.text(name, default).lower(), "")


def known(ctx: InferenceContext, index: int, what: str) -> tuple[int, ...] | None:
    """The constants of an input that decides ranks or which axes are meant; a node without them isn't judged."""
    return bridge.known(ctx, index, what, REMEDY)


def known_axis(ctx: InferenceContext, index: int) -> int | None:
    """The axis that an input names; a node without it isn't judged."""
    return bridge.known_axis(ctx, index, REMEDY)


def without_broadcast(ctx: InferenceContext) -> bool:
    """Whether operands must have one shape."""
    return ctx.text("auto_broadcast", "numpy") in ("none", "explicit")
