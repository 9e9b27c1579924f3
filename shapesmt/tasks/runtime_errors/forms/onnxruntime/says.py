"""The function that states a form of ONNX Runtime's messages."""

from __future__ import annotations

from functools import partial

from shapesmt.tasks.runtime_errors.forms.form import form

__all__ = ["RUNTIME", "says"]

RUNTIME = "onnxruntime"
says = partial(form, RUNTIME)
