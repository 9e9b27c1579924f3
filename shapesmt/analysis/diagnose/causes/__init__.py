"""Causes: the nodes that computed a size, moved it to another axis or took it from a constant, from the inputs on."""

from shapesmt.analysis.diagnose.causes.derivation import in_order
from shapesmt.analysis.diagnose.causes.sides import Sides
from shapesmt.analysis.diagnose.causes.tracer import READABLE, Tracer, source_of

__all__ = ["READABLE", "Sides", "Tracer", "in_order", "source_of"]
