"""OpenVINO's operators, in terms of ONNX's: a table where names correspond, a few lines where more differs."""

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
