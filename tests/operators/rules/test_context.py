"""The operands and attributes that a rule reads."""

from __future__ import annotations

from shapesmt.network.graph import Node
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.operators.rules.tensors import tensor


def context(*inputs: Tensor | None) -> RuleContext:
    names = ["" if t is None else f"x{i}" for i, t in enumerate(inputs)]
    return RuleContext(Node("Own", "", "n", names, ["y"]), inputs, 18)


def test_a_tensor_that_is_no_input_is_decided_by_the_integer_inputs() -> None:
    data, sizes, flags = (tensor(dtype, ()) for dtype in ("float32", "int64", "bool"))
    ctx = context(data, None, sizes, flags)
    assert ctx.places(data) == [0]
    assert ctx.places(tensor("float64", ())) == [2]
    assert ctx.places(sizes) == [2]
