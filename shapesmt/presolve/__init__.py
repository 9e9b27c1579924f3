"""What is decided without a solver, over a set of admissible inputs."""

from shapesmt.presolve.domain import Decision, Domain, range_facts
from shapesmt.presolve.enumeration import Assignment, Values, lowest
from shapesmt.presolve.monotonicity import direction

__all__ = ["Assignment", "Decision", "Domain", "Values", "direction", "lowest", "range_facts"]
