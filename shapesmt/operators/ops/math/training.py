"""Optimizer steps, and `Gradient`, whose outputs have the shapes of the tensors in `xs`."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.rules import RuleContext, Tensor, rule

DOMAIN = "ai.onnx.preview.training"
STATES = {"Adagrad": 1, "Momentum": 1, "Adam": 2}

GRADIENT_AND_STATES_PER_TENSOR = laws.SM116.law("each tensor has a gradient and its states")
RATE_AND_STEP_SINGLE_NUMBERS = laws.SM401.law("rate and step are single numbers")
GRADIENT_AND_STATES_SAME_SHAPE = laws.SM107.law("a tensor, its gradient and its states have the same shape")


@rule(*STATES, domain=DOMAIN)
def optimizer(ctx: RuleContext) -> list[Tensor]:
    """Update tensors by their gradients and states; return the new tensors and states.

    Inputs are the rate, the step, all tensors, all gradients, then the states.
    """
    tensors = [ctx.input(i) for i in range(2, len(ctx.inputs))]
    states = STATES[ctx.node.op]
    ctx.check(len(tensors) % (2 + states) == 0, GRADIENT_AND_STATES_PER_TENSOR)
    for scalar in map(ctx.input, (0, 1)):
        ctx.require_equal(scalar.numel, 1, RATE_AND_STEP_SINGLE_NUMBERS)
    count = len(tensors) // (2 + states)
    for index in range(count):
        ctx.require_agree(*tensors[index::count], law=GRADIENT_AND_STATES_SAME_SHAPE)
    return [ctx.tensor(t.dims, t.dtype) for t in (*tensors[:count], *tensors[2 * count :])]


@rule("Gradient", domain=DOMAIN)
def gradient(ctx: RuleContext) -> list[Tensor]:
    """Return the derivative with respect to each tensor in `xs`; it has that tensor's shape."""
    return [ctx.tensor(x.dims, x.dtype) for x in map(ctx.input, range(len(ctx.inputs)))][: ctx.outputs]
