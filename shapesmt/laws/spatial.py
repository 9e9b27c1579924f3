"""SM2xx: windows, padding, resizing, and sizes that may not be zero."""

from __future__ import annotations

from shapesmt.laws.code import Code

CODES = (
    Code(
        "SM201", "window",
        "The window, with its dilation, fits into the padded input.",
        "Raise the least size of the input (the report says from which size on it runs), pad more, or leave out a "
        "stage that halves small inputs.",
        "g (float[n, 1, w] x) => (float[n, 1, a] y) { y = MaxPool <kernel_shape = [5]> (x) }",
        ("window fits", "no longer than a frame", "dilated block fits", "a frame fits", "a slice fits",
         "within reach of the weights",
         "window is as long as a frame", "as long as the filters", "no stride skips", "a token is predicted",
         "what the filter looks back", "that a convolution makes the input of"),
        {"w": "1..32"},
    ),
    Code(
        "SM202", "window settings",
        "Strides and dilations are positive, pads aren't negative, and there is one of them per spatial axis.",
        "Correct the attribute: it was written by hand, or for another number of spatial axes.",
        "g (float[n, 1, 8] x) => (float[n, 1, a] y) { y = MaxPool <kernel_shape = [3], strides = [0]> (x) }",
        ("strides and dilations are positive", "padding is", "padding isn't", "auto_pad or pads, not both",
         "kernel_shape", "SAME padding comes", "output_padding", "'output_shape' has", "output_shape has", " pads$",
         "kernel isn't empty", "the frame step", "the step is positive", "the slices have", "'pooled_shape'",
         "strides of height and width", "aren't dilated", "windows of channels", "windows along",
         "windows are along", "for the channels, not"),
    ),
    Code(
        "SM203", "pads",
        "Padding crops no more than there is, and reflects or repeats only elements that exist.",
        "Raise the least size of the axis, or use mode constant or edge where it can be as short as the padding.",
        'g (float[n] x) => (float[a] y)\n<int64[2] pads = {3, 3}>\n{ y = Pad <mode = "reflect"> (x, pads) }',
        ("pads, not ", "smaller than the kernel", "pads crop", "reflected pads", "has an element to repeat",
         "can't be padded", "two pads for each", "cropped than there is", "^pads of mode ", "the pads of",
         "pads are smaller", "neither batch nor"),
    ),
    Code(
        "SM204", "empty",
        "There is something to work on: the axis, the batch or the list isn't empty.",
        "Declare the dimension from 1 on, as it is by default, or keep what may select nothing from reaching the node.",
        "g (float[n, c] x) => (int64[1, c] y) { y = ArgMax <axis = 0> (x) }",
        ("n't empty", "a sample and a channel", "not empty", "has an element", "is empty", "have features",
         "there is a branch", "there is a hidden feature", "at least one ", "has a position", "are positive$",
         "every sample has a token", "have an element", "length is positive", "has a place", "something to join",
         "there is an image", "no size is 0", "two frequencies", "there is a step", "there are rows",
         "there is a box", "before each row", "there is a channel$"),
        {"n": "0..4"},
    ),
    Code(
        "SM205", "resize",
        "There is one positive factor, or one size, for each resized axis.",
        "Give scales or sizes, not both, one per axis, or name the resized axes in the attribute axes.",
        "g (float[1, 3, h, w] x) => (float[a, b, c, d] y)\n<float[3] scales = {1, 2, 2}>\n"
        "{ y = Resize (x, , scales) }",
        ("factor", "every factor is ", "per resized axis", "either scales or sizes", "an aspect ratio",
         "interpolation", "roi has", "still has Upsample", "'scales' lists"),
    ),
    Code(
        "SM206", "grids and regions",
        "A point of the grid has a coordinate per spatial axis, a region has four and an image of the batch.",
        "Check the order of the axes (the grid is `[N, H, W, 2]`) and that grid, regions and image have one batch.",
        "g (float[1, 3, 8, 8] x, float[1, 4, 4, c] grid) => (float[1, 3, 4, 4] y) { y = GridSample (x, grid) }",
        ("grid", "coordinates", "and 4 coordinates", "the image has", "have variances", "no variances", "colour for",
         "planes are",
         "the brightness", "column wherever", "offsets wherever", "part of a region", "theta", "regions lie",
         "'size' has", "boxes are",
         "cubic sampling", "offsets are", "edges lie"),
        {"c": "2..3"},
    ),
    Code(
        "SM207", "signals",
        "The last axis holds a real number, or a real and an imaginary part.",
        "Unsqueeze a real signal to `[batch, length, 1]`, and transform along an axis before the last one.",
        "g (float[b, n, c] x) => (float[b, n, 2] y) { y = DFT <axis = 1> (x) }",
        ("complex number", "as many bins", "the last axis has", "real and imaginary", "number of bins",
         "lengths that are transformed"),
        {"c": "1..3"},
    ),
)  # fmt: skip
