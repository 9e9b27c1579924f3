"""The node cases that come with the `onnx` package."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np


@cache
def node_cases() -> tuple[Any, ...]:
    """Return all node cases, which takes seconds; copy a model before you change it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        return tuple(collect_testcases(None))
