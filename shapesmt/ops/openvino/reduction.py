"""Operators that fold axes or run along one."""

from __future__ import annotations

from shapesmt.context import InferenceContext
from shapesmt.ops.bridge import as_list, result
from shapesmt.ops.openvino.bridge import DOMAIN, dtype_of, known
from shapesmt.ops.registry import rule
from shapesmt.tensor import Tensor

FOLDS = {f"Reduce{name}": f"Reduce{name}" for name in ("L1", "L2", "Max", "Mean", "Min", "Prod", "Sum")}
FOLDS |= {"ReduceLogicalAnd": "ReduceMin", "ReduceLogicalOr": "ReduceMax"}


@rule(*FOLDS, domain=DOMAIN, any_rank=True)
def reduction(ctx: InferenceContext) -> Tensor:
    """Each listed axis becomes 1, or goes away without `keep_dims`; none listed, none folded."""
    known(ctx, 1, "the axes")
    keep, axes = ctx.integer("keep_dims", 0), as_list(ctx.input(1))
    return result(ctx, FOLDS[ctx.node.op], ctx.input(0), axes, keepdims=keep, noop_with_empty_axes=1)


@rule("CumSum", domain=DOMAIN, any_rank=True)
def running(ctx: InferenceContext) -> Tensor:
    """The shape is kept."""
    settings = {name: ctx.integer(name, 0) for name in ("exclusive", "reverse")}
    return result(ctx, "CumSum", ctx.input(0), ctx.input(1), **settings)


@rule("Bucketize", "SearchSorted", domain=DOMAIN, any_rank=True, total=True)
def bucketize(ctx: InferenceContext) -> Tensor:
    """The shape of the values that are looked up."""
    values = ctx.input(0 if ctx.node.op == "Bucketize" else 1)
    return ctx.tensor(values.shape, dtype_of(ctx, "output_type"))
