"""Pooled regions, patches, colour conversion, and the layers of YOLO detectors."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.openvino.bridge import integers, known_numbers
from shapesmt.operators.ops.openvino.signatures import operator
from shapesmt.operators.ops.shared.follows import rows
from shapesmt.operators.ops.shared.indices import require_inside
from shapesmt.operators.ops.shared.require import (
    complete_sizes,
    open_unless,
    require_least,
    require_shape,
    require_vector,
)
from shapesmt.operators.ops.shared.windows import OR_NONE, sliding
from shapesmt.operators.rules import RuleContext, Tensor
from shapesmt.prover.algebra import FALSE, Dim, all_of, as_dim, at_least, divides, product

REGION_IMAGE_INDEX_AND_COORDINATES = laws.SM206.law("a region has an image's index and 4 coordinates")
REGION_AT_LEAST_1_HIGH_AND_WIDE = laws.SM502.law("a region is at least 1 high and wide, not {size}")
METHOD_MAX_OR_BILINEAR = laws.SM502.law("the method is max or bilinear")


@operator("ROIPooling")
def roi_pooling(ctx: RuleContext) -> Tensor:
    """Pool regions `[r, 5]` of images `[n, c, h, w]`: `[r, c, *output_size]`."""
    x, regions = ctx.input(0), ctx.input(1)
    ctx.require_equal(regions[1], 5, REGION_IMAGE_INDEX_AND_COORDINATES)
    size = integers(ctx, "output_size") or (ctx.integer("pooled_h"), ctx.integer("pooled_w"))
    ctx.check(len(size) == 2 and min(size) >= 1, REGION_AT_LEAST_1_HIGH_AND_WIDE.of(size=size))
    ctx.check(ctx.number("spatial_scale") > 0, laws.SCALE_POSITIVE)
    _require_images(ctx, regions, x[0], ends=True)
    ctx.check(ctx.text("method", "max").lower() in ("max", "bilinear"), METHOD_MAX_OR_BILINEAR)
    return ctx.tensor([regions[0], x[1], *size])


REGION_COORDINATES = laws.SM206.law("a region has {count} coordinates")


@operator("ROIAlign", "ROIAlignRotated")
def roi_align(ctx: RuleContext) -> Tensor:
    """Sample each region from the image with its batch index: the output is `[r, c, pooled_h, pooled_w]`.

    The inputs are images `[n, c, h, w]`, regions `[r, 4]` (rotated: `[r, 5]`) and batch indices `[r]`.
    """
    x, regions, height, width = ctx.input(0), ctx.input(1), ctx.integer("pooled_h"), ctx.integer("pooled_w")
    rotated = ctx.node.op == "ROIAlignRotated"
    ctx.require_equal(regions[1], 4 + rotated, REGION_COORDINATES.of(count=4 + rotated))
    require_vector(ctx, 2, regions[0], laws.BATCH_INDEX_PER_REGION)
    ctx.check(min(height, width, ctx.integer("sampling_ratio", 0) if rotated else 0) >= 0, laws.SIZES_NOT_NEGATIVE)
    if not rotated:
        _require_of_images(ctx, x[0])
    return ctx.tensor([regions[0], x[1], max(height, 0), max(width, 0)])


A_REGION_IN_AN_IMAGE = laws.SM204.law("a region is in an image")


def _require_of_images(ctx: RuleContext, batch: Dim) -> None:
    """Require that the image indices in input 2 are inside the batch; those from the first -1 on are ignored.

    The first index may not be -1.
    """
    images = ctx.constants(2)
    if images is None:
        return require_inside(ctx, ctx.input(2), batch, index=2, from_end=False)
    listed = images[: images.index(-1)] if -1 in images else images
    ctx.check(bool(listed) or not images, A_REGION_IN_AN_IMAGE)
    require_inside(ctx, ctx.integer_list(listed), batch, index=2, from_end=False)


def _require_images(ctx: RuleContext, regions: Tensor, batch: Dim, *, ends: bool) -> None:
    """Require that the image index of each region, its first number, is from 0 to the batch size.

    With `ends`, a region with index -1 and those after it are ignored. Regions after an unknown index aren't checked.
    """
    for image in known_numbers(regions)[:: regions[1].constant or 1]:
        if image is None or (ends and int(image) == -1):
            return
        number = as_dim(int(image))
        ctx.require(all_of(at_least(number, 0), at_least(batch, number)), laws.INDICES_INSIDE_AXIS, number, batch)


OUTPUT_DIM_GROUP_SIZE_BINS_POSITIVE = laws.SM401.law("output_dim, group_size and bins are positive, not {sizes}")
MODE_AVERAGE_OR_BILINEAR = laws.SM502.law("the mode is average or bilinear, not {mode}")
CHANNELS_FOR_EACH_REGION_PART = laws.SM206.law("the channels are output_dim for each part of a region")


@operator("PSROIPooling", "DeformablePSROIPooling")
def position_sensitive(ctx: RuleContext) -> Tensor:
    """Pool regions `[r, 5]` of images `[n, c, h, w]`: `[r, output_dim, group, group]`."""
    x, regions, channels = ctx.input(0), ctx.input(1), ctx.integer("output_dim")
    group, mode = ctx.integer("group_size", 1), ctx.text("mode", "average").lower()
    bins = ctx.integer("spatial_bins_x", 1) * ctx.integer("spatial_bins_y", 1)
    least = min(channels, group, 1 if mode == "average" else bins)
    ctx.check(least >= 1, OUTPUT_DIM_GROUP_SIZE_BINS_POSITIVE.of(sizes=(channels, group, bins)))
    _require_images(ctx, regions, x[0], ends=False)
    if ctx.node.op == "PSROIPooling":
        ctx.require_equal(regions[1], 5, REGION_IMAGE_INDEX_AND_COORDINATES)
        ctx.check(mode in ("average", "bilinear"), MODE_AVERAGE_OR_BILINEAR.of(mode=mode))
        ctx.check(ctx.number("spatial_scale") > 0, laws.SCALE_POSITIVE)
        parts = group * group if mode == "average" else bins
        ctx.require_equal(x[1], channels * parts, CHANNELS_FOR_EACH_REGION_PART)
    return ctx.tensor([regions[0], channels, group, group])


SIZES_STRIDES_RATES_2_ENTRIES = laws.SM502.law("'sizes', 'strides' and 'rates' have 2 entries")


@operator("ExtractImagePatches", follows=rows())
def image_patches(ctx: RuleContext) -> Tensor:
    """Extract windows; their elements become channels: `[n, c, h, w]` -> `[n, c * kh * kw, rows, columns]`."""
    x, kernel, strides, rates = ctx.input(0), *(integers(ctx, name) for name in ("sizes", "strides", "rates"))
    ctx.check({len(kernel), len(strides), len(rates)} == {2}, SIZES_STRIDES_RATES_2_ENTRIES)
    ctx.check(min((*kernel, *strides, *rates)) >= 1, laws.STRIDES_AND_DILATIONS_POSITIVE)
    same = ctx.text("auto_pad").lower().startswith("same")
    axes = sliding(kernel, strides, rates, rounding=OR_NONE, same=same)
    sizes = [a.places(d) for a, d in zip(axes, x.dims[2:], strict=True)]
    return ctx.tensor([x[0], x[1] * product(map(as_dim, kernel)), *sizes])


STRIDE_AT_LEAST_1 = laws.SM502.law("the stride is at least 1, not {stride}")
CHANNEL_PER_BLOCK_ELEMENT = laws.SM106.law("there are at least as many channels as a block has elements")


@operator("ReorgYolo", follows=rows())
def reorganized(ctx: RuleContext) -> Tensor:
    """Move blocks of pixels into channels: `[n, c, h, w] -> [n, c * s * s, h / s, w / s]`."""
    x, stride = ctx.input(0), ctx.integer("stride", 1)
    ctx.check(stride >= 1, STRIDE_AT_LEAST_1.of(stride=stride))
    for d in x.dims[2:]:
        ctx.require(divides(stride, d), laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS.of(block=stride), d, stride)
    ctx.require_at_least(x[1], stride * stride, CHANNEL_PER_BLOCK_ELEMENT)
    return ctx.tensor([x[0], x[1] * stride * stride, x[2] // stride, x[3] // stride])


CHANNELS_FOR_BOXES = laws.SM502.law("there are channels for the coordinates and classes of a box, and a box")


@operator("RegionYolo", follows=rows())
def yolo_regions(ctx: RuleContext) -> Tensor:
    """Flatten `axis` to `end_axis` of `[n, c, h, w]`; without `do_softmax`, keep only the masked anchors' channels."""
    x = ctx.input(0)
    if not ctx.integer("do_softmax", 1):
        anchors = len(integers(ctx, "mask"))
        return ctx.tensor([x[0], (ctx.integer("classes") + ctx.integer("coords") + 1) * anchors, *x.dims[2:]])
    boxes = ctx.integer("num")
    channels = boxes * (ctx.integer("classes") + ctx.integer("coords") + 1)
    open_unless(ctx, CHANNELS_FOR_BOXES, at_least(x[1], channels) if boxes > 0 else FALSE)
    first, last = ctx.axis(4), ctx.axis(4, name="end_axis")
    if first > last:
        open_unless(ctx, laws.AXIS_BEFORE_END_AXIS.of(first=first, last=last))
    return ctx.tensor(
        None if first > last else [*x.dims[:first], product(x.dims[first : last + 1]), *x.dims[last + 1 :]]
    )


PLANES = {"NV12": ((2, 2),), "I420": ((2, 1), (2, 1))}

COLOUR_PER_2X2_POINTS = laws.SM206.law("there is a colour for every 2x2 points")
BRIGHTNESS_ONE_CHANNEL = laws.SM206.law("the brightness has one channel")
ALL_PLANES_GIVEN = laws.SM206.law("all planes are given: 1 or {count}")


@operator("NV12toRGB", "NV12toBGR", "I420toRGB", "I420toBGR", follows=rows(0, 1, 2))
def colours(ctx: RuleContext) -> Tensor:
    """Convert YUV images to RGB or BGR: brightness `[n, h, w, 1]` and one colour per 2x2 pixels -> `[n, h, w, 3]`.

    A single input has all planes below each other, in 3h/2 rows.
    """
    y, law = ctx.input(0), COLOUR_PER_2X2_POINTS
    planes = PLANES[ctx.node.op[:4]]
    ctx.require_equal(y[3], 1, BRIGHTNESS_ONE_CHANNEL)
    ctx.check(len(ctx.inputs) in (1, 1 + len(planes)), ALL_PLANES_GIVEN.of(count=1 + len(planes)))
    apart = len(ctx.inputs) > 1
    height = y[1] if apart else y[1] * 2 // 3
    ctx.require(divides(2 if apart else 3, y[1]), law, y[1])
    ctx.require(divides(2, y[2]), law, y[2], 2)
    for i, (_, channels) in enumerate(planes if apart else (), 1):
        require_shape(ctx, i, (y[0], height // 2, y[2] // 2, channels), law)
    return ctx.tensor([y[0], height, y[2], 3])


STRIDES_AND_PADS_2_ENTRIES = laws.SM502.law("'strides' and pads have 2 entries")
SIZES_POSITIVE = laws.SM204.law("sizes are positive")


@operator("Col2Im", follows=rows())
def columns_to_image(ctx: RuleContext) -> Tensor:
    """Sum overlapping windows to images: `[n, c * kh * kw, windows]` -> `[n, c, h, w]`; the batch axis is optional."""
    x, (*batch, channels, count) = ctx.input(0), ctx.input(0).dims
    image, kernel = (complete_sizes(ctx, ctx.sizes(i, 2)) for i in (1, 2))
    settings = {"strides": (1, 1), "dilations": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0)}
    strides, dilations, begin, end = (integers(ctx, name, default) for name, default in settings.items())
    ctx.check(min(map(len, (strides, dilations, begin, end))) > 1, STRIDES_AND_PADS_2_ENTRIES)
    ctx.check(min((*strides, *dilations)) >= 1, laws.STRIDES_AND_DILATIONS_POSITIVE)
    axes = sliding(kernel, strides[:2], dilations[:2], (begin[:2], end[:2]))
    require_least(ctx, [*image, *kernel], 1, SIZES_POSITIVE)
    places = product(a.places(d) for a, d in zip(axes, image, strict=True))
    ctx.require_equal(count, places, laws.COLUMN_WHERE_WINDOW_STANDS)
    ctx.require(divides(product(kernel), channels), laws.CHANNELS_SPLIT_INTO_WINDOWS, channels, product(kernel))
    return ctx.tensor([*batch, channels // product(kernel), *image], x.dtype)
