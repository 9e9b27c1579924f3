"""Inference: the rules applied along the graph."""

from shapesmt.inference.apply import out_of_time
from shapesmt.inference.inference import Inference, application_of, infer, start
from shapesmt.inference.operators import Operators
from shapesmt.inference.session import SessionGraph, differing, matches, session_graph
from shapesmt.inference.slots import Slot, Slots, slots_of
from shapesmt.inference.walk import MAX_REMEMBERED

__all__ = [
    "MAX_REMEMBERED",
    "Inference",
    "Operators",
    "SessionGraph",
    "Slot",
    "Slots",
    "application_of",
    "differing",
    "infer",
    "matches",
    "out_of_time",
    "session_graph",
    "slots_of",
    "start",
]
