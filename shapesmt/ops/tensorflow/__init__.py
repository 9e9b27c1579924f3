"""TensorFlow's operators, in terms of ONNX's: a table where names correspond, a few lines where more differs."""

from shapesmt.ops.tensorflow import elementwise, joining, shape, slicing, table

__all__ = ["elementwise", "joining", "shape", "slicing", "table"]
