"""Load models in ONNX Runtime, to confirm findings that it refuses a model; compare the outputs of two runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shapesmt.base.errors import printable
from shapesmt.reports.answers import Finding, Replay

if TYPE_CHECKING:
    import onnx

DEFAULT, WRITTEN = "default", "as written"
"""The sessions: ONNX Runtime's default, and one without optimizations, which runs the file as written."""
_PLACE = re.compile(
    r"^(?:\[ONNXRuntimeError\] : \d+ : \w+ : |.*Status Message: "
    r"|\S+:\d+ (?:\w+|[^()]*::[^()]*\([^()]*\)(?: const)?) (?:\[with [^\]]*\] )?|\S.*? was false\. (?=\S))"
)
LOADS = "SM408"  # the code of laws about the runtime loading the model


def replay_loading(proto: onnx.ModelProto, finding: Finding, runtime: str, complaint: Callable[[bytes], str]) -> Replay:
    """Load a model to confirm the finding that a runtime refuses it; `complaint` returns the reason, "" if it loads."""
    if any(tensor.external_data for tensor in proto.graph.initializer):
        return Replay(runtime, None, finding.node, "its external data is not read")
    said = complaint(proto.SerializeToString())
    return Replay(runtime, bool(said), finding.node, said or "the model is loaded")


def session_of(model: bytes, folder: str | None, kind: str = WRITTEN) -> Any:
    """Load a model in the runtime, without optimizations unless `kind` is `DEFAULT`; external data is in `folder`."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    if kind != DEFAULT:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_mem_pattern = options.enable_mem_reuse = False
    options.log_severity_level = 4
    if folder is not None:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def short(message: str) -> str:
    """Return the reason in the runtime's message, without source lines and function names: they vary between builds."""
    text, longer = " ".join(message.split()), ""
    while text != longer:
        longer, text = text, _PLACE.sub("", text)
    return printable(text.rstrip("."), 240)
