"""The graph that ONNX Runtime's default session runs, by the records of `shapesmt.operators.ops.session`."""

from shapesmt.operators.inference.session.graph import SessionGraph, differing, matches, session_graph

__all__ = ["SessionGraph", "differing", "matches", "session_graph"]
