"""PyTorch's operators (`aten`), and Python's on sizes: in terms of ONNX's where they are the same, else own rules."""

from shapesmt.ops.torch import (
    call,
    creation,
    elementwise,
    guards,
    layout,
    linear,
    reduction,
    schemas,
    sizes,
    views,
    windows,
)

__all__ = [
    "call",
    "creation",
    "elementwise",
    "guards",
    "layout",
    "linear",
    "reduction",
    "schemas",
    "sizes",
    "views",
    "windows",
]
