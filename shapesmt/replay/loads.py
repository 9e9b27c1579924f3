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


NEAR = 0.02  # tolerance for 16-bit floats, as a fraction of the largest number


def same_outputs(a: Any, b: Any, near: float = 0.0) -> bool:
    """Whether two outputs are the same bit by bit, or with `near` within this relative tolerance."""
    import numpy as np

    if not hasattr(a, "tobytes"):  # a sequence, or an optional value that is missing
        same = type(a) is type(b) and (a is None or len(a) == len(b))
        return bool(same and (a is None or all(same_outputs(x, y, near) for x, y in zip(a, b, strict=True))))
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if near and a.dtype.kind == "f":
        x, y = a.astype(np.float64), b.astype(np.float64)
        most = np.abs(x[np.isfinite(x)]).max(initial=0.0)
        return bool(np.allclose(x, y, rtol=0, atol=near * most, equal_nan=True))
    return bool(a.tolist() == b.tolist() if a.dtype.kind == "O" else a.tobytes() == b.tobytes())
