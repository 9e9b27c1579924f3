"""Operators of ONNX Runtime's own domain `com.microsoft`, which its optimizer and its quantizer write."""
