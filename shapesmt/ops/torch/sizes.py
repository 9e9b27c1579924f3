"""Sizes of tensors as numbers, and Python's arithmetic on them."""

from __future__ import annotations

from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import Tensor, elements, tensor


@operator("sym_size.int", of_shape=True)
def sym_size(call: Call) -> Tensor:
    """The size of one axis."""
    x = call.tensor("self")
    return tensor("int64", (), elements((), [x[call.ctx.normal(call.integer("dim"), x.rank)]]))
