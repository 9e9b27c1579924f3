"""Calls that break one law each, of onnxruntime-extensions."""

from __future__ import annotations

from functools import partial

from tests.oracle.onnx_calls import k, op, x
from tests.support import laws

ext = partial(op, domain="ai.onnx.contrib", version=1)
text = partial(x, dtype="object")

ROWS = [
    (laws.SETTING_SINGLE, ext("StringRegexReplace", text(3), text(2), text(1))),
    (laws.SETTING_SINGLE, ext("StringToHashBucket", text(3), x(2, dtype="int64"))),
    (laws.JOINED_TEXTS_SAME_SHAPE, ext("StringConcat", text(3), text(1))),
    (laws.SETTING_SINGLE, ext("StringJoin", text(3), text(2), k([0]))),
    (laws.AXIS_INSIDE_RANK, ext("StringJoin", text(3), text(1), k([1]))),
    (laws.INPUT_NOT_EMPTY, ext("StringJoin", text(0, 2), text(1), k([1]))),
    (laws.RANK, ext("StringSplit", text(2, 1), text(1), x(1, dtype="bool"), outputs=3)),
    (laws.ONE_OR_TWO_TEXTS, ext("BertTokenizer", text(3), outputs=3)),
    (laws.TWO_TEXTS, ext("HfBertTokenizer", text(1), outputs=3)),
    (laws.RANK_AT_LEAST, ext("SegmentSum", x(), x(0, dtype="int64"))),
    (laws.SEGMENT_NUMBERS_HAVE_FIRST_AXES_OF_DATA, ext("SegmentSum", x(4, 3), x(3, dtype="int64"))),
    (laws.INPUT_NOT_EMPTY, ext("SegmentSum", x(0, 3), x(0, dtype="int64"))),
    (laws.STRINGS_SAMPLE_OR_BATCH, ext("MaskedFill", text(1, 2), x(1, 2, dtype="bool"))),
    (laws.OPERANDS_SAME_SHAPE, ext("MaskedFill", text(3), x(2, dtype="bool"))),
]  # fmt: skip
