"""Elementwise operators of several operands that choose between elements, clamp them, or weigh them."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.math.elementwise import combine
from shapesmt.operators.ops.shared import items
from shapesmt.operators.ops.shared.follows import each
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.pairs import together
from shapesmt.operators.ops.torch.elementwise.promotion import cast, operand, promoted_type
from shapesmt.operators.ops.torch.elementwise.single import in_place, store_in_place
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Tensor, Traits, tensor


@operator(
    "where.self",
    "where.Scalar",
    "where.ScalarOther",
    "where.ScalarSelf",
    memory="dense",
    traits=Traits.COPIED,
    follows=each,
)
def where(call: Call) -> Tensor:
    """Choose elements of two tensors by a condition; all three broadcast."""
    condition, cases = call.tensor("condition"), [operand(call, name) for name in ("self", "other")]
    dtype = promoted_type(call, ("self", "other"), cases)
    operands = (condition, *(cast(x, dtype) for x in cases))
    return together(call, operands, dtype, items.choose_item if condition.dtype == "bool" else None)


@operator(*overloads("addcmul", "addcdiv", "lerp"), memory="dense", follows=each)
def weighted(call: Call) -> Tensor:
    """Combine three operands that broadcast, such as `self + value * tensor1 * tensor2`."""
    names = [name for name in call.names if name != "value"]
    operands = [operand(call, name) for name in names]
    return together(call, operands, promoted_type(call, names, operands))


RANGE_HAS_AN_END = laws.SM502.law("a range has one end at least")


@operator(*overloads("clamp", "clip", "clamp_min", "clamp_max"), memory="dense", follows=each)
def clamp(call: Call) -> Tensor:
    """Clamp the input to a range; input and bounds broadcast together, and at least one bound is given."""
    ends = {name: operand(call, name) for name in ("min", "max") if name in call}
    call.ctx.check(bool(ends), RANGE_HAS_AN_END)
    x = call.tensor("self")
    dtype = promoted_type(call, ("self", *ends), (x, *ends.values()))
    result = together(call, [x, *ends.values()], dtype)
    clamped = cast(x, dtype)
    if clamped.value is None or not dtype:
        return result
    for name, end in ends.items():
        bound = items.greatest if name == "min" else items.smallest
        value = combine(bound, (clamped, cast(end, dtype)), result.dims, dtype)
        clamped = tensor(dtype, result.dims, value)
    return store_in_place(call, x, clamped) if in_place(call) else clamped


MASK_BOOLEAN = laws.SM501.law("the mask is boolean")


@operator(*overloads("masked_fill"), traits=Traits.COPIED, follows=each)
def masked_fill(call: Call) -> Tensor:
    """Replace elements by a number where the mask is true; both broadcast, in place only the mask."""
    x, mask, value = call.tensor("self"), call.tensor("mask"), operand(call, "value")
    call.ctx.require_rank(value, 0)
    call.ctx.check(mask.dtype in ("bool", ""), MASK_BOOLEAN)
    if in_place(call):
        return together(call, [x, mask], x.dtype)
    shape = call.ctx.broadcast(mask.dims, x.dims)
    return tensor(x.dtype, shape, combine(items.choose_item, (mask, cast(value, x.dtype), x), shape, x.dtype))
