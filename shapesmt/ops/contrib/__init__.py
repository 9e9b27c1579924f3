"""Operators of ONNX Runtime's own domain `com.microsoft`, which its optimizer and its quantizer write."""

from shapesmt.ops.contrib import (
    attention,
    blocked,
    decoding,
    experts,
    fused,
    grouped,
    normalization,
    other,
    positions,
    quantized,
)

__all__ = [
    "attention",
    "blocked",
    "decoding",
    "experts",
    "fused",
    "grouped",
    "normalization",
    "other",
    "positions",
    "quantized",
]
