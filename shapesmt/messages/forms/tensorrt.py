"""Forms of the messages of TensorRT."""

from __future__ import annotations

import re
from functools import partial

from shapesmt.messages.forms.form import Head, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "tensorrt"
says = partial(form, RUNTIME)
HEADS = (
    Head(RUNTIME, re.compile(r"(?:\[E\] |Error Code )[^\n]{0,200}?(?P<name>/[^\s:]{1,300}): ")),
)  # fmt: skip
FORMS = (
    says(r"dimensions not compatible for elementwise.{0,40}violated: <a> != <b>", "SM101"),
    says(r"all concat input tensors must have the same dimensions.{0,80}violated: <a> != <b>", "SM103"),
    says(r"reshape changes volume from \[<i0>\] to \[<_>", "SM104"),
)  # fmt: skip
