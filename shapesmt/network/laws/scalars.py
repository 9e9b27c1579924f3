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
NUM_HEADS_NOT_NEGATIVE = SM309.law("attribute 'num_heads' is not negative")
STRIDES_NOT_NEGATIVE = SM309.law("strides are not negative")
REPEATS_NOT_NEGATIVE = SM309.law("repeats are not negative")
SIZES_NOT_NEGATIVE = SM309.law("sizes are not negative")
LENGTH_NOT_NEGATIVE = SM309.law("the length isn't negative")
BOX_COUNT_NOT_NEGATIVE = SM309.law("the number of boxes isn't negative")
SEGMENT_COUNT_NOT_NEGATIVE = SM309.law("the number of segments isn't negative")
PARAMETER_POSITIVE = SM309.law("{name} is positive")
NAMED_ATTRIBUTE_NOT_NEGATIVE = SM309.law("attribute '{name}' is not negative")
SIZE_NOT_NEGATIVE = SM309.law("the size isn't negative")

SM401 = Code(
    "SM401", "how many numbers",
    "An input that is one number has one element; one that lists numbers has as many as the node needs.",
    "Pass a scalar, or reduce, gather or squeeze to one element beforehand.",
    "g (int64[n] limit) => (int64[a] y)\n<int64 zero = {0}, int64 one = {1}>\n{ y = Range (zero, limit, one) }",
)  # fmt: skip
ATTRIBUTE_ONE_OF_TEXTS = SM401.law("'{name}' is {values}, not '{value}'")
LIMIT_SINGLE_NUMBER = SM401.law("a limit is a single number")
SEED_TWO_NUMBERS = SM401.law("a seed is two numbers")
K_ONE_NUMBER = SM401.law("k is one number")
AXIS_ONE_NUMBER = SM401.law("the axis is one number")
TENSOR_ONE_ELEMENT = SM401.law("the tensor has one element")
INDEX_ONE_NUMBER = SM401.law("the index is one number")
SIZE_HEIGHT_WIDTH = SM401.law("the size is [height, width]")
FIXED_NUMBER_OF = SM401.law("there are {expected} {what}, not another number")
VECTORS_3_ELEMENTS = SM401.law("vectors have 3 elements")

SM404 = Code(
    "SM404", "integer arithmetic",
    "An integer isn't divided by zero, no result needs more than 64 bits, and a Tile's output no more than 4 GiB.",
    "Declare a dimension that divides from 1 on, or keep the divisor at least 1 by Max; narrow what overflows.",
    "g (float[n] x) => (int64[1] y)\n<int64[1] four = {4}>\n{ n = Shape (x)\n  y = Div (four, n) }",
    dims={"n": "0..4"},
)  # fmt: skip
IN_64_BITS = SM404.law("{what} doesn't overflow 64 bits")
OUTPUT_IN_4_GIB = SM404.law("the output takes 4 GiB at most, as do each axis and those before an empty one")
NOT_DIVIDED_BY_ZERO = SM404.law(
    "an integer isn't divided by zero", sides=("the divisor", ""), broken="the divisor is {left}"
)
