"""Decisions without a solver about conditions and expressions over a set of admissible inputs.

The set is a `Domain`; `elimination` and `divisors` reduce its symbols and values. `decide` says whether a condition
holds over it, `extent` finds the minimum and maximum of an expression. If the inputs are few, both try every one
(`enumeration`). If they are many or unbounded, both ask `everywhere`, which divides them into finitely many `cells`
of a `grid`. `where` samples values; what a sample suggests is proven afterwards or shown by an example. `limits` says
how many inputs each of these modules accepts.
"""

from shapesmt.presolve.decide import Decision, decide, decide_part, grouped, implied, independent, together
from shapesmt.presolve.domain import Domain, remembered
from shapesmt.presolve.elimination import eliminated, range_facts
from shapesmt.presolve.enumeration import Values, sides
from shapesmt.presolve.extent import extent
from shapesmt.presolve.where import Spread, ascending, truth_at, values_of

__all__ = [
    "Decision",
    "Domain",
    "Spread",
    "Values",
    "ascending",
    "decide",
    "decide_part",
    "eliminated",
    "extent",
    "grouped",
    "implied",
    "independent",
    "range_facts",
    "remembered",
    "sides",
    "together",
    "truth_at",
    "values_of",
]
