"""What is decided without a solver, over a set of admissible inputs."""

from shapesmt.presolve.decide import Decision, decide, decide_part, grouped, implied, independent, together
from shapesmt.presolve.domain import Domain, remembered
from shapesmt.presolve.elimination import eliminated, range_facts
from shapesmt.presolve.enumeration import Values, sides
from shapesmt.presolve.extent import extent
from shapesmt.presolve.growth import window
from shapesmt.presolve.monotonicity import monotone

__all__ = [
    "Decision",
    "Domain",
    "Values",
    "decide",
    "decide_part",
    "eliminated",
    "extent",
    "grouped",
    "implied",
    "independent",
    "monotone",
    "range_facts",
    "remembered",
    "sides",
    "together",
    "window",
]
