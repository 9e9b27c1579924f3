"""OpenVINO's attributes read for rules that call ONNX's; and nodes left unknown without their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt import laws
from shapesmt.algebra import FALSE, TRUE, differs
from shapesmt.algebra.numeric import Float
from shapesmt.ops.shared import bridge
from shapesmt.ops.shared.require import open_unless
from shapesmt.rules import Elements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapesmt.algebra import Dim, Formula
    from shapesmt.graph import AttributeValue
    from shapesmt.rules import Item, RuleContext, Tensor

REMEDY = ": are the weights, a .bin file, beside the model?"
_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "boolean": "bool"}
_TYPES |= {f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (4, 8, 16, 32, 64)}
_TYPES |= {"string": "string", "f8e4m3": "float8e4m3fn", "f8e5m2": "float8e5m2"}


def integers(ctx: RuleContext, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
    """An attribute that lists integers; in the file a list of one is a bare integer."""
    value = ctx.attribute(name)
    return (value,) if isinstance(value, int) else ctx.integers(name, default)


def numbers(ctx: RuleContext, name: str) -> tuple[float, ...]:
    """An attribute that lists numbers, written as `integers` are."""
    value = ctx.attribute(name, ())
    values = value if isinstance(value, tuple) else (value,)
    ctx.check(all(isinstance(v, (int, float)) for v in values), laws.ATTRIBUTE_LISTS_NUMBERS.of(name=name))
    return tuple(v for v in values if isinstance(v, (int, float)))


def dtype_of(ctx: RuleContext, name: str, default: str = "i64") -> str:
    """An attribute that names an element type."""
    text = ctx.text(name, default).lower()
    ctx.check(text in _TYPES or text == default, laws.ATTRIBUTE_NAMES_ELEMENT_TYPE.of(name=name, text=text))
    return _TYPES.get(text, "")


def known(ctx: RuleContext, index: int, what: str) -> tuple[int, ...] | None:
    """The constants of an input that decides ranks or axes; without them the node is unknown."""
    return bridge.known(ctx, index, what, REMEDY)


def known_numbers(x: Tensor) -> list[float | None]:
    """The floats that a list holds, None for one that isn't known; no numbers if none is."""
    return [_number(item) for item in x.value.items] if isinstance(x.value, Elements) else []


def _number(item: Item) -> float | None:
    if not isinstance(item, Float) or item.numerator is None or item.numerator.constant is None:
        return None
    return item.numerator.constant / item.denominator


def known_axis(ctx: RuleContext, index: int) -> int | None:
    """The axis that an input names; without it the node is unknown."""
    return bridge.known_axis(ctx, index, REMEDY)


def placed(ctx: RuleContext, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, each once; a scalar counts as having one axis."""
    return tuple(dict.fromkeys(ctx.normal(axis, max(rank, 1)) for axis in axes))


def without_broadcast(ctx: RuleContext) -> bool:
    """Whether operands must have one shape."""
    return ctx.text("auto_broadcast", "numpy") in ("none", "explicit")


def require_sizes(ctx: RuleContext, sizes: Sequence[Dim | None] | None) -> None:
    """State that no size is -1, which stands for a size that a run never knows."""
    for size in sizes or ():
        ctx.require(TRUE if size is None else differs(size, -1), laws.SIZES_NOT_NEGATIVE, size, 0)


def unchecked(ctx: RuleContext, law: laws.Law, formula: Formula = FALSE) -> None:
    """Leave a node unknown where it breaks a law which OpenVINO doesn't check."""
    open_unless(ctx, law, formula, "OpenVINO")


def careless(ctx: RuleContext, op: str, *inputs: Tensor | None, **attributes: AttributeValue) -> Tensor:
    """The output of ONNX's operator; what OpenVINO does with an index outside the axis isn't defined."""
    before = len(ctx.requirements)
    output = bridge.result(ctx, op, *inputs, **attributes)
    stated, ctx.requirements[before:] = ctx.requirements[before:], []
    for r in stated:
        if r.law == laws.INDICES_INSIDE_AXIS:
            unchecked(ctx, laws.INDICES_INSIDE_AXIS, r.formula)
        else:
            ctx.requirements.append(r)
    return output
