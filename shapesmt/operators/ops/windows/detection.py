"""Non-maximum suppression of boxes, and decoding of image files."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import open_unless
from shapesmt.operators.rules import Elements, RuleContext, Tensor, rule
from shapesmt.prover.algebra import Dim, Evaluator, equal, maximum, minimum
from shapesmt.prover.algebra.numeric import Float


@rule("NonMaxSuppression", since=10)
def non_max_suppression(ctx: RuleContext) -> Tensor:
    """Return indices `[selected, 3]` of boxes `[b, n, 4]` with scores `[b, c, n]`; `max_output_boxes` is per class."""
    boxes, scores = ctx.input(0, rank=3), ctx.input(1, rank=3)
    ctx.require_equal(boxes[0], scores[0], laws.BOXES_AND_SCORES_SAME_BATCH)
    ctx.require_equal(boxes[1], scores[2], laws.SCORE_PER_BOX_AND_CLASS)
    ctx.require_equal(boxes[2], 4, laws.BOX_4_COORDINATES)
    _require_limits(ctx)
    limit = scores[0] * scores[1] * kept_per_class(ctx, boxes[1])
    return ctx.tensor([0 if limit.constant == 0 else ctx.fresh("selected", 0, limit), 3], "int64")


def kept_per_class(ctx: RuleContext, boxes: Dim) -> Dim:
    """Return the maximum number of boxes selected per class, at most `boxes`; 0 if the input is omitted."""
    items = ctx.items(2) if ctx.has(2) else ()
    if items is None or None in items[:1]:
        return boxes
    most = items[0] if items else None
    return boxes * 0 if most is None else minimum(boxes, maximum(most, 0))


def known_number(t: Tensor) -> float | None:
    """Return a tensor's first number, which may be infinite or NaN; None if it isn't known."""
    item = t.value.items[0] if isinstance(t.value, Elements) and t.value.items else None
    return float(item.value(Evaluator({}))) if isinstance(item, Float) and not item.symbols else None


PIXEL_FORMAT_KNOWN = laws.SM502.law("the pixel format is RGB, BGR or Grayscale, not '{format}'")


@rule("ImageDecoder", since=20)
def image_decoder(ctx: RuleContext) -> Tensor:
    """Decode the bytes of an image file to `[height, width, channels]`, with 1 channel for grey and 3 otherwise."""
    ctx.require_rank(ctx.input(0), 1)
    form = ctx.text("pixel_format", "RGB")
    ctx.check(form in ("RGB", "BGR", "Grayscale"), PIXEL_FORMAT_KNOWN.of(format=form))
    return ctx.tensor([ctx.fresh("height"), ctx.fresh("width"), 1 if form == "Grayscale" else 3], "uint8")


IOU_THRESHOLD_0_TO_1 = laws.SM502.law("the IoU threshold is between 0 and 1, not {overlap}")


def _require_limits(ctx: RuleContext) -> None:
    """Require that each limit is a number, and that a known overlap threshold is between 0 and 1."""
    for index in filter(ctx.has, (2, 3, 4)):  # ONNX forbids several numbers, and the runtime reads the first
        open_unless(ctx, laws.LIMIT_SINGLE_NUMBER, equal(ctx.input(index).numel, 1))
    overlap = known_number(ctx.input(3)) if ctx.has(3) else None
    ctx.check(overlap is None or 0 <= overlap <= 1, IOU_THRESHOLD_0_TO_1.of(overlap=overlap))
