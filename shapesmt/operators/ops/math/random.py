"""Operators whose outputs are drawn at random."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.rules import RuleContext, Tensor, rule


def _drawn_dtype(ctx: RuleContext, default: str) -> str:
    return DTYPES.get(ctx.integer("dtype", 0), "") or default


def _require_order(ctx: RuleContext) -> None:
    """Require that the numbers to draw lie in a range; without it, ONNX Runtime ends the process."""
    low, high = ctx.number("low", 0.0), ctx.number("high", 1.0)
    ctx.limit(low <= high, laws.ATTRIBUTE_AT_LEAST.of(name="high", least=low, value=high))


@rule("RandomNormalLike", "RandomUniformLike", "Bernoulli", any_rank=True, total=True, random=True)
def random_like(ctx: RuleContext) -> Tensor:
    """Draw a tensor of the input's shape."""
    x = ctx.input(0)
    _require_order(ctx)
    return ctx.tensor(x.shape, _drawn_dtype(ctx, x.dtype))


LISTED_SIZES_NOT_NEGATIVE = laws.SM309.law("the sizes {sizes} are at least 0")


@rule("RandomNormal", "RandomUniform", random=True)
def random_tensor(ctx: RuleContext) -> Tensor:
    """Draw a tensor whose shape is an attribute."""
    shape = ctx.integers("shape")
    ctx.check(all(s >= 0 for s in shape), LISTED_SIZES_NOT_NEGATIVE.of(sizes=list(shape)))
    _require_order(ctx)
    return ctx.tensor(shape, _drawn_dtype(ctx, "float32"))


AT_LEAST_ONE_SAMPLE_COUNTED = laws.SM204.law("there is at least one sample, not {samples}")


@rule("Multinomial", random=True, follows=rows())
def multinomial(ctx: RuleContext) -> Tensor:
    """Draw `samples >= 1` classes per row: `[batch, classes] -> [batch, samples]`."""
    x, samples = ctx.input(0, rank=2), ctx.integer("sample_size", 1)
    ctx.check(samples > 0, AT_LEAST_ONE_SAMPLE_COUNTED.of(samples=samples))
    ctx.require_at_least(x[0], 1, laws.A_ROW_TO_DRAW_FOR)
    ctx.require_at_least(x[1], 1, laws.A_CLASS_TO_DRAW)
    return ctx.tensor((x[0], samples), _drawn_dtype(ctx, "int32"))
