"""Laws of TensorFlow's interface for shape functions, in TensorFlow's words; users' rules state them."""

from __future__ import annotations

from shapesmt.network.laws.indexing import SM303
from shapesmt.network.laws.law import Code
from shapesmt.network.laws.presence import SM405
from shapesmt.network.laws.scalars import SM401, SM404

SM199 = Code(
    "SM199", "the operator's own law",
    "A condition of an operator with a rule of your own, which the report states in words. A law that begins with "
    "a code (\"ACME7: the last size splits into blocks of 3\") has that one instead.",
    "Read the operator's documentation next to the two sides that the report shows.",
)  # fmt: skip
DIMENSION_IS = SM199.law("Dimension must be {size} but is {dim}")
DIMENSIONS_EQUAL = SM199.law("Dimensions must be equal, but are {left} and {right}")
DIMENSION_NOT_NEGATIVE = SM199.law("Negative dimension size caused by subtracting {right} from {left}")
DIMENSION_EVENLY_DIVISIBLE = SM199.law("Dimension size must be evenly divisible by {divisor} but is {dim}")
DIMENSION_IN_64_BITS = SM404.law("Dimension size overflow from {operation} {left} and {right}")
DIVISOR_POSITIVE = SM199.law("Divisor must be positive but is {divisor}")
DIMENSION_INDEX_IN_RANGE = SM199.law("Out of range dim index {index} for shape with {rank} dimensions")
REPLACED_INDEX_IN_RANGE = SM199.law("Out of range dim_index {index} for shape with {rank} dimensions")
SCALAR_SIZE_NOT_NEGATIVE = SM199.law(
    "Dimension size, given by scalar input {index}, must be non-negative but is {size}"
)
SCALAR_AXIS_IN_RANGE = SM199.law("Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})")
SHAPE_DIMENSION_MINUS_1_OR_MORE = SM199.law("Shape has dimension {dim}: a size is -1 or more")

SHAPE_RANK = SM199.law("Shape must be rank {expected} but is rank {rank}")
SHAPE_RANK_AT_LEAST = SM199.law("Shape must be at least rank {least} but is rank {rank}")
SHAPE_RANK_AT_MOST = SM199.law("Shape must be at most rank {most} but is rank {rank}")
UNKNOWN_SHAPE_RANK = SM199.law("Shape must be rank {expected}")
UNKNOWN_SHAPE_RANK_AT_LEAST = SM199.law("Shape must be at least rank {least}")
UNKNOWN_SHAPE_RANK_AT_MOST = SM199.law("Shape must be at most rank {most}")
SHAPES_EQUAL_RANK = SM199.law("Shapes must be equal rank, but are {left} and {right}")
UNKNOWN_SHAPES_EQUAL_RANK = SM199.law("Shapes must be equal rank")
TENSORS_ONE_RANK = SM303.law("the tensors have one rank, not {rank} and {other}")
SHAPES_EQUAL = SM199.law(
    "Dimension {axis} in both shapes must be equal, but are {left} and {right}. Shapes are {first} and {second}."
)
SUBSHAPE_IN_BOUNDS = SM199.law("Subshape {end} out of bounds: {index}, for shape with rank {rank}")
SUBSHAPE_START_BEFORE_END = SM199.law("Subshape must have computed start <= end, but is {start} and {end}")
UNKNOWN_SHAPE_WITHOUT_DIMENSIONS = SM199.law("An unknown shape must not have any dimensions set.")

OUTPUT_INDEX_IN_RANGE = SM199.law("output {index} is one of {count}")
INPUT_INDEX_IN_RANGE = SM199.law("input {index} is one of {count}")
OUTPUT_SHAPE_COUNT = SM401.law("output '{name}' has {expected} shapes, not {count}")
NAME_KNOWN = SM199.law("Unknown {kind} name: {name}")
ATTRIBUTE_IN_NODE = SM199.law("No attr named '{name}' in the node")
INPUT_COUNT = SM405.law("Wrong number of inputs passed: {count} while {expected} expected")
HANDLE_SHAPES_PER_INPUT = SM405.law("there are handle shapes for each input")
SCALAR_INPUT_INTEGER = SM199.law("Scalar input must be int32 or int64.")
INPUT_IS_SCALAR = SM199.law("Input must be scalar")
ELEMENT_INDEX_IN_RANGE = SM199.law("Index must be less than {count}")
INPUT_TENSOR_INTEGER = SM199.law("Input tensor must be int32 or int64, but was {dtype}")
SHAPE_TENSOR_RANK_1 = SM199.law(
    "Input tensor must be rank 1, or if its rank is 0 it must have value -1 (an unknown shape). Saw value: {value}",
)
