"""Laws of TensorFlow's interface for shape functions, in TensorFlow's words; users' rules state them."""

from __future__ import annotations

from shapesmt.laws.law import OWN, Law

DIMENSION_IS = Law(OWN, "Dimension must be {size} but is {dim}")
DIMENSIONS_EQUAL = Law(OWN, "Dimensions must be equal, but are {left} and {right}")
DIMENSION_NOT_NEGATIVE = Law(OWN, "Negative dimension size caused by subtracting {right} from {left}")
DIMENSION_EVENLY_DIVISIBLE = Law(OWN, "Dimension size must be evenly divisible by {divisor} but is {dim}")
DIMENSION_IN_64_BITS = Law("SM404", "Dimension size overflow from {operation} {left} and {right}")
DIVISOR_POSITIVE = Law(OWN, "Divisor must be positive but is {divisor}")
DIMENSION_INDEX_IN_RANGE = Law(OWN, "Out of range dim index {index} for shape with {rank} dimensions")
REPLACED_INDEX_IN_RANGE = Law(OWN, "Out of range dim_index {index} for shape with {rank} dimensions")
SCALAR_SIZE_NOT_NEGATIVE = Law(OWN, "Dimension size, given by scalar input {index}, must be non-negative but is {size}")
SCALAR_AXIS_IN_RANGE = Law(OWN, "Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})")
SHAPE_DIMENSION_MINUS_1_OR_MORE = Law(OWN, "Shape has dimension {dim}: a size is -1 or more")

SHAPE_RANK = Law(OWN, "Shape must be rank {expected} but is rank {rank}")
SHAPE_RANK_AT_LEAST = Law(OWN, "Shape must be at least rank {least} but is rank {rank}")
SHAPE_RANK_AT_MOST = Law(OWN, "Shape must be at most rank {most} but is rank {rank}")
UNKNOWN_SHAPE_RANK = Law(OWN, "Shape must be rank {expected}")
UNKNOWN_SHAPE_RANK_AT_LEAST = Law(OWN, "Shape must be at least rank {least}")
UNKNOWN_SHAPE_RANK_AT_MOST = Law(OWN, "Shape must be at most rank {most}")
SHAPES_EQUAL_RANK = Law(OWN, "Shapes must be equal rank, but are {left} and {right}")
UNKNOWN_SHAPES_EQUAL_RANK = Law(OWN, "Shapes must be equal rank")
TENSORS_ONE_RANK = Law("SM303", "the tensors have one rank, not {rank} and {other}")
SHAPES_EQUAL = Law(
    OWN, "Dimension {axis} in both shapes must be equal, but are {left} and {right}. Shapes are {first} and {second}."
)
SUBSHAPE_IN_BOUNDS = Law(OWN, "Subshape {end} out of bounds: {index}, for shape with rank {rank}")
SUBSHAPE_START_BEFORE_END = Law(OWN, "Subshape must have computed start <= end, but is {start} and {end}")
UNKNOWN_SHAPE_WITHOUT_DIMENSIONS = Law(OWN, "An unknown shape must not have any dimensions set.")

OUTPUT_INDEX_IN_RANGE = Law(OWN, "output {index} is one of {count}")
INPUT_INDEX_IN_RANGE = Law(OWN, "input {index} is one of {count}")
OUTPUT_SHAPE_COUNT = Law("SM401", "output '{name}' has {expected} shapes, not {count}")
NAME_KNOWN = Law(OWN, "Unknown {kind} name: {name}")
ATTRIBUTE_IN_NODE = Law(OWN, "No attr named '{name}' in the node")
INPUT_COUNT = Law("SM405", "Wrong number of inputs passed: {count} while {expected} expected")
HANDLE_SHAPES_PER_INPUT = Law("SM405", "there are handle shapes for each input")
SCALAR_INPUT_INTEGER = Law(OWN, "Scalar input must be int32 or int64.")
INPUT_IS_SCALAR = Law(OWN, "Input must be scalar")
ELEMENT_INDEX_IN_RANGE = Law(OWN, "Index must be less than {count}")
INPUT_TENSOR_INTEGER = Law(OWN, "Input tensor must be int32 or int64, but was {dtype}")
SHAPE_TENSOR_RANK_1 = Law(
    OWN,
    "Input tensor must be rank 1, or if its rank is 0 it must have value -1 (an unknown shape). Saw value: {value}",
)
