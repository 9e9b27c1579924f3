"""OpenVINO's operators, mostly by the rules of ONNX's: a table of equal ones, and a few lines for each other one."""

from shapesmt.ops.openvino import (
    detection,
    elementwise,
    embedding,
    images,
    indexing,
    joining,
    linear,
    loops,
    normalization,
    reduction,
    shape,
    signal,
    spatial,
    table,
)

__all__ = [
    "detection",
    "elementwise",
    "embedding",
    "images",
    "indexing",
    "joining",
    "linear",
    "loops",
    "normalization",
    "reduction",
    "shape",
    "signal",
    "spatial",
    "table",
]
