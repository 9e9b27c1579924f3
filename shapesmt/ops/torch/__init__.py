"""PyTorch's operators (`aten`), and Python's on sizes: in terms of ONNX's where they are the same, else own rules."""

from shapesmt.ops.torch import call, elementwise, indexing, layers, linear, schemas, sizes, windows

__all__ = ["call", "elementwise", "indexing", "layers", "linear", "schemas", "sizes", "windows"]
