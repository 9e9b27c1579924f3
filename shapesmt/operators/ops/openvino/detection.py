"""Object detection: prior boxes, proposals, and non-maximum suppression, where data decides how many are kept."""

from __future__ import annotations

from math import inf

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.bridge import dtype_of, integers, known_numbers, numbers
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.require import (
    complete_sizes,
    open_unless,
    require_least,
    require_shape,
    require_vector,
)
from shapesmt.operators.ops.windows.detection import kept_per_class
from shapesmt.operators.rules import RuleContext, Tensor, tensor
from shapesmt.prover.algebra import (
    FALSE,
    ONE,
    TRUE,
    Dim,
    any_of,
    as_dim,
    at_least,
    divides,
    equal,
    maximum,
    minimum,
    product,
)

SCORED, COORDINATES = laws.SCORE_PER_BOX_AND_CLASS, laws.BOX_4_COORDINATES


def most_boxes(ctx: RuleContext, coordinates: int = 4) -> Dim:
    """Return the maximum number of boxes selected from `[b, n, coordinates]` with scores `[b, c, n]`.

    It is `b * c` times the limit per class, which input 2 gives; 0 without that input.
    """
    boxes, scores = ctx.input(0), ctx.input(1)
    ctx.require_equal(boxes[0], scores[0], laws.BOXES_AND_SCORES_SAME_BATCH)
    ctx.require_equal(boxes[1], scores[2], SCORED)
    ctx.require_equal(boxes[2], coordinates, COORDINATES)
    require_least(ctx, ctx.items(2) if ctx.has(2) else (), 0, laws.BOX_COUNT_NOT_NEGATIVE)
    return scores[0] * scores[1] * (kept_per_class(ctx, boxes[1]) if ctx.has(2) else as_dim(0))


@operator("NonMaxSuppression", "NMSRotated")
def non_max_suppression(ctx: RuleContext) -> list[Tensor]:
    """Return the indices and scores of the selected boxes, `[selected, 3]` each, and their number `[1]`."""
    most, dtype = most_boxes(ctx, 5 if ctx.node.op == "NMSRotated" else 4), dtype_of(ctx, "output_type")
    for index in range(2, len(ctx.inputs)):
        ctx.require_equal(ctx.input(index).numel, 1, laws.LIMIT_SINGLE_NUMBER)
    count = as_dim(0) if most.constant == 0 else ctx.fresh("selected", 0, most)
    return [tensor(dtype, (count, 3)), tensor("float32", (count, 3)), tensor(dtype, (ONE,))]


@operator("NonMaxSuppression-1", "NonMaxSuppression-3", "NonMaxSuppression-4")
def single_non_max_suppression(ctx: RuleContext) -> Tensor:
    """Return the indices of the selected boxes, `[selected, 3]`."""
    most = most_boxes(ctx)
    count = as_dim(0) if most.constant == 0 else ctx.fresh("selected", 0, most)
    return tensor(dtype_of(ctx, "output_type"), (count, 3))


SCORES_RANK_2 = laws.SM401.law("the rank of the scores is 2, not {rank}")
SCORES_RANK_3 = laws.SM401.law("the rank of the scores is 3, not {rank}")
NMS_TOP_K_MINUS_1_OR_MORE = laws.SM502.law("nms_top_k and the like are -1 or more")
NMS_ETA_0_TO_1 = laws.SM502.law("nms_eta is between 0 and 1")


@operator("MatrixNms", "MulticlassNms")
def ranked(ctx: RuleContext) -> list[Tensor]:
    """Return the selected boxes `[kept, 6]`, their indices `[kept, 1]`, and their number per sample `[b]`.

    The inputs are boxes `[b, n, 4]` and scores `[b, c, n]`. With a third input of counts `[b]`, boxes are `[c, n, 4]`.
    """
    boxes, scores, many = ctx.input(0), ctx.input(1), ctx.has(2)
    dtype = dtype_of(ctx, "output_type")
    ctx.require_equal(boxes[2], 4, COORDINATES)
    law = SCORES_RANK_2 if many else SCORES_RANK_3
    ctx.check(scores.rank == (2 if many else 3), law.of(rank=scores.rank))
    classes, count = (boxes[0], boxes[1]) if many else (scores[1], boxes[1])
    ctx.require_equal(scores[0], boxes[0], laws.BOXES_AND_SCORES_SAME_BATCH)
    ctx.require_equal(scores[-1], boxes[1], SCORED)
    most, last = ctx.integer("nms_top_k", -1), ctx.integer("keep_top_k", -1)
    ctx.check(min(most, last, ctx.integer("background_class", -1)) >= -1, NMS_TOP_K_MINUS_1_OR_MORE)
    ctx.check(0 <= ctx.number("nms_eta", 1) <= 1, NMS_ETA_0_TO_1)
    each = classes * (minimum(count, most) if most >= 0 else count)
    limit = each if many else boxes[0] * (minimum(each, last) if last >= 0 else each)
    kept, batch = ctx.fresh("kept", 0, limit), ctx.input(2) if many else boxes
    return [tensor(boxes.dtype, (kept, 6)), tensor(dtype, (kept, 1)), tensor(dtype, (batch[0],))]


# Priors


@operator("PriorBox")
def prior_box(ctx: RuleContext) -> Tensor:
    """Return prior boxes `[2, 4 * height * width * priors]`; sizes, ratios and densities decide how many priors."""
    sizes, fixed = numbers(ctx, "min_size"), numbers(ctx, "fixed_size")
    density = [int(d) ** 2 - 1 for d in numbers(ctx, "density")]
    ratios = _ratios(ctx)
    count = ratios * len(fixed) if fixed else len(sizes) + ratios - 1
    if ctx.integer("scale_all_sizes", 1) and not fixed:
        count = ratios * len(sizes) + len(numbers(ctx, "max_size"))
    count += sum(density) * (len(numbers(ctx, "fixed_ratio")) or ratios)
    return _priors(ctx, count)


def _ratios(ctx: RuleContext) -> int:
    """Return the number of distinct aspect ratios, including 1 and, with `flip`, the inverses: 3 for `[2]`."""
    ratios = numbers(ctx, "aspect_ratio")
    flipped = [1 / r if r else inf for r in ratios] if ctx.integer("flip", 0) else []
    return len({1.0, *(round(r, 6) for r in (*ratios, *flipped))})


HEIGHT_PER_WIDTH = laws.SM401.law("each width has a height, not {widths} and {heights}")


@operator("PriorBoxClustered")
def clustered_prior_box(ctx: RuleContext) -> Tensor:
    """Return prior boxes `[2, 4 * height * width * priors]`, one prior per width."""
    widths, heights = numbers(ctx, "width"), numbers(ctx, "height")
    ctx.check(len(widths) == len(heights), HEIGHT_PER_WIDTH.of(widths=len(widths), heights=len(heights)))
    return _priors(ctx, len(widths))


VARIANCES_0_1_OR_4 = laws.SM206.law("there are no variances, or 1, or 4")


def _priors(ctx: RuleContext, count: int) -> Tensor:
    """Return prior boxes `[2, 4 * height * width * count]`; input 0 has the grid's height and width."""
    grid = ctx.sizes(0, 2)
    for d in grid:
        open_unless(ctx, laws.SIZES_NOT_NEGATIVE, TRUE if d is None else at_least(d, 0))
    if any(d is not None and d.hi < 0 for d in grid):
        return tensor("float32", None)
    places = [maximum(d, 0) for d in complete_sizes(ctx, grid)]
    ctx.check(len(numbers(ctx, "variance")) in (0, 1, 4), VARIANCES_0_1_OR_4)
    return tensor("float32", (2, 4 * count * product(places)))


# Proposals


A_BOX_KEPT = laws.SM204.law("at least one box is kept, not {most}")
BOXES_KEPT_OF_THOSE_CONSIDERED = laws.SM502.law("no more boxes are kept than are considered")
BOX_HAS_SCORES_AND_DELTAS = laws.SM116.law("each box has 2 scores and 4 deltas")
IMAGE_HEIGHT_WIDTH_1_OR_2_SCALES = laws.SM206.law("the image has a height, a width and 1 or 2 scales")
SCALES_NOT_NEGATIVE = laws.SM204.law("scales aren't negative")


@operator("Proposal", "Proposal-1")
def proposal(ctx: RuleContext) -> list[Tensor]:
    """Return boxes `[n * most, 5]` and their scores `[n * most]`; `most` is the attribute `post_nms_topn`.

    The inputs are scores `[n, 2a, h, w]`, deltas `[n, 4a, h, w]`, and the image's height, width and scales.
    """
    scores, deltas, image = (ctx.input(i) for i in range(3))
    most = ctx.integer("post_nms_topn")
    ctx.check(most >= 1, A_BOX_KEPT.of(most=most))
    if ctx.integer("pre_nms_topn") < most:
        open_unless(ctx, BOXES_KEPT_OF_THOSE_CONSIDERED)
    ctx.require_equal(scores[0], deltas[0], laws.BOXES_AND_SCORES_SAME_BATCH)
    ctx.require_equal(2 * scores[1], deltas[1], BOX_HAS_SCORES_AND_DELTAS)
    ctx.require(any_of(equal(image[0], 3), equal(image[0], 4)), IMAGE_HEIGHT_WIDTH_1_OR_2_SCALES, image[0], 3)
    measures = known_numbers(image)
    ctx.check(all(m is None or m > 0 for m in measures[:2]), laws.HEIGHT_AND_WIDTH_POSITIVE)
    ctx.check(all(m is None or m >= 0 for m in measures[2:]), SCALES_NOT_NEGATIVE)
    return [tensor(scores.dtype, (scores[0] * most, 5)), tensor(scores.dtype, (scores[0] * most,))]


PRIORS_OF_ONE_SAMPLE_OR_EACH = laws.SM116.law("priors are of one sample or of each")
PRIORS_HAVE_VARIANCES = laws.SM206.law("priors have variances")
PRIOR_COORDINATES = laws.SM206.law("a prior has {count} coordinates")


@operator("DetectionOutput", "DetectionOutput-1")
def detection_output(ctx: RuleContext) -> Tensor:
    """Return detections `[1, 1, n * most, 7]`, where attributes limit a sample to `most` boxes.

    The inputs are deltas `[n, 4*p]`, scores `[n, p*c]` and priors `[1 or n, 1 or 2, 4*p]`. Deltas are `[n, 4*p*c]`
    unless `share_location` is set, and priors have 5 numbers per box unless `normalized` is set.
    """
    deltas, scores, priors = ctx.input(0), ctx.input(1), ctx.input(2)
    size = 4 if ctx.integer("normalized", 0) else 5
    ctx.require_equal(deltas[0], scores[0], laws.BOXES_AND_SCORES_SAME_BATCH)
    ctx.require(any_of(equal(priors[0], 1), equal(priors[0], deltas[0])), PRIORS_OF_ONE_SAMPLE_OR_EACH)
    ctx.require_equal(priors[1], 1 if ctx.integer("variance_encoded_in_target", 0) else 2, PRIORS_HAVE_VARIANCES)
    ctx.require(divides(size, priors[2]), PRIOR_COORDINATES.of(count=size), priors[2], size)
    count = priors[2] // size
    classes = as_dim(ctx.integer("num_classes")) if ctx.node.op.endswith("-1") else scores[1] // count
    ctx.require_equal(scores[1], count * classes, SCORED)
    boxes = count * (1 if ctx.integer("share_location", 1) else classes)
    ctx.require_equal(deltas[1], 4 * boxes, COORDINATES)
    require_shape(ctx, 3, (deltas[0], 2 * count), SCORED)
    require_shape(ctx, 4, (deltas[0], 4 * boxes), COORDINATES)
    kept, top = (integers(ctx, "keep_top_k") or (-1,))[0], ctx.integer("top_k", -1)
    most = as_dim(kept) if kept > 0 else top * classes if top > 0 else count * classes
    return ctx.tensor([1, 1, deltas[0] * most, 7])


IMAGE_HEIGHT_WIDTH_SCALE = laws.SM206.law("the image has a height, a width and a scale")
MAX_DETECTIONS_NOT_NEGATIVE = laws.SM502.law("max_detections_per_image is at least 0, not {most}")


@operator("ExperimentalDetectronDetectionOutput")
def detectron_output(ctx: RuleContext) -> list[Tensor]:
    """Return the best boxes `[most, 4]`, their classes `[most]` and scores `[most]`.

    The inputs are regions `[r, 4]`, deltas `[r, 4*c]` and scores `[r, c]`; `most` is `max_detections_per_image`.
    """
    x, classes, most = ctx.input(0), ctx.integer("num_classes"), ctx.integer("max_detections_per_image")
    require_shape(ctx, 0, (x[0], 4), COORDINATES)
    require_shape(ctx, 1, (x[0], 4 * classes), COORDINATES)
    require_shape(ctx, 2, (x[0], classes), SCORED)
    require_shape(ctx, 3, (1, 3), IMAGE_HEIGHT_WIDTH_SCALE)
    ctx.check(most >= 0, MAX_DETECTIONS_NOT_NEGATIVE.of(most=most))
    open_unless(ctx, laws.BOX_COUNT_NOT_NEGATIVE, at_least(ctx.integer("post_nms_count", 0), 0))
    return [tensor(x.dtype, (most, 4)), tensor("int32", (most,)), tensor(x.dtype, (most,))]


SCORES_AND_DELTAS_SAME_PLACES = laws.SM116.law("scores and deltas have the same places")
ANCHOR_PER_SCORE = laws.SM116.law("there is an anchor for each score")
POST_NMS_COUNT_NOT_NEGATIVE = laws.SM502.law("post_nms_count is at least 0, not {most}")


@operator("ExperimentalDetectronGenerateProposalsSingleImage")
def detectron_proposals(ctx: RuleContext) -> list[Tensor]:
    """Return the best boxes `[most, 4]` and their scores `[most]`; `most` is `post_nms_count`.

    The inputs are the image's sizes, anchors `[a*h*w, 4]`, deltas `[4*a, h, w]` and scores `[a, h, w]`.
    """
    image, anchors, scores, most = ctx.input(0), ctx.input(1), ctx.input(3), ctx.integer("post_nms_count")
    ctx.require_equal(image[0], 3, IMAGE_HEIGHT_WIDTH_SCALE)
    ctx.require_equal(anchors[1], 4, COORDINATES)
    require_shape(ctx, 2, (4 * scores[0], *scores.dims[1:]), SCORES_AND_DELTAS_SAME_PLACES)
    ctx.require_equal(anchors[0], scores.numel, ANCHOR_PER_SCORE)
    ctx.check(most >= 0, POST_NMS_COUNT_NOT_NEGATIVE.of(most=most))
    open_unless(ctx, A_BOX_KEPT.of(most=most), at_least(most, 1))
    return [ctx.tensor((most, 4)), ctx.tensor((most,))]


MAP_AND_IMAGE_SAME_BATCH = laws.SM116.law("map and image have the same batch")
CROP_SIZE_NOT_NEGATIVE = laws.SM309.law("h and w are at least 0, not {size}")
GRID_SIZED_AS_MAP = laws.SM502.law("the grid has the size of the map")


@operator("ExperimentalDetectronPriorGridGenerator")
def prior_grid(ctx: RuleContext) -> Tensor:
    """Repeat priors `[p, 4]` at each position of a map: `[h, w, p, 4]`, or `[h*w*p, 4]` with `flatten`."""
    priors, places, image = (ctx.input(i) for i in range(3))
    ctx.require_equal(priors[1], 4, COORDINATES)
    ctx.require_equal(places[0], image[0], MAP_AND_IMAGE_SAME_BATCH)
    requested = [ctx.integer(name, 0) for name in "hw"]
    ctx.check(min(requested) >= 0, CROP_SIZE_NOT_NEGATIVE.of(size=requested))
    open_unless(ctx, GRID_SIZED_AS_MAP, FALSE if any(requested) else TRUE)
    grid = [*places.dims[2:], priors[0]]
    return ctx.tensor([product(grid), 4] if ctx.integer("flatten", 0) else [*grid, 4])


MAP_OF_ONE_SAMPLE = laws.SM116.law("each map is of one sample")
MAPS_SAME_CHANNELS = laws.SM106.law("all maps have the same channels")
OUTPUT_SIZE_NOT_NEGATIVE = laws.SM502.law("output_size is at least 0, not {size}")


@operator("ExperimentalDetectronROIFeatureExtractor")
def detectron_features(ctx: RuleContext) -> list[Tensor]:
    """Pool regions `[r, 4]` from feature maps `[1, c, h, w]` of several scales: `[r, c, size, size]`, and regions."""
    regions, first, size = ctx.input(0), ctx.input(1), ctx.integer("output_size")
    ctx.require_equal(regions[1], 4, COORDINATES)
    for level in (ctx.input(i) for i in range(1, len(ctx.inputs))):
        ctx.require_equal(level[0], 1, MAP_OF_ONE_SAMPLE)
        ctx.require_equal(level[1], first[1], MAPS_SAME_CHANNELS)
    ctx.check(size >= 0, OUTPUT_SIZE_NOT_NEGATIVE.of(size=size))
    return [ctx.tensor((regions[0], first[1], size, size)), ctx.tensor((regions[0], 4))]


SCORE_PER_REGION = laws.SM116.law("each region has a score")
MAX_ROIS_NOT_NEGATIVE = laws.SM502.law("max_rois is at least 0, not {most}")


@operator("ExperimentalDetectronTopKROIs")
def top_regions(ctx: RuleContext) -> Tensor:
    """Return the `max_rois` regions with the highest scores: regions `[r, 4]`, scores `[r]` -> `[max_rois, 4]`."""
    regions, most = ctx.input(0), ctx.integer("max_rois", 0)
    ctx.require_equal(regions[1], 4, COORDINATES)
    require_vector(ctx, 1, regions[0], SCORE_PER_REGION)
    ctx.check(most >= 0, MAX_ROIS_NOT_NEGATIVE.of(most=most))
    return ctx.tensor((most, 4))


BOX_COUNTS_AT_LEAST_1 = laws.SM502.law("the number of boxes before and after is at least 1, not {least}")
NMS_ETA_1 = laws.SM502.law("nms_eta is 1")


@operator("GenerateProposals")
def generate_proposals(ctx: RuleContext) -> list[Tensor]:
    """Return the best boxes `[kept, 4]`, their scores `[kept]`, and the number of boxes per sample `[n]`.

    The inputs are the images' sizes, anchors `[h, w, a, 4]`, deltas `[n, 4*a, h, w]` and scores `[n, a, h, w]`.
    """
    image, scores, most = ctx.input(0), ctx.input(3), ctx.integer("post_nms_count")
    law = IMAGE_HEIGHT_WIDTH_1_OR_2_SCALES
    ctx.require_equal(image[0], scores[0], laws.BOXES_AND_SCORES_SAME_BATCH)
    ctx.require(any_of(equal(image[1], 3), equal(image[1], 4)), law, image[1], 3)
    require_shape(ctx, 1, (*scores.dims[2:], scores[1], 4), ANCHOR_PER_SCORE)
    require_shape(ctx, 2, (scores[0], 4 * scores[1], *scores.dims[2:]), SCORES_AND_DELTAS_SAME_PLACES)
    least = min(most, ctx.integer("pre_nms_count"))
    ctx.check(least >= 1, BOX_COUNTS_AT_LEAST_1.of(least=least))
    ctx.check(ctx.number("nms_eta", 1) == 1, NMS_ETA_1)
    kept = ctx.fresh("kept", 0, scores[0] * most)
    return [ctx.tensor((kept, 4)), ctx.tensor((kept,)), tensor(dtype_of(ctx, "roi_num_type"), (image[0],))]
