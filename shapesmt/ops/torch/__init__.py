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
    """What helps where an operator has no rule: others that do the same, a rule of one's own, or traced shapes."""
    if op.removeprefix("aten.") in schemas.decomposed():
        return "decompose the program first: exported.run_decompositions()"
    traced = "--declared trust takes the shapes that PyTorch traced"
    return f'give it one, @shapesmt.rule("{op}", domain="torch"), or {traced}'
