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
BIAS_BROADCASTS_TO_PRODUCT = SM101.law("the bias broadcasts to the product")
MASK_BROADCASTS_TO_SCORES = SM101.law("the mask broadcasts to the scores")

SM102 = Code(
    "SM102", "inner sizes",
    "In a matrix product, the left operand has as many columns as the right one has rows.",
    "Put -1 where a size varies in a Reshape before it, or pool to a fixed size. A Flatten or Reshape often makes "
    "the last axis depend on the batch or the image; otherwise one operand has to be transposed.",
    "g (float[n, k] x, float[64, 10] w) => (float[n, 10] y) { y = MatMul (x, w) }",
    dims={"k": "32..64:32"},
)  # fmt: skip
DIAGONAL_SIZES_EQUAL = SM102.law("a diagonal has equal sizes")
VECTORS_OF_ONE_LENGTH = SM102.law("both sets have vectors of one length")
INNER_SIZES_EQUAL = SM102.law(
    "inner sizes of a matrix product are equal", sides=("the columns of the first", "the rows of the second")
)
MATRICES_SQUARE = SM102.law("matrices are square")
RIGHT_SIDES_HAVE_ROWS_OF_MATRICES = SM102.law("right sides have as many rows as the matrices")
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
    sides=("elements of the input", "elements of the new shape"),
    broken="elements: {left} in the input, {right} in its new shape",
)
GIVEN_SIZES_DIVIDE_ELEMENT_COUNT = SM104.law(
    "the sizes that are given divide the number of elements",
    sides=("elements of the input", "product of the given sizes"),
    broken="elements: {left} in the input, no multiple of {right}, the product of the given sizes",
)


SM105 = Code(
    "SM105", "reshape target",
    "The target of a Reshape has at most one -1, nothing below it, and a 0 only where the input has that axis.",
    "Write the sizes that are known and leave one -1; set allowzero where 0 is meant as a size.",
    "g (float[n, 4] x) => (float[a, b] y)\n<int64[2] target = {-1, -1}>\n{ y = Reshape (x, target) }",
)  # fmt: skip
ZERO_COPIES_INPUT_SIZE = SM105.law("a 0 copies a size that the input has")
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
GROUP_DIVIDES_CHANNELS = SM106.law("group divides the channels")
GROUP_DIVIDES_FILTERS = SM106.law("group divides the number of filters")
OUTPUT_SHAPE_KEEPS_BATCH_AND_CHANNELS = SM106.law("output_shape keeps the batch and the channels")
CHANNELS_SPLIT_INTO_WINDOWS = SM106.law("the channels split into windows")
GROUPS_DIVIDE_CHANNELS = SM106.law("the groups divide the channels")
INPUT_CHANNELS_ARE_GROUP_TIMES_WEIGHTS = SM106.law("the input has group times the channels of the weights")
WEIGHTS_HAVE_INPUT_CHANNELS = SM106.law("the weights have the input's channels")

SM107 = Code(
    "SM107", "same shape",
    "The tensors have one shape: this operator doesn't broadcast.",
    "Give dimensions that have to agree one name, or bring the smaller tensor to the shape with Expand.",
    "g (float[8] x, int64[n] places, float[m] new) => (float[8] y) { y = ScatterElements (x, places, new) }",
)  # fmt: skip
CACHES_SAME_SHAPE = SM107.law("both caches have the same shape")
COSINES_AND_SINES_SAME_SHAPE = SM107.law("cosines and sines have the same shape")
INPUT_AND_SKIP_SAME_SHAPE = SM107.law("input and skip have the same shape")
JOINED_TEXTS_SAME_SHAPE = SM107.law("joined texts have the same shape")
OPERANDS_SAME_SHAPE = SM107.law("operands have the same shape")
SEGMENT_NUMBERS_HAVE_FIRST_AXES_OF_DATA = SM107.law("segment numbers have the first axes of the data")
STACKED_SAME_SHAPE = SM107.law("stacked tensors have the same shape")
SKIP_SHAPED_AS_INPUT_OR_SAMPLE = SM107.law("the skip has the input's shape, or that of a sample")
UPDATES_SHAPED_AS_INDICES = SM107.law("updates and indices have one shape")
UPDATES_SHAPED_AS_INDEXED_DATA = SM107.law("updates have the shape indices.shape[:-1] + data.shape[depth:]")
UPDATES_SHAPED_AS_REPLACED = SM107.law("updates have the shape of what they replace")
VALUES_AND_INDICES_SAME_SHAPE = SM107.law("values and indices have the same shape")
ADDEND_SHAPED_AS_CONVOLUTION = SM107.law("what is added has the shape of the convolution")

SM110 = Code(
    "SM110", "split",
    "The parts of a divided axis add up to it, or are of one size that divides it.",
    "Compute the sizes of the parts from Shape, or restrict the size to multiples (--dim n=8..64:8).",
    "g (float[n] x) => (float[a] y, float[a] z)\n<int64[2] sizes = {2, 2}>\n{ y, z = Split (x, sizes) }",
)  # fmt: skip
EQUAL_CHUNKS_COVER_AXIS = SM110.law("{count} chunks of equal size, but for a smaller last one, cover the axis")
PART_SIZES_NOT_NEGATIVE = SM110.law("sizes of parts are not negative")
AXIS_SPLITS_EVENLY = SM110.law("the axis splits evenly into {parts}")
PART_SIZE_IN_32_BITS = SM110.law("the size of a part doesn't overflow 32 bits")
SIZES_ADD_UP_TO_AXIS = SM110.law("the sizes add up to the size of the axis")
SIZE_COUNT = SM110.law("there are {expected} sizes, not {count}")
OUTPUT_PER_AXIS_ELEMENT = SM110.law("there is one output for each element of the axis")
LENGTHS_ADD_UP_TO_AXIS = SM110.law("the lengths add up to the axis")

SM111 = Code(
    "SM111", "blocks",
    "Channels, or height and width, are multiples of the block that is moved between them.",
    "Pad the input to a multiple of the block, or restrict the sizes to multiples (--dim height=64..512:2).",
    "g (float[n, c, 8, 8] x) => (float[n, a, 16, 16] y) { y = DepthToSpace <blocksize = 2> (x) }",
    dims={"c": "4..8"},
)  # fmt: skip
HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS = SM111.law("height and width split into blocks of {block}")
PADDED_SIZES_SPLIT_INTO_BLOCKS = SM111.law("padded sizes split into blocks of {block}")
CHANNELS_MULTIPLE_OF_BLOCK = SM111.law("the channels are a multiple of the block")
CHANNELS_SPLIT_INTO_BLOCKS = SM111.law("the channels split into blocks of {block}")
SAMPLES_SPLIT_INTO_BLOCKS = SM111.law("the samples split into blocks of {block}")
COLUMN_PER_BLOCK_PLACE = SM111.law("there is one column for each place of the block")
CHANGED_SHAPED_AS_RESULT = SM107.law("what is changed in place has the shape of the result")
