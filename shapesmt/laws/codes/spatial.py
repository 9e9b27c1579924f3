"""SM2xx: windows, padding, resizing, and sizes that may not be zero."""

from __future__ import annotations

from shapesmt.laws.codes.code import Code

CODES = (
    Code(
        "SM201", "window",
        "The window, with its dilation, fits into the padded input.",
        "Raise the least size of the input (the report says from which size on it runs), pad more, or leave out a "
        "stage that halves small inputs.",
        "g (float[n, 1, w] x) => (float[n, 1, a] y) { y = MaxPool <kernel_shape = [5]> (x) }",
        dims={"w": "1..32"},
    ),
    Code(
        "SM202", "window settings",
        "Strides and dilations are positive, pads aren't negative, and there is one of them per spatial axis.",
        "Correct the attribute: it was written by hand, or for another number of spatial axes.",
        "g (float[n, 1, 8] x) => (float[n, 1, a] y) { y = MaxPool <kernel_shape = [3], strides = [0]> (x) }",
    ),
    Code(
        "SM203", "pads",
        "Padding crops no more than there is, and reflects or repeats only elements that exist.",
        "Raise the least size of the axis, or use mode constant or edge where it can be as short as the padding.",
        'g (float[n] x) => (float[a] y)\n<int64[2] pads = {3, 3}>\n{ y = Pad <mode = "reflect"> (x, pads) }',
    ),
    Code(
        "SM204", "empty",
        "There is something to work on: the axis, the batch or the list isn't empty.",
        "Declare the dimension from 1 on, as it is by default, or keep what may select nothing from reaching the node.",
        "g (float[n, c] x) => (int64[1, c] y) { y = ArgMax <axis = 0> (x) }",
        dims={"n": "0..4"},
    ),
    Code(
        "SM205", "resize",
        "There is one positive factor, or one size, for each resized axis.",
        "Give scales or sizes, not both, one per axis, or name the resized axes in the attribute axes.",
        "g (float[1, 3, h, w] x) => (float[a, b, c, d] y)\n<float[3] scales = {1, 2, 2}>\n"
        "{ y = Resize (x, , scales) }",
    ),
    Code(
        "SM206", "grids and regions",
        "A point of the grid has a coordinate per spatial axis, a region has four and an image of the batch.",
        "Check the order of the axes (the grid is `[N, H, W, 2]`) and that grid, regions and image have one batch.",
        "g (float[1, 3, 8, 8] x, float[1, 4, 4, c] grid) => (float[1, 3, 4, 4] y) { y = GridSample (x, grid) }",
        dims={"c": "2..3"},
    ),
    Code(
        "SM207", "signals",
        "The last axis holds a real number, or a real and an imaginary part.",
        "Unsqueeze a real signal to `[batch, length, 1]`, and transform along an axis before the last one.",
        "g (float[b, n, c] x) => (float[b, n, 2] y) { y = DFT <axis = 1> (x) }",
        dims={"c": "1..3"},
    ),
)  # fmt: skip
