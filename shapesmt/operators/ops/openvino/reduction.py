"""Reductions, running sums, and lookups in sorted lists; an empty list of axes reduces none."""

from __future__ import annotations

from functools import partial

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.bridge import dtype_of, normalize_axes
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.bridge import as_list, constants_of, result
from shapesmt.operators.ops.shared.follows import apart_from, each_of_first, listed_axes
from shapesmt.operators.rules import RuleContext, Tensor, Traits

FOLDS = {f"Reduce{name}": f"Reduce{name}" for name in ("L1", "L2", "Max", "Mean", "Min", "Prod", "Sum")}
FOLDS |= {"ReduceLogicalAnd": "ReduceMin", "ReduceLogicalOr": "ReduceMax"}


@operator(*FOLDS, any_rank=True, traits=Traits.MIXED, follows=apart_from(partial(listed_axes, index=1)))
def reduction(ctx: RuleContext) -> Tensor:
    """Reduce the listed axes, none for an empty list; they are removed unless `keep_dims` is set."""
    constants_of(ctx, 1, "the axes")
    keep, axes = ctx.integer("keep_dims", 0), as_list(ctx.input(1))
    return result(ctx, FOLDS[ctx.node.op], ctx.input(0), axes, keepdims=keep, noop_with_empty_axes=1)


@operator("CumSum", any_rank=True, traits=Traits.RUNNING_SUM, follows=apart_from(partial(listed_axes, index=1)))
def running(ctx: RuleContext) -> Tensor:
    """Compute running sums along an axis; the shape is unchanged."""
    settings = {name: ctx.integer(name, 0) for name in ("exclusive", "reverse")}
    x, axis = ctx.input(0), ctx.constants(1)
    if x.shape is None or axis is None:
        return ctx.tensor(x.shape)
    normalize_axes(ctx, axis, x.rank)
    return ctx.tensor(x.shape) if not x.rank else result(ctx, "CumSum", x, ctx.input(1), **settings)


@operator("Bucketize", any_rank=True, total=True, follows=each_of_first)
def bucketize(ctx: RuleContext) -> Tensor:
    """Replace each element by the index of its bucket; the shape is unchanged."""
    return ctx.tensor(ctx.input(0).shape, dtype_of(ctx, "output_type"))


@operator("SearchSorted", any_rank=True)
def search_sorted(ctx: RuleContext) -> Tensor:
    """Look up values in one sorted list, or each row in its own; the output has the values' shape."""
    table, values = ctx.input(0), ctx.input(1)
    if table.shape is not None and values.shape is not None and table.rank > 1:
        ctx.require_agree(table, values, but=values.rank - 1, law=laws.SORTED_LIST_PER_ROW)
    return ctx.tensor(values.shape, dtype_of(ctx, "output_type"))
