"""What the operators of ONNX Runtime's own domain share, and how they borrow the rules of ai.onnx."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from shapesmt.rules import AnyApply, Apply, InferenceContext, Tensor, require_shape, rule

DOMAIN = "com.microsoft"

Borrowed = Callable[[InferenceContext], Tensor]


def contrib(
    *names: str, any_rank: bool = False, dtype: str = "", total: bool = False
) -> Callable[[AnyApply], AnyApply]:
    """Register a function as the rule of ONNX Runtime's operators so named."""
    return rule(*names, domain=DOMAIN, any_rank=any_rank, dtype=dtype, total=total)


def viewed(ctx: InferenceContext, inputs: Sequence[Tensor | None], version: int = 1) -> InferenceContext:
    """The same node as a rule of ai.onnx expects it; what that rule states is stated here."""
    view = copy(ctx)
    view.inputs, view.version = tuple(inputs), version
    return view


def borrow(apply: Apply, version: int) -> Apply:
    """The rule of an operator of ai.onnx at a version of that domain."""

    def borrowed(ctx: InferenceContext) -> Tensor | Sequence[Tensor] | None:
        ctx.version = version
        return apply(ctx)

    return borrowed


def channels_first(ctx: InferenceContext, rule_of: Borrowed, indices: Sequence[int] = (0,), version: int = 1) -> Tensor:
    """A rule for `[n, c, *sizes]` applied to `[n, *sizes, c]`: these inputs and the output are turned."""
    inputs = list(ctx.inputs)
    for index in indices:
        x = ctx.input(index)
        ctx.require_rank(x, 3, least=True)
        inputs[index] = ctx.tensor((x[0], x[-1], *x.dims[1:-1]), x.dtype)
    y = rule_of(viewed(ctx, inputs, version))
    return ctx.tensor((y[0], *y.dims[2:], y[1]), y.dtype)


def require_scalars(ctx: InferenceContext, *indices: int) -> None:
    """State that scales and zero points, where they are given, are scalars; not even vectors of one will do."""
    require_shape(ctx, indices, (), "scales and zero points are scalars")
