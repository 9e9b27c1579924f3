"""Images: resizing, cropping, decoding, and bounding boxes."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_shape, require_vector
from shapesmt.operators.ops.tensorflow.common import (
    DOMAIN,
    first,
    least,
    numbers,
    one_of,
    require_numbers,
    require_order,
)
from shapesmt.operators.ops.tensorflow.indexing import require_places
from shapesmt.operators.rules import RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import FALSE, Dim, any_of, equal, minimum
from shapesmt.prover.algebra.numeric import from_dim, literal

KERNELS = ("lanczos3", "lanczos1", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")
RESIZED = {f"Resize{name}": "float32" for name in ("Area", "Bicubic", "Bilinear")}

AN_IMAGE = laws.SM204.law("there is an image")


@rule("QuantizedResizeBilinear", domain=DOMAIN)
def resize_quantized(ctx: RuleContext) -> list[Tensor]:
    """Resize `[n, h, w, c]` to the height and width in an input; also return the bounds of the value range."""
    require_numbers(ctx, 2, 3)
    ctx.require_at_least(ctx.input(0, rank=4)[0], 1, AN_IMAGE)
    end = ctx.tensor((), "float32")
    return [resize(ctx), end, end]


NO_IMAGE_EMPTY = laws.SM204.law("no image is empty")


@rule(*RESIZED, "ResizeNearestNeighbor", domain=DOMAIN, follows=rows())
def resize(ctx: RuleContext) -> Tensor:
    """Resize `[n, h, w, c]` to the height and width in an input; neither the input nor the output may be empty."""
    x = ctx.input(0, rank=4)
    size = complete_sizes(ctx, ctx.sizes(1, 2), 1)
    require_least(ctx, [*x.dims[1:], *size], 1, NO_IMAGE_EMPTY)
    return ctx.tensor([x[0], *size, x[3]], RESIZED.get(ctx.node.op))


FACTOR_AND_SHIFT_FOR_HEIGHT_AND_WIDTH = laws.SM205.law("there is a factor and a shift for height and width")


@rule("ScaleAndTranslate", domain=DOMAIN)
def scale(ctx: RuleContext) -> Tensor:
    """Resize `[n, h, w, c]` to the height and width in an input, with a factor and a shift for each."""
    one_of(ctx, "kernel_type", *KERNELS)
    require_vector(ctx, (2, 3), 2, FACTOR_AND_SHIFT_FOR_HEIGHT_AND_WIDTH)
    return ctx.tensor(resize(ctx).dims, "float32")


ONE_TRANSFORM_OR_PER_IMAGE = laws.SM116.law("there is one transform of 8 numbers, or one per image")


@rule("ImageProjectiveTransformV2", "ImageProjectiveTransformV3", domain=DOMAIN)
def project(ctx: RuleContext) -> Tensor:
    """Transform `[n, h, w, c]` to the height and width in an input, with one transform, or one per image."""
    x, transforms = ctx.input(0, rank=4), ctx.input(1, rank=2)
    require_numbers(ctx, 3)
    law = ONE_TRANSFORM_OR_PER_IMAGE
    ctx.require_equal(transforms[1], 8, law)
    ctx.require(any_of(equal(transforms[0], 1), equal(transforms[0], x[0])), law, transforms[0], x[0])
    size = complete_sizes(ctx, ctx.sizes(2, 2), 1)
    require_least(ctx, size, 1, NO_IMAGE_EMPTY)
    return ctx.tensor([x[0], *size, x[3]])


IMAGE_PER_BOX = laws.SM116.law("each box has an image")


@rule("CropAndResize", domain=DOMAIN)
def crop(ctx: RuleContext) -> Tensor:
    """Crop boxes `[n, 4]` out of images `[b, h, w, c]`, each from the image in `box_ind`, and resize them."""
    x, boxes = ctx.input(0, rank=4), ctx.input(1, rank=2)
    no_boxes = equal(boxes[0], 0) if boxes[1].constant is None else FALSE  # not checked at run time then
    ctx.require(any_of(equal(boxes[1], 4), no_boxes), laws.BOX_4_COORDINATES, boxes[1], 4)
    require_vector(ctx, 2, boxes[0], IMAGE_PER_BOX)
    require_places(ctx, ctx.input(2), x[0])
    require_least(ctx, x.dims[1:3], 1, NO_IMAGE_EMPTY)
    size = ctx.sizes(3, 2)
    require_least(ctx, size, 1, NO_IMAGE_EMPTY)
    return ctx.tensor([boxes[0], *complete_sizes(ctx, size, 1), x[3]], "float32")


IMAGE_1_3_OR_4_CHANNELS = laws.SM502.law("an image has one, three or four channels")


@rule("DecodeImage", "DecodePng", "DecodeJpeg", "DecodeBmp", domain=DOMAIN)
def decode(ctx: RuleContext) -> Tensor:
    """Decode an image; its height and width depend on the file's bytes."""
    ctx.require_rank(ctx.input(0), 0)
    channels = least(ctx, "channels", 0, 0) or ctx.fresh("channels", 1)
    ctx.check(channels != 2, IMAGE_1_3_OR_4_CHANNELS)
    return ctx.tensor([ctx.fresh("height", 1), ctx.fresh("width", 1), channels], ctx.text("dtype", "uint8"))


PART_IS_PLACE_AND_SIZE = laws.SM502.law("the part is a place and a size")
PART_INSIDE_IMAGE = laws.SM301.law("the part is inside the image")
PART_NOT_EMPTY = laws.SM204.law("the part isn't empty")


@rule("DecodeAndCropJpeg", domain=DOMAIN)
def decode_part(ctx: RuleContext) -> Tensor:
    """Decode a part of an image; an input `[y, x, height, width]` has its position and size."""
    window, channels = ctx.items(1) or (None,) * 4, least(ctx, "channels", 0, 0)
    require_numbers(ctx, 0)
    require_vector(ctx, 1, 4, PART_IS_PLACE_AND_SIZE)
    ctx.check(channels != 2, IMAGE_1_3_OR_4_CHANNELS)
    require_least(ctx, window[:2], 0, PART_INSIDE_IMAGE)
    require_least(ctx, window[2:], 1, PART_NOT_EMPTY)
    return ctx.tensor([*complete_sizes(ctx, window[2:4], 1), channels or ctx.fresh("channels", 1)], "uint8")


@rule("ExtractJpegShape", domain=DOMAIN)
def size_of_image(ctx: RuleContext) -> Tensor:
    """Return height, width and channels of a file's image, as a list."""
    require_numbers(ctx, 0)
    return ctx.tensor((3,), ctx.text("output_type", "int32"))


THREE_CHANNELS = laws.SM106.law("there are three channels")


@rule("AdjustContrastv2", "AdjustHue", "AdjustSaturation", "HSVToRGB", "RGBToHSV", domain=DOMAIN, follows=rows())
def adjust(ctx: RuleContext) -> Tensor:
    """Adjust or convert colours; the shape is unchanged."""
    x = ctx.input(0)
    ctx.require_rank(x, 1 if "To" in ctx.node.op else 3, least=True)
    require_numbers(ctx, 1)
    if ctx.node.op != "AdjustContrastv2":
        ctx.require_equal(x[-1], 3, THREE_CHANNELS)
    return ctx.tensor(x.dims)


# Boxes


LIMITS_ONE_NUMBER_EACH = laws.SM401.law("limits are one number each")


def selection(ctx: RuleContext) -> tuple[Dim, Dim]:
    """Return the number of selected boxes and the limit of that number; boxes are `[n, 4]`, scores `[n]`."""
    boxes, most = ctx.input(0, rank=2), first(ctx, 2)
    ctx.require_equal(boxes[1], 4, laws.BOX_4_COORDINATES)
    require_vector(ctx, 1, boxes[0], laws.SCORE_PER_BOX)
    require_shape(ctx, range(2, len(ctx.inputs)), (), LIMITS_ONE_NUMBER_EACH)
    require_least(ctx, [most], 0, laws.BOX_COUNT_NOT_NEGATIVE)
    require_thresholds(ctx, 3)
    (limit,) = complete_sizes(ctx, [most])
    return ctx.fresh("selected", 0, minimum(boxes[0], limit)), limit


OVERLAP_THRESHOLD_0_TO_1 = laws.SM502.law("the threshold of overlaps is between 0 and 1")
SPREAD_NOT_NEGATIVE = laws.SM309.law("a spread isn't negative")


def require_thresholds(ctx: RuleContext, index: int) -> None:
    """Require overlap thresholds (input `index` or an attribute) in 0..1, and that the sigma isn't negative."""
    shares = [*(numbers(ctx, index) if ctx.has(index) else ()), ctx.number("iou_threshold", 0.5)]
    for share in shares:
        for low, high in ((0, share), (share, 1)):
            require_order(ctx, low, high, OVERLAP_THRESHOLD_0_TO_1)
    for spread in numbers(ctx, 5) if ctx.node.op == "NonMaxSuppressionV5" else ():
        require_order(ctx, 0, spread, SPREAD_NOT_NEGATIVE)


@rule("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", domain=DOMAIN)
def suppress(ctx: RuleContext) -> Tensor:
    """Return the indices of the boxes that non-maximum suppression selects."""
    return ctx.tensor((selection(ctx)[0],), "int32")


@rule("NonMaxSuppressionV4", "NonMaxSuppressionV5", domain=DOMAIN)
def suppress_padded(ctx: RuleContext) -> list[Tensor]:
    """Return the indices of the selected boxes, their scores (in version 5, which changes them) and their number."""
    count, limit = selection(ctx)
    dims = (limit if ctx.integer("pad_to_max_output_size", 0) else count,)
    scores = [ctx.tensor(dims)] if ctx.node.op.endswith("V5") else []
    return [ctx.tensor(dims, "int32"), *scores, ctx.tensor((), "int32")]


BOXES_AND_SCORES_SAME_IMAGES_AND_ANCHORS = laws.SM116.law("boxes and scores are of the same images and anchors")
BOX_PER_ANCHOR_OR_CLASS = laws.SM204.law("there is a box per anchor, or one per class")
BOX_COUNT_POSITIVE = laws.SM502.law("the number of boxes is positive")


@rule("CombinedNonMaxSuppression", domain=DOMAIN)
def suppress_combined(ctx: RuleContext) -> list[Tensor]:
    """Select the best boxes of each image, given boxes `[b, n, q, 4]` and scores `[b, n, c]`, where q is 1 or c."""
    boxes, scores, most_per_class, total = ctx.input(0, rank=4), ctx.input(1, rank=3), first(ctx, 2), first(ctx, 3)
    law = BOXES_AND_SCORES_SAME_IMAGES_AND_ANCHORS
    for axis in (0, 1):
        ctx.require_equal(boxes[axis], scores[axis], law)
    ctx.require(any_of(equal(boxes[2], 1), equal(boxes[2], scores[2])), BOX_PER_ANCHOR_OR_CLASS)
    ctx.require_equal(boxes[3], 4, laws.BOX_4_COORDINATES)
    require_shape(ctx, range(2, 6), (), LIMITS_ONE_NUMBER_EACH)
    require_least(ctx, [most_per_class, total], 1, BOX_COUNT_POSITIVE)
    require_thresholds(ctx, 4)
    (count,) = complete_sizes(ctx, [total])
    if ctx.integer("pad_per_class", 0):
        count = minimum(count, complete_sizes(ctx, [most_per_class])[0] * scores[2])
    shape = (boxes[0], count)
    return [ctx.tensor((*shape, 4)), ctx.tensor(shape), ctx.tensor(shape), ctx.tensor(shape[:1], "int32")]


OVERLAP_OF_EACH_TWO_BOXES = laws.SM116.law("there is an overlap of each two boxes")


@rule("NonMaxSuppressionWithOverlaps", domain=DOMAIN)
def suppress_overlaps(ctx: RuleContext) -> Tensor:
    """Return the indices of the selected boxes, given a matrix `[n, n]` of overlaps."""
    overlaps, most = ctx.input(0, rank=2), first(ctx, 2)
    ctx.require_equal(overlaps[0], overlaps[1], OVERLAP_OF_EACH_TWO_BOXES)
    require_vector(ctx, 1, overlaps[0], laws.SCORE_PER_BOX)
    require_shape(ctx, (2, 3, 4), (), LIMITS_ONE_NUMBER_EACH)
    require_least(ctx, [most], 0, laws.BOX_COUNT_NOT_NEGATIVE)
    return ctx.tensor((ctx.fresh("selected", 0, minimum(overlaps[0], *complete_sizes(ctx, [most]))),), "int32")


BOXES_PER_IMAGE = laws.SM116.law("there are boxes for each image")
IMAGE_CHANNELS_OF_FORMAT = laws.SM502.law("an image has a number of channels that its format has")
COLOUR_NUMBER_PER_CHANNEL = laws.SM116.law("a colour has a number for each channel")


@rule("DrawBoundingBoxes", "DrawBoundingBoxesV2", domain=DOMAIN)
def draw(ctx: RuleContext) -> Tensor:
    """Draw boxes `[b, n, 4]` on images `[b, h, w, c]`."""
    x, boxes = ctx.input(0, rank=4), ctx.input(1, rank=3)
    ctx.require_equal(x[0], boxes[0], BOXES_PER_IMAGE)
    ctx.require_equal(boxes[2], 4, laws.BOX_4_COORDINATES)
    ctx.require(any_of(*(equal(x[3], n) for n in (1, 3, 4))), IMAGE_CHANNELS_OF_FORMAT, x[3])
    if ctx.has(2):
        ctx.require_at_least(ctx.input(2, rank=2)[1], x[3], COLOUR_NUMBER_PER_CHANNEL)
    return ctx.tensor(x.dims)


# Parts


PLACE_PER_IMAGE = laws.SM116.law("there is a place for each image")
UNIFORM_NOISE_IS_NOT = laws.SM502.law("noise that is uniform isn't '{noise}'")


@rule("ExtractGlimpse", "ExtractGlimpseV2", domain=DOMAIN)
def glimpse(ctx: RuleContext) -> Tensor:
    """Return a window of each image, of the height and width in an input."""
    x, offsets = ctx.input(0, rank=4), ctx.input(2, rank=2)
    ctx.require_agree(offsets, ctx.tensor((x[0], 2)), law=PLACE_PER_IMAGE)
    size = ctx.sizes(1, 2)
    require_least(ctx, size, 0, laws.SIZES_NOT_NEGATIVE)
    noise = ctx.text("noise", "uniform")
    is_uniform = ctx.integer("uniform_noise", 1)
    ctx.check(noise in ("uniform", "") or not is_uniform, UNIFORM_NOISE_IS_NOT.of(noise=noise))
    return ctx.tensor([x[0], *complete_sizes(ctx, size), x[3]], "float32")


ONLY_DETERMINISTIC_HAS_SEEDS = laws.SM502.law("only what is deterministic has seeds")
POOLED_IMAGE_NOT_EMPTY = laws.SM204.law("the pooled image isn't empty")


@rule("FractionalAvgPool", "FractionalMaxPool", domain=DOMAIN)
def fractional_pool(ctx: RuleContext) -> list[Tensor]:
    """Pool by ratios of height and width; also return the rows and columns at which windows begin."""
    x, factors = ctx.input(0, rank=4), _ratios(ctx)
    require_least(ctx, x.dims, 1, laws.IMAGE_NOT_EMPTY)
    seeds = ctx.integer("seed", 0) or ctx.integer("seed2", 0)
    ctx.check(not seeds or bool(ctx.integer("deterministic", 0)), ONLY_DETERMINISTIC_HAS_SEEDS)
    sizes = [_divide(d, r) for d, r in zip(x.dims, factors, strict=True)]
    require_least(ctx, sizes, 1, POOLED_IMAGE_NOT_EMPTY)
    return [ctx.tensor(sizes), *(ctx.tensor((d + 1,), "int64") for d in sizes[1:3])]


RATIO_AT_LEAST_1_PER_AXIS = laws.SM502.law("there is a ratio of at least 1 for each axis")
BATCH_AND_CHANNELS_NOT_POOLED = laws.SM203.law("neither batch nor channels are pooled")


def _ratios(ctx: RuleContext) -> list[float]:
    """Return the ratio by which each axis shrinks; it is 1 for batch and channels."""
    ratios = ctx.attribute("pooling_ratio")
    numbers = [float(r) for r in ratios if isinstance(r, (int, float))] if isinstance(ratios, tuple) else []
    ctx.check(len(numbers) == 4 and min(numbers) >= 1, RATIO_AT_LEAST_1_PER_AXIS)
    ctx.check(numbers[0] == numbers[3] == 1, BATCH_AND_CHANNELS_NOT_POOLED)
    return numbers


def _divide(size: Dim, ratio: float) -> Dim:
    """Return a size divided by a ratio, rounded down in float32."""
    return (from_dim(size, "float32") / literal(ratio, "float32")).floor().to_int()


QUALITY_RANGE = laws.SM401.law("the quality is between {low} and {high}, not {quality}")


@rule("EncodeJpeg", "EncodePng", domain=DOMAIN)
def encode(ctx: RuleContext) -> Tensor:
    """Encode an image `[h, w, c]` as a file."""
    x, png = ctx.input(0), ctx.node.op == "EncodePng"
    ctx.require_rank(x, 3, least=png)
    require_least(ctx, x.dims, 1, laws.IMAGE_NOT_EMPTY)
    counts = {"grayscale": (1,), "rgb": (3,)}.get(ctx.text("format", ""), (1, 2, 3, 4) if png else (1, 3))
    ctx.require(any_of(*(equal(x[-1], n) for n in counts)), IMAGE_CHANNELS_OF_FORMAT, x[-1])
    quality, low, high = (ctx.integer("compression", -1), -1, 9) if png else (ctx.integer("quality", 95), 0, 100)
    ctx.check(low <= quality <= high, QUALITY_RANGE.of(low=low, high=high, quality=quality))
    return ctx.tensor(x.dims[:-3], "string")


@rule("DecodeGif", domain=DOMAIN)
def decode_frames(ctx: RuleContext) -> Tensor:
    """Decode all frames of a file, `[frames, height, width, 3]`."""
    require_numbers(ctx, 0)
    return ctx.tensor([*(ctx.fresh(name, 1) for name in ("frames", "height", "width")), 3], "uint8")


IMAGE_HEIGHT_WIDTH_CHANNELS = laws.SM401.law("an image has height, width and channels")
OBJECT_SHARE_NOT_NEGATIVE = laws.SM309.law("the share of an object isn't negative")
A_BOX = laws.SM204.law("there is a box")


@rule("SampleDistortedBoundingBoxV2", "StatelessSampleDistortedBoundingBox", domain=DOMAIN, traits=Traits.STATEFUL)
def sample(ctx: RuleContext) -> list[Tensor]:
    """Return a random region of an image whose sizes are an input: its begin, its sizes and its bounding box."""
    require_vector(ctx, 0, 3, IMAGE_HEIGHT_WIDTH_CHANNELS)
    ctx.require_equal(ctx.input(1, rank=3)[2], 4, laws.BOX_4_COORDINATES)
    require_numbers(ctx, 2)
    require_vector(ctx, 3, 2, laws.SEED_TWO_NUMBERS)
    require_least(ctx, (ctx.items(0) or ())[:2], 0, laws.SIZES_NOT_NEGATIVE)
    least(ctx, "max_attempts", 1, 100)
    for share in numbers(ctx, 2):
        require_order(ctx, 0, share, OBJECT_SHARE_NOT_NEGATIVE)
    if not ctx.integer("use_image_if_no_bounding_boxes", 0):
        ctx.require_at_least(ctx.input(1).numel, 1, A_BOX)
    region = ctx.tensor((3,), ctx.input(0).dtype)
    return [region, region, ctx.tensor((1, 1, 4), "float32")]
