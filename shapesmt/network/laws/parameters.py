"""Laws of parameters: biases, scales and means, scales and zero points, weights of recurrent layers."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM108 = Code(
    "SM108", "parameters",
    "Biases, scales and means have the length that the weights or the normalized axis have.",
    "The parameters belong to another layer, or the axis isn't the one that they are made for: compare their "
    "length with the input's channels.",
    "g (float[n, c, 8] x, float[4] scale, float[4] b, float[4] mean, float[4] var) => (float[n, c, 8] y)\n"
    "{ y = BatchNormalization (x, scale, b, mean, var) }",
    dims={"c": "2..4"},
)  # fmt: skip
NORM_SCALE_PER_HEAD_ELEMENT = SM108.law("a norm's scale is as long as a head")
BIAS_PER_CHANNEL = SM108.law("the bias has one element per channel")
BIAS_PER_COLUMN = SM108.law("the bias has one element per column")
BIAS_PER_FILTER = SM108.law("the bias has one element per filter")
BIAS_PER_LAST_AXIS_POSITION = SM108.law("the bias has one element per position of the last axis")
BIAS_GATES_CELLS = SM108.law("the bias is [gates * cells]")
BIAS_AS_LONG_AS_QUERIES_KEYS_VALUES = SM108.law("the bias is as long as queries, keys and values")
BIAS_AS_LONG_AS_WEIGHTS = SM108.law("the bias is as long as the weights are wide")
PARAMETERS_PER_CHANNEL = SM108.law("the parameters have one element per channel")
PARAMETERS_PER_HIDDEN_FEATURE = SM108.law("the parameters have one element per hidden feature")
WEIGHT_PER_TARGET_AND_FEATURE = SM108.law("there is a weight per target and feature")
OFFSET_AND_SCALE_PER_FEATURE_OR_ALL = SM108.law("there is an offset and a scale for each feature, or for all")
WEIGHT_PER_CLASS = SM108.law("there is one weight per class")

SM109 = Code(
    "SM109", "quantization parameters",
    "Scales and zero points are single numbers, one per position of an axis, or one per block of it.",
    "Quantize again with the granularity that the operator takes, and check the axis attribute.",
    "g (float[n, 8] x, float[4] scale) => (uint8[n, 8] y) { y = QuantizeLinear <axis = 1> (x, scale) }",
)  # fmt: skip
SCALES_AND_ZERO_POINTS_ONE_NUMBER_EACH = SM109.law("scales and zero points are one number each")
FIRST_OPERAND_HAS_ONE_SCALE_AND_ZERO_POINT = SM109.law("the first operand has one scale and zero point")
OUTPUT_HAS_ONE_SCALE_AND_ZERO_POINT = SM109.law("the output has one scale and zero point")
SCALE_AND_ZERO_POINT_PER_AXIS_BLOCK = SM109.law("there is one scale and zero point per block of the axis")
ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN = SM109.law("there is one scale and zero point, or one per column")
ONE_SCALE_AND_ZERO_POINT_OR_PER_POSITION = SM109.law(
    "there is one scale and zero point, or one per position of the axis"
)
ONE_ZERO_POINT_OR_PER_FILTER = SM109.law("there is one zero point, or one per filter")

SM117 = Code(
    "SM117", "recurrent weights",
    "The weights of a recurrent layer are `[directions, gates * hidden, ...]`.",
    "Compare hidden_size and direction with the weights, and the input's last axis with theirs.",
    "g (float[t, b, i] x, float[1, 32, 16] w, float[1, 32, 8] r) => (float[t, 1, b, 8] y)\n"
    "{ y = LSTM <hidden_size = 8> (x, w, r) }",
    dims={"i": "8..16:8"},
)  # fmt: skip
B_DIRECTIONS_2_GATES_HIDDEN = SM117.law("B is [directions, 2*gates*hidden]")
B_DIRECTIONS_8_HIDDEN = SM117.law("B is [directions, 8*hidden]")
P_DIRECTIONS_3_HIDDEN = SM117.law("P is [directions, 3*hidden]")
R_DIRECTIONS_GATES_HIDDEN_HIDDEN = SM117.law("R is [directions, gates*hidden, hidden]")
W_DIRECTIONS_GATES_HIDDEN_INPUT = SM117.law("W is [directions, gates*hidden, input]")
STATE_BATCH_HIDDEN = SM117.law("an initial state is [batch, hidden]")
STATE_DIRECTIONS_BATCH_HIDDEN = SM117.law("an initial state is [directions, batch, hidden]")
