"""What the operators of ONNX Runtime's own domain share, and how they borrow the rules of ai.onnx."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from shapesmt.context import InferenceContext
from shapesmt.dim import Dim
from shapesmt.formula import any_of, equal
from shapesmt.ops.registry import AnyApply, Apply, rule
from shapesmt.tensor import Tensor

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


def require_shape(ctx: InferenceContext, index: int, shape: Sequence[Dim | int], law: str) -> None:
    """State the shape of an input, where it is given."""
    if ctx.has(index):
        found = ctx.input(index)
        ctx.check(found.rank == len(shape), law)
        for size, wanted in zip(found.dims, shape, strict=True):
            ctx.require_equal(size, wanted, law)


def require_scalars(ctx: InferenceContext, *indices: int) -> None:
    """State that scales and zero points, where they are given, are scalars; not even vectors of one will do."""
    for index in indices:
        require_shape(ctx, index, (), "scales and zero points are scalars")


def require_single(
    ctx: InferenceContext, *indices: int, law: str = "scales and zero points are one number each"
) -> None:
    """State that inputs, where they are given, are one number each: scalars or vectors of one."""
    for x in (ctx.input(i) for i in indices if ctx.has(i)):
        ctx.check(x.rank <= 1, law)
        ctx.require_equal(x.numel, 1, law)


def require_one_or(ctx: InferenceContext, index: int, size: Dim | int, law: str) -> None:
    """State that a vector, where it is given, has one element or that many; a scalar is fine."""
    if ctx.has(index):
        x = ctx.input(index)
        ctx.check(x.rank <= 1, law)
        ctx.require(any_of(equal(x.numel, 1), equal(x.numel, size)), law, x.numel, size)


def require_vector(ctx: InferenceContext, index: int, size: Dim | int, law: str) -> None:
    """State that an input, where it is given, is a vector of that length."""
    require_shape(ctx, index, (size,), law)
