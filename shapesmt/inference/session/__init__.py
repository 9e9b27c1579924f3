"""The graph that ONNX Runtime's default session runs, by the records of `shapesmt.ops.session`."""

from shapesmt.inference.session.graph import SessionGraph, differing, matches, session_graph

__all__ = ["SessionGraph", "differing", "matches", "session_graph"]
