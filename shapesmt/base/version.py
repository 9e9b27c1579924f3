"""The versions of shapesmt and of ONNX Runtime, on which answers depend."""

from __future__ import annotations

import re
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

__version__ = "0.1.0"
LOADED = time.time_ns()  # nanoseconds since the epoch when this process imported the package
Version = tuple[int, int]
OLDEST, NEWEST = (1, 31), (1, 32)  # versions of ONNX Runtime that the rules know


def followed_runtime() -> Version:
    """Return the installed version of ONNX Runtime, clamped to `OLDEST`..`NEWEST`; `NEWEST` if none is installed."""
    return min(max(installed_runtime() or NEWEST, OLDEST), NEWEST)


def newer_runtime() -> bool:
    """Whether the installed version of ONNX Runtime is newer than those that the rules know."""
    return (installed_runtime() or NEWEST) > NEWEST


@cache
def installed_runtime() -> Version | None:
    """Return the installed version of ONNX Runtime; None if none is installed or its package doesn't tell.

    The version is read from the package's file, as importing it takes longer than most answers.
    """
    try:
        spec = find_spec("onnxruntime")
        text = Path(spec.origin).read_text(encoding="utf-8") if spec is not None and spec.origin else ""
    except (ImportError, ValueError, OSError):
        return None
    found = re.search(r'^__version__ = "(\d+)\.(\d+)', text, re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else None
