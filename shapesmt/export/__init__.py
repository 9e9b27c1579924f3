"""Answers to files: one exporter per format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.export import targets
from shapesmt.export.files import write_whole
from shapesmt.export.trees import Trees
from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.export.onnx import annotate, axes_of, keep_together, refusing, save

__all__ = ["Trees", "annotate", "axes_of", "keep_together", "refusing", "save", "targets", "write_whole"]

__getattr__ = lazy(__name__, {"onnx": ["annotate", "axes_of", "keep_together", "refusing", "save"]})
