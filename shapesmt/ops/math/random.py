"""Operators that draw random numbers."""

from __future__ import annotations

from shapesmt.graph import DTYPES
from shapesmt.rules import InferenceContext, Tensor, rule


def _drawn_dtype(ctx: InferenceContext, default: str) -> str:
    return DTYPES.get(ctx.integer("dtype", 0), "") or default


@rule("RandomNormalLike", "RandomUniformLike", "Bernoulli", any_rank=True, total=True, random=True)
def random_like(ctx: InferenceContext) -> Tensor:
    """The shape is the input's."""
    x = ctx.input(0)
    return ctx.tensor(x.shape, _drawn_dtype(ctx, x.dtype))


@rule("RandomNormal", "RandomUniform", random=True)
def random_tensor(ctx: InferenceContext) -> Tensor:
    """The shape is an attribute."""
    shape = ctx.integers("shape")
    ctx.check(all(s >= 0 for s in shape), f"the sizes {list(shape)} are at least 0")
    return ctx.tensor(shape, _drawn_dtype(ctx, "float32"))


@rule("Multinomial", random=True)
def multinomial(ctx: InferenceContext) -> Tensor:
    """`[batch, classes] -> [batch, samples]`, each of them at least one."""
    x, samples = ctx.input(0, rank=2), ctx.integer("sample_size", 1)
    ctx.check(samples > 0, f"there is at least one sample, not {samples}")
    ctx.require_at_least(x[0], 1, "there is at least one row to draw for")
    ctx.require_at_least(x[1], 1, "there is at least one class to draw")
    return ctx.tensor((x[0], samples), _drawn_dtype(ctx, "int32"))
