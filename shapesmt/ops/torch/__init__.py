"""PyTorch's operators (`aten`), and Python's on sizes: in terms of ONNX's where they are the same, else own rules."""

from shapesmt.ops.torch import (
    call,
    creation,
    elementwise,
    guards,
    indexing,
    joining,
    layers,
    layout,
    linear,
    padding,
    reduction,
    schemas,
    signals,
    sizes,
    views,
    windows,
)

__all__ = [
    "call",
    "creation",
    "elementwise",
    "guards",
    "indexing",
    "joining",
    "layers",
    "layout",
    "linear",
    "padding",
    "reduction",
    "schemas",
    "signals",
    "sizes",
    "views",
    "windows",
]
