"""Reductions, running sums, and losses; unlike in ONNX, an empty list of axes reduces none."""

from __future__ import annotations

from functools import partial

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import as_list, constants_of, result
from shapesmt.operators.ops.shared.follows import apart_from, as_a_whole, listed_axes, rows
from shapesmt.operators.ops.tensorflow.common import DOMAIN, axis_of, require_most, require_numbers, with_type
from shapesmt.operators.rules import RuleContext, Tensor, Traits, rule

FOLDS = {name: f"Reduce{name}" for name in ("Max", "Mean", "Min", "Prod", "Sum")}
FOLDS |= {"All": "ReduceMin", "Any": "ReduceMax", "EuclideanNorm": "ReduceL2"}


@rule(*FOLDS, domain=DOMAIN, any_rank=True, traits=Traits.MIXED, follows=apart_from(partial(listed_axes, index=1)))
def reduction(ctx: RuleContext) -> Tensor:
    """Reduce the listed axes: `[m, n] -> [m]`, or `[m, 1]` with `keep_dims`; an empty list reduces none."""
    constants_of(ctx, 1, "the axes")
    x, keep, axes = ctx.input(0), ctx.integer("keep_dims", 0), as_list(ctx.input(1))
    if x.shape is not None:
        ctx.normals(ctx.constants(1) or (), x.rank)
    return result(ctx, FOLDS[ctx.node.op], x, axes, keepdims=keep, noop_with_empty_axes=1)


@rule("ArgMax", "ArgMin", domain=DOMAIN, traits=Traits.MIXED, follows=apart_from(partial(listed_axes, index=1)))
def extreme_position(ctx: RuleContext) -> Tensor:
    """Return the index of the maximum or minimum along a nonempty axis, which is removed."""
    x, axis = ctx.input(0), axis_of(ctx, 1)
    require_most(ctx, x, 7)
    if axis is None:
        return ctx.tensor([ctx.fresh(f"size{i}") for i in range(x.rank - 1)], ctx.text("output_type", "int64"))
    ctx.require_at_least(x[ctx.normal(axis, x.rank)], 1, laws.EXTREME_AXIS_HAS_ELEMENT)
    return with_type(result(ctx, ctx.node.op, x, axis=axis, keepdims=0), ctx.text("output_type", "int64"))


@rule("Cumprod", "CumulativeLogsumexp", domain=DOMAIN, follows=apart_from(partial(listed_axes, index=1)))
@rule("Cumsum", domain=DOMAIN, traits=Traits.RUNNING_SUM, follows=apart_from(partial(listed_axes, index=1)))
def running(ctx: RuleContext) -> Tensor:
    """Accumulate along an axis, which must exist even if the input is empty; the shape is unchanged."""
    x, axis = ctx.input(0), ctx.input(1)
    require_numbers(ctx, 1)
    for item in ctx.items(1) or ():
        if item is not None and item.constant is not None:
            ctx.normal(item.constant, x.rank)
        elif item is not None:
            ctx.require_within(item, x.rank, laws.THE_AXIS_INSIDE_RANK.of(rank=x.rank))
    settings = {name: ctx.integer(name, 0) for name in ("exclusive", "reverse")}
    sums = result(ctx, "CumProd" if ctx.node.op == "Cumprod" else "CumSum", x, axis, **settings)
    return ctx.tensor(x.dims) if ctx.node.op == "CumulativeLogsumexp" else sums


@rule("L2Loss", domain=DOMAIN, any_rank=True, total=True, follows=as_a_whole)
def l2_loss(ctx: RuleContext) -> Tensor:
    """Return half the sum of squares, a scalar."""
    return ctx.tensor(())


@rule("SoftmaxCrossEntropyWithLogits", domain=DOMAIN, follows=rows(0, 1))
def cross_entropy(ctx: RuleContext) -> list[Tensor]:
    """Return a loss per row and its gradient; rows of logits and of labels broadcast."""
    shape = ctx.broadcast(ctx.input(0).dims, ctx.input(1).dims)
    ctx.check(len(shape) == 2, laws.RANK_2.of(rank=len(shape)))
    return [ctx.tensor(shape[:1]), ctx.tensor(shape)]


LABEL_PER_ROW = laws.SM116.law("there is one label per row")


@rule("SparseSoftmaxCrossEntropyWithLogits", domain=DOMAIN, follows=rows(0, 1))
def sparse_cross_entropy(ctx: RuleContext) -> list[Tensor]:
    """Return a loss per row of logits, and its gradient; each row has one label."""
    logits, labels = ctx.input(0, rank=2), ctx.input(1, rank=1)
    ctx.require_equal(logits[0], labels[0], LABEL_PER_ROW)
    ctx.require_at_least(logits[1], 1, laws.A_CLASS)
    return [ctx.tensor(labels.dims, logits.dtype), ctx.tensor(logits.dims)]
