"""ONNX files, in protobuf or text."""

from shapesmt.frontends.onnx.reader import is_proto, parse, read, schemas

__all__ = ["is_proto", "parse", "read", "schemas"]
