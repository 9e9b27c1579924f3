"""OpenVINO's operators: a table of those that equal ONNX's, and short rules, mostly by ONNX's, for the others."""
