"""ONNX files, in protobuf or text."""

from shapesmt.frontends.onnx.reader import is_proto, parse, proto, read, schemas

__all__ = ["is_proto", "parse", "proto", "read", "schemas"]
