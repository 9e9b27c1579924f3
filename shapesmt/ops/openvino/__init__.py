"""OpenVINO's operators, in terms of ONNX's: a table where names correspond, a few lines where more differs."""

from shapesmt.ops.openvino import elementwise, indexing, joining, linear, loops, reduction, shape, spatial, table

__all__ = ["elementwise", "indexing", "joining", "linear", "loops", "reduction", "shape", "spatial", "table"]
