"""Laws of windows, padding, resizing, grids, regions and signals."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM201 = Code(
    "SM201", "window",
    "The window, with its dilation, fits into the padded input.",
    "Raise the least size of the input (the report says from which size on it runs), pad more, or leave out a "
    "stage that halves small inputs.",
    "g (float[n, 1, w] x) => (float[n, 1, a] y) { y = MaxPool <kernel_shape = [5]> (x) }",
    dims={"w": "1..32"},
)  # fmt: skip
NO_STRIDE_SKIPS_END = SM201.law("SAME padding isn't negative: no stride skips elements at the end")
FRAME_FITS_SIGNAL = SM201.law("a frame fits the signal")
SLICE_FITS_AXIS = SM201.law("a slice fits the axis")
DILATED_BLOCK_FITS = SM201.law("the dilated block fits the padded image")
WINDOW_FITS = SM201.law(
    "the window fits the padded input",
    sides=("the padded input", "the window"),
    broken="the window needs {right}, the padded input has {left}",
)
WINDOW_AS_LONG_AS_FRAME = SM201.law("the window is as long as a frame")
WINDOW_NO_LONGER_THAN_FRAME = SM201.law("the window is no longer than a frame")

SM202 = Code(
    "SM202", "window settings",
    "Strides and dilations are positive, pads aren't negative, and there is one of them per spatial axis.",
    "Correct the attribute: it was written by hand, or for another number of spatial axes.",
    "g (float[n, 1, 8] x) => (float[n, 1, a] y) { y = MaxPool <kernel_shape = [3], strides = [0]> (x) }",
)  # fmt: skip
SAME_PADDING_WITHOUT_DILATION = SM202.law("SAME padding comes without dilation")
KERNEL_SHAPE_IS_WEIGHTS = SM202.law("kernel_shape is that of the weights")
OUTPUT_PADDING_BELOW_STRIDE = SM202.law("output_padding is smaller than the stride")
OUTPUT_PADDING_BELOW_STRIDE_OR_DILATION = SM202.law("output_padding is smaller than the stride, or the dilation")
OUTPUT_SHAPE_HAS_POOLED_ELEMENTS = SM202.law("output_shape has as many elements as the pooling needs")
PADDING_NOT_NEGATIVE = SM202.law("padding isn't negative")
STRIDES_AND_DILATIONS_POSITIVE = SM202.law("strides and dilations are positive")
FILTERS_NOT_DILATED = SM202.law("the filters aren't dilated")
FRAME_STEP_POSITIVE = SM202.law("the frame step is positive")
KERNEL_NOT_EMPTY = SM202.law("the kernel isn't empty")
STEP_POSITIVE = SM202.law("the step is positive, not {step}")
EQUAL_STRIDES = SM202.law("the strides of height and width are equal")
OUTPUT_PADDING_INPUT_NOT_EMPTY = SM202.law("with output_padding the input isn't empty")

SM203 = Code(
    "SM203", "pads",
    "Padding crops no more than there is, and reflects or repeats only elements that exist.",
    "Raise the least size of the axis, or use mode constant or edge where it can be as short as the padding.",
    'g (float[n] x) => (float[a] y)\n<int64[2] pads = {3, 3}>\n{ y = Pad <mode = "reflect"> (x, pads) }',
)  # fmt: skip
MODE_HAS_ELEMENT_TO_REPEAT = SM203.law("mode {mode} has an element to repeat")
PADS_CROP_WHAT_THERE_IS = SM203.law("pads crop no more than there is")
REFLECTED_PADS_SHORTER_THAN_AXIS = SM203.law("reflected pads are shorter than the axis")
TWO_PADS_PER_AXIS = SM203.law("there are two pads for each axis, not more or fewer")
TWO_PADS_PER_COUNTED_AXIS = SM203.law("there are two pads for each of {count} axes")

SM205 = Code(
    "SM205", "resize",
    "There is one positive factor, or one size, for each resized axis.",
    "Give scales or sizes, not both, one per axis, or name the resized axes in the attribute axes.",
    "g (float[1, 3, h, w] x) => (float[a, b, c, d] y)\n<float[3] scales = {1, 2, 2}>\n"
    "{ y = Resize (x, , scales) }",
)  # fmt: skip
SCALES_OR_SIZES = SM205.law("either scales or sizes are given")
FACTORS_POSITIVE = SM205.law("every factor is positive")
FACTOR_PER_RESIZED_AXIS = SM205.law("there is one factor per resized axis")
SIZE_PER_RESIZED_AXIS = SM205.law("there is one size per resized axis")

SM206 = Code(
    "SM206", "grids and regions",
    "A point of the grid has a coordinate per spatial axis, a region has four and an image of the batch.",
    "Check the order of the axes (the grid is `[N, H, W, 2]`) and that grid, regions and image have one batch.",
    "g (float[1, 3, 8, 8] x, float[1, 4, 4, c] grid) => (float[1, 3, 4, 4] y) { y = GridSample (x, grid) }",
    dims={"c": "2..3"},
)  # fmt: skip
SIZE_4_OR_5_ELEMENTS_COUNTED = SM206.law("'size' has 4 or 5 elements, not {count}")
BOX_4_COORDINATES = SM206.law("a box has 4 coordinates")
GRID_COORDINATE_PER_AXIS = SM206.law("a point of the grid has one coordinate per spatial axis")
REGION_4_COORDINATES = SM206.law("a region has 4 coordinates")
REGION_BATCH_INDEX_AND_COORDINATES = SM206.law("a region has a batch index and 4 coordinates")
CUBIC_FOR_RANK_4 = SM206.law("cubic sampling is for rank 4")
REGIONS_IN_IMAGE_OF_BATCH = SM206.law("regions lie in an image of the batch")
COLUMN_WHERE_WINDOW_STANDS = SM206.law("there is a column wherever the window stands")
THETA_COLUMN_PER_AXIS_AND_SHIFT = SM206.law("theta has a column per spatial axis and one for the shift")
THETA_ROW_PER_AXIS = SM206.law("theta has a row per spatial axis")

SM207 = Code(
    "SM207", "signals",
    "The last axis holds a real number, or a real and an imaginary part.",
    "Unsqueeze a real signal to `[batch, length, 1]`, and transform along an axis before the last one.",
    "g (float[b, n, c] x) => (float[b, n, 2] y) { y = DFT <axis = 1> (x) }",
    dims={"c": "1..3"},
)  # fmt: skip
BINS_AS_MANY_AS_FRAME_HAS = SM207.law("there are as many bins as a frame has")
DIVISOR_NOT_0 = SM202.law("the divisor isn't 0")
