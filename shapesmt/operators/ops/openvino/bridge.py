"""Read OpenVINO's attributes, and leave a node undecided if its weights file is missing."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.network.graph import AttributeValue
from shapesmt.operators.ops.shared import bridge
from shapesmt.operators.ops.shared.require import open_unless
from shapesmt.operators.rules import Elements, Item, RuleContext, Tensor
from shapesmt.prover.algebra import TRUE, Dim, differs
from shapesmt.prover.algebra.numeric import Float

_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "boolean": "bool"}
_TYPES |= {f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (4, 8, 16, 32, 64)}
_TYPES |= {"string": "string", "f8e4m3": "float8e4m3fn", "f8e5m2": "float8e5m2"}


def integers(ctx: RuleContext, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
    """Return a list attribute as integers, `default` if it is missing; a bare integer in the file is a list of one."""
    value = ctx.attribute(name)
    return (value,) if isinstance(value, int) else ctx.integers(name, default)


ATTRIBUTE_LISTS_NUMBERS = laws.SM502.law("attribute '{name}' lists numbers")


def numbers(ctx: RuleContext, name: str) -> tuple[float, ...]:
    """Return a list attribute as numbers, () if it is missing; a bare number in the file is a list of one."""
    value = ctx.attribute(name, ())
    values = value if isinstance(value, tuple) else (value,)
    ctx.check(all(isinstance(v, (int, float)) for v in values), ATTRIBUTE_LISTS_NUMBERS.of(name=name))
    return tuple(v for v in values if isinstance(v, (int, float)))


ATTRIBUTE_NAMES_ELEMENT_TYPE = laws.SM501.law("attribute '{name}' names an element type, not '{text}'")


def dtype_of(ctx: RuleContext, name: str, default: str = "i64") -> str:
    """Return the element type that an attribute names: "float32" for `f32`.

    A missing attribute counts as `default`. The result is "" if `default` names no type.
    """
    text = ctx.text(name, default).lower()
    ctx.check(text in _TYPES or text == default, ATTRIBUTE_NAMES_ELEMENT_TYPE.of(name=name, text=text))
    return _TYPES.get(text, "")


def known_numbers(x: Tensor) -> list[float | None]:
    """Return the elements of a float tensor, None for each unknown one; [] if no element is known."""
    return [_number(item) for item in x.value.items] if isinstance(x.value, Elements) else []


def _number(item: Item) -> float | None:
    if not isinstance(item, Float) or item.numerator is None or item.numerator.constant is None:
        return None
    return item.numerator.constant / item.denominator


def normalize_axes(ctx: RuleContext, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Count axes from the front and drop duplicates: `[-1, 3]` at rank 4 gives `(3,)`.

    Requires that the axes are inside the rank; a scalar counts as having one axis.
    """
    return tuple(dict.fromkeys(ctx.normal(axis, max(rank, 1)) for axis in axes))


def without_broadcast(ctx: RuleContext) -> bool:
    """Whether `auto_broadcast` requires operands of the same shape."""
    return ctx.text("auto_broadcast", "numpy") in ("none", "explicit")


def require_sizes(ctx: RuleContext, sizes: Sequence[Dim | None] | None) -> None:
    """Require that no size is -1, which OpenVINO reads as a size unknown even at run time."""
    for size in sizes or ():
        ctx.require(TRUE if size is None else differs(size, -1), laws.SIZES_NOT_NEGATIVE, size, 0)


def careless(ctx: RuleContext, op: str, *inputs: Tensor | None, **attributes: AttributeValue) -> Tensor:
    """Return the first output of an ONNX operator; an index outside the axis leaves the node undecided, not failed.

    `inputs` and `attributes` are those of the operator.
    """
    before = len(ctx.requirements)
    output = bridge.result(ctx, op, *inputs, **attributes)
    stated, ctx.requirements[before:] = ctx.requirements[before:], []
    for r in stated:
        if r.law == laws.INDICES_INSIDE_AXIS:
            open_unless(ctx, laws.INDICES_INSIDE_AXIS, r.formula)
        else:
            ctx.requirements.append(r)
    return output
