"""The rules applied along the graph."""

from shapesmt.inference.apply import out_of_time
from shapesmt.inference.inference import Inference, infer, start
from shapesmt.inference.numbering import CHANGING
from shapesmt.inference.walk import MAX_REMEMBERED

__all__ = ["CHANGING", "MAX_REMEMBERED", "Inference", "infer", "out_of_time", "start"]
