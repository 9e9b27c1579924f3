"""Laws of indices, axes and ranks, of index tuples and ranges, and of the letters of equations."""

from __future__ import annotations

from shapesmt.network.laws.attributes import SM502
from shapesmt.network.laws.law import Code

SM301 = Code(
    "SM301", "index",
    "An index lies inside the axis, from -size to size - 1.",
    "Declare the table's length as a limit (--dim seq=1..512), or make the table longer; one of positions or "
    "embeddings is often shorter than the longest input.",
    "g (float[8] table, int64[n] x) => (float[n] y)\n"
    "{ shape = Shape (x)\n  one = Constant <value_int = 1> ()\n  last = Sub (shape, one)\n"
    "  row = Gather (table, last)\n  y = Expand (row, shape) }",
)  # fmt: skip
POSITIONS_IN_TABLE = SM301.law("every position is in its table")
INDICES_INSIDE_AXIS = SM301.law(
    "indices are inside the axis",
    sides=("the index", "the axis"),
    broken="index {left} is outside an axis of {right}",
)
INDICES_INSIDE_CLASSES = SM301.law("indices are inside the classes")
INDICES_NO_LARGER_THAN_DATA = SM301.law("indices are no larger than data off the axis")
CUMULATIVE_LENGTHS_GROW_TO_TOKENS = SM301.law("cumulative lengths begin at 0, grow, and end with the tokens")
LENGTHS_AT_LEAST = SM301.law("lengths are at least {least}")
LENGTHS_AT_MOST_SEQUENCE = SM301.law("lengths are at most the sequence's")
OFFSETS_ASCENDING = SM301.law("offsets are in ascending order")
STEPS_FOR_LABELS = SM301.law("a sample has a step for each label, inside the time axis")
LENGTH_AT_MOST_AXIS = SM301.law("the length is at most the axis's")
LENGTHS_INSIDE_AXIS = SM301.law("lengths are inside the axis")
LENGTHS_INSIDE_TIME_AXIS = SM301.law("lengths are inside the time axis")
LENGTHS_AT_MOST_SEQUENCES = SM301.law("lengths are those of the sequences at most")
RETURNED_SEQUENCES_AT_MOST_BEAMS = SM301.law("no more sequences are returned than there are beams")
NUMBERS_OF_PARTS = SM301.law("numbers are those of the parts")
PLACES_INSIDE_TENSOR = SM301.law("places are inside the tensor")
PLACES_NOT_NEGATIVE = SM301.law("places aren't negative")
POSITIONS_IN_CACHES = SM301.law("positions are in the caches")
SEGMENT_NUMBERS_BELOW_COUNT = SM301.law("segment numbers are below their number")
SEGMENT_NUMBERS_ASCENDING = SM301.law("segment numbers are in ascending order, from 0 on")
SLICES_INSIDE_AXIS = SM301.law("slices are inside the axis")
SIDE_DIAGONALS_IN_MATRIX = SM301.law("the {side} diagonals are those of the matrix")
BLANK_ONE_NUMBER = SM301.law("the blank is one number")
BLANK_ONE_OF_CLASSES = SM301.law("the blank is one of the classes")
CACHES_ROW_PER_POSITION = SM301.law("the caches have a row per position")
CHOSEN_COLUMNS_IN_INPUT = SM301.law("the chosen columns are in the input")
DIAGONALS_IN_MATRIX = SM301.law("the diagonals are those of the matrix")
ROWS_BEGIN_AT_0_AND_END_WITH_VALUES = SM301.law("the first row begins at 0 and the last ends with the values")
INDEX_INSIDE_AXIS = SM301.law(
    "the index is inside the axis",
    sides=("the index", "the axis"),
    broken="index {left} is outside an axis of {right}",
)
INDEX_INSIDE_SOURCE = SM301.law("the index is inside the source")
SLICE_PER_TRIP = SM301.law("the indices are inside the axis: each trip has a slice")
LOWEST_DIAGONAL_BELOW_HIGHEST = SM301.law("the lowest diagonal is no higher than the highest")
LOOPED_PART_INSIDE_AXIS = SM301.law("the part that a loop goes through is inside the axis")
NODE_MODES_KNOWN = SM502.law("the modes of nodes are known ones")
NODES_FORM_TREES = SM301.law("from a root, each node is reached once")
TREE_PLACES_INSIDE_LISTS = SM301.law("the places in trees are inside the lists")
POSITION_INSIDE_LIST = SM301.law("the position is inside the list")
POSITION_INSIDE_SEQUENCE = SM301.law("the position is inside the sequence")
POSITIONS_3_BATCH_LENGTH = SM301.law("the positions are [3, B, S]")
POSITIONS_ONE_OR_BATCH_LENGTH = SM301.law("the positions are one number or [B, S]")
REGION_INSIDE_IMAGE = SM301.law("the region is inside the image")
TABLES_ROW_PER_POSITION = SM301.law("the tables have a row per position")
SOMETHING_TO_PICK = SM301.law("there is something to pick from")
FILE_INDICES_NOT_NEGATIVE = SM301.law("before opset 11, indices that are a constant of the file are not negative")
WRITE_INDICES_NOT_NEGATIVE = SM301.law("write indices are not negative")
WRITES_END_INSIDE_CACHE = SM301.law("writes end inside the cache")
BOX_IN_IMAGE_OF_BATCH = SM301.law("a box lies in an image of the batch")
NUMBERS_ARE_CATEGORIES = SM301.law("each number is a category")
VALUES_IN_ROWS = SM301.law("each value is in a row")
INDICES_INSIDE_OUTPUT = SM301.law("indices are inside the output")
ROWS_END_WHERE_INNER_ROWS_DO = SM301.law("rows end where those inside do")
LAST_KEYS_BEHIND_QUERIES = SM301.law("behind a past, the keys of a sample are as many as its queries")
NONPAD_KV_SEQLEN_COUNTS_KEYS = SM301.law("nonpad_kv_seqlen counts keys that there are")
LAST_KEY_IN_CACHES = SM301.law("the last key of a sample is in the caches")
PART_INSIDE_IMAGE = SM301.law("the part is inside the image")
WORDS_AND_SEGMENTS_IN_TABLES = SM301.law("words and segments are in their tables")
BLOCKED_IDS_IN_VOCABULARY = SM301.law("ids of words to block are in the vocabulary")

SM302 = Code(
    "SM302", "axis",
    "An axis is inside the tensor's rank, and each is named once.",
    "Count the axes again: the tensor has lost one (Squeeze, a reduction without keepdims) or never had it. Axes "
    "from the end (-1) survive a change of rank.",
    "g (float[n, 4] x) => (float[n, 4] y) { y = Softmax <axis = 2> (x) }",
)  # fmt: skip
AN_AXIS_INSIDE_TENSOR = SM302.law("an axis is inside the tensor")
AXIS_BEFORE_END_AXIS = SM302.law("axis {first} comes no later than end_axis {last}")
AXIS_COUNTED_FROM_FRONT = SM302.law("axis {axis} is counted from the front")
AXIS_INSIDE_RANK = SM302.law("axis {axis} is inside a tensor of rank {rank}")
AXIS_FROM_FRONT_INSIDE_RANK = SM302.law("axis {axis} is inside a tensor of rank {rank}, counted from the front")
AXIS_SPLITS_SHAPE = SM302.law("axis {axis} splits a shape of rank {rank}")
BATCH_DIMS_WITHIN_RANK = SM302.law("the data have {batch} batch axes, and the indices an axis of index tuples")
BATCH_DIMS_INDEX_AXIS = SM302.law("batch_dims is an axis of the indices")
BATCH_DIMS_AT_MOST_AXIS = SM302.law("batch_dims is at most the axis and the rank of the indices")
AXES_NAMED_ONCE = SM302.law("each axis is named once")
PERM_NAMES_EACH_ONCE = SM302.law("perm {perm} has each number from 0 on once")
PERM_ORDERS_AXES = SM302.law("perm {perm} orders the {rank} axes")
SEQUENCES_NOT_ALONG_BATCH = SM302.law("sequences run along another axis than the batch")
SLICE_AXIS_INSIDE_RANK = SM302.law("slice {axis} is inside a tensor of rank {rank}")
AXES_LIST = SM302.law("the axes are a list")
AXES_LIST_AS_SHIFTS = SM302.law("the axes are a list, as the shifts are")
AXES_FROM_FRONT = SM302.law("the axes are counted from the front, not {axis}")
EXPLICIT_MODE_NEEDS_AXES = SM302.law("the axes are given, as mode explicit needs them")
AXES_ONE_NUMBER_OR_LIST = SM302.law("the axes are one number, or a list")
AXES_CHANNELS_OR_ALL = SM302.law("the axes are the channels or all sizes, not {axes}")
CUT_AXES_IN_TENSOR = SM302.law("the axes that are cut are the tensor's")
THE_AXIS_INSIDE_RANK = SM302.law("the axis is inside a tensor of rank {rank}")
AXIS_INSIDE_TENSOR = SM302.law("the axis is inside the tensor")
FOLDED_AXES_IN_TENSOR = SM302.law("the folded axes are the tensor's")
ORDER_NAMES_AXES_ONCE = SM302.law("the order names each axis once")
SEQUENCE_AXIS_NOT_BATCH = SM302.law("the sequence axis is not the batch axis")
ROW_PER_AXIS_OR_SPATIAL_AXIS = SM302.law("there is a row for each axis, or for each but batch and channels")
AXIS_TO_TRANSFORM = SM302.law("there is an axis to transform along")
TIME_AND_BATCH_FIRST = SM302.law("time and batch are the axes 0 and 1")

SM303 = Code(
    "SM303", "rank",
    "The tensor has as many axes as the operator works on.",
    "Add the missing axis with Unsqueeze (often the batch), or remove the one too many.",
    "g (float[n, 3, h] x, float[4, 3, 3, 3] w) => (float[n, 4, a, b] y) { y = Conv (x, w) }",
)  # fmt: skip
COUNT_FOR_AXES = SM303.law("{length} {what} for {rank} axes, not {count}")
SPARSE_MATRIX_TWO_AXES = SM303.law("a sparse matrix has two axes")
SLICED_AT_MOST_8_AXES = SM303.law("a tensor that is sliced has 8 axes at most")
BOTH_ONE_RANK_3_OR_MORE = SM303.law("both have one rank, 3 or more")
RANK_WITH_OR_WITHOUT_BATCH = SM303.law(
    "there are channels and {axes} more axes, with or without a batch: the rank is not {rank}"
)
SAME_RANK_4_OR_5 = SM303.law("both have the same rank, 4 or 5, not {rank} and {other}")
BROADCAST_CASES_AT_MOST_8_AXES = SM303.law("cases that broadcast have 8 axes at most")
DATA_AND_INDICES_NOT_SCALAR = SM303.law("data and indices are no scalars")
DATA_AND_INDICES_ONE_RANK = SM303.law("data and indices have one rank, not {rank} and {other}")
IMAGE_AND_BLOCK_ONE_RANK = SM303.law("image and block have one rank")
INPUT_AND_WEIGHT_SAME_RANK = SM303.law("input and weight tensor have the same rank, not {rank} and {other}")
INPUT_AND_WEIGHTS_ONE_RANK = SM303.law("input and weights have one rank")
ALONG_ONE_AXIS_AT_MOST = SM303.law("it is along one axis at most")
KEYS_AND_VALUES_ONE_RANK = SM303.law("keys and values have one rank")
KEYS_SHAPE_BY_RANK = SM303.law("keys are [B, L, D], [B, N, L, H] or [B, L, N, 2, H], not of rank {rank}")
PRODUCT_OPERANDS_NOT_SCALAR = SM303.law("operands of a matrix product have at least one axis")
QUERIES_RANK = SM303.law("queries have {axes} axes, not {rank}")
QUERIES_KEYS_VALUES_SAME_RANK = SM303.law("queries, keys and values have the same rank")
SEQUENCE_AND_BATCH_ARE_AXES = SM303.law("sequences and batch are axes of a tensor of rank {rank}")
COSTS_SHAPE_BY_RANK = SM303.law("the costs are [M, N] or [1, M, N], not of rank {rank}")
DENSE_AXES_AT_MOST_SPARSE = SM303.law("the dense tensor has no more axes than the sparse one")
ELEMENTS_AT_LEAST_ONE_AXIS = SM303.law("the elements have at least one axis")
INPUT_3_OR_4_AXES = SM303.law("the input has 3 or 4 axes, not {rank}")
INPUT_RANK_3_OR_MORE = SM303.law("the input has rank 3 or more, not {rank}")
INPUT_HEADS_PACKED_OR_APART = SM303.law("the input is [B, S, N * H] or [B, N, S, H], not of rank {rank}")
INPUT_SAMPLE_OR_BATCH = SM303.law("the input is [C] or [N, C], not of rank {rank}")
INPUT_BATCHED_OR_TOKENS = SM303.law("the input is [batch, sequence, hidden] or [tokens, hidden], not of rank {rank}")
INPUT_FEATURES_OR_SAMPLES = SM303.law("the input is [features] or [samples, features]")
INPUT_TOKENS_OR_BATCHED = SM303.law("the input is [tokens, hidden] or [batch, sequence, hidden], not of rank {rank}")
RANK_1_OR_2 = SM303.law("the rank is 1 or 2, not {rank}")
RANK_2_OR_3 = SM303.law("the rank is 2 or 3, not {rank}")
RANK_2 = SM303.law("the rank is 2, not {rank}")
RANK_3_4_OR_5 = SM303.law("the rank is 3, 4 or 5, not {rank}")
VALUES_RANK_AT_MOST_SCORES = SM303.law("the values' rank is at most that of the queries or the keys")
RANK_4 = SM303.law("the rank is 4, not {rank}")
INPUT_HAS_RANK = SM303.law("input {index} has rank {ranks}")
INPUTS_AGREE_IN_RANK = SM303.law("inputs {first} and {second} agree in rank")
RANK = SM303.law("the rank is {expected}, not {rank}")
RANK_AT_LEAST_1 = SM303.law("the rank is at least 1, not 0")
RANK_AT_LEAST_2 = SM303.law("the rank is at least 2, not another")
RANK_AT_LEAST = SM303.law("the rank is at least {least}, not {rank}")
RANK_AT_MOST_1 = SM303.law("the rank is at most 1, not {rank}")
RANK_AT_MOST_2 = SM303.law("the rank is at most 2, not {rank}")
RANK_AT_MOST = SM303.law("the rank is at most {most}, not {rank}")
RANK_AT_MOST_THAT_OF_SHAPE = SM303.law("the rank is at most that of the shape, {most}, not {rank}")
RANK_EVEN_AND_POSITIVE = SM303.law("the rank is even and positive, not {rank}")
RANK_OF_KERNEL_PLUS_2 = SM303.law("the rank is that of the kernel plus 2, not {rank}")
SKIP_RANK_OF_INPUT_OR_SAMPLE = SM303.law("the skip has the input's rank, or that of a sample")
SPARSE_OPERAND_MATRIX = SM303.law("the sparse operand is a matrix")
STRINGS_SAMPLE_OR_BATCH = SM303.law("the strings are [C] or [N, C], not of rank {rank}")
TEXTS_SAMPLE_OR_BATCH_OF_1 = SM303.law("the texts are [C] or [1, C]")
TEXTS_SAMPLE_OR_BATCH_OF_1_BY_RANK = SM303.law("the texts are [C] or [1, C], not of rank {rank}")
ONE_TO_THREE_SPATIAL_AXES = SM303.law("there are 1, 2 or 3 spatial axes, not {count}")
AXES_AT_MOST_RANK = SM303.law("there are at most {rank} axes, not {count}")
PLACES_FOR_AXES = SM303.law("there are places for {rank} axes, not {count}")
STRIDE_PER_SIZE = SM303.law("there is a stride for each size")
AXES_MOVE_TO_AS_MANY = SM302.law("axes move to as many places")
SURROUNDED_RANK = SM303.law("of the axes, all but one or two are padded with the tensor's own elements, and 1 to 3")
NUMBER_PER_AXIS = SM303.law("there is a number for each axis")

SM304 = Code(
    "SM304", "squeeze",
    "An axis that is squeezed away has size 1.",
    "The axis was 1 when the model was exported (a batch of 1, a single channel): name it in the dynamic axes, and "
    "squeeze another one or use Reshape.",
    "g (float[n, 4] x) => (float[4] y)\n<int64[1] axes = {0}>\n{ y = Squeeze (x, axes) }",
)  # fmt: skip
SQUEEZED_AXIS_SIZE_1 = SM304.law("a squeezed axis has size 1")
WEIGHTS_MATRIX_OR_VECTOR = SM303.law("the weights are a matrix or a vector, not of rank {rank}")
CHAIN_OF_MATRICES_AND_VECTORS = SM303.law("all are matrices, or vectors")
VECTORS_ON_RIGHT_SIDE = SM303.law("vectors are on the right side")
AXES_OF_MATRIX = SM303.law("a matrix has 2 axes, not {count}")
NORMALIZED_AXES = SM303.law("between 1 and {rank} axes are normalized, not {count}")

SM305 = Code(
    "SM305", "top k",
    "No more elements are chosen than the axis has.",
    "Declare the axis no shorter than k, or compute k as the minimum of k and the size.",
    "g (float[n] x) => (float[5] values, int64[5] places)\n<int64[1] k = {5}>\n{ values, places = TopK (x, k) }",
)  # fmt: skip
DEPTH_AT_LEAST_1 = SM305.law("depth is at least 1")
K_AT_MOST_AXIS = SM305.law("k is no more than the size of the axis", sides=("k", "the axis"))
K_NOT_NEGATIVE = SM305.law("k is not negative")
BOX_COUNT_NOT_NEGATIVE = SM305.law("the number of boxes isn't negative")
N_INSIDE_LAST_AXIS = SM305.law("n is inside the last axis")

SM306 = Code(
    "SM306", "index tuples",
    "A tuple of indices names leading axes of the data, and updates have the shape that is left.",
    "Check the last axis of the indices: its size is the number of axes that are indexed.",
    "g (float[n, 4] x, int64[m, k] i) => (float[a] y) { y = GatherND (x, i) }",
    dims={"k": "1..3"},
)  # fmt: skip
INDEX_TUPLE_AT_MOST = SM306.law("an index tuple has {most} numbers at most")
INDEX_TUPLE_WITHIN_INDEXED_RANK = SM306.law("an index tuple is no longer than the rank it indexes")
INDEX_TUPLE_AXES_LEFT_BY_UPDATES = SM306.law(
    "an index tuple names 0 to {rank} axes, not the {depth} that updates leave"
)
INDEX_TUPLE_PLACE_ON_EACH_AXIS = SM306.law("an index tuple names a place on each axis")
INDEX_TUPLE_AXES_OF_UPDATES = SM306.law("an index tuple names the axes that updates leave out")
INDEX_TUPLES_SPLIT_INTO_BATCHES = SM306.law("the index tuples split evenly into the batches of the data")
UPDATE_PER_INDEX_TUPLE = SM306.law("there is an update for each index tuple, of the shape of what it replaces")

SM307 = Code(
    "SM307", "slices and ranges",
    "There are as many starts as ends, axes and steps, and no step is 0.",
    "Make the four lists equally long; leave out axes and steps only where all leading axes are meant.",
    "g (float[n, 4] x) => (float[a, b] y)\n<int64[1] starts = {0}, int64[2] ends = {1, 1}>\n"
    "{ y = Slice (x, starts, ends) }",
)  # fmt: skip
RANGE_ENDS_NO_LOWER = SM307.law("a range ends no lower than it begins")
DELTA_NOT_0 = SM307.law("delta is not 0")
LIMIT_IN_STEP_DIRECTION = SM307.law("the limit is in the direction of the step")
RANGE_ENDS_FINITE = SM307.law("a range has finite ends")
STEP_AT_LEAST_1 = SM307.law("the step is at least 1")
STEP_NOT_0 = SM307.law("the step is not 0")
AXES_AS_MANY_AS_STARTS = SM307.law("there are as many axes as starts")
ENDS_AS_MANY_AS_STARTS = SM307.law("there are as many ends as starts")
ENDS_AXES_STEPS_AS_MANY_AS_STARTS = SM307.law("there are as many ends, axes and steps as starts")

SM308 = Code(
    "SM308", "equation",
    "The equation of an Einsum has one term per input, with a letter for each of its axes.",
    "Count letters and axes of each term; an ellipsis stands for the axes that aren't named.",
    'g (float[i, j, k] x, float[k, l] y) => (float[i, l] z) { z = Einsum <equation = "ij,jl->il"> (x, y) }',
)  # fmt: skip
ELLIPSIS_SAME_AXES_EVERYWHERE = SM308.law("an ellipsis stands for the same number of axes everywhere")
EQUATION_LETTER_ONE_SIZE = SM308.law("each letter of the equation is one size, '{letter}' too")
EQUATION_TERM_PER_INPUT = SM308.law("the equation has a term for each input")
EQUATION_TERM_PER_ONE_OR_TWO_INPUTS = SM308.law("the equation has a term for each of one input or two")
EQUATION_ONE_ARROW = SM308.law("the equation has one '->'")
OUTPUT_ELLIPSIS_AS_INPUTS = SM308.law("the output has an ellipsis as the inputs do")
OUTPUT_ELLIPSIS_WHERE_INPUTS_HAVE_AXES = SM308.law("the output has an ellipsis where the inputs have axes for it")
OUTPUT_LETTERS_ONCE = SM308.law("the output names each letter once")
OUTPUT_LETTERS_AMONG_INPUTS = SM308.law("the output's letters are among the inputs'")
EQUATION_TERM_AXES = SM308.law("the term '{term}' has {rank} axes")
EQUATION_TERM_LETTER_PER_AXIS = SM308.law("the term '{term}' has a letter for each of {rank} axes")
ONE_ELLIPSIS_AT_MOST = SM308.law("there is one ellipsis at most")
INDICES_NO_LARGER_THAN_SOURCE = SM301.law("indices are no larger than the source")
K_POSITIVE = SM305.law("k is positive")
