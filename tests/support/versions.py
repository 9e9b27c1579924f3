"""Laws that one supported version of ONNX Runtime enforces and another doesn't: they hold for both.

>>> relaxed("Split", "one part is big")
False
"""

from __future__ import annotations

import onnxruntime
import pytest

from shapesmt import laws
from shapesmt.laws import Law

PRODUCTS = ("MatMul", "FusedMatMul", "TransposeMatMul")
# By law, the operators that run in 1.32 and not in 1.31 where it is broken. Attention-25 has no kernel in 1.32: it is
# ONNX's function, which stretches masks, pads their last axis, and folds values beside the keys.
UNTIL_1_31: dict[Law, tuple[str, ...]] = {
    laws.EMPTY_BATCH_MEETS_EMPTY_BATCH: PRODUCTS,  # an empty batch is broadcast, as numpy does
    laws.NO_PART_EMPTY: ("Split",),
    laws.EQUAL_CHUNKS_COVER_AXIS: ("Split",),  # the last part may be empty, and sizes aren't rounded in float32
    laws.PART_SIZE_IN_32_BITS: ("Split",),
    laws.MASK_ROW_PER_QUERY_COLUMN_PER_KEY: ("Attention",),
    laws.VALUE_PER_KEY: ("Attention",),
    laws.QK_OUTPUT_MODE: ("Attention",),
    laws.MASK_BOOL_OR_OF_QUERIES_TYPE: ("Attention",),
    laws.SCORES_OF_QUERIES_TYPE: ("Attention",),
    laws.SAME_TYPE_AS_INPUT: ("QuantizeLinear",),
}
SINCE_1_32: dict[Law, tuple[str, ...]] = {laws.HEAD_ATTRIBUTE_WITH_RANK_3: ("Attention",)}  # from opset 25 on
INSTALLED = tuple(map(int, onnxruntime.__version__.split(".")[:2]))
OLD, NEW = INSTALLED < (1, 31), INSTALLED >= (1, 32)


def require_runtime() -> None:
    """Skip a test that compares with ONNX Runtime where it is older than 1.31, which needs Python 3.11."""
    if OLD:
        pytest.skip(f"compared with ONNX Runtime 1.31, not with {onnxruntime.__version__}")


def relaxed(op: str, law: str) -> bool:
    """Whether the installed version runs this operator where that law is broken."""
    unenforced = UNTIL_1_31 if NEW else SINCE_1_32
    return any(op in ops and law.endswith(each.sentence.split("}")[-1]) for each, ops in unenforced.items())
