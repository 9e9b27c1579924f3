"""Activations that combine several elements or have parameters."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import ONE, any_of, divides, equal
from shapesmt.ops.torch.call import Call, operator
from shapesmt.rules import Tensor, tensor


@operator("softmax.int", "log_softmax.int", "_softmax.default", "_log_softmax.default", "_safe_softmax.default")
@operator("special_softmax.default", "special_log_softmax.default")
def softmax(call: Call) -> Tensor:
    """Apply (log-)softmax along an axis; the shape stays."""
    x = call.tensor("self")
    call.axis(x)
    return tensor((call.text("dtype") if "dtype" in call else "") or x.dtype, x.dims)


@operator("_softmax_backward_data.default", "_log_softmax_backward_data.default")
def softmax_backward(call: Call) -> Tensor:
    """Return the gradient of (log-)softmax; gradient and output have one shape."""
    x = call.tensor("grad_output")
    call.ctx.require_agree(x, call.tensor("output"), law=laws.OPERANDS_SAME_SHAPE)
    call.axis(x)
    return tensor(call.text("input_dtype"), x.dims)


@operator("glu.default")
def glu(call: Call) -> Tensor:
    """Gate the first half of an axis by the second; the axis must have an even size, and the output has half of it."""
    x = call.tensor("self", least=1)
    axis = call.ctx.normal(call.integer("dim"), x.rank)
    call.ctx.require(divides(2, x[axis]), laws.AXIS_SPLITS_EVENLY.of(parts=2), x[axis], 2)
    return x.replace(axis, x[axis] // 2)


@operator("prelu.default", "_prelu_kernel.default")
def prelu(call: Call) -> Tensor:
    """Multiply negative elements by a slope: one for all channels, or one per channel."""
    x, slope = call.tensor("self"), call.tensor("weight")
    if "kernel" in call.ctx.node.op:
        return tensor(x.dtype, call.ctx.broadcast(x.dims, slope.dims))
    call.ctx.check(slope.rank <= 1, laws.RANK_AT_MOST_1.of(rank=slope.rank))
    channels = x[1] if x.rank > 1 else ONE
    fits = any_of(equal(slope.numel, 1), equal(slope.numel, channels))
    call.ctx.require(fits, laws.PARAMETERS_PER_CHANNEL, slope.numel, channels)
    return tensor(x.dtype, x.dims)
