"""Assertions in TensorFlow models."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import differs
from shapesmt.ops.control.subgraphs import truth_of
from shapesmt.ops.tensorflow.common import DOMAIN, require_numbers
from shapesmt.rules import RuleContext, Tensor, rule


@rule("Assert", domain=DOMAIN, any_rank=True, total=True)
def asserted(ctx: RuleContext) -> list[Tensor]:
    """Require that the condition holds; assume it if it is data-dependent."""
    condition = ctx.input(0)
    require_numbers(ctx, 0)
    truth = truth_of(condition)
    if truth is None:
        ctx.grant(0)
    else:
        ctx.require(differs(truth, 0), laws.ASSERTION_HOLDS)
    return []
