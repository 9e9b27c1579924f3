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
TOKEN_PREDICTED_FOR_EACH_LEFT = SM201.law("a token is predicted for each that is left, and one more")
OUTPUT_SHAPE_WITHIN_REACH = SM201.law("output_shape is within reach of the weights")
DILATED_BLOCK_FITS = SM201.law("the dilated block fits the padded image")
REQUESTED_SIZES_FIT_CONVOLUTION = SM201.law("the sizes asked for are those that a convolution makes the input of")
STATE_IS_FILTER_PAST = SM201.law("the state is what the filter looks back at")
WINDOW_FITS_AXIS = SM201.law("the window is no longer than the axis")
WINDOW_FITS = SM201.law(
    "the window fits the padded input",
    sides=("the padded input", "the window"),
    broken="the window needs {right}, the padded input has {left}",
)
WINDOW_FITS_UNPADDED = SM201.law("the window fits the input, without padding")
WINDOW_AS_LONG_AS_FRAME = SM201.law("the window is as long as a frame")
WINDOW_NO_LONGER_THAN_FRAME = SM201.law("the window is no longer than a frame")
WORDS_AS_LONG_AS_FILTERS = SM201.law("the words are as long as the filters")

SM202 = Code(
    "SM202", "window settings",
    "Strides and dilations are positive, pads aren't negative, and there is one of them per spatial axis.",
    "Correct the attribute: it was written by hand, or for another number of spatial axes.",
    "g (float[n, 1, 8] x) => (float[n, 1, a] y) { y = MaxPool <kernel_shape = [3], strides = [0]> (x) }",
)  # fmt: skip
ONE_FOR_CHANNELS = SM202.law("'{name}' has 1 for the channels, not {count}")
KERNEL_SHAPE_ENTRIES = SM202.law("'kernel_shape' has {count} entries")
OUTPUT_PADDING_ENTRIES = SM202.law("'output_padding' has {expected} entries, not {count}")
POOLED_SHAPE_POSITIVE = SM202.law("'pooled_shape' is a positive height and width")
NO_WINDOWS_ALONG_CHANNELS = SM202.law("{op} has no windows along the channels")
SAME_PADDING_WITHOUT_STRIDE = SM202.law("padding 'same' comes without strides")
SAME_PADDING_WITHOUT_DILATION = SM202.law("SAME padding comes without dilation")
AUTO_PAD_OR_PADS = SM202.law("a node has auto_pad or pads, not both")
KERNEL_SHAPE_IS_WEIGHTS = SM202.law("kernel_shape is that of the weights")
OUTPUT_PADDING_BELOW_STRIDE = SM202.law("output_padding is smaller than the stride")
OUTPUT_PADDING_BELOW_STRIDE_OR_DILATION = SM202.law("output_padding is smaller than the stride, or the dilation")
OUTPUT_SHAPE_ELEMENT_PER_AXIS = SM202.law("output_shape has an element per axis")
OUTPUT_SHAPE_HAS_POOLED_ELEMENTS = SM202.law("output_shape has as many elements as the pooling needs")
PADDING_BELOW_KERNEL = SM202.law("padding is less than the kernel")
PADDING_HALF_OF_KERNEL = SM202.law("padding is half of the kernel at most")
PADDING_NOT_NEGATIVE = SM202.law("padding isn't negative")
STRIDES_AND_DILATIONS_POSITIVE = SM202.law("strides and dilations are positive")
FILTERS_NOT_DILATED = SM202.law("the filters aren't dilated")
FRAME_STEP_POSITIVE = SM202.law("the frame step is positive")
KERNEL_NOT_EMPTY = SM202.law("the kernel isn't empty")
KERNEL_AND_OUTPUT_NOT_EMPTY = SM202.law("the kernel isn't empty, nor is the output")
SLICES_HAVE_ELEMENT = SM202.law("slices of an axis of declared size have an element")
SLICE_SIZE_NOT_NEGATIVE = SM202.law("the size of a slice isn't negative, but {size}")
STEP_POSITIVE = SM202.law("the step is positive, not {step}")
EQUAL_STRIDES = SM202.law("the strides of height and width are equal")
SAMPLES_FOR_SLOPE = SM201.law("there are {least} samples or more along the axis")
WINDOW_TWO_SAMPLES_AND_STEP = SM202.law("the window has two samples or more, and the step is positive")
PAD_COUNT = SM202.law("there are {count} pads")
WINDOWS_ALONG_CHANNELS_OR_IMAGE = SM202.law("windows are along the channels, or along height and width")
CHANNEL_WINDOWS_SIDE_BY_SIDE = SM202.law("windows of channels stand side by side")
OUTPUT_PADDING_INPUT_NOT_EMPTY = SM202.law("with output_padding the input isn't empty")

SM203 = Code(
    "SM203", "pads",
    "Padding crops no more than there is, and reflects or repeats only elements that exist.",
    "Raise the least size of the axis, or use mode constant or edge where it can be as short as the padding.",
    'g (float[n] x) => (float[a] y)\n<int64[2] pads = {3, 3}>\n{ y = Pad <mode = "reflect"> (x, pads) }',
)  # fmt: skip
SCALAR_NOT_PADDED = SM203.law("a scalar can't be padded")
MODE_HAS_ELEMENT_TO_REPEAT = SM203.law("mode {mode} has an element to repeat")
EDGE_HAS_ELEMENT_TO_REPEAT = SM203.law("mode edge has an element to repeat")
WRAP_HAS_ELEMENT_TO_REPEAT = SM203.law("mode wrap has an element to repeat")
BATCH_AND_CHANNELS_NOT_PADDED = SM203.law("neither batch nor channels are padded")
BATCH_AND_CHANNELS_NOT_POOLED = SM203.law("neither batch nor channels are pooled")
NO_MORE_CROPPED_THAN_THERE_IS = SM203.law("no more is cropped than there is")
PADS_SMALLER_THAN_KERNEL = SM203.law("pads are smaller than the kernel, as none of them counts")
PADS_SMALLER_THAN_WINDOW = SM203.law("pads are smaller than the window")
PADS_CROP_WHAT_THERE_IS = SM203.law("pads crop no more than there is")
PADS_CROP_AND_LEAVE_SAMPLE = SM203.law("pads crop no more than there is, and leave a sample")
MODE_PADS_NO_LONGER_THAN_AXIS = SM203.law("pads of mode {mode} are no longer than the axis")
MODE_PADS_SHORTER_THAN_AXIS = SM203.law("pads of mode {mode} are shorter than the axis")
REFLECTED_PADS_NO_LONGER_THAN_AXIS = SM203.law("reflected pads are no longer than the axis")
REPEATED_PADS_NO_LONGER_THAN_AXIS = SM203.law("repeated pads are no longer than the axis")
REFLECTED_PADS_SHORTER_THAN_AXIS = SM203.law("reflected pads are shorter than the axis")
PADS_OF_MANY_AXES_CONSTANT = SM203.law("the pads of more than 6 axes are constants")
TWO_PADS_PER_BLOCK_AXIS = SM203.law("there are two pads for each axis of a block")
TWO_PADS_PER_AXIS = SM203.law("there are two pads for each axis, not more or fewer")
TWO_PADS_PER_COUNTED_AXIS = SM203.law("there are two pads for each of {count} axes")

SM205 = Code(
    "SM205", "resize",
    "There is one positive factor, or one size, for each resized axis.",
    "Give scales or sizes, not both, one per axis, or name the resized axes in the attribute axes.",
    "g (float[1, 3, h, w] x) => (float[a, b, c, d] y)\n<float[3] scales = {1, 2, 2}>\n"
    "{ y = Resize (x, , scales) }",
)  # fmt: skip
ASPECT_RATIO_WITH_SIZES = SM205.law("an aspect ratio is kept with sizes, not with scales")
ANTIALIAS_WITH_LINEAR_OR_CUBIC = SM205.law("antialias comes with linear or cubic interpolation")
SCALES_OR_SIZES = SM205.law("either scales or sizes are given")
FACTORS_AT_LEAST_1 = SM205.law("every factor is at least 1")
FACTORS_POSITIVE = SM205.law("every factor is positive")
ROI_START_AND_END_PER_AXIS = SM205.law("roi has a start and an end for each axis")
FACTOR_AND_SHIFT_FOR_HEIGHT_AND_WIDTH = SM205.law("there is a factor and a shift for height and width")
FACTOR_PER_AXIS = SM205.law("there is one factor per axis")
FACTOR_PER_RESIZED_AXIS = SM205.law("there is one factor per resized axis")
SIZE_PER_RESIZED_AXIS = SM205.law("there is one size per resized axis")
SIZES_OR_FACTORS_ARE_LIST = SM205.law("sizes or factors are a list: the rank is 1, not {rank}")
SIZE_OR_FACTOR_PER_LISTED_AXIS = SM205.law(
    "there is a size or a factor for each axis that is listed, and others aren't read"
)

SM206 = Code(
    "SM206", "grids and regions",
    "A point of the grid has a coordinate per spatial axis, a region has four and an image of the batch.",
    "Check the order of the axes (the grid is `[N, H, W, 2]`) and that grid, regions and image have one batch.",
    "g (float[1, 3, 8, 8] x, float[1, 4, 4, c] grid) => (float[1, 3, 4, 4] y) { y = GridSample (x, grid) }",
    dims={"c": "2..3"},
)  # fmt: skip
SIZE_4_OR_5_ELEMENTS = SM206.law("'size' has 4 or 5 elements")
SIZE_4_OR_5_ELEMENTS_COUNTED = SM206.law("'size' has 4 or 5 elements, not {count}")
BOX_4_COORDINATES = SM206.law("a box has 4 coordinates")
GRID_COORDINATE_PER_AXIS = SM206.law("a point of the grid has one coordinate per spatial axis")
PRIOR_COORDINATES = SM206.law("a prior has {count} coordinates")
REGION_4_COORDINATES = SM206.law("a region has 4 coordinates")
REGION_COORDINATES = SM206.law("a region has {count} coordinates")
REGION_BATCH_INDEX_AND_COORDINATES = SM206.law("a region has a batch index and 4 coordinates")
REGION_IMAGE_INDEX_AND_COORDINATES = SM206.law("a region has an image's index and 4 coordinates")
ALL_PLANES_GIVEN = SM206.law("all planes are given: 1 or {count}")
CUBIC_FOR_RANK_4 = SM206.law("cubic sampling is for rank 4")
OFFSETS_SHAPE = SM206.law("offsets are [n, offset_group*kernel*axes, *positions]")
PRIORS_HAVE_VARIANCES = SM206.law("priors have variances")
REGIONS_IN_IMAGE_OF_BATCH = SM206.law("regions lie in an image of the batch")
BOXES_BY_4 = SM206.law("the boxes are [R, 4]")
BRIGHTNESS_ONE_CHANNEL = SM206.law("the brightness has one channel")
CHANNELS_FOR_EACH_REGION_PART = SM206.law("the channels are output_dim for each part of a region")
EDGES_IN_SPECTRUM = SM206.law("the edges lie in the spectrum")
IMAGE_HEIGHT_WIDTH_1_OR_2_SCALES = SM206.law("the image has a height, a width and 1 or 2 scales")
IMAGE_HEIGHT_WIDTH_SCALE = SM206.law("the image has a height, a width and a scale")
VARIANCES_0_1_OR_4 = SM206.law("there are no variances, or 1, or 4")
OFFSETS_WHERE_WINDOW_STANDS = SM206.law("there are offsets wherever the window stands")
COLOUR_PER_2X2_POINTS = SM206.law("there is a colour for every 2x2 points")
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
COMPLEX_HAS_TWO_PARTS = SM207.law("a complex number has two parts")
TRANSFORM_NOT_ALONG_LAST_AXIS = SM207.law("the axis isn't the last one, which holds real and imaginary part")
INPUT_HAS_TRANSFORMED_LENGTHS = SM207.law("the input has the lengths that are transformed")
LAST_AXIS_ELEMENT = SM207.law("the last axis has {sizes} element")
LAST_AXIS_ELEMENTS = SM207.law("the last axis has {sizes} elements")
LAST_AXIS_REAL_AND_IMAGINARY = SM207.law("the last axis holds real and imaginary part")
RATE_POSITIVE = SM207.law("the rate is positive")
BIN_COUNT_NOT_NEGATIVE = SM207.law("the number of bins isn't negative")
BINS_AS_MANY_AS_FRAME_HAS = SM207.law("there are as many bins as a frame has")
HALVED_FREQUENCIES_OF_REAL_SIGNALS = SM207.law("half of the frequencies is enough for real signals only")
WINDOW_HAS_ITS_LENGTH = SM201.law("the window has the length that is given")
DIVISOR_NOT_0 = SM202.law("the divisor isn't 0")
