"""Laws of single numbers: their count, their sign, and how they are computed."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM309 = Code(
    "SM309", "negative sizes",
    "A size, a length or a number of repeats isn't negative.",
    "A difference of two lengths went below zero: state which one is larger (--assume \"n >= m\"), or clamp with "
    "Max.",
    "g (int64[n] x, int64[m] y) => (float[a] z)\n"
    "{ n = Shape (x)\n  m = Shape (y)\n  d = Sub (n, m)\n  z = ConstantOfShape (d) }",
)  # fmt: skip
ROTARY_EMBEDDING_DIM_NOT_NEGATIVE = SM309.law("'rotary_embedding_dim' is not negative, but {dim}")
SPREAD_NOT_NEGATIVE = SM309.law("a spread isn't negative")
NUM_HEADS_NOT_NEGATIVE = SM309.law("attribute 'num_heads' is not negative")
ONE_HOT_DEPTH_NOT_NEGATIVE = SM309.law("depth is not negative")
STRIDES_NOT_NEGATIVE = SM309.law("strides are not negative")
CROP_SIZE_NOT_NEGATIVE = SM309.law("h and w are at least 0, not {size}")
LENGTHS_NOT_NEGATIVE = SM309.law("lengths are not negative")
LENGTHS_OF_SEQUENCES_NOT_NEGATIVE = SM309.law("lengths are those of the sequences at most, and not negative")
OFFSETS_NOT_NEGATIVE = SM309.law("offsets are not negative")
PADS_NOT_NEGATIVE = SM309.law("pads are not negative")
REPEATS_NOT_NEGATIVE = SM309.law("repeats are not negative")
SIZES_NOT_NEGATIVE = SM309.law("sizes are not negative")
CHANCE_FROM_0_TO_1 = SM309.law("a chance is from 0 to 1")
DEPTH_NOT_NEGATIVE = SM309.law("the depth isn't negative")
INTEGER_EXPONENT_NOT_NEGATIVE = SM309.law("the exponent of an integer isn't negative")
LENGTH_NOT_NEGATIVE = SM309.law("the length isn't negative")
BOX_COUNT_NOT_NEGATIVE = SM309.law("the number of boxes isn't negative")
BRANCH_COUNT_NOT_NEGATIVE = SM309.law("the number of branches isn't negative: {count}")
DRAW_COUNT_NOT_NEGATIVE = SM309.law("the number of draws isn't negative")
NUMBER_OF_SEGMENTS_NOT_NEGATIVE = SM309.law("the number of segments is not negative")
SAMPLE_COUNT_NOT_NEGATIVE = SM309.law("the number of samples is not negative")
SEGMENT_COUNT_NOT_NEGATIVE = SM309.law("the number of segments isn't negative")
PAST_LENGTH_NOT_NEGATIVE = SM309.law("the past length isn't negative")
REGULARIZER_NOT_NEGATIVE = SM309.law("the regularizer isn't negative")
OBJECT_SHARE_NOT_NEGATIVE = SM309.law("the share of an object isn't negative")
PARAMETER_POSITIVE = SM309.law("{name} is positive")
NAMED_ATTRIBUTE_NOT_NEGATIVE = SM309.law("attribute '{name}' is not negative")
SIZE_NOT_NEGATIVE = SM309.law("the size isn't negative")
LISTED_SIZES_NOT_NEGATIVE = SM309.law("the sizes {sizes} are at least 0")

SM401 = Code(
    "SM401", "how many numbers",
    "An input that is one number has one element; one that lists numbers has as many as the node needs.",
    "Pass a scalar, or reduce, gather or squeeze to one element beforehand.",
    "g (int64[n] limit) => (int64[a] y)\n<int64 zero = {0}, int64 one = {1}>\n{ y = Range (zero, limit, one) }",
)  # fmt: skip
ATTRIBUTE_ONE_OF_TEXTS = SM401.law("'{name}' is {values}, not '{value}'")
DATA_FORMAT_KNOWN = SM401.law("'data_format' is one of {layouts}, not '{layout}'")
SRC_FORMAT_LETTERS = SM401.law("'src_format' has 4 or 5 letters, not {count}")
AT_MOST_6_AXES_PADDED = SM401.law("6 axes are padded at most, not {count}")
ONE_NUMBER = SM401.law("{name} is one number")
B_SHAPE_TWO_SIZES = SM401.law("B_shape holds two sizes")
KEY_ONE_NUMBER = SM401.law("a key is one number")
LIMIT_SINGLE_NUMBER = SM401.law("a limit is a single number")
SEED_TWO_NUMBERS = SM401.law("a seed is two numbers")
IMAGE_HEIGHT_WIDTH_CHANNELS = SM401.law("an image has height, width and channels")
VALUE_ATTRIBUTE_ONE_ELEMENT = SM401.law("attribute 'value' holds one element")
BLOCK_SIZES_AT_LEAST_1 = SM401.law("block sizes are at least 1, not {size}")
DEPTH_ONE_NUMBER = SM401.law("depth is one number")
DEPTH_ON_OFF_ONE_NUMBER_EACH = SM401.law("depth, on and off are one number each")
EDGES_ONE_NUMBER_EACH = SM401.law("each edge is one number")
HEIGHT_PER_WIDTH = SM401.law("each width has a height, not {widths} and {heights}")
INDICES_NUMBER_LIST_OR_TUPLES = SM401.law("indices are a number, a list or a list of tuples")
INPUT_LIST_OF_INTEGERS = SM401.law("input {index} is a list of integers")
INPUT_SINGLE_NUMBER = SM401.law("input {index} is a single number")
FILE_INPUT_SCALAR = SM401.law("input {index}, as the file has it, is a scalar")
K_ONE_NUMBER = SM401.law("k is one number")
LIMITS_ONE_NUMBER_EACH = SM401.law("limits are one number each")
MIN_AT_MOST_MAX = SM401.law("min is at most max, not {least} and {most}")
OUTPUT_DIM_GROUP_SIZE_BINS_POSITIVE = SM401.law("output_dim, group_size and bins are positive, not {sizes}")
PATTERNS_ONE_TEXT_EACH = SM401.law("patterns are one text each")
RATE_AND_STEP_SINGLE_NUMBERS = SM401.law("rate and step are single numbers")
RATIO_AND_MODE_ONE_NUMBER_EACH = SM401.law("ratio and mode are one number each")
ROWS_COLUMNS_DIAGONAL_ONE_NUMBER_EACH = SM401.law("rows, columns and diagonal are one number each")
SHIFTS_ONE_NUMBER_OR_LIST = SM401.law("shifts are one number, or a list")
START_LIMIT_DELTA_ONE_NUMBER_EACH = SM401.law("start, limit and delta are one number each")
START_STOP_NUMBER_ONE_NUMBER_EACH = SM401.law("start, stop and number are one number each")
STARTS_LIMITS_STEPS_NUMBER_OR_LIST = SM401.law("starts, limits and steps are one number, or a list")
INPUT_SCALAR = SM401.law("the {what} is a scalar")
AXIS_SCALAR = SM401.law("the axis is a scalar")
AXIS_ONE_ELEMENT = SM401.law("the axis is one element")
AXIS_ONE_NUMBER = SM401.law("the axis is one number")
TENSOR_ONE_ELEMENT = SM401.law("the tensor has one element")
CONDITION_ONE_ELEMENT = SM401.law("the condition has one element")
DEFAULT_SINGLE = SM401.law("the default is a single one")
DIAGONALS_NUMBER_OR_LIST_OF_TWO = SM401.law("the diagonals are one number, or a list of two")
DIAGONALS_NUMBER_OR_LOWEST_AND_HIGHEST = SM401.law("the diagonals are one number, or the lowest and the highest")
SEQUENCE_END_ONE_NUMBER = SM401.law("the end of a sequence is one number")
RANGE_ENDS_SCALARS = SM401.law("the ends of the range are scalars")
INDEX_ONE_NUMBER = SM401.law("the index is one number")
LAST_AXIS_PARTS_OF_ELEMENT = SM401.law("the last axis holds the parts of one element")
LEAST_AND_GREATEST_ONE_NUMBER_EACH = SM401.law("the least and the greatest value are one number each")
LEAST_BELOW_GREATEST = SM401.law("the least value is less than the greatest, not {least} and {greatest}")
DIAGONAL_COUNTS_ONE_NUMBER_EACH = SM401.law("the numbers of diagonals are one number each")
FILE_NUMBERS_SCALARS = SM401.law("the numbers, as the file has them, are scalars")
POSITION_SINGLE_NUMBER = SM401.law("the position is a single number")
QUALITY_RANGE = SM401.law("the quality is between {low} and {high}, not {quality}")
RANGE_TWO_ENDS = SM401.law("the range has two ends")
FILTER_RANK_INPUT_PLUS_1 = SM401.law("the rank of the filters is that of the input plus 1, not {rank} and {filters}")
SCORES_RANK_2 = SM401.law("the rank of the scores is 2, not {rank}")
SCORES_RANK_3 = SM401.law("the rank of the scores is 3, not {rank}")
SIZE_HEIGHT_WIDTH = SM401.law("the size is [height, width]")
TRIP_COUNT_SINGLE_NUMBER = SM401.law("the trip count is a single number")
NUMBER_OF = SM401.law("there are {expected} {what}, not {count}")
FIXED_NUMBER_OF = SM401.law("there are {expected} {what}, not another number")
COEFFICIENT_COUNT = SM401.law("there are between 1 and {filters} coefficients, not {count}")
THREE_DIAGONALS = SM401.law("there are three diagonals")
TWO_COLUMNS = SM401.law("there are two columns")
VECTORS_3_ELEMENTS = SM401.law("vectors have 3 elements")
PADDING_VALUE_ONE_NUMBER = SM401.law("what is padded with is one number")
DENSE_TABLE_ASKED_FOR_LIST = SM401.law("a dense table is asked for a list of keys")
KEY_NUMBER_OR_LIST = SM401.law("a key is one number or text, or a list of them")
VALUE_NUMBER_OR_LIST = SM401.law("a value is one number or text, or a list of them")
ROW_LIST_OF_A_KIND = SM401.law("each list of rows is of a kind")
LIST_OF_ENDS_PER_LEVEL = SM401.law("there is a list of ends for each level")

SM404 = Code(
    "SM404", "integer arithmetic",
    "An integer isn't divided by zero, no result needs more than 64 bits, and a Tile's output no more than 4 GiB.",
    "Declare a dimension that divides from 1 on, or keep the divisor at least 1 by Max; narrow what overflows.",
    "g (float[n] x) => (int64[1] y)\n<int64[1] four = {4}>\n{ n = Shape (x)\n  y = Div (four, n) }",
    dims={"n": "0..4"},
)  # fmt: skip
IN_64_BITS = SM404.law("{what} doesn't overflow 64 bits")
IN_32_BITS = SM404.law("{what} doesn't overflow 32 bits")
STRIDES_IN_32_BITS = SM404.law("no size or stride of what is rotated overflows 32 bits")
OUTPUT_IN_4_GIB = SM404.law("the output takes 4 GiB at most, as do each axis and those before an empty one")
NOT_DIVIDED_BY_ZERO = SM404.law(
    "an integer isn't divided by zero", sides=("the divisor", ""), broken="the divisor is {left}"
)
