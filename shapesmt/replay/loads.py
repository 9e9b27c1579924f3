"""Loads: whether the runtime loads the whole model, for findings that it doesn't."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.report import Finding, Replay

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

__all__ = ["LOADS", "loaded"]

LOADS = "SM408"  # the code of laws that hold where a runtime loads the model


def loaded(proto: onnx.ModelProto, finding: Finding, runtime: str, complaint: Callable[[bytes], str]) -> Replay:
    """The result of loading a model, which is confirmed if the runtime refuses it; `complaint` says why it does."""
    if any(tensor.external_data for tensor in proto.graph.initializer):
        return Replay(runtime, None, finding.node, "its external data is not read")
    said = complaint(proto.SerializeToString())
    return Replay(runtime, bool(said), finding.node, said or "the model is loaded")
