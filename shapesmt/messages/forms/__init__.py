"""Forms of the runtimes' error messages, as data: a file for each runtime, a row for each form.

`form` says what a row consists of. A row for what is in no file of a runtime is here: what isn't about shapes, and what
optimizers do to names.
"""

from __future__ import annotations

import re

from shapesmt.messages.forms import onnxruntime, openvino, tensorrt, tflite, torch, tract
from shapesmt.messages.forms.form import Fork, Form, Head, Stop

__all__ = [
    "BLOCKED",
    "BLOCKED_RANK",
    "FORMS",
    "FUSED",
    "HEADS",
    "MADE",
    "RESHAPING",
    "SILENT",
    "UNRELATED",
    "Fork",
    "Form",
    "Head",
    "Stop",
]

HEADS = (*onnxruntime.HEADS, *openvino.HEADS, *tensorrt.HEADS, *tflite.HEADS, *tract.HEADS)
"""Where a message begins; the first one of a log counts."""
FORMS = (*onnxruntime.FORMS, *openvino.FORMS, *torch.FORMS, *tensorrt.FORMS, *tflite.FORMS, *tract.FORMS)
"""The forms of messages. If several match, the one that comes first in the text counts."""
RESHAPING = (openvino.RUNTIME, tensorrt.RUNTIME, tflite.RUNTIME)
"""The runtimes that let their user change the sizes that a file declares."""

UNRELATED = re.compile(
    r"CUDNN_STATUS|CUDNN failure|CUDA failure|CUBLAS|cuBLAS|CUDA error|CUDA out of memory|hipError|MIOPEN|NVRTC"
    r"|Could not find an implementation|NOT_IMPLEMENTED|NotImplemented|not implemented for|is not a registered function"
    r"|Unsupported model IR version|No such file|doesn't exist|does not exist|NO_SUCHFILE|INVALID_PROTOBUF"
    r"|Protobuf parsing failed|Failed to load library|cannot open shared object|Permission denied|No space left"
    r"|Could NOT find node implementation|No importer registered|unsupported operator|Exporting the operator"
)
"""Parts of messages that aren't about shapes: devices, kernels that a build lacks, files."""
MADE = re.compile(
    r"nchwc|[Ff]us|token|[Tt]ransform|_dup|_new_|[Qq]uant|inlfunc|[Ii]nsert|Helper|Propagation|With_|Without|Unsqueeze_"
)
"""Parts of the names that a runtime's optimizer gives to the nodes it makes."""
FUSED = re.compile(
    r"Fused|Skip|Bias|Gelu|LayerNorm|RMSNorm|Attention|Gemm|Reorder|QLinear|MatMul(?:Integer|NBits)|QMoE"
)
"""Operators that stand for several nodes of the file after an optimizer's rewrite."""
BLOCKED, BLOCKED_RANK = ("SM106", "SM201"), 4
"""The laws of convolutions and pools, around which ONNX Runtime's optimizer stores channels of images in blocks."""
SILENT = ("SM301",)
"""The laws on indices: ONNX Runtime's optimizer turns a lookup of consecutive rows into a slice, which ends where the
table does, so that a later node fails or none."""
