"""Load models in ONNX Runtime, to confirm findings that it refuses a model; compare the outputs of two runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shapesmt.report import Finding, Replay

if TYPE_CHECKING:
    import onnx

LOADS = "SM408"  # the code of laws about the runtime loading the model


def replay_loading(proto: onnx.ModelProto, finding: Finding, runtime: str, complaint: Callable[[bytes], str]) -> Replay:
    """Load a model to confirm the finding that a runtime refuses it; `complaint` returns the reason, "" if it loads."""
    if any(tensor.external_data for tensor in proto.graph.initializer):
        return Replay(runtime, None, finding.node, "its external data is not read")
    said = complaint(proto.SerializeToString())
    return Replay(runtime, bool(said), finding.node, said or "the model is loaded")


def session_of(model: bytes, folder: str | None) -> Any:
    """Load a model in the runtime without optimisations; external data is in `folder`."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_mem_pattern = options.enable_mem_reuse = False
    options.log_severity_level = 4
    if folder is not None:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
