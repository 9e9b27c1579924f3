"""Forms of the messages of ONNX Runtime, those of attention in a file of their own, and those of other layers."""

from __future__ import annotations

import re

from shapesmt.messages.forms.form import NAME, Head
from shapesmt.messages.forms.onnxruntime import attention, layers, tensors
from shapesmt.messages.forms.onnxruntime.says import RUNTIME

__all__ = ["FORMS", "HEADS", "RUNTIME"]

HEADS = (
    Head(RUNTIME, re.compile(rf"while running (?P<op>\S{{1,100}}) node\. Name:\s?'(?P<name>{NAME})'")),
    Head(RUNTIME, re.compile(r"Node ?\((?P<name>[^()\n]{0,500})\) Op ?\((?P<op>\w{1,100})\)")),
)  # fmt: skip
FORMS = (*layers.FORMS, *attention.FORMS, *tensors.FORMS)
"""The forms; those for one operator come first, as the first form that matches counts."""
