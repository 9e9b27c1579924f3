"""TensorFlow's operators, in terms of ONNX's: a table where names correspond, a few lines where more differs."""

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
