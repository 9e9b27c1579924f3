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
    quantization,
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
    "quantization",
    "reduction",
    "schemas",
    "signals",
    "sizes",
    "views",
    "windows",
    "without_rule",
]


def without_rule(op: str) -> str:
    """What helps where an operator has no rule: others that do the same, if there are such."""
    helps = op.removeprefix("aten.") in schemas.decomposed()
    return "decompose the program first: exported.run_decompositions()" if helps else ""
