"""Apply the rule of an ONNX operator to an equivalent node of another framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES, AttributeValue
from shapesmt.operators.ops.shared.follows import lent
from shapesmt.operators.ops.shared.items import ARITHMETIC, LOGIC, VARIADIC
from shapesmt.operators.rules import Apply, RuleContext, Tensor, elements, resolve, rule, tensor
from shapesmt.prover.algebra import ONE, Dim, as_dim

Register = Callable[..., Callable[[Apply], Apply]]

OPSET = 22
EVEN = 13  # the last version of Split that needs no `num_outputs` for equal parts
REMEDIES = {"openvino": ": are the weights, a .bin file, beside the model?"}
ONE_TYPE = {*ARITHMETIC, *LOGIC, *VARIADIC}


class Row(NamedTuple):
    """An ONNX operator; `attributes` maps its attributes to the node's.

    Only the node's first `inputs` are passed on; None passes all.
    """

    onnx: str
    attributes: dict[str, str] = {}  # noqa: RUF012 - never changed
    inputs: int | None = None


def rename(table: Mapping[str, Row], domain: str, register: Register = rule) -> None:
    """Register, for each operator in `table`, a rule that applies the rule of its ONNX operator."""

    def renamed(ctx: RuleContext) -> list[Tensor]:
        """Apply the rule of the ONNX operator in the table."""
        row = table[ctx.node.op]
        if row.onnx in ONE_TYPE:
            require_one_type(ctx)
        attributes = {onnx: ctx.attributes[name] for onnx, name in row.attributes.items() if name in ctx.attributes}
        return results(ctx, row.onnx, *ctx.inputs[: row.inputs], **attributes)

    for name, row in table.items():
        target = resolve("", row.onnx, OPSET)
        assert target is not None, row.onnx
        follows = lent(row.onnx, OPSET, row.attributes) if target.follows is not None else None
        known = {"total": target.total, "traits": target.traits, "follows": follows}
        register(name, domain=domain, any_rank=True, **known)(renamed)


def require_one_type(ctx: RuleContext, inputs: Sequence[Tensor | None] | None = None) -> None:
    """Require that `inputs`, by default all inputs of the node, have the same element type."""
    types = list(
        dict.fromkeys(x.dtype for x in (ctx.inputs if inputs is None else inputs) if x is not None and x.dtype)
    )
    ctx.check(len(types) <= 1, laws.OPERANDS_SAME_TYPE.of(types=" and ".join(types)))


def results(ctx: RuleContext, op: str, *inputs: Tensor | None, **attributes: AttributeValue) -> list[Tensor]:
    """Return the outputs of an ONNX operator on these inputs; its requirements become the node's."""
    return [*ctx.delegate(op, inputs, version=OPSET, attributes=attributes)]


def result(ctx: RuleContext, op: str, *inputs: Tensor | None, **attributes: AttributeValue) -> Tensor:
    """Return the first output of an ONNX operator on these inputs; its requirements become the node's."""
    return ctx.delegate(op, inputs, version=OPSET, attributes=attributes, outputs=ctx.node.outputs[:1])[0]


def finite(ctx: RuleContext, x: Tensor | None) -> Tensor:
    """Return a boolean tensor: whether each element is finite, neither infinite nor NaN."""
    return result(ctx, "Not", result(ctx, "Or", result(ctx, "IsNaN", x), result(ctx, "IsInf", x)))


def without_elements(x: Tensor) -> Tensor:
    """Return the tensor with unknown elements."""
    return x if x.value is None else tensor(x.dtype, x.shape, layout=x.layout)


def number_of(dtype: str) -> int:
    """Return ONNX's number of an element type, 0 if unknown."""
    return next((number for number, name in DTYPES.items() if name == dtype), 0)


def vector(*items: Dim | int | None) -> Tensor:
    """Return a vector of integers, as an input of an ONNX operator; None is an unknown element."""
    dims = [None if i is None else as_dim(i) for i in items]
    return tensor("int64", (len(dims),), elements((len(dims),), dims))


def as_list(x: Tensor) -> Tensor:
    """Return a scalar as a vector of one element, for inputs that in other frameworks may be either."""
    if x.shape is None or x.rank > 0:
        return x
    items = getattr(x.value, "items", None)
    return tensor(x.dtype, (ONE,), None if items is None else elements((1,), items))


def constants_of(ctx: RuleContext, index: int, what: str) -> tuple[int, ...] | None:
    """Return the constants of input `index`, which decides ranks or axes; None leaves the node undecided.

    `what` names the constants in the report.
    """
    numbers = ctx.constants(index)
    if numbers is None:
        ctx.leave("unsupported", f"{what} of {ctx.node.op} must be known{REMEDIES.get(ctx.node.domain, '')}")
    return numbers


def known_axis(ctx: RuleContext, index: int) -> int | None:
    """Return the axis that input `index` names; if it isn't known, return None and leave the node undecided."""
    axes = constants_of(ctx, index, "the axis")
    ctx.check(axes is None or len(axes) == 1, laws.AXIS_ONE_NUMBER)
    return axes[0] if axes else None


def anything(ctx: RuleContext, x: Tensor, index: int = 0) -> Tensor:
    """Return a tensor of the rank of `x`, with new symbols for its sizes; `index` tells several of them apart."""
    return ctx.tensor(None if x.shape is None else [ctx.fresh(f"size{index}_{i}") for i in range(x.rank)], x.dtype)


def parts(ctx: RuleContext, x: Tensor, axis: int | None, lengths: Sequence[Dim | None] | None = None) -> list[Tensor]:
    """Split along `axis` into equal parts, or parts of these `lengths`; one may be -1, the remainder.

    If the axis isn't known (None), the sizes of all parts are new symbols.
    """
    if axis is None:
        return [anything(ctx, x, i) for i in range(ctx.outputs)]
    if lengths is None:
        return [*ctx.delegate("Split", [x], version=EVEN, attributes={"axis": axis})]
    rest = [d is not None and d.constant == -1 for d in lengths]
    ctx.check(sum(rest) <= 1, laws.AT_MOST_ONE_MINUS_1)
    return results(ctx, "Split", x, vector(*(None if d is None or d.lo < 0 else d for d in lengths)), axis=axis)
