"""Versions of ONNX Runtime: follow another version, and laws that only some versions enforce.

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

from shapesmt.network.laws import Law
from tests.support import laws

# By law, the operators that run in 1.32 and not in 1.31 where it is broken. Attention-25 has no kernel in 1.32: it is
# ONNX's function, which stretches masks, pads their last axis, and folds values beside the keys.
UNTIL_1_31: dict[Law, tuple[str, ...]] = {
    laws.MASK_ROW_PER_QUERY_COLUMN_PER_KEY: ("Attention",),
    laws.VALUE_PER_KEY: ("Attention",),
    laws.QK_OUTPUT_MODE: ("Attention",),
    laws.MASK_BOOL_OR_OF_QUERIES_TYPE: ("Attention",),
    laws.SCORES_OF_QUERIES_TYPE: ("Attention",),
}
INSTALLED = tuple(map(int, onnxruntime.__version__.split(".")[:2]))
OLD, NEW = INSTALLED < (1, 31), INSTALLED >= (1, 32)


@contextmanager
def following(*version: int) -> Iterator[None]:
    """Let rules follow this version of ONNX Runtime inside the block, whichever is installed."""
    versions, walk = map(importlib.import_module, ("shapesmt.base.version", "shapesmt.operators.inference.walk"))
    with patch.object(versions, "installed_runtime", lambda: version), patch.object(walk, "_REMEMBERED", {}):
        yield


def require_runtime() -> None:
    """Skip a test that compares with ONNX Runtime if it is older than 1.31 (for which Python 3.11 is needed)."""
    if OLD:
        pytest.skip(f"compared with ONNX Runtime 1.31, not with {onnxruntime.__version__}")


def relaxed(op: str, law: str) -> bool:
    """Whether the installed version runs the operator `op` although `law` is violated."""
    return NEW and any(op in ops and law.endswith(each.sentence.split("}")[-1]) for each, ops in UNTIL_1_31.items())
