"""The rules applied along the graph."""

from shapesmt.inference.infer import MAX_REMEMBERED, Inference, infer, out_of_time, start

__all__ = ["MAX_REMEMBERED", "Inference", "infer", "out_of_time", "start"]
