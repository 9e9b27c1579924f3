"""TensorFlow's convolutions, pools, images and boxes against its own execution."""

from __future__ import annotations

from functools import partial

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

import tensorflow as tf

from tests.support.tensorflow import ints, zeros

raw = tf.raw_ops

WINDOWS = [
    {"strides": [1, 1, 2, 1], "padding": "VALID"},
    {"strides": [1, 2, 3, 1], "padding": "SAME"},
    {"strides": [1, 3, 2, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]},
    {"strides": [1, 1, 1, 1], "padding": "VALID", "dilations": [1, 2, 1, 1]},
    {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 1, 2, 1]},
]


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_convolutions(window, agree):
    agree(lambda x: raw.Conv2D(input=x, filter=zeros(3, 2, 2, 4), **window), "0..2,0..6,0..4,2")


def test_channels_of_convolutions(agree):
    window = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    agree(lambda x, w: raw.Conv2D(input=x, filter=w, **window), "1,2,2,0..6", "1,1,1..3,0..4")
    agree(lambda x, w: raw.Conv2D(input=x, filter=w, **window), "1,0..3,3,2", "1..2,1..2,2,3")


def last(function, window):
    """The operator on an image with its channels first, and on one with them last instead."""
    moved = {name: [v[0], *v[2:], v[1]] for name, v in window.items() if name in ("strides", "dilations", "ksize")}

    def transposed(x):
        made = function(tf.transpose(x, [0, 2, 3, 1]), **{**window, **moved})
        return tf.transpose(made, [0, 3, 1, 2])

    return lambda x: function(x, **window, data_format="NCHW"), transposed


def test_channels_first(agree):
    """CPU kernels support only channels last, so the expected result is that of a transposed image."""
    window = {"strides": [1, 1, 2, 2], "padding": "VALID"}
    for function, shape in (
        (lambda x, **w: raw.Conv2D(input=x, filter=zeros(3, 2, 2, 4), **w), "0..2,1..4,1..4,1..4"),
        (lambda x, **w: raw.DepthwiseConv2dNative(input=x, filter=zeros(3, 2, 2, 4), **w), "0..2,1..3,1..4,1..4"),
    ):
        build, instead = last(function, window)
        agree(build, shape, instead=instead)
    window = {"strides": [1, 1, 2, 1], "padding": "SAME", "ksize": [1, 1, 3, 2]}
    for function in (lambda x, **w: raw.MaxPool(input=x, **w), lambda x, **w: raw.AvgPool(value=x, **w)):
        build, instead = last(function, window)
        agree(build, "0..2,1..2,1..4,1..4", instead=instead)


def test_depthwise_convolutions(agree):
    window = {"strides": [1, 2, 2, 1], "padding": "VALID"}
    agree(lambda x, w: raw.DepthwiseConv2dNative(input=x, filter=w, **window), "0..1,0..4,3,1..2", "2,1,1..2,0..2")
    window |= {"padding": "SAME"}
    agree(lambda x: raw.DepthwiseConv2dNative(input=x, filter=zeros(3, 2, 2, 1), **window), "0..2,0..5,0..3,2")
    window |= {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]}
    agree(lambda x: raw.DepthwiseConv2dNative(input=x, filter=zeros(3, 2, 2, 1), **window), "1..2,0..5,0..3,2")


@pytest.mark.parametrize("window", [{"strides": [1, 1, 2, 1]}, {"dilations": [1, 2, 2, 1]}], ids=str)
def test_depthwise_convolutions_that_only_some_kernels_take(window, agree):
    window = {"strides": [1, 1, 1, 1], "padding": "VALID", **window}
    with pytest.raises(AssertionError, match="nothing is said of"):
        agree(lambda x: raw.DepthwiseConv2dNative(input=x, filter=zeros(3, 2, 2, 1), **window), "1,5,5,2")


def test_volumes(agree):
    window = {"strides": [1, 1, 2, 1, 1], "padding": "VALID"}
    agree(lambda x: raw.Conv3D(input=x, filter=zeros(2, 3, 1, 2, 4), **window), "0..1,0..4,0..5,1..2,2")
    agree(lambda x: raw.MaxPool3D(input=x, ksize=[1, 2, 3, 1, 1], **window), "1,1..4,1..5,1..2,2")
    window |= {"padding": "SAME"}
    agree(lambda x: raw.Conv3D(input=x, filter=zeros(2, 3, 1, 2, 4), **window), "1,0..4,0..5,1..2,2")
    agree(lambda x: raw.AvgPool3D(input=x, ksize=[1, 2, 3, 1, 1], **window), "1,1..4,1..5,1..2,2")


def test_sequences(agree):
    agree(lambda x: tf.nn.conv1d(x, zeros(3, 2, 4), 2, "SAME"), "0..2,0..6,2")
    agree(lambda x: tf.nn.conv1d(x, zeros(3, 2, 4), 2, "VALID", dilations=1), "0..2,0..6,2")


SPREAD = {
    "same": ({"strides": [1, 2, 2, 1], "padding": "SAME"}, lambda y: [tf.shape(y)[0], tf.shape(y)[1] * 2, 5, 2]),
    "valid": ({"strides": [1, 2, 1, 1], "padding": "VALID"}, lambda y: [tf.shape(y)[0], tf.shape(y)[1] * 2 + 1, 4, 2]),
    "fixed": ({"strides": [1, 2, 1, 1], "padding": "VALID"}, lambda _: [1, 5, 4, 2]),
    "channels": ({"strides": [1, 2, 1, 1], "padding": "VALID"}, lambda _: [1, 5, 4, 3]),
}


@pytest.mark.parametrize("name", SPREAD)
def test_transposed_convolutions(name, agree):
    window, sizes = SPREAD[name]
    agree(
        lambda y: raw.Conv2DBackpropInput(input_sizes=sizes(y), filter=zeros(3, 2, 2, 4), out_backprop=y, **window),
        "1..2,1..3,1..4,4",
    )


def test_transposed_volumes(agree):
    agree(
        lambda y: raw.Conv3DBackpropInputV2(
            input_sizes=[tf.shape(y)[0], 5, 4, 2, 2],
            filter=zeros(3, 2, 1, 2, 4),
            out_backprop=y,
            strides=[1, 2, 1, 1, 1],
            padding="VALID",
        ),
        "1..2,1..3,2..3,2,4",
    )


POOLS = [
    {"ksize": [1, 3, 2, 1], "strides": [1, 1, 2, 1], "padding": "VALID"},
    {"ksize": [1, 3, 2, 1], "strides": [1, 2, 3, 1], "padding": "SAME"},
    {"ksize": [1, 1, 2, 1], "strides": [1, 3, 1, 1], "padding": "VALID"},
]


@pytest.mark.parametrize("window", POOLS, ids=str)
def test_pools(window, agree):
    agree(lambda x: raw.MaxPool(input=x, **window), "1..2,1..7,1..5,0..2")
    agree(lambda x: raw.AvgPool(value=x, **window), "1..2,1..7,1..5,0..2")
    agree(lambda x: raw.MaxPoolWithArgmax(input=x, **window), "1..2,1..4,1..5,1..2")
    attributes = {"padding": window["padding"], "ksize": window["ksize"], "strides": window["strides"]}
    agree(lambda x: raw.MaxPoolV2(input=x, **attributes), "1..2,1..4,1..5,1..2")


def test_pools_of_channels(agree):
    window = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"}
    agree(lambda x: raw.MaxPool(input=x, **window), "1..2,1..2,1,0..5")


def test_windows(agree):
    agree(
        lambda x: raw.Dilation2D(
            input=x, filter=zeros(2, 2, 2), strides=[1, 1, 2, 1], rates=[1, 2, 1, 1], padding="VALID"
        ),
        "1..2,1..5,1..3,2..3",
    )
    agree(
        lambda x: raw.ExtractImagePatches(
            images=x, ksizes=[1, 2, 3, 1], strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding="SAME"
        ),
        "1..2,1..4,1..3,1..3",
    )
    agree(
        lambda x: raw.ExtractImagePatches(
            images=x, ksizes=[1, 2, 3, 1], strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding="VALID"
        ),
        "1..2,1..4,1..7,1",
    )


def test_batch_norm(agree):
    def build(x, c, **attributes):
        return raw.FusedBatchNormV3(x=x, scale=c, offset=c, mean=c, variance=c, is_training=False, **attributes)[0]

    agree(build, "0..2,2,1,1..3", "1..3")
    agree(partial(build, data_format="NCHW"), "1..2,1..3,2,1", "1..3")
    agree(
        lambda x, c: raw.FusedBatchNormV3(x=x, scale=c, offset=c, mean=zeros(0), variance=zeros(0)),
        "1..2,2,1..2,1..3",
        "1..3",
    )
    agree(
        lambda x, c: raw.FusedBatchNorm(x=x, scale=c, offset=c, mean=c, variance=c, is_training=False)[0],
        "1..2,2,1,1..3",
        "1..3",
    )


def test_local_response(agree):
    agree(lambda x: raw.LRN(input=x), "0..2,0..2,1..2,1..2")


RESIZES = ["ResizeArea", "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor"]


@pytest.mark.parametrize("name", RESIZES)
def test_resizes(name, agree):
    resize = getattr(raw, name)
    agree(lambda x: resize(images=x, size=tf.shape(x)[1:3] * 2 - 1), "0..2,0..2,1..2,0..2")
    agree(lambda x: resize(images=x, size=ints(2, 3, dtype=tf.int32)), "1..2,0..2,0..2,1")


IMAGES = {
    "crop": (
        lambda x, b: raw.CropAndResize(
            image=x, boxes=b, box_ind=tf.zeros([tf.shape(b)[0]], tf.int32), crop_size=[2, 3]
        ),
        ["0..2,0..2,2,1", "0..2,3..4"],
    ),
    "crop_of": (
        lambda x, b: raw.CropAndResize(image=x, boxes=b, box_ind=ints(0, 1, dtype=tf.int32), crop_size=[2, 3]),
        ["1..3,2,2,1", "1..3,4"],
    ),
    "scale": (
        lambda x: raw.ScaleAndTranslate(images=x, size=[2, 3], scale=[1.0, 2.0], translation=[0.0, 0.0]),
        ["0..2,0..2,1..2,0..2"],
    ),
    "project": (
        lambda x, t: raw.ImageProjectiveTransformV3(
            images=x, transforms=t, output_shape=[2, 3], interpolation="NEAREST", fill_value=0.0
        ),
        ["0..2,1..2,1..2,0..2", "0..3,7..8"],
    ),
    "grey": (lambda x: raw.RGBToHSV(images=x), ["1..2,2..3"]),
    "hue": (lambda x: raw.AdjustHue(images=x, delta=0.1), ["1..2,1..2,2..3"]),
    "contrast": (lambda x: raw.AdjustContrastv2(images=x, contrast_factor=0.1), ["1..2,1..2,2..3"]),
    "nms": (
        lambda b, s: [
            raw.NonMaxSuppressionV3(boxes=b, scores=s, max_output_size=2, iou_threshold=0.5, score_threshold=0.0),
            raw.NonMaxSuppression(boxes=b, scores=s, max_output_size=2),
            raw.NonMaxSuppressionV2(boxes=b, scores=s, max_output_size=2, iou_threshold=0.5),
        ],
        ["0..3,3..4", "0..3"],
    ),
    "nms_sizes": (
        lambda b, s: raw.NonMaxSuppression(boxes=b, scores=s, max_output_size=tf.shape(b)[0] - 1),
        ["0..3,4", "3"],
    ),
    "nms_padded": (
        lambda b, s: raw.NonMaxSuppressionV4(
            boxes=b, scores=s, max_output_size=2, iou_threshold=0.5, score_threshold=0.0, pad_to_max_output_size=True
        ),
        ["0..3,4", "0..3"],
    ),
    "nms_soft": (
        lambda b, s: raw.NonMaxSuppressionV5(
            boxes=b, scores=s, max_output_size=2, iou_threshold=0.5, score_threshold=0.0, soft_nms_sigma=0.1
        ),
        ["0..3,4", "0..3"],
    ),
    "nms_combined": (
        lambda b, s: raw.CombinedNonMaxSuppression(
            boxes=b, scores=s, max_output_size_per_class=2, max_total_size=3, iou_threshold=0.5, score_threshold=0.0
        ),
        ["1..2,1..3,1..2,4", "1..2,1..3,1..2"],
    ),
    "nms_combined_padded": (
        lambda b, s: raw.CombinedNonMaxSuppression(
            boxes=b,
            scores=s,
            max_output_size_per_class=1,
            max_total_size=3,
            iou_threshold=0.5,
            score_threshold=0.0,
            pad_per_class=True,
        ),
        ["1..2,2,1,4", "2,2,1..4"],
    ),
}


@pytest.mark.parametrize("name", IMAGES)
def test_images(name, agree):
    build, shapes = IMAGES[name]
    agree(build, *shapes)
