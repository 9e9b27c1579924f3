"""TensorFlow's operators in terms of ONNX's: a table for renamed ones, short rules for the others."""
