"""Arithmetic: element by element, along axes, of matrices, and the layers that combine it."""

from shapesmt.ops.math import (
    attention,
    elementwise,
    linear,
    loss,
    normalization,
    quantization,
    random,
    recurrent,
    reduction,
)

__all__ = [
    "attention",
    "elementwise",
    "linear",
    "loss",
    "normalization",
    "quantization",
    "random",
    "recurrent",
    "reduction",
]
