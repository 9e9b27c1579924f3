"""Versions of ONNX Runtime: answers as for another one, and laws of another one that hold for all.

>>> relaxed("Split", "one part is big")
False
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import onnxruntime
import pytest

from shapesmt import laws
from shapesmt.laws import Law

# By law, the operators that run in 1.32 and not in 1.31 where it is broken. Attention-25 has no kernel in 1.32: it is
# ONNX's function, which stretches masks, pads their last axis, and folds values beside the keys.
UNTIL_1_31: dict[Law, tuple[str, ...]] = {
    laws.MASK_ROW_PER_QUERY_COLUMN_PER_KEY: ("Attention",),
    laws.VALUE_PER_KEY: ("Attention",),
    laws.QK_OUTPUT_MODE: ("Attention",),
    laws.MASK_BOOL_OR_OF_QUERIES_TYPE: ("Attention",),
    laws.SCORES_OF_QUERIES_TYPE: ("Attention",),
}
SINCE_1_32: dict[Law, tuple[str, ...]] = {laws.HEAD_ATTRIBUTE_WITH_RANK_3: ("Attention",)}  # from opset 25 on
INSTALLED = tuple(map(int, onnxruntime.__version__.split(".")[:2]))
OLD, NEW = INSTALLED < (1, 31), INSTALLED >= (1, 32)


@contextmanager
def following(*version: int) -> Iterator[None]:
    """Rules inside follow this version, whichever is installed."""
    versions, walk = map(importlib.import_module, ("shapesmt.version", "shapesmt.inference.walk"))
    with patch.object(versions, "installed_runtime", lambda: version), patch.object(walk, "_REMEMBERED", {}):
        yield


def require_runtime() -> None:
    """Skip a test that compares with ONNX Runtime where it is older than 1.31, which needs Python 3.11."""
    if OLD:
        pytest.skip(f"compared with ONNX Runtime 1.31, not with {onnxruntime.__version__}")


def relaxed(op: str, law: str) -> bool:
    """Whether the installed version runs this operator where that law is broken."""
    unenforced = UNTIL_1_31 if NEW else SINCE_1_32
    return any(op in ops and law.endswith(each.sentence.split("}")[-1]) for each, ops in unenforced.items())
