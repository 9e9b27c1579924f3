"""Laws of indices, index tuples and ranges, and of the letters of equations."""

from __future__ import annotations

from shapesmt.laws.law import Law

POSITIONS_IN_TABLE = Law("SM301", "every position is in its table")
INDICES_INSIDE_AXIS = Law(
    "SM301",
    "indices are inside the axis",
    sides=("the index", "the axis"),
    broken="index {left} is outside an axis of {right}",
)
INDICES_INSIDE_CLASSES = Law("SM301", "indices are inside the classes")
INDICES_NO_LARGER_THAN_DATA = Law("SM301", "indices are no larger than data off the axis")
CUMULATIVE_LENGTHS_GROW_TO_TOKENS = Law("SM301", "cumulative lengths begin at 0, grow, and end with the tokens")
LENGTHS_AT_LEAST = Law("SM301", "lengths are at least {least}")
LENGTHS_AT_MOST_SEQUENCE = Law("SM301", "lengths are at most the sequence's")
OFFSETS_ASCENDING = Law("SM301", "offsets are in ascending order")
STEPS_FOR_LABELS = Law("SM301", "a sample has a step for each label, inside the time axis")
LENGTH_AT_MOST_AXIS = Law("SM301", "the length is at most the axis's")
LENGTHS_INSIDE_AXIS = Law("SM301", "lengths are inside the axis")
LENGTHS_INSIDE_TIME_AXIS = Law("SM301", "lengths are inside the time axis")
LENGTHS_AT_MOST_SEQUENCES = Law("SM301", "lengths are those of the sequences at most")
RETURNED_SEQUENCES_AT_MOST_BEAMS = Law("SM301", "no more sequences are returned than there are beams")
NUMBERS_OF_PARTS = Law("SM301", "numbers are those of the parts")
PLACES_INSIDE_TENSOR = Law("SM301", "places are inside the tensor")
PLACES_NOT_NEGATIVE = Law("SM301", "places aren't negative")
POSITIONS_IN_CACHES = Law("SM301", "positions are in the caches")
SEGMENT_NUMBERS_BELOW_COUNT = Law("SM301", "segment numbers are below their number")
SEGMENT_NUMBERS_ASCENDING = Law("SM301", "segment numbers are in ascending order, from 0 on")
SLICES_INSIDE_AXIS = Law("SM301", "slices are inside the axis")
SIDE_DIAGONALS_IN_MATRIX = Law("SM301", "the {side} diagonals are those of the matrix")
BLANK_ONE_NUMBER = Law("SM301", "the blank is one number")
BLANK_ONE_OF_CLASSES = Law("SM301", "the blank is one of the classes")
CACHES_ROW_PER_POSITION = Law("SM301", "the caches have a row per position")
CHOSEN_COLUMNS_IN_INPUT = Law("SM301", "the chosen columns are in the input")
DIAGONALS_IN_MATRIX = Law("SM301", "the diagonals are those of the matrix")
ROWS_BEGIN_AT_0_AND_END_WITH_VALUES = Law("SM301", "the first row begins at 0 and the last ends with the values")
INDEX_INSIDE_AXIS = Law(
    "SM301",
    "the index is inside the axis",
    sides=("the index", "the axis"),
    broken="index {left} is outside an axis of {right}",
)
INDEX_INSIDE_SOURCE = Law("SM301", "the index is inside the source")
SLICE_PER_TRIP = Law("SM301", "the indices are inside the axis: each trip has a slice")
LOWEST_DIAGONAL_BELOW_HIGHEST = Law("SM301", "the lowest diagonal is no higher than the highest")
LOOPED_PART_INSIDE_AXIS = Law("SM301", "the part that a loop goes through is inside the axis")
NODE_MODES_KNOWN = Law("SM502", "the modes of nodes are known ones")
NODES_FORM_TREES = Law("SM301", "from a root, each node is reached once")
TREE_PLACES_INSIDE_LISTS = Law("SM301", "the places in trees are inside the lists")
POSITION_INSIDE_LIST = Law("SM301", "the position is inside the list")
POSITION_INSIDE_SEQUENCE = Law("SM301", "the position is inside the sequence")
POSITIONS_3_BATCH_LENGTH = Law("SM301", "the positions are [3, B, S]")
POSITIONS_ONE_OR_BATCH_LENGTH = Law("SM301", "the positions are one number or [B, S]")
REGION_INSIDE_IMAGE = Law("SM301", "the region is inside the image")
TABLES_ROW_PER_POSITION = Law("SM301", "the tables have a row per position")
SOMETHING_TO_PICK = Law("SM301", "there is something to pick from")
FILE_INDICES_NOT_NEGATIVE = Law("SM301", "before opset 11, indices that are a constant of the file are not negative")
WRITE_INDICES_NOT_NEGATIVE = Law("SM301", "write indices are not negative")
WRITES_END_INSIDE_CACHE = Law("SM301", "writes end inside the cache")
BOX_IN_IMAGE_OF_BATCH = Law("SM301", "a box lies in an image of the batch")
NUMBERS_ARE_CATEGORIES = Law("SM301", "each number is a category")
VALUES_IN_ROWS = Law("SM301", "each value is in a row")
INDICES_INSIDE_OUTPUT = Law("SM301", "indices are inside the output")
ROWS_END_WHERE_INNER_ROWS_DO = Law("SM301", "rows end where those inside do")
LAST_KEYS_BEHIND_QUERIES = Law("SM301", "behind a past, the keys of a sample are as many as its queries")
NONPAD_KV_SEQLEN_COUNTS_KEYS = Law("SM301", "nonpad_kv_seqlen counts keys that there are")
LAST_KEY_IN_CACHES = Law("SM301", "the last key of a sample is in the caches")
PART_INSIDE_IMAGE = Law("SM301", "the part is inside the image")
WORDS_AND_SEGMENTS_IN_TABLES = Law("SM301", "words and segments are in their tables")

DEPTH_AT_LEAST_1 = Law("SM305", "depth is at least 1")
K_AT_MOST_AXIS = Law("SM305", "k is no more than the size of the axis", sides=("k", "the axis"))
K_NOT_NEGATIVE = Law("SM305", "k is not negative")
BOX_COUNT_NOT_NEGATIVE = Law("SM305", "the number of boxes isn't negative")
N_INSIDE_LAST_AXIS = Law("SM305", "n is inside the last axis")

INDEX_TUPLE_AT_MOST = Law("SM306", "an index tuple has {most} numbers at most")
INDEX_TUPLE_WITHIN_INDEXED_RANK = Law("SM306", "an index tuple is no longer than the rank it indexes")
INDEX_TUPLE_AXES_LEFT_BY_UPDATES = Law(
    "SM306", "an index tuple names 0 to {rank} axes, not the {depth} that updates leave"
)
INDEX_TUPLE_PLACE_ON_EACH_AXIS = Law("SM306", "an index tuple names a place on each axis")
INDEX_TUPLE_AXES_OF_UPDATES = Law("SM306", "an index tuple names the axes that updates leave out")
INDEX_TUPLES_SPLIT_INTO_BATCHES = Law("SM306", "the index tuples split evenly into the batches of the data")
UPDATE_PER_INDEX_TUPLE = Law("SM306", "there is an update for each index tuple, of the shape of what it replaces")

RANGE_ENDS_NO_LOWER = Law("SM307", "a range ends no lower than it begins")
DELTA_NOT_0 = Law("SM307", "delta is not 0")
LIMIT_IN_STEP_DIRECTION = Law("SM307", "the limit is in the direction of the step")
RANGE_ENDS_FINITE = Law("SM307", "a range has finite ends")
STEP_AT_LEAST_1 = Law("SM307", "the step is at least 1")
STEP_NOT_0 = Law("SM307", "the step is not 0")
AXES_AS_MANY_AS_STARTS = Law("SM307", "there are as many axes as starts")
ENDS_AS_MANY_AS_STARTS = Law("SM307", "there are as many ends as starts")
ENDS_AXES_STEPS_AS_MANY_AS_STARTS = Law("SM307", "there are as many ends, axes and steps as starts")

ELLIPSIS_SAME_AXES_EVERYWHERE = Law("SM308", "an ellipsis stands for the same number of axes everywhere")
EQUATION_LETTER_ONE_SIZE = Law("SM308", "each letter of the equation is one size, '{letter}' too")
EQUATION_TERM_PER_INPUT = Law("SM308", "the equation has a term for each input")
EQUATION_TERM_PER_ONE_OR_TWO_INPUTS = Law("SM308", "the equation has a term for each of one input or two")
EQUATION_ONE_ARROW = Law("SM308", "the equation has one '->'")
OUTPUT_ELLIPSIS_AS_INPUTS = Law("SM308", "the output has an ellipsis as the inputs do")
OUTPUT_ELLIPSIS_WHERE_INPUTS_HAVE_AXES = Law("SM308", "the output has an ellipsis where the inputs have axes for it")
OUTPUT_LETTERS_ONCE = Law("SM308", "the output names each letter once")
OUTPUT_LETTERS_AMONG_INPUTS = Law("SM308", "the output's letters are among the inputs'")
EQUATION_TERM_AXES = Law("SM308", "the term '{term}' has {rank} axes")
EQUATION_TERM_LETTER_PER_AXIS = Law("SM308", "the term '{term}' has a letter for each of {rank} axes")
ONE_ELLIPSIS_AT_MOST = Law("SM308", "there is one ellipsis at most")
INDICES_NO_LARGER_THAN_SOURCE = Law("SM301", "indices are no larger than the source")
K_POSITIVE = Law("SM305", "k is positive")
