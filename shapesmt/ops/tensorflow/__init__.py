"""TensorFlow's operators in terms of ONNX's: a table for renamed ones, short rules for the others."""

from shapesmt.ops.tensorflow import (
    checks,
    containers,
    elementwise,
    images,
    indexing,
    joining,
    linear,
    other,
    quantized,
    random,
    reduction,
    shape,
    slicing,
    spatial,
    table,
)

__all__ = [
    "checks",
    "containers",
    "elementwise",
    "images",
    "indexing",
    "joining",
    "linear",
    "other",
    "quantized",
    "random",
    "reduction",
    "shape",
    "slicing",
    "spatial",
    "table",
]
