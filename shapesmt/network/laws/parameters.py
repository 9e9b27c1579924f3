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
SUPPORT_VECTOR_HAS_ALL_FEATURES = SM108.law("a support vector has every feature")
BIAS_AND_SCALE_PER_HEAD = SM108.law("bias and scale have one element per head")
NORM_SCALES_PER_HEAD_ELEMENT = SM108.law("both norms' scales are as long as a head")
MEAN_AND_VARIANCE_PER_CHANNEL = SM108.law("mean and variance have one element per channel")
MEAN_VARIANCE_OFFSET_FACTOR_PER_CHANNEL = SM108.law("mean, variance, offset and factor have one element per channel")
SCALE_AND_OFFSET_PER_CHANNEL = SM108.law("scale and offset have one element per channel")
BIAS_PER_CHANNEL = SM108.law("the bias has one element per channel")
BIAS_PER_COLUMN = SM108.law("the bias has one element per column")
BIAS_PER_FILTER = SM108.law("the bias has one element per filter")
BIAS_PER_LAST_AXIS_POSITION = SM108.law("the bias has one element per position of the last axis")
BIAS_1_HEADS_LENGTHS = SM108.law("the bias is [1, N, S, S]")
BIAS_4_CELLS = SM108.law("the bias is [4 * cells]")
BIAS_GATES_CELLS = SM108.law("the bias is [gates * cells]")
BIAS_AS_LONG_AS_ALL_WEIGHTS = SM108.law("the bias is as long as all weights are wide")
BIAS_AS_LONG_AS_QUERIES_KEYS_VALUES = SM108.law("the bias is as long as queries, keys and values")
BIAS_AS_LONG_AS_WEIGHTS = SM108.law("the bias is as long as the weights are wide")
BLOCK_OUTPUT_SIZED_AS_BRANCH = SM108.law("the block's output has the size of a branch")
CONDITION_PER_ROW = SM108.law("the condition has one element per row")
GATE_BIAS_AS_LONG_AS_WEIGHTS = SM108.law("the gate's bias is as long as its weights are wide")
MIX_SQUARE_IN_CHANNELS = SM108.law("the mix is [..., C, C]")
NORM_SCALE_HAS_K_ELEMENTS = SM108.law("the norm's scale has K elements")
VALUE_PER_CHANNEL = SM108.law("scales and zero points have one element per channel")
PARAMETERS_PER_CHANNEL = SM108.law("the parameters have one element per channel")
PARAMETERS_PER_GROUP = SM108.law("the parameters have one element per group")
PARAMETERS_PER_HIDDEN_FEATURE = SM108.law("the parameters have one element per hidden feature")
QUERY_BIAS_AS_LONG_AS_QUERIES = SM108.law("the queries' bias is as long as they are wide")
SCALE_PER_CHANNEL_AND_HEAD_OR_HEAD = SM108.law("the scale is [C * H], [C, H] or [H]")
SCALES_PER_CHANNEL_AND_HEAD = SM108.law("the scales are [C, H]")
BIAS_PER_EXPERT_AND_OUTPUT = SM108.law("there is a bias for each expert and output")
GATE_PER_BRANCH_OR_FEATURE = SM108.law("there is a gate per branch, or per feature of each")
WEIGHT_PER_CLASS_AND_FEATURE = SM108.law("there is a weight per class and feature")
WEIGHT_PER_FEATURE = SM108.law("there is a weight per feature")
WEIGHT_PER_TARGET_AND_FEATURE = SM108.law("there is a weight per target and feature")
OFFSET_AND_SCALE_PER_FEATURE_OR_ALL = SM108.law("there is an offset and a scale for each feature, or for all")
ELEMENT_PER_FILTER = SM108.law("there is one element per filter")
WEIGHT_PER_CLASS = SM108.law("there is one weight per class")
TREES_LOOK_AT_INPUT_FEATURES = SM108.law("trees look at features of the input")

SM109 = Code(
    "SM109", "quantization parameters",
    "Scales and zero points are single numbers, one per position of an axis, or one per block of it.",
    "Quantize again with the granularity that the operator takes, and check the axis attribute.",
    "g (float[n, 8] x, float[4] scale) => (uint8[n, 8] y) { y = QuantizeLinear <axis = 1> (x, scale) }",
)  # fmt: skip
PACKED_BYTES_QUANTIZED_ALONG_LAST_AXIS = SM109.law("bytes that hold several numbers are quantized along the last axis")
DATA_AND_SCALES_ONE_RANK = SM109.law("data and scales have one rank")
JOINED_HAVE_SCALE_AND_ZERO_POINT = SM109.law("each joined tensor comes with a scale and a zero point")
SETTING_SINGLE = SM109.law("each setting is one text or number")
EACH_SCALE_ONE_NUMBER = SM109.law("each scale is one number")
MIN_FIRST_HAS_ONE_RANGE = SM109.law("mode MIN_FIRST has one range")
SCALES_AND_ZERO_POINTS_ONE_NUMBER_EACH = SM109.law("scales and zero points are one number each")
SCALES_AND_ZERO_POINTS_SCALARS = SM109.law("scales and zero points are scalars")
SCALES_AND_ZERO_POINTS_NOT_EMPTY = SM109.law("scales and zero points have one element or more")
HIDDEN_FEATURES_FILL_BYTES = SM109.law("the hidden features fill the bytes that hold them")
FIRST_OPERAND_HAS_ONE_SCALE_AND_ZERO_POINT = SM109.law("the first operand has one scale and zero point")
OUTPUT_HAS_ONE_SCALE_AND_ZERO_POINT = SM109.law("the output has one scale and zero point")
SCALE_ONE_NUMBER = SM109.law("the scale is one number")
SCALES_PER_COLUMN_AND_BLOCK = SM109.law("the scales are [N, blocks of K]")
WEIGHTS_OF_PACKED_SIZE = SM109.law("the weights have as many bytes as blocks of 32 of each column take")
WEIGHTS_TWO_TO_A_BYTE = SM109.law("the weights are two to a byte")
SCALE_AND_ZERO_POINT_PER_DIRECTION_OR_COLUMN = SM109.law(
    "there is a scale and zero point per direction, or per column of each"
)
SCALE_PER_EXPERT_ROW_OR_BLOCK = SM109.law("there is a scale per row or block of an expert's weights")
ONE_RANGE_OR_PER_SLICE = SM109.law("there is one range, or one for each slice")
ONE_RANGE_OR_PER_CHANNEL = SM109.law("there is one range, or one per channel")
SCALE_AND_ZERO_POINT_PER_AXIS_BLOCK = SM109.law("there is one scale and zero point per block of the axis")
VECTOR_NOT_ONE_BLOCK = SM109.law("a vector isn't one block")
ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN = SM109.law("there is one scale and zero point, or one per column")
SCALE_AND_ZERO_POINT_SAME_SHAPE = SM109.law("the scale and the zero point have one shape")
ONE_SCALE_AND_ZERO_POINT_OR_PER_FILTER = SM109.law("there is one scale and zero point, or one per filter")
ONE_SCALE_AND_ZERO_POINT_OR_PER_POSITION = SM109.law(
    "there is one scale and zero point, or one per position of the axis"
)
SCALE_PER_BLOCK = SM109.law("there is one scale per block")
SCALE_PER_QUANTIZED_AXIS_BLOCK = SM109.law("there is one scale per block of the quantized axis")
ONE_SCALE_OR_PER_COLUMN = SM109.law("there is one scale, or one per column")
ZERO_POINT_PER_BLOCK = SM109.law("there is one zero point per block")
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
B_DIRECTIONS_GATES_HIDDEN = SM117.law("B is [directions, gates*hidden]")
B_GATES_HIDDEN = SM117.law("B is [gates*hidden]")
P_DIRECTIONS_3_HIDDEN = SM117.law("P is [directions, 3*hidden]")
AW_DIRECTIONS_FEATURES_HIDDEN_ATTENDED = SM117.law("AW is [directions, features + hidden, attended]")
MEMORY_HAS_BATCH = SM117.law("the memory has the input's batch")
MEMORY_LENGTH_PER_SAMPLE = SM117.law("there is a length of the memory per sample")
MEMORY_NOT_EMPTY = SM117.law("the memory has a step")
MEMORY_LENGTHS_INSIDE_MEMORY = SM117.law("the memory's lengths are positive and inside the memory")
MW_DIRECTIONS_FEATURES_WIDTH = SM117.law("MW is [directions, features, width]")
QW_DIRECTIONS_HIDDEN_WIDTH = SM117.law("QW is [directions, hidden, width]")
V_DIRECTIONS_WIDTH = SM117.law("V is [directions, width]")
W_DIRECTIONS_4_HIDDEN_INPUT_AND_ATTENDED = SM117.law("W is [directions, 4*hidden, input + attended]")
R_DIRECTIONS_4_HIDDEN_HIDDEN = SM117.law("R is [directions, 4*hidden, hidden]")
R_DIRECTIONS_GATES_HIDDEN_HIDDEN = SM117.law("R is [directions, gates*hidden, hidden]")
R_DIRECTIONS_HIDDEN_4_HIDDEN = SM117.law("R is [directions, hidden, 4*hidden]")
R_GATES_HIDDEN_HIDDEN = SM117.law("R is [gates*hidden, hidden]")
W_DIRECTIONS_GATES_HIDDEN_INPUT = SM117.law("W is [directions, gates*hidden, input]")
W_DIRECTIONS_INPUT_4_HIDDEN = SM117.law("W is [directions, input, 4*hidden]")
W_GATES_HIDDEN_INPUT = SM117.law("W is [gates*hidden, input]")
PEEPHOLE_CELLS = SM117.law("a peephole is [cells]")
STATE_BATCH_CELLS = SM117.law("an initial state is [batch, cells]")
STATE_BATCH_DIRECTIONS_HIDDEN = SM117.law("an initial state is [batch, directions, hidden]")
STATE_BATCH_HIDDEN = SM117.law("an initial state is [batch, hidden]")
STATE_DIRECTIONS_BATCH_HIDDEN = SM117.law("an initial state is [directions, batch, hidden]")
WEIGHTS_INPUT_CELLS_4_CELLS = SM117.law("the weights are [input + cells, 4 * cells]")
WEIGHTS_INPUT_CELLS_GATES_CELLS = SM117.law("the weights are [input + cells, gates * cells]")
PARAMETERS_SHAPED_AS_NORMALIZED = SM108.law("the last axes and the parameters have the sizes that are normalized")
LENGTH_PER_WEIGHT_VECTOR = SM108.law("there is a length for each vector of weights")
WEIGHTS_GATES_INPUT = SM117.law("the weights of the input are [gates*hidden, input]")
WEIGHTS_GATES_STATE = SM117.law("the weights of the state are [gates*hidden, state]")
PROJECTION_STATE_CELLS = SM117.law("a projection is [state, hidden]")
WEIGHTS_FOR_EACH_LAYER = SM117.law("there are weights for each layer and direction")
