"""Calls that break one law each, of control flow, sequences and texts."""

from __future__ import annotations

from functools import partial

from tests.oracle.onnx_calls import graph, k, op, x
from tests.support import laws

ms = partial(op, domain="com.microsoft", version=1)

ROWS = [
    (laws.CONDITION_ONE_ELEMENT,
     graph("(bool[2] c) => (float[1] y) { y = If <then_branch = t () => (float[1] a) { a = Constant <value_floats = "
           "[1.0]> () }, else_branch = e () => (float[1] b) { b = Constant <value_floats = [2.0]> () }> (c) }")),
    (laws.BODY_TAKES_TRIP_CONDITION_CARRIED,
     graph("(int64 n, bool c, float[2] x) => (float[2] y) { y = Loop <body = b (int64 i, bool k) => (bool l, "
           "float[2] w) { l = Identity (k) w = Constant <value_floats = [1.0, 2.0]> () }> (n, c, x) }")),
    (laws.BODY_MAKES_CONDITION_AND_CARRIED,
     graph("(int64 n, bool c, float[2] x) => (float[2] y) { y = Loop <body = b (int64 i, bool k, float[2] v) => "
           "(bool l) { l = Identity (k) }> (n, c, x) }")),
    (laws.CONDITION_ONE_ELEMENT,
     graph("(int64 n, bool[2] c, float[2] x) => (float[2] y) { y = Loop <body = b (int64 i, bool k, float[2] v) => "
           "(bool l, float[2] w) { l = Identity (k) w = Identity (v) }> (n, c, x) }")),
    (laws.TRIP_COUNT_SINGLE_NUMBER,
     graph("(int64[2] n, bool c, float[2] x) => (float[2] y) { y = Loop <body = b (int64 i, bool k, float[2] v) => "
           "(bool l, float[2] w) { l = Identity (k) w = Identity (v) }> (n, c, x) }")),
    (laws.SCAN_OUTPUT_AXES_ENTRY_PER_OUTPUT,
     graph("(float[3, 2] x) => (float[3, 2] y) { y = Scan <num_scan_inputs = 1, scan_output_axes = [0, 0], body = b "
           "(float[2] v) => (float[2] w) { w = Exp (v) }> (x) }")),
    (laws.SCAN_DIRECTIONS_0_OR_1,
     graph("(float[3, 2] x) => (float[3, 2] y) { y = Scan <num_scan_inputs = 1, scan_input_directions = [2], body = "
           "b (float[2] v) => (float[2] w) { w = Exp (v) }> (x) }")),
    (laws.BATCH_NOT_EMPTY,
     graph("(float[0, 2] s, float[0, 3, 2] x) => (float[0, 2] y) { y = Scan <num_scan_inputs = 1, body = b "
           "(float[2] u, float[2] v) => (float[2] w) { w = Add (v, u) }> (, s, x) }", version=8)),
    (laws.LENGTH_PER_SAMPLE,
     graph("(int64[3] n, float[2, 2] s, float[2, 3, 2] x) => (float[2, 2] y) { y = Scan <num_scan_inputs = 1, body = b "
           "(float[2] u, float[2] v) => (float[2] w) { w = Add (v, u) }> (n, s, x) }", version=8)),
    (laws.LENGTHS_AT_MOST_SEQUENCE,
     graph("(float[2, 2] s, float[2, 3, 2] x) => (float[2, 2] y) <int64[2] n = {0, 3}> { y = Scan <num_scan_inputs = "
           "1, body = b (float[2] u, float[2] v) => (float[2] w) { w = Add (v, u) }> (n, s, x) }", version=8)),
    (laws.SCAN_INPUT_AXES_ENTRY_PER_INPUT,
     graph("(float[3, 2] x) => (float[3, 2] y) { y = Scan <num_scan_inputs = 1, scan_input_axes = [0, 0], body = b "
           "(float[2] v) => (float[2] w) { w = Exp (v) }> (x) }")),
    (laws.INPUTS_SAME_BATCH,
     graph("(float[2, 2] s, float[3, 3, 2] x) => (float[2, 2] y) { y = Scan <num_scan_inputs = 1, body = b "
           "(float[2] u, float[2] v) => (float[2] w) { w = Add (v, u) }> (, s, x) }", version=8)),
    (laws.BODY_TAKES_STATES_AND_SLICES,
     graph("(float[3, 2] x) => (float[3, 2] y) { y = Scan <num_scan_inputs = 1, body = b (float[2] v, float[2] u) "
           "=> (float[2] w) { w = Add (v, u) }> (x) }")),
    (laws.BODY_MAKES_STATES,
     graph("(float[2] s, float[3, 2] x) => (float[2] y) { y = Scan <num_scan_inputs = 1, body = b (float[2] u, "
           "float[2] v) => () { w = Add (v, u) }> (s, x) }")),
    (laws.A_SLICE,
     graph("(float[0, 2] x) => (float[0, 2] y) { y = Scan <num_scan_inputs = 1, body = b (float[2] v) => (float[2] "
           "w) { w = Exp (v) }> (x) }")),
    (laws.SCAN_INPUTS_SAME_LENGTH,
     graph("(float[3, 2] x, float[4, 2] z) => (float[3, 2] y) { y = Scan <num_scan_inputs = 2, body = b (float[2] "
           "v, float[2] u) => (float[2] w) { w = Add (v, u) }> (x, z) }")),
    (laws.STATE_KEEPS_SHAPE,
     graph("(float[2] s, float[3, 2] x) => (float[a] y) { y = Scan <num_scan_inputs = 1, body = b (float[c] u, "
           "float[2] v) => (float[d] w) { w = Concat <axis = 0> (u, v) }> (s, x) }")),
    (laws.POSITION_INSIDE_SEQUENCE,
     graph("(float[2] x) => (float[2] y) <int64 k = {5}, int64 z = {0}> { s = SequenceConstruct (x, x) r = "
           "SequenceInsert (s, x, k) y = SequenceAt (r, z) }")),
    (laws.SEQUENCE_AND_TENSOR_SAME_TYPE,
     graph("(float[2] x, int64[2] z) => (int64 y) { s = SequenceConstruct (x, x) r = SequenceInsert (s, z) y = "
           "SequenceLength (r) }")),
    (laws.PART_SIZE_IN_32_BITS, op("SplitToSequence", x(0, 2**31), version=11, axis=1)),
    (laws.AXIS_INSIDE_RANK, op("SplitToSequence", x(), k(2), version=11, axis=1)),
    (laws.PART_SIZE_ABOVE_ZERO, op("SplitToSequence", x(3, 6), k(-5), version=11, axis=1)),
    (laws.RANK, op("SplitToSequence", x(3, 6), k([[2]]), version=11, axis=1)),
    (laws.PARTS_OF_SIZE_1_LOSE_AXIS, op("SplitToSequence", x(3, 6), k(2), version=11, axis=1, keepdims=0)),
    (laws.PART_SIZES_NOT_NEGATIVE, op("SplitToSequence", x(3, 6), k([-5, 2]), version=11, axis=0)),
    (laws.PARTS_ADD_UP_TO_AXIS, op("SplitToSequence", x(3, 6), k([]), version=11, axis=0)),
    (laws.SEQUENCE_NOT_EMPTY,
     graph("(float[2] x) => (float[a] y) { s = SequenceEmpty () y = ConcatFromSequence <axis = 0> (s) }")),
    (laws.JOINED_MATCH_OFF_AXIS,
     graph("(float[2, 3] x, float[2, 4] z) => (float[4, a] y) { s = SequenceConstruct (x, z) y = ConcatFromSequence "
           "<axis = 0> (s) }")),
    (laws.BRANCH_TAKES_NO_INPUT,
     graph("(float[2] x, bool c) => (float[2] y) { y = If (c) <then_branch = g1 (float[2] v) => (float[2] a) "
           "{ a = Neg (v) }, else_branch = g2 () => (float[2] b) { b = Abs (x) }> }")),
    (laws.BODY_TAKES_INPUTS,
     graph("(float[2] x) => (int64 y) { s = SequenceConstruct (x, x) r = SequenceMap <body = b (float[2] v, "
           "float[2] u) => (float[2] w) { w = Add (v, u) }> (s) y = SequenceLength (r) }")),
    (laws.NO_SEQUENCE_SHORTER_THAN_FIRST,
     graph("(float[2] x) => (int64 y) { s = SequenceConstruct (x, x) t = SequenceConstruct (x) r = SequenceMap "
           "<body = b (float[2] v, float[2] u) => (float[2] w) { w = Add (v, u) }> (s, t) y = SequenceLength (r) }")),
    (laws.INPUT_OR_TYPE_GIVEN, op("Optional")),
    (laws.BODY_TENSORS_OF_DECLARED_TYPE,
     graph("(int64 n, bool c, float[2] x) => (float[2] y) { y = Loop <body = b (int64 i, bool k, int64[2] v) => "
           "(bool l, int64[2] w) { l = Identity (k) w = Identity (v) }> (n, c, x) }")),
    (laws.TEXTS_SAMPLE_OR_BATCH_OF_1_BY_RANK,
     op("StringNormalizer", x(dtype="object"), version=10, is_case_sensitive=1)),
    (laws.TEXTS_SAMPLE_OR_BATCH_OF_1,
     op("StringNormalizer", x(2, 1, dtype="object"), version=10, is_case_sensitive=1)),
    (laws.A_TEXT, op("StringNormalizer", x(0, dtype="object"), version=10, is_case_sensitive=1)),
    (laws.INPUT_SAMPLE_OR_BATCH,
     op("TfIdfVectorizer", x(dtype="int64"), version=9, max_gram_length=1, max_skip_count=0, min_gram_length=1,
      mode="TF", ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[3, 4])),
    (laws.A_ROW,
     op("TfIdfVectorizer", x(0, 4, dtype="int64"), version=17, max_gram_length=1, max_skip_count=0, min_gram_length=1,
      mode="TF", ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[1, 2])),
    (laws.N_GRAMS_AT_LEAST_MIN_GRAM_LENGTH,
     op("TfIdfVectorizer", x(3, dtype="int64"), version=9, max_gram_length=1, max_skip_count=0, mode="TF",
      ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[3, 4], min_gram_length=2)),
    (laws.WEIGHTS_ENTRY_PER_N_GRAM,
     op("TfIdfVectorizer", x(3, dtype="int64"), version=9, max_gram_length=1, max_skip_count=0, min_gram_length=1,
      mode="TF", ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[3, 4], weights=[0.0])),
    (laws.NGRAM_COUNTS_PER_LENGTH,
     op("TfIdfVectorizer", x(3, dtype="int64"), version=9, max_skip_count=0, min_gram_length=1, mode="TF",
      ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[3, 4], max_gram_length=2)),
    (laws.NGRAM_INDEXES_LIST,
     op("TfIdfVectorizer", x(3, dtype="int64"), version=9, max_gram_length=1, max_skip_count=0, min_gram_length=1,
      mode="TF", ngram_counts=[0], pool_int64s=[3, 4], ngram_indexes=[-5, 1])),
    (laws.N_GRAMS_IN_POOL,
     op("TfIdfVectorizer", x(3, dtype="int64"), version=9, max_gram_length=1, max_skip_count=0, min_gram_length=1,
      mode="TF", ngram_counts=[0], ngram_indexes=[0, 1])),
    (laws.N_GRAMS_DIFFER,
     op("TfIdfVectorizer", x(3, dtype="int64"), version=9, max_gram_length=1, max_skip_count=0, min_gram_length=1,
      mode="TF", ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[3, 3])),
    (laws.SOMETHING_TO_PICK, op("GatherND", x(2, 0), x(2, 1, dtype="int64"), version=13, batch_dims=1)),
    (laws.INDICES_INSIDE_AXIS, op("Gather", x(1), k([0, 1, 3]), version=7, axis=0)),
    (laws.SCALES_AND_ZERO_POINTS_ONE_NUMBER_EACH,
     ms("QLinearSigmoid", k(1, "uint8"), k([[1.0]], "float32"), k(0, "uint8"), k(1.0, "float32"), k(0, "uint8"))),
    (laws.SCALES_AND_ZERO_POINTS_ONE_NUMBER_EACH,
     op("QLinearConv", x(3, 1, 4, 4, dtype="uint8"), x(0), x(1, dtype="uint8"), x(2, 1, 2, 2, dtype="uint8"), x(2),
      x(2, dtype="uint8"), x(1), x(1, dtype="uint8"), version=22)),
    (laws.WINDOW_FITS, op("Conv", x(1, 1, 0, 5), x(1, 1, 3, 3), version=7, kernel_shape=[3, 3], pads=[1, 1, 1, 1])),
    (laws.SCAN_OUTPUT_KEEPS_SIZE,
     graph("() => (int64[a, b] y) <int64 n = {40}, bool c = {1}, int64 zero = {0}, int64 one = {1}> { y = Loop "
           "<body = b (int64 i, bool k) => (bool l, int64[d] w) { l = Identity (k) w = Range (zero, i, one) }> "
           "(n, c) }")),
    (laws.SCAN_OUTPUT_KEEPS_SIZE,
     graph("() => (int64[a, b] y) <int64 n = {3}, bool c = {1}, int64 zero = {0}, int64 one = {1}> { y = Loop "
           "<body = b (int64 i, bool k) => (bool l, int64[d] w) { l = Identity (k) w = Range (zero, i, one) }> "
           "(n, c) }")),
    (laws.INPUT_OF_TYPE_SEQUENCE,
     graph("(int8 x, float s) => (int64 y) { r = com.microsoft.DequantizeWithOrder <to = 99, order_input = 1, "
           "order_output = 1> (x, s) y = SequenceLength (r) }")),
    (laws.POSITION_SINGLE_NUMBER,
     graph("(float[2] x) => (seq(float[2]) s, float[a] y) <int64[2] k = {0, 0}> { s = SequenceConstruct (x, x) y = "
           "SequenceAt (s, k) }")),
    (laws.POSITION_INSIDE_SEQUENCE,
     graph("() => (int64 y) { s = SequenceEmpty () t = SequenceErase (s) y = SequenceLength (t) }")),
    (laws.BODY_TENSORS_OF_DECLARED_RANK,
     graph("(float[3, 2] x) => (float[3, 2] y) { y = Scan <num_scan_inputs = 1, body = b (float[2, 2] v) => "
           "(float[d, e] w) { w = Exp (v) }> (x) }")),
    (laws.BODY_DECLARES_RANKS,
     graph("(int64 n, bool c, float[2] x) => (float[2] y) { y = Loop <body = b (int64[] i, bool k, float[2] v) "
           "=> (bool l, float[2] w) { l = Identity (k) w = Identity (v) }> (n, c, x) }")),
    (laws.BODY_OUTPUTS_OF_DECLARED_SIZE,
     graph("(float[2] x, bool c) => (int64[a, b] y) { y = If (c) <then_branch = g1 () => (int64[1, 5] a) "
           "{ a = NonZero (x) }, else_branch = g2 () => (int64[1, 5] b) { b = NonZero (x) }> }")),
    (laws.BODY_OUTPUTS_OF_DECLARED_SIZE,
     graph("(float[3, 2] x) => (int64[a, b, c] y) { y = Scan <num_scan_inputs = 1, body = b (float[2] v) => "
           "(int64[1, 5] w) { w = NonZero (v) }> (x) }")),
    (laws.BODY_TENSORS_OF_DECLARED_RANK,
     graph("(int64 n, bool c, float[2] x) => (float[2] y) { y = Loop <body = b (int64 i, bool[1] k, float[2] v) "
           "=> (bool l, float[2] w) { l = Squeeze (k) w = Identity (v) }> (n, c, x) }")),
]  # fmt: skip
