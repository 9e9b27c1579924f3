"""TensorFlow's operators, in terms of ONNX's: a table where names correspond, a few lines where more differs."""

from shapesmt.ops.tensorflow import (
    elementwise,
    images,
    indexing,
    joining,
    linear,
    reduction,
    shape,
    slicing,
    spatial,
    table,
)

__all__ = [
    "elementwise",
    "images",
    "indexing",
    "joining",
    "linear",
    "reduction",
    "shape",
    "slicing",
    "spatial",
    "table",
]
