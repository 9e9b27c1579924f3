"""Laws of indices, axes and ranks, of index tuples and ranges, and of the letters of equations."""

from __future__ import annotations

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
INDICES_INSIDE_AXIS = SM301.law(
    "indices are inside the axis",
    sides=("the index", "the axis"),
    broken="index {left} is outside an axis of {right}",
)
INDICES_NO_LARGER_THAN_DATA = SM301.law("indices are no larger than data off the axis")
LENGTHS_AT_MOST_SEQUENCE = SM301.law("lengths are at most the sequence's")
LENGTHS_INSIDE_AXIS = SM301.law("lengths are inside the axis")
LENGTHS_INSIDE_TIME_AXIS = SM301.law("lengths are inside the time axis")
PLACES_NOT_NEGATIVE = SM301.law("places aren't negative")
POSITIONS_IN_CACHES = SM301.law("positions are in the caches")
SEGMENT_NUMBERS_BELOW_COUNT = SM301.law("segment numbers are below their number")
SLICES_INSIDE_AXIS = SM301.law("slices are inside the axis")
CACHES_ROW_PER_POSITION = SM301.law("the caches have a row per position")
CHOSEN_COLUMNS_IN_INPUT = SM301.law("the chosen columns are in the input")
INDEX_INSIDE_AXIS = SM301.law(
    "the index is inside the axis",
    sides=("the index", "the axis"),
    broken="index {left} is outside an axis of {right}",
)
POSITION_INSIDE_SEQUENCE = SM301.law("the position is inside the sequence")
TABLES_ROW_PER_POSITION = SM301.law("the tables have a row per position")
SOMETHING_TO_PICK = SM301.law("there is something to pick from")
WRITE_INDICES_NOT_NEGATIVE = SM301.law("write indices are not negative")
WRITES_END_INSIDE_CACHE = SM301.law("writes end inside the cache")
BOX_IN_IMAGE_OF_BATCH = SM301.law("a box lies in an image of the batch")
NONPAD_KV_SEQLEN_COUNTS_KEYS = SM301.law("nonpad_kv_seqlen counts keys that there are")

SM302 = Code(
    "SM302", "axis",
    "An axis is inside the tensor's rank, and each is named once.",
    "Count the axes again: the tensor has lost one (Squeeze, a reduction without keepdims) or never had it. Axes "
    "from the end (-1) survive a change of rank.",
    "g (float[n, 4] x) => (float[n, 4] y) { y = Softmax <axis = 2> (x) }",
)  # fmt: skip
AXIS_BEFORE_END_AXIS = SM302.law("axis {first} comes no later than end_axis {last}")
AXIS_INSIDE_RANK = SM302.law("axis {axis} is inside a tensor of rank {rank}")
BATCH_DIMS_AT_MOST_AXIS = SM302.law("batch_dims is at most the axis and the rank of the indices")
AXES_NAMED_ONCE = SM302.law("each axis is named once")
THE_AXIS_INSIDE_RANK = SM302.law("the axis is inside a tensor of rank {rank}")
FOLDED_AXES_IN_TENSOR = SM302.law("the folded axes are the tensor's")
ORDER_NAMES_AXES_ONCE = SM302.law("the order names each axis once")

SM303 = Code(
    "SM303", "rank",
    "The tensor has as many axes as the operator works on.",
    "Add the missing axis with Unsqueeze (often the batch), or remove the one too many.",
    "g (float[n, 3, h] x, float[4, 3, 3, 3] w) => (float[n, 4, a, b] y) { y = Conv (x, w) }",
)  # fmt: skip
SAME_RANK_4_OR_5 = SM303.law("both have the same rank, 4 or 5, not {rank} and {other}")
TENSORS_ONE_RANK = SM303.law("the tensors have one rank, not {rank} and {other}")
DATA_AND_INDICES_ONE_RANK = SM303.law("data and indices have one rank, not {rank} and {other}")
INPUT_AND_WEIGHT_SAME_RANK = SM303.law("input and weight tensor have the same rank, not {rank} and {other}")
PRODUCT_OPERANDS_NOT_SCALAR = SM303.law("operands of a matrix product have at least one axis")
INPUT_BATCHED_OR_TOKENS = SM303.law("the input is [batch, sequence, hidden] or [tokens, hidden], not of rank {rank}")
INPUT_FEATURES_OR_SAMPLES = SM303.law("the input is [features] or [samples, features]")
RANK_1_OR_2 = SM303.law("the rank is 1 or 2, not {rank}")
RANK_2_OR_3 = SM303.law("the rank is 2 or 3, not {rank}")
RANK_2 = SM303.law("the rank is 2, not {rank}")
RANK_3_4_OR_5 = SM303.law("the rank is 3, 4 or 5, not {rank}")
RANK_4 = SM303.law("the rank is 4, not {rank}")
RANK = SM303.law("the rank is {expected}, not {rank}")
RANK_AT_LEAST_1 = SM303.law("the rank is at least 1, not 0")
RANK_AT_LEAST = SM303.law("the rank is at least {least}, not {rank}")
RANK_AT_MOST_1 = SM303.law("the rank is at most 1, not {rank}")
RANK_AT_MOST_2 = SM303.law("the rank is at most 2, not {rank}")
RANK_AT_MOST = SM303.law("the rank is at most {most}, not {rank}")
RANK_AT_MOST_THAT_OF_SHAPE = SM303.law("the rank is at most that of the shape, {most}, not {rank}")
RANK_OF_KERNEL_PLUS_2 = SM303.law("the rank is that of the kernel plus 2, not {rank}")
SKIP_RANK_OF_INPUT_OR_SAMPLE = SM303.law("the skip has the input's rank, or that of a sample")
STRINGS_SAMPLE_OR_BATCH = SM303.law("the strings are [C] or [N, C], not of rank {rank}")
AXES_AT_MOST_RANK = SM303.law("there are at most {rank} axes, not {count}")
STRIDE_PER_SIZE = SM303.law("there is a stride for each size")
NUMBER_PER_AXIS = SM303.law("there is a number for each axis")

SM304 = Code(
    "SM304", "squeeze",
    "An axis that is squeezed away has size 1.",
    "The axis was 1 when the model was exported (a batch of 1, a single channel): name it in the dynamic axes, and "
    "squeeze another one or use Reshape.",
    "g (float[n, 4] x) => (float[4] y)\n<int64[1] axes = {0}>\n{ y = Squeeze (x, axes) }",
)  # fmt: skip

SM305 = Code(
    "SM305", "top k",
    "No more elements are chosen than the axis has.",
    "Declare the axis no shorter than k, or compute k as the minimum of k and the size.",
    "g (float[n] x) => (float[5] values, int64[5] places)\n<int64[1] k = {5}>\n{ values, places = TopK (x, k) }",
)  # fmt: skip
DEPTH_AT_LEAST_1 = SM305.law("depth is at least 1")
K_AT_MOST_AXIS = SM305.law("k is no more than the size of the axis", sides=("k", "the axis"))
K_NOT_NEGATIVE = SM305.law("k is not negative")

SM306 = Code(
    "SM306", "index tuples",
    "A tuple of indices names leading axes of the data, and updates have the shape that is left.",
    "Check the last axis of the indices: its size is the number of axes that are indexed.",
    "g (float[n, 4] x, int64[m, k] i) => (float[a] y) { y = GatherND (x, i) }",
    dims={"k": "1..3"},
)  # fmt: skip
INDEX_TUPLE_AT_MOST = SM306.law("an index tuple has {most} numbers at most")
INDEX_TUPLE_WITHIN_INDEXED_RANK = SM306.law("an index tuple is no longer than the rank it indexes")
INDEX_TUPLES_SPLIT_INTO_BATCHES = SM306.law("the index tuples split evenly into the batches of the data")

SM307 = Code(
    "SM307", "slices and ranges",
    "There are as many starts as ends, axes and steps, and no step is 0.",
    "Make the four lists equally long; leave out axes and steps only where all leading axes are meant.",
    "g (float[n, 4] x) => (float[a, b] y)\n<int64[1] starts = {0}, int64[2] ends = {1, 1}>\n"
    "{ y = Slice (x, starts, ends) }",
)  # fmt: skip
RANGE_ENDS_NO_LOWER = SM307.law("a range ends no lower than it begins")
RANGE_ENDS_FINITE = SM307.law("a range has finite ends")
STEP_NOT_0 = SM307.law("the step is not 0")
ENDS_AS_MANY_AS_STARTS = SM307.law("there are as many ends as starts")

SM308 = Code(
    "SM308", "equation",
    "The equation of an Einsum has one term per input, with a letter for each of its axes.",
    "Count letters and axes of each term; an ellipsis stands for the axes that aren't named.",
    'g (float[i, j, k] x, float[k, l] y) => (float[i, l] z) { z = Einsum <equation = "ij,jl->il"> (x, y) }',
)  # fmt: skip
EQUATION_TERM_PER_INPUT = SM308.law("the equation has a term for each input")
OUTPUT_LETTERS_ONCE = SM308.law("the output names each letter once")
OUTPUT_LETTERS_AMONG_INPUTS = SM308.law("the output's letters are among the inputs'")
ONE_ELLIPSIS_AT_MOST = SM308.law("there is one ellipsis at most")
