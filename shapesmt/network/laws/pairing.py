"""Laws of equal counts: a batch index for each region, a label for each score."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM116 = Code(
    "SM116", "one for each",
    "What goes together comes in equal numbers: a batch index for each region, a length for each sample, a label "
    "for each score.",
    "Give dimensions that count the same thing one name when exporting, or state that they are equal.",
    "g (float[n, 10] scores, int64[m] labels) => (float loss)\n"
    "{ loss = SoftmaxCrossEntropyLoss (scores, labels) }",
)  # fmt: skip
INPUTS_SAME_SAMPLE_COUNT = SM116.law("all inputs have the same number of samples")
BOXES_AND_SCORES_SAME_BATCH = SM116.law("boxes and scores have the same batch")
DATA_AND_INDICES_SAME_BATCH = SM116.law("data and indices have the same batch axes")
SHIFT_PER_AXIS = SM116.law("each axis has a shift")
SCORE_PER_BOX = SM116.law("each box has a score")
SCORE_PER_BOX_AND_CLASS = SM116.law("each box has a score per class")
BATCH_INDEX_PER_REGION = SM116.law("each region has one batch index")
SEGMENT_PER_ROW = SM116.law("each row has a segment")
SORTED_LIST_PER_ROW = SM116.law("each row of values has a sorted list")
IMAGE_AND_GRID_SAME_BATCH = SM116.law("image and grid have the same batch")
OPERANDS_SAME_BATCH_AXES = SM116.law("operands have the same batch axes")
POSITIONS_BATCH_LENGTH = SM116.law("positions are [batch, length]")
QUERIES_KEYS_VALUES_SAME_BATCH = SM116.law("queries, keys and values have the same batch")
SEQUENCE_LENGTH_PER_SAMPLE = SM116.law("sequence_lens has one length per sample")
SIZE_AND_THETA_SAME_BATCH = SM116.law("size and theta have the same batch")
LENGTH_PER_SAMPLE = SM116.law("there is a length per sample")
WEIGHT_PER_INDEX = SM116.law("there is a weight for each index")
LABEL_PER_SAMPLE_AND_POSITION = SM116.law("there is one label per sample and position")
LENGTH_PER_BATCH_ELEMENT = SM116.law("there is one length for each of the batch")
WRITE_INDEX_PER_BATCH_ELEMENT = SM116.law("there is one write index for each of the batch")
