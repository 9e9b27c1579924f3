"""Laws of sizes that have to agree: broadcasts, concatenations, reshapes, splits and blocks."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM101 = Code(
    "SM101", "broadcast",
    "Operands are aligned at their last axes; sizes that meet are equal, or one of them is 1.",
    "Give equal sizes one name, or state it (--assume \"m == n\"); slice or pad one operand; insert an axis of "
    "size 1 with Unsqueeze where an operand is aligned at the wrong end.",
    "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add (x, y) }",
    dims={"n": "2..8", "m": "2..8"},
)  # fmt: skip
EXPANDS_FROM_1_OR_STAYS = SM101.law("a size expands from 1 or stays")
BATCH_SIZES_BROADCAST = SM101.law("batch sizes are equal or 1")
SIZES_BROADCAST = SM101.law("broadcast sizes are equal or 1")
SCALE_AND_BIAS_BROADCAST_TO_INPUT = SM101.law("scale and bias broadcast to the input")
LETTER_SIZES_BROADCAST = SM101.law("sizes of '{letter}' are equal or 1")
BIAS_BROADCASTS_TO_INPUT = SM101.law("the bias broadcasts to the input")
BIAS_BROADCASTS_TO_PRODUCT = SM101.law("the bias broadcasts to the product")
MASK_BROADCASTS_TO_SCORES = SM101.law("the mask broadcasts to the scores")
RANGES_BROADCAST_TO_INPUT = SM101.law("the ranges broadcast to the input")
SCALE_BROADCASTS_TO_INPUT = SM101.law("the scale broadcasts to the input")
SECOND_AXES_AMONG_FIRST = SM101.law("the second operand's axes are among the first's")
SECOND_SIZES_EQUAL_FIRST_OR_1 = SM101.law("the second operand's sizes are the first's or 1")
SLOPE_BROADCASTS_TO_INPUT = SM101.law("there is one slope, one for each channel, or what broadcasts to the input")
OTHERS_BROADCAST_TO_CHANGED = SM101.law("operands broadcast to the tensor that is changed in place")

SM102 = Code(
    "SM102", "inner sizes",
    "In a matrix product, the left operand has as many columns as the right one has rows.",
    "Put -1 where a size varies in a Reshape before it, or pool to a fixed size. A Flatten or Reshape often makes "
    "the last axis depend on the batch or the image; otherwise one operand has to be transposed.",
    "g (float[n, k] x, float[64, 10] w) => (float[n, 10] y) { y = MatMul (x, w) }",
    dims={"k": "32..64:32"},
)  # fmt: skip
DIAGONAL_SIZES_EQUAL = SM102.law("a diagonal has equal sizes")
EMPTY_BATCH_MEETS_EMPTY_BATCH = SM102.law("an empty batch meets an empty batch")
VECTORS_OF_ONE_LENGTH = SM102.law("both sets have vectors of one length")
INNER_SIZES_EQUAL = SM102.law(
    "inner sizes of a matrix product are equal", sides=("the columns of the first", "the rows of the second")
)
MATRICES_SQUARE = SM102.law("matrices are square")
RIGHT_SIDES_HAVE_ROWS_OF_MATRICES = SM102.law("right sides have as many rows as the matrices")
GATE_WEIGHTS_AS_HIGH_AS_HEAD = SM102.law("the gate's weights are as high as a head is wide")
LAST_AXIS_FITS_WEIGHTS = SM102.law("the last axis is as long as the weights have inputs")
WEIGHTS_AS_HIGH_AS_INPUT = SM102.law("the weights are as high as the input is wide")

SM103 = Code(
    "SM103", "join",
    "Joined tensors have the same rank, and the same sizes on every axis but the one they are joined along.",
    "Pad the input to a multiple, crop the skip connection, or resize to the other tensor's size instead of by a "
    "factor; sizes that were halved and doubled again differ by one for odd inputs.",
    "g (float[n, 1, 8] x, float[n, 2, m] y) => (float[n, 3, 8] z) { z = Concat <axis = 1> (x, y) }",
)  # fmt: skip
JOINED_MATCH_OFF_AXIS = SM103.law("joined tensors match off the join axis")
JOINED_LIST_IS_EMPTY = SM103.law("a list is joined with tensors of more axes only if it is empty")
A_TENSOR_TO_JOIN = SM103.law("there is at least one tensor to join")
AT_LEAST_TWO_TENSORS_TO_JOIN = SM103.law("there are at least two tensors to join")

SM104 = Code(
    "SM104", "reshape",
    "A reshaped tensor keeps its number of elements, so the sizes that are given divide it.",
    "Declare that axis dynamic when exporting, compute the target from Shape, or put -1 in place of the size that "
    "varies; the target holds a size that was constant when the model was exported.",
    "g (float[n, 4] x) => (float[8, 4] y)\n<int64[2] target = {8, 4}>\n{ y = Reshape (x, target) }",
)  # fmt: skip
ELEMENT_COUNT_KEPT = SM104.law(
    "the number of elements is kept",
    sides=("the sizes of the input", "the sizes of the target"),
    broken="the input's sizes multiply to {left}, the target's to {right}",
)
GIVEN_SIZES_DIVIDE_ELEMENT_COUNT = SM104.law(
    "the sizes that are given divide the number of elements",
    sides=("the elements", "the sizes of the target"),
    broken="{left} elements aren't a multiple of {right}, the sizes of the target",
)

VIEW_FITS_MEMORY = SM104.law("the sizes of a view fit how the elements are in memory")
WRITTEN_ELEMENTS_APART = SM104.law("no two elements that are written share their memory")
VIEW_INSIDE_STORAGE = SM104.law("a view by strides is inside the tensor's memory")
REAL_AND_IMAGINARY_PARTS = SM104.law("the last axis has real and imaginary parts")
LAST_AXIS_FITS_TYPE = SM104.law("the last axis is a whole number of elements of the other type")

SM105 = Code(
    "SM105", "reshape target",
    "The target of a Reshape has at most one -1, nothing below it, and a 0 only where the input has that axis.",
    "Write the sizes that are known and leave one -1; set allowzero where 0 is meant as a size.",
    "g (float[n, 4] x) => (float[a, b] y)\n<int64[2] target = {-1, -1}>\n{ y = Reshape (x, target) }",
)  # fmt: skip
ZERO_COPIES_INPUT_SIZE = SM105.law("a 0 copies a size that the input has")
ALLOWED_ZERO_EXCLUDES_MINUS_1 = SM105.law("a 0 that is allowed leaves no size for -1")
AT_MOST_ONE_MINUS_1 = SM105.law("at most one size is -1")
SIZES_MINUS_1_OR_MORE = SM105.law("sizes are -1 or more")

SM106 = Code(
    "SM106", "channels and groups",
    "The input has `group` times the channels of one filter, and the groups divide channels and filters.",
    "The layer before makes another number of channels than these weights are made for: compare both layers, look "
    "for a transposed layout (NHWC instead of NCHW), and check the attribute group.",
    "g (float[n, c, 8, 8] x, float[4, 3, 3, 3] w) => (float[n, 4, 6, 6] y) { y = Conv (x, w) }",
    dims={"c": "1..4"},
)  # fmt: skip
INTERPOLATION_KEEPS_BATCH_AND_CHANNELS = SM106.law("{mode} interpolation keeps the batch and the channels")
FILTER_OF_ONE_CHANNEL = SM106.law("a filter is of one channel")
MAPS_SAME_CHANNELS = SM106.law("all maps have the same channels")
CHANNELS_IN_FOURS = SM106.law("channels come in fours")
CHANNELS_IN_WHOLE_BLOCKS = SM106.law("channels come in whole blocks")
GROUP_DIVIDES_CHANNELS = SM106.law("group divides the channels")
GROUP_DIVIDES_FILTERS = SM106.law("group divides the number of filters")
OFFSET_GROUP_DIVIDES_CHANNELS = SM106.law("offset_group divides the channels")
OUTPUT_SHAPE_KEEPS_BATCH_AND_CHANNELS = SM106.law("output_shape keeps the batch and the channels")
BRANCHES_DIVIDE_LAST_AXIS = SM106.law("the branches divide the last axis")
CHANNELS_MULTIPLE_OF_FILTER_CHANNELS = SM106.law("the channels are a multiple of those of the filters")
CHANNELS_SPLIT_INTO_WINDOWS = SM106.law("the channels split into windows")
FILTERS_AS_WIDE_AS_EMBEDDING = SM106.law("the filters are as wide as a character's embedding")
GROUPS_DIVIDE_CHANNELS = SM106.law("the groups divide the channels")
IMAGE_HAS_CHANNEL_AND_FILTER = SM106.law("the image has a channel and the convolution a filter")
INPUT_CHANNELS_ARE_GROUP_TIMES_WEIGHTS = SM106.law("the input has group times the channels of the weights")
LAST_AXIS_MULTIPLE_OF_SCALE = SM106.law("the last axis is a multiple of the scale")
WEIGHTS_HAVE_INPUT_CHANNELS = SM106.law("the weights have the input's channels")
CHANNEL_PER_BLOCK_ELEMENT = SM106.law("there are at least as many channels as a block has elements")
FILTERS_FOR_EACH_CHANNEL = SM106.law("there are filters for each channel")
THREE_CHANNELS = SM106.law("there are three channels")
FILTER_FOR_EACH_CHANNEL = SM106.law("there is a filter for each channel")
FILTER_PER_GROUP = SM106.law("there is a filter for each group")
FILTER_PER_CHANNEL = SM106.law("there is a filter per channel")
GROUPS_DIVIDE_FILTERS = SM106.law("there is a group at least, and the groups divide the filters")
WEIGHTS_CHANNELS_1_KERNEL = SM106.law("weights are [channels, 1, kernel]")

SM107 = Code(
    "SM107", "same shape",
    "The tensors have one shape: this operator doesn't broadcast.",
    "Give dimensions that have to agree one name, or bring the smaller tensor to the shape with Expand.",
    "g (float[8] x, int64[n] places, float[m] new) => (float[8] y) { y = ScatterElements (x, places, new) }",
)  # fmt: skip
DEFAULT_SHAPED_AS_FEATURE = SM107.law("a default has the shape of its feature")
GRADIENT_AND_STATES_SAME_SHAPE = SM107.law("a tensor, its gradient and its states have the same shape")
ALL_BATCH_HEADS_LENGTH_SIZE = SM107.law("all are [B, N, S, H]")
CACHES_SAME_SHAPE = SM107.law("both caches have the same shape")
CASES_SAME_SHAPE = SM107.law("both cases have the same shape")
PROJECTIONS_SAME_SHAPE = SM107.law("both projections have the same shape")
TERMS_SAME_SHAPE = SM107.law("both terms have the same shape")
COSINES_AND_SINES_SAME_SHAPE = SM107.law("cosines and sines have the same shape")
DATA_AND_INDICES_SAME_SHAPE_OFF_AXIS = SM107.law("data and indices have the same shape off the axis")
ELEMENTS_HAVE_REQUESTED_SHAPE = SM107.law("elements have the shape that is asked for")
IDS_AND_SEGMENTS_SAME_SHAPE = SM107.law("ids and segments have the same shape")
INDICES_HAVE_FIRST_AXES_OF_DATA = SM107.law("indices have the first axes of the data")
INPUT_AND_RESIDUAL_SAME_SHAPE = SM107.law("input and residual have the same shape")
INPUT_AND_SKIP_SAME_SHAPE = SM107.law("input and skip have the same shape")
JOINED_TEXTS_SAME_SHAPE = SM107.law("joined texts have the same shape")
KEYS_AND_QUERIES_SAME_SHAPE = SM107.law("keys and queries have the same shape")
ENCODER_KEYS_AND_VALUES_SAME_SHAPE = SM107.law("keys and values of an encoder have one shape")
NUMBERS_HAVE_FIRST_AXES_OF_DATA = SM107.law("numbers have the first axes of the data")
OPERANDS_SAME_SHAPE = SM107.law("operands have the same shape")
PLACES_AND_LENGTHS_SAME_SHAPE = SM107.law("places and lengths have the same shape")
SCALE_AND_SHIFT_SAME_SHAPE = SM107.law("scale and shift have the same shape")
SEGMENT_NUMBERS_HAVE_FIRST_AXES_OF_DATA = SM107.law("segment numbers have the first axes of the data")
STACKED_SAME_SHAPE = SM107.law("stacked tensors have the same shape")
STEPS_AND_PARENTS_SAME_SHAPE = SM107.law("steps and parents have the same shape")
TEXTS_AND_PLACES_SAME_SHAPE = SM107.law("texts and places of more than 2 axes have the same shape")
BIAS_SHAPED_AS_INPUT_OR_LAST_AXIS = SM107.law("the bias has the input's shape, or that of its last axis")
CONDITION_SHAPED_AS_CASES = SM107.law("the condition has the shape of the cases")
DIAGONAL_IS_THAT_OF_MATRICES = SM107.law("the diagonal is that of the matrices")
DIAGONALS_SHAPED_AS_THOSE_OF_MATRICES = SM107.law("the diagonals have the shape of those of the matrices")
ENDS_SCALAR_OR_SHAPED_AS_CLIPPED = SM107.law("the ends of the range are scalars, or have the shape of what is clipped")
GATE_SHAPED_AS_INPUT = SM107.law("the gate has the input's shape")
MASK_SHAPED_AS_WORDS = SM107.law("the mask has the shape of the words")
MATRIX_AS_LARGE_AS_DIAGONALS = SM107.law("the matrix is as large as its diagonals need")
SECOND_HALF_REPEATS_FIRST = SM107.law("the second half of the sizes repeats the first")
SHAPE_IS_ENSURED_ONE = SM107.law("the shape is the one that is ensured")
SKIP_SHAPED_AS_INPUT_OR_SAMPLE = SM107.law("the skip has the input's shape, or that of a sample")
SKIP_SHAPE = SM107.law("the skip is [N, H, W, C], [N, 1, 1, C] or [N, C]")
UPDATES_SHAPED_AS_INDICES = SM107.law("updates and indices have one shape")
UPDATES_SHAPED_AS_INDEXED_DATA = SM107.law("updates have the shape indices.shape[:-1] + data.shape[depth:]")
UPDATES_SHAPED_AS_REPLACED = SM107.law("updates have the shape of what they replace")
VALUES_AND_INDICES_SAME_SHAPE = SM107.law("values and indices have the same shape")
ADDEND_SHAPED_AS_CONVOLUTION = SM107.law("what is added has the shape of the convolution")
WORDS_AND_SEGMENTS_SAME_SHAPE = SM107.law("words and segments have the same shape")
VALUE_IS_LIST = SM107.law("a value is a list")
LIST_ELEMENTS_ONE_SHAPE = SM107.law("all elements of the list have one shape")
TABLE_KEYS_ONE_SHAPE = SM107.law("keys have one shape")
DEFAULT_STRETCHES_TO_VALUE = SM107.law("the default stretches to a value")
REQUESTED_SHAPE_HAS_AXES_OF_VALUES_AND_ROWS = SM107.law(
    "the shape asked for has the axes of the values and of their rows"
)
VALUES_SHAPED_AS_TABLE = SM107.law("values have the shape of the table's")

SM110 = Code(
    "SM110", "split",
    "The parts of a divided axis add up to it, or are of one size that divides it.",
    "Compute the sizes of the parts from Shape, or restrict the size to multiples (--dim n=8..64:8).",
    "g (float[n] x) => (float[a] y, float[a] z)\n<int64[2] sizes = {2, 2}>\n{ y, z = Split (x, sizes) }",
)  # fmt: skip
EQUAL_CHUNKS_COVER_AXIS = SM110.law("{count} chunks of equal size, but for a smaller last one, cover the axis")
NUM_SPLITS_IS_OUTPUT_COUNT = SM110.law("num_splits {count} is the number of outputs, {outputs}")
PART_SIZES_NOT_NEGATIVE = SM110.law("sizes of parts are not negative")
AXIS_SPLITS_EVENLY = SM110.law("the axis splits evenly into {parts}")
AXIS_SPLITS_INTO_SLICES = SM110.law("the axis splits evenly into slices of {size}")
FILTER_SIZE_COUNT = SM110.law("the filters have {axes} sizes, not {count}")
GATE_WEIGHTS_SPLIT_INTO_HALVES = SM110.law("the gate's weights split into halves")
LAST_AXIS_SPLITS_INTO_HALVES = SM110.law("the last axis splits into halves")
SECTIONS_ADD_UP_TO_ROTATED_HALF = SM110.law("the sections add up to the rotated half")
SEQUENCE_MULTIPLE_OF_WINDOW = SM110.law("the sequence is a multiple of the two-sided window")
PART_SIZE_IN_32_BITS = SM110.law("the size of a part doesn't overflow 32 bits")
PARTS_OF_SIZE_1_LOSE_AXIS = SM110.law("parts that lose their axis have size 1 along it")
PART_SIZE_ABOVE_ZERO = SM110.law("the size of a part is greater than zero")
SIZES_ADD_UP_TO_AXIS = SM110.law("the sizes add up to the size of the axis")
PARTS_ADD_UP_TO_AXIS = SM110.law("the sizes of the parts add up to the axis")
SIZE_COUNT = SM110.law("there are {expected} sizes, not {count}")
OUTPUT_PER_PART = SM110.law("there are at least {count} parts, as the node names outputs")
EMPTY_PARTS_OF_EMPTY_AXIS = SM110.law("parts are empty only of an axis that is")
REPEATS_ADD_UP = SM110.law("the repeats add up to the size that is named")
REPEAT_COUNT_PER_ELEMENT = SM110.law("there is one number of repeats, or one for each element of the axis")
OUTPUT_PER_AXIS_ELEMENT = SM110.law("there is one output for each element of the axis")
LENGTHS_ADD_UP_TO_AN_AXIS = SM110.law("the lengths add up to an axis")
LENGTHS_ADD_UP_TO_AXIS = SM110.law("the lengths add up to the axis")

SM111 = Code(
    "SM111", "blocks",
    "Channels, or height and width, are multiples of the block that is moved between them.",
    "Pad the input to a multiple of the block, or restrict the sizes to multiples (--dim height=64..512:2).",
    "g (float[n, c, 8, 8] x) => (float[n, a, 16, 16] y) { y = DepthToSpace <blocksize = 2> (x) }",
    dims={"c": "4..8"},
)  # fmt: skip
BLOCK_SIZE_POWER_OF_2 = SM111.law("block_size {size} is a power of 2, at least 16")
BLOCK_SIZE_AT_LEAST_1 = SM111.law("block_size {size} is at least 1")
BLOCK_SIZE_POSITIVE = SM111.law("block_size {size} is positive")
BLOCKSIZE_AT_LEAST_1 = SM111.law("blocksize {size} is at least 1")
HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS = SM111.law("height and width split into blocks of {block}")
PADDED_SIZES_SPLIT_INTO_BLOCKS = SM111.law("padded sizes split into blocks of {block}")
CHANNELS_MULTIPLE_OF_BLOCK = SM111.law("the channels are a multiple of the block")
CHANNELS_SPLIT_INTO_BLOCKS = SM111.law("the channels split into blocks of {block}")
SAMPLES_SPLIT_INTO_BLOCKS = SM111.law("the samples split into blocks of {block}")
WEIGHTS_N_BLOCKS_BYTES = SM111.law("the weights are [N, blocks, block_size * bits / 8]")
COLUMN_PER_BLOCK_PLACE = SM111.law("there is one column for each place of the block")
CHANGED_SHAPED_AS_RESULT = SM107.law("what is changed in place has the shape of the result")
SIZES_AGREE_BUT_LAST = SM107.law("operands have the same shape but for the last axis")
REFLECTIONS_FIT_MATRIX = SM102.law("there are no more reflections than columns, nor columns than rows")
INPUT_AND_TARGET_SAME_SHAPE = SM107.law("input and target have the same shape")
WEIGHTS_BROADCAST_TO_INPUT = SM101.law("the weights broadcast to the input")
WEIGHTS_BROADCAST_TO_TARGET = SM101.law("the weights broadcast to the target")
INPUT_BROADCASTS_TO_TARGET = SM101.law("the input broadcasts to the target")
TARGET_BROADCASTS_TO_INPUT = SM101.law("the target broadcasts to the input")
MASK_SHAPED_AS_AXES = SM107.law("a mask has the sizes of the axes that it indexes")
VALUES_BROADCAST_TO_INDEXED = SM101.law("the values broadcast to what is indexed")
SOURCE_BROADCASTS_TO_TENSOR = SM101.law("the source broadcasts to the tensor that it is copied to")
