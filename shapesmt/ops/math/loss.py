"""Training losses over classes."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import TRUE, Dim, all_of, any_of, at_least, equal, less
from shapesmt.ops.shared.indices import require_inside
from shapesmt.ops.shared.require import require_least
from shapesmt.rules import RuleContext, Tensor, is_free_element, rule


@rule("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def class_loss(ctx: RuleContext) -> list[Tensor]:
    """`X[N, C, D1, ...]` and `labels[N, D1, ...]` make a scalar, or without `reduction` one loss per label.

    Runtimes gather: labels whose number isn't declared may be fewer than `N, D1, ...`, and weights than classes.
    From opset 22 on, the file declares no other number of weights than of classes.
    """
    x, labels = ctx.input(0), ctx.input(1)
    ctx.require_rank(x, 2, least=True)
    if ctx.node.op == "SoftmaxCrossEntropyLoss":
        _require_softmax(ctx, x)
    _require_labels(ctx, x, labels)
    if ctx.has(2) and ctx.version >= 22:
        weights = ctx.input(2, rank=1)[0]
        clash = _knows_sizes(ctx, x) and None not in (weights.constant, x[1].constant) and weights is not x[1]
        ctx.limit_declared(not clash, laws.WEIGHT_PER_CLASS, weights, x[1])
    for count in (x[1], *([ctx.input(2, rank=1)[0]] if ctx.has(2) else [])):
        _require_classes(ctx, labels, count)
    return [ctx.tensor(() if ctx.text("reduction", "mean") != "none" else labels.dims), ctx.tensor(x.dims)]


def _require_softmax(ctx: RuleContext, x: Tensor) -> None:
    """State what a softmax over `[N, C, -1]` needs that is given the shape of `X` again."""
    ctx.require_at_least(x[0], 1, laws.BATCH_NOT_EMPTY)
    ctx.require_at_least(x[1], 1, laws.A_CLASS)
    require_least(ctx, x.dims[3:], 1, laws.INPUT_NOT_EMPTY)


def _require_labels(ctx: RuleContext, x: Tensor, labels: Tensor) -> None:
    """State that there is a label for each sample and position; fewer will do unless the file declares the numbers."""
    ctx.require_rank(labels, x.rank - 1)
    for size, count in zip((x[0], *x.dims[2:]), labels.dims, strict=True):
        ctx.require_at_least(size, count, laws.LABEL_PER_SAMPLE_AND_POSITION)
        fewer = None not in (size.constant, count.constant) and less(count, size) is TRUE
        ctx.limit_declared(not (_knows_sizes(ctx, x) and fewer), laws.LABEL_PER_SAMPLE_AND_POSITION, size, count)


def _knows_sizes(ctx: RuleContext, x: Tensor) -> bool:
    """Whether the runtime knows the sizes of what it picks from: a softmax hands on all of them, or none."""
    return ctx.node.op != "SoftmaxCrossEntropyLoss" or all(d.constant is not None for d in x.dims)


def _require_classes(ctx: RuleContext, labels: Tensor, count: Dim) -> None:
    """State that each label is a class, or the number that says that it doesn't count and is replaced by 0."""
    if "ignore_index" not in ctx.attributes:
        return require_inside(ctx, labels, count)
    ctx.require(any_of(at_least(count, 1), equal(labels.numel, 0)), laws.A_CLASS, count, 1)
    ignored = ctx.integer("ignore_index")
    for label in ctx.items(1) or ():
        if label is not None and not is_free_element(label):
            inside = all_of(at_least(label, -count), less(label, count))
            ctx.limit(any_of(equal(label, ignored), inside), laws.INDICES_INSIDE_CLASSES, label, count)
    return None
