"""Helpers for the operators of `com.microsoft`, which often reuse the rules of ai.onnx."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import lent
from shapesmt.operators.ops.shared.require import require_shape
from shapesmt.operators.rules import RuleContext, Tensor, resolve, rule

DOMAIN = "com.microsoft"

WINDOW = "LpPool"  # the pooling operator to whose laws no runtime's kernel adds any


contrib = partial(rule, domain=DOMAIN)
"""Register a function as the rule of these operators of `com.microsoft`."""


def borrow(name: str, version: int, op: str = "") -> None:
    """Use the rule of an ai.onnx operator for the operator `name` of `com.microsoft`.

    `version` is the opset of that rule, and `op` the name of its operator, by default also `name`.
    """

    def borrowed(ctx: RuleContext) -> Sequence[Tensor]:
        """Apply the rule of the ai.onnx operator."""
        return ctx.delegate(op or name, version=version)

    lender = resolve("", op or name, version)
    traits = None if lender is None else lender.traits
    follows = lent(op or name, version) if lender is not None and lender.follows is not None else None
    contrib(name, traits=traits, follows=follows)(borrowed)


def channels_first(
    ctx: RuleContext,
    op: str,
    inputs: Sequence[Tensor | None] | None = None,
    *,
    turned: Sequence[int] = (0,),
    version: int,
) -> Tensor:
    """Apply an ai.onnx operator for `[n, c, *sizes]` to `[n, *sizes, c]`; the output has the channels last again.

    `inputs` are by default the node's; those at the indices `turned` are transposed. `version` is the operator's opset.
    """
    reads = list(ctx.inputs if inputs is None else inputs)
    for index in turned:
        x = ctx.input(index, least=3)
        reads[index] = ctx.tensor((x[0], x[-1], *x.dims[1:-1]), x.dtype)
    (y, *_) = ctx.delegate(op, reads, version=version)
    return ctx.tensor((y[0], *y.dims[2:], y[1]), y.dtype)


SCALES_AND_ZERO_POINTS_SCALARS = laws.SM109.law("scales and zero points are scalars")


def require_scalars(ctx: RuleContext, *indices: int) -> None:
    """Require that scales and zero points at these inputs, unless omitted, are scalars; vectors of one are refused."""
    require_shape(ctx, indices, (), SCALES_AND_ZERO_POINTS_SCALARS)
