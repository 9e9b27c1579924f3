"""Read ONNX files, in protobuf or text."""

from shapesmt.frontends.onnx.messages import is_model as is_model
from shapesmt.frontends.onnx.reader import parse as parse, read as read, schemas as schemas
from shapesmt.frontends.onnx.types import Parameters as Parameters
