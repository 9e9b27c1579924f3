"""PyTorch's operators (`aten`), and Python's on sizes: in terms of ONNX's where they are the same, else own rules."""

from shapesmt.ops.torch import call, elementwise, guards, schemas, sizes

__all__ = ["call", "elementwise", "guards", "schemas", "sizes"]
