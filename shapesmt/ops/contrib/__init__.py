"""The operators of ONNX Runtime's own domain `com.microsoft`, which its optimizer and its quantizer write."""

from shapesmt.ops.contrib import attention, decoding, fused, grouped, normalization, other, positions, quantized

__all__ = ["attention", "decoding", "fused", "grouped", "normalization", "other", "positions", "quantized"]
