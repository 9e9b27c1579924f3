"""Forms of the messages of ONNX Runtime, those of attention in a file of their own, and those of other layers."""

from __future__ import annotations

import re

from shapesmt.tasks.runtime_errors.forms.form import NAME, Head
from shapesmt.tasks.runtime_errors.forms.onnxruntime import attention, layers, tensors
from shapesmt.tasks.runtime_errors.forms.onnxruntime.says import RUNTIME

__all__ = ["FORMS", "HEADS", "RUNTIME"]

_LOADING = (
    r"Node ?\((?P<name>[^()\n]{0,500})\) Op ?\((?P<op>\w{1,100})\)",
    r"In Node, \(\"(?P<name>[^\"\n]{0,500})\", (?P<op>\w{1,100}),",
    r"of operator \((?P<op>\w{1,100})\) in node \((?P<name>[^()\n]{0,500})\)",
    r"of Optype \((?P<op>\w{1,100})\) bound to different types \([^\n]{1,300} in node \((?P<name>[^()\n]{0,500})\)",
    r"Exception during initialization: "
    r"(?:[^\n]{0,300}?::(?P<op>\w{1,60}?)(?:Base|Op|Common)?(?:<\w{1,60}>)?::\w{1,60}\(const [\w:]{1,60}&\))?",
)
HEADS = (
    Head(RUNTIME, re.compile(rf"while running (?P<op>\S{{1,100}}) node\. Name:\s?'(?P<name>{NAME})'")),
    *(Head(RUNTIME, re.compile(pattern), loading=True) for pattern in _LOADING),
)
FORMS = (*layers.FORMS, *attention.FORMS, *tensors.FORMS)
"""The forms; those for one operator come first, as the first form that matches counts."""
