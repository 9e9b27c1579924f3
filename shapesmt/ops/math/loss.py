"""Training losses over classes."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import Dim, all_of, any_of, at_least, equal, less
from shapesmt.ops.shared.indices import require_inside
from shapesmt.rules import RuleContext, Tensor, is_free_element, rule


@rule("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def class_loss(ctx: RuleContext) -> list[Tensor]:
    """`X[N, C, D1, ...]` and `labels[N, D1, ...]` make a scalar, or without `reduction` one loss per label."""
    x, labels = ctx.input(0), ctx.input(1)
    ctx.require_rank(x, 2, least=True)
    _require_labels(ctx, x, labels)
    if ctx.has(2):
        ctx.require_rank(ctx.input(2), 1)
        ctx.require_equal(ctx.input(2)[0], x[1], laws.WEIGHT_PER_CLASS)
    _require_classes(ctx, labels, x[1])
    _require_some(ctx, x, labels)
    return [ctx.tensor(() if ctx.text("reduction", "mean") != "none" else labels.dims), ctx.tensor(x.dims)]


def _require_labels(ctx: RuleContext, x: Tensor, labels: Tensor) -> None:
    """State that there is a label for each sample and position."""
    ctx.require_rank(labels, x.rank - 1)
    for size, label_size in zip((x[0], *x.dims[2:]), labels.dims, strict=True):
        ctx.require_equal(size, label_size, laws.LABEL_PER_SAMPLE_AND_POSITION)


def _require_some(ctx: RuleContext, x: Tensor, labels: Tensor) -> None:
    """State that a label has a class to name; a softmax is taken over `[N, C, -1]`, which needs a sample as well."""
    softmax = ctx.node.op == "SoftmaxCrossEntropyLoss"
    if softmax:
        ctx.require_at_least(x[0], 1, laws.BATCH_NOT_EMPTY)
    unlabelled = () if softmax else (equal(size, 0) for size in labels.dims)
    ctx.require(any_of(at_least(x[1], 1), *unlabelled), laws.A_CLASS, x[1])


def _require_classes(ctx: RuleContext, labels: Tensor, count: Dim) -> None:
    """State that each label is a class, or the number that says that it doesn't count."""
    if "ignore_index" not in ctx.attributes:
        return require_inside(ctx, labels, count)
    ignored = ctx.integer("ignore_index")
    for label in ctx.items(1) or ():
        if label is not None and not is_free_element(label):
            inside = all_of(at_least(label, -count), less(label, count))
            ctx.limit(any_of(equal(label, ignored), inside), laws.INDICES_INSIDE_CLASSES, label, count)
    return None
