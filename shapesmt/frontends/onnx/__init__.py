"""Read ONNX files, in protobuf or text."""

from shapesmt.frontends.onnx.messages import is_model
from shapesmt.frontends.onnx.reader import parse, read, schemas

__all__ = ["is_model", "parse", "read", "schemas"]
