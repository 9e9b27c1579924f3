"""OpenVINO's operators, mostly by the rules of ONNX's: a table of equal ones, and a few lines for each other one."""
