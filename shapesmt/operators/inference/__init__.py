"""Inference: the rules applied along the graph."""

from shapesmt.operators.inference.apply import out_of_time
from shapesmt.operators.inference.inference import Inference, Trace, application_of, infer, start, tracer
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.inference.session import SessionGraph, differing, matches, session_graph
from shapesmt.operators.inference.slots import Slot, Slots, Trials, resized, slots_of
from shapesmt.operators.inference.walk import MAX_REMEMBERED

__all__ = [
    "MAX_REMEMBERED",
    "Inference",
    "Operators",
    "SessionGraph",
    "Slot",
    "Slots",
    "Trace",
    "Trials",
    "application_of",
    "differing",
    "infer",
    "matches",
    "out_of_time",
    "resized",
    "session_graph",
    "slots_of",
    "start",
    "tracer",
]
