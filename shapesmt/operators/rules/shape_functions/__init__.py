"""A rule's context with the methods of TensorFlow's shape functions, for rules that users write."""

from shapesmt.operators.rules.shape_functions.inference_context import InferenceContext

__all__ = ["InferenceContext"]
