"""Regions that are cut out of images, patches, colours, and what networks that find objects do between layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.algebra import as_dim, ceil_divide, divides, maximum, product
from shapesmt.ops.openvino.bridge import integers
from shapesmt.ops.openvino.signatures import operator
from shapesmt.ops.shared.fields import counted
from shapesmt.rules import require_least, require_shape, require_vector, sized

if TYPE_CHECKING:
    from shapesmt.algebra import Dim
    from shapesmt.rules import InferenceContext, Tensor

REGION = "a region has an image's index and 4 coordinates"


@operator("ROIPooling")
def roi_pooling(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]` and regions `[r, 5]` make `[r, c, *output]`."""
    x, regions = ctx.input(0), ctx.input(1)
    ctx.require_equal(regions[1], 5, REGION)
    size = integers(ctx, "output_size") or (ctx.integer("pooled_h"), ctx.integer("pooled_w"))
    ctx.check(len(size) == 2 and min(size) >= 1, f"a region is at least 1 high and wide, not {size}")
    ctx.check(ctx.number("spatial_scale") > 0, "the scale is positive")
    ctx.check(ctx.text("method", "max").lower() in ("max", "bilinear"), "the method is max or bilinear")
    return ctx.tensor([regions[0], x[1], *size])


@operator("ROIAlign", "ROIAlignRotated")
def roi_align(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]`, regions `[r, 4]` (turned: 5) and the image of each make `[r, c, height, width]`."""
    x, regions, height, width = ctx.input(0), ctx.input(1), ctx.integer("pooled_h"), ctx.integer("pooled_w")
    coordinates = 5 if ctx.node.op == "ROIAlignRotated" else 4
    ctx.require_equal(regions[1], coordinates, f"a region has {coordinates} coordinates")
    require_vector(ctx, 2, regions[0], "each region has one batch index")
    return ctx.tensor([regions[0], x[1], max(height, 0), max(width, 0)])


@operator("PSROIPooling", "DeformablePSROIPooling")
def position_sensitive(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]` and regions `[r, 5]` make `[r, output_dim, group, group]`."""
    x, regions, made = ctx.input(0), ctx.input(1), ctx.integer("output_dim")
    group, mode = ctx.integer("group_size", 1), ctx.text("mode", "average").lower()
    bins = ctx.integer("spatial_bins_x", 1) * ctx.integer("spatial_bins_y", 1)
    ctx.check(min(made, group, bins) >= 1, f"output_dim, group_size and bins are positive, not {(made, group, bins)}")
    if ctx.node.op == "PSROIPooling":
        ctx.require_equal(regions[1], 5, REGION)
        ctx.check(mode in ("average", "bilinear"), f"the mode is average or bilinear, not {mode}")
        ctx.check(ctx.number("spatial_scale") > 0, "the scale is positive")
        parts = group * group if mode == "average" else bins
        ctx.require_equal(x[1], made * parts, "the channels are output_dim for each part of a region")
    return ctx.tensor([regions[0], made, group, group])


@operator("ExtractImagePatches")
def image_patches(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]`: the windows that fit, their elements as channels."""
    x, kernel, strides, rates = ctx.input(0), *(integers(ctx, name) for name in ("sizes", "strides", "rates"))
    ctx.check({len(kernel), len(strides), len(rates)} == {2}, "'sizes', 'strides' and 'rates' have 2 entries")
    ctx.check(min((*kernel, *strides, *rates)) >= 1, "strides and dilations are positive")
    same = ctx.text("auto_pad").lower().startswith("same")
    spans = [(k - 1) * rate + 1 for k, rate in zip(kernel, rates, strict=True)]
    sizes = [
        ceil_divide(d, stride) if same else maximum((d - span) // stride + 1, 0)
        for d, stride, span in zip(x.dims[2:], strides, spans, strict=True)
    ]
    return ctx.tensor([x[0], x[1] * product(map(as_dim, kernel)), *sizes])


@operator("ReorgYolo")
def reorganized(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]` becomes `[n, c * s * s, h / s, w / s]`."""
    x, stride = ctx.input(0), ctx.integer("stride", 1)
    ctx.check(stride >= 1, f"the stride is at least 1, not {stride}")
    for d in x.dims[2:]:
        ctx.require(divides(stride, d), f"height and width split into blocks of {stride}", d, stride)
    ctx.require_at_least(x[1], stride * stride, "there are at least as many channels as a block has elements")
    return ctx.tensor([x[0], x[1] * stride * stride, x[2] // stride, x[3] // stride])


@operator("RegionYolo")
def yolo_regions(ctx: InferenceContext) -> Tensor:
    """`[n, c, h, w]`: the axes from `axis` to `end_axis` made one, or the channels of the masked anchors alone."""
    x = ctx.input(0)
    if ctx.integer("do_softmax", 1):
        first, last = ctx.axis(4), ctx.axis(4, name="end_axis")
        ctx.check(first <= last, f"axis {first} comes no later than end_axis {last}")
        return ctx.tensor([*x.dims[:first], product(x.dims[first : last + 1]), *x.dims[last + 1 :]])
    anchors = len(integers(ctx, "mask"))
    return ctx.tensor([x[0], (ctx.integer("classes") + ctx.integer("coords") + 1) * anchors, *x.dims[2:]])


PLANES = {"NV12": ((2, 2),), "I420": ((2, 1), (2, 1))}


@operator("NV12toRGB", "NV12toBGR", "I420toRGB", "I420toBGR")
def colours(ctx: InferenceContext) -> Tensor:
    """`[n, h, w, 1]` and the colours of every 2x2 points, in planes of their own or below: `[n, h, w, 3]`."""
    y, law = ctx.input(0), "there is a colour for every 2x2 points"
    planes = PLANES[ctx.node.op[:4]]
    ctx.require_equal(y[3], 1, "the brightness has one channel")
    ctx.check(len(ctx.inputs) in (1, 1 + len(planes)), f"all planes are given: 1 or {1 + len(planes)}")
    apart = len(ctx.inputs) > 1
    height = y[1] if apart else y[1] * 2 // 3
    ctx.require(divides(2 if apart else 3, y[1]), law, y[1])
    ctx.require(divides(2, y[2]), law, y[2], 2)
    for i, (_, channels) in enumerate(planes if apart else (), 1):
        require_shape(ctx, i, (y[0], height // 2, y[2] // 2, channels), law)
    return ctx.tensor([y[0], height, y[2], 3])


@operator("Col2Im")
def columns_to_image(ctx: InferenceContext) -> Tensor:
    """`[n, c * kernel, windows]`, or one sample alone, becomes `[n, c, *output]`."""
    x, (*batch, channels, count) = ctx.input(0), ctx.input(0).dims
    image, kernel = (sized(ctx, counted(ctx, i, 2, "sizes")) for i in (1, 2))
    settings = {"strides": (1, 1), "dilations": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0)}
    strides, dilations, begin, end = (integers(ctx, name, default) for name, default in settings.items())
    ctx.check(min(map(len, (strides, dilations, begin, end))) > 1, "'strides' and pads have 2 entries")
    ctx.check(min((*strides, *dilations)) >= 1, "strides and dilations are positive")
    require_least(ctx, [*image, *kernel], 1, "sizes are positive")
    windows: list[Dim] = [
        (d + p + q - (k - 1) * rate - 1) // stride + 1
        for d, p, q, k, rate, stride in zip(image, begin, end, kernel, dilations, strides, strict=False)
    ]
    ctx.require_equal(count, product(windows), "there is a column wherever the window stands")
    ctx.require(divides(product(kernel), channels), "the channels split into windows", channels, product(kernel))
    return ctx.tensor([*batch, channels // product(kernel), *image], x.dtype)
