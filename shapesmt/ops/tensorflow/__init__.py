"""TensorFlow's operators, in terms of ONNX's: a table where names correspond, a few lines where more differs."""

from shapesmt.ops.tensorflow import elementwise, indexing, joining, linear, reduction, shape, slicing, table

__all__ = ["elementwise", "indexing", "joining", "linear", "reduction", "shape", "slicing", "table"]
