"""Classification losses."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.indices import require_inside
from shapesmt.operators.ops.shared.require import require_least
from shapesmt.operators.rules import Follows, RuleContext, Tensor, is_free_element, rule
from shapesmt.prover.algebra import TRUE, Dim, all_of, any_of, at_least, equal, less


def losses(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each label has its own loss, unless losses are reduced; the second output has the logarithms."""
    x = ctx.input(0)
    own = tuple(None if axis == 1 else axis for axis in range(x.rank))
    labels = tuple(axis for axis in own if axis is not None)
    return Follows((own, labels), (labels if outputs[0].rank else (), own)[: len(outputs)])


@rule("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", follows=losses)
def class_loss(ctx: RuleContext) -> list[Tensor]:
    """Compute a scalar loss of `X[N, C, D1, ...]` and `labels[N, D1, ...]`, or without `reduction` one loss per label.

    Runtimes gather: if a size isn't declared, labels may be fewer than `N, D1, ...`, and weights fewer than classes.
    From opset 22 on, the file must not declare different numbers of weights and classes.
    """
    x, labels = ctx.input(0, least=2), ctx.input(1)
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
    """Require that the axes of a softmax aren't empty: it reshapes `X` to `[N, C, -1]` and back."""
    ctx.require_at_least(x[0], 1, laws.BATCH_NOT_EMPTY)
    ctx.require_at_least(x[1], 1, laws.A_CLASS)
    require_least(ctx, x.dims[3:], 1, laws.INPUT_NOT_EMPTY)


def _require_labels(ctx: RuleContext, x: Tensor, labels: Tensor) -> None:
    """Require that there is a label for each sample and position; fewer will do unless the file declares both sizes."""
    ctx.require_rank(labels, x.rank - 1)
    for size, count in zip((x[0], *x.dims[2:]), labels.dims, strict=True):
        ctx.require_at_least(size, count, laws.LABEL_PER_SAMPLE_AND_POSITION)
        fewer = None not in (size.constant, count.constant) and less(count, size) is TRUE
        ctx.limit_declared(not (_knows_sizes(ctx, x) and fewer), laws.LABEL_PER_SAMPLE_AND_POSITION, size, count)


def _knows_sizes(ctx: RuleContext, x: Tensor) -> bool:
    """Whether the runtime knows the gathered tensor's sizes when loading: a softmax passes on all sizes or none."""
    return ctx.node.op != "SoftmaxCrossEntropyLoss" or all(d.constant is not None for d in x.dims)


INDICES_INSIDE_CLASSES = laws.SM301.law("indices are inside the classes")


def _require_classes(ctx: RuleContext, labels: Tensor, count: Dim) -> None:
    """Require that each label is a class or `ignore_index`."""
    if "ignore_index" not in ctx.attributes:
        return require_inside(ctx, labels, count)
    ctx.require(any_of(at_least(count, 1), equal(labels.numel, 0)), laws.A_CLASS, count, 1)
    ignored = ctx.integer("ignore_index")
    for label in ctx.items(1) or ():
        if label is not None and not is_free_element(label):
            inside = all_of(at_least(label, -count), less(label, count))
            ctx.limit(any_of(equal(label, ignored), inside), INDICES_INSIDE_CLASSES, label, count)
    return None
