"""Forms of the runtimes' error messages, as data: a file for each runtime, a row for each form.

`form` says what a row consists of. A row for what is in no file of a runtime is here: what isn't about shapes, and what
optimizers do to names.
"""

from __future__ import annotations

import re

from shapesmt.tasks.runtime_errors.forms import onnxruntime, openvino, tensorrt, tflite, torch, tract
from shapesmt.tasks.runtime_errors.forms.form import Fork, Form, Head, Stop

__all__ = [
    "BLOCKED",
    "BLOCKED_RANK",
    "FORMS",
    "FUSED",
    "HEADS",
    "MADE",
    "RESHAPING",
    "SILENT",
    "UNNAMED",
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
UNNAMED = onnxruntime.RUNTIME
"""The runtime that compares inputs with the numbers that a file declares, but not by their names or formulas."""

UNRELATED = re.compile(
    # devices and their libraries
    r"CUDNN_STATUS|CUDNN failure|CUDA failure|CUBLAS|cuBLAS|CUDA error|CUDA_ERROR_|cudaError|CUSOLVER|CUFFT_|NCCL"
    r"|Cuda Runtime|hipError|MIOPEN|NVRTC|no kernel image is available|device-side assert|No CUDA GPUs|CL_OUT_OF"
    r"|NVIDIA driver|clEnqueue|clBuildProgram|VK_ERROR_|MTLCommandBuffer|D3D12|DXGI_ERROR"
    # memory
    r"|out of memory|OutOfMemory|std::bad_alloc|not enough memory|insufficient memory|Insufficient workspace|\bKilled\b"
    # kernels, plugins and operators that a build lacks
    r"|Could not find an implementation|Could not find any implementation|NOT_IMPLEMENTED|NotImplemented"
    r"|not implemented for|is not a registered function|Could NOT find node implementation|No importer registered"
    r"|[Uu]nsupported operator|Exporting the operator|Plugin not found|could not find plugin|No Op registered"
    r"|Unsupported ONNX opset|[Uu]nsupported opset|Didn't find op for builtin opcode|unresolved custom op"
    r"|Select TensorFlow op|with arguments from the '|No conversion rule|No OpKernel was registered"
    # files, formats and versions
    r"|Unsupported model IR version|No such file|[Ff]ile[^\n]{0,300}(?:doesn't|does not) exist|NO_SUCHFILE"
    r"|INVALID_PROTOBUF|Protobuf parsing failed|DecodeError|Permission denied|No space left|PytorchStreamReader"
    r"|Weights only load failed|UnpicklingError|plan file is not compatible|Version tag does not match"
    r"|Serialization Error|incompatible device|model identifier"
    # libraries
    r"|Failed to load library|cannot open shared object|DLL load failed|undefined symbol|ImportError"
    r"|ModuleNotFoundError|LoadLibrary failed|GLIBC|GLIBCXX|Illegal instruction|Segmentation fault"
    # licences, the network, and mistakes in a caller's code
    r"|[Ll]icen[cs]e|[Cc]onnection (?:refused|reset|error)|ConnectionError|HTTPError|SSLError|KeyboardInterrupt"
    r"|\b(?:Name|Attribute|Key|Type|Syntax|UnicodeDecode)Error: "
)
"""Parts of messages that aren't about shapes: devices, kernels that a build lacks, files."""
MADE = re.compile(
    r"nchwc|[Ff]us|token|[Tt]ransform|_dup|_new_|[Qq]uant|inlfunc|[Ii]nsert|Helper|Propagation|With_|Without|Unsqueeze_"
    r"|\.\d{1,3}(?:\.\d{1,3})?$"  # OpenVINO numbers the nodes that it makes of one, and their outputs
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
