"""Laws of elements and inputs that must be present, and of inputs that must be given together."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM204 = Code(
    "SM204", "empty",
    "There is something to work on: the axis, the batch or the list isn't empty.",
    "Declare the dimension from 1 on, as it is by default, or keep what may select nothing from reaching the node.",
    "g (float[n, c] x) => (int64[1, c] y) { y = ArgMax <axis = 0> (x) }",
    dims={"n": "0..4"},
)  # fmt: skip
FRAME_NOT_EMPTY = SM204.law("a frame isn't empty")
ROW_HAS_ELEMENT = SM204.law("a row has an element")
HEIGHT_AND_WIDTH_POSITIVE = SM204.law("height and width are positive")
ONLY_BATCH_EMPTY = SM204.law("no axis but the batch is empty")
QUERIES_KEYS_VALUES_NOT_EMPTY = SM204.law("queries, keys and values are not empty")
EXTREME_AXIS_HAS_ELEMENT = SM204.law("the axis of an extreme has an element")
BATCH_NOT_EMPTY = SM204.law("the batch isn't empty")
FILTERS_NOT_EMPTY = SM204.law("the filters aren't empty")
GRID_NOT_EMPTY = SM204.law("the grid isn't empty")
HEADS_HAVE_FEATURES = SM204.law("the heads have features")
IMAGE_NOT_EMPTY = SM204.law("the image isn't empty")
INPUT_NOT_EMPTY = SM204.law("the input isn't empty")
LENGTH_POSITIVE = SM204.law("the length is positive")
OUTPUT_NOT_EMPTY = SM204.law("the output isn't empty")
SEQUENCE_NOT_EMPTY = SM204.law("the sequence isn't empty")
SIGNAL_NOT_EMPTY = SM204.law("the signal isn't empty")
VECTORS_NOT_EMPTY = SM204.law("the vectors aren't empty")
WINDOW_HAS_POSITION = SM204.law("the window has a position")
A_HIDDEN_FEATURE = SM204.law("there is a hidden feature")
A_STEP = SM204.law("there is a step")
IMAGE_INDEX_PER_BOX = SM204.law("there is an image's index per box")
A_CLASS = SM204.law("there is at least one class")
A_CLASS_TO_DRAW = SM204.law("there is at least one class to draw")
ONLY_COMPARED_AXIS_EMPTY = SM204.law("no axis but the one of the slices that are compared is empty")
A_GROUP = SM204.law("there is at least one group, not {groups}")
AT_LEAST_ONE_HEAD = SM204.law("there is at least one head")
A_NUMBER = SM204.law("there is at least one number")
A_PART = SM204.law("there is at least one part")
A_ROW = SM204.law("there is at least one row")
A_ROW_TO_DRAW_FOR = SM204.law("there is at least one row to draw for")
A_SLICE = SM204.law("there is at least one slice")
NORMALIZED_HAS_ELEMENT = SM204.law("what is normalized has an element")

SM405 = Code(
    "SM405", "inputs given together",
    "Required inputs are given, and those that belong together come together.",
    "Connect the missing input, or drop its partner.",
    "g (float[n, 4] x) => (float[n, 4] y) { y = MatMul (x) }",
)  # fmt: skip
NAMED_INPUT_GIVEN = SM405.law("input '{name}' is given")
INPUT_GIVEN = SM405.law("input {index} is given")
PRESENT_WITH_PAST = SM405.law("with a past, the keys so far are an output")
SHARED_BUFFER_WITH_CACHES = SM405.law("caches share one buffer with the past")
KEYS_AND_VALUES_TOGETHER = SM405.law("keys and values come together")
PAST_KEYS_AND_VALUES_TOGETHER = SM405.law("past keys and values come together")
