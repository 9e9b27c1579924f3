"""Training losses over classes."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import FALSE, all_of, any_of, at_least, equal, less
from shapesmt.rules import InferenceContext, Tensor, rule


@rule("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def class_loss(ctx: InferenceContext) -> list[Tensor]:
    """`X[N, C, D1, ...]` and `labels[N, D1, ...]` make a scalar, or without `reduction` one loss per label."""
    x, labels = ctx.input(0), ctx.input(1)
    ctx.require_rank(x, 2, least=True)
    ctx.require_rank(labels, x.rank - 1)
    for size, label_size in zip((x[0], *x.dims[2:]), labels.dims, strict=True):
        ctx.require_equal(size, label_size, laws.LABEL_PER_SAMPLE_AND_POSITION)
    for label in ctx.items(1) or ():
        if label is not None:
            ignored = equal(label, ctx.integer("ignore_index", -1)) if "ignore_index" in ctx.attributes else FALSE
            inside = all_of(at_least(label, -x[1]), less(label, x[1]))
            ctx.limit(any_of(ignored, inside), laws.INDICES_INSIDE_CLASSES, label, x[1])
    if ctx.has(2):
        ctx.require_rank(ctx.input(2), 1)
        ctx.require_equal(ctx.input(2)[0], x[1], laws.WEIGHT_PER_CLASS)
    single = ctx.text("reduction", "mean") != "none"
    return [ctx.tensor(() if single else labels.dims), ctx.tensor(x.dims)]
